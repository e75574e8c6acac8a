"""What the control plane would decide about the last reply, without running anything."""

from __future__ import annotations

import math
from typing import Any

from backslide.harness.compaction.estimate import (
    calculate_context_tokens,
    estimate_context_tokens,
    should_compact,
)
from backslide.harness.control.overflow import is_overflow
from backslide.harness.control.retry_patterns import is_retryable, is_retryable_text
from backslide.harness.inspection_runs import Inspected
from backslide.harness.session import Message, Session
from backslide.harness.session.clock import parse_ms


def inspected_control(inspected: Inspected) -> dict[str, Any] | None:
    """Return what the control plane would decide about the last assistant message of the context."""
    messages = inspected.session.context().messages
    last = next((message for message in reversed(messages) if message.get("role") == "assistant"), None)
    if last is None:
        return None
    window, retry = inspected.model.context_window, inspected.settings.retry
    retryable = is_retryable(last, window)
    return {
        "isOverflow": is_overflow(last, window),
        "isRetryablePattern": is_retryable_text(last),
        "isRetryable": retryable,
        "willRetryAfterAgentEnd": retryable and retry.enabled and retry.max_retries > 0,
        "postRun": _check(inspected, messages, last, post_run=True),
        "prePrompt": _check(inspected, messages, last, post_run=False),
    }


def _check(inspected: Inspected, messages: list[Message], last: Message, *, post_run: bool) -> dict[str, Any]:
    attempted = bool(inspected.oracle.get("overflowRecoveryAttempted", False))
    state = list(messages)
    decision: dict[str, Any] | None = None
    events: list[dict[str, Any]] = []
    reason = _due(inspected, messages, last, post_run=post_run)
    if reason == "overflow" and last.get("stopReason") != "stop":
        if attempted:
            events.append(
                {
                    "type": "compaction_end",
                    "reason": "overflow",
                    "willRetry": False,
                    "aborted": False,
                    "hasError": True,
                }
            )
        else:
            attempted = True
            state = state[:-1] if state[-1].get("role") == "assistant" else state
            decision = {"reason": "overflow", "willRetry": True}
    elif reason is not None:
        decision = {"reason": reason, "willRetry": False}
    return {
        "returned": decision is not None and decision["willRetry"],
        "autoCompaction": decision,
        "events": events,
        "overflowRecoveryAttempted": attempted,
        "stateMessages": len(state),
    }


def _due(inspected: Inspected, messages: list[Message], last: Message, *, post_run: bool) -> str | None:
    """Return why a compaction is due after a message: "overflow", "threshold" or None."""
    model, settings = inspected.model, inspected.settings.compaction
    if not settings.enabled or (post_run and last.get("stopReason") == "aborted"):
        return None
    compacted = _compacted_at(inspected.session)
    if _is_old(last, compacted):
        return None
    same_model = last.get("provider") == model.provider and last.get("model") == model.id
    if same_model and is_overflow(last, model.context_window):
        return "overflow"
    usage = last.get("usage")
    tokens = calculate_context_tokens(usage) if isinstance(usage, dict) else 0
    if last.get("stopReason") == "error" or tokens == 0:
        estimate = estimate_context_tokens(messages)
        measured_at = estimate.last_usage_index
        if measured_at is None or _is_old(messages[measured_at], compacted):
            return None
        tokens = estimate.tokens
    return "threshold" if should_compact(tokens, model.context_window, settings) else None


def _compacted_at(session: Session) -> float:
    """Return the time of the branch's last compaction in milliseconds, minus infinity without one."""
    branch = session.view()
    if not branch.compactions:
        return -math.inf
    return parse_ms(branch.entries[branch.compactions[-1]].get("timestamp", ""))


def _is_old(message: Message, compacted: float) -> bool:
    """Tell whether a message was there before the last compaction; the same millisecond counts as before."""
    time = message.get("timestamp")
    return isinstance(time, int | float) and time <= compacted
