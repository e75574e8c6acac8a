"""Compaction by a hand-over: a stateless summarizer call with an identity of its own, and raw recent turns.

`handoff` and `naive` are two settings of this one mechanism, so that a comparison of prompts compares nothing else:
`handoff` strips consumed tool output to call and conclusion and puts back rejections that an update dropped; `naive`
hands the conversation over as it is, tool output cut at 2,000 characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from backslide.harness.compaction.prompt_file import Prompt
from backslide.harness.compaction.strategies.base import (
    Ask,
    Compacted,
    CompactionError,
    Plan,
    StrategyContext,
    SummaryKind,
    SummaryRequest,
    add_usage,
)
from backslide.harness.compaction.strategies.record import (
    Block,
    ToolOutput,
    content_text,
    escape,
    record_blocks,
)
from backslide.harness.compaction.strategies.rejections import carry_forward
from backslide.harness.compaction.strategies.tail import DEFAULT_KEEP_TURNS, find_tail
from backslide.harness.models.protocol import Usage
from backslide.harness.session import Session

RESERVE_SHARE = 0.8
"""Share of the reserve that a summary may use where no summary budget is set (Pi's rule)."""
REQUEST_MARGIN = 256
"""Tokens of a summarizer request besides its conversation, instruction and previous summary."""
REQUEST_IN_PROGRESS_CHARS = 4000
UNLIMITED = 1 << 40


@dataclass(frozen=True)
class Consumed:
    """What a hand-over replaces: messages oldest first, the previous hand-over, and the request of a split turn."""

    messages: list[dict[str, Any]]
    previous: str | None
    request_in_progress: str | None


@dataclass(frozen=True)
class HandoverStrategy:
    """Hand-over compaction with a given prompt."""

    name: str
    prompt: Prompt
    tool_output: ToolOutput = "conclusion"
    carry_rejections: bool = True
    enabled: bool = True

    def plan(self, session: Session, context: StrategyContext) -> Plan | None:
        """Keep recent turns by number and tokens; None if nothing before them could be compacted."""
        view = session.view()
        entries = view.context_entries()
        cut = find_tail(
            entries,
            view.messages_of,
            context.count,
            keep_turns=context.settings.keep_recent_turns or DEFAULT_KEEP_TURNS,
            keep_tokens=context.settings.keep_recent_tokens,
        )
        if cut is None:
            return None
        head = entries[0] if entries[0].get("type") == "compaction" else None
        previous = str(head.get("summary") or "") if head is not None else None
        details = (head.get("details") or {}) if head is not None else {}
        old = entries[1 if head is not None else 0 : cut.index]
        messages = [message for entry in old for message in view.messages_of(entry)]
        request: str | None = None
        if cut.split_turn:
            request = _last_user_text(messages) or details.get("requestInProgress")
        consumed = Consumed(messages, previous or None, request)
        tokens_before = sum(context.count(message) for entry in entries for message in view.messages_of(entry))
        return Plan(str(entries[cut.index]["id"]), tokens_before, consumed)

    async def compact(self, plan: Plan, context: StrategyContext, ask: Ask) -> Compacted:
        """Ask for the hand-over, in several updates if the record is larger than the summarizer's window.

        Raises `CompactionError` if the summarizer failed or answered nothing.
        """
        consumed: Consumed = plan.state
        budget = summary_budget(context)
        summary = consumed.previous
        usage: Usage | None = None
        for chunk in self._chunks(consumed, context, budget):
            kind: SummaryKind = "update" if summary else "initial"
            parts = self._parts(chunk, summary, kind, context)
            reply = await ask(SummaryRequest(self.prompt.system, parts, budget, kind))
            if reply.stop_reason in {"error", "aborted"}:
                raise CompactionError(reply.error_message or f"the summarizer was {reply.stop_reason}")
            text = reply.text.strip()
            if not text:
                raise CompactionError("the summarizer answered nothing")
            usage = add_usage(usage, reply.usage)
            summary = text
        summary = summary or ""
        if self.carry_rejections and consumed.previous:
            users = [content_text(m.get("content")) for m in consumed.messages if m.get("role") == "user"]
            summary = carry_forward(consumed.previous, summary, users)
        details: dict[str, Any] = {"strategy": self.name}
        if consumed.request_in_progress:
            shown = consumed.request_in_progress[:REQUEST_IN_PROGRESS_CHARS]
            details["requestInProgress"] = shown
            quoted = "\n".join(f"> {line}" for line in shown.splitlines())
            summary = f"{summary.rstrip()}\n\n## Request in progress\n{quoted}"
        return Compacted(summary, plan.first_kept_entry_id, plan.tokens_before, details, usage)

    def _parts(
        self, chunk: list[Block], previous: str | None, kind: SummaryKind, context: StrategyContext
    ) -> tuple[str, ...]:
        """Return the summarizer's user message in parts: record, previous hand-over, instruction."""
        parts = ["<conversation>\n"]
        for number, block in enumerate(chunk):
            parts += ["\n\n", *block] if number else block
        parts.append("\n</conversation>\n\n")
        if previous:
            parts += ["<previous-summary>\n", escape(_without_request(previous)), "\n</previous-summary>\n\n"]
        parts.append(self.prompt.update if kind == "update" else self.prompt.first)
        if context.instructions:
            parts.append(f"\n\nAdditional focus: {context.instructions}")
        return tuple(parts)

    def _chunks(self, consumed: Consumed, context: StrategyContext, budget: int) -> Iterator[list[Block]]:
        """Yield the record in pieces that fit the summarizer's window beside its summary and instruction."""
        instruction = max(len(self.prompt.first), len(self.prompt.update)) + len(self.prompt.system)
        previous = context.count_text(consumed.previous) if consumed.previous else 0
        fixed = instruction // 3 + REQUEST_MARGIN + max(previous, budget)
        room = max(context.window - budget - fixed, context.window // 4) if context.window else UNLIMITED
        chunk: list[Block] = []
        size = 0
        for block in record_blocks(consumed.messages, self.tool_output):
            for piece, tokens in _pieces(block, room, context):
                if chunk and size + tokens > room:
                    yield chunk
                    chunk, size = [], 0
                chunk.append(piece)
                size += tokens
        if chunk:
            yield chunk


def summary_budget(context: StrategyContext) -> int:
    """Return the most tokens of a summary: the setting, else Pi's share of the reserve, within the model's limit."""
    wanted = context.settings.summary_tokens or int(RESERVE_SHARE * context.settings.reserve_tokens)
    return max(1, min(wanted, context.max_output) if context.max_output > 0 else wanted)


def _pieces(block: Block, room: int, context: StrategyContext) -> Iterator[tuple[Block, int]]:
    """Yield a block with its tokens: whole, or in pieces if it alone exceeds the room."""
    tokens = sum(context.count_text(part) for part in block) + 2
    if tokens <= room:
        yield block, tokens
        return
    text = "".join(block)
    # A token is at least one character in the worst case, so `room` characters always fit.
    for start in range(0, len(text), room):
        piece = text[start : start + room]
        yield [piece], context.count_text(piece) + 2


def _last_user_text(messages: list[dict[str, Any]]) -> str | None:
    for message in reversed(messages):
        if message.get("role") == "user":
            return content_text(message.get("content"))
    return None


def _without_request(summary: str) -> str:
    """Return a hand-over without the request of the turn it split: that request is done or quoted again."""
    return summary.split("\n\n## Request in progress\n", 1)[0]
