"""``backslide ledger``: the advisor's defects, each driven with it and without, and told apart by the scorers."""

from __future__ import annotations

import typer

from backslide import options
from backslide.console import Output


def ledger(json_: options.Json = False, quiet: options.Quiet = False) -> None:
    """Reproduce the ledger of advisor defects, and check that the scorers catch each.

    Exit status: 0 every defect is caught or checked; 1 not; 2 bad input.
    """
    from backslide.evals.ledger.ledger import draw_up

    output = Output(json=json_, quiet=quiet)
    drawn = draw_up()
    if json_:
        output.document(drawn.to_json())
    elif quiet:
        output.line("ok" if drawn.ok else "failed")
    else:
        from backslide.reports.ledger import ledger_report

        output.show(ledger_report(drawn))
    raise typer.Exit(0 if drawn.ok else 1)
