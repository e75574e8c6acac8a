"""``backslide selfcheck``: executors that know the answer, as controls of the scorers."""

from __future__ import annotations

import typer

from backslide import options
from backslide.console import Output


def selfcheck(
    scenario: options.Scenarios = None,
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Check the scorers with executors whose verdict is known beforehand.

    Exit status: 0 every control was scored as it must be; 1 not; 2 bad input.
    """
    import os

    from backslide.evals.selfcheck import selfcheck as check
    from backslide.scenarios import resolve

    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    report = check(resolve(scenario or []), concurrency=os.cpu_count() or 1)
    if json_:
        output.document(report.to_json())
    elif quiet:
        output.line("ok" if report.ok else "failed")
    else:
        from backslide.reports.selfcheck import selfcheck_report

        output.show(selfcheck_report(report))
    raise typer.Exit(0 if report.ok else 1)
