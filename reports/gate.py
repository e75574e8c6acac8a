"""The gate's verdict for a terminal: what failed, with scenario, turn, payload and sentence, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from backslide.evals.changes import Change, Kind
from backslide.evals.gate import GateResult, GateVerdict
from backslide.reports.numbers import count, percent, plural
from backslide.reports.rows import SIMULATED

if TYPE_CHECKING:
    from rich.text import Text

KIND_NAMES: Mapping[Kind, str] = {
    "relapse": "relapse",
    "over-restriction": "over-restriction",
    "lost-constraint": "constraint lost from the payload",
    "unanswered": "answered no more",
    "unseen-loss": "constraint dropped unseen",
    "payload-peak": "largest payload",
    "payload-total": "total payload",
}
"""What each kind of change is called; on the better side it is what went away."""

_STYLES: Mapping[GateVerdict, str] = {
    "pass": "bold green",
    "regression": "bold red",
    "incomplete": "bold yellow",
    "incomparable": "bold yellow",
}


def gate_report(result: GateResult, baseline: str) -> Iterator[Text]:
    """Yield the verdict, the regressions, the improvements, and the command that renews the baseline."""
    from rich.text import Text

    if result.simulated:
        yield Text(SIMULATED, style="bold")
    yield Text.assemble((headline(result), _STYLES[result.verdict]))
    for reason in result.reasons:
        yield Text(f"  {reason}")
    for change in result.regressions:
        yield _change(change, style="red")
    for title, names in (
        ("New scenarios, not judged", result.new_scenarios),
        ("Scenarios of the baseline that were not run", result.removed_scenarios),
        ("New variants, not judged", result.new_variants),
        ("Variants whose configuration has changed", result.changed_variants),
    ):
        if names:
            yield Text(f"{title}: {', '.join(names)}", style="dim")
    if result.improvements:
        yield Text(f"Better than the baseline ({len(result.improvements)}):", style="green")
        for change in result.improvements:
            yield _change(change, style="green")
    if result.verdict != "pass" or result.improvements:
        yield Text(f"If this is as intended: backslide baseline {result.run_dir} -o {baseline}", style="dim")


def headline(result: GateResult) -> str:
    """Return the verdict in one line."""
    checked = f"{plural(result.checked, 'trial')} checked against run {result.baseline_run}"
    if result.verdict == "pass":
        return f"PASS: no regression; {checked}; payloads within +{percent(result.policy.payload_growth)}"
    if result.verdict == "regression":
        return f"REGRESSION: {plural(len(result.regressions), 'finding')}; {checked}"
    if result.verdict == "incomplete":
        return f"INCOMPLETE: neither pass nor fail; {checked}, but some could not be completed"
    return f"NOT COMPARABLE with the baseline of run {result.baseline_run}"


def change_place(change: Change) -> str:
    """Return where a change happened: variant, scenario, constraint, probe, turn, cycle."""
    parts: Sequence[str | None] = (
        f"{change.variant}: {change.scenario}",
        change.constraint,
        change.probe,
        None if change.turn is None else f"turn {change.turn}",
        None if change.cycle is None else f"cycle {change.cycle}",
        f"seed {change.seed}" if change.seed else None,
    )
    return ", ".join(part for part in parts if part)


def _change(change: Change, style: str) -> Text:
    from rich.text import Text

    text = Text.assemble(
        ("\n" if style == "red" else "", ""),
        (KIND_NAMES[change.kind], style),
        f"  {change_place(change)}\n    {change.before} → {change.now}",
    )
    if style == "green":
        return text
    if change.said:
        text.append(f"\n    it said: “{change.said}”")
    if change.where:
        payload = f"; payload {count(change.payload_tokens)} tokens" if change.payload_tokens else ""
        text.append(f"\n    the rule: {change.where}{payload}")
    if change.session:
        text.append(f"\n    session: {change.session}\n    trial: {change.trial}", style="dim")
    return text
