"""How much output Pi 0.83.0 asks for: never more than the window leaves, less a margin.

Rules: control-plane semantics, sections 3 (the second estimator) and 4.6. With a small window the limit falls to 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from backslide.harness import jsjson
from backslide.harness.compaction.estimate import calculate_context_tokens, estimate_tokens, valid_usage
from backslide.harness.session import Message
from backslide.harness.settings import ModelInfo
from backslide.harness.wire import convert_to_llm

MARGIN_TOKENS = 4096
"""Tokens that stay free besides the estimated context and the output."""


def output_limit(model: ModelInfo, wanted: float, context_tokens: float) -> int:
    """Return the output limit of a request in tokens, at least 1 unless less is wanted; 0 is no limit."""
    if model.context_window <= 0:
        return int(max(1, wanted))
    return int(min(wanted, max(1, model.context_window - context_tokens - MARGIN_TOKENS)))


def request_tokens(messages: Iterable[Message], system_prompt: str, tools: Sequence[Mapping[str, Any]]) -> float:
    """Return the estimate for a request: the last usage that describes what stands before it, and what follows it.

    A usage counts only if no earlier message is younger than its reply, as a summary would be. Without any the system
    prompt and the tools are estimated too.
    """
    llm = convert_to_llm(messages)
    measured, at = 0.0, -1
    youngest = -math.inf
    for index, message in enumerate(llm):
        time = message.get("timestamp")
        moment = time if isinstance(time, int | float) else math.nan
        usage = valid_usage(message)
        if usage is not None and moment >= youngest:
            measured, at = calculate_context_tokens(usage), index
        # An unreadable time makes every later usage doubtful, as it does in Pi.
        youngest = math.nan if math.isnan(moment) or math.isnan(youngest) else max(youngest, moment)
    total = measured + sum(map(estimate_tokens, llm[at + 1 :]))
    if at < 0:
        total += text_tokens(system_prompt)
        if tools:
            total += text_tokens(jsjson.stringify([tool.get("function", tool) for tool in tools]))
    return total


def text_tokens(text: str) -> int:
    """Return a quarter of a text's UTF-16 code units, rounded up."""
    return -(-jsjson.utf16_length(text) // 4)
