"""Judges whether one statement forbids its subject, lifts a ban on it, or does neither."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from backslide.harness.models import stance_words as words
from backslide.harness.models.text import fold

Stance = Literal["forbids", "lifts", "neutral"]

_FORBIDS = tuple(re.compile(pattern) for pattern in words.FORBID_ENGLISH + words.FORBID_CHINESE)
_LIFTS = tuple(re.compile(pattern) for pattern in (*words.LIFT, words.LIFT_CHINESE))
_BOUNDARY = re.compile(r"[,;:(]|\s-\s|\b(?:and|but|so|because|then)\b|但|所以|于是")
_NOTHING_IS_NEGATED = re.compile(r"^(?:not|never|no|n't|don't|不|别)")


@dataclass(frozen=True)
class Subject:
    """What a behaviour card is about: phrases that match whole words, in any case, width and plural."""

    phrases: tuple[str, ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Return the expression that finds a mention in folded text; the longest phrase wins."""
        folded = sorted({fold(phrase) for phrase in self.phrases if phrase.strip()}, key=len, reverse=True)
        return re.compile("|".join(_phrase_pattern(phrase) for phrase in folded) or r"(?!)")

    def masked(self, folded: str) -> str | None:
        """Return folded text with every mention written as the subject sign, or None if there is no mention."""
        text, mentions = self.pattern.subn(words.SUBJECT, folded.replace(words.SUBJECT, " "))
        if not mentions:
            return None
        head, sign, tail = text.partition(words.SUBJECT)
        return head + sign + words.BACK_REFERENCE.sub(words.SUBJECT, tail)


def _phrase_pattern(phrase: str) -> str:
    parts = [re.escape(part) for part in re.split(r"[\s-]+", phrase) if part]
    body = r"[\s-]+".join(parts)
    left = r"(?<![a-z0-9_])" if re.match(r"[a-z0-9_]", phrase) else ""
    right = r"(?:e?s)?(?![a-z0-9_])" if re.search(r"[a-z0-9_]$", phrase) else ""
    return f"{left}{body}{right}"


def mask_pronouns(folded: str) -> str | None:
    """Return a follow-up sentence with its pronouns written as the subject, or None if it has none.

    An elliptical verdict ("Ruled out.") is read as one about the subject.
    """
    text, found = words.PRONOUN.subn(words.SUBJECT, folded)
    if found:
        return text
    if len(folded) <= 60 and words.ELLIPSIS.search(folded):
        return f"{words.SUBJECT} is {folded}"
    return None


def title_stance(titles: tuple[str, ...]) -> Stance:
    """Return the stance that titles give to what stands under them; the innermost that has one decides."""
    for title in reversed(titles):
        folded = fold(title)
        if folded.endswith("?") or words.HEDGED.search(folded):
            return "neutral"
        lifts, forbids = words.LIFT_TITLE.search(folded), words.FORBID_TITLE.search(folded)
        if lifts and forbids and lifts.start() <= forbids.start() < lifts.end():
            return "lifts"
        if lifts and forbids:
            return "neutral"
        if lifts or forbids:
            return "lifts" if lifts else "forbids"
    return "neutral"


def judge(masked: str, titles: tuple[str, ...] = ()) -> Stance:
    """Return the stance of one folded and masked statement under its titles.

    A question or a supposition is neutral whatever stands above it. A lift outweighs a ban in one sentence: "ruled
    out at first, allowed again now" allows.
    """
    if words.QUESTION.search(masked):
        return "neutral"
    above = title_stance(titles)
    if above == "lifts" or _lifts(masked):
        return "lifts"
    if above == "forbids" or _forbids(masked):
        return "forbids"
    return "neutral"


def _lifts(masked: str) -> bool:
    for pattern in _LIFTS:
        for match in pattern.finditer(masked):
            before = masked[: match.start()]
            clause = before[_clause_start(before, ",;") :]
            if not words.LIFT_REFUSED.search(clause) and not _supposed(masked, match.start()):
                return True
    return False


def _forbids(masked: str) -> bool:
    plain = words.HARMLESS_CHINESE.sub("_", masked)
    return any(_holds(plain, match) for pattern in _FORBIDS for match in pattern.finditer(plain))


def _holds(masked: str, match: re.Match[str]) -> bool:
    """Return whether a matched ban stands: not negated, not hedged, not supposed, and about the subject itself."""
    groups = match.groupdict()
    if words.TURNS_GAP.search(groups.get("gap") or ""):
        return False
    mid = f"{groups.get('mid') or ''} {groups.get('mid2') or ''}".rstrip()
    if words.TURNS_MID.search(mid) or words.HEDGED.search(mid[_clause_start(mid) :]):
        return False
    if words.NEGATED_BEFORE.search(mid.strip()):
        return False
    before = masked[: match.start()]
    if not _NOTHING_IS_NEGATED.match(match[0]) and match[0][0] != words.SUBJECT and words.NEGATED_BEFORE.search(before):
        return False
    clause = before[_clause_start(before) :]
    return not words.HEDGED.search(clause) and not _supposed(masked, match.start())


def _supposed(masked: str, position: int) -> bool:
    """Return whether `position` stands in the supposition of a conditional sentence."""
    before = masked[:position]
    if words.CONDITION.search(masked) and not re.search(r"[,;:]|\bthen\b|就|,", before):
        return True
    return words.MODAL_CONDITION.search(before[_clause_start(before, ",;") :]) is not None


def _clause_start(before: str, boundaries: str | None = None) -> int:
    if boundaries is not None:
        return max((before.rfind(mark) for mark in boundaries), default=-1) + 1
    last = 0
    for found in _BOUNDARY.finditer(before):
        last = found.end()
    return last
