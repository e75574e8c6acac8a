"""A run that is killed with all its processes is continued without losing or repeating a stored trial."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from killing_runs import RunCall, records, survive_runs
from long_figures import record
from tiny import Watcher, document, variant_file

from backslide.evals.runner import RunConfig, run

TURNS = 20


@pytest.fixture
def call(tmp_path: Path) -> RunCall:
    """Two scenarios under two variants, probes at most turns, two units at a time."""
    arguments = ["--concurrency", "2"]
    for name in ("one", "two"):
        content = document(TURNS, name=name)
        content["probes"][0]["at"] = list(range(3, TURNS + 1))
        (tmp_path / f"{name}.yaml").write_text(json.dumps(content))
        arguments += ["--scenario", str(tmp_path / f"{name}.yaml")]
    for strategy in ("handoff", "trim"):
        arguments += ["--variant", variant_file(tmp_path, strategy)]
    return RunCall(tuple(arguments), tmp_path)


@pytest.fixture
def whole(call: RunCall, tmp_path: Path) -> dict[str, str]:
    """The records of the run in one go, made in this process."""
    names = call.arguments[2:]
    config = RunConfig(scenarios=names[1:4:2], variants=names[5::2], concurrency=1, out=tmp_path / "whole")
    return records(run(config, Watcher()).run_dir)


def test_three_kills_of_a_run(
    call: RunCall, whole: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its records equal those of a run in one go, apart from times; of each worker only the trial in flight is redone."""
    count = survive_runs(call, tmp_path, whole, 3, random.Random(2))

    with capsys.disabled():
        print(f"\n{count.line()}")
    assert count.kills == 3


@pytest.mark.long
def test_thirty_kills_of_a_run(
    call: RunCall, whole: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same, at many more moments."""
    count = survive_runs(call, tmp_path, whole, 30, random.Random(30))

    with capsys.disabled():
        print(f"\n{count.line()}")
    assert count.kept > 0
    record("Kills of `backslide run` with its processes", count.line(), "make test-long")
