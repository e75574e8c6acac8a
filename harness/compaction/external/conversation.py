"""From a session's context to the chat messages that a compactor is given."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from backslide.harness.compaction.external.protocol import Kind, Piece
from backslide.harness.compaction.strategies.record import content_text
from backslide.harness.compaction.strategies.tail import first_after_compaction
from backslide.harness.jsjson import remove_lone_surrogates
from backslide.harness.roles import llm_message
from backslide.harness.session import Branch, Entry

Head = tuple[str, str]
"""A compaction as the session holds it: its summary and the id of its first kept entry."""


@dataclass(frozen=True)
class Conversation:
    """A context in chat messages, oldest first.

    `head` is the compaction that it begins with, `keepable` the ids of the messages that are newer than it: a kept
    tail never reaches further back, for the older summary would be sent again.
    """

    pieces: tuple[Piece, ...]
    head: Head | None
    keepable: tuple[str, ...]

    @property
    def after_head(self) -> tuple[Piece, ...]:
        """Return all messages but the summary at the head."""
        return self.pieces[1:] if self.head is not None else self.pieces

    @property
    def ids(self) -> list[str]:
        """Return the ids of all messages but the summary at the head."""
        return [str(piece.id) for piece in self.after_head]


def read_conversation(
    branch: Branch, count_text: Callable[[str], int], known: dict[int, tuple[Entry, Piece | None]]
) -> Conversation:
    """Return the context of a branch; `known` remembers what was made of each entry."""
    entries = branch.context_entries()
    floor = first_after_compaction(entries)
    head: Head | None = None
    if entries and entries[0].get("type") == "compaction" and isinstance(entries[0].get("id"), str):
        head = str(entries[0].get("summary") or ""), str(entries[0].get("firstKeptEntryId") or "")
    pieces: list[Piece] = []
    keepable: list[str] = []
    for index, entry in enumerate(entries):
        if id(entry) not in known:
            # The entry is kept beside its piece, so its id cannot name another object.
            known[id(entry)] = entry, _piece(branch, entry, count_text)
        piece = known[id(entry)][1]
        if piece is not None:
            pieces.append(piece)
            if index >= floor and piece.kind == "raw":
                keepable.append(str(piece.id))
    return Conversation(tuple(pieces), head, tuple(keepable))


def _piece(branch: Branch, entry: Entry, count_text: Callable[[str], int]) -> Piece | None:
    entry_id = entry.get("id")
    messages = branch.messages_of(entry)
    if not isinstance(entry_id, str) or not messages:
        return None
    kind: Kind = "summary" if entry.get("type") == "compaction" else "raw"
    message = _chat_message(messages[0])
    if message is None:
        return None
    return Piece(kind, {"id": entry_id, **message}, size(message, count_text))


def _chat_message(message: dict[str, Any]) -> dict[str, Any] | None:
    """Return a session's message as a chat message; None if it is not sent to models."""
    if message.get("role") == "compactionSummary":
        # Without the words it is sent in, so that a summary passed through is not wrapped again and again.
        return {"role": "user", "content": remove_lone_surrogates(str(message.get("summary") or ""))}
    converted = llm_message(message)
    if converted is None:
        return None
    if converted["role"] == "assistant":
        return _assistant(converted)
    text = remove_lone_surrogates(content_text(converted.get("content")))
    if converted["role"] == "toolResult":
        tool = {"tool_call_id": str(converted.get("toolCallId") or "")}
        return {"role": "tool", **tool, "name": str(converted.get("toolName") or "tool"), "content": text}
    return {"role": "user", "content": text}


def _assistant(message: dict[str, Any]) -> dict[str, Any] | None:
    if message.get("stopReason") in {"error", "aborted"}:
        return None
    raw = message.get("content")
    blocks = [block for block in raw if isinstance(block, dict)] if isinstance(raw, list) else []
    text = raw if isinstance(raw, str) else "".join(_texts(blocks, "text"))
    thinking = "\n".join(_texts(blocks, "thinking"))
    calls = [_call(block) for block in blocks if block.get("type") == "toolCall"]
    if not text.strip() and not calls:
        return None
    chat: dict[str, Any] = {"role": "assistant", "content": remove_lone_surrogates(text)}
    if thinking.strip():
        chat["reasoning_content"] = remove_lone_surrogates(thinking)
    if calls:
        chat["tool_calls"] = calls
    return chat


def _texts(blocks: list[dict[str, Any]], kind: str) -> Iterator[str]:
    return (str(block.get(kind) or "") for block in blocks if block.get("type") == kind)


def _call(block: dict[str, Any]) -> dict[str, Any]:
    arguments = remove_lone_surrogates(json.dumps(block.get("arguments"), ensure_ascii=False))
    function = {"name": str(block.get("name") or ""), "arguments": arguments}
    return {"id": str(block.get("id") or ""), "type": "function", "function": function}


def size(message: Mapping[str, Any], count_text: Callable[[str], int]) -> int:
    """Return the tokens of a chat message's texts; the same measure before and after a compaction."""
    texts = [message.get("content"), message.get("reasoning_content")]
    for call in message.get("tool_calls") or []:
        texts += [call["function"].get("name"), call["function"].get("arguments")]
    return sum(count_text(text) for text in texts if text)
