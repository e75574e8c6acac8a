"""Cut a reply into lines that know where they stand: in a closed fence, a quotation, a table, a list, in the open."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backslide.evals.scorers.normalise import normalise

_FENCE = re.compile(r"^(?P<lead>[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+|>[ \t]?)*)(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$")
_QUOTE = re.compile(r"^>(?!>{2,})(?!>\s?\w+\s*[:>])")
_TABLE = re.compile(r"^\|.*\|$")
_BULLET = re.compile(r"^(?:[-*+•]|\d{1,3}[.)、])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"^#{1,6}\s+")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=[\w:：])[*_](?!\w)")
_BLANK = "\u200b\u200c\u200d\u2060\ufeff"


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is not blank.

    `start` is the offset of its first non-blank character, `end` that after its last; `raw` is the text between,
    `plain` the same in plain characters, `text` that without marks of emphasis, list and heading. `closed` tells that
    it stands in a fence that ends, or is the mark of a fence; `quoted` that it is a block quotation or a row of a
    table. `gap` counts the blank lines and fence marks right before.
    """

    start: int
    end: int
    raw: str
    text: str
    plain: str
    indent: int
    gap: int
    closed: bool = False
    quoted: bool = False
    bullet: bool = False
    heading: bool = False
    unclosed: bool = False

    @property
    def hidden(self) -> bool:
        """Return whether what stands here is shown rather than said."""
        return self.closed or self.quoted


def is_blank(text: str) -> bool:
    """Return whether a text shows nothing: blanks and characters without width."""
    return not text.strip().strip(_BLANK).strip()


def lines_of(text: str) -> list[Line]:
    """Return the lines of a text that are not blank. One pass: linear in its length."""
    rows = text.splitlines(keepends=True)
    closed = _closed_rows(rows)
    out: list[Line] = []
    start = 0
    gap = 0
    unclosed = False
    for index, row in enumerate(rows):
        bare = row.strip()
        if is_blank(bare) or (index in closed and closed[index] == "open"):
            unclosed = unclosed or closed.get(index) == "open"
            gap += 1
        else:
            first = start + len(row) - len(row.lstrip())
            out.append(_line(bare, row, first, gap, index in closed, unclosed))
            gap = 0
        start += len(row)
    return out


def _line(bare: str, row: str, first: int, gap: int, closed: bool, unclosed: bool) -> Line:
    plain = normalise(bare).text.strip()
    quoted = bool(_QUOTE.match(plain) or _TABLE.match(plain))
    heading = _HEADING.match(plain)
    bullet = None if heading else _BULLET.match(plain)
    mark = heading or bullet
    words = _EMPHASIS.sub("", plain[mark.end() :] if mark else plain).strip()
    indent = len(row[: len(row) - len(row.lstrip())].expandtabs(4))
    return Line(
        first, first + len(bare), bare, words, plain, indent, gap, closed, quoted, bool(bullet), bool(heading), unclosed
    )


def _closed_rows(rows: list[str]) -> dict[int, str]:
    """Return the rows inside fences that end, their marks included; the mark of one that does not end is ``open``."""
    out: dict[int, str] = {}
    index = 0
    nesting = True
    while index < len(rows):
        opening = _FENCE.match(rows[index].rstrip("\r\n")) if _may_be_fence(rows[index]) else None
        if opening is None:
            index += 1
            continue
        end = _end_of_fence(rows, index, opening["mark"], nesting)
        if end is None and nesting:
            nesting = False
            end = _end_of_fence(rows, index, opening["mark"], nesting)
        if end is None:
            # Nothing after it is looked at for fences: what follows may be anything, and the pass stays linear.
            out[index] = "open"
            break
        out.update((at, "closed") for at in range(index, end + 1))
        index = end + 1
    return out


def _end_of_fence(rows: list[str], index: int, mark: str, nesting: bool) -> int | None:
    """Return the row that ends a fence; with `nesting`, a mark with a language in it opens a fence of its own."""
    close = re.compile(rf"^[\s>]*{re.escape(mark[0])}{{{len(mark)},}}\s*$")
    inner = re.compile(rf"^[\s>]*{re.escape(mark[0])}{{{len(mark)},}}\w")
    depth = 1
    for at in range(index + 1, len(rows)):
        if not _may_be_fence(rows[at]):
            continue
        if close.match(rows[at]):
            depth -= 1
        elif nesting and inner.match(rows[at]):
            depth += 1
        if depth == 0:
            return at
    return None


def _may_be_fence(row: str) -> bool:
    return "```" in row or "~~~" in row
