"""What providers ask of tool calls and results in a request."""

from __future__ import annotations

from typing import Any


def assert_paired(messages: list[dict[str, Any]]) -> None:
    """Check that each result follows its call with nothing but results in between, and that each call has one."""
    open_calls: list[str] = []
    answered: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] in open_calls, message
            answered.append(message["tool_call_id"])
            continue
        assert set(open_calls) == set(answered)
        open_calls, answered = [call["id"] for call in message.get("tool_calls") or []], []
    assert set(open_calls) == set(answered)
