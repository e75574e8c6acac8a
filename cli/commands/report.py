"""``backslide report``: the decay report of a run as Markdown with plots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backslide import options
from backslide.console import Output


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run directories.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="Where to write. Default: RUN/report.")
    ] = None,
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Write a report: tables, survival of constraints, growth of payloads.

    Writes report.md, survival.png and payload.png for each run. Exit status: 0 done; 2 bad input.
    """
    from backslide.evals.loading import load_run
    from backslide.harness.errors import InputError
    from backslide.reports.write import write_report

    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    if out is not None and len(runs) > 1:
        raise InputError(
            "--out takes the report of one run", mend="leave it out to write into each run's report folder"
        )
    loaded = [load_run(path) for path in runs]
    written = [write_report(run, out or run.path / "report") for run in loaded]
    if json_:
        reports = [
            {"run_dir": str(run.path), "files": [str(file) for file in files]}
            for run, files in zip(loaded, written, strict=True)
        ]
        output.document({"schema": 1, "reports": reports})
        return
    for files in written:
        for file in files[:1] if quiet else files:
            output.line(str(file))
