"""Splits payload text into statements, for the simulated models only.

A statement is a sentence, a bullet, a heading, a table row or a comment in code, in English or Chinese. Nothing
here is shared with a scorer: what a simulated reader sees and what a scorer sees must be able to differ.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kind = Literal["heading", "bullet", "sentence", "comment", "code"]


@dataclass(frozen=True)
class Statement:
    """One statement with the titles it stands under, outermost first.

    `titles` holds headings, a lead-in line that ends in a colon, and parent bullets. `block` numbers the paragraph
    or bullet, so that neighbours in one block can be told from neighbours in two.
    """

    text: str
    kind: Kind
    titles: tuple[str, ...] = ()
    block: int = 0


HEADING = re.compile(r"(?P<marks>#{1,6})\s+(?P<title>\S.*?)\s*#*$")
BOLD_LINE = re.compile(r"(?:\d+[.)]\s+)?(?:\*\*|__)(?P<title>[^*_\n]{2,80}?)[:：]?(?:\*\*|__)[:：]?$")
BRACKET_LINE = re.compile(r"(?:\[(?P<square>[^\]\n]{2,80})\]|【(?P<round>[^】\n]{2,80})】)[:：]?$")
_BULLET = re.compile(r"(?P<indent>\s*)(?:[-*+•‣·]|\d{1,3}[.)、]|\([a-z\d]\))\s+(?P<text>\S.*)$")
_FENCE = re.compile(r"\s*(```|~~~)")
_TABLE = re.compile(r"\s*\|(.+)\|\s*$")
_PREFIX = re.compile(r"^(?:[\w./@+-]+\.\w{1,6}[:-]\d+[:-](?:\d+[:-])?|\s*\d{1,5}(?:\s*[|│:→]|\t)\s?)")
_COMMENT = re.compile(
    r"(?:^|\s)(?://+!?|#(?!!)|--(?=\s)|/\*+|<!--|;;|\*(?=\s))\s?(?P<text>[^\n]*?)(?:\s*(?:\*/|-->))?$"
)
_CODE = re.compile(
    r"[{};]\s*$|=>|::|==|!=|&&|\|\||\w\(\S{0,80}?\)|^\s*(?:@\w|[<>]|[)}\]]|(?:def|class|fn|let|const|var"
    r"|import|return|pub|"
    r"func|struct|enum|impl|static|async|export|private|public|package|use)\s.*[(){};:=])"
)
_END = re.compile(
    r"(?:(?<![。！？；])[。！？；]+[\"”’」』）)]*|(?<![.!?])[.!?]+[\"”’)\]*_`]*(?=\s|$|[\u4e00-\u9fff]))\s*"
)
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:(?i:e\.g|i\.e|vs|etc|cf|approx|fig|dr|mr|mrs|st|al|pp?|incl|resp)|[A-Z])\.$")
_CJK = re.compile(r"[\u3400-\u9fff]")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
_PUNCTUATION = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
_EMPHASIS = re.compile(r"[*`]+|(?<!\w)_+|(?<!_)_+(?!\w)|~~")


LONGEST_RECORD = 2000
"""Characters of one line of tool output that a reader takes in."""


def fold(text: str) -> str:
    """Return `text` as a reader hears it: one case, one width, no emphasis marks, single spaces."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_INVISIBLE)).translate(_PUNCTUATION)
    return " ".join(_EMPHASIS.sub("", text).lower().split())


def is_chinese(text: str) -> bool:
    """Return whether Chinese characters make up a noticeable part of `text`."""
    return len(_CJK.findall(text)) * 8 > len(text)


def title_of(line: str) -> tuple[int, str] | None:
    """Return level and title if the line is a heading: ``#``, a bold line (7), or a bracketed line (8)."""
    line = line.strip()
    if match := HEADING.match(line):
        return len(match["marks"]), match["title"]
    if match := BOLD_LINE.match(line):
        return 7, match["title"].strip()
    if match := BRACKET_LINE.match(line):
        return 8, (match["square"] or match["round"]).strip()
    return None


def sentences(text: str) -> list[str]:
    """Split one paragraph into sentences; abbreviations, figures and file names do not end one."""
    found, start = [], 0
    for match in _END.finditer(text):
        end = match.end()
        piece = text[start:end].strip()
        if match[0][0] == "." and (_ABBREVIATION.search(piece) or (match[0][:3] == "..." and end < len(text))):
            continue
        if piece:
            found.append(piece)
        start = end
    if rest := text[start:].strip():
        found.append(rest)
    return found


def comment_of(line: str) -> str | None:
    """Return the comment on a line of code, or None."""
    match = _COMMENT.search(line)
    return match["text"].strip() if match and match["text"].strip() else None


def looks_like_code(line: str) -> bool:
    """Return whether a line reads as code or as a record of a log, not as prose."""
    return _CODE.search(line) is not None


@lru_cache(maxsize=8192)
def statements(text: str, log: bool = False) -> tuple[Statement, ...]:
    """Split `text` into statements in order.

    With `log` the text is a tool's output: a line is a record of its own unless it plainly continues the one
    before, ``path:line:`` prefixes are cut off, and a single ``#`` opens a comment rather than a heading.
    """
    splitter = _Splitter(log)
    for line in text.splitlines():
        splitter.feed(line)
    splitter.flush()
    return tuple(splitter.found)


class _Splitter:
    """Collects statements line by line; `pending` is the open paragraph, bullet or run of comments."""

    def __init__(self, log: bool) -> None:
        self.log = log
        self.found: list[Statement] = []
        self.headings: list[tuple[int, str]] = []
        self.bullets: list[tuple[int, str]] = []
        self.lead: str | None = None
        self.pending: list[str] = []
        self.pending_kind: Kind = "sentence"
        self.fenced = False
        self.blank = False
        self.block = 0

    def feed(self, line: str) -> None:
        if _FENCE.match(line):
            self.flush()
            self.fenced = not self.fenced
            return
        if self.log:
            line = _PREFIX.sub("", line[:LONGEST_RECORD])
        if not line.strip():
            self.flush()
            self.blank = True
            return
        if self.fenced or (self.log and self._is_comment_line(line)):
            self._code(line)
        elif (title := title_of(line)) is not None:
            self._heading(*title)
        elif bullet := _BULLET.match(line):
            self._bullet(len(bullet["indent"].expandtabs(4)), bullet["text"])
        elif row := _TABLE.match(line):
            self._open("bullet", " | ".join(cell.strip() for cell in row[1].split("|") if cell.strip(" -:")))
        elif self.log and looks_like_code(line):
            self._code(line)
        else:
            self._prose(line)
        self.blank = False

    def flush(self) -> None:
        if not self.pending:
            return
        text = _join(self.pending)
        kind, self.pending = self.pending_kind, []
        titles = self._titles()
        for sentence in sentences(text):
            self.found.append(Statement(sentence, kind, titles, self.block))
        if kind == "bullet":
            self.bullets[-1:] = [(self.bullets[-1][0], text)] if self.bullets else []
        self.lead = text if kind == "sentence" and text.endswith((":", "：")) else self.lead
        self.block += 1

    def _titles(self) -> tuple[str, ...]:
        titles = [title for _, title in self.headings]
        if self.pending_kind == "bullet":
            titles += [self.lead] if self.lead else []
            titles += [parent for _, parent in self.bullets[:-1]]
        return tuple(titles)

    def _open(self, kind: Kind, text: str) -> None:
        self.flush()
        self.pending_kind = kind
        if text:
            self.pending = [text]

    def _heading(self, level: int, title: str) -> None:
        self.flush()
        self.headings = [known for known in self.headings if known[0] < level]
        self.found.append(Statement(title, "heading", tuple(title for _, title in self.headings), self.block))
        self.headings.append((level, title))
        self.bullets, self.lead = [], None
        self.block += 1

    def _bullet(self, indent: int, text: str) -> None:
        self.flush()
        self.bullets = [known for known in self.bullets if known[0] < indent]
        self.bullets.append((indent, text))
        self._open("bullet", text)

    def _prose(self, line: str) -> None:
        text = line.strip()
        continues = bool(self.pending) and self.pending_kind in {"sentence", "bullet"}
        if continues and self.log:
            last = self.pending[-1]
            continues = len(last) > 40 and (text[0].islower() or line[0] in " \t") and last[-1] not in ".:;!?。：；"
        if continues:
            self.pending.append(text)
            return
        if self.blank or not self.bullets:
            self.bullets = []
        self._open("sentence", text)
        self.lead = None

    def _code(self, line: str) -> None:
        comment = comment_of(line)
        if comment is None:
            self.flush()
            self.found.append(Statement(line.strip(), "code", (), self.block))
            self.block += 1
        elif self.pending and self.pending_kind == "comment" and self._is_comment_line(line):
            self.pending.append(comment)
        else:
            self._open("comment", comment)

    @staticmethod
    def _is_comment_line(line: str) -> bool:
        stripped = line.lstrip()
        return stripped.startswith(("//", "/*", "<!--", ";;", "-- ")) or bool(re.match(r"#(?![#!])", stripped))


def _join(lines: list[str]) -> str:
    text = lines[0]
    for line in lines[1:]:
        both_chinese = _CJK.match(line) and _CJK.match(text[-1])
        text += line if both_chinese or text.endswith(("。", "，", "、")) else f" {line}"
    return text
