"""What guidelines on an advisor ask of an executor, read from the sentences of its system prompt.

A plain reader: sentences that speak of the advisor are taken clause by clause, and each clause is asked for a time to
consult, a duty to relay, a weight, an order of rank, a rule on whom to credit. Any wording of the same guidelines gives
the same policy. It shares no code and no words with a scorer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from backslide.harness.models.guideline_words import (
    ADVISOR,
    ADVISOR_DECIDES,
    ALWAYS,
    CHANGED,
    COMPLETION,
    CONSULT,
    CREDIT,
    IRREVERSIBLE,
    MINIMUM,
    NEGATED,
    NO_MINIMUM,
    NUMBERS,
    ONCE_EACH,
    RELAY,
    STUCK,
    USER_DECIDES,
    WEIGHT,
    WORK,
)

Relay = Literal["always", "if-changed", "never"]
Winner = Literal["user", "advisor"]


@dataclass(frozen=True)
class Policy:
    """What an executor does about its advisor; without guidelines it does nothing.

    `minimum` is the least number of calls a task takes; `decides` is None where nothing says who does; `weight` is
    whether the advisor's word is to count for much; `credits_advisor` whether its view must be given out as its own.
    """

    before_work: bool = False
    at_completion: bool = False
    minimum: int = 0
    when_stuck: bool = False
    before_irreversible: bool = False
    relay: Relay = "never"
    weight: bool = False
    decides: Winner | None = None
    credits_advisor: bool = False

    @property
    def winner(self) -> Winner | None:
        """Return who wins a disagreement: whoever decides, else whoever has weight; None leaves it to the last word."""
        return self.decides or ("advisor" if self.weight else None)


@lru_cache(maxsize=64)
def read_policy(system_prompt: str) -> Policy:
    """Return the policy that a system prompt's sentences on the advisor amount to."""
    times: set[str] = set()
    refused: set[str] = set()
    minimum = 0
    relays: set[Relay] = set()
    weight = credit = False
    decides: Winner | None = None
    for sentence in _sentences(system_prompt):
        if USER_DECIDES.search(sentence):
            decides = "user"
        elif decides is None and ADVISOR_DECIDES.search(sentence):
            decides = "advisor"
        weight = weight or bool(WEIGHT.search(sentence) and not NEGATED.search(sentence))
        if CREDIT.search(sentence):
            credit = True
        elif RELAY.search(sentence):
            relays.add(_relay(sentence))
        if CONSULT.search(sentence) or MINIMUM.search(sentence):
            found, against = _times(sentence)
            times |= found
            refused |= against
            minimum = max(minimum, _minimum(sentence))
    times -= refused
    return Policy(
        before_work="work" in times,
        at_completion="completion" in times,
        minimum=minimum,
        when_stuck="stuck" in times,
        before_irreversible="irreversible" in times,
        relay="if-changed" if "if-changed" in relays else "always" if "always" in relays else "never",
        weight=weight,
        decides=decides,
        credits_advisor=credit,
    )


_HEADING = re.compile(r"^\s*#{1,6}\s")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)、])\s+")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])")
_CLAUSE = re.compile(
    r"[,:，、：]|\s(?=(?:or|and)\s+(?:also\s+)?(?:before|when|whenever|if|once|after|at|as soon)\b)|(?=以及|或者|并在)"
)


def _sentences(prompt: str) -> Iterator[str]:
    """Yield the sentences of the paragraphs that speak of the advisor, and of those under a heading that does."""
    titled = False
    for paragraph in _paragraphs(prompt):
        if _HEADING.match(paragraph):
            titled = bool(ADVISOR.search(paragraph))
        elif titled or ADVISOR.search(paragraph):
            yield from (part.strip() for part in _SENTENCE.split(paragraph) if part.strip())


def _paragraphs(prompt: str) -> Iterator[str]:
    lines: list[str] = []
    for line in [*prompt.splitlines(), ""]:
        fresh = not line.strip() or _BULLET.match(line) or _HEADING.match(line)
        if fresh and lines:
            yield " ".join(lines)
            lines = []
        if _HEADING.match(line):
            yield line
        elif line.strip():
            lines.append(_BULLET.sub("", line).strip() if _BULLET.match(line) else line.strip())


def _times(sentence: str) -> tuple[set[str], set[str]]:
    """Return the times at which a sentence asks for a call, and those at which it says not to."""
    wanted: set[str] = set()
    refused: set[str] = set()
    against = False
    for clause in _CLAUSE.split(sentence):
        # "Do not call it before you start, only when stuck": the second clause is no longer refused.
        against = bool(NEGATED.search(clause)) or (against and not re.search(r"\b(?:only|but)\b|只|而是", clause))
        found = refused if against else wanted
        if STUCK.search(clause):
            found.add("stuck")
        if IRREVERSIBLE.search(clause):
            found.add("irreversible")
        elif COMPLETION.search(clause):
            found.add("completion")
        elif WORK.search(clause):
            found.add("work")
    return wanted, refused


def _relay(sentence: str) -> Relay:
    if CHANGED.search(sentence):
        return "if-changed"
    if NEGATED.search(sentence):
        return "never"
    return "always" if ALWAYS.search(sentence) else "if-changed" if re.search(r"\bif\b|如果", sentence) else "always"


def _minimum(sentence: str) -> int:
    if NO_MINIMUM.search(sentence) or NEGATED.search(sentence):
        return 0
    each = len(ONCE_EACH.findall(sentence))
    stated = [
        int(word) if word.isdigit() else NUMBERS.get(word.lower(), 0)
        for match in MINIMUM.finditer(sentence)
        for word in match.groups()
        if word
    ]
    return max([*stated, each if each > 1 and stated else 0], default=0)
