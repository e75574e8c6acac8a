"""The record that a summarizer reads: consumed entries as labelled blocks.

Labels are those of Pi's serialization. Unlike there, text that looks like a label or like one of our tags is escaped
with a backslash, so that a user's or a tool's words can never pass for structure, and nothing but tool output is
shortened.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

ToolOutput = Literal["conclusion", "truncate"]

Block = list[str]
"""One labelled block of a record: its label and its text."""

CONCLUSION_CHARS = 240
TRUNCATE_CHARS = 2000
LISTING_TOOLS = frozenset({"read", "grep", "ls", "find", "glob"})
"""Tools whose output is content that can be fetched again: only its size is a conclusion."""
WHOLE_TOOLS = frozenset({"advisor"})
"""Tools whose output is somebody's judgement rather than output: kept whole."""

_LABEL = re.compile(r"(?m)^(\s*)\[(?=(?:User|Assistant|Tool|Summary|Note)\b[^\]\n]{0,60}\]:)")
_TAG = re.compile(r"<(?=/?(?:conversation|previous-summary|summary|read-files|modified-files)\b)")


def escape(text: str) -> str:
    """Put a backslash into whatever in `text` could pass for a label or a tag of the record."""
    return _TAG.sub(r"<\\", _LABEL.sub(r"\1\\[", text))


def content_text(content: Any) -> str:
    """Return the text of a message's content: a string, or text blocks; an image leaves a note."""
    if isinstance(content, str):
        return content
    parts: list[str] = []
    for block in content or []:
        if not isinstance(block, dict):
            continue
        if block.get("type") == "text":
            parts.append(str(block.get("text") or ""))
        elif block.get("type") == "image":
            parts.append("(an image)")
    return "\n".join(parts)


def conclusion(tool: str, text: str, *, is_error: bool) -> str:
    """Reduce consumed tool output to its conclusion: its size, and for a command the line that tells the outcome."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    size = f"{len(lines)} lines" if len(lines) != 1 else "1 line"
    lead = "failed, " if is_error else ""
    if not lines:
        return f"{lead}no output"
    if tool in LISTING_TOOLS and not is_error:
        return size
    last = next((line for line in reversed(lines) if len(re.findall(r"\w", line)) >= 3), lines[-1])
    if len(last) > CONCLUSION_CHARS:
        last = last[:CONCLUSION_CHARS] + "…"
    return f"{lead}{last}" if len(lines) == 1 else f"{lead}{size}, ending: {last}"


def record_blocks(messages: Iterable[dict[str, Any]], tool_output: ToolOutput) -> Iterator[Block]:
    """Yield the labelled blocks of `messages`, oldest first.

    `tool_output` says what is left of a consumed tool result: its conclusion, or its first 2,000 characters.
    """
    for message in messages:
        for label, text in _labelled(message, tool_output):
            if text.strip():
                yield [label, escape(text)]


def _labelled(message: dict[str, Any], tool_output: ToolOutput) -> Iterator[tuple[str, str]]:
    role = message.get("role")
    if role in {"user", "custom"}:
        yield "[User]: ", content_text(message.get("content"))
    elif role == "assistant":
        yield from _assistant(message)
    elif role == "toolResult":
        tool = str(message.get("toolName") or "tool")
        yield f"[Tool result ({tool})]: ", _result(message, tool, tool_output)
    elif role == "bashExecution" and not message.get("excludeFromContext"):
        output = str(message.get("output") or "")
        shown = _shortened("bash", output, tool_output, is_error=bool(message.get("exitCode")))
        yield "[User]: ", f"ran `{message.get('command') or ''}`\n{shown}"
    elif role in {"compactionSummary", "branchSummary"}:
        yield "[Summary]: ", str(message.get("summary") or "")


def _assistant(message: dict[str, Any]) -> Iterator[tuple[str, str]]:
    thinking: list[str] = []
    texts: list[str] = []
    calls: list[str] = []
    for block in message.get("content") or []:
        if not isinstance(block, dict):
            continue
        kind = block.get("type")
        if kind == "thinking":
            thinking.append(str(block.get("thinking") or ""))
        elif kind == "text":
            texts.append(str(block.get("text") or ""))
        elif kind == "toolCall":
            arguments = block.get("arguments")
            pairs = arguments.items() if isinstance(arguments, dict) else []
            inner = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in pairs)
            calls.append(f"{block.get('name')}({inner})")
    failed = message.get("stopReason") in {"error", "aborted"}
    yield "[Assistant thinking]: ", "\n".join(thinking)
    yield "[Assistant, reply cut off]: " if failed else "[Assistant]: ", "\n".join(texts)
    yield "[Assistant tool calls]: ", "; ".join(calls)


def _result(message: dict[str, Any], tool: str, tool_output: ToolOutput) -> str:
    text = content_text(message.get("content"))
    if tool in WHOLE_TOOLS:
        return text
    return _shortened(tool, text, tool_output, is_error=bool(message.get("isError")))


def _shortened(tool: str, text: str, tool_output: ToolOutput, *, is_error: bool) -> str:
    if tool_output == "conclusion":
        return conclusion(tool, text, is_error=is_error)
    if len(text) > TRUNCATE_CHARS:
        return f"{text[:TRUNCATE_CHARS]}\n[… {len(text) - TRUNCATE_CHARS} more characters]"
    return text
