"""The ledger of advisor defects for a terminal: a row a defect, further figures, and the open question's answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from backslide.evals.ledger.model import Ledger, LedgerRow
from backslide.reports.numbers import count

if TYPE_CHECKING:
    from rich.console import RenderableType

_COLUMNS = (
    ("id", "left"),
    ("defect", "left"),
    ("measure", "left"),
    ("with it", "right"),
    ("repaired", "right"),
    ("original", "right"),
    ("", "left"),
)


def ledger_report(ledger: Ledger) -> Iterator[RenderableType]:
    """Yield what is simulated, the table, further figures, the answer to the open question, and the verdict."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    yield Text(
        "Simulated models: shown is that the mechanism of each defect exists here, and that the scorers see it.\n"
    )
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for name, justify in _COLUMNS:
        table.add_column(name, justify="right" if justify == "right" else "left", no_wrap=name in {"id", ""})
    for row in ledger.rows:
        table.add_row(
            row.id,
            row.defect,
            row.measure,
            _number(row.with_defect),
            _number(row.repaired_value),
            _number(row.seed_value),
            Text(_verdict(row), style="green" if row.ok else "bold red"),
        )
    yield table
    yield Text("\nBeside it", style="bold")
    for row in ledger.rows:
        for name, value in row.figures.items():
            yield Text(f"  {row.id:<4} {name.replace('_', ' ')}: {_shown(value)}")
    answer = ledger.artifacts
    yield Text("\nWould raw evidence have changed the advice?", style="bold")
    yield Text(
        f"  {count(answer.briefs)} briefs sent with and without excerpts of tool results "
        f"({count(answer.with_artifacts)} got any): the recommendation changed in {count(answer.redirected)}, "
        f"the wording in {count(answer.reworded)}."
    )
    missed = [row.id for row in ledger.rows if not row.ok]
    verdict = f"Not caught: {', '.join(missed)}." if missed else "All defects were caught or checked."
    yield Text(f"\n{verdict} ({ledger.wall_s:.0f} s)", style="bold red" if missed else "bold green")


def _verdict(row: LedgerRow) -> str:
    return "caught" if row.caught else "checked" if row.checked else "NOT CAUGHT"


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    if float(value).is_integer():
        return count(int(value))
    return f"{value:.4f}" if value > 0.99 and value < 1 else f"{value:.3g}"


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown, value))
    if isinstance(value, int | float) or value is None:
        return _number(value)
    return str(value)
