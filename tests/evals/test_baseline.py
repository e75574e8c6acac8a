from __future__ import annotations

import json
from pathlib import Path

import pytest
from stored_runs import compaction, fate, trial, write_run

from backslide.evals.baseline import load_baseline, make_baseline, render_baseline, write_baseline
from backslide.evals.loading import load_run
from backslide.evals.records import UnitFailure
from backslide.harness.errors import InputError


def frozen(tmp_path: Path) -> Path:
    """A baseline file of a run with one relapse and one unseen loss."""
    trials = [trial(turn=30), trial(turn=36, relapse=True, retention="absent")]
    run = write_run(tmp_path / "run", trials, compactions=[compaction(fates=[fate(unseen=True)])])
    file = tmp_path / "baseline.json"
    write_baseline(make_baseline(load_run(run)), file)
    return file


def test_a_baseline_is_read_back_as_it_was_frozen(tmp_path: Path) -> None:
    """Outcomes, unseen losses, payload totals and hashes survive the way through the file."""
    file = frozen(tmp_path)

    baseline = load_baseline(file)

    assert baseline == make_baseline(load_run(tmp_path / "run"))
    assert [item.outcome for item in baseline.trials] == ["obeyed", "relapsed"]
    assert baseline.unseen_losses[0].constraint == "no-global-mutex"
    assert baseline.payloads[0].peak_tokens == 11900


def test_a_reviewer_sees_one_line_a_trial(tmp_path: Path) -> None:
    """A change of one outcome is a change of one line, so that the diff of a baseline can be read."""
    lines = frozen(tmp_path).read_text().splitlines()

    mine = [line for line in lines if "persist-next@36" in line]
    assert len(mine) == 1
    assert json.loads(mine[0].strip().rstrip(","))["outcome"] == "relapsed"


def test_freezing_the_same_records_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    """No time and no path of the machine stands in the file."""
    trials = [trial(turn=30)]
    first = write_run(tmp_path / "a", trials)
    second = write_run(tmp_path / "b", [trial(turn=30, wall_ms=99.0)], started="2030-01-01T00:00:00Z", wall_s=77.0)

    assert render_baseline(make_baseline(load_run(first))) == render_baseline(make_baseline(load_run(second)))


@pytest.mark.parametrize("kind", ["unended", "failed"])
def test_an_incomplete_run_is_not_frozen(tmp_path: Path, kind: str) -> None:
    """A baseline with holes would let regressions pass."""
    failure = UnitFailure(scenario="actor-not-mutex", variant="naive", seed=0, error="boom")
    changes = {"ended": None, "completed": 0} if kind == "unended" else {"failed": [failure]}
    run = write_run(tmp_path / "run", [trial()], **changes)

    with pytest.raises(InputError, match=r"not complete.*--resume"):
        make_baseline(load_run(run))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "not valid JSON"),
        ("[]", "not a JSON object"),
        ('{"schema": 1}', "is not a baseline file"),
        ('{"schema": 9, "kind": "baseline"}', "schema 9"),
        ('{"schema": 1, "kind": "baseline"}', "field required"),
    ],
)
def test_a_file_that_is_no_baseline_is_refused_in_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    """The line names the file and what is wrong with it."""
    file = tmp_path / "baseline.json"
    file.write_text(text)

    with pytest.raises(InputError) as caught:
        load_baseline(file)

    assert complaint in caught.value.line()
    assert str(file) in caught.value.line()


def test_a_missing_baseline_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    """A run directory given by mistake gets the command that freezes it."""
    with pytest.raises(InputError, match="no such baseline file"):
        load_baseline(tmp_path / "none.json")
    with pytest.raises(InputError, match="backslide baseline"):
        load_baseline(tmp_path)


def test_a_trial_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """A badly merged file must not decide by its last line."""
    file = frozen(tmp_path)
    document = json.loads(file.read_text())
    document["trials"].append(document["trials"][0])
    file.write_text(json.dumps(document))

    with pytest.raises(InputError, match="twice"):
        load_baseline(file)
