"""``backslide baseline``: freeze a run for the gate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backslide import options
from backslide.console import Output


def baseline(
    run: options.RunDir,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The baseline file to write.")],
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Freeze a run as a baseline file, to be reviewed and committed."""
    from backslide.evals.baseline import make_baseline, write_baseline
    from backslide.evals.loading import load_run

    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    frozen = make_baseline(load_run(run))
    write_baseline(frozen, out)
    if json_:
        counts = {"trials": len(frozen.trials), "unseen_losses": len(frozen.unseen_losses)}
        output.document({"schema": 1, "baseline": str(out), "run": frozen.run, **counts})
    else:
        output.note(f"{out}: {len(frozen.trials)} trials, {len(frozen.unseen_losses)} unseen losses frozen")
