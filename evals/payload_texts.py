"""The texts of a context, each with what it is and what carries it: what the retention scorer reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from backslide.evals.scorers.retention import PayloadText
from backslide.harness.compaction.strategies.record import content_text

Where = Literal["kept-raw", "file", "advisor"]

FILE_TOOLS = frozenset({"read"})


def payload_texts(messages: Iterable[dict[str, Any]]) -> list[PayloadText]:
    """Return the texts of a context in order; summaries, file contents and advice are told from what is kept raw."""
    texts: list[PayloadText] = []
    for message in messages:
        texts += _texts(message)
    return [text for text in texts if text.text.strip()]


def _texts(message: dict[str, Any]) -> list[PayloadText]:
    role = message.get("role")
    if role in {"compactionSummary", "branchSummary"}:
        return [PayloadText("summary", str(message.get("summary") or ""), "summary")]
    if role in {"user", "custom"}:
        return [PayloadText("user", content_text(message.get("content")), "kept-raw")]
    if role == "toolResult":
        tool = message.get("toolName")
        where: Where = "file" if tool in FILE_TOOLS else "advisor" if tool == "advisor" else "kept-raw"
        return [PayloadText("tool_results", content_text(message.get("content")), where)]
    if role != "assistant":
        return []
    texts: list[PayloadText] = []
    for block in message.get("content") or []:
        if block.get("type") == "text":
            texts.append(PayloadText("assistant", str(block["text"]), "kept-raw"))
        elif block.get("type") == "thinking":
            texts.append(PayloadText("thinking", str(block["thinking"]), "kept-raw"))
        elif block.get("type") == "toolCall":
            values = (value for value in block["arguments"].values() if isinstance(value, str))
            texts += [PayloadText("tool_calls", value, "kept-raw") for value in values]
    return texts
