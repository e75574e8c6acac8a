from __future__ import annotations

import math
from typing import Any

import pytest

from backslide.harness.compaction.estimate import (
    calculate_context_tokens,
    estimate_context_tokens,
    estimate_tokens,
    should_compact,
)
from backslide.harness.settings import CompactionSettings

USAGE = {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "totalTokens": 0}


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        ({"role": "user", "content": ""}, 0),
        ({"role": "user", "content": "12345"}, 2),
        ({"role": "user", "content": "😀😀"}, 1),
        ({"role": "user", "content": "😀😀x"}, 2),
        ({"role": "user", "content": [{"type": "text", "text": "abcd"}, {"type": "image", "data": "AA=="}]}, 1201),
        ({"role": "assistant", "content": [{"type": "image", "data": "AA=="}]}, 0),
        (
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "abcd", "thinkingSignature": "x" * 99}]},
            1,
        ),
        ({"role": "assistant", "content": [{"type": "toolCall", "name": "read", "arguments": {"p": 1.0}}]}, 3),
        ({"role": "toolResult", "content": [{"type": "text", "text": "abcde"}]}, 2),
        ({"role": "bashExecution", "command": "ls", "output": "abc", "excludeFromContext": True}, 2),
        ({"role": "compactionSummary", "summary": "abcde"}, 2),
        ({"role": "branchSummary", "summary": "abcd"}, 1),
        ({"role": "narrator", "content": "abcd"}, 0),
        ({"role": "user"}, 0),
        ({"role": "assistant", "content": [None, "x", {"type": "text"}]}, 0),
    ],
)
def test_a_message_counts_a_quarter_of_its_utf16_units(message: dict[str, Any], tokens: int) -> None:
    """Rounded up; images have a fixed price, what is not shown to a model as text has none."""
    assert tokens == estimate_tokens(message)


def test_a_usage_without_a_total_is_summed() -> None:
    """And a missing component makes it NaN, which is over no limit."""
    assert calculate_context_tokens(USAGE) == 10
    assert calculate_context_tokens({**USAGE, "totalTokens": 7}) == 7
    unknown = calculate_context_tokens({"input": 1})
    assert math.isnan(unknown)
    assert not should_compact(unknown, 0, CompactionSettings())


def reply(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": "stop", **more}


def test_a_context_is_measured_up_to_the_last_good_reply() -> None:
    """What follows it is estimated; failed replies and those without tokens do not measure."""
    context = [
        {"role": "user", "content": "x" * 400},
        reply("y", usage={**USAGE, "totalTokens": 50}),
        {"role": "user", "content": "12345678"},
        reply("1234", usage={**USAGE, "totalTokens": 900}, stopReason="error"),
        reply("1234", usage=dict.fromkeys(USAGE, 0)),
    ]

    estimate = estimate_context_tokens(context)

    assert (
        estimate.tokens,
        estimate.usage_tokens,
        estimate.trailing_tokens,
        estimate.last_usage_index,
    ) == (54, 50, 4, 1)


def test_a_context_without_usage_is_estimated_whole() -> None:
    """And says so."""
    estimate = estimate_context_tokens([{"role": "user", "content": "12345678"}, reply("1234")])

    assert (estimate.tokens, estimate.usage_tokens, estimate.last_usage_index) == (3, 0, None)


@pytest.mark.parametrize(
    ("tokens", "window", "enabled", "due"),
    [(900, 1000, True, False), (901, 1000, True, True), (901, 1000, False, False), (1, 0, True, True)],
)
def test_a_compaction_is_due_strictly_above_the_limit(tokens: int, window: int, enabled: bool, due: bool) -> None:
    """The limit is the window less the reserve, also if that is negative."""
    assert due == should_compact(tokens, window, CompactionSettings(enabled=enabled, reserve_tokens=100))
