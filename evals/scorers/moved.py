"""Tell a rule from another of the same shape: other place, other entity, other replacement, other value."""

from __future__ import annotations

import re

from backslide.evals.scorers.concepts import concepts
from backslide.evals.scorers.force import prohibits
from backslide.evals.scorers.rulewords import RuleWords
from backslide.evals.scorers.statements import Statement

_EXCEPTION = re.compile(
    r"\b(?:except|unless|apart from|other than|as long as|save for)\b|除了|除非|只要", re.IGNORECASE
)


_EXEMPTS = re.compile(r"no exceptions?|without exception|except(?:ion)?s?\b(?= (?:handler|class|type))", re.IGNORECASE)


_REPLACES = re.compile(
    r"\b(?:use|against|via)\s+`?(?P<en>[\w.-]{3,})|(?:用|走|统一|改用|置|到)\s*`?(?P<zh>[\w.-]{3,})",
    re.IGNORECASE,
)


GENERIC = frozenset(
    word
    for word, _, _ in concepts(
        "edit version name size type process key http request config library comment second minute store endpoint "
        "list match memory global static lock"
    )
    if word not in {found for found, _, _ in concepts("user file")}
)


_ZH_PLACE = re.compile(
    r"(?:^|[，。；：、\s])(?P<place>[\u3400-\u9fff\w/.]{1,10}?)(?:目录|包|模块)?(?:里|中|内|"
    r"这个 ?\w+)(?:面)?(?=[，、]?(?:也|都|一律)?(?:不|禁|严禁|别|勿))"
)


_EN_PLACE = re.compile(r"\b(?:inside|in|within|under|for)\s+(?:the\s+)?(?P<place>[\w./-]+)", re.IGNORECASE)


_ANYWHERE = re.compile(
    r"代码|项目|仓库|全|整个|本|这|任何|everywhere|anywhere|project|code|repo|either|both|there|it\b|here",
    re.IGNORECASE,
)


_NARROWS = re.compile(
    r"\b(?:inside|only in|only for|only when) (?:the )?\w+|仅(?:限|在)|只在|只限|只有|(?:测试|正式代码)里",
    re.IGNORECASE,
)


_LAYER = re.compile(
    r"\b(?:in|for) (?:the |our )?(?P<place>\w+) (?:code|crate|module|package|"
    r"service|helpers?|layer|scripts?|environment|env|mode|builds?)\b",
    re.IGNORECASE,
)
_OWN_NAME = re.compile(r"\b[a-z]+[A-Z]\w*\b")
_CAMEL = re.compile(r"\b(?:[A-Z][a-z]+){2,}\b")
_PREDICATE = re.compile(r"\b(?:is|are|stays?|must be)\s+(?P<style>\w+[-_]\w+)")
_ACRONYM = re.compile(r"\b[A-Z]{3,}\b")


_SPEAKER = frozenset(word for word, _, _ in concepts("user"))


_ZH_ANYWHERE = re.compile(r"(?:全部|所有|整个|本|这个?|那个?|任何|我们的?)?(?:代码库?|项目|仓库|工程)?")


def _banned_part(region: str) -> str:
    """Return the parts between commas that deny something, or the whole."""
    parts = [part for part in re.split(r"[,，;；]", region) if prohibits(part)]
    return " ".join(parts) or region


def local_words(text: str) -> set[str]:
    """Return the concepts of a piece of text."""
    return {word for word, _, _ in concepts(text)}


def moved(rule: RuleWords, statement: Statement, words: set[str], region: str) -> str | None:
    """Return why a ban is another one than the rule's: other place, entity, replacement or value, an exception; or
    None.
    """
    words = words | local_words(statement.item)
    paths = {word for word in words if word.endswith("/")}
    wanted = {word for word in rule.everything - rule.exempt if word.endswith("/")}
    if (
        wanted
        and paths
        and not any(path.startswith(want) or want.startswith(path) for path in paths for want in wanted)
    ):
        return "it holds for another place"
    if not wanted and not rule.scope and _NARROWS.search(statement.text):
        return "it is narrowed to a place"
    for match in _LAYER.finditer(region):
        if match["place"].lower() not in rule.text and match["place"].lower() not in {
            "all",
            "any",
            "every",
            "both",
            "either",
            "our",
            "this",
            "new",
        }:
            return "it is narrowed to a place"
    names = {name.lower() for name in _OWN_NAME.findall(rule.source)}
    said = statement.item or statement.text
    if names & rule.entities and _OWN_NAME.search(said) and not any(name in said.lower() for name in names):
        return "it speaks of another name"
    acronyms = {word for word in _ACRONYM.findall(region) if word.lower() not in rule.text}
    if acronyms and any(
        item.head in local_words(region) and item.others - local_words(region) for item in rule.rejected
    ):
        return "it speaks of something else"
    for match in _ZH_PLACE.finditer(statement.text):
        place = match["place"].lower()
        if (
            place not in rule.text
            and not _ZH_ANYWHERE.fullmatch(place)
            and not any(word in rule.everything for word, _, _ in concepts(place))
        ):
            return "it holds for another place"
    for match in _EN_PLACE.finditer(region):
        place = match["place"].lower().strip("*_")
        if rule.scope and not rule.scope & words and place not in rule.text and not _ANYWHERE.search(place):
            return "it holds for another place"
    local = local_words(_banned_part(region))
    lead = {word for word, _, _ in concepts(statement.text[: statement.text.find(region) + len(region)])}
    entities = rule.entities | rule.scope | rule.subject | {other for item in rule.rejected for other in item.others}
    needed = {word for word in entities if (word.startswith("#") and word not in GENERIC) or word.endswith("/")}
    theirs = {word for word in lead if word.startswith("#") and word not in GENERIC} - rule.everything - _SPEAKER
    if needed and theirs and not needed & words:
        return "it speaks of something else"
    parts = {word for item in rule.rejected for word in (item.head, *item.others)}
    missing = [item for item in rule.rejected if item.head in local and item.others and not item.others & local]
    whole = [item for item in rule.rejected if item.head in local and (not item.others or item.others & local)]
    if missing and not whole and (rule.accepted - parts) & local and prohibits(region):
        return "it forbids what the rule asks for"
    foreign = [name for name in _CAMEL.findall(region) if name.lower() not in rule.text]
    if (missing and not whole and (foreign or _slot(region, rule))) or (
        not whole and _CALLED.search(statement.text) and _slot(statement.text, rule)
    ):
        return "it forbids the same for something else"
    said_to_be = _PREDICATE.search(statement.text)
    if rule.accepted and not rule.accepted & words and said_to_be and said_to_be["style"].lower() not in rule.text:
        return "it asks for something else"
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
    if (
        rule.values
        and numbers
        and not numbers & set(rule.values)
        and any(unit_of(number) == unit_of(rule.values[0]) for number in numbers)
    ):
        return "its value has changed"
    return None


_CALLED = re.compile(
    r"\b(?:the|a)\s+[*_`]*(?P<en>\w+)[*_`]*\s+(?:calls?|requests?|endpoint|job)\b|(?P<zh>[\u3400-\u9fff]{2})(?:接口|请求|任务)",
    re.IGNORECASE,
)


def _slot(region: str, rule: RuleWords) -> bool:
    """Return whether the object of the banned verb is a word that the rule does not know: ``never retry the status
    call``.
    """
    for passive in _CALLED.finditer(region):
        name = (passive["en"] or passive["zh"]).lower()
        if name not in rule.text and not any(word in rule.everything for word, _, _ in concepts(name)):
            return True
    match = re.search(
        r"\b(?:no|not|never|don't)\s+(?:\w+\s+){0,2}?(?P<verb>\w+)\s+(?:the|to|on)\s+[*_`]*(?P<object>\w+)",
        region,
        re.IGNORECASE,
    )
    return bool(
        match
        and match["object"].lower() not in rule.text
        and any(word in {item.head for item in rule.rejected} for word, _, _ in concepts(match["verb"]))
    )


def unit_of(number: str) -> str:
    """Return the unit of a number's concept: ``s`` of ``=5s``."""
    return re.sub(r"^=[\d.]+", "", number)
