"""The self-check for a terminal: every control, the cross table of the two measures, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from backslide.evals.selfcheck import SelfcheckReport
from backslide.reports.numbers import count, fraction

if TYPE_CHECKING:
    from rich.console import RenderableType

_NAMED = 5


def selfcheck_report(report: SelfcheckReport) -> Iterator[RenderableType]:
    """Yield one line a control, failures first named under it, then relapse × retention, then the verdict."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for name in ("scenario", "control", "as it must be"):
        table.add_column(name, justify="right" if name == "as it must be" else "left")
    for row in report.rows:
        style = "green" if row.ok else "bold red"
        subject = Text(row.subject)
        for failure in row.failures[:_NAMED]:
            subject.append(f"\n  {failure}", style="red")
        if len(row.failures) > _NAMED:
            subject.append(f"\n  and {len(row.failures) - _NAMED} more", style="red")
        table.add_row(Text(row.scenario), subject, Text(fraction(row.passed, row.expected), style=style))
    yield table
    yield Text("\nAnswers while a rule holds, by the rule's presence in the payload", style="bold")
    yield Text(f"  {'executor':<20} {'literal':>8} {'noisy':>8}")
    for name, number in report.cells.items():
        yield Text(f"  {name:<20} {count(number):>8} {count(report.noisy_cells[name]):>8}")
    for problem in report.problems:
        yield Text(problem, style="bold red")
    verdict = (
        "All controls were scored as they must be." if report.ok else "Some controls were not scored as they must be."
    )
    yield Text(f"\n{verdict}", style="bold green" if report.ok else "bold red")
