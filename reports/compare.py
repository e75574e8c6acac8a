"""A comparison for a terminal: totals side by side, the verdict in words, and the trials that end differently."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from backslide.evals.compare import Comparison, PairCount, PairDifference, TrialView
from backslide.reports.numbers import plural, signed
from backslide.reports.rows import SIMULATED, Row, summary_rows
from backslide.reports.table import measure_tables

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

_DIFFERENCES = {
    "Relapse rate": "relapse_rate",
    "Over-restriction rate": "over_restriction_rate",
    "Lifted rule stated": "stale",
    "Dropped unseen": "dropped_unseen",
    "Compactions": "compactions",
    "largest request": "peak_payload_tokens",
    "all requests": "total_input_tokens",
}


def compare_report(comparison: Comparison, width: int) -> Iterator[RenderableType]:
    """Yield the comparison for a terminal of `width` characters."""
    from rich.text import Text

    if comparison.simulated:
        yield Text(SIMULATED, style="bold")
    for note in comparison.notes:
        yield Text(note, style="yellow")
    yield Text()
    rows = [_with_difference(row, comparison) for row in summary_rows([comparison.a, comparison.b])]
    yield from measure_tables(rows, [comparison.name_a, comparison.name_b, "difference"], width)
    yield Text()
    yield Text(verdict_words(comparison), style="bold")
    if comparison.differing:
        yield Text(f"\nPairs that end differently: {len(comparison.differing)}", style="bold")
        for difference in comparison.differing:
            yield _pair(difference, comparison)
    if comparison.unpaired:
        yield Text("\nAnswered on one side only, not counted", style="bold")
        for difference in comparison.unpaired:
            sides = f"{comparison.name_a} {difference.a.outcome}, {comparison.name_b} {difference.b.outcome}"
            yield Text(f"{_place(difference)}: {sides}")


def verdict_words(comparison: Comparison) -> str:
    """Return the verdict in words that claim no more than the evidence holds."""
    a, b = comparison.name_a, comparison.name_b
    counts = (
        f"{_pair_words(comparison.relapse, 'relapse', 'probe', a, b)} "
        f"{_pair_words(comparison.over_restriction, 'are over-restricted', 'control probe', a, b)}"
    ).strip()
    if comparison.verdict == "undecided":
        return f"No verdict: live models answer differently every time, and this form only counts. {counts}"
    verdicts = {
        "a-better": f"{a} is better than {b} on these scenarios.",
        "b-better": f"{b} is better than {a} on these scenarios.",
        "mixed": "Neither is better: each fails where the other does not.",
        "no-difference": "No difference in what was forgotten or refused on these scenarios.",
    }
    return f"{verdicts[comparison.verdict]} {counts}{_beyond(comparison)}"


def _pair_words(found: PairCount, verb: str, noun: str, a: str, b: str) -> str:
    if not found.pairs:
        return ""
    pairs = plural(found.pairs, f"paired {noun}")
    if not found.only_a and not found.only_b:
        return f"Of {pairs} none differ ({found.both} {verb} on both sides)."
    return (
        f"Of {pairs} {found.only_a} {verb} under {a} only, {found.only_b} under {b} only and {found.both} under both."
    )


def _beyond(comparison: Comparison) -> str:
    """Say what the exact test allows beyond these scenarios."""
    p = comparison.relapse.p
    discordant = comparison.relapse.only_a + comparison.relapse.only_b
    if p is None or not discordant:
        return ""
    words = "" if p < 0.05 else "; too few discordant pairs to claim it for other scenarios"
    return f" These runs repeat exactly, so the counts are certain. Exact McNemar test: p = {p:.2g}{words}."


def _with_difference(row: Row, comparison: Comparison) -> Row:
    if row.heading:
        return row
    measure = _DIFFERENCES.get(row.label)
    value = comparison.differences.get(measure) if measure else None
    text = signed(value, rate=measure is not None and measure.endswith("_rate")) if measure else ""
    return Row(row.label, (*row.cells, text), (*row.tones, "plain"), row.indent)


def _place(difference: PairDifference) -> str:
    rule = difference.constraint or "no rule"
    seed = f", seed {difference.seed}" if difference.seed else ""
    return f"{difference.scenario}, {rule}, {difference.probe}, turn {difference.turn}{seed}"


def _pair(difference: PairDifference, comparison: Comparison) -> Text:
    from rich.text import Text

    text = Text(f"\n{_place(difference)}")
    sides = ((comparison.name_a, difference.a), (comparison.name_b, difference.b))
    for name, view in sides:
        bad = view.outcome in {"relapsed", "over-restricted"}
        text.append(f"\n  {name}: {view.outcome}", style="red" if bad else "green")
        text.append(f", cycle {view.cycle}; {view.where}")
        text.append(f"\n    “{view.said}”")
        text.append(f"\n    {_reference(view)}", style="dim")
    return text


def _reference(view: TrialView) -> str:
    return f"{view.trial}  {view.session}"
