"""Asking the summarizer on behalf of the control plane: with retries, and until it is aborted."""

from __future__ import annotations

from typing import Protocol

from backslide.harness.compaction.strategies.base import Ask, SummaryRequest
from backslide.harness.control.abort import AbortSignal, Wait
from backslide.harness.control.events import (
    CompactionReason,
    Event,
    SummarizationRetryAttemptStart,
    SummarizationRetryFinished,
    SummarizationRetryScheduled,
    SummarySource,
)
from backslide.harness.control.overflow import is_overflow
from backslide.harness.control.profile import ControlProfile
from backslide.harness.control.retry import RetryPolicy, call_with_retries
from backslide.harness.control.retry_patterns import is_retryable_text
from backslide.harness.control.sending import Sender
from backslide.harness.models.protocol import Cause, Reply
from backslide.harness.settings import ModelInfo, Settings


class SummaryHost(Protocol):
    """What asking the summarizer needs of its agent."""

    control: ControlProfile
    model: ModelInfo
    settings: Settings
    sender: Sender
    retry_policy: RetryPolicy | None
    wait: Wait

    @property
    def summarizer(self) -> ModelInfo:
        """The model that writes summaries."""
        ...

    def emit(self, event: Event) -> None:
        """Tell the listeners."""
        ...

    def flush_soon(self) -> None:
        """Do what listeners have put off until a step is over."""
        ...


def summarizer(host: SummaryHost, source: SummarySource, reason: CompactionReason | None, signal: AbortSignal) -> Ask:
    """Return what a strategy asks through. Each request has a retry counter of its own."""
    listener = _Teller(host, source, reason)

    async def ask(request: SummaryRequest) -> Reply:
        async def produce(attempt: int) -> Reply:
            cause: Cause = "retry" if attempt else "summarizer"
            return await host.sender.summary(request, host.summarizer, cause=cause, signal=signal)

        policy = host.retry_policy
        if policy is None:
            return await produce(0)
        return await call_with_retries(
            produce,
            settings=host.settings.retry,
            policy=policy,
            retryable=lambda reply: _is_retryable(reply, host),
            signal=signal,
            wait=host.wait,
            listener=listener,
        )

    return ask


def _is_retryable(reply: Reply, host: SummaryHost) -> bool:
    """Tell whether a failed summary is asked for again. Pi does not ask whether it was an overflow."""
    message = {"stopReason": reply.stop_reason, "errorMessage": reply.error_message}
    if host.control != "pi-0.83" and is_overflow(message, host.summarizer.context_window):
        return False
    return is_retryable_text(message)


class _Teller:
    """Turns the retries of a call into events."""

    def __init__(self, host: SummaryHost, source: SummarySource, reason: CompactionReason | None) -> None:
        self._host = host
        self._source: SummarySource = source
        self._reason: CompactionReason | None = reason

    async def scheduled(self, attempt: int, max_attempts: float, delay_ms: float, error: str) -> None:
        self._tell(SummarizationRetryScheduled(attempt, max_attempts, delay_ms, error))

    async def attempt_started(self) -> None:
        self._tell(SummarizationRetryAttemptStart(self._source, self._reason))

    async def finished(self, success: bool, attempt: int, error: str | None) -> None:
        del success, attempt, error
        self._tell(SummarizationRetryFinished())

    def _tell(self, event: Event) -> None:
        self._host.emit(event)
        self._host.flush_soon()
