"""Whole runs: order, repetition, resuming, failing, interrupting."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tiny import Watcher, tiny, variant_file

from backslide.evals import runner
from backslide.evals.records import Trial
from backslide.evals.runner import RunConfig, RunOutcome, dry_run, run
from backslide.evals.store import RunReader
from backslide.evals.unit import UnitSpec
from backslide.evals.workers import Happening, Started, run_units
from backslide.harness.errors import InputError, ModelError
from backslide.scenarios import Scenario

FILES = ("trials.jsonl", "payloads.jsonl", "compactions.jsonl")
SHORT = {"turns": 6}


@pytest.fixture
def scenarios(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Scenario]:
    """Two tiny scenarios in place of the corpus."""
    chosen = [tiny(tmp_path, name="one", **SHORT), tiny(tmp_path, name="two", **SHORT)]

    def resolve(patterns: Sequence[str], _tags: Sequence[str]) -> list[Scenario]:
        return [scenario for scenario in chosen if not patterns or scenario.id in patterns]

    monkeypatch.setattr(runner, "resolve", resolve)
    return chosen


@pytest.fixture
def config(scenarios: list[Scenario], tmp_path: Path) -> RunConfig:
    """Two scenarios under two variants in this process."""
    variants = [variant_file(tmp_path, "handoff"), variant_file(tmp_path, "trim")]
    return RunConfig(variants=variants, concurrency=1, out=tmp_path / "run")


def go(config: RunConfig, watcher: Watcher | None = None) -> RunOutcome:
    return run(config, watcher or Watcher())


def stored(folder: Path) -> dict[str, str]:
    """The record files without the times in them."""
    return {name: re.sub(r'"wall_ms":[0-9.]+', "", (folder / name).read_text()) for name in FILES}


def ids(folder: Path) -> list[str]:
    return [trial.id for trial in RunReader(folder).iter_trials()]


def manifest(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return document


UNITS = [("one", "handoff", 0), ("one", "trim", 0), ("two", "handoff", 0), ("two", "trim", 0)]


def test_a_run_is_stored_in_the_plans_order(config: RunConfig) -> None:
    """Scenario, variant, seed, turn; the manifest has the totals and is closed; the listener heard everything."""
    watcher = Watcher()
    outcome = go(config, watcher)

    assert ids(outcome.run_dir) == [
        f"{scenario}/{variant}/s0/{probe}"
        for scenario, variant, _ in UNITS
        for probe in ("keep-report@3", "keep-report@6", "sort-rows@6")
    ]
    assert watcher.units == 4
    assert watcher.started == watcher.finished == UNITS
    assert [trial.id for trial in watcher.trials] == ids(outcome.run_dir)
    document = manifest(outcome.run_dir)
    assert (document["units"], document["completed"], document["failed"]) == (4, 4, [])
    assert document["ended"] is not None
    assert [(s["scenario"], s["variant"], s["seed"]) for s in document["sessions"]] == UNITS
    assert not outcome.interrupted
    assert RunReader(outcome.run_dir).problems == []


@pytest.mark.parametrize("concurrency", [1, 2])
def test_two_runs_are_equal_byte_for_byte(concurrency: int, config: RunConfig, tmp_path: Path) -> None:
    """Apart from times, in one process and in several."""
    first = go(replace(config, out=tmp_path / "a"))
    second = go(replace(config, out=tmp_path / "b", concurrency=concurrency))

    assert stored(first.run_dir) == stored(second.run_dir)
    assert first.manifest.sessions == second.manifest.sessions
    main = [path.name for path in sorted((tmp_path / "a" / "sessions").iterdir()) if "@" not in path.name]
    assert len(main) == 4
    for name in main:
        assert (tmp_path / "a" / "sessions" / name).read_bytes() == (tmp_path / "b" / "sessions" / name).read_bytes()


def test_the_order_of_finishing_plays_no_part(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records are stored as they arise and stand in the plan's order in the end."""
    whole = stored(go(replace(config, out=tmp_path / "whole")).run_dir)

    def backwards(specs: Sequence[UnitSpec], indices: Sequence[int], *_others: object) -> Iterator[Happening]:
        yield from (Started(index) for index in indices)
        for index in reversed(indices):
            yield from (happening for happening in run_units(specs, [index], 1) if not isinstance(happening, Started))

    monkeypatch.setattr(runner, "run_units", backwards)
    watcher = Watcher()
    outcome = go(config, watcher)

    assert stored(outcome.run_dir) == whole
    assert watcher.finished == UNITS[::-1]
    assert watcher.trials[0].scenario == "two"
    assert [(s.scenario, s.variant, s.seed) for s in outcome.manifest.sessions] == UNITS


def test_seeds_are_units_of_their_own(config: RunConfig) -> None:
    """Innermost in the order."""
    outcome = go(replace(config, scenarios=["one"], variants=config.variants[:1], seeds=3))

    assert [(s.scenario, s.variant, s.seed) for s in outcome.manifest.sessions] == [
        ("one", "handoff", n) for n in range(3)
    ]
    assert outcome.manifest.seeds == [0, 1, 2]


def cut_off(folder: Path, units: int) -> None:
    """Make a finished run look as if it had been killed after so many units, in the middle of the next one."""
    document = manifest(folder)
    kept = {(s["scenario"], s["variant"], s["seed"]) for s in document["sessions"][:units]}
    document.update(sessions=document["sessions"][:units], completed=units, ended=None, wall_s=None)
    (folder / "run.json").write_text(json.dumps(document))
    for name in FILES:
        lines = (folder / name).read_text().splitlines(keepends=True)
        keys = [(record["scenario"], record["variant"], record["seed"]) for record in map(json.loads, lines)]
        done = [line for line, key in zip(lines, keys, strict=True) if key in kept]
        (folder / name).write_text("".join([*done, *lines[len(done) : len(done) + 1]]))


@pytest.mark.parametrize("units", [0, 1, 3, 4])
def test_a_run_is_resumed_where_it_broke_off(units: int, config: RunConfig) -> None:
    """Units that are whole are kept, a begun one is done again, and the result is that of a run in one go."""
    whole = stored(go(config).run_dir)
    folder = config.out
    assert folder is not None
    cut_off(folder, units)
    started = manifest(folder)["started"]
    watcher = Watcher()
    outcome = go(replace(config, resume=True), watcher)

    assert watcher.started == UNITS[units:]
    assert stored(folder) == whole
    assert (outcome.manifest.completed, outcome.manifest.started) == (4, started)
    assert outcome.manifest.ended is not None


def test_a_torn_line_is_dropped_when_a_run_is_resumed(config: RunConfig) -> None:
    """A record that was being written when the machine went down."""
    whole = stored(go(config).run_dir)
    folder = config.out
    assert folder is not None
    cut_off(folder, 2)
    for name in FILES:
        with (folder / name).open("a") as file:
            file.write('{"schema":1,"scenario":"two","vari')
    go(replace(config, resume=True))

    assert stored(folder) == whole
    assert RunReader(folder).problems == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seeds": 2}, "the run was made with another seeds"),
        ({"scenarios": ["one"]}, "the run was made with another scenarios"),
        ({"executor": "oracle"}, "the run was made with another models"),
        ({"scale": 2.0}, "the run was made with another scale"),
        ({"variants": ["trim"]}, "the run was made with other variants"),
    ],
)
def test_another_configuration_is_not_resumed(change: dict[str, Any], message: str, config: RunConfig) -> None:
    """One line that says what differs; nothing of the run is lost."""
    before = stored(go(config).run_dir)
    folder = config.out
    assert folder is not None
    document = (folder / "run.json").read_bytes()
    with pytest.raises(InputError) as caught:
        go(replace(config, resume=True, **change))

    assert caught.value.line().startswith(f"{folder}: {message}; repeat the options of the first call")
    assert stored(folder) == before
    assert (folder / "run.json").read_bytes() == document


def test_other_sizes_under_the_same_name_are_not_resumed(config: RunConfig, tmp_path: Path) -> None:
    """A variant is what it does, not what it is called."""
    go(config)
    path = tmp_path / "trim.toml"
    path.write_text(path.read_text().replace("keep_turns = 2", "keep_turns = 1"))

    with pytest.raises(InputError, match="other variants"):
        go(replace(config, resume=True))


def test_resuming_nothing(config: RunConfig) -> None:
    """There has to be a run."""
    with pytest.raises(InputError, match="holds no run to resume; leave --resume out"):
        go(replace(config, resume=True))
    assert config.out is not None
    assert not config.out.exists()


def test_a_folder_that_holds_a_run_is_refused(config: RunConfig) -> None:
    """Nothing is written over."""
    before = stored(go(config).run_dir)

    with pytest.raises(InputError, match="the folder already holds a run; choose another --out, or continue it"):
        go(config)
    assert config.out is not None
    assert stored(config.out) == before


def test_a_folder_that_cannot_be_written(config: RunConfig, tmp_path: Path) -> None:
    """A file is in the way of the folder, or of its parent; no unit is started."""
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "file", tmp_path / "file" / "run"):
        watcher = Watcher()
        with pytest.raises(InputError, match=r"cannot be written \(.+\); choose another --out"):
            go(replace(config, out=out), watcher)
        assert watcher.started == []
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seeds": 0}, "--seeds: expected at least one seed, found 0"),
        ({"variants": ["handof"]}, "unknown variant 'handof'; did you mean 'handoff'?"),
        ({"executor": "sims"}, "unknown executor backend 'sims'; did you mean 'sim'?"),
        ({"summarizer": "sim:extra"}, "unknown summarizer backend 'sim:extra'; did you mean 'sim:extractive'?"),
        ({"scale": 0.0}, "expected a scale above 0"),
    ],
)
def test_bad_options_write_nothing(change: dict[str, Any], message: str, config: RunConfig) -> None:
    """They are found before the folder is made."""
    with pytest.raises(InputError) as caught:
        go(replace(config, **change))

    assert caught.value.line().startswith(message)
    assert config.out is not None
    assert not config.out.exists()


def failing_on(monkeypatch: pytest.MonkeyPatch, key: tuple[str, str, int], error: BaseException) -> None:
    """Let one unit end with an error after its first records."""
    from backslide.evals import unit, workers

    real = unit.drive

    async def drive(spec: unit.UnitSpec, sink: unit.Sink) -> Any:
        def watched(record: unit.Record) -> None:
            sink(record)
            if spec.key == key and isinstance(record, Trial):
                raise error

        return await real(spec, watched)

    monkeypatch.setattr(workers, "drive", drive)


def test_a_unit_that_fails_is_told_and_the_run_goes_on(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in the manifest with its error, no whole session, and is done again, in its place, when the run is resumed."""
    whole = stored(go(replace(config, out=tmp_path / "whole")).run_dir)
    watcher = Watcher()
    with monkeypatch.context() as patch:
        failing_on(patch, UNITS[1], ModelError("the backend is gone"))
        outcome = go(config, watcher)

    assert [(f.scenario, f.variant, f.error) for f in outcome.manifest.failed] == [
        ("one", "trim", "the backend is gone")
    ]
    assert watcher.failures == outcome.manifest.failed
    assert watcher.finished == [UNITS[0], *UNITS[2:]]
    assert outcome.manifest.completed == 3

    again = Watcher()
    resumed = go(replace(config, resume=True), again)
    assert again.started == [UNITS[1]]
    assert [trial.id for trial in again.trials] == ["one/trim/s0/keep-report@6", "one/trim/s0/sort-rows@6"]
    assert (resumed.manifest.completed, resumed.manifest.failed) == (4, [])
    assert [(s.scenario, s.variant, s.seed) for s in resumed.manifest.sessions] == UNITS
    assert stored(resumed.run_dir) == whole


def test_an_interrupt_leaves_a_run_that_can_be_resumed(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was finished is stored, the run is not closed, and resuming gives the run in one go."""
    whole = stored(go(replace(config, out=tmp_path / "whole")).run_dir)
    with monkeypatch.context() as patch:
        failing_on(patch, UNITS[2], KeyboardInterrupt())
        outcome = go(config)

    assert outcome.interrupted
    assert [(s.scenario, s.variant, s.seed) for s in outcome.manifest.sessions] == UNITS[:2]
    assert config.out is not None
    assert "the run did not end (2 of 4 units are complete)" in RunReader(config.out).problems[0]
    resumed = go(replace(config, resume=True))
    assert not resumed.interrupted
    assert stored(config.out) == whole


class Interrupting(Watcher):
    """Presses Ctrl-C when the second unit is done."""

    def unit_finished(self, scenario: str, variant: str, seed: int) -> None:
        super().unit_finished(scenario, variant, seed)
        if len(self.finished) == 2:
            os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_ends_a_run_with_workers_in_order(config: RunConfig, tmp_path: Path) -> None:
    """Its processes end with it, and resuming gives the run in one go."""
    import multiprocessing

    whole = stored(go(replace(config, out=tmp_path / "whole")).run_dir)
    outcome = go(replace(config, concurrency=2), Interrupting())

    assert outcome.interrupted
    assert multiprocessing.active_children() == []
    assert outcome.manifest.ended is None
    go(replace(config, resume=True))
    assert config.out is not None
    assert stored(config.out) == whole


def test_a_dry_run_says_what_a_run_would_do(config: RunConfig) -> None:
    """Units and trials exactly, requests and tokens at the most; nothing is written."""
    plan = dry_run(config)
    assert config.out is not None
    assert not config.out.exists()
    outcome = go(config)

    payloads = list(RunReader(outcome.run_dir).iter_payloads())
    assert (plan.units, plan.trials) == (4, len(ids(outcome.run_dir)))
    assert plan.tokens >= sum(payload.tokens for payload in payloads if payload.role == "executor")
    assert plan.requests >= sum(payload.role == "executor" for payload in payloads)


def test_a_run_without_a_folder_makes_one(config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under runs/, named by time."""
    monkeypatch.chdir(tmp_path)
    outcome = go(replace(config, out=None, scenarios=["one"]))

    assert outcome.run_dir.parent == Path("runs")
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{4}", outcome.run_dir.name)
    assert outcome.manifest.id == outcome.run_dir.name
