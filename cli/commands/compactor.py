"""``backslide compactor check``: does somebody's own compactor keep to the protocol?"""

from __future__ import annotations

from typing import Annotated

import typer

from backslide import options
from backslide.console import Output

app = typer.Typer(rich_markup_mode=None, help="Compactors of your own.")


@app.callback()
def compactor() -> None:
    """Compactors of your own."""


@app.command()
def check(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="path.py:Class or cmd:'program args'.")],
    json_: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Drive a compactor through a scripted conversation and say where it departs from the protocol.

    Exit status: 0 keeps to it; 1 does not; 2 cannot be loaded.
    """
    from dataclasses import asdict

    from backslide.harness.compaction.external import check_compactor

    output = Output(json=json_, quiet=quiet)
    results = check_compactor(spec)
    passed = all(result.ok for result in results if result.required)
    if output.json:
        checks = [asdict(result) for result in results]
        output.document({"schema": 1, "compactor": spec, "ok": passed, "checks": checks})
    else:
        for result in results:
            mark = "ok  " if result.ok else "FAIL" if result.required else "note"
            output.line(f"{mark}  {result.name}{': ' + result.detail if result.detail else ''}")
        output.line("The compactor keeps to the protocol." if passed else "The compactor departs from the protocol.")
    raise typer.Exit(0 if passed else 1)
