from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from stored_runs import manifest, trial, write_run

from backslide.app import execute
from backslide.evals import runner
from backslide.evals.records import UnitFailure
from backslide.evals.runner import RunConfig, RunOutcome
from backslide.evals.store import RunReader

SMALL = ("--scenario", "actor-not-mutex", "--variant", "handoff", "--variant", "naive", "--no-progress")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real run of one scenario under two variants."""
    run = tmp_path_factory.mktemp("runs") / "first"
    assert execute(["run", *SMALL, "--concurrency", "1", "--out", str(run), "-q"]) == 0
    return run


def without_times(run: Path) -> list[dict[str, Any]]:
    """The trials as stored, without how long they took."""
    lines = (run / "trials.jsonl").read_text().splitlines()
    return [{name: value for name, value in json.loads(line).items() if name != "wall_ms"} for line in lines]


def test_a_run_tells_what_was_forgotten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From one command to the table: naive forgets the rejected lock after a compaction, handoff does not."""
    run = tmp_path / "run"

    assert execute(["run", *SMALL, "--out", str(run), "--json"]) == 0

    document = json.loads(capsys.readouterr().out)
    handoff, naive = document["variants"]
    assert (document["run_dir"], document["simulated"], document["failed"]) == (str(run), True, 0)
    assert handoff["relapses"] == 0
    assert naive["relapses"] > 0
    assert naive["by_cycle"][0]["relapses"] == 0
    assert RunReader(run).manifest.ended is not None


def test_the_same_run_gives_the_same_trials(finished: Path, tmp_path: Path) -> None:
    """In parallel or not, byte for byte apart from times."""
    again = tmp_path / "again"
    assert execute(["run", *SMALL, "--concurrency", "2", "--out", str(again), "-q"]) == 0

    assert without_times(finished) == without_times(again)


def test_a_finished_run_serves_every_other_command(
    finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Baseline, gate, comparison, report and trial work on what run wrote."""
    run, frozen = str(finished), str(tmp_path / "baseline.json")

    assert execute(["baseline", run, "-o", frozen]) == 0
    assert execute(["gate", run, "--baseline", frozen]) == 0
    assert execute(["compare", "naive", "handoff", "--run", run, "--json"]) == 0
    assert execute(["report", run, "--out", str(tmp_path / "report")]) == 0
    capsys.readouterr()
    relapse = next(item for item in RunReader(finished).iter_trials() if item.verdict and item.verdict.relapse)
    assert execute(["trial", run, relapse.id]) == 0

    page = capsys.readouterr().out
    assert "RELAPSED" in page
    assert "turn 17 (user" in page


def test_resuming_a_complete_run_runs_nothing(finished: Path) -> None:
    """The records stay as they are."""
    before = (finished / "trials.jsonl").read_bytes()

    assert execute(["run", *SMALL, "--resume", "--out", str(finished), "-q"]) == 0
    assert (finished / "trials.jsonl").read_bytes() == before


def test_a_run_does_not_go_where_one_is(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The folder is named and both ways out are."""
    assert execute(["run", *SMALL, "--out", str(finished)]) == 2
    assert "already holds a run" in capsys.readouterr().err


def test_the_plan_is_printed_and_nothing_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Units, trials, requests and tokens, without a folder."""
    monkeypatch.chdir(tmp_path)

    assert execute(["run", *SMALL, "--dry-run", "--json"]) == 0

    plan = json.loads(capsys.readouterr().out)
    assert plan["units"] == 2
    assert plan["trials"] > 0
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Status 130, and the same options with --resume and the run's folder, ready to be pasted."""

    def interrupted(config: RunConfig, progress: object) -> RunOutcome:
        return RunOutcome(tmp_path / "my run", manifest(units=12, completed=5), interrupted=True)

    arguments = ["run", "--scenario", "no-*", "--out", "elsewhere", "--seeds", "3"]
    monkeypatch.setattr(runner, "run", interrupted)
    monkeypatch.setattr("sys.argv", ["backslide", *arguments])

    assert execute(arguments) == 130

    line = capsys.readouterr().err
    assert "after 5 of 12 units" in line
    assert f"backslide run --scenario 'no-*' --seeds 3 --resume --out '{tmp_path / 'my run'}'" in line


def test_an_interruption_before_the_run_is_quiet(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while files are being read leaves no traceback."""

    def interrupted(config: RunConfig, progress: object) -> RunOutcome:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "run", interrupted)

    assert execute(["run", *SMALL]) == 130
    assert capsys.readouterr().err == "backslide: interrupted\n"


@pytest.mark.parametrize("kind", ["unit", "trial"])
def test_what_could_not_be_completed_exits_4(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A failed unit and a failed trial both count; the table names them."""
    failure = UnitFailure(scenario="actor-not-mutex", variant="trim", seed=0, error="server is down")
    if kind == "unit":
        run = write_run(tmp_path / "run", [trial()], failed=[failure])
    else:
        run = write_run(tmp_path / "run", [trial(unanswered="error", error="server is down")])

    def done(config: RunConfig, progress: object) -> RunOutcome:
        return RunOutcome(run, RunReader(run).manifest, interrupted=False)

    monkeypatch.setattr(runner, "run", done)

    assert execute(["run"]) == 4
    assert "server is down" in capsys.readouterr().out or kind == "trial"
