"""`backslide ledger`: what it prints and how it exits."""

from __future__ import annotations

import json

import pytest

from backslide.app import execute
from backslide.evals.ledger import ledger as drawing
from backslide.evals.ledger.model import ArtifactAnswer, Ledger, LedgerRow


def pretend(monkeypatch: pytest.MonkeyPatch, **changes: bool) -> None:
    """Let the ledger come to one row."""
    row = LedgerRow(
        id="I-9",
        defect="the advisor writes the transcript",
        variant="delivery: mirror",
        repaired="delivery: brief",
        measure="forged share",
        with_defect=0.8,
        repaired_value=0.0,
        seed_value=0.725,
        scenario="advisor-long-mirror",
        figures={"mirror_to_brief": 300.0},
        **changes,
    )
    monkeypatch.setattr(drawing, "draw_up", lambda: Ledger((row,), ArtifactAnswer(10, 9, 5, 4), 1.0))


def test_a_defect_that_is_caught_exits_0(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The row, the figures beside it and the open question's answer are printed."""
    pretend(monkeypatch, caught=True)

    assert execute(["ledger"]) == 0

    out = " ".join(capsys.readouterr().out.split())
    for words in ("I-9", "0.725", "caught", "mirror to brief: 300", "10 briefs", "changed in 4", "Simulated"):
        assert words in out


def test_a_defect_that_is_missed_exits_1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It is named, and the document says so."""
    pretend(monkeypatch)

    assert execute(["ledger"]) == 1
    assert "Not caught: I-9" in capsys.readouterr().out
    assert execute(["ledger", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["rows"][0]["caught"] is False
    assert document["rows"][0]["seed_value"] == 0.725
    assert execute(["ledger", "-q"]) == 1
    assert capsys.readouterr().out == "failed\n"


def test_a_defect_that_is_shown_is_checked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Checked is as good as caught."""
    pretend(monkeypatch, checked=True)

    assert execute(["ledger", "-q"]) == 0
    assert capsys.readouterr().out == "ok\n"
