"""Token estimates without a tokenizer: a quarter of the UTF-16 code units, rounded up per message.

Rules of Pi 0.83.0 (control-plane semantics, "Token estimates"). Content that is not of the documented shape
counts as nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backslide.harness import jsjson
from backslide.harness.settings import CompactionSettings

IMAGE_UNITS = 4800
"""Code units that an image counts for."""


@dataclass(frozen=True, slots=True)
class ContextEstimate:
    """Tokens of a context: measured up to a reply, estimated after it."""

    tokens: float
    usage_tokens: float
    trailing_tokens: int
    last_usage_index: int | None
    """Index of the message whose usage was taken; None if there is none."""


def estimate_tokens(message: Mapping[str, Any]) -> int:
    """Return the estimate for one message of any role; 0 for an unknown role.

    An image counts 4800 units, except in an assistant's content. A bash run counts its command and output,
    even if it is excluded from the context; a summary counts without its wrapper.
    """
    role = message.get("role")
    if role in {"user", "custom", "toolResult"}:
        units = _content_units(message.get("content"))
    elif role == "assistant":
        units = _assistant_units(message.get("content"))
    elif role == "bashExecution":
        units = _units(message.get("command")) + _units(message.get("output"))
    elif role in {"branchSummary", "compactionSummary"}:
        units = _units(message.get("summary"))
    else:
        return 0
    return -(-units // 4)


def _units(value: Any) -> int:
    return jsjson.utf16_length(value) if isinstance(value, str) else 0


def _content_units(content: Any) -> int:
    if isinstance(content, str):
        return jsjson.utf16_length(content)
    units = 0
    for block in _blocks(content):
        kind = block.get("type")
        if kind == "text":
            units += _units(block.get("text"))
        elif kind == "image":
            units += IMAGE_UNITS
    return units


def _assistant_units(content: Any) -> int:
    units = 0
    for block in _blocks(content):
        kind = block.get("type")
        if kind == "text":
            units += _units(block.get("text"))
        elif kind == "thinking":
            units += _units(block.get("thinking"))
        elif kind == "toolCall":
            units += _units(block.get("name"))
            if "arguments" in block:
                units += jsjson.utf16_length(jsjson.stringify(block["arguments"]))
    return units


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def estimate_messages(messages: Iterable[Mapping[str, Any]]) -> int:
    """Return the sum of the estimates of messages, ignoring any usage."""
    return sum(map(estimate_tokens, messages))


def calculate_context_tokens(usage: Mapping[str, Any]) -> float:
    """Return the tokens of a request and its reply: ``totalTokens``, or else the sum of the four components.

    A missing component makes the sum NaN, which is over no limit.
    """
    total = _number(usage.get("totalTokens"))
    if total and not math.isnan(total):
        return total
    return sum(_number(usage.get(key)) for key in ("input", "output", "cacheRead", "cacheWrite"))


def _number(value: Any) -> float:
    return value if isinstance(value, int | float) else math.nan


def valid_usage(message: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the usage of an assistant message that ended well and used tokens, else None."""
    if message.get("role") != "assistant" or message.get("stopReason") in {"aborted", "error"}:
        return None
    usage = message.get("usage")
    return usage if isinstance(usage, dict) and calculate_context_tokens(usage) > 0 else None


def estimate_context_tokens(messages: Sequence[Mapping[str, Any]]) -> ContextEstimate:
    """Return the size of a context: the last valid usage plus the estimates of the messages after it.

    Without any usage it is the sum of all estimates. Whether the usage predates a compaction is not asked.
    """
    trailing = 0
    for index in range(len(messages) - 1, -1, -1):
        usage = valid_usage(messages[index])
        if usage is not None:
            measured = calculate_context_tokens(usage)
            return ContextEstimate(measured + trailing, measured, trailing, index)
        trailing += estimate_tokens(messages[index])
    return ContextEstimate(trailing, 0, trailing, None)


def should_compact(tokens: float, context_window: float, settings: CompactionSettings) -> bool:
    """Tell whether a context is over the window less the reserve (never if compaction is off).

    A window of 0 makes the limit negative, so any positive size is over it.
    """
    return settings.enabled and tokens > context_window - settings.reserve_tokens
