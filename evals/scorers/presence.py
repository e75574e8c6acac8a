"""Is a constraint still in front of the model? Presence of a scenario's constraint in the texts of a payload."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from backslide.evals.scorers.force import allows, lifts, prohibits, softens
from backslide.evals.scorers.freetext import score_retention
from backslide.evals.scorers.names import phrase_pattern
from backslide.evals.scorers.reading import read
from backslide.evals.scorers.scope import Reach
from backslide.evals.scorers.sentences import clauses
from backslide.evals.scorers.stance import stance
from backslide.evals.scorers.statements import Statement, statements
from backslide.evals.scorers.verdicts import Evidence
from backslide.scenarios.model import Constraint

PresenceClass = Literal["verbatim", "stated", "diluted", "absent"]
Where = Literal["kept-raw", "summary", "file", "advisor"]

RANK: dict[PresenceClass, int] = {"absent": 0, "diluted": 1, "stated": 2, "verbatim": 3}
"""The classes from lost to whole."""

TOOL_ORIGINS = frozenset({"tools", "tool_calls", "tool_results"})
"""Origins whose denials are those of programs."""


@dataclass(frozen=True)
class PayloadText:
    """One text of a payload: its origin (as in the composition of a payload), and by what it carries a constraint."""

    origin: str
    text: str
    where: Where = "kept-raw"


@dataclass(frozen=True)
class Presence:
    """The presence of one constraint in a payload.

    `where` is the carrier of the best class, None when absent. With `mutated` (another value, name or scope stands
    there) or
    `inverted` (it stands there as allowed) the class is ``absent``. Evidence offsets refer to the text at `text_index`.
    """

    cls: PresenceClass
    mutated: bool
    inverted: bool
    where: Where | None
    evidence: tuple[Evidence, ...]
    text_index: int | None = None

    @property
    def alive(self) -> bool:
        """Return whether subject and rejection are both there."""
        return self.cls in {"verbatim", "stated"}


@dataclass(frozen=True)
class RecallKey:
    """What one constraint is recognised by; hashable, so that a scanned text is never scanned again."""

    subject: tuple[tuple[str, ...], ...]
    rejection: tuple[str, ...]
    exact: tuple[str, ...]
    accepted: tuple[str, ...]
    lift: str
    statement: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class Event:
    """A place of a text that bans the approach or allows it."""

    kind: Literal["verbatim", "ban", "allow", "mutated", "diluted"]
    start: int
    end: int
    why: str


@dataclass(frozen=True)
class Scan:
    """Everything one text says on one constraint, in order."""

    events: tuple[Event, ...] = field(default=())

    def has(self, *kinds: str) -> Event | None:
        """Return the last event of some kinds, or None."""
        return next((event for event in reversed(self.events) if event.kind in kinds), None)


def recall_key(constraint: Constraint) -> RecallKey:
    """Return what a constraint is recognised by; without recall data, its names and any words that reject."""
    recall = constraint.recall
    plants = tuple(plant.text for plant in constraint.planted)
    return RecallKey(
        recall.subject if recall else (constraint.rejected.names,),
        recall.rejection if recall else (),
        (*plants, *(recall.exact if recall else ())),
        recall.accepted if recall and recall.accepted else constraint.accepted.names,
        constraint.lifted.text if constraint.lifted else "",
        constraint.statement,
        () if constraint.scope.everywhere else constraint.scope.paths,
    )


def presence(constraint: Constraint, texts: Sequence[PayloadText]) -> Presence:
    """Return the presence of a constraint in a payload's texts, in their order.

    ``verbatim``: a plant sentence is there. ``stated``: subject and rejection in one statement (a heading's stance
    carries to what
    stands under it). ``diluted``: the subject without the rejection. A statement that allows the approach, after
    the last one
    that bans it, makes it inverted. Texts are cached by constraint and text.
    """
    key = recall_key(constraint)
    best: PresenceClass = "absent"
    found: tuple[int, Event] | None = None
    last: tuple[int, Event] | None = None
    mutated: tuple[int, Event] | None = None
    for index, text in enumerate(texts):
        for event in scan(key, text.text, text.origin in TOOL_ORIGINS, text.where == "summary").events:
            if event.kind == "mutated":
                mutated = (index, event)
                continue
            if event.kind != "diluted":
                last = (index, event)
            cls = _CLASS[event.kind]
            if RANK[cls] > RANK[best]:
                best, found = cls, (index, event)
    if last and last[1].kind == "allow":
        return _result("absent", False, True, texts, last)
    if mutated and best in {"absent", "diluted"}:
        return _result("absent", True, False, texts, mutated)
    return _result(best, False, False, texts, found)


_CLASS: dict[str, PresenceClass] = {"verbatim": "verbatim", "ban": "stated", "diluted": "diluted", "allow": "absent"}


def _result(
    cls: PresenceClass, mutated: bool, inverted: bool, texts: Sequence[PayloadText], found: tuple[int, Event] | None
) -> Presence:
    if found is None:
        return Presence(cls, mutated, inverted, None, ())
    index, event = found
    text = texts[index]
    proof = Evidence("retention", event.start, event.end, text.text[event.start : event.end], event.why)
    return Presence(cls, mutated, inverted, text.where if cls != "absent" else None, (proof,), index)


@lru_cache(maxsize=32_768)
def scan(key: RecallKey, text: str, strict: bool = False, summary: bool = False) -> Scan:
    """Return what one text says on one constraint.

    With `strict` (tool traffic) only a declared rejection counts as one: logs are full of denials. A `summary` is
    also read for
    rules of the same shape with another value.
    """
    events: list[Event] = []
    for sentence in key.exact:
        at = _verbatim(text, sentence)
        if at:
            events.append(Event("verbatim", *at, "a plant sentence is there"))
    if key.lift and (at := _verbatim(text, key.lift)):
        events.append(Event("allow", *at, "the lifting sentence is there"))
    groups = [hits(text, group) for group in key.subject]
    if groups and all(groups):
        rarest = min(groups, key=len)
        for statement in statements(text, rarest[:400]):
            event = _judge(key, statement, groups, strict)
            if event and not any(other.start <= event.start < other.end for other in events):
                events.append(event)
    if summary and not any(event.kind in {"verbatim", "ban", "allow"} for event in events) and len(text) < 20_000:
        verdict = score_retention(key.statement, text)
        if verdict.retention == "mutated" and verdict.evidence:
            proof = verdict.evidence[0]
            events.append(Event("mutated", proof.start, proof.end, proof.why))
    return Scan(tuple(sorted(events, key=lambda event: event.start)))


def _verbatim(text: str, sentence: str) -> tuple[int, int] | None:
    at = text.find(sentence)
    if at >= 0:
        return at, at + len(sentence)
    words = sentence.split()
    head = words[0]
    if head not in text:
        return None
    match = re.search(r"[\s>*_`]+".join(re.escape(word) for word in words), text)
    return match.span() if match else None


@lru_cache(maxsize=1024)
def _lower(text: str) -> str:
    low = text.lower()
    return low if len(low) == len(text) else "".join(char.lower() if len(char.lower()) == 1 else char for char in text)


@lru_cache(maxsize=2048)
def _phrase(phrase: str) -> tuple[str, re.Pattern[str]]:
    """Return the longest run of a phrase, to look for first, and its pattern."""
    runs = re.findall(r"[a-z0-9_]+|[\u3400-\u9fff]+|[^\sa-z0-9_\u3400-\u9fff…]+", phrase.lower())
    pattern = phrase_pattern(phrase).replace(r"[\s-]+", r"[\s*_`-]+")
    return max(runs, key=len), re.compile(pattern, re.IGNORECASE | re.ASCII)


def hits(text: str, phrases: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return where any of some phrases stands in a text, in order."""
    low = _lower(text)
    out: list[tuple[int, int]] = []
    for phrase in phrases:
        seed, pattern = _phrase(phrase)
        at = low.find(seed)
        while at >= 0:
            match = pattern.search(low, max(0, at - 60), min(len(low), at + len(seed) + 90))
            if match and match.start() <= at < match.end():
                out.append(match.span())
            at = low.find(seed, at + len(seed))
    return sorted(out)


def _inside(found: Sequence[tuple[int, int]], low: int, high: int) -> list[tuple[int, int]]:
    index = bisect_left(found, (low, low))
    out = []
    while index < len(found) and found[index][0] < high:
        out.append(found[index])
        index += 1
    return out


def _judge(
    key: RecallKey, statement: Statement, groups: Sequence[Sequence[tuple[int, int]]], strict: bool
) -> Event | None:
    low, high = statement.whole_span()
    near: list[list[tuple[int, int]]] = []
    for number, found in enumerate(groups):
        here = _inside(found, low, high)
        if not here and not (statement.heading and hits(statement.heading, key.subject[number])):
            return None
        near.append(here)
    anchors = min((here for here in near if here), key=len, default=[])
    if not anchors:
        return None
    whole = f"{statement.text} {statement.follow}" if statement.follow else statement.text
    region = _region(statement, anchors)
    declared = bool(key.rejection and hits(whole, key.rejection)) or statement.under == "ban"
    if not declared and statement.heading and key.rejection and hits(statement.heading, key.rejection):
        declared = True
    goes_on = bool(statement.follow) and prohibits(statement.follow)
    soft = softens(region) and statement.under != "ban" and not prohibits(region) and not goes_on
    if not strict and lifts(whole):
        return Event("allow", low, high, "it is stated as lifted")
    if not strict and allows(region) and not declared and not _rejects(statement, anchors):
        return Event("allow", low, high, "it is stated as allowed")
    if not strict and statement.under == "allow":
        return Event("allow", low, high, "it stands under a heading of what is allowed")
    if not soft and (declared or (not strict and (goes_on or _rejects(statement, anchors)))):
        if _elsewhere(key, statement):
            return Event("mutated", low, high, "the rule stands there for another place")
        return Event("ban", low, high, "subject and rejection stand in one statement")
    return Event("diluted", low, high, "the subject is there, the rejection is not")


def _region(statement: Statement, anchors: Sequence[tuple[int, int]]) -> str:
    low, _ = statement.whole_span()
    parts = clauses(statement.text)
    first = max(0, min(start for start, _ in anchors) - low)
    last = max(0, max(end for _, end in anchors) - low)
    begin = max((part.start for part in parts if part.start <= first), default=0)
    finish = min(
        (part.end for part in parts if part.end >= min(last, len(statement.text))), default=len(statement.text)
    )
    return statement.text[begin:finish]


def _rejects(statement: Statement, anchors: Sequence[tuple[int, int]]) -> bool:
    """Return whether the statement rejects what its anchors name."""
    low, _ = statement.whole_span()
    reading = read(statement.text)
    for start, end in anchors:
        first = min(max(0, start - low), len(statement.text))
        last = min(max(first, end - low), len(statement.text))
        if stance(reading, first, last).kind == "reject":
            return True
    return False


def _elsewhere(key: RecallKey, statement: Statement) -> bool:
    """Return whether a ban speaks only of places that the rule does not cover."""
    if not key.paths:
        return False
    return Reach(key.paths).spoken_of(statement.text) is False and not Reach(key.paths).spoken_of(statement.heading)
