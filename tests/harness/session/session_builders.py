"""Small sessions for tests: deterministic ids, a counting clock, messages in one line."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from backslide.harness.session import Session

START_MS = 1_700_000_000_000


def user(text: str = "do it", **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, "timestamp": START_MS, **more}


def assistant(*blocks: dict[str, Any] | str, **more: Any) -> dict[str, Any]:
    content = [text(block) if isinstance(block, str) else block for block in blocks]
    return {
        "role": "assistant",
        "content": content,
        "api": "openai-completions",
        "provider": "acme",
        "model": "a-1",
        "stopReason": "stop",
        "timestamp": START_MS,
        **more,
    }


def result(call_id: str, output: str = "ok") -> dict[str, Any]:
    return {
        "role": "toolResult",
        "toolCallId": call_id,
        "toolName": "read",
        "content": [text(output)],
        "isError": False,
    }


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def call(call_id: str, name: str = "read", **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def image() -> dict[str, Any]:
    return {"type": "image", "data": "AA==", "mimeType": "image/png"}


def new_session(path: Path | None = None, **more: Any) -> Session:
    """A session whose entries are called e0, e1, … and written one millisecond apart."""
    ids = (f"e{number}" for number in itertools.count())
    clock = itertools.count(START_MS)
    return Session.create(path, cwd="/srv/work", ids=lambda: next(ids), now=lambda: next(clock), **more)


def ids_of(entries: list[dict[str, Any]]) -> list[Any]:
    return [entry.get("id") for entry in entries]
