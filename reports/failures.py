"""The worst failures, one line each: where, what the model said, where the constraint was lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backslide.evals.aggregate import worst_failures
from backslide.evals.evidence import outcome, sentence, whereabouts, whereabouts_short
from backslide.evals.records import Trial

if TYPE_CHECKING:
    from rich.text import Text

_SHORTEST_QUOTE = 24


@dataclass(frozen=True)
class FailureLine:
    """One failed trial in words; `trial` is its id, for ``backslide trial``."""

    trial: str
    what: str
    scenario: str
    constraint: str
    variant: str
    cycle: int
    said: str
    where: str

    @property
    def place(self) -> str:
        """Return variant, scenario, constraint and cycle."""
        return f"{self.variant}: {self.scenario}, {self.constraint}, cycle {self.cycle}"


def failure_lines(trials: Sequence[Trial], *, limit: int = 10, quote: int = 120) -> list[FailureLine]:
    """Return the worst failures in order, each with a quotation of at most `quote` characters."""
    return [_line(trial, quote) for trial in worst_failures(trials, limit)]


def failure_texts(trials: Sequence[Trial], width: int, *, limit: int = 10) -> list[Text]:
    """Return the worst failures for a terminal of `width` characters.

    One line each where the quotation fits beside the rest; two, the second one indented, in a narrow
    terminal.
    """
    from rich.text import Text

    texts = []
    for trial in worst_failures(trials, limit):
        line = _line(trial, quote=0)
        where = whereabouts_short(trial)
        style = "red" if line.what == "relapsed" else "yellow"
        room = width - len(line.place) - len(where) - 6
        gap = "  "
        if room < _SHORTEST_QUOTE:
            room, gap = width - len(where) - 6, "\n  "
        texts.append(Text.assemble((line.place, style), f"{gap}“{_fitting(trial, room)}”  ", (where, "dim")))
    return texts


def _fitting(trial: Trial, cells: int) -> str:
    """Return the quotation cut to terminal cells, of which an East Asian character takes two."""
    from rich.cells import cell_len

    room = cells
    said = sentence(trial, room)
    while cell_len(said) > cells and room > 1:
        room -= (cell_len(said) - cells + 1) // 2
        said = sentence(trial, room)
    return said


def _line(trial: Trial, quote: int) -> FailureLine:
    return FailureLine(
        trial=trial.id,
        what=outcome(trial),
        scenario=trial.scenario,
        constraint=trial.constraint or "no rule",
        variant=trial.variant,
        cycle=trial.cycle,
        said=sentence(trial, quote),
        where=whereabouts(trial),
    )
