"""``backslide gate``: the verdict on a run against a baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backslide import options
from backslide.console import Output


def gate(
    run: options.RunDir,
    baseline: Annotated[Path, typer.Option("--baseline", metavar="FILE", help="A file of `backslide baseline`.")],
    payload_growth: Annotated[
        float,
        typer.Option(
            "--payload-growth",
            metavar="SHARE",
            min=0.0,
            callback=options.finite,
            help="Growth of payloads that passes, as a share.",
        ),
    ] = 0.10,
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Judge a run against a baseline.

    Exit status: 0 pass; 1 regression; 2 bad input; 4 some trials could not be completed; 5 not comparable.
    """
    from backslide.evals.baseline import load_baseline
    from backslide.evals.gate import GatePolicy, check
    from backslide.evals.loading import load_run

    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    result = check(load_run(run), load_baseline(baseline), GatePolicy(payload_growth=payload_growth))
    if json_:
        output.document(result.to_json())
    elif quiet:
        output.line(result.verdict)
    else:
        from backslide.reports.gate import gate_report

        output.show(gate_report(result, str(baseline)))
    raise typer.Exit(result.exit_status)
