"""The executor's conversation as labelled text, entry by entry, the way the historical mirror showed it.

Nothing is escaped: text that looks like a label goes in as it is. That is part of what is measured.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from backslide.harness.advisor.document import Part, cut
from backslide.harness.advisor.labels import MirrorLabels
from backslide.harness.roles import bashshown
from backslide.harness.session import Entry
from backslide.harness.wire import blocks_of

ADVISOR_TOOL = "advisor"

Message = dict[str, Any]


def content_text(content: Any) -> str:
    """Return the text blocks of a message's content, one to a line; an image leaves a note."""
    texts = []
    for block in blocks_of(content):
        if block.get("type") == "text":
            texts.append(str(block.get("text") or ""))
        elif block.get("type") == "image":
            texts.append("(an image)")
    return "\n".join(texts)


def tool_calls(message: Message) -> list[Message]:
    """Return the tool-call blocks of an assistant message."""
    if message.get("role") != "assistant":
        return []
    return [block for block in blocks_of(message.get("content")) if block.get("type") == "toolCall"]


def signature(call: Message) -> str:
    """Return a call as ``name(key=json, …)``."""
    arguments = call.get("arguments")
    pairs = arguments.items() if isinstance(arguments, dict) else ()
    inner = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in pairs)
    return f"{call.get('name')}({inner})"


def open_advisor_calls(entries: Sequence[Entry]) -> frozenset[Any]:
    """Return the ids of the advisor calls that are under way: in the last assistant message, without a result."""
    answered: set[Any] = set()
    for entry in reversed(entries):
        message = entry.get("message") if entry.get("type") == "message" else None
        if not isinstance(message, dict):
            continue
        if message.get("role") == "toolResult":
            answered.add(message.get("toolCallId"))
        elif message.get("role") == "assistant":
            calls = [call.get("id") for call in tool_calls(message) if call.get("name") == ADVISOR_TOOL]
            return frozenset(call for call in calls if call not in answered)
        else:
            break
    return frozenset()


def render_entries(
    entries: Iterable[Entry],
    labels: MirrorLabels,
    *,
    entry_limit: int,
    result_limit: int,
    leave_out: Collection[Any] = (),
) -> list[Part]:
    """Return the entries as labelled blocks, a blank line after each; calls whose id is in `leave_out` are not shown.

    A tool result is cut at `result_limit` characters, an entry at `entry_limit`.
    """
    return [part for entry in entries for part in _capped(_blocks(entry, labels, result_limit, leave_out), entry_limit)]


def _capped(blocks: list[tuple[str, str]], limit: int) -> list[Part]:
    parts = []
    for origin, text in blocks:
        if limit <= 0:
            break
        shown = cut(text, limit)
        limit -= len(text)
        parts.append(Part(origin, f"{shown}\n\n"))
    return parts


def _blocks(entry: Entry, labels: MirrorLabels, result_limit: int, leave_out: Collection[Any]) -> list[tuple[str, str]]:
    kind = entry.get("type")
    if kind in {"compaction", "branch_summary"}:
        return [("summary", f"{labels.summary} {entry.get('summary') or ''}")]
    if kind == "custom_message":
        return [("user", f"{labels.user} {content_text(entry.get('content'))}")]
    message = entry.get("message") if kind == "message" else None
    if not isinstance(message, dict):
        return []
    role = message.get("role")
    if role == "assistant":
        return _assistant(message, labels, leave_out)
    if role == "toolResult":
        label = labels.result(str(message.get("toolName") or "tool"))
        return [("tool_results", f"{label} {cut(content_text(message.get('content')), result_limit)}")]
    if role == "bashExecution":
        return [] if message.get("excludeFromContext") else [("user", f"{labels.user} {bashshown(message)}")]
    if role in {"user", "custom"}:
        return [("user", f"{labels.user} {content_text(message.get('content'))}")]
    return []


def _assistant(message: Message, labels: MirrorLabels, leave_out: Collection[Any]) -> list[tuple[str, str]]:
    blocks = blocks_of(message.get("content"))
    thinking = "\n".join(str(block.get("thinking") or "") for block in blocks if block.get("type") == "thinking")
    text = "\n".join(str(block.get("text") or "") for block in blocks if block.get("type") == "text")
    calls = "; ".join(signature(call) for call in tool_calls(message) if call.get("id") not in leave_out)
    found = [
        ("thinking", labels.thinking, thinking),
        ("assistant", labels.assistant, text),
        ("tool_calls", labels.tool_calls, calls),
    ]
    return [(origin, f"{label} {words}") for origin, label, words in found if words.strip()]
