"""One failed reply, or one retried call, as rows of ``tests/data/pi/errors.jsonl`` and ``retry_loop.jsonl`` say it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, cast

from backslide.harness.control.abort import AbortSignal, wait_for_nothing
from backslide.harness.control.overflow import is_overflow
from backslide.harness.control.retry import ExponentialBackoff, call_with_retries
from backslide.harness.control.retry_patterns import is_retryable, is_retryable_text
from backslide.harness.errors import InputError
from backslide.harness.models.protocol import Reply, StopReason
from backslide.harness.replay_script import STOP_REASONS
from backslide.harness.settings import RetrySettings


def classify_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``{isOverflow, retryPattern, agentRetries}`` of ``{stopReason, errorMessage, usage, contextWindow}``.

    What is missing counts as nothing: no text, no tokens, an unknown window. Raises `InputError` for a wrong field.
    """
    window = _number(row, "contextWindow")
    usage = row.get("usage")
    if usage is not None and not isinstance(usage, Mapping):
        raise InputError(f"usage must be an object, not {usage!r}")
    counts = {key: _number(usage, key, "usage.") for key in ("input", "output", "cacheRead")} if usage else {}
    message = {"stopReason": _stop(row), "errorMessage": _text(row, "errorMessage"), "usage": counts}
    return {
        "isOverflow": is_overflow(message, window),
        "retryPattern": is_retryable_text(message),
        "agentRetries": is_retryable(message, window),
    }


def retry_loop_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``{calls, callbacks, result}`` of ``{policy, replies, abortAtRetry}``: one summarizer call with retries.

    ``abortAtRetry`` aborts when that retry is announced. Raises `InputError` for a wrong field, and for a call that
    asks for more replies than there are.
    """
    policy = row.get("policy")
    if policy is not None and not isinstance(policy, Mapping):
        raise InputError(f"policy must be an object or null, not {policy!r}")
    replies = row.get("replies")
    if not isinstance(replies, list) or not all(isinstance(reply, dict) for reply in replies):
        raise InputError("replies must be a list of objects")
    loop = _Loop([_reply(reply) for reply in replies], row.get("abortAtRetry"))
    settings = None
    if policy is not None:
        settings = RetrySettings(
            enabled=bool(policy.get("enabled")),
            max_retries=_number(policy, "maxRetries", "policy."),
            base_delay_ms=_number(policy, "baseDelayMs", "policy."),
        )
    reply = asyncio.run(loop.run(settings))
    return {
        "calls": loop.calls,
        "callbacks": loop.callbacks,
        "result": {"stopReason": reply.stop_reason, "errorMessage": reply.error_message},
    }


class _Loop:
    """A retried call that notes what it tells."""

    def __init__(self, replies: list[Reply], abort_at: Any) -> None:
        self.calls = 0
        self.callbacks: list[list[Any]] = []
        self._replies = replies
        self._abort_at = abort_at
        self._signal = AbortSignal()

    async def run(self, settings: RetrySettings | None) -> Reply:
        return await call_with_retries(
            self._produce,
            settings=settings,
            policy=ExponentialBackoff(),
            retryable=lambda reply: is_retryable_text(
                {"stopReason": reply.stop_reason, "errorMessage": reply.error_message}
            ),
            signal=self._signal,
            wait=wait_for_nothing,
            listener=self,
        )

    async def _produce(self, attempt: int) -> Reply:
        del attempt
        if self.calls == len(self._replies):
            raise InputError(f"call {self.calls + 1} has no reply")
        self.calls += 1
        return self._replies[self.calls - 1]

    async def scheduled(self, attempt: int, max_attempts: float, delay_ms: float, error: str) -> None:
        self.callbacks.append(["scheduled", attempt, max_attempts, delay_ms, error])
        if attempt == self._abort_at:
            self._signal.abort()

    async def attempt_started(self) -> None:
        self.callbacks.append(["start"])

    async def finished(self, success: bool, attempt: int, error: str | None) -> None:
        self.callbacks.append(["finished", success, attempt, error])


def _reply(row: Mapping[str, Any]) -> Reply:
    return Reply([], cast("StopReason", _stop(row)), error_message=_text(row, "errorMessage"))


def _stop(row: Mapping[str, Any]) -> str:
    stop = row.get("stopReason")
    if stop not in STOP_REASONS:
        raise InputError(f"stopReason must be one of {', '.join(STOP_REASONS)}, not {stop!r}")
    return str(stop)


def _text(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{name} must be text or null, not {value!r}")
    return value


def _number(row: Mapping[str, Any], name: str, prefix: str = "") -> float:
    value = row.get(name)
    if value is None:
        return 0
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise InputError(f"{prefix}{name} must be a number, not {value!r}")
    return value
