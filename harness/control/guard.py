"""What the robust profile adds to compactions: which are refused, which are in vain, which replies call for none.

Every difference from Pi, why it is there and which test measures it, stands in ``PROFILES.md`` beside this file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

from backslide.harness.compaction.estimate import calculate_context_tokens, should_compact
from backslide.harness.compaction.strategies.base import Ask, Compacted, CompactionError, Strategy, SummaryRequest
from backslide.harness.compaction.strategies.record import content_text
from backslide.harness.control.progress import Row
from backslide.harness.control.quotes import unverified_quotes
from backslide.harness.control.refusal import check_size, refused_for
from backslide.harness.control.retry_patterns import is_retryable
from backslide.harness.models.protocol import Reply
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.session import Branch, Message, Session
from backslide.harness.settings import ModelInfo, Settings

QUOTES_KEY = "unverifiedQuotes"
"""Field of a compaction entry's details: what the summary gives as the user's words and no user wrote."""


class GuardHost(Protocol):
    """What the guard needs of its agent."""

    session: Session
    payloads: PayloadBuilder
    messages: list[dict[str, Any]]
    model: ModelInfo
    settings: Settings


class Guard:
    """Watches over the compactions of one agent."""

    def __init__(self, host: GuardHost, strategy: Strategy) -> None:
        self.row = Row()
        self._host = host
        # Somebody's own compactor may ask for anything, a title or a yes; it reads its replies itself.
        self._checks_replies = not getattr(strategy, "judges_replies", False)

    def asking(self, ask: Ask) -> Ask:
        """Return `ask` for one compaction, with replies that are no summaries refused.

        A summarizer that has answered well in this compaction is asked once more, so that what it has written is not
        lost.
        """
        if not self._checks_replies:
            return ask
        served = False

        async def checked(request: SummaryRequest) -> Reply:
            nonlocal served
            reply = await ask(request)
            if served and refused_for(request, reply) is not None:
                reply = await ask(request)
            if (refused := refused_for(request, reply)) is not None:
                raise refused
            served = True
            return reply

        return checked

    def accepted(self, done: Compacted) -> Compacted:
        """Return a compaction that may be written, with what it quotes wrongly in its details.

        Raises `SummaryRefusedError` if the summary is no smaller than what it replaces; its wrapper, a constant, does
        not count.
        """
        payloads, branch = self._host.payloads, self._host.session.view()
        start = branch.position(done.first_kept_entry_id)
        kept = [] if start is None else branch.entries[start:]
        rest = payloads.context_tokens(message for entry in kept for message in branch.messages_of(entry))
        check_size(payloads.context_tokens(branch.context_messages()) - rest, payloads.counter.count(done.summary))
        quotes = unverified_quotes(done.summary, _spoken(branch))
        return replace(done, details={**(done.details or {}), QUOTES_KEY: list(quotes)}) if quotes else done

    def measured(self, message: Message, messages: Sequence[Message], compacted: float) -> float | None:
        """Return the context's tokens as the provider reported them, else as metered; None for an unknown window."""
        del compacted
        if self._host.model.context_window <= 0:
            return None
        if message.get("stopReason") != "error":
            reported = calculate_context_tokens(message.get("usage") or {})
            if reported and not math.isnan(reported):
                return reported
        return self._host.payloads.context_tokens(messages)

    def is_behind(self, message: Message) -> bool:
        """Tell whether a message stands before the last compaction, whatever the clocks said."""
        branch = self._host.session.view()
        if not branch.compactions:
            return False
        later = range(len(branch.entries) - 1, branch.compactions[-1], -1)
        return not any(message is own for at in later for own in branch.messages_of(branch.entries[at]))

    @property
    def is_blocked(self) -> bool:
        """Whether another compaction by itself would be in vain."""
        return self.row.is_blocked(self._size, self._host.model)

    def failed(self, error: CompactionError, size: int) -> None:
        """Count an attempt that changed nothing, unless the failure was a passing one."""
        if not is_retryable({"stopReason": "error", "errorMessage": str(error)}, self._host.model.context_window):
            self.row.failed(size, self._host.model)

    def compacted(self, size: int) -> None:
        """Count a compaction that left a context of `size` metered tokens."""
        self.row.compacted(size, self._host.model, self._host.messages)

    def replied(self, message: Message) -> None:
        """Take note of a reply, which has been added to the context."""
        host = self._host
        self.row.replied(message, host.messages, self._is_over)

    def no_progress(self) -> str:
        """Return the error that stands for another compaction."""
        window, reserve = self._host.model.context_window, self._host.settings.compaction.reserve_tokens
        return (
            f"NoProgressError: {self.row.attempts} compactions in a row made no progress; the context "
            f"({self._size():,} tokens) exceeds the context window less its reserve ({window - reserve:,}) again. "
            "Start from an earlier entry, keep less, or use a model with a larger window"
        )

    def _size(self) -> int:
        return self._host.payloads.context_tokens(self._host.messages)

    def _is_over(self, tokens: float) -> bool:
        return should_compact(tokens, self._host.model.context_window, self._host.settings.compaction)


def _spoken(branch: Branch) -> Iterator[str]:
    """Yield what users wrote on a branch, compacted away or not."""
    for entry in branch.entries:
        if entry.get("type") not in {"message", "custom_message"}:
            continue
        for message in branch.messages_of(entry):
            if message.get("role") in {"user", "custom"}:
                yield content_text(message.get("content"))
            elif message.get("role") == "bashExecution":
                yield str(message.get("command") or "")


def quotes_of(details: Any) -> Sequence[str]:
    """Return what a compaction entry's details say of unverified quotes."""
    found = details.get(QUOTES_KEY) if isinstance(details, dict) else None
    return found if isinstance(found, list) else []
