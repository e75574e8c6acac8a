"""``backslide run``: scenarios × variants × seeds into a run directory, and the table at the end."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backslide import options
from backslide.console import Output
from backslide.progress import RunProgress, run_progress

if TYPE_CHECKING:
    from backslide.evals.loading import StoredRun
    from backslide.evals.runner import RunConfig, RunOutcome

EXIT_INCOMPLETE = 4
EXIT_INTERRUPTED = 130


def run(
    scenario: options.Scenarios = None,
    tag: options.Tags = None,
    variant: options.Variants = None,
    compactor: options.Compactors = None,
    seeds: options.Seeds = 1,
    executor: options.Executor = "sim",
    summarizer: options.Summarizer = "sim",
    faults: Annotated[
        str | None,
        typer.Option("--faults", metavar="PROFILE", help="Failures to ride out: a name, a TOML file or a list."),
    ] = None,
    concurrency: options.Concurrency = 0,
    scale: options.Scale = 1.0,
    out: options.Out = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the interrupted run in --out DIR.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan and its size; run nothing.")] = False,
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Run scenarios against variants and print what was forgotten.

    Exit status: 0 done; 2 bad input; 4 some trials could not be completed; 130 interrupted.
    """
    from backslide.evals.runner import RunConfig
    from backslide.harness.errors import InputError

    if resume and out is None:
        raise InputError("--resume needs to know which run", mend="add --out DIR with its run directory")
    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    config = RunConfig(
        scenarios=scenario or [],
        tags=tag or [],
        variants=[*(variant or []), *(compactor or [])],
        seeds=seeds,
        concurrency=concurrency,
        out=out,
        scale=scale,
        resume=resume,
        executor=executor,
        summarizer=summarizer,
        faults=faults,
        command=["backslide", *sys.argv[1:]],
    )
    if dry_run:
        show_plan(config, output)
        return
    finished = carry_out(config, output)
    report_run(finished, output)
    raise typer.Exit(exit_status(finished))


def show_plan(config: RunConfig, output: Output) -> None:
    """Print what a run would do."""
    from dataclasses import asdict

    from backslide.evals import runner

    plan = runner.dry_run(config)
    if output.json:
        output.document({"schema": 1, **asdict(plan)})
        return
    for name, value in asdict(plan).items():
        output.line(f"{name:<9} {value:>12,}")


def carry_out(config: RunConfig, output: Output) -> StoredRun:
    """Run `config` with a live display and read the result back. An interruption says how to resume and exits 130."""
    from backslide.evals import runner
    from backslide.evals.loading import load_run

    with run_progress(output) as progress:
        outcome = runner.run(config, progress)
    if outcome.interrupted:
        sys.stderr.write(f"{interruption(outcome, progress)}\n")
        raise typer.Exit(EXIT_INTERRUPTED)
    return load_run(outcome.run_dir)


def interruption(outcome: RunOutcome, progress: RunProgress) -> str:
    """Return the line that tells how to go on after an interruption."""
    done, units = outcome.manifest.completed, outcome.manifest.units
    del progress
    return f"backslide: interrupted after {done} of {units} units; go on with: {resume_command(outcome.run_dir)}"


def resume_command(run_dir: Path) -> str:
    """Return this call as one that continues the run in `run_dir`."""
    kept: list[str] = []
    arguments = iter(sys.argv[1:])
    for argument in arguments:
        if argument == "--out":
            next(arguments, None)
        elif argument != "--resume" and not argument.startswith("--out="):
            kept.append(argument)
    return shlex.join(["backslide", *kept, "--resume", "--out", str(run_dir)])


def report_run(run: StoredRun, output: Output) -> None:
    """Print a finished run as its user asked: table, JSON document, or the run directory alone."""
    if output.json:
        from backslide.evals.aggregate import run_document

        output.document(run_document(str(run.path), run.manifest, run.summaries))
        return
    if output.quiet:
        output.line(str(run.path))
        return
    from backslide.reports.table import run_report

    output.show(run_report(run, output.width))
    output.line(f"\nRecords: {run.path}    Report: backslide report {run.path}")


def exit_status(run: StoredRun) -> int:
    """Return 4 if a unit or a trial could not be completed, else 0."""
    return EXIT_INCOMPLETE if run.manifest.failed or any(t.unanswered == "error" for t in run.trials) else 0
