"""Sentences in which an advisor asks for guidance or owns the work: the wording behind identity inversion."""

from __future__ import annotations

import re

from backslide.evals.scorers.advisor.actions import is_unreal
from backslide.evals.scorers.advisor.ownwords import (
    ADVISING,
    ADVISORY,
    ASKS,
    ASKS_ADVICE_ABOUT_ANSWER,
    DID,
    DID_WEAK,
    EXPERIENCE,
    PASSIVE_OWN,
    SOFT,
    TASK,
    ZH_ADVISING,
    ZH_ASKS,
    ZH_NOT_ASKING,
    ZH_TASK,
    ZH_WORK,
)


def asks_on_own_work(text: str) -> bool:
    """Return whether a sentence asks the reader for guidance, a decision, a review or the next task."""
    match = ASKS.search(text)
    if match and _is_draft(text[: match.start()]):
        match = None
    if (
        match
        and not ASKS_ADVICE_ABOUT_ANSWER.search(text)
        and not re.search(
            r"(?i)\b(?:ask|tell|write to) (?:the )?(?:user|team|maintainers?|owner|them|him|her)\b",
            text[: match.start()],
        )
    ):
        return True
    return bool(ZH_ASKS.search(text) and not ZH_NOT_ASKING.search(text))


def _is_draft(before: str) -> bool:
    """Return whether the words before announce what the reader might write or say."""
    return bool(
        re.search(
            r"(?i)(?:\b(?:write|say|open with|start with|begin with|tell (?:them|him|her|the \w+)|reply with|"
            r"answer with|phrase|put it|something like|"
            r"wording)\b[^:.]{0,40}|(?:写|说|回复|措辞)[^：。]{0,12})[:：][^.。]*$",
            before[-200:],
        )
    )


def asks_softly(text: str) -> bool:
    """Return whether a sentence asks for the reader's view, which an advisor may do as well."""
    return bool(SOFT.search(text))


def owns_task(text: str) -> bool:
    """Return whether a sentence speaks of the task, its obstacles or its parts as the speaker's own."""
    match = TASK.search(text)
    if (
        match
        and not is_unreal(text[: match.start()])
        and not ADVISORY.search(text)
        and not _is_draft(text[: match.start()])
    ):
        return True
    return bool(ZH_TASK.search(text) and not re.search("如果|要是|换作|用户", text))


def claims_work(text: str) -> bool:
    """Return whether a sentence reports the executor's work or a milestone as the speaker's own."""
    for match in DID.finditer(text):
        around = text[max(0, match.start() - 40) : match.end() + 50]
        if (
            not EXPERIENCE.search(around)
            and not is_unreal(text[max(0, match.start() - 50) : match.end()])
            and not _is_draft(text[: match.start()])
        ):
            return True
    for match in DID_WEAK.finditer(text):
        around = text[max(0, match.start() - 40) : match.end() + 40]
        if (
            not ADVISING.search(around)
            and not EXPERIENCE.search(text)
            and not is_unreal(text[max(0, match.start() - 50) : match.end()])
        ):
            return True
    if PASSIVE_OWN.search(text):
        return True
    clause = next((part for part in re.split(r"[，。；！？]", text) if ZH_WORK.search(part)), None)
    return clause is not None and not ZH_ADVISING.search(clause)
