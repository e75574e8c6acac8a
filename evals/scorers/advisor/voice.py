"""The sentences that an advisor says in its own voice: outside fences, quotations, drafts and examples."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from backslide.evals.scorers.advisor.lines import Line
from backslide.evals.scorers.sentences import sentences

_QUOTED = re.compile(
    r"“[^”\n]{1,600}”|「[^」\n]{1,600}」|『[^』\n]{1,600}』|‘[^’\n]{4,300}’|(?<!\w)\"[^\"\n]{1,600}\"|"
    r"(?<!\w)'[^'\n]{12,300}'(?!\w)"
)
_DRAFT = re.compile(
    r"(?i)\b(?:write|tell|say|message|changelog|release notes?|reply|answer (?:the|them|him|her)|for (?:instance|"
    r"example)|e\.g|example|draft|post|announce\w*|phras\w+|description|i'd|would|"
    r"word(?:ing|s)?|template|could be|might (?:be|say|read)|would (?:be|say|write|read)|note to|note for|"
    r"commit message|says?|said|wrote|reads|quot\w+|"
    r"brief|log|transcript|expect\w*|should|prints?|you (?:have|did|wrote|report\w*|say|list)|your|executor|"
    r"sentence|readme|docs?|add)\b[^.!?]{0,120}$|"
    r"(?:写|说|回复|例如|比如|示例|更新日志|提交信息|草稿|措辞|简报|日志|预期|应该|你(?:的|已|报告|写|贴|"
    r"列))[^。！？]{0,60}$"
)

_LIST_MARK = re.compile(r"^(?:(?:[-*+•]|\(?\d{1,3}[.)、])\s+)?(?:\[[ xX✓✔]\]\s+|[✅✓✔☑]\ufe0f?\s*)?(?:\*\*(?=\w))?")
_REPORTING = re.compile(
    r"(?i)\b(?:i|we)(?:'ve| have| just)* (?:did|done|made|ran|changed|found|tested|completed|finished|"
    r"accomplished)\b|\b(?:where|how) (?:things|we|i) (?:stand|are)\b|"
    r"\bwhat (?:i|happened)\b|\bso far\b|^\W*(?:status|done|results?|progress|completed)\b|我(?:做|已|目前|刚)|"
    r"目前(?:进展|状态|完成)|已完成|进度"
)


@dataclass(frozen=True)
class Spoken:
    """A sentence in the advisor's own voice.

    `text` has quotations blanked out, `full` has them; `start` is its offset in the reply, `line` the index of its
    line, `bullet` whether it is an item of a list, `after` what follows in the same line, `first` whether it opens
    its line.
    """

    text: str
    full: str
    start: int
    line: int
    bullet: bool
    after: str
    first: bool


def spoken(lines: Sequence[Line]) -> list[Spoken]:
    """Return the sentences of the lines that are said, in order. Linear in their length."""
    out: list[Spoken] = []
    drafting = False
    open_quote = False
    for index, line in enumerate(lines):
        if line.hidden or line.unclosed:
            continue
        before = lines[index - 1] if index else None
        if line.gap:
            drafting = drafting and (line.bullet or line.indent >= 4)
        if before is not None and not before.hidden and _leads(before):
            intro = before.text.rstrip(":： ")
            drafting = not _REPORTING.search(intro) and (bool(_DRAFT.search(intro)) or line.indent >= 4)
        masked, open_quote = _masked(line, open_quote)
        if drafting or line.heading:
            continue
        _say(out, line, index, masked)
    return out


def _leads(line: Line) -> bool:
    return line.text.rstrip("*_ ").endswith((":", "："))


def _masked(line: Line, inside: bool) -> tuple[str, bool]:
    """Return a line with quotations blanked out, one that reaches over its end included, and whether one is open."""
    text = _QUOTED.sub(lambda match: "▒" * len(match.group()), line.raw)
    if inside:
        end = re.search(r"[”」』]", text)
        if end is None:
            return "▒" * len(text), not line.gap
        text = "▒" * end.end() + text[end.end() :]
    opening = max(text.rfind(mark) for mark in "“「『")
    if opening >= 0:
        return text[:opening] + "▒" * (len(text) - opening), True
    return text, False


def _say(out: list[Spoken], line: Line, index: int, masked: str) -> None:
    mark = _LIST_MARK.match(masked)
    skip = mark.end() if mark else 0
    for number, sentence in enumerate(sentences(masked[skip:])):
        full = line.raw[skip + sentence.start : skip + sentence.end]
        out.append(
            Spoken(
                sentence.text,
                full,
                line.start + skip + sentence.start,
                index,
                line.bullet,
                masked[skip + sentence.end : skip + sentence.end + 600],
                number == 0,
            )
        )
