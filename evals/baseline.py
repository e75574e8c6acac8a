"""A run frozen for the gate: one reviewable JSON file, one line a trial, without times."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, ValidationError

from backslide.evals.evidence import Outcome, outcome
from backslide.evals.loading import StoredRun
from backslide.evals.records import SCHEMA, Record, RelapseClass, RetentionClass, Trial
from backslide.evals.store import describe_validation
from backslide.harness.errors import InputError

KIND: Literal["baseline"] = "baseline"


class TrialOutcome(Record):
    """What became of one trial. `retention` is None where it was not scored."""

    id: str
    outcome: Outcome
    cls: Annotated[RelapseClass | None, Field(alias="class")]
    retention: RetentionClass | None
    cycle: int

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class UnseenLoss(Record):
    """One constraint that a compaction dropped without having shown it to a summarizer."""

    scenario: str
    variant: str
    seed: int
    constraint: str
    carriers: list[str]
    compaction: int


class PayloadTotals(Record):
    """What one main line sent; `peak_*` of one request, `total_input_tokens` of all of them."""

    scenario: str
    variant: str
    seed: int
    peak_tokens: int
    peak_bytes: int
    total_input_tokens: int
    requests: int
    compactions: int


class Baseline(Record):
    """A frozen run: the hashes that make it comparable, outcomes, unseen losses and payload totals."""

    schema_: Annotated[int, Field(alias="schema")] = SCHEMA
    kind: Literal["baseline"] = KIND
    run: str
    backslide: str
    harness_hash: str
    scorer_hash: str
    simulated: bool
    scale: float
    seeds: list[int]
    models: dict[str, str]
    scenarios: dict[str, str]
    variants: dict[str, str]
    trials: list[TrialOutcome]
    unseen_losses: list[UnseenLoss]
    payloads: list[PayloadTotals]

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


def make_baseline(run: StoredRun) -> Baseline:
    """Freeze `run`. Raises `InputError` if it did not end, or if a unit could not be completed."""
    manifest = run.manifest
    if manifest.ended is None or manifest.failed:
        missing = manifest.units - manifest.completed
        raise InputError(
            f"the run is not complete ({missing} of {manifest.units} units are missing)",
            where=str(run.path),
            mend=f"finish it with: backslide run --resume --out {run.path}",
        )
    return Baseline(
        run=manifest.id,
        backslide=manifest.backslide,
        harness_hash=manifest.harness_hash,
        scorer_hash=manifest.scorer_hash,
        simulated=manifest.simulated,
        scale=manifest.scale,
        seeds=manifest.seeds,
        models=manifest.models,
        scenarios=manifest.scenarios,
        variants={variant.name: variant.hash for variant in manifest.variants},
        trials=[trial_outcome(trial) for trial in run.trials],
        unseen_losses=unseen_losses(run),
        payloads=payload_totals(run),
    )


def trial_outcome(trial: Trial) -> TrialOutcome:
    """Return the frozen form of one trial."""
    return TrialOutcome(
        id=trial.id,
        outcome=outcome(trial),
        cls=trial.verdict.cls if trial.verdict else None,
        retention=trial.retention.cls if trial.retention else None,
        cycle=trial.cycle,
    )


def unseen_losses(run: StoredRun) -> list[UnseenLoss]:
    """Return every constraint that a compaction of the run dropped unseen, in the order of the store."""
    return [
        UnseenLoss(
            scenario=compaction.scenario,
            variant=compaction.variant,
            seed=compaction.seed,
            constraint=fate.constraint,
            carriers=fate.carriers,
            compaction=compaction.index,
        )
        for compaction in run.compactions
        for fate in compaction.fates
        if fate.unseen
    ]


def payload_totals(run: StoredRun) -> list[PayloadTotals]:
    """Return the payload totals of every main line."""
    names = tuple(PayloadTotals.model_fields)
    return [PayloadTotals(**{name: getattr(totals, name) for name in names}) for totals in run.manifest.sessions]


def render_baseline(baseline: Baseline) -> str:
    """Return the file's text: JSON with one line a trial, a loss and a payload total."""
    document = baseline.model_dump(mode="json", by_alias=True)
    parts = []
    for name, value in document.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            lines = ",\n".join(f"    {_line(item)}" for item in value)
            parts.append(f"  {json.dumps(name)}: [\n{lines}\n  ]")
        elif isinstance(value, dict) and value:
            lines = ",\n".join(f"    {_line(key)}: {_line(item)}" for key, item in value.items())
            parts.append(f"  {json.dumps(name)}: {{\n{lines}\n  }}")
        else:
            parts.append(f"  {json.dumps(name)}: {_line(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write_baseline(baseline: Baseline, path: Path) -> None:
    """Write the baseline file as a whole. Raises `InputError` if it cannot be written."""
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        temporary.write_text(render_baseline(baseline), encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", where=str(path)) from error


def load_baseline(path: Path) -> Baseline:
    """Read a baseline file. Raises `InputError` for a missing or corrupt one, or one of another schema."""
    document = _read_object(path)
    if document.get("kind") != KIND:
        raise InputError(
            "is not a baseline file", where=str(path), mend="make one with: backslide baseline RUN -o FILE"
        )
    if document.get("schema") != SCHEMA:
        raise InputError(f"has schema {document.get('schema')!r}; this version reads schema {SCHEMA}", where=str(path))
    try:
        baseline = Baseline.model_validate(document)
    except ValidationError as error:
        raise InputError(describe_validation(error), where=str(path)) from error
    twice = _repeated(item.id for item in baseline.trials)
    if twice is not None:
        raise InputError(f"names the trial {twice} twice", where=str(path), mend="write the baseline again")
    return baseline


def _read_object(path: Path) -> dict[str, Any]:
    if path.is_dir():
        raise InputError(
            "is a folder, not a baseline file",
            where=str(path),
            mend=f"freeze a run first: backslide baseline {path} -o baseline.json",
        )
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("no such baseline file", where=str(path)) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from error
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise InputError("is not valid JSON", where=f"{path}:{line}" if line else str(path)) from error
    if not isinstance(document, dict):
        raise InputError("is not a JSON object", where=str(path))
    return document


def _repeated(names: Iterable[str]) -> str | None:
    return next((name for name, count in Counter(names).items() if count > 1), None)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
