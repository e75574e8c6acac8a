from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console
from stored_runs import compaction, fate, totals, trial, write_run

from backslide.evals.loading import load_run
from backslide.evals.records import Trial, UnitFailure
from backslide.reports.failures import failure_lines
from backslide.reports.rows import SIMULATED
from backslide.reports.table import run_report

VARIANTS = ("handoff", "pi-0.83", "naive", "trim", "no-compaction")


def printed(run: Path, width: int = 120) -> str:
    """What a terminal of this width shows."""
    console = Console(file=io.StringIO(), width=width, force_terminal=False, highlight=False, markup=False)
    for part in run_report(load_run(run), width):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def row(text: str, label: str) -> list[str]:
    """The cells of the row with this label."""
    line = next(line for line in text.splitlines() if line.strip().startswith(label))
    return line.strip().removeprefix(label).replace("\N{NO-BREAK SPACE}", "").split()


def decay(variant: str = "naive") -> list[Trial]:
    """A rule that is forgotten from the second compaction on."""
    return [
        trial(variant=variant, turn=turn, cycle=cycle, relapse=cycle > 1, retention="absent" if cycle > 1 else "stated")
        for turn, cycle in ((20, 0), (30, 1), (36, 2), (42, 3), (48, 5))
    ]


def test_the_table_tells_the_story_in_plain_words(tmp_path: Path) -> None:
    """Rates with counts, relapse by compactions, retention, unseen losses and payloads all stand in the table."""
    trials = [*decay(), trial(probe="control", over=True), trial(turn=50, unanswered="overflow")]
    run = write_run(tmp_path / "run", trials, compactions=[compaction(fates=[fate(unseen=True)])])

    text = printed(run)

    assert row(text, "Relapse rate") == ["3/5", "(60%)"]
    assert row(text, "after 0 compactions") == ["0/1"]
    assert row(text, "after 3+ compactions") == ["2/2"]
    assert row(text, "Over-restriction rate") == ["1/1", "(100%)"]
    assert row(text, "Answered") == ["6"]
    assert row(text, "unanswered: overflow") == ["1"]
    assert row(text, "stated") == ["2"]
    assert row(text, "absent") == ["3"]
    assert row(text, "Dropped unseen") == ["1"]
    assert row(text, "largest request") == ["11,900"]
    assert row(text, "all requests") == ["600,000"]


def test_the_first_line_says_that_models_are_simulated(tmp_path: Path) -> None:
    """Nobody may take a simulated relapse for a model's; a run of a live model does not carry the line."""
    simulated = printed(write_run(tmp_path / "a", decay()))
    live = printed(write_run(tmp_path / "b", decay(), simulated=False, models={"executor": "openai:x"}))

    assert simulated.splitlines()[0] == SIMULATED
    assert SIMULATED not in live


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_the_table_fits_its_terminal(tmp_path: Path, width: int) -> None:
    """No line is wider than the terminal, every variant is named, every number stands whole."""
    trials = [item for variant in VARIANTS for item in decay(variant)]
    run = write_run(
        tmp_path / "run", trials, sessions=[totals(variant=v, total_input_tokens=6012683) for v in VARIANTS]
    )

    text = printed(run, width)

    assert max(map(len, text.splitlines())) <= width
    assert text.count("6,012,683") == len(VARIANTS)
    for word in ("handoff", "pi-0.83", "naive", "trim", "compaction"):
        assert word in text


def test_five_variants_stand_side_by_side_in_eighty_columns(tmp_path: Path) -> None:
    """Comparing is what the table is for."""
    run = write_run(tmp_path / "run", [item for variant in VARIANTS for item in decay(variant)])

    assert len(row(printed(run, 80), "after 2 compactions")) == len(VARIANTS)


def test_relapses_are_listed_by_scenario(tmp_path: Path) -> None:
    """With several scenarios a reader sees which one was forgotten."""
    run = write_run(tmp_path / "run", [trial("forgotten", relapse=True), trial("kept")])

    text = printed(run)

    assert row(text, "forgotten") == ["1/1"]
    assert row(text, "kept") == ["0/1"]


def test_each_failure_is_one_line_with_place_quotation_and_loss(tmp_path: Path) -> None:
    """Scenario, constraint, cycle, what the model said, and where the constraint was lost."""
    run = write_run(tmp_path / "run", decay())

    text = printed(run, 160)

    (line,) = [line for line in text.splitlines() if "global mutex" in line]
    for words in (
        "naive: actor-not-mutex, no-global-mutex, cycle 2",
        "I will guard it",
        "lost by the summarizer, turn 28",
    ):
        assert words in line


def test_the_same_loss_is_shown_once(tmp_path: Path) -> None:
    """Three relapses of one rule under one variant are one line; the first of them stands for all."""
    lines = failure_lines(decay())

    assert [(line.cycle, line.what) for line in lines] == [(2, "relapsed")]
    assert "backslide trial" in printed(write_run(tmp_path / "run", decay()))


def test_markup_in_a_reply_is_shown_as_it_is(tmp_path: Path) -> None:
    """Square brackets in what a model wrote are text, not colour."""
    reply = "Use a [bold]global mutex[/bold] here."

    assert "[bold]global mutex[/bold]" in printed(write_run(tmp_path / "run", [trial(relapse=True, text=reply)]), 160)


def test_what_was_not_completed_is_named(tmp_path: Path) -> None:
    """A unit that failed and a run that did not end are said under the table."""
    failure = UnitFailure(scenario="no-moment", variant="trim", seed=0, error="connection refused")
    run = write_run(tmp_path / "run", decay(), failed=[failure], ended=None)

    text = printed(run, 160)

    assert "Not completed: no-moment under trim, seed 0: connection refused" in text
    assert "the run did not end" in text


def test_a_run_without_failures_has_no_list_of_them(tmp_path: Path) -> None:
    """An empty heading would suggest that something is missing."""
    trials: Sequence[Trial] = [trial(), trial(turn=36, over=False)]

    assert "Worst failures" not in printed(write_run(tmp_path / "run", trials))
