"""Score what a text keeps of a rule in free words: kept, weakened, mutated, inverted, dropped. No scenario, no
model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from backslide.evals.scorers.adoption import adopted
from backslide.evals.scorers.concepts import concepts
from backslide.evals.scorers.force import allows, denies, firm, lifts, prohibits, requires, softens, strict_ban
from backslide.evals.scorers.moved import GENERIC, moved
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


_ENTITIES = frozenset(
    word
    for word, _, _ in concepts(
        "column field table order user test migration file log upload endpoint message query branch parameter "
        "cache interrupt isr worker loop payment refund tools dependency"
    )
)


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
    r"\b(?:it|that|this|the (?:ban|rule|restriction|limit|freeze|decision)|they|them)\b|"
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
        return _read_other(rule, statement, words)
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
            and _plain_word(item.head)
            and item.others
            and not item.others & words
            and not rule.scope & words
        ):
            value = 0.5
        if value > best:
            best = value
            spans = [(start, end) for word, start, end in found if word in got and start >= 0]
    return best, spans


def _plain_word(word: str) -> bool:
    """Return whether a concept is one whose word is common outside of programs as well."""
    return word in _PLAIN


_PLAIN = frozenset(
    word for word, _, _ in concepts("push charge sleep edit delete log match process key lock thread pool file")
)


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
    return Found("weakened", strength, statement, "its subject is there, its force is not")


def _read_other(rule: RuleWords, statement: Statement, words: set[str]) -> Found | None:
    """Read a statement that does not name what is ruled out: the alternative alone, or a ban of the same shape on
    another thing.
    """
    item = statement.item or statement.text
    near = words | {word for word, _, _ in concepts(item)}
    got = rule.accepted & near
    telling = {word for word in got if not _plain_word(word) and word not in _ENTITIES}
    share = len(got) / len(rule.accepted) if rule.accepted else 0.0
    own = {word for word, _, _ in concepts(statement.text)}
    if telling and share >= 0.3 and rule.accepted & own:
        strength = max(0.5, share)
        others = {word for alternative in rule.rejected for word in alternative.others} | {
            entity for entity in rule.entities if entity.startswith("#")
        }
        if prohibits(_ONLY_MORE.sub("", item)) and _forbids_accepted(item, rule):
            return Found("mutated", strength, statement, "it forbids what the rule asks for")
        if _only(statement.text, rule) and not prohibits(_ONLY_MORE.sub("", item)):
            return Found("kept", strength, statement, "only the alternative is allowed")
        if prohibits(item) and share >= 0.5 and others & own and not _denies_other(statement.text):
            return Found("kept", strength, statement, "the rule stands in other words")
        if prohibits(item) and not softens(item):
            return Found("mutated", strength, statement, "a rule of that shape forbids something else")
        if softens(statement.text):
            return Found("weakened", strength, statement, "the alternative is preferred, nothing is ruled out")
    if prohibits(statement.text) and not softens(statement.text) and _other_object(rule, statement.text, own):
        return Found("mutated", 0.5, statement, "the same is forbidden for something else")
    places = {
        word for word in rule.scope if word.endswith("/") or (word.startswith("#") and word not in GENERIC | _TESTS)
    }
    if places & own and _RULELIKE.search(statement.text) and not softens(statement.text) and rule.rejected:
        return Found("mutated", 0.5, statement, "a rule for that place forbids something else")
    return None


_RULELIKE = re.compile(
    r"\b(?:never|no|must not|may not|do not|don't|forbidden|not allowed|banned)\b|不许|不能|不得|禁止|不准|不要",
    re.IGNORECASE,
)
_ONLY_MORE = re.compile(r"\bnothing else\b|\bno exceptions?\b|\bno other\b|别无其他|没有例外|无一例外", re.IGNORECASE)
_BANS_NEXT = re.compile(
    r"\b(?:no|not|never|don't|do not|must not)\s+(?:use\s+|push to\s+|set\s+)?|(?:不许|不要|不能|不准|不得|禁止|"
    r"不)(?:直接)?(?:再)?(?:用|推|引入|使用)?",
    re.IGNORECASE,
)


def _forbids_accepted(text: str, rule: RuleWords) -> bool:
    """Return whether a denial is followed at once by what the rule asks for."""
    for match in _BANS_NEXT.finditer(text):
        near = concepts(text[match.end() : match.end() + 16])
        if near and near[0][0] in rule.accepted and near[0][1] <= 2:
            return True
    return False


_TESTS = frozenset(word for word, _, _ in concepts("test table dependency"))


def _other_object(rule: RuleWords, text: str, own: set[str]) -> bool:
    """Return whether a ban shares what surrounds the rule's object, and puts another path or acronym in its place."""
    heads = {item.head for item in rule.rejected}
    shared = (rule.entities | {word for item in rule.rejected for word in item.others}) & own
    if any(head.endswith("/") for head in heads):
        frozen = {word for word, _, _ in concepts("frozen audit edit")} & own
        return bool(frozen and {word for word in own if word.endswith("/")} - rule.everything)
    acronyms = {word.lower() for word in re.findall(r"\b[A-Z]{2,}\w*\b", text)}
    ours = {word.lower() for word in re.findall(r"\b[A-Z]{2,}\w*\b", rule.source)}
    return bool(shared and ours and acronyms and not acronyms & ours)


def _denies_other(text: str) -> bool:
    return bool(re.search(r"\b(?i:do not|don't|no|never)\s+(?:use\s+)?[A-Z`]", text))


def _only(text: str, rule: RuleWords) -> bool:
    """Return whether a statement demands an alternative alone: the word that demands stands next to it."""
    for match in re.finditer(
        r"\b(?:only|solely|exclusively|always|must(?: use| be)?|has to (?:be|stay)|have to|stays?|"
        r"remains?)\b|一律|统一|必须|保持|只(?:能|用|走|许)+",
        text,
        re.IGNORECASE,
    ):
        around = (
            text[match.end() : match.end() + 40]
            if match.group().lower() not in {"only", "solely", "exclusively"}
            else text[max(0, match.start() - 14) : match.end() + 40]
        )
        if any(word in rule.accepted for word, _, _ in concepts(around)):
            return not re.search(r"\bonly\s+(?:for|when|if|in)\b|for the \w+ \w+ only|仅", text, re.IGNORECASE)
    return False
