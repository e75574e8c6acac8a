"""Content blocks of a reply, and what they weigh."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

Count = Callable[[str], int]
"""Counts the tokens of a text."""


def text_block(text: str) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": text}


def call_block(call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a tool-call block."""
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def output_tokens(content: Iterable[dict[str, Any]], count: Count) -> int:
    """Return the tokens that a model spends on `content`: texts, thinking, call names and JSON arguments."""
    total = 0
    for block in content:
        kind = block.get("type")
        if kind == "text":
            total += count(block["text"])
        elif kind == "thinking":
            total += count(block["thinking"])
        elif kind == "toolCall":
            arguments = json.dumps(block["arguments"], ensure_ascii=False, separators=(",", ":"))
            total += count(block["name"]) + count(arguments)
    return total
