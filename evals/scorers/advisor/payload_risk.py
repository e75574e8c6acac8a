"""Score a request to an advisor for what invites it to continue a transcript (I-9): its ending and its make-up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from backslide.evals.scorers.advisor.content import is_call
from backslide.evals.scorers.advisor.forms import form_of
from backslide.evals.scorers.advisor.lines import Line, lines_of
from backslide.evals.scorers.advisor.machine import machine_occurrences
from backslide.evals.scorers.advisor.markerdata import Role
from backslide.evals.scorers.advisor.occurrences import occurrences_of
from backslide.evals.scorers.advisor.unknown import payload_shapes

_ORIGINS: dict[Role, str] = {
    "user": "user",
    "assistant": "assistant",
    "thinking": "thinking",
    "call": "tool_calls",
    "result": "tool_results",
    "tool": "tool_results",
    "system": "system",
    "reminder": "system",
    "advisor": "assistant",
    "unknown": "transcript",
}
_INSTRUCTION = re.compile(
    r"(?i)^(?:now[,:]?\s+|please\s+|then\s+)*(?:reply|answer|respond|advise|give|return|write|say|tell|state|"
    r"recommend|review|assess|judge|decide|comment|provide|send|do not|don't|end|keep|guidance only)\b|"
    r"\b(?:please (?:advise|reply|answer|respond|give|comment)|reply with|answer with|respond with|guidance only|"
    r"give (?:your|me your) (?:advice|guidance|opinion|view))\b|"
    r"^(?:请|只|仅|最后请|现在请)\S{0,12}(?:回复|回答|给出|提出|建议|评审|判断|写)|(?:只|仅|请)(?:回复|给出|回答)"
)
_INVENTORY = re.compile(
    r"(?i)^\W{0,2}(?:executor |available |agent )?(?:tools?|工具)(?: (?:inventory|list|definitions))?(?:清单|"
    r"列表)?\W{0,3}$"
)
_SUMMARY = re.compile(r"(?i)^\W{0,2}(?:summary|conversation summary|摘要|会话摘要)\W{0,3}$")


@dataclass(frozen=True)
class PayloadRisk:
    """What a payload is made of and how it ends.

    `composition` gives characters by origin (user, assistant, thinking, tool_calls, tool_results, tools, summary,
    system, transcript, and prose for what stands under no label); they add up to the payload's length.
    """

    length: int
    ends_on_pending_action: bool
    ends_on_instruction: bool
    composition: dict[str, int]

    @property
    def transcript_share(self) -> float:
        """Return the share of characters that stand under transcript labels, 0 for an empty payload."""
        return 1 - self.composition.get("prose", 0) / self.length if self.length else 0.0

    @property
    def shares(self) -> dict[str, float]:
        """Return the composition as shares of the payload."""
        return shares(self.composition)

    @property
    def risky(self) -> bool:
        """Return whether it invites a continuation: an action is pending, or most of it is transcript."""
        return self.ends_on_pending_action or self.transcript_share > 0.5


@dataclass(frozen=True)
class _Block:
    line: int
    origin: str
    label: str
    content: str


def shares(composition: Mapping[str, int]) -> dict[str, float]:
    """Return amounts by origin as shares of their sum; 0 for all if the sum is 0."""
    total = sum(composition.values())
    return {origin: amount / total if total else 0.0 for origin, amount in composition.items()}


def payload_risk(payload: str, labels: Collection[str] = ()) -> PayloadRisk:
    """Return the risk of a payload's text. `labels` are further labels to know; its own are also found by form.

    Linear in its length.
    """
    lines = lines_of(payload)
    blocks = _blocks(payload, lines, tuple(labels))
    if not blocks:
        composition = {"prose": len(payload)} if payload else {}
        return PayloadRisk(len(payload), False, _instructs(lines), composition)
    tail = _closing(lines, blocks)
    composition = Counter[str]()
    composition["prose"] += lines[blocks[0].line].start
    for index, block in enumerate(blocks):
        following = blocks[index + 1].line if index + 1 < len(blocks) else tail
        end = lines[following].start if following < len(lines) else len(payload)
        composition[block.origin] += end - lines[block.line].start
    if tail < len(lines):
        composition["prose"] += len(payload) - lines[tail].start
    pending = _pending(blocks)
    return PayloadRisk(
        len(payload), pending, _instructs(lines[tail:]), {name: size for name, size in composition.items() if size}
    )


def _blocks(payload: str, lines: Sequence[Line], labels: tuple[str, ...]) -> list[_Block]:
    """Return the labelled blocks of a payload; a single label of a brief makes none."""
    known = {item.line: item for item in occurrences_of(lines)} | {
        item.line: item for item in machine_occurrences(payload, lines)
    }
    shapes = payload_shapes(payload)
    out = []
    for index, line in enumerate(lines):
        given = next((label for label in labels if line.raw.startswith(label)), None)
        found = known.get(index)
        form = form_of(line, colon=True)
        if given is not None:
            out.append(_Block(index, _guess(line.raw[len(given) :]), given, line.raw[len(given) :].strip()))
        elif line.raw.startswith("[") and (origin := _named(line.raw.partition("]")[0] + "]")):
            out.append(_Block(index, origin, line.raw.partition("]")[0] + "]", ""))
        elif found is not None and not found.weak:
            out.append(_Block(index, _ORIGINS[found.role], found.label, found.content))
        elif form is not None and form.shape in shapes:
            out.append(_Block(index, _named(form.label) or _guess(form.content), form.label, form.content))
    return out if len(out) >= 2 or any(block.origin in {"tool_calls", "tool_results"} for block in out) else []


def _named(label: str) -> str | None:
    bare = label.strip("[]: ：")
    return "tools" if _INVENTORY.match(bare) else "summary" if _SUMMARY.match(bare) else None


def _guess(content: str) -> str:
    """Return the origin of a block whose label says nothing."""
    return "tool_calls" if is_call(content.strip()) else "transcript"


def _closing(lines: Sequence[Line], blocks: Sequence[_Block]) -> int:
    """Return the line where the words after the last block begin: its last paragraph, if that is an instruction."""
    last = blocks[-1].line
    at = len(lines)
    for index in range(len(lines) - 1, last, -1):
        if lines[index].gap >= 1:
            at = index if _instructs(lines[index:]) else at
            break
    return at


def _instructs(lines: Sequence[Line]) -> bool:
    """Return whether the last paragraph tells the reader what to answer."""
    start = len(lines)
    while start > 0:
        start -= 1
        if lines[start].gap:
            break
    paragraph = " ".join(line.text for line in lines[start:])
    sentences = re.split(r"(?<=[.!?。！？])\s*", paragraph)
    return any(_INSTRUCTION.search(sentence.strip()) for sentence in sentences if sentence.strip())


def _pending(blocks: Sequence[_Block]) -> bool:
    """Return whether the last block is a call whose result is not there.

    Under labels that say nothing the last block is one if it looks like a call or its label elsewhere leads to calls.
    """
    last = blocks[-1]
    if last.origin == "tool_calls" or is_call(last.content):
        return True
    if last.origin != "transcript":
        return False
    same = [block for block in blocks[:-1] if block.label == last.label]
    return bool(same) and sum(1 for block in same if block.origin == "tool_calls") * 2 > len(same)
