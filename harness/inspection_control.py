"""What the control plane would decide about the last reply, without running anything."""

from __future__ import annotations

from typing import Any

from backslide.harness.control.decision import decide, reported_tokens
from backslide.harness.control.overflow import is_overflow
from backslide.harness.control.retry_patterns import is_retryable, is_retryable_text
from backslide.harness.inspection_runs import Inspected
from backslide.harness.session import Message


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
        "postRun": _check(inspected, messages, last, after_run=True),
        "prePrompt": _check(inspected, messages, last, after_run=False),
    }


def _check(inspected: Inspected, messages: list[Message], last: Message, *, after_run: bool) -> dict[str, Any]:
    attempted = bool(inspected.oracle.get("overflowRecoveryAttempted", False))
    decision = decide(
        last,
        messages=messages,
        branch=inspected.session.view(),
        model=inspected.model,
        settings=inspected.settings.compaction,
        after_run=after_run,
        recovery_attempted=attempted,
        measure=reported_tokens,
    )
    given_up = decision is not None and decision.give_up
    compaction = None if decision is None or given_up else decision
    will_retry = compaction is not None and compaction.will_retry
    dropped = will_retry and messages[-1].get("role") == "assistant"
    return {
        "returned": will_retry,
        "autoCompaction": None
        if compaction is None
        else {"reason": compaction.reason, "willRetry": compaction.will_retry},
        "events": [_GIVEN_UP] if given_up else [],
        "overflowRecoveryAttempted": attempted or will_retry,
        "stateMessages": len(messages) - dropped,
    }


_GIVEN_UP = {"type": "compaction_end", "reason": "overflow", "willRetry": False, "aborted": False, "hasError": True}
