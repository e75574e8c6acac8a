"""What is delivered to an advisor: one text, made of parts whose origin is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

Kind = Literal["brief", "first", "update", "rebase", "stateless", "nudge"]
"""`first`, `update` and `rebase` are deliveries of the mirror; a `nudge` follows an empty reply."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a document.

    Its origin is one of a payload's composition (system, tools, user, assistant, thinking, tool_calls, tool_results,
    summary, brief), or `frame` for the words around them.
    """

    origin: str
    text: str


@dataclass(frozen=True)
class Document:
    """One delivery.

    `up_to` is the id of the last executor entry that it covers (mirror only), `covered` the ids of all entries that
    count as delivered with it, `cause` why a mirror is full.
    """

    kind: Kind
    parts: tuple[Part, ...]
    up_to: str | None = None
    covered: tuple[str, ...] = ()
    cause: str = ""

    @cached_property
    def text(self) -> str:
        """Return the whole text."""
        return "".join(part.text for part in self.parts)

    @cached_property
    def characters(self) -> dict[str, int]:
        """Return the characters by origin; they add up to the length of the text."""
        return _summed(self.parts, len)

    def weights(self, count: Callable[[str], int]) -> dict[str, list[int]]:
        """Return bytes (inside a JSON string) and tokens by origin, each part metered by itself."""
        sizes = _summed(self.parts, json_bytes)
        tokens = _summed(self.parts, count)
        return {origin: [size, tokens[origin]] for origin, size in sizes.items()}


def _summed(parts: tuple[Part, ...], size: Callable[[str], int]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        total[part.origin] = total.get(part.origin, 0) + size(part.text)
    return total


def json_bytes(text: str) -> int:
    """Return the bytes of `text` inside a JSON string of a request body, without its quotes."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - 2


def cut(text: str, limit: int) -> str:
    """Return at most `limit` characters of `text`, and say how much was cut."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n(cut here: {len(text) - limit:,} of {len(text):,} characters left out)"


def user_message(
    document: Document, moment: int, count: Callable[[str], int], after_failures: int = 0
) -> dict[str, Any]:
    """Return the session message that carries a document.

    What the harness must know of it after a restart stands beside the content, where no model sees it: its kind, how
    far it reaches, its weight by origin, and after how many failed deliveries it covers the same ground again.
    """
    delivery: dict[str, Any] = {
        "kind": document.kind,
        "tokens": count(document.text),
        "weights": document.weights(count),
    }
    if document.kind in {"first", "update", "rebase"}:
        delivery["upTo"] = document.up_to
    if after_failures:
        delivery["afterFailures"] = after_failures
    return {
        "role": "user",
        "content": [{"type": "text", "text": document.text}],
        "timestamp": moment,
        "delivery": delivery,
    }
