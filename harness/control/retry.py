"""Asking again after a passing failure: of a turn, with a counter of the agent's, and of a summary, with its own.

Rules of Pi 0.83.0 (control-plane semantics, sections 5.2 and 5.4).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Protocol

from backslide.harness.control.abort import AbortSignal, Wait
from backslide.harness.control.events import AutoRetryEnd, AutoRetryStart, Event
from backslide.harness.control.profile import ControlProfile
from backslide.harness.control.retry_patterns import is_retryable
from backslide.harness.models.protocol import Reply
from backslide.harness.settings import ModelInfo, RetrySettings, Settings

CANCELLED = "Retry cancelled"
UNKNOWN_ERROR = "Unknown error"


class RetryPolicy(Protocol):
    """How long to wait before a failure is asked for again."""

    def delay_ms(self, attempt: int, settings: RetrySettings, failure: str) -> float:
        """Return the wait before attempt `attempt` (from 1), in milliseconds; `failure` is the provider's message."""
        ...


class ExponentialBackoff:
    """Doubles the wait with every attempt: no jitter, no cap."""

    def delay_ms(self, attempt: int, settings: RetrySettings, failure: str) -> float:
        """Return ``base_delay_ms * 2 ** (attempt - 1)``."""
        del failure
        delay: float = settings.base_delay_ms * 2 ** (attempt - 1)
        return delay


class RetryHost(Protocol):
    """What retrying needs of its agent."""

    control: ControlProfile
    model: ModelInfo
    settings: Settings
    messages: list[dict[str, Any]]
    wait: Wait

    def emit(self, event: Event) -> None:
        """Tell the listeners."""
        ...


class TurnRetry:
    """The retries of one agent's turns; the counter is zeroed by every reply that is no error."""

    def __init__(self, host: RetryHost, policy: RetryPolicy | None) -> None:
        self.attempt = 0
        self._host = host
        self._policy = policy
        self._signal: AbortSignal | None = None

    @property
    def waiting(self) -> bool:
        """Whether a wait is under way."""
        return self._signal is not None

    def abort(self) -> None:
        """Cancel the wait that is under way; without one this does nothing."""
        if self._signal is not None:
            self._signal.abort()

    def will_retry(self, message: dict[str, Any]) -> bool:
        """Tell whether the last reply of a run that has just ended will be asked for again."""
        settings = self._host.settings.retry
        if self._policy is None or not settings.enabled or self.attempt >= settings.max_retries:
            return False
        return is_retryable(message, self._host.model.context_window)

    def replied(self, message: dict[str, Any]) -> None:
        """Take note of a reply: any but an error, an aborted one too, ends the retries with success."""
        if self.attempt and message.get("stopReason") != "error":
            self._host.emit(AutoRetryEnd(True, self.attempt))
            self.attempt = 0

    async def after_run(self, message: dict[str, Any]) -> bool:
        """Wait and return True if `message` is to be asked for again; it has left the context then."""
        host, policy = self._host, self._policy
        if policy is None or not self.will_retry(message):
            return False
        settings = host.settings.retry
        self.attempt += 1
        error = message.get("errorMessage") or UNKNOWN_ERROR
        delay = policy.delay_ms(self.attempt, settings, error)
        signal = AbortSignal()
        if host.control == "robust":
            self._signal = signal
        host.emit(AutoRetryStart(self.attempt, settings.max_retries, delay, error))
        if host.messages and host.messages[-1].get("role") == "assistant":
            host.messages.pop()
        # Pi can be stopped from here on only: an abort inside the event above is lost.
        self._signal = signal
        try:
            waited = await host.wait(delay, signal)
        finally:
            self._signal = None
        if not waited:
            attempt, self.attempt = self.attempt, 0
            host.emit(AutoRetryEnd(False, attempt, CANCELLED))
        return waited

    def gave_up(self, message: dict[str, Any]) -> None:
        """Tell that the attempts were in vain if `message` is an error after some."""
        if self.attempt and message.get("stopReason") == "error":
            self._host.emit(AutoRetryEnd(False, self.attempt, message.get("errorMessage")))
            self.attempt = 0


class RetryListener(Protocol):
    """Who hears of the retries of one call. Each is awaited before the call goes on."""

    async def scheduled(self, attempt: int, max_attempts: float, delay_ms: float, error: str) -> None:
        """Attempt `attempt` will be made after `delay_ms`."""
        ...

    async def attempt_started(self) -> None:
        """The wait is over."""
        ...

    async def finished(self, success: bool, attempt: int, error: str | None) -> None:
        """There was a retry and there will be no other."""
        ...


async def call_with_retries(
    produce: Callable[[int], Awaitable[Reply]],
    *,
    settings: RetrySettings | None,
    policy: RetryPolicy,
    retryable: Callable[[Reply], bool],
    signal: AbortSignal,
    wait: Wait,
    listener: RetryListener,
) -> Reply:
    """Return the first reply that is no passing error, or the last one there is budget for.

    `produce` makes one call, given the number of retries before it. An aborted reply is final; an abort during a wait
    makes an aborted reply of the failed one. Without settings, or with retries off, there is one call.
    """
    limit = settings.max_retries if settings is not None and settings.enabled else 0
    attempt = 0
    while True:
        reply = await produce(attempt)
        error = reply.error_message
        if reply.stop_reason != "error":
            if attempt:
                await listener.finished(reply.stop_reason != "aborted", attempt, None)
            return reply
        if settings is None or attempt >= limit or not retryable(reply):
            if attempt:
                await listener.finished(False, attempt, error)
            return reply
        attempt += 1
        text = error or UNKNOWN_ERROR
        delay = policy.delay_ms(attempt, settings, text)
        await listener.scheduled(attempt, limit, delay, text)
        if not await wait(delay, signal):
            await listener.finished(False, attempt, text)
            return replace(reply, stop_reason="aborted", error_message=None)
        await listener.attempt_started()
