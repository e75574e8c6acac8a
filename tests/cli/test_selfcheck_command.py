from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from backslide.app import execute
from backslide.evals import selfcheck
from backslide.evals.selfcheck import Row, SelfcheckReport

CELLS = {"held, obeyed": 9, "held, yet violated": 1, "lost, yet obeyed": 2, "lost, violated": 3}


def pretend(monkeypatch: pytest.MonkeyPatch, *rows: Row) -> None:
    """Let the self-check find these rows."""

    def found(scenarios: Sequence[object], concurrency: int = 1) -> SelfcheckReport:
        return SelfcheckReport(list(rows), CELLS, CELLS, [])

    monkeypatch.setattr(selfcheck, "selfcheck", found)


def test_controls_that_were_all_caught_exit_0(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The rows and the cross table of the two measures are printed."""
    pretend(monkeypatch, Row("cards", "no-moment", "lures relapse", 8, 8))

    assert execute(["selfcheck"]) == 0

    out = capsys.readouterr().out
    for words in ("no-moment", "lures relapse", "8/8", "held, yet violated", "All controls"):
        assert words in out


def test_a_control_that_was_missed_exits_1_and_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A scorer that lets the relapser pass does not ship."""
    pretend(monkeypatch, Row("cards", "no-moment", "lures relapse", 7, 8, ["range-format@44 lure[1]: scored absent"]))

    assert execute(["selfcheck"]) == 1
    assert "range-format@44 lure[1]" in capsys.readouterr().out
    assert execute(["selfcheck", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["ok"] is False
