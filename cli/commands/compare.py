"""``backslide compare``: two variants, prompts or runs side by side, with the trials that differ."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backslide import options
from backslide.commands.run import EXIT_INCOMPLETE, carry_out, exit_status, show_plan
from backslide.console import Output

if TYPE_CHECKING:
    from backslide.evals.compare import Comparison
    from backslide.evals.runner import RunConfig

Side = Annotated[str, typer.Argument(metavar="A", help="Variant name, .toml file, .md prompt, or a run directory.")]
OtherSide = Annotated[str, typer.Argument(metavar="B", help="The same for the other side.")]


def compare(
    a: Side,
    b: OtherSide,
    stored: Annotated[
        Path | None, typer.Option("--run", metavar="RUN", help="Compare the variants A and B of this stored run.")
    ] = None,
    variant: Annotated[
        list[str] | None, typer.Option("--variant", metavar="NAME", help="Of two runs, compare this variant only.")
    ] = None,
    scenario: options.Scenarios = None,
    tag: options.Tags = None,
    seeds: options.Seeds = 1,
    executor: options.Executor = "sim",
    summarizer: options.Summarizer = "sim",
    concurrency: options.Concurrency = 0,
    scale: options.Scale = 1.0,
    out: options.Out = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan and its size; run nothing.")] = False,
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Compare A with B: run both, or read two runs, and show the trials that end differently.

    Exit status: 0 done; 2 bad input; 4 some trials could not be completed.
    """
    from backslide.evals.compare import compare_document

    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    status = 0
    if stored is not None:
        comparisons = _within(stored, a, b)
    elif _is_folder(a) or _is_folder(b):
        comparisons = _between(Path(a), Path(b), variant or [])
    else:
        from backslide.evals.runner import RunConfig

        config = RunConfig(
            scenarios=scenario or [],
            tags=tag or [],
            variants=[a, b],
            seeds=seeds,
            concurrency=concurrency,
            out=out,
            scale=scale,
            resume=False,
            executor=executor,
            summarizer=summarizer,
            command=["backslide", *sys.argv[1:]],
        )
        if dry_run:
            show_plan(config, output)
            return
        comparisons, status = _after_running(config, output)
    if json_:
        output.document(compare_document(comparisons))
    elif quiet:
        output.line(compare_document(comparisons)["verdict"])
    else:
        from backslide.reports.compare import compare_report

        for comparison in comparisons:
            output.show(compare_report(comparison, output.width))
    raise typer.Exit(status)


def _is_folder(side: str) -> bool:
    """Return whether a side names a stored run; a folder that is called like a built-in variant does not hide it."""
    from backslide.evals.store import is_run

    path = Path(side)
    return is_run(path) or (path.is_dir() and "/" in side)


def _within(path: Path, a: str, b: str) -> list[Comparison]:
    from backslide.evals.compare import compare as compare_sides
    from backslide.evals.compare import side_of
    from backslide.evals.loading import load_run

    run = load_run(path)
    return [compare_sides(side_of(run, a), side_of(run, b))]


def _between(a: Path, b: Path, variants: list[str]) -> list[Comparison]:
    from backslide.evals.compare import compare_runs
    from backslide.evals.loading import load_run

    return compare_runs(load_run(a), load_run(b), variants)


def _after_running(config: RunConfig, output: Output) -> tuple[list[Comparison], int]:
    from backslide.evals.compare import compare as compare_sides
    from backslide.evals.compare import side_of

    run = carry_out(config, output)
    output.note(f"Records: {run.path}")
    if exit_status(run):
        output.note("some trials could not be completed; they are left out")
    one, other = run.variants
    comparison = compare_sides(side_of(run, one), side_of(run, other))
    return [comparison], EXIT_INCOMPLETE if exit_status(run) else 0
