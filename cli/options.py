"""Options that several commands share."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer


def finite(value: float) -> float:
    """Return a number that limits and factors can work with. Raises a usage error for ``nan`` and ``inf``."""
    if not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number")
    return value


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, for programs.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print as little as possible.")]
NoProgress = Annotated[bool, typer.Option("--no-progress", help="Show no progress on stderr.")]

Scenarios = Annotated[
    list[str] | None,
    typer.Option("--scenario", "-s", metavar="ID", help="Scenario id, glob or .yaml file; repeat for several."),
]
Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="TAG", help="Only scenarios with this tag; repeat for any of several."),
]
Variants = Annotated[
    list[str] | None,
    typer.Option(
        "--variant",
        metavar="NAME|FILE",
        help="Built-in variant, .toml file or .md prompt; repeat for several. Default: all built-in ones.",
    ),
]
Compactors = Annotated[
    list[str] | None,
    typer.Option(
        "--compactor",
        metavar="SPEC",
        help="Your own compactor as a variant: path.py:Class or cmd:'program args'; repeat for several.",
    ),
]
Seeds = Annotated[int, typer.Option("--seeds", metavar="N", min=1, help="Repeat everything with N seeds.")]
Concurrency = Annotated[
    int, typer.Option("--concurrency", metavar="N", min=0, help="Units at a time; 0 is one per core.")
]
Scale = Annotated[
    float,
    typer.Option("--scale", metavar="X", min=0.1, callback=finite, help="Stretch sessions and windows by this factor."),
]
Executor = Annotated[str, typer.Option("--executor", metavar="BACKEND", help="The model that does the work.")]
Summarizer = Annotated[str, typer.Option("--summarizer", metavar="BACKEND", help="The model that writes summaries.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Run directory. Default: runs/<time>-<id>.")]
RunDir = Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")]
