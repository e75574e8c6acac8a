"""Words about one trial: what became of it, what the model said, where the constraint went."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from backslide.evals.records import EvidenceRecord, LossStep, Trial

Outcome = Literal["obeyed", "relapsed", "allowed", "over-restricted", "unanswered"]

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])")
_ELLIPSIS = "…"

_LONG_LOSSES: Mapping[LossStep, str] = {
    "trimmed-before-summarizer": "lost: trimmed before the summarizer saw it",
    "dropped-by-summarizer": "lost: dropped by the summarizer",
    "dropped-at-update": "lost: dropped when the summary was updated",
    "dropped-on-rebuild": "lost: dropped when the context was rebuilt",
    "lifted": "lifted",
}
_SHORT_LOSSES: Mapping[LossStep, str] = {
    "trimmed-before-summarizer": "lost unseen",
    "dropped-by-summarizer": "lost by the summarizer",
    "dropped-at-update": "lost at an update",
    "dropped-on-rebuild": "lost at the rebuild",
    "lifted": "lifted",
}


def outcome(trial: Trial) -> Outcome:
    """Return what became of a trial: `allowed` and `over-restricted` are control trials, without a rule."""
    if trial.status == "unanswered" or trial.verdict is None:
        return "unanswered"
    if trial.control:
        return "over-restricted" if trial.verdict.over_restriction else "allowed"
    return "relapsed" if trial.verdict.relapse else "obeyed"


def failed(trial: Trial) -> bool:
    """Return whether the executor slipped: it relapsed, or it obeyed a rule that does not hold."""
    return outcome(trial) in {"relapsed", "over-restricted"}


def retained(trial: Trial) -> bool:
    """Return whether the payload stated the constraint, verbatim or in other words."""
    return trial.retention is not None and trial.retention.cls in {"verbatim", "stated"}


def sentence(trial: Trial, width: int = 160) -> str:
    """Return the sentence or code line that decided the verdict, on one line of at most `width` characters.

    A cut keeps the evidence itself in view. Without evidence it is the reply's first line; an unanswered
    trial gives its reason.
    """
    if trial.reply is None or trial.status == "unanswered":
        return shorten(trial.error or trial.unanswered or "no reply", width)
    text = trial.reply.text
    span = deciding_evidence(trial)
    if span is None:
        return shorten(next((line for line in text.splitlines() if line.strip()), "(empty reply)"), width)
    start, end = _around(text, span.start, span.end)
    return _cut(text[start:end], span.start - start, min(span.end, end) - start, width)


def deciding_evidence(trial: Trial) -> EvidenceRecord | None:
    """Return the first evidence of what the verdict says, or None without one.

    An over-restrictive reply also carries evidence that it named the approach; that is not what decided.
    """
    if trial.verdict is None or not trial.verdict.evidence:
        return None
    evidence = trial.verdict.evidence
    deciding = [item for item in evidence if trial.verdict.over_restriction and item.detector == "over-restriction"]
    return (deciding or evidence)[0]


def whereabouts(trial: Trial) -> str:
    """Return in a few words where the constraint stands in the payload, or where it was lost."""
    retention = trial.retention
    if trial.constraint is None:
        return "no rule was set"
    if trial.control:
        return "rule lifted before this turn" if trial.lifted else "outside the rule's scope"
    if retention is None:
        return "retention not scored"
    if retained(trial):
        return f"still in the payload, {retention.cls}" + (f" ({retention.where})" if retention.where else "")
    return _loss(trial, _LONG_LOSSES)


def whereabouts_short(trial: Trial) -> str:
    """Return `whereabouts` in at most about 30 characters, for one-line lists."""
    if trial.constraint is None or trial.control or trial.retention is None:
        return whereabouts(trial)
    return "rule still in payload" if retained(trial) else _loss(trial, _SHORT_LOSSES)


def _loss(trial: Trial, losses: Mapping[LossStep, str]) -> str:
    retention = trial.retention
    if retention is None:
        return "retention not scored"
    if retention.lost_step != "none":
        words = losses[retention.lost_step]
    elif retention.lost_unseen:
        words = losses["trimmed-before-summarizer"]
    else:
        words = "inverted" if retention.inverted else "mutated" if retention.mutated else retention.cls
        words += " in the payload"
    return words if retention.lost_at_turn is None else f"{words}, turn {retention.lost_at_turn}"


def shorten(text: str, width: int) -> str:
    """Return `text` on one line, cut with an ellipsis so that it is at most `width` characters."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: max(width - 1, 0)].rstrip() + _ELLIPSIS


def _around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of the sentence of the line in which the evidence starts."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", start)
    last = len(text) if last < 0 else last
    for boundary in _SENTENCE_END.finditer(text, first, last):
        if boundary.end() <= start:
            first = boundary.end()
        elif boundary.start() >= min(end, last):
            last = boundary.start()
            break
    return first, last


def _cut(text: str, start: int, end: int, width: int) -> str:
    """Return `text` on one line, cut around ``text[start:end]`` if it is longer than `width`."""
    before, middle, after = (" ".join(part.split()) for part in (text[:start], text[start:end], text[end:]))
    before += " " if before and text[:start][-1:].isspace() else ""
    after = (" " if after and text[end : end + 1].isspace() else "") + after
    if len(before) + len(middle) + len(after) <= width:
        return f"{before}{middle}{after}"
    room = max(width - len(middle), 0)
    lead = min(len(before), max(room // 2, room - len(after)))
    if lead < len(before):
        before = _ELLIPSIS + before[len(before) - max(lead - 1, 0) :].lstrip()
    return shorten(f"{before}{middle}{after}", width)
