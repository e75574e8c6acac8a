"""From the messages a compactor returned to one compaction entry of a session.

A session holds a compaction as one summary text and a kept tail. The longest run of raw messages at the end of what was
returned that is also the end of the context becomes the tail; all before it is written, in order, into the summary.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from backslide.harness.compaction.external.protocol import Piece
from backslide.harness.compaction.strategies.record import escape
from backslide.harness.compaction.strategies.trim import NOTE

NOTHING_KEPT = ""
"""First kept entry of a compaction without a tail: the id of no entry, so that nothing older stays in the context."""


@dataclass(frozen=True)
class Mapped:
    """What a compaction entry will hold, and which of the returned messages went where."""

    summary: str
    first_kept_entry_id: str
    rendered: tuple[Piece, ...]
    kept: tuple[Piece, ...]
    note: bool = False
    """The compactor left no text in place of what it dropped, so that a note of ours stands there."""

    def details(self) -> dict[str, Any]:
        """Return how the compaction entry came about, as far as this module knows."""
        found: dict[str, Any] = {"kinds": [piece.kind for piece in self.rendered], "kept": len(self.kept)}
        raw = sum(piece.kind == "raw" for piece in self.rendered)
        opaque = [piece for piece in self.rendered if piece.kind == "opaque"]
        if raw:
            found["renderedRaw"] = raw
        if opaque:
            found["opaque"] = {"messages": len(opaque), "chars": sum(len(piece.content) for piece in opaque)}
        if self.note:
            found["note"] = True
        return found


def map_messages(messages: Sequence[Piece], keepable: Sequence[str]) -> Mapped:
    """Return the compaction entry for `messages`; `keepable` are the ids that a kept tail may hold, oldest first."""
    kept = 0
    for piece, entry_id in zip(reversed(messages), reversed(keepable), strict=False):
        if piece.kind != "raw" or piece.id != entry_id:
            break
        kept += 1
    start = len(messages) - kept
    # Its call is before the tail, or it would belong to it: a result never begins a tail.
    while start < len(messages) and messages[start].role == "tool":
        start += 1
    rendered, tail = tuple(messages[:start]), tuple(messages[start:])
    first = str(tail[0].id) if tail else NOTHING_KEPT
    summary = "\n\n".join(text for piece in rendered if (text := render(piece)).strip())
    return Mapped(summary or NOTE, first, rendered, tail, note=not summary.strip())


def render(piece: Piece) -> str:
    """Return a message inside a summary text, nothing of it shortened.

    What a compactor wrote stands as it is; what is (or acts as) transcript gets the label of its speaker.
    """
    if piece.kind != "raw" and piece.role != "tool" and not piece.calls:
        return piece.content
    blocks: list[str] = []
    if piece.role == "tool":
        blocks.append(f"[Tool result ({piece.message.get('name') or 'tool'})]: {escape(piece.content)}")
    else:
        if thinking := piece.message.get("reasoning_content"):
            blocks.append(f"[Assistant thinking]: {escape(thinking)}")
        if piece.content.strip():
            label = {"assistant": "Assistant", "user": "User"}.get(piece.role, "Note")
            blocks.append(f"[{label}]: {escape(piece.content)}")
    if piece.calls:
        blocks.append("[Assistant tool calls]: " + "; ".join(_call(call["function"]) for call in piece.calls))
    return "\n\n".join(blocks)


def _call(function: dict[str, Any]) -> str:
    try:
        arguments = json.loads(function["arguments"])
    except ValueError:
        arguments = function["arguments"]
    if not isinstance(arguments, dict):
        return f"{function['name']}({arguments})"
    inner = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in arguments.items())
    return f"{function['name']}({inner})"
