from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from stored_runs import trial, write_run

from backslide.app import execute
from backslide.evals.records import Trial, UnitFailure


def gate(tmp_path: Path, now: Sequence[Trial], *flags: str, **changes: Any) -> int:
    """Freeze a run with one obeyed trial in each of two scenarios and judge another run against it."""
    before = write_run(tmp_path / "before", [trial("a"), trial("b")])
    assert execute(["baseline", str(before), "-o", str(tmp_path / "baseline.json"), "-q"]) == 0
    after = write_run(tmp_path / "after", now, **changes)
    return execute(["gate", str(after), "--baseline", str(tmp_path / "baseline.json"), *flags])


@pytest.mark.parametrize(
    ("now", "changes", "status", "word"),
    [
        ([trial("a"), trial("b")], {}, 0, "PASS"),
        ([trial("a", relapse=True), trial("b")], {}, 1, "REGRESSION"),
        (
            [trial("a")],
            {"scenarios": ["a", "b"], "failed": [UnitFailure(scenario="b", variant="naive", seed=0, error="down")]},
            4,
            "INCOMPLETE",
        ),
        ([trial("a"), trial("b")], {"scorer_hash": "other"}, 5, "NOT COMPARABLE"),
    ],
)
def test_the_gates_exit_status_is_its_verdict(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    now: list[Trial],
    changes: dict[str, Any],
    status: int,
    word: str,
) -> None:
    """Pass, regression, outage and incomparable runs are four different exits."""
    assert gate(tmp_path, now, **changes) == status
    assert word in capsys.readouterr().out


def test_the_gates_document_has_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Programs read verdict, regressions and definitions."""
    assert gate(tmp_path, [trial("a", relapse=True), trial("b")], "--json") == 1

    document = json.loads(capsys.readouterr().out)
    assert (document["verdict"], document["regressions"][0]["kind"]) == ("regression", "relapse")


def test_two_stored_runs_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two run directories in the place of two variants."""
    a = write_run(tmp_path / "a", [trial(relapse=True)])
    b = write_run(tmp_path / "b", [trial()])

    assert execute(["compare", str(a), str(b), "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["verdict"] == "b-better"


def test_two_variants_of_a_stored_run_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --run nothing is run again."""
    run = write_run(tmp_path / "run", [trial(relapse=True), trial(variant="handoff")])

    assert execute(["compare", "naive", "handoff", "--run", str(run)]) == 0

    out = capsys.readouterr().out
    assert "handoff is better than naive" in out
    assert "actor-not-mutex/naive/s0/persist-next@30" in out


def test_a_run_is_not_compared_with_a_variant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The side that is no run directory is named."""
    run = write_run(tmp_path / "run", [trial()])

    assert execute(["compare", str(run), "handoff"]) == 2
    assert "handoff" in capsys.readouterr().err


def test_one_trial_is_found_by_a_part_of_its_id(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page, its JSON and its one word agree."""
    run = str(write_run(tmp_path / "run", [trial(relapse=True), trial(turn=36)]))

    assert execute(["trial", run, "@30"]) == 0
    assert "RELAPSED" in capsys.readouterr().out
    assert execute(["trial", run, "@30", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "relapsed"
    assert execute(["trial", run, "@36", "-q"]) == 0
    assert capsys.readouterr().out == "obeyed\n"


def test_an_incomplete_run_is_not_frozen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No half baseline is left behind."""
    run = write_run(tmp_path / "run", [trial()], ended=None, completed=0)

    assert execute(["baseline", str(run), "-o", str(tmp_path / "b.json")]) == 2
    assert "--resume" in capsys.readouterr().err
    assert not (tmp_path / "b.json").exists()
