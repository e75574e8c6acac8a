"""Writes the report of one run: Markdown and plots, into one folder."""

from __future__ import annotations

from pathlib import Path

from backslide.evals.loading import StoredRun
from backslide.evals.survival import survival_curves
from backslide.harness.errors import InputError
from backslide.reports.markdown import PAYLOAD, SURVIVAL, markdown_report

REPORT = "report.md"


def write_report(run: StoredRun, folder: Path) -> list[Path]:
    """Write ``report.md`` and its plots into `folder` and return the files. Raises `InputError` if it is not writable.

    An earlier report in the same place is replaced.
    """
    from backslide.reports.plots import payload_plot, survival_plot

    curves = survival_curves(run.trials, run.variants)
    files = [folder / REPORT, folder / SURVIVAL, folder / PAYLOAD]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files[0].write_text(markdown_report(run, curves), encoding="utf-8")
        survival_plot(curves, files[1], simulated=run.manifest.simulated)
        payload_plot(run, files[2])
    except OSError as error:
        raise InputError(f"the report cannot be written ({error.strerror})", where=str(folder)) from error
    return files
