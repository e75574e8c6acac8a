"""Requests built by hand for the simulated models."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from backslide.harness.models.protocol import Cause, Measurement, Model, Reply, Request, Role


def words(text: str) -> int:
    """Count words, and each Chinese character, as one token: figures a reader can check by eye."""
    return sum(1 + sum("\u4e00" <= letter <= "\u9fff" for letter in word) for word in text.split())


def chat(
    *messages: dict[str, Any],
    role: Role = "executor",
    max_tokens: int = 1000,
    tokens: int = 500,
    window: int = 16_000,
) -> Request:
    """Build a request whose body holds `messages`."""
    body = json.dumps(
        {"model": "m", "messages": list(messages), "max_completion_tokens": max_tokens}, ensure_ascii=False
    ).encode()
    measure = Measurement(len(body), tokens, len(messages), {}, {})
    cause: Cause = "summarizer" if role == "summarizer" else "probe"
    return Request(role, cause, body, measure, max_tokens, window)


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def calling(call_id: str, name: str, arguments: dict[str, Any], text: str = "") -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": text or None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def result(call_id: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def ask(model: Model, request: Request) -> Reply:
    """Run one request to its reply."""
    return asyncio.run(model.complete(request))
