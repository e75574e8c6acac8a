"""The rows of the run table, the same for terminal and Markdown: measures down, variants across."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from backslide.evals.aggregate import LAST_CYCLE, RETENTION_CLASSES, VariantSummary
from backslide.evals.evidence import outcome
from backslide.evals.records import Trial
from backslide.reports.numbers import NOTHING, count, fraction, share

Tone = Literal["good", "bad", "warn", "plain"]

SIMULATED = "Simulated models: measures whether information survives, not whether a model obeys."

LEGEND = (
    "Relapse: the reply uses or proposes what the user had ruled out; of the answered probes.",
    "Over-restriction: the reply refuses or avoids what no rule forbids; of the answered control probes.",
    "Retention: how a probe's payload states the rule; diluted keeps the subject and loses the rejection.",
    "Dropped unseen: rules that a compaction removed without having shown them to any summarizer.",
    "Payload: tokens of the requests of the main lines, the largest one and all together.",
)


@dataclass(frozen=True)
class Row:
    """One measure: its label, one cell a variant, and each cell's tone. A heading has no cells."""

    label: str
    cells: tuple[str, ...] = ()
    tones: tuple[Tone, ...] = ()
    indent: int = 0

    @property
    def heading(self) -> bool:
        """Return whether this row only names the rows below it."""
        return not self.cells


def summary_rows(summaries: Sequence[VariantSummary], trials: Sequence[Trial] = ()) -> list[Row]:
    """Return every row of the run table; with `trials`, relapses by scenario too."""
    return [
        *_relapse_rows(summaries),
        *_scenario_rows(summaries, trials),
        *_other_rows(summaries),
        *_retention_rows(summaries),
        *_payload_rows(summaries),
    ]


def _relapse_rows(summaries: Sequence[VariantSummary]) -> Iterator[Row]:
    yield Row(
        "Relapse rate",
        tuple(share(s.relapses, s.answered) for s in summaries),
        tuple(_failures(s.relapses, s.answered) for s in summaries),
    )
    for cycle in range(LAST_CYCLE + 1):
        counts = [s.by_cycle[cycle] for s in summaries]
        name = f"{cycle}+" if cycle == LAST_CYCLE else str(cycle)
        noun = "compaction" if cycle == 1 else "compactions"
        yield Row(
            f"after {name} {noun}",
            tuple(fraction(c.relapses, c.answered) for c in counts),
            tuple(_failures(c.relapses, c.answered) for c in counts),
            indent=1,
        )


def _scenario_rows(summaries: Sequence[VariantSummary], trials: Sequence[Trial]) -> Iterator[Row]:
    answered: Counter[tuple[str, str]] = Counter()
    relapsed: Counter[tuple[str, str]] = Counter()
    for trial in trials:
        if not trial.control and outcome(trial) != "unanswered":
            answered[trial.scenario, trial.variant] += 1
            relapsed[trial.scenario, trial.variant] += outcome(trial) == "relapsed"
    scenarios = list(dict.fromkeys(trial.scenario for trial in trials if not trial.control))
    if len(scenarios) < 2:
        return
    yield Row("Relapses by scenario")
    for scenario in scenarios:
        keys = [(scenario, summary.variant) for summary in summaries]
        yield Row(
            scenario,
            tuple(fraction(relapsed[key], answered[key]) for key in keys),
            tuple(_failures(relapsed[key], answered[key]) for key in keys),
            indent=1,
        )


def _other_rows(summaries: Sequence[VariantSummary]) -> Iterator[Row]:
    yield Row(
        "Over-restriction rate",
        tuple(share(s.over_restrictions, s.answered_controls) for s in summaries),
        tuple(_failures(s.over_restrictions, s.answered_controls) for s in summaries),
    )
    yield Row(
        "Lifted rule stated",
        tuple(count(s.stale) for s in summaries),
        tuple("warn" if s.stale else "plain" for s in summaries),
        indent=1,
    )
    yield _counts("Answered", [s.answered + s.answered_controls for s in summaries])
    for reason, label in (
        ("overflow", "overflow"),
        ("nop", "empty reply"),
        ("error", "not completed"),
    ):
        missing = [s.unanswered[reason] + s.unanswered_controls[reason] for s in summaries]
        if any(missing) or reason == "overflow":
            yield _counts(f"unanswered: {label}", missing, tone="warn", indent=1)


def _retention_rows(summaries: Sequence[VariantSummary]) -> Iterator[Row]:
    yield Row("Retention")
    for name in RETENTION_CLASSES:
        yield _counts(name, [s.retention[name] for s in summaries], indent=1)
    yield _counts("stated, yet violated", [s.retained_yet_violated for s in summaries], tone="bad", indent=1)
    yield _counts("Dropped unseen", [s.dropped_unseen for s in summaries], tone="bad")


def _payload_rows(summaries: Sequence[VariantSummary]) -> Iterator[Row]:
    yield _counts("Compactions", [s.compactions for s in summaries])
    yield Row("Payload, tokens")
    yield _counts("largest request", [s.peak_payload_tokens for s in summaries], indent=1)
    yield _counts("all requests", [s.total_input_tokens for s in summaries], indent=1)
    if any(s.cost_usd for s in summaries):
        yield Row("Cost, USD", tuple(NOTHING if s.cost_usd is None else f"{s.cost_usd:.2f}" for s in summaries))


def _counts(label: str, values: Iterable[int], *, tone: Tone = "plain", indent: int = 0) -> Row:
    values = tuple(values)
    return Row(
        label,
        tuple(count(value) for value in values),
        tuple(tone if value else "plain" for value in values),
        indent,
    )


def _failures(events: int, of: int) -> Tone:
    return "plain" if not of else "bad" if events else "good"
