"""Follow options: rows, numbered items and labelled alternatives that a reply lists first and chooses from later."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from backslide.evals.scorers.blocks import Block

_LABEL = re.compile(
    r"^\W*(?:option|alternative|variant|approach|plan|choice|方案|选项|做法)\s*(?P<label>[a-e1-5一二三四五甲乙丙])|"
    r"^\W*(?P<bare>[A-E])[).:、]\s",
    re.IGNORECASE,
)
_ORDINALS = {
    "first": 0, "1st": 0, "former": 0, "第一": 0, "second": 1, "2nd": 1, "第二": 1,
    "third": 2, "3rd": 2, "第三": 2, "fourth": 3, "第四": 3, "fifth": 4, "第五": 4,
    "last": -1, "latter": -1, "最后": -1,
}  # fmt: skip
_LABELS = {
    "1": "a",
    "2": "b",
    "3": "c",
    "4": "d",
    "5": "e",
    "一": "a",
    "二": "b",
    "三": "c",
    "四": "d",
    "五": "e",
    "甲": "a",
    "乙": "b",
    "丙": "c",
}
_CHOICE = re.compile(
    r"(?:\b(?:the\s+)?(?P<ordinal>first|second|third|fourth|fifth|last|former|latter|1st|2nd|"
    r"3rd)\b(?!\s+(?:time|place|line|turn|call|attempt|step|thing|week|version|draft|sentence|"
    r"paragraph|two|three))(?:\s+(?:row|option|one|variant|line|approach|alternative|choice|idea|"
    r"of (?:these|those|the \w+)))?"
    r"|\b(?:option|alternative|variant|approach|plan)\s+(?P<label>[a-e1-5])\b|"
    r"方案\s*(?P<zhlabel>[a-eA-E1-5一二三四五甲乙丙])|(?P<zhordinal>第[一二三四五]|最后)(?:一)?(?:个|种|行|条|项|方案)+)",
    re.IGNORECASE,
)
_TAKES = re.compile(
    r"\b(?:i(?:'d| would|'ll| will)|let's|we should|we(?:'ll| will)?|my (?:pick|choice|vote)|"
    r"going with|go(?:ing)? (?:with|for)|went with|take|merge|pick(?:ed)?|choos\w*|chose|winner|"
    r"recommend\w*|implement(?:ed)?|best|prefer\w*|is built on|it is)\b|选|用|采用|推荐|倾向|建议",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\b(?:not|n't|never|against|ruled out|rejected|out|forbidden|banned)\b|n't\b|不|否|排除", re.IGNORECASE
)


@dataclass
class Options:
    """The options of the list or table that was read last, and whether each has the name."""

    rows: list[bool] = field(default_factory=list)
    labels: dict[str, bool] = field(default_factory=dict)
    kind: str = ""
    fresh: bool = False

    def note(self, block: Block, text: str, starts: Sequence[int]) -> None:
        """Take a block into account; `starts` are where names begin.

        A table row, a bullet or a labelled line is an option.
        """
        named = bool(starts)
        position = 0
        for line in text.split("\n"):
            label = _LABEL.match(line)
            if label:
                key = (label["label"] or label["bare"]).lower()
                key = _LABELS.get(key, key)
                here = any(position <= start <= position + len(line) for start in starts)
                self.labels[key] = self.labels.get(key, False) or here
            position += len(line) + 1
        if block.kind in {"table", "bullet"}:
            if not self.fresh or self.kind != block.kind:
                self.rows = []
                self.kind = block.kind
            if block.kind == "bullet" or not re.fullmatch(r"[\s|:\-]+", text):
                self.rows.append(named)
            self.fresh = True
        else:
            self.fresh = False

    def chosen(self, text: str) -> tuple[bool, int, int] | None:
        """Return whether a sentence chooses an option with the name (True) or another one (False), and where it
        says so.
        """
        for match in _CHOICE.finditer(text):
            left = max(text.rfind(". ", 0, match.start()), text.rfind("。", 0, match.start())) + 1
            right = min(
                [at for at in (text.find(". ", match.end()), text.find("。", match.end())) if at >= 0],
                default=len(text),
            )
            sentence = text[left:right]
            if not _TAKES.search(sentence) or _REFUSES.search(sentence):
                continue
            named = self._lookup(match)
            if named is not None:
                return named, match.start(), match.end()
        return None

    def _lookup(self, match: re.Match[str]) -> bool | None:
        label = match["label"] or match["zhlabel"]
        if label:
            key = label.lower()
            return self.labels.get(_LABELS.get(key, key))
        word = (match["ordinal"] or match["zhordinal"]).lower()
        rows = self.rows[1:] if self.kind == "table" and len(self.rows) > 1 else self.rows
        if not rows:
            return None
        number = _ORDINALS[word]
        return rows[number] if -len(rows) <= number < len(rows) else None
