"""Read a statement that does not name what a rule rules out: the alternative alone, or a ban on something else."""

from __future__ import annotations

import re

from backslide.evals.scorers.concepts import concepts
from backslide.evals.scorers.force import prohibits, softens
from backslide.evals.scorers.moved import GENERIC
from backslide.evals.scorers.rulewords import RuleWords
from backslide.evals.scorers.statements import Statement
from backslide.evals.scorers.values import Found

_ENTITIES = frozenset(
    word
    for word, _, _ in concepts(
        "column field table order user test migration file log upload endpoint message query branch parameter "
        "cache interrupt isr worker loop payment refund tools dependency"
    )
)


_PLAIN = frozenset(
    word for word, _, _ in concepts("push charge sleep edit delete log match process key lock thread pool file")
)


def plain_word(word: str) -> bool:
    """Return whether a concept is one whose word is common outside of programs as well."""
    return word in _PLAIN


def read_other(rule: RuleWords, statement: Statement, words: set[str]) -> Found | None:
    """Read a statement that does not name what is ruled out: the alternative alone, or a ban of the same shape on
    another thing.
    """
    item = statement.item or statement.text
    near = words | {word for word, _, _ in concepts(item)}
    got = rule.accepted & near
    telling = {word for word in got if not plain_word(word) and word not in _ENTITIES}
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
        if prohibits(item) and share >= 0.5 and others & own and not _denies_other(item, rule):
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


_DENIED_NAME = re.compile(
    r"\b(?:do not|don't|no|never|must not)\s+(?:use |be parsed with |import )?`?(?P<en>[\w.-]{3,})|"
    r"(?:不要|不许|禁止|不能|不得|不)(?:再|直接)?(?:引入|使用|用|推)\s*(?P<zh>[\w.-]{3,})",
    re.IGNORECASE | re.ASCII,
)


def _denies_other(text: str, rule: RuleWords) -> bool:
    """Return whether the name right after a denial is one that the rule does not know."""
    for match in _DENIED_NAME.finditer(text):
        name = (match["en"] or match["zh"]).lower()
        if name not in rule.text and not any(word in rule.everything for word, _, _ in concepts(name)):
            return True
    return False


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
        spoken = {word for word, _, _ in concepts(text)}
        about = (rule.entities | rule.scope) & spoken and rule.accepted & spoken
        if about or any(word in rule.accepted for word, _, _ in concepts(around)):
            return not re.search(r"\bonly\s+(?:for|when|if|in)\b|for the \w+ \w+ only|仅", text, re.IGNORECASE)
    return False
