"""Compaction by a hand-over: a stateless summarizer call with an identity of its own, and raw recent turns.

`handoff` and `naive` are two settings of this one mechanism, so that a comparison of prompts compares nothing else:
`handoff` strips consumed tool output to call and conclusion and puts back rejections that an update dropped; `naive`
hands the conversation over as it is, tool output cut at 2,000 characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
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
from backslide.harness.compaction.strategies.tail import cut_session
from backslide.harness.models.protocol import Usage
from backslide.harness.session import Session

RESERVE_SHARE = 0.8
"""Share of the reserve that a summary may use where no summary budget is set (Pi's rule)."""
REQUEST_MARGIN = 256
"""Tokens of a summarizer request besides its conversation, instruction and previous summary."""
REQUEST_IN_PROGRESS_CHARS = 4000
REQUEST_HEADING = "\n\n## Request in progress\n"
UNLIMITED = 1 << 40


@dataclass(frozen=True)
class Consumed:
    """What a hand-over replaces: messages oldest first, the previous hand-over, and the request of a split turn."""

    messages: list[dict[str, Any]]
    previous: str | None
    request_in_progress: str | None


@dataclass
class Chunk:
    """A part of the record that one request shows, and the user's words in it."""

    blocks: list[Block] = field(default_factory=list)
    users: list[str] = field(default_factory=list)
    tokens: int = 0


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
        found = cut_session(session, context)
        if found is None:
            return None
        entries, cut, tokens_before = found
        view = session.view()
        head = entries[0] if entries[0].get("type") == "compaction" else None
        details = (head.get("details") or {}) if head is not None else {}
        requested = details.get("requestInProgress") if isinstance(details, dict) else None
        previous = _without_request(str(head.get("summary") or ""), requested) if head is not None else None
        old = entries[1 if head is not None else 0 : cut.index]
        messages = [message for entry in old for message in view.messages_of(entry)]
        request: str | None = None
        if cut.split_turn:
            request = _last_request(messages) or requested
        consumed = Consumed(messages, previous or None, request)
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
            parts = self._parts(chunk.blocks, summary, kind, context)
            reply = await ask(SummaryRequest(self.prompt.system, parts, budget, kind))
            if reply.stop_reason in {"error", "aborted"}:
                raise CompactionError(reply.error_message or f"the summarizer was {reply.stop_reason}")
            text = reply.text.strip()
            if not text:
                raise CompactionError("the summarizer answered nothing")
            usage = add_usage(usage, reply.usage)
            summary = carry_forward(summary, text, chunk.users) if self.carry_rejections and summary else text
        if not summary:
            raise CompactionError("there is nothing to write a hand-over from")
        details: dict[str, Any] = {"strategy": self.name}
        if consumed.request_in_progress:
            shown = consumed.request_in_progress
            if len(shown) > REQUEST_IN_PROGRESS_CHARS:
                shown = shown[:REQUEST_IN_PROGRESS_CHARS] + "…"
            details["requestInProgress"] = shown
            summary = summary.rstrip() + _request_section(shown)
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
            parts += ["<previous-summary>\n", escape(previous), "\n</previous-summary>\n\n"]
        parts.append(self.prompt.update if kind == "update" else self.prompt.first)
        if context.instructions:
            parts.append(f"\n\nAdditional focus: {context.instructions}")
        return tuple(parts)

    def _chunks(self, consumed: Consumed, context: StrategyContext, budget: int) -> Iterator[Chunk]:
        """Yield the record in pieces that fit the summarizer's window beside its summary and instruction."""
        room = self._room(consumed.previous, context, budget)
        chunk = Chunk()
        for message in consumed.messages:
            user = content_text(message.get("content")) if message.get("role") == "user" else None
            for block in record_blocks([message], self.tool_output):
                for piece, tokens in _pieces(block, room, context):
                    if chunk.blocks and chunk.tokens + tokens > room:
                        yield chunk
                        chunk = Chunk()
                    chunk.blocks.append(piece)
                    chunk.tokens += tokens
            if user is not None:
                # With the last piece of it: what it lifts is settled once the summarizer has seen all of it.
                chunk.users.append(user)
        if chunk.blocks:
            yield chunk

    def _room(self, previous: str | None, context: StrategyContext, budget: int) -> int:
        """Return the tokens that a request leaves for the record."""
        if not context.window:
            return UNLIMITED
        prompt = self.prompt
        instruction = max(context.count_text(prompt.first), context.count_text(prompt.update))
        focus = context.count_text(context.instructions) if context.instructions else 0
        before = context.count_text(previous) if previous else 0
        # Rejections that are put back come on top of what the summarizer was given room for.
        written = before + budget if self.carry_rejections else max(before, budget)
        fixed = context.count_text(prompt.system) + instruction + focus + written + REQUEST_MARGIN
        return max(context.window - budget - fixed, context.window // 4)


def summary_budget(context: StrategyContext) -> int:
    """Return the most tokens of a summary: the setting, else Pi's share of the reserve, within the model's limit."""
    wanted = context.settings.summary_tokens or int(RESERVE_SHARE * context.settings.reserve_tokens)
    return max(1, min(wanted, context.max_output) if context.max_output > 0 else wanted)


def _pieces(block: Block, room: int, context: StrategyContext) -> Iterator[tuple[Block, int]]:
    """Yield a block with its tokens: whole, or in pieces if it alone exceeds the room."""
    tokens = sum(context.count_text(part) for part in block) + 2
    label, text = block
    if tokens <= room or len(text) < 2:
        yield block, tokens
        return
    # Every piece has the label, so that nobody's words can be taken for another's.
    half = len(text) // 2
    ends = (text.rfind(mark, half // 2, half) + len(mark) for mark in ("\n", ". ", "。", " "))
    at = next((end for end in ends if end > half // 2), half)
    yield from _pieces([label, text[:at]], room, context)
    yield from _pieces([label, text[at:]], room, context)


def _last_request(messages: list[dict[str, Any]]) -> str | None:
    for message in reversed(messages):
        if message.get("role") in {"user", "custom"}:
            return content_text(message.get("content"))
    return None


def _request_section(request: str) -> str:
    return REQUEST_HEADING + "\n".join(f"> {line}" for line in request.splitlines())


def _without_request(summary: str, request: Any) -> str:
    """Return a hand-over without the request of the turn it split: that request is done or quoted again."""
    return summary.removesuffix(_request_section(request)) if isinstance(request, str) else summary
