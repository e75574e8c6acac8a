"""What became of a constraint at one compaction, and at which step it was lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from backslide.evals.scorers.presence import PayloadText, Presence, PresenceClass, Where, presence
from backslide.scenarios.model import Constraint

Step = Literal[
    "none",
    "trimmed-before-summarizer",
    "dropped-by-summarizer",
    "dropped-at-update",
    "dropped-on-rebuild",
    "lifted",
]


@dataclass(frozen=True)
class Fate:
    """A constraint at one compaction: its class before, in the summarizer's inputs, in its replies and after.

    `step` is where it was lost (``none`` when it was not there before or still is). `unseen` is "dropped unseen":
    whole in the
    context before, whole in no summarizer input, and not whole in the context after. `carrier` is what carried it
    before.
    """

    before: PresenceClass
    input: PresenceClass
    output: PresenceClass
    after: PresenceClass
    step: Step
    unseen: bool
    carrier: Where | None


def fate(
    constraint: Constraint,
    before: Sequence[PayloadText],
    inputs: Sequence[str],
    outputs: Sequence[str],
    after: Sequence[PayloadText],
    *,
    lifted: bool = False,
) -> Fate:
    """Return what became of a constraint at one compaction.

    `before` and `after` are the context around it, `inputs` what the summarizer was sent, `outputs` what it
    replied. A loss from a
    rule that only the previous summary carried is a loss at an update. `lifted` says that the user has ended the rule.
    """
    was = presence(constraint, before)
    seen = presence(constraint, [PayloadText("user", text, "kept-raw") for text in inputs])
    told = presence(constraint, [PayloadText("summary", text, "summary") for text in outputs])
    left = presence(constraint, after)
    step = "lifted" if lifted else _step(was, seen, told, left)
    unseen = not lifted and was.alive and not seen.alive and not left.alive
    return Fate(was.cls, seen.cls, told.cls, left.cls, step, unseen, was.where)


def _step(was: Presence, seen: Presence, told: Presence, left: Presence) -> Step:
    if not was.alive or left.alive:
        return "none"
    if not seen.alive:
        return "trimmed-before-summarizer"
    if told.alive:
        return "dropped-on-rebuild"
    return "dropped-at-update" if was.where == "summary" else "dropped-by-summarizer"
