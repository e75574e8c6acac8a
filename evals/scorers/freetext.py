"""Score what a text keeps of a rule in free words: kept, weakened, mutated, inverted, dropped. No scenario, no
model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from backslide.evals.scorers.adoption import adopted, in_use
from backslide.evals.scorers.concepts import concepts
from backslide.evals.scorers.force import allows, denies, firm, lifts, prohibits, requires, softens, strict_ban
from backslide.evals.scorers.moved import moved
from backslide.evals.scorers.others import plain_word, read_other
from backslide.evals.scorers.rulewords import RuleWords, rule_words
from backslide.evals.scorers.senses import technical
from backslide.evals.scorers.statements import Statement, statements
from backslide.evals.scorers.values import Found, Retention, read_value
from backslide.evals.scorers.verdicts import Evidence


@dataclass(frozen=True)
class RetentionVerdict:
    """What a text keeps of a rule.

    `score` is 1 for kept, 0.5 for weakened and 0 otherwise, drawn towards 0.5 where the evidence is thin. `unsure`
    marks a verdict
    that hangs on few words, or on statements that disagree.
    """

    retention: Retention
    unsure: bool
    score: float
    evidence: tuple[Evidence, ...]


def score_retention(constraint_text: str, text: str) -> RetentionVerdict:
    """Return what `text` (a summary or payload) keeps of a rule given in words, English or Chinese, by fixed rules
    alone.

    Concepts are compared across languages by a table of technical terms; what the table does not know has to occur
    as it stands.
    """
    rule = rule_words(constraint_text)
    readings = list(_readings(rule, text))
    kind = _combine(readings)
    shown = [reading for reading in readings if reading.kind == kind]
    strength = max((reading.strength for reading in shown), default=1.0 if kind == "dropped" else 0.0)
    kinds = {reading.kind for reading in readings} - {"weakened"}
    unsure = strength < 0.7 or len(kinds) > 1
    base = {"kept": 1.0, "weakened": 0.5}.get(kind, 0.0)
    score = base if not unsure else round(base + (0.5 - base) * 0.5, 3)
    return RetentionVerdict(kind, unsure, score, tuple(_evidence(text, shown[:8])))


_LIFTS_IT = re.compile(
    r"\b(?:it|that|this|the (?:ban|rule|restriction|limit|freeze|decision)|they|them|there)\b|"
    r"这(?:条|个|项)|该(?:限制|规则)|它|禁令",
    re.IGNORECASE,
)


def _readings(rule: RuleWords, text: str) -> Iterator[Found]:
    last: Found | None = None
    distance = 0
    for statement in statements(text):
        reading = _read(rule, statement)
        distance += 1
        if reading is not None:
            yield reading
            last, distance = (reading, 0) if reading.kind in {"kept", "inverted"} else (last, distance)
        elif last and last.kind == "kept" and distance <= 2 and statement.source is last.statement.source:
            paths = {word for word, _, _ in concepts(statement.text) if word.endswith("/")}
            if (
                allows(statement.text)
                and _LIFTS_IT.search(statement.text)
                and not paths - (rule.everything - rule.exempt)
            ):
                yield Found("inverted", 0.7, statement, "the rule just stated is lifted")


def _combine(readings: list[Found]) -> Retention:
    last: dict[Retention, int] = {}
    for number, reading in enumerate(readings):
        last[reading.kind] = number
    if last.get("inverted", -1) > last.get("kept", -1):
        return "inverted"
    order: tuple[Retention, ...] = ("kept", "mutated", "inverted", "weakened")
    return next((kind for kind in order if kind in last), "dropped")


def _evidence(text: str, readings: Iterable[Found]) -> Iterable[Evidence]:
    for reading in readings:
        start, end = reading.statement.whole_span()
        yield Evidence("retention", start, end, text[start:end], reading.why)


def _read(rule: RuleWords, statement: Statement) -> Found | None:
    found = _present(rule, statement)
    words = {word for word, _, _ in found}
    if not words:
        return None
    numbered = any(word.startswith("=") for word in words) and len(rule.subject & words) * 2 >= len(rule.subject) > 0
    if rule.values and (not rule.rejected or words & set(rule.values) or numbered):
        valued = read_value(rule, statement, words)
        if valued is not None or not rule.rejected:
            return valued
    strength, spans = _match(rule, found)
    if strength < 0.6:
        return read_other(rule, statement, words)
    return _read_ban(rule, statement, words, strength, spans)


def _present(rule: RuleWords, statement: Statement) -> list[tuple[str, int, int]]:
    """Return the concepts of a statement and its heading, without ordinary words in their ordinary sense."""
    out = []
    for word, start, end in concepts(statement.text):
        surface = statement.text[start:end].lower()
        if surface in rule.ordinary and not technical(statement, start, end):
            continue
        out.append((word, start, end))
    for item in rule.rejected:
        base = item.head.rstrip("/")
        if item.head.endswith("/") and (
            spoken := re.search(
                rf"\b{re.escape(base)}\b(?=\s*(?:directory|package|folder|module|tree|code|is|stays|目录|包|模块|冻结|里|"
                rf"下))",
                statement.text,
                re.IGNORECASE,
            )
        ):
            out.append((item.head, *spoken.span()))
    if statement.heading and len(statement.heading) < 60:
        out.extend((word, -1, -1) for word, _, _ in concepts(statement.heading))
    return out


_NEAR = 40
"""Characters around the head of an alternative in which its other parts are read with it."""


def _match(rule: RuleWords, found: list[tuple[str, int, int]]) -> tuple[float, list[tuple[int, int]]]:
    """Return how much of the best alternative stands in a statement, and where."""
    words = {word for word, _, _ in found}
    best = 0.0
    spans: list[tuple[int, int]] = []
    for item in rule.rejected:
        group = {item.head, *item.others}
        got = group & words
        if not got:
            continue
        others = len(item.others & words) / len(item.others) if item.others else 1.0
        value = (0.6 if item.head in words else 0.0) + 0.4 * others
        if (
            item.head in words
            and plain_word(item.head)
            and item.others
            and not item.others & words
            and not rule.scope & words
        ):
            value = 0.5
        if value > best:
            best = value
            heads = [start for word, start, _ in found if word == item.head and start >= 0]
            anchor = heads[0] if heads else None
            spans = [
                (start, end)
                for word, start, end in found
                if word in got and start >= 0 and (anchor is None or abs(start - anchor) <= _NEAR)
            ]
    return best, spans


def _is_verb_form(text: str) -> bool:
    return bool(re.search(r"(?:ed|en)$", text.lower()))


def _region(statement: Statement, spans: list[tuple[int, int]]) -> str:
    """Return the clauses of a statement that hold the spans, with what follows in the same breath."""
    from backslide.evals.scorers.sentences import clauses

    if not spans:
        return statement.text
    parts = clauses(statement.text)
    low, high = min(start for start, _ in spans), max(end for _, end in spans)
    first = max((index for index, part in enumerate(parts) if part.start <= low), default=0)
    last = max((index for index, part in enumerate(parts) if part.start < high), default=first)
    return statement.text[parts[first].start : parts[last].end]


def _read_ban(
    rule: RuleWords, statement: Statement, words: set[str], strength: float, spans: list[tuple[int, int]]
) -> Found:
    region = _region(statement, spans)
    whole = statement.text if not statement.follow else f"{statement.text} {statement.follow}"
    at = statement.text.find(region)
    low = min((start for start, _ in spans), default=at) - at
    high = max((end for _, end in spans), default=at + len(region)) - at
    forbids = denies(region[: max(0, low)], region[max(0, high) :]) or prohibits(region[max(0, low) : max(0, high)])
    taken = not forbids and any(
        adopted(statement.text, start, end, verb=_is_verb_form(statement.text[start:end])) for start, end in spans
    )
    banned = forbids or (prohibits(whole) and not prohibits(region) and not taken) or statement.under == "ban"
    if lifts(whole):
        return Found("inverted", strength, statement, "the rule is lifted")
    allowed = allows(region) or (allows(whole) and not forbids) or statement.under == "allow"
    if softens(region) and not firm(region) and statement.under != "ban":
        return Found("weakened", strength, statement, "its subject is there, its force is not")
    places = {word for word in words if word.endswith("/")}
    covered = {word for word in rule.everything - rule.exempt if word.endswith("/")}
    if (taken or allowed) and covered and places and not places & covered:
        return Found("weakened", 0.5, statement, "it is allowed where the rule does not hold")
    if allowed and not strict_ban(region):
        return Found("inverted", strength, statement, "it is allowed or chosen")
    if rule.exempt & words and not (
        words
        & rule.everything
        - rule.exempt
        - {item.head for item in rule.rejected}
        - {other for item in rule.rejected for other in item.others}
    ):
        return Found("mutated", strength, statement, "it holds for a place that the rule leaves free")
    if taken and statement.under != "ban":
        return Found("inverted", strength, statement, "it is told as chosen or in use")
    if banned or (requires(region) and rule.accepted & words):
        other = moved(rule, statement, words, region)
        if other:
            return Found("mutated", strength, statement, other)
        return Found("kept", strength, statement, "its subject and its rejection stand in one statement")
    if strength >= 0.9 and not softens(statement.text) and in_use(statement.text):
        return Found("inverted", 0.6, statement, "it is told as how things are")
    return Found("weakened", strength, statement, "its subject is there, its force is not")
