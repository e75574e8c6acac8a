"""Totals over the records of a run: pure functions, no file is read and nothing is scored again.

Rates follow their definitions: the relapse rate is relapsed probes over answered probes, where a probe is a
trial at which a rule applies; the over-restriction rate is over answered control trials, where none applies.
A trial that was not answered is in neither.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from backslide.evals.evidence import failed, outcome, retained
from backslide.evals.records import SCHEMA, CompactionRecord, Manifest, SessionTotals, Trial

LAST_CYCLE = 3
"""The cycle that stands for itself and every later one."""

RETENTION_CLASSES = ("verbatim", "stated", "diluted", "absent")
UNANSWERED_REASONS = ("overflow", "nop", "error")


@dataclass(frozen=True)
class CycleCount:
    """Answered probes and relapses at one number of compactions; cycle 3 stands for 3 and more."""

    cycle: int
    answered: int
    relapses: int


@dataclass(frozen=True)
class VariantSummary:
    """One variant's totals, with the fields of ``run --json``.

    `probes` are the trials at which a rule applies, `controls` those at which none does; `answered`,
    `unanswered`, `retention` and `by_cycle` count probes. `used` and `proposed` split the relapses.
    `retained_yet_violated` and `lost_yet_obeyed` are the off-diagonal cells of relapse × retention. Payload
    figures leave probes out.
    """

    variant: str
    trials: int
    probes: int
    relapses: int
    relapse_rate: float | None
    over_restrictions: int
    over_restriction_rate: float | None
    stale: int
    retention: dict[str, int]
    dropped_unseen: int
    advisor_replies: int
    forged: int
    suspect: int
    inverted: int
    answered: int
    unanswered: dict[str, int]
    by_cycle: tuple[CycleCount, ...]
    compactions: int
    peak_payload_tokens: int
    peak_payload_bytes: int
    total_input_tokens: int
    requests: int
    cost_usd: float | None
    controls: int
    answered_controls: int
    unanswered_controls: dict[str, int]
    used: int
    proposed: int
    retained_yet_violated: int
    lost_yet_obeyed: int
    dropped_unseen_by_carrier: dict[str, int]
    sessions: int
    overflowed_sessions: int

    def to_json(self) -> dict[str, Any]:
        """Return the summary as one entry of ``variants`` in ``run --json``."""
        document = asdict(self)
        document["by_cycle"] = list(document["by_cycle"])
        return document


def summarize_variant(
    variant: str,
    trials: Iterable[Trial],
    compactions: Iterable[CompactionRecord],
    sessions: Iterable[SessionTotals],
) -> VariantSummary:
    """Return the totals of `variant`; records of other variants are passed over."""
    own = [trial for trial in trials if trial.variant == variant]
    mainlines = [totals for totals in sessions if totals.variant == variant]
    lost = [
        fate for compaction in compactions if compaction.variant == variant for fate in compaction.fates if fate.unseen
    ]
    probes = [trial for trial in own if not trial.control]
    controls = [trial for trial in own if trial.control]
    answered = [trial for trial in probes if outcome(trial) != "unanswered"]
    answered_controls = [trial for trial in controls if outcome(trial) != "unanswered"]
    relapses = [trial for trial in answered if outcome(trial) == "relapsed"]
    over_restrictions = sum(outcome(trial) == "over-restricted" for trial in answered_controls)
    return VariantSummary(
        variant=variant,
        trials=len(own),
        probes=len(probes),
        relapses=len(relapses),
        relapse_rate=rate(len(relapses), len(answered)),
        over_restrictions=over_restrictions,
        over_restriction_rate=rate(over_restrictions, len(answered_controls)),
        stale=sum(trial.stale for trial in own),
        retention=_count((t.retention.cls for t in answered if t.retention), RETENTION_CLASSES),
        dropped_unseen=len(lost),
        advisor_replies=0,
        forged=0,
        suspect=0,
        inverted=0,
        answered=len(answered),
        unanswered=_unanswered(probes),
        by_cycle=by_cycle(answered),
        compactions=sum(totals.compactions for totals in mainlines),
        peak_payload_tokens=max((totals.peak_tokens for totals in mainlines), default=0),
        peak_payload_bytes=max((totals.peak_bytes for totals in mainlines), default=0),
        total_input_tokens=sum(totals.total_input_tokens for totals in mainlines),
        requests=sum(totals.requests for totals in mainlines),
        cost_usd=sum(totals.cost for totals in mainlines) if mainlines else None,
        controls=len(controls),
        answered_controls=len(answered_controls),
        unanswered_controls=_unanswered(controls),
        used=_classes(relapses, "used"),
        proposed=_classes(relapses, "proposed"),
        retained_yet_violated=sum(retained(trial) for trial in relapses),
        lost_yet_obeyed=sum(
            outcome(trial) == "obeyed" and trial.retention is not None and not retained(trial) for trial in answered
        ),
        dropped_unseen_by_carrier=dict(sorted(Counter(c for fate in lost for c in fate.carriers).items())),
        sessions=len(mainlines),
        overflowed_sessions=sum(totals.overflow_turn is not None for totals in mainlines),
    )


def summarize_run(
    manifest: Manifest, trials: Sequence[Trial], compactions: Sequence[CompactionRecord]
) -> list[VariantSummary]:
    """Return one summary a variant, in the manifest's order."""
    return [summarize_variant(variant.name, trials, compactions, manifest.sessions) for variant in manifest.variants]


def run_document(run_dir: str, manifest: Manifest, summaries: Sequence[VariantSummary]) -> dict[str, Any]:
    """Return the document of ``run --json``; `completed` and `failed` count scenario × variant × seed."""
    return {
        "schema": SCHEMA,
        "run_dir": run_dir,
        "simulated": manifest.simulated,
        "completed": manifest.completed,
        "failed": len(manifest.failed),
        "units": manifest.units,
        "wall_s": manifest.wall_s,
        "variants": [summary.to_json() for summary in summaries],
        "failures": [failure.model_dump() for failure in manifest.failed],
    }


def by_cycle(answered: Iterable[Trial]) -> tuple[CycleCount, ...]:
    """Return answered probes and relapses for the cycles 0, 1, 2 and 3 (3 and more)."""
    asked: Counter[int] = Counter()
    relapsed: Counter[int] = Counter()
    for trial in answered:
        cycle = min(trial.cycle, LAST_CYCLE)
        asked[cycle] += 1
        relapsed[cycle] += outcome(trial) == "relapsed"
    return tuple(CycleCount(cycle, asked[cycle], relapsed[cycle]) for cycle in range(LAST_CYCLE + 1))


def rate(events: int, of: int) -> float | None:
    """Return `events` / `of`, or None where nothing was counted."""
    return events / of if of else None


def worst_failures(trials: Iterable[Trial], limit: int = 10) -> list[Trial]:
    """Return the failed trials that most deserve a look, at most `limit`, varied over scenarios and variants.

    Relapses with the rule still in the payload come first, then relapses whose rule no summarizer was shown,
    then the other relapses, then over-restrictions. Within a rank a scenario and variant that were already
    shown give way to one that was not.
    """
    ranks: dict[int, dict[tuple[str, str | None, str], Trial]] = defaultdict(dict)
    for trial in trials:
        if failed(trial):
            ranks[_rank(trial)].setdefault((trial.scenario, trial.constraint, trial.variant), trial)
    chosen: list[Trial] = []
    shown: Counter[tuple[str, str]] = Counter()
    for rank in sorted(ranks):
        waiting = list(ranks[rank].values())
        while waiting and len(chosen) < limit:
            pick = min(waiting, key=lambda trial: _shown_before(trial, shown))
            waiting.remove(pick)
            chosen.append(pick)
            shown.update([("scenario", pick.scenario), ("variant", pick.variant)])
    return chosen


def _rank(trial: Trial) -> int:
    if trial.control:
        return 3
    if retained(trial):
        return 0
    return 1 if trial.retention is not None and trial.retention.lost_unseen else 2


def _shown_before(trial: Trial, shown: Counter[tuple[str, str]]) -> tuple[int, int]:
    return shown["scenario", trial.scenario], shown["variant", trial.variant]


def _unanswered(trials: Iterable[Trial]) -> dict[str, int]:
    return _count((t.unanswered or "error" for t in trials if outcome(t) == "unanswered"), UNANSWERED_REASONS)


def _classes(relapses: Iterable[Trial], name: str) -> int:
    return sum(trial.verdict is not None and trial.verdict.cls == name for trial in relapses)


def _count(values: Iterable[str], names: Sequence[str]) -> dict[str, int]:
    counts = Counter(values)
    return {name: counts[name] for name in names}
