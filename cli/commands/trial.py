"""``backslide trial``: one trial, whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from backslide import options
from backslide.console import Output

if TYPE_CHECKING:
    from backslide.evals.loading import StoredRun
    from backslide.evals.records import Trial
    from backslide.reports.trial import PlantedSentence


def trial(
    run: options.RunDir,
    trial_id: Annotated[str, typer.Argument(metavar="ID", help="A trial's id, or any part of it that is unique.")],
    full: Annotated[bool, typer.Option("--full", help="Print summarizer requests and summaries uncut.")] = False,
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Show one trial whole: plant, summarizer input, summary, payload, reply, verdict."""
    from backslide.evals.loading import load_run
    from backslide.reports.trial import find_trial, trial_document, trial_report

    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    loaded = load_run(run)
    found = find_trial(loaded, trial_id)
    planted = planted_sentences(loaded, found)
    if json_:
        output.document(trial_document(loaded, found, planted))
    elif quiet:
        from backslide.evals.evidence import outcome

        output.line(outcome(found))
    else:
        output.show(trial_report(loaded, found, planted, full=full))


def planted_sentences(run: StoredRun, trial: Trial) -> list[PlantedSentence]:
    """Return where the trial's constraint was planted and lifted, as the manifest tells it."""
    from backslide.reports.trial import PlantedSentence

    sentences = run.manifest.rules.get(trial.scenario, [])
    return [PlantedSentence(s.turn, s.carrier, s.text) for s in sentences if s.constraint == trial.constraint]
