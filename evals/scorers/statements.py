"""Cut what a model reads into statements, each with the heading it stands under."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from backslide.evals.scorers.force import heading_force
from backslide.evals.scorers.mapped import Mapped, whole
from backslide.evals.scorers.normalise import normalise
from backslide.evals.scorers.sentences import sentences


@dataclass(frozen=True)
class Statement:
    """One statement: plain text, its way back to the offsets of the source, and what its heading says of it.

    `heading` is the heading's plain text, `under` the force it lends (``ban``, ``allow``, ``soft`` or ``none``),
    `follow` the next
    sentence when it only goes on about this one ("That is out."), `item` the whole list item or paragraph if it is
    short.
    """

    text: str
    source: Mapped
    start: int
    heading: str = ""
    under: str = "none"
    follow: str = ""
    item: str = ""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return a span of the statement in the source."""
        return self.source.span(self.start + start, self.start + end)

    def whole_span(self) -> tuple[int, int]:
        """Return the span of the whole statement in the source."""
        return self.span(0, len(self.text))


_HEADING = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+(?P<hash>\S[^\n]{0,120})|(?:\*\*|__)(?P<bold>[^*_\n]{2,80})(?:\*\*|__):?|"
    r"【(?P<cjk>[^】\n]{1,60})】[ \t]*$|\[(?P<bracket>[^\]\n]{2,80})\][ \t]*$|"
    r"(?P<line>[A-Z\u3400-\u9fff][^\n.。!?；;|]{2,70}?)[:：]?[ \t]*(?=\n[ \t]*(?:[-*•+]|"
    r"\d+[.)])[ \t]))[ \t]*:?[ \t]*$|【(?P<lead>[^】\n]{1,60})】(?=\S)",
    re.MULTILINE,
)
_ITEM = re.compile(r"(?m)^[ \t]*(?:[-*•+]|\d{1,3}[.)、]|[a-z][.)]|[（(]?[一二三四五六七八九十]{1,3}[、)）])[ \t]*")
_CUT = re.compile(r"[;；](?=\s|[\u3400-\u9fff]|$)")
_GOES_ON = re.compile(
    r"^(?:(?:that|this|it|they|those|these|both|neither|which)\b|do(?:n't| not) (?:bring|propose|use|"
    r"do|try|suggest|touch|reintroduce|go)\b|never again|not again|so (?:no|don't|do not)\b|out\b|"
    r"no\b[.!]?$|(?:这|它|该|此|都|别再|不要再|不再|以后|今后|因此|所以|到此))",
    re.IGNORECASE,
)
_SHORT = 220
"""Characters of an item whose parts are read together."""

_LABEL = re.compile(r"^(?P<label>[^:：\n]{2,40})[:：]\s*(?=\S)")


def statements(text: str, near: Sequence[tuple[int, int]] | None = None) -> Iterator[Statement]:
    """Yield the statements of a text; with `near`, only those of the lines around some spans.

    List marks and Markdown emphasis are dropped. A paragraph's sentences and the parts between semicolons are
    statements of their own; a heading's force carries to everything up to the next heading.
    """
    headings = [(match.start(), match.end(), _title(match)) for match in _HEADING.finditer(text)]
    starts = [start for start, _, _ in headings]
    for low, high in _regions(text, near):
        for start, end in _items(text, low, high):
            index = bisect_right(starts, start) - 1
            if index >= 0 and headings[index][0] <= start and headings[index][1] >= end:
                continue
            begin = max(start, headings[index][1]) if index >= 0 else start
            yield from _of_item(text, begin, end, headings[index][2] if index >= 0 else "")


def _title(match: re.Match[str]) -> str:
    return next((match[name] for name in ("hash", "bold", "cjk", "bracket", "line", "lead") if match[name]), "").strip(
        " *_#:："
    )


def _regions(text: str, near: Sequence[tuple[int, int]] | None) -> Iterator[tuple[int, int]]:
    """Yield the paragraphs that hold the spans, merged; or the whole text."""
    if near is None:
        yield 0, len(text)
        return
    done = 0
    for start, end in sorted(near):
        if end <= done:
            continue
        low = max(text.rfind("\n\n", max(0, start - 3000), start), done)
        low = max(low, start - 3000, 0)
        high = text.find("\n\n", end, end + 3000)
        high = min(len(text), end + 3000) if high < 0 else high
        yield max(low, done), high
        done = high


def _items(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield list items and paragraphs: a blank line or a list mark begins a new one."""
    position = low
    begin: int | None = None
    for line in text[low:high].splitlines(keepends=True):
        start = position
        position += len(line)
        mark = _ITEM.match(line)
        blank = not line.strip()
        heading = bool(_HEADING.match(line.rstrip("\n"))) and not mark
        if begin is not None and (blank or mark or heading or line.lstrip().startswith(("|", ">", "["))):
            yield begin, start
            begin = None
        if not blank and begin is None:
            begin = start + (mark.end() if mark else 0)
        if heading:
            yield start, position
            begin = None
    if begin is not None:
        yield begin, high


def _of_item(text: str, start: int, end: int, heading: str) -> Iterator[Statement]:
    source = whole(text).cut(start, end)
    plain = normalise(Mapped(source.text, (0,), (start,)), markup=True)
    flat = plain.text.replace("\n", " ")
    under = heading_force(heading)
    parts: list[tuple[str, int]] = []
    for sentence in sentences(flat):
        position = 0
        for cut in _CUT.finditer(sentence.text):
            parts.append((sentence.text[position : cut.start()], sentence.start + position))
            position = cut.end()
        parts.append((sentence.text[position:], sentence.start + position))
    label = ""
    for number, (piece, offset) in enumerate(parts):
        body = piece.strip()
        if not body:
            continue
        lead = len(piece) - len(piece.lstrip())
        follow = parts[number + 1][0].strip() if number + 1 < len(parts) else ""
        named = _LABEL.match(body)
        if number == 0 and named:
            label = named["label"]
        force = under
        if force == "none" and number == 0 and named and heading_force(label) == "ban":
            force = "ban"
        if force == "none" and label and number > 0:
            force = heading_force(label)
        goes_on = follow if _GOES_ON.match(follow) else ""
        yield Statement(body, plain, offset + lead, heading, force, goes_on, flat if len(flat) < _SHORT else body)
