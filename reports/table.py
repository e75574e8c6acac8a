"""The run table for a terminal: measures down, variants across, in as many tables as the width needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from backslide.evals.aggregate import worst_failures
from backslide.evals.loading import StoredRun
from backslide.reports.failures import failure_texts
from backslide.reports.numbers import plural
from backslide.reports.rows import LEGEND, SIMULATED, Row, Tone, summary_rows

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

STYLES: dict[Tone, str] = {"good": "green", "bad": "bold red", "warn": "yellow", "plain": ""}

_LABEL_WIDTH = 22
_CELL_WIDTH = 10
_WIDEST_CELL = 15


def run_report(run: StoredRun, width: int, *, failures: int = 10) -> Iterator[RenderableType]:
    """Yield what a run prints at its end: what it was, the table, how to read it, and the worst failures.

    `width` is that of the terminal in characters; `failures` the number of failures shown.
    """
    from rich.text import Text

    manifest = run.manifest
    if manifest.simulated:
        yield Text(SIMULATED, style="bold")
    yield Text(headline(run), style="dim")
    yield Text()
    yield from measure_tables(summary_rows(run.summaries, run.trials), run.variants, width)
    yield Text("\n" + "\n".join(LEGEND), style="dim")
    for failure in manifest.failed:
        unit = f"{failure.scenario} under {failure.variant}, seed {failure.seed}"
        yield Text(f"\nNot completed: {unit}: {failure.error}", style=STYLES["bad"])
    for problem in run.problems:
        yield Text(f"\n{problem}", style=STYLES["warn"])
    lines = failure_texts(run.trials, width, limit=failures)
    if lines:
        yield Text("\nWorst failures", style="bold")
        yield from lines
        first = worst_failures(run.trials, 1)[0]
        yield Text(f"One of them whole: backslide trial {run.path} {first.id}", style="dim")


def headline(run: StoredRun) -> str:
    """Return what was run, in one line."""
    manifest = run.manifest
    parts = [
        f"Run {manifest.id}: {plural(len(manifest.scenarios), 'scenario')}",
        f" × {plural(len(manifest.variants), 'variant')}",
        f" × {plural(len(manifest.seeds), 'seed')}",
        f", {plural(len(run.trials), 'trial')}",
    ]
    if manifest.wall_s is not None:
        parts.append(f", {manifest.wall_s:.1f} s")
    return "".join(parts)


def measure_tables(rows: Sequence[Row], names: Sequence[str], width: int) -> Iterator[Table]:
    """Yield the rows as tables, each with as many columns as `width` characters hold."""
    label = max((len(row.label) + 2 * row.indent for row in rows), default=0)
    label = min(label, _LABEL_WIDTH if width < 100 else 40)
    fitting = max(1, (width - label - 1) // (_CELL_WIDTH + 1))
    for start in range(0, len(names), fitting):
        yield _table(rows, names, range(start, min(start + fitting, len(names))), label, width)


def _table(rows: Sequence[Row], names: Sequence[str], columns: range, label: int, width: int) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    # The box itself puts one blank between columns.
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
    table.add_column("", width=label, overflow="ellipsis", no_wrap=True)
    cell = max(_CELL_WIDTH, min(_WIDEST_CELL, (width - label - 1) // len(columns) - 1))
    for header in _headers([names[column] for column in columns], cell):
        table.add_column(header, justify="right", width=cell)
    for row in rows:
        cells = [
            Text(_broken(row.cells[column], cell), style=STYLES[row.tones[column]])
            for column in columns
            if not row.heading
        ]
        style = "" if row.indent else "bold"
        table.add_row(Text("  " * row.indent + row.label, style=style), *cells)
    return table


def _broken(cell: str, width: int) -> str:
    """Put the percentage of a share that is too wide on a line of its own."""
    return cell if len(cell) <= width else cell.replace(" (", "\n(", 1)


def _headers(names: Sequence[str], width: int) -> list[str]:
    """Break long names after a hyphen, and let the last lines of all headers stand side by side."""
    broken = [_header(name, width) for name in names]
    height = max(header.count("\n") for header in broken)
    return ["\n" * (height - header.count("\n")) + header for header in broken]


def _header(name: str, width: int) -> str:
    if len(name) <= width:
        return name
    at = name.rfind("-", 0, width)
    return f"{name[: at + 1]}\n{_header(name[at + 1 :], width)}" if at > 0 else name
