"""How an inspection shows texts, messages, estimates and file lists."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

from backslide.harness import jsjson
from backslide.harness.compaction.estimate import ContextEstimate
from backslide.harness.compaction.fileops import FileOps, file_lists
from backslide.harness.compaction.serialize import joined_text
from backslide.harness.roles import shown as js_text
from backslide.harness.session import Message
from backslide.harness.wire import blocks_of

LONG_UNITS = 1200
"""A text longer than this many UTF-16 units is shown as a digest."""
HEAD_UNITS = 160
TAIL_UNITS = 80


def digest(text: str) -> Any:
    """Return a text, or for a long one its length, hash, head and tail."""
    length = jsjson.utf16_length(text)
    if length <= LONG_UNITS:
        return text
    return {
        "len": length,
        "sha256_utf16le": hashlib.sha256(text.encode("utf-16-le", "surrogatepass")).hexdigest(),
        "head": jsjson.utf16_slice(text, 0, HEAD_UNITS),
        "tail": jsjson.utf16_slice(text, length - TAIL_UNITS),
    }


def message_document(message: Message) -> dict[str, Any]:
    """Return a context message of any role."""
    role = message.get("role")
    shown: dict[str, Any] = {"role": role}
    if role in {"user", "assistant", "toolResult", "custom"}:
        shown |= _content_document(message)
    if role == "bashExecution":
        shown["text"] = _digest_of(message, "command")
        shown["output"] = _digest_of(message, "output")
        if message.get("excludeFromContext"):
            shown["excludeFromContext"] = True
    if role in {"branchSummary", "compactionSummary"}:
        shown["text"] = _digest_of(message, "summary")
    if role == "assistant":
        shown["stopReason"] = message.get("stopReason")
        if message.get("errorMessage"):
            shown["errorMessage"] = message["errorMessage"]
        shown["model"] = f"{js_text(message.get('provider'))}/{js_text(message.get('model'))}"
    for key in _OWN_KEYS.get(str(role), ()):
        if key in message:
            shown[key] = message[key]
    shown["timestamp"] = number_or_none(message.get("timestamp"))
    return shown


_OWN_KEYS: dict[str, tuple[str, ...]] = {
    "toolResult": ("toolCallId", "toolName", "isError"),
    "custom": ("customType", "display"),
    "branchSummary": ("fromId",),
    "compactionSummary": ("tokensBefore",),
}


def _content_document(message: Message) -> dict[str, Any]:
    content = message.get("content")
    blocks = blocks_of(content)
    shown: dict[str, Any] = {"text": digest(joined_text(content, ""))}
    if isinstance(content, str):
        shown["stringContent"] = True
    images = sum(block.get("type") == "image" for block in blocks)
    if images:
        shown["images"] = images
    if message.get("role") == "assistant":
        thinking = [_digest_of(block, "thinking") for block in blocks if block.get("type") == "thinking"]
        if thinking:
            shown["thinking"] = thinking
        calls = [_call_document(block) for block in blocks if block.get("type") == "toolCall"]
        if calls:
            shown["toolCalls"] = calls
    return shown


def _call_document(block: Mapping[str, Any]) -> dict[str, Any]:
    arguments = jsjson.stringify(block["arguments"]) if "arguments" in block else None
    return {
        "id": block.get("id"),
        "name": block.get("name"),
        "args": None if arguments is None else digest(arguments),
    }


def llm_document(message: Message) -> dict[str, Any]:
    """Return a message as converted for a model."""
    return {"role": message.get("role"), "text": digest(joined_text(message.get("content"), ""))}


def _digest_of(source: Mapping[str, Any], key: str) -> Any:
    value = source.get(key)
    return digest(value) if isinstance(value, str) else value


def estimate_document(estimate: ContextEstimate) -> dict[str, Any]:
    """Return an estimate with Pi's names."""
    return {
        "tokens": estimate.tokens,
        "usageTokens": estimate.usage_tokens,
        "trailingTokens": estimate.trailing_tokens,
        "lastUsageIndex": estimate.last_usage_index,
    }


def file_ops_document(file_ops: FileOps) -> dict[str, Any]:
    """Return file operations, in the order of their first use, and the lists made of them."""
    lists = file_lists(file_ops)
    return {
        "read": list(file_ops.read),
        "written": list(file_ops.written),
        "edited": list(file_ops.edited),
        **lists.details(),
        "suffix": digest(lists.suffix()),
    }


def number_or_none(value: Any) -> Any:
    """Return a value that JSON can hold: a number that is not finite becomes None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
