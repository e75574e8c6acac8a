"""Read rules about changing things: a name counts as the object of a verb that changes it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from backslide.evals.scorers.reading import CJK, Reading, Stance, following

_INTO = re.compile(
    r"\b(?:in|into|to|under|inside|within|at|directly|down into|on)\W+(?:(?:the|our|that|this|"
    r"its)\W+)?(?:\w+\W+){0,2}?$"
)


_NEUTRAL_VERB = re.compile(
    r"\b(?:pass|send|call|read|import|delegat|forward|compare|leav|left|look|refer|point|link|belong|"
    r"convert|cop|translat|check|rel|depend|quer|ask|wrap|keep|kept|stay|mirror|map|hand)\w*\b"
)


_AHEAD = re.compile(r"^\W*(?:(?:i'd|we'd|let's|just|simply|and|then|to|please|i would|we could)\s+)*")


def acted(reading: Reading, index: int, before: str, after: str, actions: re.Pattern[str]) -> Stance:
    """Read a rule about changing things: the verb nearest to the name decides."""
    part = reading.parts[index]
    lead = before
    verbs = list(actions.finditer(lead))
    if not verbs and index:
        previous = reading.parts[index - 1]
        if part.link in {"comma", "paren", "dash", "colon"}:
            lead = reading.masked[previous.start : previous.end] + " " + before
            verbs = list(actions.finditer(lead))
    if not verbs:
        follow = after + " " + " ".join(following(reading, index)[:1])
        if CJK.search(reading.text) and actions.search(follow):
            return Stance("propose", "a change of it is announced")
        coming = "".join(following(reading, index)[:1])
        ahead = _AHEAD.match(coming)
        if ahead and actions.match(coming[ahead.end() :]):
            return Stance("propose", "a change of it is announced")
        if re.match(r"^\W*(?:needs?|should|must|could|would|gets?|wants?)\b", after) and actions.search(after):
            return Stance("propose", "a change of it is announced")
        return Stance("mention", "it is named without being changed")
    last = verbs[-1]
    between = lead[last.end() :]
    if re.search(
        r"\b(?:from|around|over|against|like|beside|next to|on top of|outside|behind|through|via|calls?|"
        r"reads?|imports?)(?:\W+of)?\W+(?:(?:the|our)\W+)?\W*$",
        between,
    ):
        return Stance("mention", "it is named without being changed")
    neutral = list(_NEUTRAL_VERB.finditer(between))
    if neutral and not _INTO.search(between):
        return Stance("mention", "it is named without being changed")
    if CJK.search(reading.text) or _INTO.search(between) or len(between.split()) <= 3:
        return Stance("propose", "a change of it is announced")
    return Stance("mention", "it is named without being changed")


def any_action(words: Sequence[str]) -> re.Pattern[str]:
    """Return the table of some words: English ones in their usual forms, Chinese ones as they stand."""
    parts = []
    for word in words:
        text = re.escape(word.lower()).replace(r"\ ", r"\s+")
        if CJK.search(word):
            parts.append(text)
        else:
            stem = text.removesuffix("e")
            parts.append(
                rf"\b{stem}(?:{text[-1]})?(?:e|es|s|d|ed|ing|ies|ied)?\b" if text.isalpha() else rf"\b{text}\b"
            )
    return re.compile("|".join(parts) or r"(?!)")
