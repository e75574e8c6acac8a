"""When a session is compacted, and what happens to the active context then.

The order of the checks is that of Pi 0.83.0 (control-plane semantics, section 5.5): an aborted message and one from
before the last compaction never trigger; an overflow compacts (a finished answer without asking again, an error once
with a retry); above the threshold the session is compacted and waits for the next prompt.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

from backslide.harness.compaction.estimate import calculate_context_tokens
from backslide.harness.compaction.strategies.base import (
    Ask,
    Compacted,
    CompactionError,
    Strategy,
    StrategyContext,
    SummaryRequest,
)
from backslide.harness.control.events import CompactionEnd, CompactionReason, CompactionStart, Event
from backslide.harness.control.overflow import is_overflow
from backslide.harness.models.gateway import Gateway
from backslide.harness.models.protocol import Reply
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.session import Session
from backslide.harness.session.clock import parse_ms
from backslide.harness.settings import ModelInfo, Settings


class CompactorHost(Protocol):
    """What the compactor needs of its agent."""

    session: Session
    gateway: Gateway
    payloads: PayloadBuilder
    model: ModelInfo
    summarizer: ModelInfo
    settings: Settings
    messages: list[dict[str, Any]]

    def emit(self, event: Event) -> None:
        """Tell the listeners."""
        ...


class Compactor:
    """Decides and carries out the compactions of one agent."""

    def __init__(self, host: CompactorHost, strategy: Strategy) -> None:
        self._host = host
        self._strategy = strategy
        self._recovery_attempted = False

    def user_spoke(self) -> None:
        """A new prompt: overflow recovery may be tried again."""
        self._recovery_attempted = False

    def replied(self, message: dict[str, Any]) -> None:
        """An assistant message arrived; any but an error ends an overflow recovery."""
        if message.get("stopReason") != "error":
            self._recovery_attempted = False

    async def check(self, message: dict[str, Any], *, before_prompt: bool) -> bool:
        """Compact if `message` calls for it; return True if the failed request should be sent again."""
        host = self._host
        settings = host.settings.compaction
        if not settings.enabled or not self._strategy.enabled:
            return False
        if not before_prompt and message.get("stopReason") == "aborted":
            return False
        if self._from_before_last_compaction(message):
            return False
        same_model = message.get("provider") == host.model.provider and message.get("model") == host.model.id
        if same_model and is_overflow(message, host.model.context_window):
            return await self._recover(message)
        tokens = self._context_tokens(message)
        if tokens is not None and tokens > host.model.context_window - settings.reserve_tokens:
            await self._compact("threshold", will_retry=False)
        return False

    async def compact_now(self, instructions: str | None = None) -> bool:
        """Compact on the user's word. Raises `CompactionError` if the summarizer failed."""
        return await self._compact("manual", will_retry=False, instructions=instructions)

    async def _recover(self, message: dict[str, Any]) -> bool:
        """Compact after an overflow; True if the failed request should be sent again."""
        host = self._host
        if message.get("stopReason") == "stop":
            await self._compact("overflow", will_retry=False)
            return False
        if self._recovery_attempted:
            size = host.payloads.context_tokens(host.messages)
            error = "the context still exceeds the window after a compaction"
            host.emit(CompactionEnd("overflow", host.messages, None, size, size, will_retry=False, error=error))
            return False
        self._recovery_attempted = True
        if host.messages and host.messages[-1].get("role") == "assistant":
            host.messages.pop()
        return await self._compact("overflow", will_retry=True)

    async def _compact(self, reason: CompactionReason, *, will_retry: bool, instructions: str | None = None) -> bool:
        """Compact and rebuild the active context; True if there was something to compact."""
        host = self._host
        context = self._context(instructions)
        plan = self._strategy.plan(host.session, context)
        if plan is None:
            return False
        before = host.payloads.context_tokens(host.messages)
        host.emit(CompactionStart(reason, host.messages))
        try:
            done = await self._strategy.compact(plan, context, self._ask())
        except CompactionError as error:
            host.emit(CompactionEnd(reason, host.messages, None, before, before, will_retry=False, error=str(error)))
            if reason == "manual":
                raise
            return False
        self._write(done)
        host.messages = self._active_context(drop_last_reply=will_retry)
        after = host.payloads.context_tokens(host.messages)
        host.emit(CompactionEnd(reason, host.messages, done.summary, before, after, will_retry))
        return True

    def _write(self, done: Compacted) -> None:
        self._host.session.append_compaction(
            summary=done.summary,
            first_kept_entry_id=done.first_kept_entry_id,
            tokens_before=done.tokens_before,
            details=done.details,
            usage=done.usage,
        )

    def _active_context(self, *, drop_last_reply: bool) -> list[dict[str, Any]]:
        """Return the rebuilt context without a failed reply at its end, which is history only.

        A reply that is to be asked for again has failed, whatever its stop reason.
        """
        messages = list(self._host.session.context().messages)
        while messages and messages[-1].get("role") == "assistant":
            if messages[-1].get("stopReason") != "error" and not drop_last_reply:
                break
            messages.pop()
            drop_last_reply = False
        return messages

    def _context(self, instructions: str | None) -> StrategyContext:
        host = self._host
        return StrategyContext(
            settings=host.settings.compaction,
            count=host.payloads.message_tokens,
            count_text=host.payloads.counter.count,
            window=int(host.summarizer.context_window),
            max_output=int(host.summarizer.max_tokens),
            instructions=instructions,
        )

    def _ask(self) -> Ask:
        host = self._host

        async def ask(request: SummaryRequest) -> Reply:
            return await host.gateway.send(host.payloads.summary_request(request, host.summarizer))

        return ask

    def _from_before_last_compaction(self, message: dict[str, Any]) -> bool:
        """Return whether a message is not newer than the last compaction on the branch."""
        view = self._host.session.view()
        if not view.compactions:
            return False
        stamp = message.get("timestamp")
        compacted = parse_ms(view.entries[view.compactions[-1]].get("timestamp"))
        return bool((stamp if isinstance(stamp, int | float) else 0) <= compacted)

    def _context_tokens(self, message: dict[str, Any]) -> float | None:
        """Return the context's tokens as the provider reported them, else as metered."""
        if message.get("stopReason") != "error":
            reported = calculate_context_tokens(message.get("usage") or {})
            if reported and not math.isnan(reported):
                return reported
        return self._host.payloads.context_tokens(self._host.messages)
