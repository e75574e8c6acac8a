"""From entries to the messages of a context, one entry at a time."""

from __future__ import annotations

from typing import Any

from backslide.harness.session.clock import parse_ms
from backslide.harness.session.reader import Entry

Message = dict[str, Any]

_ROLES_WITH_CONTENT = frozenset({"user", "assistant", "toolResult"})


def entry_messages(entry: Entry) -> list[Message]:
    """Return what an entry contributes to the context: no message or one.

    A missing or null content becomes an empty list for the roles user, assistant and toolResult and for a
    custom_message; a branch summary without text, and an entry without a message object, contribute nothing.
    Timestamps of the messages made here are the entry's, in milliseconds (NaN if unreadable).
    """
    kind = entry.get("type")
    if kind == "message":
        message = entry.get("message")
        if not isinstance(message, dict):
            return []
        if message.get("content") is None and message.get("role") in _ROLES_WITH_CONTENT:
            return [{**message, "content": []}]
        return [message]
    if kind == "custom_message":
        content = entry.get("content")
        return [custom_message(entry, [] if content is None else content)]
    if kind == "branch_summary" and entry.get("summary"):
        return [branch_summary_message(entry)]
    if kind == "compaction":
        return [compaction_summary_message(entry)]
    return []


def custom_message(entry: Entry, content: Any) -> Message:
    """Return the message of a custom_message entry with the given content."""
    message = {"role": "custom", "customType": entry.get("customType"), "content": content}
    for key in ("display", "details"):
        if key in entry:
            message[key] = entry[key]
    message["timestamp"] = parse_ms(entry.get("timestamp", ""))
    return message


def branch_summary_message(entry: Entry) -> Message:
    """Return the message of a branch_summary entry."""
    return {
        "role": "branchSummary",
        "summary": entry.get("summary"),
        "fromId": entry.get("fromId"),
        "timestamp": parse_ms(entry.get("timestamp", "")),
    }


def compaction_summary_message(entry: Entry) -> Message:
    """Return the message of a compaction entry."""
    return {
        "role": "compactionSummary",
        "summary": entry.get("summary"),
        "tokensBefore": entry.get("tokensBefore"),
        "timestamp": parse_ms(entry.get("timestamp", "")),
    }
