"""Whether a reply calls for a compaction.

The order of the checks is that of Pi 0.83.0 (control-plane semantics, section 5.5): an aborted message and one from
before the last compaction never trigger after a run; an overflow compacts (a finished answer without asking again,
anything else once with a retry); above the threshold the session is compacted and waits for the next prompt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backslide.harness.compaction.estimate import (
    calculate_context_tokens,
    estimate_context_tokens,
    should_compact,
)
from backslide.harness.control.events import CompactionReason
from backslide.harness.control.overflow import is_overflow
from backslide.harness.session import Branch, Message
from backslide.harness.session.clock import parse_ms
from backslide.harness.settings import CompactionSettings, ModelInfo


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do about a reply."""

    reason: CompactionReason
    will_retry: bool
    """Whether the failed reply leaves the context and is asked for again after the compaction."""
    give_up: bool = False
    """Whether recovery was attempted already, so that there is only an error to tell."""


Measure = Callable[[Message, Sequence[Message], float], float | None]
"""Returns the context's tokens from the reply, the active context and the last compaction's time; None: unknown."""


def decide(
    message: Message,
    *,
    messages: Sequence[Message],
    branch: Branch,
    model: ModelInfo,
    settings: CompactionSettings,
    after_run: bool,
    recovery_attempted: bool,
    measure: Measure,
) -> Decision | None:
    """Return what `message` calls for, None if nothing.

    `messages` is the active context. After a run an aborted message is left alone; before a prompt it is looked at.
    A message of another model than the current one is tested against the threshold only.
    """
    if not settings.enabled or (after_run and message.get("stopReason") == "aborted"):
        return None
    compacted = compacted_at(branch)
    if is_old(message, compacted):
        return None
    same_model = message.get("provider") == model.provider and message.get("model") == model.id
    if same_model and is_overflow(message, model.context_window):
        will_retry = message.get("stopReason") != "stop"
        return Decision("overflow", will_retry, give_up=will_retry and recovery_attempted)
    tokens = measure(message, messages, compacted)
    if tokens is not None and should_compact(tokens, model.context_window, settings):
        return Decision("threshold", will_retry=False)
    return None


def reported_tokens(message: Message, messages: Sequence[Message], compacted: float) -> float | None:
    """Return what the reply reports, or for an error or no usage the last usage of the context plus an estimate.

    None if no reply of the context reports any, or the one that does is from before the last compaction.
    """
    usage = message.get("usage")
    tokens = calculate_context_tokens(usage) if isinstance(usage, dict) else 0
    if message.get("stopReason") != "error" and tokens != 0:
        return tokens
    estimate = estimate_context_tokens(messages)
    at = estimate.last_usage_index
    return None if at is None or is_old(messages[at], compacted) else estimate.tokens


def compacted_at(branch: Branch) -> float:
    """Return the time of the branch's last compaction in milliseconds, minus infinity without one."""
    if not branch.compactions:
        return -math.inf
    return parse_ms(branch.entries[branch.compactions[-1]].get("timestamp", ""))


def is_old(message: Message, compacted: float) -> bool:
    """Tell whether a message was there before the last compaction; the same millisecond counts as before."""
    time = message.get("timestamp")
    return isinstance(time, int | float) and time <= compacted
