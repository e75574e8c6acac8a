"""The bullets of a summary by what their heading says of them, and the terms that tell what a bullet is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kind = Literal["rejected", "lifted", "other"]

REJECTED_TITLE = re.compile(
    r"reject|ruled[ -]?out|negative constraint|dead[ -]?end|forbidden|prohibit|off[ -]limits|must not|do not|don[’']t|"
    r"avoid|not to (?:be )?(?:do|use)|abandon|discarded|放弃|否决|禁止|不可行|不能做|不要做|排除",
    re.IGNORECASE,
)
LIFTED_TITLE = re.compile(
    r"lifted|replaced|withdrawn|no longer|superseded|revoked|解除|撤销|撤回|已取消|取代|放开", re.IGNORECASE
)
_OTHER_TITLE = re.compile(
    r"\b(?:goals?|decisions?|state|status|progress|next|context|files?|open|done|tasks?|request|summary|hand-?over)\b|"
    r"目标|状态|决策|决定|进展|下一步|上下文|文件|任务|交接",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"^\s{0,3}(?:(?P<hash>#{1,6})\s+(?P<title>.+?)\s*#*|\*\*(?P<bold>[^*]+)\*\*[:：]?|"
    r"\[(?P<bracket>[^\]]+)\][:：]?|【(?P<wide>[^】]+)】[:：]?|(?P<plain>[^\s|>`#*+-][^|>`]{0,59}[:：]))\s*$"
)
BULLET = re.compile(r"^(?P<indent>\s*)(?:[-*+•]|\d+[.)])\s+")
EMPTY = re.compile(
    r"^\W*(?:(?:none|nothing|n/?a|empty)(?: (?:yet|so far|known|at (?:the|this) (?:moment|time|point)))?|"
    r"无|暂无|没有)\W*$|^\W*$",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_MARKED_LEVEL = 7
_PLAIN_LEVEL = 8

_STOP = frozenset(
    re.findall(
        r"\w+",
        "the and for not with that this from into are was were has have had its our your their use used using "
        "must should never any all only but out new old than then them they will would can could may because "
        "since when where which while after before under over again also code file files path paths change "
        "changes rule rules approach user keep kept stay there here been being does did done one two per via no "
        "of to in on at by is be as an it we or do if so up us my me he am ok vs ms kb mb gb don doesn isn aren "
        "won shouldn mustn",
    )
)
_WORD = re.compile(r"[A-Za-z](?:\+\+|#)|[A-Za-z][A-Za-z0-9_]+|[一-鿿]+")
_HEAD_END = re.compile(
    r"\s[—–-]+\s|——|[:](?=\s|$)|\s\(|[：（；，。]|;(?=\s|$)|[,.](?=\s|$)|\bbecause\b|\bsince\b|因为", re.IGNORECASE
)
_PLACE = re.compile(
    r"\s(?:around|in|inside|into|for|on|under|within|at|from|as|across|over|to|behind|between|anywhere|everywhere)"
    r"(?:\s|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Line:
    """A line of a summary and what the headings above it make of it; None is no statement of theirs."""

    text: str
    kind: Kind | None
    heading: bool


def kind_of(title: str) -> Kind | None:
    """Return what a heading says of the bullets below it; None is nothing, so that its parent's word holds.

    A heading that speaks of both, such as "No longer forbidden", is about lifted rules.
    """
    if LIFTED_TITLE.search(title):
        return "lifted"
    if REJECTED_TITLE.search(title):
        return "rejected"
    return "other" if _OTHER_TITLE.search(title) else None


def classified(text: str) -> list[Line]:
    """Return the lines of a Markdown text, each with the word of the nearest heading above it that has one."""
    raw = text.split("\n")
    found: list[Line] = []
    stack: list[tuple[int, Kind | None]] = []
    fenced = False
    for index, line in enumerate(raw):
        if _FENCE.match(line):
            fenced = not fenced
        head = None if fenced else _heading(raw, index)
        if head is not None:
            level, title = head
            while stack and stack[-1][0] >= level:
                stack.pop()
            stack.append((level, kind_of(title)))
        kind = next((kind for _, kind in reversed(stack) if kind is not None), None)
        found.append(Line(line, kind, heading=head is not None))
    return found


def _heading(lines: list[str], index: int) -> tuple[int, str] | None:
    """Return level and title if a line is a heading; a plain line with a colon is one if bullets follow it."""
    match = _HEADING.match(lines[index])
    if match is None:
        return None
    if match["hash"]:
        return len(match["hash"]), match["title"]
    marked = match["bold"] or match["bracket"] or match["wide"]
    if marked:
        return _MARKED_LEVEL, marked
    follows = next((line for line in lines[index + 1 :] if line.strip()), "")
    if BULLET.match(lines[index]) or not BULLET.match(follows):
        return None
    return _PLAIN_LEVEL, match["plain"]


def bullets(text: str, kind: Kind) -> list[str]:
    """Return what stands under the headings of a kind, one text a bullet or paragraph line, markers removed.

    Indented bullets, wrapped lines and fenced code belong to the bullet above them.
    """
    return [item for item in _items(classified(text), kind) if not EMPTY.match(item)]


def _items(lines: list[Line], kind: Kind) -> Iterator[str]:
    current: list[str] = []
    base: int | None = None
    fenced = False
    for line in lines:
        stripped = line.text.strip()
        marker = BULLET.match(line.text)
        within = line.kind == kind and not line.heading
        fence = bool(_FENCE.match(line.text))
        if within and (fenced or fence) and current:
            current.append(stripped)
        elif within and stripped:
            indent = len(marker["indent"].expandtabs(4)) if marker else len(line.text) - len(line.text.lstrip())
            if current and base is not None and indent > base:
                current.append(BULLET.sub("", line.text).strip())
            else:
                yield from _joined(current)
                current = [BULLET.sub("", line.text).strip()]
                base = indent if marker else None
        elif not within:
            yield from _joined(current)
            current, base = [], None
        fenced = fenced != fence
    yield from _joined(current)


def _joined(parts: list[str]) -> Iterator[str]:
    if parts:
        yield " ".join(part for part in parts if part)


@lru_cache(maxsize=8192)
def terms(text: str) -> frozenset[str]:
    """Return the content terms of a text: words without function words, Chinese as pairs of characters."""
    found: set[str] = set()
    for word in _WORD.findall(text):
        if word[0] >= "一":
            found.update(word[i : i + 2] for i in range(len(word) - 1))
            continue
        lower = word.lower()
        if lower not in _STOP:
            found.add(lower[:-1] if lower.endswith("s") and len(lower) > 3 and not lower.endswith("ss") else lower)
    return frozenset(found)


def figures(text: str) -> frozenset[str]:
    """Return the numbers of a text as they are written."""
    return frozenset(re.findall(r"\d+(?:[.,]\d+)*", text))


def head(bullet: str) -> str:
    """Return what a bullet is about: its words before the reason."""
    for match in _HEAD_END.finditer(bullet):
        before = bullet[: match.start()]
        if before.count("`") % 2 == 0 and terms(before):
            return before
    return bullet


def core(bullet: str) -> str:
    """Return the thing itself in what a bullet is about, without where it would be used."""
    subject = head(bullet)
    match = _PLACE.search(subject)
    return subject[: match.start()] if match and terms(subject[: match.start()]) else subject


def names(text: str) -> frozenset[str]:
    """Return the terms of a text that look like names: inner capitals, underscores, digits, or code spans."""
    spans = " ".join(re.findall(r"`([^`]+)`", text))
    shaped = re.findall(r"\b(?:[A-Za-z]+[A-Z0-9_][A-Za-z0-9_]*|[A-Z]{2,})\b", text)
    return terms(spans) | terms(" ".join(shaped))
