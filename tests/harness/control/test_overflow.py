"""Which replies mean that the context did not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from backslide.harness.control.overflow import is_overflow
from backslide.harness.control.retry_patterns import is_retryable, is_retryable_text

ROWS = Path(__file__).parents[2] / "data" / "pi" / "errors.jsonl"


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in ROWS.read_text(encoding="utf-8").split("\n") if line]


def error(words: object) -> dict[str, Any]:
    return {"stopReason": "error", "errorMessage": words}


def test_real_error_texts_are_classified_as_the_original_does() -> None:
    """Every recorded row agrees on all three questions."""
    wrong = [
        (row["errorMessage"], row["isOverflow"], row["retryPattern"], row["agentRetries"])
        for row in rows()
        if (
            is_overflow(row, row["contextWindow"]),
            is_retryable_text(row),
            is_retryable(row, row["contextWindow"]),
        )
        != (row["isOverflow"], row["retryPattern"], row["agentRetries"])
    ]

    assert wrong == []
    assert len({row["isOverflow"] for row in rows()}) == 2


@pytest.mark.parametrize(
    ("stop", "usage", "window", "expected"),
    [
        ("stop", {"input": 900, "cacheRead": 101, "output": 3}, 1000, True),
        ("stop", {"input": 900, "cacheRead": 100, "output": 3}, 1000, False),
        ("stop", {"input": 900, "cacheWrite": 500}, 1000, False),
        ("length", {"input": 990, "output": 0}, 1000, True),
        ("length", {"input": 989, "output": 0}, 1000, False),
        ("length", {"input": 999, "output": 1}, 1000, False),
        ("toolUse", {"input": 5000, "output": 1}, 1000, False),
        ("stop", {"input": 5000}, 0, False),
        ("stop", None, 1000, False),
    ],
)
def test_silent_overflows(stop: str, usage: Any, window: int, expected: bool) -> None:
    """A finished answer over the window, and a length stop that left no room for output; writes are not counted."""
    assert is_overflow({"stopReason": stop, "usage": usage}, window) is expected


def test_an_error_needs_a_text() -> None:
    """A foreign file may hold an object where the message should be."""
    assert not is_overflow(error(None), 1000)
    assert not is_overflow(error({"type": "request_too_large"}), 1000)
    assert is_overflow(error("REQUEST_TOO_LARGE"), 1000)


def test_a_throttled_request_is_no_overflow() -> None:
    """Its text may speak of too many tokens."""
    assert is_overflow(error("too many tokens in this request"), 0)
    assert not is_overflow(error("Throttling error: too many tokens, please wait"), 0)
    assert not is_overflow(error("rate limit: too many tokens per minute"), 0)


def test_digits_and_spaces_are_those_of_javascript() -> None:
    """An Arabic digit is none; a no-break space is one; a line separator ends a line."""
    assert not is_overflow(error("maximum prompt length is \u0663"), 0)
    assert is_overflow(error("exceeds the maximum context length\u00a0of\u00a01000\ufefftokens"), 0)
    assert not is_overflow(error("input token count 5 \u2028 exceeds the maximum"), 0)
    assert is_overflow(error("input token count 5 \u0085 exceeds the maximum"), 0)
