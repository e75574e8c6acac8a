from __future__ import annotations

import io

from rich.console import Console
from rich.progress import Progress
from stored_runs import trial

from backslide.console import Output
from backslide.evals.records import UnitFailure
from backslide.progress import RunProgress, run_progress


def test_the_display_counts_units_trials_and_relapses_and_names_the_current_scenario() -> None:
    """What is shown follows the run; a failed unit counts as done and is named with its reason."""
    console = Console(file=io.StringIO(), markup=False)
    display = Progress(console=console, disable=True)
    progress = RunProgress(display)

    progress.start(3)
    progress.unit_started("actor-not-mutex", "naive", 0)
    progress.unit_started("no-moment", "naive", 1)
    progress.trial(trial(relapse=True))
    progress.trial(trial(over=True))
    progress.unit_finished("actor-not-mutex", "naive", 0)
    progress.failed(UnitFailure(scenario="x", variant="trim", seed=0, error="server [503]"))

    (task,) = display.tasks
    assert (task.completed, task.total, task.description) == (2, 3, "no-moment · naive · seed 1")
    assert (task.fields["trials"], task.fields["relapses"]) == (2, 1)
    assert isinstance(console.file, io.StringIO)
    assert "x · trim: server [503]" in console.file.getvalue()


def test_without_a_terminal_nothing_is_displayed() -> None:
    """A log file gets no escape sequences, and the run is counted all the same."""
    with run_progress(Output()) as progress:
        progress.start(1)
        progress.unit_started("a", "naive", 0)
        progress.unit_finished("a", "naive", 0)

    assert (progress.done, progress.units) == (1, 1)
