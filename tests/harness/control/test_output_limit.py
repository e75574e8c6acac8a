"""How much output is asked for under Pi's control plane."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rig import make_rig, said

from backslide.harness.control.output_limit import output_limit, request_tokens
from backslide.harness.settings import ModelInfo


@pytest.mark.parametrize(
    ("window", "wanted", "context", "limit"),
    [
        (12_000, 1_024, 1_000, 1_024),
        (12_000, 1_024, 7_126, 778),
        (12_000, 1_024, 7_903, 1),
        (12_000, 1_024, 50_000, 1),
        (12_000, 0, 100, 0),
        (0, 300, 1e9, 300),
        (0, 0, 0, 1),
    ],
)
def test_the_limit_keeps_a_margin(window: int, wanted: int, context: float, limit: int) -> None:
    """What the window leaves after the estimate and 4,096 tokens, at least 1; an unknown window limits nothing."""
    assert output_limit(ModelInfo("p", "m", window), wanted, context) == limit


def user(text: str, time: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, "timestamp": time}


def reply(tokens: int, time: Any, stop: str = "stop") -> dict[str, Any]:
    return {"role": "assistant", "content": [], "usage": {"totalTokens": tokens}, "stopReason": stop, "timestamp": time}


def test_without_usage_everything_is_estimated() -> None:
    """System prompt and tools too; a quarter of the characters, rounded up each."""
    assert request_tokens([user("abcde", 1)], "system", []) == 2 + 2
    with_tools = request_tokens([user("abcde", 1)], "", [{"function": {"name": "ls"}}])
    assert with_tools == 2 + -(-len('[{"name":"ls"}]') // 4)


def test_a_usage_stands_for_what_is_before_it() -> None:
    """Only what follows is estimated."""
    assert request_tokens([user("x" * 400, 1), reply(50, 2), user("abcd", 3)], "system", []) == 51


@pytest.mark.parametrize(
    "summary",
    [
        {"role": "compactionSummary", "summary": "", "timestamp": 9},
        {"role": "compactionSummary", "summary": "", "timestamp": None},
    ],
)
def test_a_usage_older_than_what_is_before_it_does_not_count(summary: dict[str, Any]) -> None:
    """A summary that was put before a reply makes the reply's usage meaningless; so does an unreadable time."""
    messages = [summary, user("abcd", 1), reply(5_000, 2)]

    assert request_tokens(messages, "", []) < 100


def test_failed_replies_report_nothing() -> None:
    """Their usage is none."""
    assert request_tokens([user("abcd", 1), reply(500, 2, "error"), reply(400, 3, "aborted")], "", []) == 1


@pytest.mark.parametrize(("control", "limited"), [("pi-0.83", True), ("robust", False)])
def test_only_pis_requests_are_limited_so(control: str, limited: bool) -> None:
    """The field of the body shows it: a window of 4,000 tokens leaves nothing after the margin."""
    rig = make_rig(control=control)
    rig.turn("hello", said("hi"))

    body = json.loads(rig.executor.requests[0].body)
    assert (body["max_completion_tokens"] == 1) is limited
