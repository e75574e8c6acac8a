"""Score what a text keeps of a rule in free words: kept, weakened, mutated, inverted, dropped. No scenario, no model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from backslide.evals.scorers.concepts import concepts
from backslide.evals.scorers.force import allows, prohibits, requires, softens
from backslide.evals.scorers.relapse import Evidence
from backslide.evals.scorers.rulewords import RuleWords, rule_words
from backslide.evals.scorers.statements import Statement, statements

Retention = Literal["kept", "weakened", "mutated", "inverted", "dropped"]


@dataclass(frozen=True)
class RetentionVerdict:
    """What a text keeps of a rule.

    `score` is 1 for kept, 0.5 for weakened and 0 otherwise, drawn towards 0.5 where the evidence is thin. `unsure` marks a verdict
    that hangs on few words, or on statements that disagree.
    """

    retention: Retention
    unsure: bool
    score: float
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class _Reading:
    kind: Retention
    strength: float
    statement: Statement
    why: str


_ENTITIES = frozenset(
    word
    for text in ("column field table order user test migration file log upload endpoint message query branch parameter cache interrupt isr worker loop payment refund tests tools dependency")
    .split()
    for word in text.split()
    for word, _, _ in concepts(word)
)
_EXCEPTION = re.compile(r"\b(?:except|unless|apart from|other than|as long as|save for)\b|除了|除非|只要", re.IGNORECASE)
_EXEMPTS = re.compile(r"no exceptions?|without exception|except(?:ion)?s?\b(?= (?:handler|class|type))", re.IGNORECASE)
_SELF_SOFT = re.compile(r"\b(?:no|not|never|don't|must)\b|不许|不能|禁止|必须|不得", re.IGNORECASE)
_REPLACES = re.compile(r"\b(?:use|against|to|with|through|via)\s+`?(?P<en>[\w.-]{3,})|(?:用|走|统一|改用|置|到)\s*`?(?P<zh>[\w.-]{3,})", re.IGNORECASE)
_GONE = re.compile(r"\bno (?:\w+ ){0,3}(?:limit|timeout|cap|bound|restriction|maximum)s?\b|\b(?:limit|timeout|cap|restriction|maximum)s? (?:\w+ ){0,3}(?:removed|gone|lifted|dropped)|of any size|unlimited|any ?more|不(?:再)?限|没有(?:上限|限制|超时)|取消(?:了)?(?:上限|限制|超时)|不设", re.IGNORECASE)


def score_retention(constraint_text: str, text: str) -> RetentionVerdict:
    """Return what `text` (a summary or payload) keeps of a rule given in words, English or Chinese, by fixed rules alone.

    Concepts are compared across languages by a table of technical terms; what the table does not know has to occur as it stands.
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


_LIFTS_IT = re.compile(r"\b(?:it|that|this|the (?:ban|rule|restriction|limit|freeze|decision)|they|them)\b|这(?:条|个|项)|该(?:限制|规则)|它|禁令", re.IGNORECASE)


def _readings(rule: RuleWords, text: str) -> Iterator[_Reading]:
    last: _Reading | None = None
    distance = 0
    for statement in statements(text):
        reading = _read(rule, statement)
        distance += 1
        if reading is not None:
            yield reading
            last, distance = (reading, 0) if reading.kind in {"kept", "inverted"} else (last, distance)
        elif last and last.kind == "kept" and distance <= 2 and statement.source is last.statement.source:
            paths = {word for word, _, _ in concepts(statement.text) if word.endswith("/")}
            if allows(statement.text) and _LIFTS_IT.search(statement.text) and not paths - (rule.everything - rule.exempt):
                yield _Reading("inverted", 0.7, statement, "the rule just stated is lifted")


def _combine(readings: list[_Reading]) -> Retention:
    last: dict[str, int] = {}
    for number, reading in enumerate(readings):
        last[reading.kind] = number
    if "inverted" in last and last["inverted"] > last.get("kept", -1):
        return "inverted"
    for kind in ("kept", "mutated", "inverted", "weakened"):
        if kind in last:
            return kind  # type: ignore[return-value]
    return "dropped"


def _evidence(text: str, readings: Iterable[_Reading]) -> Iterable[Evidence]:
    for reading in readings:
        start, end = reading.statement.whole_span()
        yield Evidence("retention", start, end, text[start:end], reading.why)


def _read(rule: RuleWords, statement: Statement) -> _Reading | None:
    found = _present(rule, statement)
    words = {word for word, _, _ in found}
    if not words:
        return None
    if rule.values and (not rule.rejected or words & set(rule.values)):
        valued = _read_value(rule, statement, words)
        if valued is not None or not rule.rejected:
            return valued
    strength, spans = _match(rule, found)
    if strength < 0.6:
        return _read_other(rule, statement, words)
    return _read_ban(rule, statement, words, strength, spans)


def _present(rule: RuleWords, statement: Statement) -> list[tuple[str, int, int]]:
    """Return the concepts of a statement and its heading, without ordinary words in their ordinary sense."""
    out = []
    raw = statement.source
    for word, start, end in concepts(statement.text):
        surface = statement.text[start:end].lower()
        if surface in rule.ordinary and not _technical(statement, start, end, raw.text):
            continue
        out.append((word, start, end))
    if statement.heading and len(statement.heading) < 60:
        out.extend((word, -1, -1) for word, _, _ in concepts(statement.heading))
    return out


_ORDINARY_USE = re.compile(
    r"(?:\b(?:at the|one|a|this|that|in|for|if|with|without|such|caught up with|the) $)", re.IGNORECASE
)


def _technical(statement: Statement, start: int, end: int, plain: str) -> bool:
    """Return whether an ordinary word is meant technically: banned, used, in code font, among Chinese, or in a list of terms."""
    before = statement.text[:start].lower()
    after = statement.text[end:].lower()
    surface = statement.text[start:end].lower()
    if surface not in {"any", "moment", "main", "match", "go"}:
        follow = re.match(r"\s+([a-z]+)", after)
        return not (follow and follow[1] in {"mode", "completion", "water", "faults", "plates", "title", "gust", "thread", "time", "order"})
    low, high = statement.span(start, end)
    origin = statement.source
    while origin.parent is not None:
        origin = origin.parent
    around = origin.text[max(0, low - 1) : high + 1]
    if around.startswith("`") or around.endswith("`") or "`" in origin.text[max(0, low - 4) : low]:
        return True
    if re.search(r"[\u3400-\u9fff]\s*$", before) or re.match(r"\s*[\u3400-\u9fff（(]", after):
        return True
    if _ORDINARY_USE.search(before) or re.search(r"\bany (?:more|such|\w+ing|other|size|of|file|time|way)\b", surface + after[:12]):
        return False
    return bool(re.search(r"(?:\b(?:no|avoid|use|using|not|never|to|and|or|banned?|into|drop|as|:)\s*|^|[(/,-]\s*)$", before)) or surface == "main"


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
        if item.head in words and _plain_word(item.head) and item.others and not item.others & words and not rule.scope & words:
            value = 0.5
        if value > best:
            best = value
            spans = [(start, end) for word, start, end in found if word in got and start >= 0]
    return best, spans


def _plain_word(word: str) -> bool:
    """Return whether a concept is one whose word is common outside of programs as well."""
    return word in {found for text in ("push charge sleep catch edit delete log match process key") for name in text.split() for found, _, _ in concepts(name)}


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
) -> _Reading:
    region = _region(statement, spans)
    whole = statement.text if not statement.follow else f"{statement.text} {statement.follow}"
    banned = prohibits(region) or prohibits(whole) or statement.under == "ban"
    if _LIFTED.search(whole) and not re.search(r"\bnot (?:been )?lifted|未解除|没有解除|until|unless|\bif\b|直到|除非|如果", whole, re.IGNORECASE):
        return _Reading("inverted", strength, statement, "the rule is lifted")
    allowed = allows(region) or (allows(whole) and not prohibits(region)) or statement.under == "allow"
    if softens(region) and not _hard(region) and statement.under != "ban":
        return _Reading("weakened", strength, statement, "its subject is there, its force is not")
    if allowed and not _hard_ban(region):
        return _Reading("inverted", strength, statement, "it is allowed or chosen")
    if rule.exempt & words and not (words & rule.everything - rule.exempt - {item.head for item in rule.rejected} - {other for item in rule.rejected for other in item.others}):
        return _Reading("mutated", strength, statement, "it holds for a place that the rule leaves free")
    if banned or (requires(region) and rule.accepted & words):
        moved = _moved(rule, statement, words, region)
        if moved:
            return _Reading("mutated", strength, statement, moved)
        return _Reading("kept", strength, statement, "its subject and its rejection stand in one statement")
    return _Reading("weakened", strength, statement, "its subject is there, its force is not")


_LIFTED = re.compile(r"\b(?:no longer (?:banned|forbidden|ruled out|frozen|off|applies|holds|excluded|prohibited)|(?:was|is|has been|were|are) (?:now )?lifted|allowed again|(?:freeze|ban|rule) (?:is|was) over)\b|作废|已?解除|失效|不再(?:禁止|限制|适用)|重新允许", re.IGNORECASE)


def _hard(region: str) -> bool:
    """Return whether a ban in a statement is stronger than its softer words."""
    return bool(re.search(r"\b(?:never|must not|mustn't|ruled out|rejected|forbidden|banned|off the table|off[- ]limits|do not|don't|no(?! better)\b)|禁止|不许|不准|不得|不能|否决|拒绝|严禁|不要", region, re.IGNORECASE)) and not re.search(r"\b(?:try|ideally|nice|would be|prefer\w*|great|where you can|if possible)\b|尽量|最好", region, re.IGNORECASE)


def _hard_ban(region: str) -> bool:
    return bool(re.search(r"\b(?:never|must not|mustn't|not allowed|not permitted|is forbidden|are forbidden|do not|don't|isn't allowed|aren't allowed|not acceptable|not ok)\b|不允许|不许|不准|禁止(?!.*(?:解除|作废|取消|失效))|不可以|不得|不行|都不|不再允许", region, re.IGNORECASE)) and not re.search(r"no longer|any ?more|lifted|不再禁止|解除", region, re.IGNORECASE)


_GENERIC = frozenset(
    word for word, _, _ in concepts("edit version name size type process key http request config library comment second minute store list match memory global static lock")
    if word not in {found for found, _, _ in concepts("user file")}
)
_ZH_PLACE = re.compile(r"(?:^|[，。；：、\s])(?P<place>[\u3400-\u9fff\w/.]{1,10}?)(?:目录|包|模块)?(?:里|中|内|这个 ?\w+)(?:面)?(?=[，、]?(?:也|都|一律)?(?:不|禁|严禁|别|勿))")
_EN_PLACE = re.compile(r"\b(?:inside|in|within|under)\s+(?:the\s+)?(?P<place>[\w./-]+)", re.IGNORECASE)
_ANYWHERE = re.compile(r"代码|项目|仓库|全|整个|本|这|任何|everywhere|anywhere|project|code|repo|either|both|there|it\b|here", re.IGNORECASE)


def _moved(rule: RuleWords, statement: Statement, words: set[str], region: str) -> str | None:
    """Return why a ban is another one than the rule's: other place, entity, replacement or value, an exception; or None."""
    paths = {word for word in words if word.endswith("/")}
    wanted = {word for word in rule.everything - rule.exempt if word.endswith("/")}
    if wanted and paths and not any(path.startswith(want) or want.startswith(path) for path in paths for want in wanted):
        return "it holds for another place"
    if not wanted and not rule.scope:
        if re.search(r"\b(?:inside|only in|only for|only when) (?:the )?\w+|仅(?:限|在)|只在|只限|只有", statement.text, re.IGNORECASE) and not rule.scope & words:
            return "it is narrowed to a place"
    for match in _ZH_PLACE.finditer(statement.text):
        place = match["place"].lower()
        if place not in rule.text and not _ANYWHERE.search(place) and not any(word in rule.everything for word, _, _ in concepts(place)):
            return "it holds for another place"
    for match in _EN_PLACE.finditer(region):
        place = match["place"].lower().strip("*_")
        if rule.scope and not rule.scope & words and place not in rule.text and not _ANYWHERE.search(place):
            return "it holds for another place"
    local = {word for word, _, _ in concepts(region)}
    lead = {word for word, _, _ in concepts(statement.text[: statement.text.find(region) + len(region)])}
    entities = rule.entities | rule.scope | rule.subject | {other for item in rule.rejected for other in item.others}
    needed = {word for word in entities if word.startswith("#") and word not in _GENERIC or word.endswith("/")}
    theirs = {word for word in lead if word.startswith("#") and word not in _GENERIC} - rule.everything
    if needed and theirs and not needed & words:
        return "it speaks of something else"
    missing = [item for item in rule.rejected if item.head in local and item.others and not item.others & local]
    whole = [item for item in rule.rejected if item.head in local and (not item.others or item.others & local)]
    if missing and not whole and rule.accepted & local and prohibits(region):
        return "it forbids what the rule asks for"
    if missing and not whole and _slot(region, rule):
        return "it forbids the same for something else"
    if _EXCEPTION.search(statement.text) and not _EXEMPTS.search(statement.text):
        return "an exception has been added"
    if rule.accepted - words:
        for other in _REPLACES.finditer(statement.text):
            named = other["en"] or other["zh"]
            if named.lower() in {"the", "one", "and", "for", "this", "that", "http", "its"} or re.match(r"\d", named):
                continue
            if any(word in rule.everything for word, _, _ in concepts(named)) or named.lower() in rule.text:
                continue
            if re.search(r"[A-Z_.\d-]", named) or other.group().lower().startswith(("against", "via")):
                return "it names another replacement"
    numbers = {word for word in words if word.startswith("=")}
    if rule.values and numbers and not numbers & set(rule.values) and any(_unit(number) == _unit(rule.values[0]) for number in numbers):
        return "its value has changed"
    return None


def _slot(region: str, rule: RuleWords) -> bool:
    """Return whether the object of the banned verb is a word that the rule does not know: ``never retry the status call``."""
    match = re.search(r"\b(?:no|not|never|don't)\s+(?:\w+\s+){0,2}?(?P<verb>\w+)\s+(?:the|to|on)\s+[*_`]*(?P<object>\w+)", region, re.IGNORECASE)
    return bool(match and match["object"].lower() not in rule.text and any(word in {item.head for item in rule.rejected} for word, _, _ in concepts(match["verb"])))


def _read_value(rule: RuleWords, statement: Statement, words: set[str]) -> _Reading | None:
    share = len(rule.subject & words) / len(rule.subject) if rule.subject else 0.0
    numbers = {word for word in words if word.startswith("=")}
    if share < 0.3 and not (numbers & set(rule.values) and share > 0):
        return None
    main = rule.values[0]
    if main in numbers:
        others = [value for value in rule.values[1:] if value not in numbers]
        if others and len(numbers) > 1 and any(_unit(value) == _unit(other) for value in numbers - {main} for other in others):
            return _Reading("mutated", 0.5 + share / 2, statement, "one of its values has changed")
        return _Reading("kept", 0.5 + share / 2, statement, "its value stands")
    if _GONE.search(statement.text) or (allows(statement.text) and not numbers):
        return _Reading("inverted", 0.5 + share / 2, statement, "its limit is gone")
    if any(_unit(number) == _unit(main) for number in numbers) and share >= 0.34:
        return _Reading("mutated", 0.5 + share / 2, statement, "its value has changed")
    return _Reading("weakened", 0.5 + share / 2, statement, "its subject is there, its value is not") if share >= 0.3 else None


def _unit(number: str) -> str:
    return re.sub(r"^=[\d.]+", "", number)


def _read_other(rule: RuleWords, statement: Statement, words: set[str]) -> _Reading | None:
    """Read a statement that does not name what is ruled out: the alternative alone, or a ban of the same shape on another thing."""
    item = statement.item or statement.text
    near = words | {word for word, _, _ in concepts(item)}
    got = rule.accepted & near
    telling = {word for word in got if not _plain_word(word) and word not in _ENTITIES}
    share = len(got) / len(rule.accepted) if rule.accepted else 0.0
    own = {word for word, _, _ in concepts(statement.text)}
    if telling and share >= 0.3 and rule.accepted & own:
        strength = max(0.5, share)
        others = {word for alternative in rule.rejected for word in alternative.others} | {entity for entity in rule.entities if entity.startswith("#")}
        if prohibits(_ONLY_MORE.sub("", item)) and _forbids_accepted(item, rule):
            return _Reading("mutated", strength, statement, "it forbids what the rule asks for")
        if _only(statement.text, rule) and not prohibits(_ONLY_MORE.sub("", item)):
            return _Reading("kept", strength, statement, "only the alternative is allowed")
        if prohibits(item) and share >= 0.5 and others & own and not _denies_other(statement.text):
            return _Reading("kept", strength, statement, "the rule stands in other words")
        if prohibits(item) and not softens(item):
            return _Reading("mutated", strength, statement, "a rule of that shape forbids something else")
        if softens(statement.text):
            return _Reading("weakened", strength, statement, "the alternative is preferred, nothing is ruled out")
    places = {word for word in rule.scope if word.endswith("/") or (word.startswith("#") and word not in _GENERIC | _TESTS)}
    if places & own and prohibits(statement.text) and not softens(statement.text) and rule.rejected:
        return _Reading("mutated", 0.5, statement, "a rule for that place forbids something else")
    return None


_ONLY_MORE = re.compile(r"\bnothing else\b|\bno exceptions?\b|\bno other\b|别无其他|没有例外|无一例外", re.IGNORECASE)
_BANS_NEXT = re.compile(r"\b(?:no|not|never|don't|do not|must not)\s+(?:use\s+|push to\s+|set\s+)?|(?:不许|不要|不能|不准|不得|禁止|不)(?:直接)?(?:再)?(?:用|推|引入|使用)?", re.IGNORECASE)


def _forbids_accepted(text: str, rule: RuleWords) -> bool:
    """Return whether a denial is followed at once by what the rule asks for."""
    for match in _BANS_NEXT.finditer(text):
        near = concepts(text[match.end() : match.end() + 16])
        if near and near[0][0] in rule.accepted and near[0][1] <= 2:
            return True
    return False


_TESTS = frozenset(word for word, _, _ in concepts("test table dependency"))


def _denies_other(text: str) -> bool:
    return bool(re.search(r"\b(?:do not|don't|no|never)\s+(?:use\s+)?[A-Z`]", text))


def _only(text: str, rule: RuleWords) -> bool:
    """Return whether a statement demands an alternative alone: the word that demands stands next to it."""
    for match in re.finditer(r"\b(?:only|solely|exclusively|always|must(?: use| be)?|has to be)\b|一律|统一|必须|只(?:能|用|走|许)+", text, re.IGNORECASE):
        around = text[match.end() : match.end() + 24] if match.group().lower() not in {"only", "solely", "exclusively"} else text[max(0, match.start() - 14) : match.end() + 24]
        if any(word in rule.accepted for word, _, _ in concepts(around)):
            if not re.search(r"\bonly\s+(?:for|when|if|in)\b|for the \w+ \w+ only|仅", text, re.IGNORECASE):
                return True
    return False
