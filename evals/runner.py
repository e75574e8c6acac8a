"""The runner: scenarios × variants × seeds, records stored as they arise and at the end in the plan's order."""

from __future__ import annotations

import os
import platform
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Protocol

from backslide import __version__
from backslide.evals.arrangement import Unit
from backslide.evals.backends import check_backends, is_simulated
from backslide.evals.faults import FaultProfile, load_faults
from backslide.evals.records import (
    CompactionRecord,
    Manifest,
    PayloadRecord,
    RuleSentence,
    SessionTotals,
    Trial,
    UnitFailure,
    VariantInfo,
)
from backslide.evals.store import RunReader, RunWriter
from backslide.evals.unit import Record, UnitSpec, due_probes
from backslide.evals.variants import Variant, builtin_variants, resolve_variants
from backslide.evals.versions import harness_hash, scorer_hash, system_hash
from backslide.evals.workers import Happening, Produced, Started, plan_all, run_units, warm_up
from backslide.harness.errors import InputError
from backslide.scenarios import Scenario, resolve, scenario_hash


@dataclass(frozen=True)
class RunConfig:
    """What to run. No scenarios means all, no variants means the built-in ones; `concurrency` 0 means one per core."""

    scenarios: Sequence[str] = ()
    tags: Sequence[str] = ()
    variants: Sequence[str] = ()
    seeds: int = 1
    concurrency: int = 0
    out: Path | None = None
    scale: float = 1.0
    resume: bool = False
    executor: str = "sim"
    summarizer: str = "sim"
    faults: str | None = None
    """A profile of `backslide.evals.faults`: what goes wrong on the main lines."""
    command: Sequence[str] = ()


@dataclass(frozen=True)
class RunOutcome:
    """Where the run is, and whether it was interrupted."""

    run_dir: Path
    manifest: Manifest
    interrupted: bool


@dataclass(frozen=True)
class PlanSummary:
    """What a run would do: units, trials, requests, and the input tokens that the main lines would send at the most."""

    units: int
    trials: int
    requests: int
    tokens: int


class ProgressListener(Protocol):
    """Who wants to know how a run goes."""

    def start(self, units: int) -> None:
        """So many units will run."""
        ...

    def unit_started(self, scenario: str, variant: str, seed: int) -> None:
        """A unit has begun."""
        ...

    def trial(self, trial: Trial) -> None:
        """A trial is done."""
        ...

    def unit_finished(self, scenario: str, variant: str, seed: int) -> None:
        """A unit is done."""
        ...

    def failed(self, failure: UnitFailure) -> None:
        """A unit could not be completed."""
        ...


def run(config: RunConfig, progress: ProgressListener) -> RunOutcome:
    """Run everything that `config` names and store it.

    Raises `InputError` for unknown names, bad files and a folder that cannot take the run, before anything is written.
    An interrupt ends the run in order: what was finished is stored, and `interrupted` says so.
    """
    if _concurrency(config) > 1:
        warm_up()
    prepared = _prepare(config)
    run_dir = config.out or Path("runs") / run_id()
    writer = RunWriter(run_dir, resume=config.resume)
    with writer:
        return _Run(config, prepared, run_dir, writer, progress).go()


def dry_run(config: RunConfig) -> PlanSummary:
    """Return what a run would do, without running its variants.

    The tokens are those of main lines that always send a full window: an upper bound.
    """
    prepared = _prepare(config)
    trials = requests = tokens = 0
    for spec in prepared.specs(None):
        asked = sum(len(probes) for probes in due_probes(spec.scenario, spec.plan).values())
        steps = sum(1 for turn in spec.scenario.turns for step in turn.steps if hasattr(step, "calls"))
        trials += asked
        requests += asked + steps + len(spec.plan)
        tokens += (asked + steps) * round(spec.variant.compaction.window * spec.scale)
    return PlanSummary(len(prepared.specs(None)), trials, requests, tokens)


def run_id() -> str:
    """Return a fresh id: the time in UTC and four random hex digits."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


@dataclass(frozen=True)
class _Prepared:
    config: RunConfig
    scenarios: list[Scenario]
    variants: list[Variant]
    plans: dict[str, tuple[int, ...]]
    faults: FaultProfile | None = None

    def specs(self, sessions: Path | None) -> list[UnitSpec]:
        """Return the units in the plan's order: scenario, then variant, then seed."""
        return [
            UnitSpec(
                scenario,
                variant,
                seed,
                self.plans[scenario.id],
                executor=self.config.executor,
                summarizer=self.config.summarizer,
                scale=self.config.scale,
                sessions=sessions,
                faults=self.faults,
            )
            for scenario, variant, seed in product(self.scenarios, self.variants, range(self.config.seeds))
        ]


def _concurrency(config: RunConfig) -> int:
    return config.concurrency or os.cpu_count() or 1


def _prepare(config: RunConfig) -> _Prepared:
    if config.seeds < 1:
        raise InputError(f"expected at least one seed, found {config.seeds}", where="--seeds")
    check_backends(config.executor, config.summarizer)
    variants = resolve_variants(list(config.variants) or builtin_variants())
    scenarios = resolve(config.scenarios, config.tags)
    plans = plan_all(scenarios, config.scale, _concurrency(config))
    faults = load_faults(config.faults) if config.faults is not None else None
    return _Prepared(config, scenarios, variants, plans, faults)


class _Run:
    """One run under way."""

    def __init__(
        self,
        config: RunConfig,
        prepared: _Prepared,
        run_dir: Path,
        writer: RunWriter,
        progress: ProgressListener,
    ) -> None:
        self._config = config
        self._prepared = prepared
        self._dir = run_dir
        self._writer = writer
        self._progress = progress
        self._specs = prepared.specs(writer.sessions)
        self._order = {spec.key: index for index, spec in enumerate(self._specs)}
        self._started = time.monotonic()
        self._manifest = self._first_manifest()

    def go(self) -> RunOutcome:
        todo = self._todo()
        self._writer.write_manifest(self._manifest)
        self._progress.start(len(todo))
        concurrency = _concurrency(self._config)
        interrupted = False
        happenings = run_units(self._specs, todo, concurrency, self._take)
        try:
            for happening in happenings:
                self._note(happening)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            happenings.close()
        self._writer.arrange(self._order)
        if not interrupted:
            self._update(ended=_now(), wall_s=round(time.monotonic() - self._started, 3))
        return RunOutcome(self._dir, self._manifest, interrupted)

    def _note(self, happening: Happening) -> None:
        key = self._specs[happening.index].key
        if isinstance(happening, Started):
            self._progress.unit_started(*key)
        elif isinstance(happening, Produced):
            self._take(happening.index, happening.record)
        elif happening.totals is not None:
            sessions = [*self._manifest.sessions, happening.totals]
            self._update(sessions=sorted(sessions, key=lambda of: self._order[of.scenario, of.variant, of.seed]))
            self._progress.unit_finished(*key)
        else:
            scenario, variant, seed = key
            error = happening.error or "unknown"
            failure = UnitFailure(scenario=scenario, variant=variant, seed=seed, error=error)
            failed = [*self._manifest.failed, failure]
            self._update(failed=sorted(failed, key=lambda of: self._order[of.scenario, of.variant, of.seed]))
            self._progress.failed(failure)

    def _take(self, _index: int, record: Record) -> None:
        """Store a record."""
        if isinstance(record, Trial):
            self._writer.append_trial(record)
            self._progress.trial(record)
        elif isinstance(record, PayloadRecord):
            self._writer.append_payload(record)
        elif isinstance(record, CompactionRecord):
            self._writer.append_compaction(record)

    def _update(self, **fields: object) -> None:
        self._manifest = self._manifest.model_copy(update={**fields})
        self._manifest = self._manifest.model_copy(update={"completed": len(self._manifest.sessions)})
        self._writer.write_manifest(self._manifest)

    def _todo(self) -> list[int]:
        """Return the units that are not stored whole.

        Of those that an interrupted run has begun, the trials are kept if driving them again gives the same session;
        the rest of what it left of them is dropped.
        """
        if not self._config.resume:
            return list(range(len(self._specs)))
        before = RunReader(self._dir).manifest
        _same_run(before, self._manifest, self._dir)
        done = {(totals.scenario, totals.variant, totals.seed): totals for totals in before.sessions}
        asked = {trial for trial in self._writer.asked() if self._is_repeatable(trial[0])}
        self._writer.keep_only(done, asked)
        for index, spec in enumerate(self._specs):
            answered = frozenset((probe, turn) for unit, probe, turn in asked if unit == spec.key)
            self._specs[index] = replace(spec, answered=answered)
        self._manifest = self._manifest.model_copy(
            update={
                "id": before.id,
                "started": before.started,
                "sessions": before.sessions,
                "completed": len(done),
            }
        )
        return [index for index, spec in enumerate(self._specs) if spec.key not in done]

    def _is_repeatable(self, unit: Unit) -> bool:
        """Return whether a unit driven again gives the same session, so that the trials on it stay true."""
        index = self._order.get(unit)
        return self._manifest.simulated and index is not None and self._specs[index].variant.compactor is None

    def _first_manifest(self) -> Manifest:
        config, prepared = self._config, self._prepared
        return Manifest(
            id=self._dir.name,
            backslide=__version__,
            harness_hash=harness_hash(),
            system_hash=system_hash(),
            scorer_hash=scorer_hash(),
            command=list(config.command),
            scenarios={scenario.id: scenario_hash(scenario) for scenario in prepared.scenarios},
            rules={scenario.id: list(rule_sentences(scenario)) for scenario in prepared.scenarios},
            variants=[VariantInfo(name=v.name, hash=v.hash, config=v.config) for v in prepared.variants],
            seeds=list(range(config.seeds)),
            models={"executor": config.executor, "summarizer": config.summarizer, **_fault_model(prepared.faults)},
            simulated=is_simulated(config.executor, config.summarizer),
            scale=config.scale,
            plan={scenario: list(turns) for scenario, turns in prepared.plans.items()},
            units=len(self._specs),
            started=_now(),
            ended=None,
            completed=0,
            failed=[],
            sessions=[],
            wall_s=None,
            machine={
                "python": platform.python_version(),
                "system": platform.system(),
                "cpus": os.cpu_count(),
            },
        )


def rule_sentences(scenario: Scenario) -> Iterator[RuleSentence]:
    """Yield where the rules of a scenario are planted and lifted."""
    for rule in scenario.constraints:
        for plant in rule.planted:
            carrier = f"{plant.speaker}, {plant.carrier}"
            yield RuleSentence(constraint=rule.id, turn=plant.turn, carrier=carrier, text=plant.text)
        if rule.lifted is not None:
            yield RuleSentence(constraint=rule.id, turn=rule.lifted.turn, carrier="lifted", text=rule.lifted.text)


def _fault_model(faults: FaultProfile | None) -> dict[str, str]:
    """Return how the manifest names the faults: scripted replies that come before the models'."""
    return {} if faults is None else {"faults": f"script:{faults.text()}"}


def _same_run(before: Manifest, now: Manifest, where: Path) -> None:
    """Raise `InputError` if a run cannot be continued because what it depends on has changed."""
    for name in ("harness_hash", "system_hash", "scorer_hash", "scenarios", "seeds", "models", "scale", "plan"):
        if getattr(before, name) != getattr(now, name):
            raise InputError(
                f"the run was made with another {name.replace('_', ' ')}",
                where=str(where),
                mend="repeat the options of the first call, or start a new run",
            )
    if {v.name: v.hash for v in before.variants} != {v.name: v.hash for v in now.variants}:
        raise InputError(
            "the run was made with other variants",
            where=str(where),
            mend="repeat the options of the first call",
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


__all__ = [
    "PlanSummary",
    "ProgressListener",
    "RunConfig",
    "RunOutcome",
    "SessionTotals",
    "dry_run",
    "run",
    "run_id",
]
