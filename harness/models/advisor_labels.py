"""Learns a transcript's format from the transcript: which line starts are labels, and what follows what.

There is no list of labels. A label is a short start of a line whose shape comes back: at least two different ones of
one shape, each more than once, or two of one shape in a text that breaks off at a call.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

_NAME = r"[^\W_][\w \-/.]{0,40}?(?: ?\([^)\n]{1,40}\))?"
_SHAPES = (
    re.compile(r"\[[^\]\n]{1,60}\] ?[:：>]?"),
    re.compile(r"【[^】\n]{1,60}】 ?[:：]?|⟦[^⟧\n]{1,60}⟧ ?[:：]?|«[^»\n]{1,60}» ?[:：]?"),
    re.compile(r"<\|?[A-Za-z\u4e00-\u9fff][^>\n]{0,60}>"),
    re.compile(r"#{1,6} [^\n]{1,40}(?=\n|$)"),
    re.compile(rf"[^\w\s\[【<«#>`'\"-][^\w\s]{{0,3}} ?{_NAME} ?[^\w\s(]{{1,4}}(?=\s|$)"),
    re.compile(rf"{_NAME} ?(?:：|(?:>>|=>|[:>|→»])(?=\s|$|[\u4e00-\u9fff]))"),
)
_SLOT = re.compile(r"\(([^()\n]*)\)")
_WORDS = re.compile(r"[\w][\w \-/.]*")
_BLOCK_START = re.compile(r"(?:\A|\n[ \t]*\n)(?=\S)")
_LINE_START = re.compile(r"(?m)^(?=\S)")
_HEADING = re.compile(r"\n[ \t]*\n(?=#{1,6} )")
_CALL = re.compile(r"[A-Za-z_][\w.:-]*\(")
_JSON_CALL = re.compile(r"\s*\{\s*\"(?:name|tool|function)\"")
_ANNOUNCED = re.compile(r"\b(?:i'?ll|i will|let me|i am going to|now i)\b|我来|我先|接下来|现在我", re.IGNORECASE)
_LAST_WORDS = 400
"""Characters of a closing paragraph that is not the transcript's own."""


@dataclass(frozen=True)
class Block:
    """A labelled stretch: the label as written, the label with its variable part as ``*``, that part, and the text."""

    label: str
    key: str
    slot: str
    text: str
    start: int

    @property
    def is_call(self) -> bool:
        """Return whether the text reads as a call of something, not as prose."""
        return bool(_CALL.match(self.text) and self.text.endswith((")", ");"))) or bool(_JSON_CALL.match(self.text))


@dataclass(frozen=True)
class Transcript:
    """A text taken apart by its own labels; `share` is the part of it that stands under one."""

    blocks: tuple[Block, ...]
    share: float
    gap: str
    """What stands between two blocks."""
    pad: str
    """What stands between a label and its text."""

    @property
    def pending(self) -> bool:
        """Return whether the text breaks off at an action whose outcome would come next."""
        last = self.blocks[-1]
        return last.is_call or bool(_ANNOUNCED.search(last.text[-200:]))

    @cached_property
    def following(self) -> dict[str, Counter[str]]:
        """Return for each label what came after it, and how often."""
        found: dict[str, Counter[str]] = {}
        for one, other in zip(self.blocks, self.blocks[1:], strict=False):
            found.setdefault(one.key, Counter())[other.key] += 1
        return found

    @cached_property
    def call_keys(self) -> frozenset[str]:
        """Return the labels under which mostly calls stand."""
        calls = Counter(block.key for block in self.blocks if block.is_call)
        total = Counter(block.key for block in self.blocks)
        return frozenset(key for key, count in calls.items() if count * 2 > total[key])

    @cached_property
    def output_keys(self) -> frozenset[str]:
        """Return the labels that mostly stand right after a call."""
        after: Counter[str] = Counter()
        total = Counter(block.key for block in self.blocks[1:])
        previous = self.blocks[0].key
        for block in self.blocks[1:]:
            if previous in self.call_keys or (after[block.key] and block.key == previous):
                after[block.key] += 1
            previous = block.key
        return frozenset(key for key in after if after[key] * 2 > total[key] and key not in self.call_keys)

    @cached_property
    def opener(self) -> str | None:
        """Return the label that opens the exchange: the first one that comes back and is neither call nor output."""
        total = Counter(block.key for block in self.blocks)
        for block in self.blocks:
            if total[block.key] > 1 and block.key not in self.call_keys | self.output_keys:
                return block.key
        return None


def read_transcript(text: str) -> Transcript | None:
    """Return the transcript that `text` holds, None if no labels can be learned from it."""
    return _read(text, _BLOCK_START, "\n\n") or _read(text, _LINE_START, "\n")


def _read(text: str, starts: re.Pattern[str], gap: str) -> Transcript | None:
    found: dict[str, list[tuple[int, str]]] = {}
    for match in starts.finditer(text):
        for shape in _SHAPES:
            if label := shape.match(text, match.end()):
                found.setdefault(_signature(label[0]), []).append((match.end(), label[0]))
                break
    for places in sorted(found.values(), key=len, reverse=True):
        keys = Counter(_key(label) for _, label in places)
        recurring = sum(count > 1 for count in keys.values())
        if recurring >= 2 or len(keys) >= 2:
            transcript = _blocks(text, places, gap)
            if recurring >= 2 or (transcript.blocks[-1].is_call and transcript.share > 0.3):
                return transcript
    return None


def _signature(label: str) -> str:
    """Return a label's shape: what is left of it without its words."""
    return _WORDS.sub("w", _SLOT.sub("", label)).replace(" ", "")


def _key(label: str) -> str:
    return _SLOT.sub("(*)", label)


def _without_request(text: str, *, headings: bool) -> str:
    """Return the transcript's last text without what somebody says about the transcript after it.

    That is a short last paragraph, or everything from a heading on where headings are no labels.
    """
    if headings and (titled := _HEADING.search(text)):
        return text[: titled.start()].rstrip()
    own, between, rest = text.rpartition("\n\n")
    return own.strip() if between and len(rest) <= _LAST_WORDS else text


def _blocks(text: str, places: list[tuple[int, str]], gap: str) -> Transcript:
    blocks: list[Block] = []
    pads: Counter[str] = Counter()
    ends = [*(start for start, _ in places[1:]), len(text)]
    covered = 0
    for (start, label), end in zip(places, ends, strict=True):
        body = text[start + len(label) : end]
        pads["\n" if body.startswith("\n") else " " if body.startswith(" ") else ""] += 1
        covered += end - start
        slot = _SLOT.search(label)
        blocks.append(Block(label, _key(label), slot[1] if slot else "", body.strip(), start))
    last = blocks[-1]
    own = _without_request(last.text, headings=not last.label.startswith("#"))
    blocks[-1] = Block(last.label, last.key, last.slot, own, last.start)
    covered -= len(last.text) - len(own)
    return Transcript(tuple(blocks), covered / max(1, len(text)), gap, pads.most_common(1)[0][0])
