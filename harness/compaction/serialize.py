"""A conversation as plain text for a summarizer.

Rules of Pi 0.83.0 (control-plane semantics, "serializeConversation"). Nothing is escaped: text that looks
like a label or a tag goes in as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from backslide.harness import jsjson
from backslide.harness.wire import blocks_of

TOOL_RESULT_UNITS = 2000
"""UTF-16 code units of a tool result that are shown."""


def serialize_conversation(messages: Iterable[Mapping[str, Any]]) -> str:
    """Return user, assistant and toolResult messages as labelled parts, a blank line between them.

    An assistant's thinking comes first, then its text, then its tool calls, whatever their order was.
    Images, error marks and the names of tools in results are not shown; a long tool result is cut, which
    may leave half of a surrogate pair.
    """
    return "\n\n".join(part for message in messages for part in _parts(message))


def _parts(message: Mapping[str, Any]) -> Iterator[str]:
    role = message.get("role")
    content = message.get("content")
    if role == "assistant":
        yield from _assistant_parts(blocks_of(content))
    elif role == "user":
        if text := joined_text(content, ""):
            yield f"[User]: {text}"
    elif role == "toolResult" and (text := joined_text(content, "")):
        yield f"[Tool result]: {_shortened(text)}"


def _assistant_parts(blocks: list[dict[str, Any]]) -> Iterator[str]:
    thoughts = [_text(block.get("thinking")) for block in blocks if block.get("type") == "thinking"]
    if thoughts:
        yield "[Assistant thinking]: " + "\n".join(thoughts)
    texts = [_text(block.get("text")) for block in blocks if block.get("type") == "text"]
    if texts:
        yield "[Assistant]: " + "\n".join(texts)
    calls = [_call(block) for block in blocks if block.get("type") == "toolCall"]
    if calls:
        yield "[Assistant tool calls]: " + "; ".join(calls)


def _call(block: Mapping[str, Any]) -> str:
    pairs = ", ".join(f"{key}={jsjson.stringify(value)}" for key, value in _entries(block.get("arguments")))
    return f"{block.get('name')}({pairs})"


def _entries(arguments: Any) -> list[tuple[str, Any]]:
    """Return the pairs of ``Object.entries``; the keys of an array or a text are its indices."""
    if isinstance(arguments, dict):
        return jsjson.ordered_items(arguments)
    if isinstance(arguments, list | str):
        return [(str(index), value) for index, value in enumerate(arguments)]
    return []


def joined_text(content: Any, separator: str = "\n") -> str:
    """Return the text blocks of a content joined by `separator`."""
    return separator.join(_text(block.get("text")) for block in blocks_of(content) if block.get("type") == "text")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _shortened(text: str) -> str:
    excess = jsjson.utf16_length(text) - TOOL_RESULT_UNITS
    if excess <= 0:
        return text
    shown = jsjson.utf16_slice(text, 0, TOOL_RESULT_UNITS)
    return f"{shown}\n\n[... {excess} more characters truncated]"
