"""Tell labels that emit a transcript from those that are quoted, announced as an example, or names of fields."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from backslide.evals.scorers.advisor.content import (
    defines,
    has_status,
    is_about,
    is_call,
    is_output,
    is_report,
    is_value,
    sounds_spoken,
)
from backslide.evals.scorers.advisor.lines import Line
from backslide.evals.scorers.advisor.markerdata import intro_patterns
from backslide.evals.scorers.advisor.occurrences import Occurrence

_KEY = re.compile(r"^[^\W\d_][\w' /-]{0,30}\s?(?:\([^()]{1,30}\))?\s*[:：](?:\s|$|[\u3400-\u9fff])")
_LEADS = re.compile(r"(?:[:：]|\b(?:like this|as follows|below)\.|如下。)[\"'”*`]*$")
_AFTERWARDS = re.compile(
    r"(?i)^(?:that|this|these|those|both|each|the|all)\s+(?:\w+\s+){0,2}(?:lines?|labels?|quotes?|quotation|"
    r"excerpt|log|snippet|example|fragment|entries)\b|"
    r"^(?:.{0,40}\b(?:from|in) (?:your|the) (?:log|brief|transcript|evidence|excerpt)\b)|^(?:这|上面|以上)(?:一|两|"
    r"几|三|些)?(?:句|行|段|条)"
)
_STOPS = re.compile(r"[.!?:;。！？：；…)\"'”`\]】]$")
_LONGEST_QUOTE = 5


@dataclass(frozen=True)
class Run:
    """Labels that follow each other without a paragraph of plain words between them."""

    items: tuple[Occurrence, ...]
    """The labels of one block of lines."""
    company: tuple[Occurrence, ...]
    """The labels of all blocks that follow each other, these included."""
    shown: bool
    """Whether the words around it announce, quote or attribute it."""
    led: bool
    """Whether a line that ends on a colon leads to it."""
    last: bool
    """Whether it ends the reply as a paragraph of its own."""
    fields: bool
    """Whether it is a list of keys and values in which a role's name happens to occur."""

    @property
    def near(self) -> tuple[Occurrence, ...]:
        """Return the labels of the block; of all blocks if it holds one, as turns with blank lines between do."""
        return self.items if len(self.items) > 1 else self.company

    @property
    def addressed(self) -> bool:
        """Return whether the advisor stands among those who are spoken to."""
        return any(item.role == "advisor" for item in self.items)


def runs_of(lines: Sequence[Line], items: Sequence[Occurrence], payload: str) -> list[Run]:
    """Return the runs of some labels, in order."""
    labelled = {item.line for item in items}
    groups: list[list[Occurrence]] = []
    for item in items:
        if groups and not _parted(lines, groups[-1][-1], item):
            groups[-1].append(item)
        else:
            groups.append([item])
    return [run for group in groups for run in _blocks(lines, group, labelled, payload)]


def _parted(lines: Sequence[Line], before: Occurrence, item: Occurrence) -> bool:
    """Return whether a paragraph begins between two labels, or a list of another kind ends there."""
    first, second = before.line, item.line
    if any(lines[at].gap >= 1 for at in range(first + 1, second)):
        return True
    if not lines[second].gap:
        return False
    other = (before.style == "word") != (item.style == "word") or before.role == "advisor"
    return other or any(_KEY.match(lines[at].text) for at in range(first + 1, second) if before.style == "word")


def _blocks(lines: Sequence[Line], group: list[Occurrence], labelled: set[int], payload: str) -> list[Run]:
    """Return a run for each block of lines; what announces the first block announces those that follow it."""
    first = group[0].line
    before = lines[first - 1] if first and (first - 1) not in labelled and not lines[first - 1].hidden else None
    led = bool(before and _LEADS.search(before.text))
    announced = led and before is not None and _announces(before.text, group)
    last = not led and bool(lines[first].gap) and group[-1].line >= len(lines) - 1
    blocks: list[list[Occurrence]] = []
    for item in group:
        if blocks and not any(lines[at].gap for at in range(blocks[-1][-1].line + 1, item.line + 1)):
            blocks[-1].append(item)
        else:
            blocks.append([item])
    out = []
    for block in blocks:
        shown = announced or _is_quoted(lines, block, labelled, payload)
        fields = _is_list_of_fields(lines, block, labelled)
        out.append(Run(tuple(block), tuple(group), shown, led, last, fields))
    return out


def _is_quoted(lines: Sequence[Line], block: list[Occurrence], labelled: set[int], payload: str) -> bool:
    first = block[0].line
    before = lines[first - 1] if first and (first - 1) not in labelled and not lines[first - 1].hidden else None
    return (
        (before is not None and _goes_on(before, lines[first], block[0]))
        or _in_open_quote(lines, first)
        or _attributed_after(lines, block, labelled)
        or _quotes_payload(lines, block, payload)
    )


def _announces(intro: str, group: list[Occurrence]) -> bool:
    """Return whether a line that ends on a colon announces a quotation or an example, and no own continuation."""
    last = re.split(r"(?<=[.!?。！？])\s+", intro[-400:].rstrip())[-1]
    mention, quotation, own = intro_patterns()
    if own.search(last) and not re.search(r"(?i)\b(?:would|could|should|might)\b", last):
        return False
    if all(item.style == "bracket" and item.colon and not item.weak for item in group):
        # Nobody proposes such labels as settings: only words of quoting keep them from being a transcript.
        return bool(quotation.search(last))
    if mention.search(last):
        return True
    acted = sum(1 for item in group if is_call(item.content) or is_output(item.content))
    return not (len(group) >= 3 and len({item.role for item in group}) >= 2 and acted >= 2)


def _goes_on(before: Line, line: Line, item: Occurrence) -> bool:
    """Return whether a label is the middle of a sentence that was broken into lines."""
    if line.gap or before.bullet or before.heading or len(before.text) < 30 or _STOPS.search(before.text):
        return False
    return is_about(item.content, False) or item.content[:1].islower() or not item.colon


def _in_open_quote(lines: Sequence[Line], first: int) -> bool:
    """Return whether a quotation that was opened on a line right before is still open."""
    depth = 0
    for at in range(max(0, first - _LONGEST_QUOTE), first):
        raw = lines[at].raw
        if lines[at].gap and at > 0 and not re.search(r"[“「『\"]\s*$", lines[at - 1].raw):
            depth = 0
        depth += sum(raw.count(mark) for mark in "“「『") - sum(raw.count(mark) for mark in "”」』")
        depth = max(depth, 0)
        if raw.rstrip().endswith((': "', ' "', ':"')) or raw.strip() == '"""':
            depth += 1
    if lines[first].gap > 1:
        return False
    closing = any(re.search(r"[”」』\"]", lines[at].raw) for at in range(first, min(len(lines), first + 40)))
    return depth > 0 and closing


def _attributed_after(lines: Sequence[Line], group: list[Occurrence], labelled: set[int]) -> bool:
    """Return whether the paragraph after a short run says whose lines these were."""
    if len(group) > 4:
        return False
    at = group[-1].line + 1
    while at < len(lines) and lines[at].gap == 0 and at not in labelled:
        at += 1
    return at < len(lines) and at not in labelled and not lines[at].hidden and bool(_AFTERWARDS.match(lines[at].text))


def flat(text: str) -> str:
    """Return a text for comparisons: lower case, one blank between words."""
    return " ".join(text.lower().split())


def _quotes_payload(lines: Sequence[Line], group: list[Occurrence], payload: str) -> bool:
    """Return whether every line of a run stands in the payload as it is."""
    if not payload:
        return False
    flattened = flat(payload)
    return all(flat(lines[item.line].raw) in flattened for item in group)


def _is_list_of_fields(lines: Sequence[Line], group: list[Occurrence], labelled: set[int]) -> bool:
    """Return whether other keys outnumber or precede the labels in the block of lines that they stand in."""
    if all(item.style == "bracket" and not item.colon for item in group):
        return _is_list_of_tags(lines, group, labelled)
    if any(item.style != "word" for item in group) or any(item.role == "assistant" and acts(item) for item in group):
        return False
    first, last = group[0].line, group[-1].line
    others = 0
    at = first
    while at > 0 and lines[at].gap == 0 and first - at < 12:
        at -= 1
        if at not in labelled:
            if not _is_field(lines[at].text):
                break
            others += 1
    at = first + 1
    while at < len(lines) and at - last < 12 and lines[at].gap == 0:
        if at not in labelled and _is_field(lines[at].text):
            others += 1
        at += 1
    return others >= len(group)


def _is_list_of_tags(lines: Sequence[Line], group: list[Occurrence], labelled: set[int]) -> bool:
    """Return whether bracketed words that are no labels stand in the same block, as many as labels or more."""
    first, last = group[0].line, group[-1].line
    near = range(max(0, first - 6), min(len(lines), last + 7))
    tags = sum(1 for at in near if at not in labelled and re.match(r"^\[[^\W\d][\w -]{1,24}\]\s+\w", lines[at].text))
    printed = any(is_output(lines[at].text.partition("]")[2].strip()) and has_status(lines[at].text) for at in near)
    return tags >= len(group) and not printed and not any(is_call(item.content) for item in group)


def _is_field(text: str) -> bool:
    """Return whether a line is a key with a short value or a definition."""
    key = _KEY.match(text)
    value = text[key.end() :].strip() if key else ""
    return key is not None and (
        is_value(value) or defines(value) or (len(value.split()) <= 3 and value.isascii() and not sounds_spoken(value))
    )


def acts(item: Occurrence) -> bool:
    """Return whether a label's content can only be what somebody with tools did or got."""
    if item.role == "assistant":
        return is_report(item.content)
    return (item.role == "result" and is_output(item.content)) or (item.role == "tool" and has_status(item.content))
