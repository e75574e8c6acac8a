"""Read a rule in free words: what it rules out, what it asks for, where it holds, which values it names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from backslide.evals.scorers.concepts import concepts
from backslide.evals.scorers.force import prohibits
from backslide.evals.scorers.normalise import normalise


@dataclass(frozen=True)
class Alternative:
    """One of the things a rule rules out: the concept that carries it, and what goes with it."""

    head: str
    others: frozenset[str] = frozenset()


@dataclass(frozen=True)
class RuleWords:
    """A rule as concepts.

    `rejected` are alternatives, `accepted` the concepts of what is asked for instead, `scope` paths and places
    where it holds,
    `entities` what it speaks of besides, `values` its numbers with units, `subject` the concepts of the part with
    the value.
    `ordinary` are words of the rule that are common English words too, `exempt` the places where it does not hold.
    """

    rejected: tuple[Alternative, ...]
    accepted: frozenset[str]
    scope: frozenset[str]
    entities: frozenset[str]
    values: tuple[str, ...]
    subject: frozenset[str]
    ordinary: frozenset[str]
    exempt: frozenset[str] = frozenset()
    text: str = ""
    source: str = ""

    @property
    def everything(self) -> frozenset[str]:
        """Return every concept of the rule."""
        heads = {item.head for item in self.rejected} | {word for item in self.rejected for word in item.others}
        return frozenset(heads) | self.accepted | self.scope | self.entities | self.subject


_STOP = frozenset(
    re.findall(
        r"\S+",
        """
the a an to of for and or nor but so as is are was were be been being it its this that these those there with
without by from at on in into inside under within no not never do does don dont must mustnt should shouldnt
may might can cannot cant will would wont have has had any all every each other more than then when while
until after before over instead rather use used uses using add adds added introduce call calls called pass
import imports make makes go goes run runs keep keeps hold holding put out off one two only open please here
per via also too we i you they our your their us new code block blocks function functions statement statements
thing things way ways approach bring set get let lets need needs owned reached larger bigger smaller most
least up blocks time style styles way rejected reject forbidden banned allowed required exactly always around
because since if unless etc such like just own which who whom whose what where how ruled rule rules
""",
    )
)
"""Words of a rule that carry no concept."""
_GENERIC_VERBS = frozenset(
    word
    for word, _, _ in concepts(
        "edit parse move write contain appear show put store reach take have make dependency file"
    )
)
_ORDINARY = frozenset(
    re.findall(
        r"\S+",
        """
any moment main match process go store key name log push catch charge sleep pool shell list order field type
table order message channel master test port size token delete
""",
    )
)
"""Terms that are common English words too."""
_CLAUSE = re.compile(
    r"[.;:。；：](?=\s|[\u3400-\u9fff]|$)|，|,\s+(?=(?:use|pass|but|and use|write|always|it|they|only|"
    r"open|add|no|not|never|dates)\b)|\s[–—-]+\s|\b(?=instead of\b|rather than\b)"
)
_REASON = re.compile(r"^\W*(?:it is|it's|because|since|too|they|reason|for|as)\b|^\W*(?:因为|由于|太)", re.IGNORECASE)
_COPULA = re.compile(
    r"\b(?:is|are|stays?|remains?|lives? in|goes through|go through)\b|必须用|一律用|由|都用", re.IGNORECASE
)
_EXEMPT = re.compile(r"\b(?:fine|allowed|ok(?:ay)?|permitted|may|can)\b|可以|允许|不限", re.IGNORECASE)
_SPLIT = re.compile(r"\s+(?:or|and|nor)\s+|\s*[,/|、]\s*(?![^()]*\.)|或者?|和|与|及|以及")
_PLACE = re.compile(
    r"\b(?:in|inside|within|on|for|of)\s+(?:the\s+|any\s+|all\s+|"
    r"our\s+)?(?P<en>[\w./-]+(?:\s+(?:types?|crates?|calls?|files?|tables?))?)|"
    r"\bunder\s+(?P<under>[\w.-]+/[\w./-]*)|(?P<zh>[\w./-]+|[\u3400-\u9fff]{1,6}?)\s*(?:目录)?(?:里|下|中|"
    r"内|上)(?:面)?的?",
    re.IGNORECASE,
)


@lru_cache(maxsize=512)
def rule_words(rule: str) -> RuleWords:
    """Return the concepts of a rule in free words, English or Chinese."""
    plain = normalise(rule, markup=False).text
    code = {match[1].lower() for match in re.finditer(r"`([^`\n]+)`", plain)}
    text = plain.replace("`", "")
    rejected: list[Alternative] = []
    accepted: set[str] = set()
    scope: set[str] = set()
    entities: set[str] = set()
    values: list[str] = []
    subject: set[str] = set()
    exempt: set[str] = set()
    for clause in _clauses(text):
        found = _content(clause, code)
        numbers = [word for word, _, _ in found if word.startswith("=")]
        words = [item for item in found if not item[0].startswith("=")]
        places = _places(clause) if not re.match(r"^\W*[\w./-]+/\s+(?:is|are|目录)", clause) else set()
        if numbers:
            values.extend(numbers)
            subject.update(word for word, _, _ in words if word not in places)
        negative = prohibits(clause)
        if not negative and places and _EXEMPT.search(clause):
            exempt |= places
            continue
        if negative and not (numbers and not re.search(r"\b(?:no|never|not)\b|不|禁", clause, re.IGNORECASE)):
            scope |= places
            rejected.extend(_alternatives(clause, words, places, entities, bool(rejected)))
        elif not numbers and not _REASON.match(clause):
            scope |= {place for place in places if "/" in place}
            copula = _COPULA.search(clause)
            for word, start, _ in words:
                if copula and start < copula.start():
                    entities.add(word)
                elif copula or rejected or _asks(clause):
                    accepted.add(word)
                else:
                    entities.add(word)
    heads = {item.head for item in rejected}
    ordinary = {word for word in _words(text) if word in _ORDINARY}
    return RuleWords(
        tuple(rejected),
        frozenset(accepted - heads - scope),
        frozenset(scope),
        frozenset(entities - heads),
        tuple(dict.fromkeys(values)),
        frozenset(subject),
        frozenset(ordinary),
        frozenset(exempt),
        text.lower(),
        rule,
    )


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z_]+", text.lower())


def _asks(clause: str) -> bool:
    return bool(
        re.search(
            r"\b(?:use|must|only|always|pass|open|write|goes? through)\b|用|走|必须|统一|一律|只", clause, re.IGNORECASE
        )
    )


def _clauses(text: str) -> list[str]:
    out = []
    position = 0
    for match in _CLAUSE.finditer(text):
        if text[position : match.start()].strip():
            out.append(text[position : match.start()])
        position = match.end()
    if text[position:].strip():
        out.append(text[position:])
    return out


def _content(clause: str, code: set[str]) -> list[tuple[str, int, int]]:
    low = clause.lower()
    chinese = bool(re.search("[\u3400-\u9fff]", clause))
    out = []
    for word, start, end in concepts(clause):
        surface = low[start:end].removesuffix("()")
        if surface in _STOP and surface not in code and not chinese:
            continue
        if len(surface) == 1 and not surface.isdigit() and not re.match("[\u3400-\u9fff]", surface):
            continue
        out.append((word, start, end))
    return out


def _places(clause: str) -> set[str]:
    out: set[str] = set()
    for match in _PLACE.finditer(clause):
        text = match["en"] or match["under"] or match["zh"] or ""
        out.update(
            word
            for word, start, end in concepts(text)
            if text[start:end].lower() not in _STOP and not word.startswith("=")
        )
    return out


def _alternatives(
    clause: str, words: list[tuple[str, int, int]], places: set[str], entities: set[str], known: bool
) -> list[Alternative]:
    """Return what a negative clause rules out, one alternative for each part of its list."""
    marker = re.search(
        r"\b(?:no|not|never|don't|without|mustn't|avoid|forbid|instead of|rather than)\b|n't\b|不(?:要|许|能|"
        r"准|得|可)?(?:再|用|引入|使用)?|禁(?:止|用)|严禁|勿|别",
        clause,
        re.IGNORECASE,
    )
    frozen = re.search(
        r"\b(?:is|are) (?:frozen|off[- ]limits|forbidden|ruled out|banned|rejected|out)\b|冻结|不行",
        clause,
        re.IGNORECASE,
    )
    lead = 0
    if (
        marker
        and any(start >= marker.end() for _, start, _ in words)
        and not (frozen and frozen.start() <= marker.start())
    ):
        lead = marker.end()
    entities.update(word for word, start, _ in words if start < lead and word not in places)
    after = [(word, start) for word, start, _ in words if start >= lead]
    inside = [item for item in after if item[0] not in places] or after
    if not inside:
        inside = [(word, start) for word, start, _ in words]
    parts = [0, *[match.start() for match in _SPLIT.finditer(clause)], len(clause)]
    out: list[Alternative] = []
    shared: list[str] = []
    for low, high in pairwise(parts):
        group = [word for word, start in inside if low <= start < high]
        if not group:
            continue
        group = list(dict.fromkeys(group))
        if group[0] in _GENERIC_VERBS:
            group = [word for word in group if word not in _GENERIC_VERBS] + [
                word for word in group if word in _GENERIC_VERBS
            ]
            if group[0] in _GENERIC_VERBS and (high < len(clause) or out or known):
                continue
        if len(group) > 1 and not out:
            shared = group[:1] if _is_verb(group[0]) else []
        if out and shared and group[0] != shared[0]:
            out.append(Alternative(group[0], frozenset(group[1:]) | frozenset(shared)))
        else:
            out.append(Alternative(group[0], frozenset(group[1:])))
    return out


def _is_verb(word: str) -> bool:
    return word in {
        item[0]
        for verb in ("edit", "catch", "parse", "push", "retry", "delete", "log", "deploy")
        for item in concepts(verb)
    }
