"""Find what people call an approach in normalised text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_CJK = "[\u3400-\u9fff]"
_WINDOW = 90
"""Characters within which the parts of a compound name stand."""


@dataclass(frozen=True)
class Named:
    """An occurrence of a name: its span in the text, and whether it is only a weak name (a mention, never a
    proposal).
    """

    start: int
    end: int
    weak: bool = False


@dataclass(frozen=True)
class NameTable:
    """The names of one approach.

    `names` are phrases (case and the kind of blank do not matter, `…` stands for up to 60 characters). Each
    compound is a tuple of groups: one phrase of every group has to stand in the same clause. `ambiguous`
    names are also ordinary words and count where they are used as a name. `weak` names only mention the approach.
    """

    names: tuple[str, ...]
    compounds: tuple[tuple[tuple[str, ...], ...], ...] = ()
    ambiguous: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()


def phrase_pattern(phrase: str) -> str:
    """Return the pattern of a phrase: word boundaries at Latin ends, any blanks or hyphens between words, plural
    allowed.
    """
    tokens = re.findall(rf"…|\s+|{_CJK}+|[A-Za-z0-9_]+|.", phrase.strip())
    out: list[str] = []
    for index, token in enumerate(tokens):
        if token == "…":
            out.append(r"[^\n]{0,60}?")
        elif token.isspace() or token == "-":
            out.append(r"[\s_-]*" if token == "-" else r"[\s-]+")
        else:
            if (
                index
                and re.match(_CJK, token) != re.match(_CJK, tokens[index - 1])
                and bool(re.match(_CJK, token)) != bool(re.match(_CJK, tokens[index - 1]))
            ):
                out.append(r"\s*")
            out.append(re.escape(token))
    text = "".join(out)
    first, last = phrase.strip()[0], phrase.strip()[-1]
    if re.match(r"\w", first) and first.isascii():
        text = r"\b" + text
    if re.match(r"[A-Za-z]", last):
        text += r"(?:s|es)?\b"
    elif re.match(r"[0-9_]", last):
        text += r"\b"
    return text


@lru_cache(maxsize=512)
def any_phrase(phrases: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return one pattern for several phrases, the longest first, or None for no phrase. Case does not matter."""
    patterns = [phrase_pattern(phrase) for phrase in sorted(phrases, key=len, reverse=True)]
    # ASCII boundaries: a Chinese character next to a Latin name does not hide it.
    return (
        re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE | re.ASCII) if patterns else None
    )


def find_names(text: str, table: NameTable, code_font: Sequence[tuple[int, int]] = ()) -> list[Named]:
    """Return the occurrences of an approach's names, in order, overlapping ones merged into the longest.

    `code_font` gives the spans that stood in code font: there an ambiguous name is a name.
    """
    found: list[Named] = []
    strong = any_phrase(table.names)
    if strong:
        found.extend(Named(*match.span()) for match in strong.finditer(text))
    for compound in table.compounds:
        found.extend(_compound(text, compound))
    doubtful = any_phrase(table.ambiguous)
    if doubtful:
        found.extend(Named(*match.span()) for match in doubtful.finditer(text) if _is_name(text, match, code_font))
    weak = any_phrase(table.weak)
    if weak:
        found.extend(Named(*match.span(), weak=True) for match in weak.finditer(text))
    found.sort(key=lambda item: (item.start, item.weak, -item.end))
    out: list[Named] = []
    for item in found:
        if out and item.start < out[-1].end:
            shorter = item.end - item.start < out[-1].end - out[-1].start
            if not item.weak and (out[-1].weak or shorter):
                out[-1] = item
            continue
        out.append(item)
    return out


_CLAUSE_BREAK = re.compile(
    r"[;；。！？]|[.!?](?=\s)|，|,\s+(?=(?:and|so|but|yet|though|then|i|we|you|it|this|that|the)\b)", re.IGNORECASE
)


def _compound(text: str, groups: tuple[tuple[str, ...], ...]) -> list[Named]:
    patterns = [any_phrase(group) for group in groups]
    spans = [[match.span() for match in pattern.finditer(text)] if pattern else [] for pattern in patterns]
    if not all(spans):
        return []
    out = []
    anchors = spans[-1]
    positions = [0] * (len(spans) - 1)
    for anchor in anchors:
        low, high = anchor
        complete = True
        for number, others in enumerate(spans[:-1]):
            while positions[number] + 1 < len(others) and others[positions[number] + 1][0] <= anchor[0]:
                positions[number] += 1
            near = others[max(0, positions[number] - 1) : positions[number] + 3]
            near = [
                other
                for other in near
                if (other[1] <= anchor[0] or other[0] >= anchor[1] or other != anchor)
                and max(anchor[1], other[1]) - min(anchor[0], other[0]) <= _WINDOW
                and not _CLAUSE_BREAK.search(text[min(anchor[1], other[1]) : max(anchor[0], other[0])])
            ]
            if not near:
                complete = False
                break
            best = min(near, key=lambda other: abs(other[0] - anchor[0]))
            low, high = min(low, best[0]), max(high, best[1])
        if complete:
            out.append(Named(low, high))
    return out


_ORDINARY_BEFORE = re.compile(
    r"(?:\b(?:a|an|the|this|that|one|any|every|each|last|next|right|few|some|same|very|first|present|"
    r"current|given|spare|brief|small|just a|of the|for a|at|in a)|\d)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_NAME_AFTER = re.compile(
    r"^(?:'s\b|\s*\(|\.\w|@\d|/|\s+(?:library|package|dependency|folder|directory|tree|code\b|side|目录|"
    r"import|module|js|adapter|plugin|object|call|instance|based|version|\d))|^-\w",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(
    r"(?:\b(?:use|using|used|uses|add|adding|added|import|importing|imports|imported|install|"
    r"installing|installed|with|through|via|by|drop|dropped|dropping|remove|removed|removing|without|"
    r"no|on|and|or|than|of|to|from|not|adopt|npm|against|off|avoid|avoiding|like|library|package|"
    r"bring in|brought in|pull in|reach for|touch(?:es|ed|ing)?|edit(?:s|ed|ing)?|patch(?:es|ed|ing)?|"
    r"chang(?:e|es|ed|ing)|modif(?:y|ies|ied|ying)|fr(?:eeze|oze|ozen)|freezing|extend|fix|instead of|"
    r"were|was|for)\s+|^\W*|[:|(]\s*)$",
    re.IGNORECASE,
)


def _is_name(text: str, match: re.Match[str], code_font: Sequence[tuple[int, int]]) -> bool:
    """Return whether an ordinary word is used as a name here."""
    start, end = match.span()
    if any(left <= start and end <= right for left, right in code_font):
        return True
    before, after = text[max(0, start - 40) : start], text[end : end + 40]
    if re.match(r"[\w/.@-]", text[start - 1] if start else " ", re.ASCII) or re.match(r"[a-zA-Z]", after):
        return False
    if _NAME_AFTER.match(after):
        return True
    if re.search(rf"{_CJK}\s*$", before) or re.match(rf"\s*{_CJK}", after):
        return True
    if _ORDINARY_BEFORE.search(before):
        return False
    return bool(_NAME_BEFORE.search(before)) and not re.match(r"^\s+(?:of|ago|later|please|when|while)\b", after)
