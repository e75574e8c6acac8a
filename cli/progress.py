"""The live display of a run on stderr: how many units are done, which scenario runs now, how many relapses so far."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from backslide.console import Output

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from backslide.evals.records import Trial, UnitFailure


class RunProgress:
    """Listens to a run. Without a display it only counts, so that an interruption can say how far it came."""

    def __init__(self, display: Progress | None) -> None:
        self._display = display
        self._task: TaskID | None = None
        self._running: list[str] = []
        self.units = 0
        self.done = 0
        self.trials = 0
        self.relapses = 0

    def start(self, units: int) -> None:
        """Begin with so many units to do."""
        self.units = units
        if self._display is not None:
            self._task = self._display.add_task("starting", total=units, relapses=0, trials=0)

    def unit_started(self, scenario: str, variant: str, seed: int) -> None:
        """Show the unit as the current one."""
        self._running.append(_name(scenario, variant, seed))
        self._refresh()

    def trial(self, trial: Trial) -> None:
        """Count one trial."""
        self.trials += 1
        self.relapses += trial.verdict is not None and trial.verdict.relapse and not trial.control
        self._refresh()

    def unit_finished(self, scenario: str, variant: str, seed: int) -> None:
        """Advance by one unit."""
        self._end(_name(scenario, variant, seed))

    def failed(self, failure: UnitFailure) -> None:
        """Advance by one unit and say above the display why it could not be completed."""
        name = _name(failure.scenario, failure.variant, failure.seed)
        if self._display is not None:
            self._display.console.print(f"not completed: {name}: {failure.error}", style="red")
        self._end(name)

    def _end(self, name: str) -> None:
        self.done += 1
        if name in self._running:
            self._running.remove(name)
        self._refresh()

    def _refresh(self) -> None:
        if self._display is not None and self._task is not None:
            current = self._running[0] if self._running else ""
            self._display.update(
                self._task,
                completed=self.done,
                description=current,
                relapses=self.relapses,
                trials=self.trials,
            )


@contextmanager
def run_progress(output: Output) -> Iterator[RunProgress]:
    """Give a listener for one run; its display disappears at the end, so that the table stands alone."""
    if not output.progress:
        yield RunProgress(None)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Column

    columns = (
        BarColumn(bar_width=16),
        MofNCompleteColumn(),
        TextColumn("{task.fields[trials]} trials, {task.fields[relapses]} relapses"),
        TimeElapsedColumn(),
        # The name of the unit gives way in a narrow terminal, not the counts.
        TextColumn(
            "{task.description}", markup=False, style="cyan", table_column=Column(no_wrap=True, overflow="ellipsis")
        ),
    )
    with Progress(*columns, console=output.errors, transient=True) as display:
        yield RunProgress(display)


def _name(scenario: str, variant: str, seed: int) -> str:
    return f"{scenario} · {variant}" + (f" · seed {seed}" if seed else "")
