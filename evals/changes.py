"""What differs between a run and a baseline, one `Change` each, worse or better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from backslide.evals.baseline import (
    Baseline,
    PayloadTotals,
    TrialOutcome,
    UnseenLoss,
    payload_totals,
    trial_outcome,
    unseen_losses,
)
from backslide.evals.evidence import sentence, whereabouts
from backslide.evals.loading import StoredRun
from backslide.evals.records import Trial

Kind = Literal[
    "relapse",
    "over-restriction",
    "lost-constraint",
    "unanswered",
    "unseen-loss",
    "payload-peak",
    "payload-total",
]

_BAD = {"relapsed", "over-restricted"}
_KEPT = {"verbatim", "stated"}


@dataclass(frozen=True)
class Change:
    """One difference between baseline and run, worse or better.

    `trial` is the trial's id, or None for a difference of a whole session. `said` quotes the reply, `where`
    tells where the constraint stands or was lost, `payload_tokens` is the size of the request, `session` the
    path of its session file.
    """

    kind: Kind
    scenario: str
    variant: str
    seed: int
    before: str
    now: str
    trial: str | None = None
    constraint: str | None = None
    probe: str | None = None
    turn: int | None = None
    cycle: int | None = None
    payload_tokens: int | None = None
    said: str | None = None
    where: str | None = None
    session: str | None = None


def trial_changes(run: StoredRun, frozen: Mapping[str, TrialOutcome]) -> Iterator[tuple[bool, Change]]:
    """Yield whether it is worse, and the change, for every trial that differs from the one of its id."""
    for trial in run.trials:
        before = frozen.get(trial.id)
        if before is None or trial.unanswered == "error":
            continue
        now = trial_outcome(trial)
        if now.outcome != before.outcome:
            change = _outcome_change(before, now)
            if change is not None:
                kind, worse = change
                yield worse, _change(run, trial, kind, before.outcome, _outcome_words(trial, now))
                continue
        if trial.control or before.retention is None or now.retention is None:
            continue
        was, stands = before.retention in _KEPT, now.retention in _KEPT
        if was != stands:
            yield was, _change(run, trial, "lost-constraint", before.retention, now.retention)


def _outcome_change(before: TrialOutcome, now: TrialOutcome) -> tuple[Kind, bool] | None:
    if now.outcome in _BAD:
        return ("relapse" if now.outcome == "relapsed" else "over-restriction"), True
    if now.outcome == "unanswered":
        return "unanswered", True
    if before.outcome in _BAD:
        return ("relapse" if before.outcome == "relapsed" else "over-restriction"), False
    return ("unanswered", False) if before.outcome == "unanswered" else None


def _outcome_words(trial: Trial, now: TrialOutcome) -> str:
    return f"unanswered ({trial.unanswered})" if now.outcome == "unanswered" else now.outcome


def _change(run: StoredRun, trial: Trial, kind: Kind, before: str, now: str) -> Change:
    return Change(
        kind=kind,
        scenario=trial.scenario,
        variant=trial.variant,
        seed=trial.seed,
        before=before,
        now=now,
        trial=trial.id,
        constraint=trial.constraint,
        probe=trial.probe,
        turn=trial.turn,
        cycle=trial.cycle,
        payload_tokens=trial.payload_tokens,
        said=sentence(trial),
        where=whereabouts(trial),
        session=run.session(trial),
    )


def loss_changes(run: StoredRun, baseline: Baseline) -> Iterator[tuple[bool, Change]]:
    """Yield the constraints that are dropped unseen in one of the two only, in scenarios that both have."""
    common = baseline.scenarios.keys() & run.manifest.scenarios.keys()
    before = {_loss_key(loss): loss for loss in baseline.unseen_losses if loss.scenario in common}
    now = {_loss_key(loss): loss for loss in unseen_losses(run)}
    for key, loss in now.items():
        if key not in before and loss.scenario in common and loss.variant in baseline.variants:
            yield True, _loss_change(loss, before="seen or kept", now=_dropped(loss))
    for key, loss in before.items():
        if key not in now and not _is_failed(run, loss.scenario, loss.variant, loss.seed):
            yield False, _loss_change(loss, before=_dropped(loss), now="seen or kept")


def _loss_key(loss: UnseenLoss) -> tuple[str, str, int, str]:
    return loss.scenario, loss.variant, loss.seed, loss.constraint


def _is_failed(run: StoredRun, scenario: str, variant: str, seed: int) -> bool:
    return any((f.scenario, f.variant, f.seed) == (scenario, variant, seed) for f in run.manifest.failed)


def _dropped(loss: UnseenLoss) -> str:
    return f"dropped unseen at compaction {loss.compaction} ({', '.join(loss.carriers)})"


def _loss_change(loss: UnseenLoss, *, before: str, now: str) -> Change:
    return Change(
        kind="unseen-loss",
        scenario=loss.scenario,
        variant=loss.variant,
        seed=loss.seed,
        before=before,
        now=now,
        constraint=loss.constraint,
    )


def payload_changes(run: StoredRun, baseline: Baseline, growth_limit: float) -> Iterator[tuple[bool, Change]]:
    """Yield the peaks and totals of main lines that changed by more than the share `growth_limit`."""
    before = {_unit(item): item for item in baseline.payloads}
    for item in payload_totals(run):
        old = before.get(_unit(item))
        if old is None:
            continue
        sizes: Sequence[tuple[Kind, int, int]] = (
            ("payload-peak", old.peak_tokens, item.peak_tokens),
            ("payload-total", old.total_input_tokens, item.total_input_tokens),
        )
        for kind, was, size in sizes:
            growth = (size - was) / was if was else 0.0
            if abs(growth) > growth_limit:
                yield (
                    growth > 0,
                    Change(
                        kind=kind,
                        scenario=item.scenario,
                        variant=item.variant,
                        seed=item.seed,
                        before=f"{was:,} tokens",
                        now=f"{size:,} tokens ({growth:+.1%})",
                    ),
                )


def _unit(item: PayloadTotals) -> tuple[str, str, int]:
    return item.scenario, item.variant, item.seed
