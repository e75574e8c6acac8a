"""Cut a reply into blocks: fences, diffs, patches, bare code, quotes, tables, headings, bullets, paragraphs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from backslide.evals.scorers.barecode import is_code_line, is_code_start
from backslide.evals.scorers.mapped import Mapped, pieces

BlockKind = Literal["fence", "diff", "patch", "code", "quote", "table", "heading", "bullet", "paragraph"]

PROSE_KINDS = frozenset({"quote", "table", "heading", "bullet", "paragraph"})


@dataclass(frozen=True)
class Block:
    """A run of lines of one kind.

    `text` is the content without the marks of the kind (fence lines, list marks, `>`, indentation of the fence),
    mapped to the
    reply. `info` is a fence's info string, `level` a heading's depth or a bullet's indentation, `closed` whether a
    fence ends.
    """

    kind: BlockKind
    text: Mapped
    start: int
    end: int
    info: str = ""
    level: int = 0
    closed: bool = True


@dataclass(frozen=True)
class _Line:
    text: str
    start: int
    end: int


_FENCE = re.compile(r"^(?P<lead>[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+|>[ \t]?)*)(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$")
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(?=\S)")
_BOLD_HEADING = re.compile(r"^\s*(?:\*\*|__)[^*_]{1,80}(?:\*\*:?|__:?)\s*:?\s*$")
_BRACKET_HEADING = re.compile(r"^\s*(?:\[[^\]\n]{2,80}\]|【[^】\n]{2,80}】)\s*$")
_BULLET = re.compile(
    r"^(?P<indent>[ \t]*)(?:[-*+•·–—]|\(?\d{1,3}[.)、]|[（(]?[一二三四五六七八九十]{1,3}[、)）])[ \t]*(?=\S)"
    r"(?:\[[ xX]\][ \t]+)?"
)
_QUOTE = re.compile(r"^[ \t]*>[ \t]?")
_TABLE = re.compile(r"^\s*\|.*\|\s*$")
_DIFF_START = re.compile(r"^(?:diff --git |--- (?:a/|/dev/null|\S+\.\w+)|Index: |@@ -\d)")
_DIFF_LINE = re.compile(
    r"^(?:[+\- ]|@@|diff --git |index [0-9a-f]|\\ No newline|(?:new|deleted) file|rename |similarity |"
    r"old mode|new mode|copy )"
)
_PATCH_START = re.compile(r"^\s*\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File: )")
_PATCH_END = re.compile(r"^\s*\*\*\* End Patch")


def blocks(source: Mapped) -> tuple[Block, ...]:
    """Return the blocks of a text in order; every character that is not blank belongs to one.

    An unclosed fence reaches to the end of the text. One pass over the lines.
    """
    lines = _lines(source.text)
    out: list[Block] = []
    index = 0
    while index < len(lines):
        line = lines[index]
        if not line.text.strip():
            index += 1
            continue
        fence = _FENCE.match(line.text)
        if fence:
            block, index = _fence(source, lines, index, fence)
        elif _PATCH_START.match(line.text):
            block, index = _patch(source, lines, index)
        elif _DIFF_START.match(line.text) and _is_diff(lines, index):
            block, index = _diff(source, lines, index)
        elif _is_bare_code(lines, index):
            block, index = _code(source, lines, index)
        else:
            block, index = _prose(source, lines, index)
        out.append(block)
    return tuple(out)


def _lines(text: str) -> list[_Line]:
    out = []
    start = 0
    for raw in text.splitlines(keepends=True):
        bare = raw.rstrip("\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
        out.append(_Line(bare, start, start + len(bare)))
        start += len(raw)
    return out


def _content(source: Mapped, spans: list[tuple[int, int]]) -> Mapped:
    """Return lines joined by the line breaks that follow them in the source."""
    length = len(source.text)
    return pieces(source, ((start, min(end + 1, length)) for start, end in spans))


def _fence(source: Mapped, lines: list[_Line], index: int, opening: re.Match[str]) -> tuple[Block, int]:
    mark = opening["mark"]
    close = re.compile(rf"^[\s>]*{re.escape(mark[0])}{{{len(mark)},}}\s*$")
    lead = opening["lead"]
    quoted = ">" in lead
    indent = len(lead.replace(">", " ").expandtabs(4))
    spans: list[tuple[int, int]] = []
    at = index + 1
    closed = False
    while at < len(lines):
        line = lines[at]
        if close.match(line.text):
            closed = True
            break
        cut = _QUOTE.match(line.text) if quoted else None
        skip = cut.end() if cut else _indentation(line.text, indent)
        spans.append((line.start + skip, line.end))
        at += 1
    end = lines[min(at, len(lines) - 1)].end
    block = Block(
        "fence", _content(source, spans), lines[index].start, end, info=opening["info"].strip(), closed=closed
    )
    return (replace(block, kind="quote") if quoted and not block.info else block), at + 1


def _indentation(text: str, most: int) -> int:
    skip = 0
    while skip < min(most, len(text)) and text[skip] in " \t":
        skip += 1
    return skip


def _is_diff(lines: list[_Line], index: int) -> bool:
    near = [line.text for line in lines[index : index + 6]]
    return near[0].startswith(("diff --git", "@@ -", "Index: ")) or any(
        text.startswith(("+++ ", "@@ ")) for text in near
    )


def _diff(source: Mapped, lines: list[_Line], index: int) -> tuple[Block, int]:
    at = index + 1
    while at < len(lines):
        text = lines[at].text
        if not text:
            following = lines[at + 1].text if at + 1 < len(lines) else ""
            if not re.match(r"[+\- @]|diff --git", following):
                break
        elif not (_DIFF_LINE.match(text) or _DIFF_START.match(text)) or _FENCE.match(text):
            break
        at += 1
    spans = [(line.start, line.end) for line in lines[index:at]]
    return Block("diff", _content(source, spans), lines[index].start, lines[at - 1].end), at


def _patch(source: Mapped, lines: list[_Line], index: int) -> tuple[Block, int]:
    at = index + 1
    closed = False
    while at < len(lines) and not closed:
        closed = bool(_PATCH_END.match(lines[at].text))
        at += 1
    spans = [(line.start, line.end) for line in lines[index:at]]
    return Block("patch", _content(source, spans), lines[index].start, lines[at - 1].end, closed=closed), at


def _is_bare_code(lines: list[_Line], index: int) -> bool:
    text = lines[index].text
    if _BULLET.match(text) and not text.lstrip().startswith(("--", "- name:")):
        return False
    following = lines[index + 1].text if index + 1 < len(lines) else ""
    return is_code_start(text, following)


def _code(source: Mapped, lines: list[_Line], index: int) -> tuple[Block, int]:
    at = index + 1
    last = index
    while at < len(lines):
        text = lines[at].text
        if _FENCE.match(text) or (_HEADING.match(text) and not is_code_line(text)):
            break
        if text.strip():
            if not is_code_line(text):
                break
            last = at
        elif at - last > 1:
            break
        at += 1
    spans = [(line.start, line.end) for line in lines[index : last + 1]]
    return Block("code", _content(source, spans), lines[index].start, lines[last].end), last + 1


def _prose(source: Mapped, lines: list[_Line], index: int) -> tuple[Block, int]:
    line = lines[index]
    heading = _HEADING.match(line.text)
    if heading:
        text = source.cut(line.start + heading.end(), line.end)
        return Block("heading", text, line.start, line.end, level=len(heading[1])), index + 1
    if _BOLD_HEADING.match(line.text) or _BRACKET_HEADING.match(line.text):
        return Block("heading", source.cut(line.start, line.end), line.start, line.end, level=7), index + 1
    if _TABLE.match(line.text):
        return Block("table", source.cut(line.start, line.end), line.start, line.end), index + 1
    if _QUOTE.match(line.text):
        return _run(source, lines, index, "quote")
    if _BULLET.match(line.text):
        return _run(source, lines, index, "bullet")
    return _run(source, lines, index, "paragraph")


def _run(source: Mapped, lines: list[_Line], index: int, kind: BlockKind) -> tuple[Block, int]:
    """Return a quote, bullet or paragraph with its continuation lines."""
    spans: list[tuple[int, int]] = []
    level = 0
    at = index
    while at < len(lines):
        text = lines[at].text
        if not text.strip():
            break
        mark = _QUOTE.match(text) if kind == "quote" else None
        bullet = _BULLET.match(text)
        if at > index:
            if kind == "quote" and not mark:
                break
            if kind != "quote" and (bullet or _starts_other(lines, at)):
                break
        if kind == "bullet" and at == index and bullet:
            level = len(bullet["indent"].expandtabs(4))
            spans.append((lines[at].start + bullet.end(), lines[at].end))
        else:
            skip = mark.end() if mark else _indentation(text, len(text))
            spans.append((lines[at].start + skip, lines[at].end))
        at += 1
    return Block(kind, _content(source, spans), lines[index].start, lines[at - 1].end, level=level), at


def _starts_other(lines: list[_Line], at: int) -> bool:
    text = lines[at].text
    return bool(
        _FENCE.match(text)
        or _HEADING.match(text)
        or _BOLD_HEADING.match(text)
        or _BRACKET_HEADING.match(text)
        or _QUOTE.match(text)
        or _TABLE.match(text)
        or _PATCH_START.match(text)
        or (_DIFF_START.match(text) and _is_diff(lines, at))
        or _is_bare_code(lines, at)
    )
