"""How a replay shows events, requests, entries and what is left after a step.

Shapes of the expected files in ``tests/data/pi/scenarios``: entries and leaves are given by their position in the
file, long texts as a digest.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from backslide.harness import jsjson
from backslide.harness.compaction.serialize import joined_text
from backslide.harness.compaction.strategies.base import SummaryRequest
from backslide.harness.control import events
from backslide.harness.control.usage import context_usage, session_stats
from backslide.harness.session import Entry, Message, Session
from backslide.harness.settings import ModelInfo

LONG_UNITS = 200
"""A text longer than this many UTF-16 units is shown as a digest."""
HEAD_UNITS = 40
NAMES: dict[type[Any], str] = {
    getattr(events, name): re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()
    for name in (
        "AgentStart",
        "TurnStart",
        "MessageStart",
        "MessageEnd",
        "ToolExecutionStart",
        "ToolExecutionEnd",
        "TurnEnd",
        "AgentEnd",
        "QueueUpdate",
        "AutoRetryStart",
        "AutoRetryEnd",
        "SummarizationRetryScheduled",
        "SummarizationRetryAttemptStart",
        "SummarizationRetryFinished",
        "CompactionStart",
        "CompactionEnd",
        "CompactionSkipped",
        "AgentSettled",
    )
}
"""Pi's name of each event."""
UNSHOWN = {"turn_start", "message_start", "tool_execution_start"}
"""Events that a trace leaves out."""
KINDS = {"prefix": "turn-prefix"}


def shortened(text: str) -> Any:
    """Return a text, or for a long one its length, hash and head."""
    length = jsjson.utf16_length(text)
    if length <= LONG_UNITS:
        return text
    return {
        "len": length,
        "sha256_utf16le": hashlib.sha256(text.encode("utf-16-le", "surrogatepass")).hexdigest(),
        "head": jsjson.utf16_slice(text, 0, HEAD_UNITS),
    }


def event_row(event: events.Event, session: Session) -> list[Any]:
    """Return an event as a row: its name and what tells it apart."""
    return [NAMES[type(event)], *_details(event, session)]


def _details(event: events.Event, session: Session) -> list[Any]:
    match event:
        case events.MessageEnd(message):
            return [message["role"], message["stopReason"]] if message["role"] == "assistant" else [message["role"]]
        case events.ToolExecutionEnd():
            return [event.is_error]
        case events.TurnEnd():
            return [len(event.tool_results)]
        case events.AgentEnd():
            return [len(event.messages), event.will_retry]
        case events.QueueUpdate():
            return [len(event.steering), len(event.follow_up)]
        case events.AutoRetryStart() | events.SummarizationRetryScheduled():
            return [event.attempt, event.max_attempts, event.delay_ms, event.error]
        case events.AutoRetryEnd():
            return [event.success, event.attempt, event.error]
        case events.SummarizationRetryAttemptStart():
            return [event.source, event.reason]
        case events.CompactionStart():
            return [event.reason]
        case events.CompactionEnd():
            return [event.reason, _compaction(event, session)]
        case _:
            return []


def _compaction(event: events.CompactionEnd, session: Session) -> dict[str, Any]:
    estimates = event.estimates
    return {
        "aborted": event.aborted,
        "willRetry": event.will_retry,
        "error": None if event.aborted else event.error,
        "result": None
        if estimates is None
        else {
            "firstKept": position(session, estimates.first_kept_entry_id),
            "tokensBefore": estimates.tokens_before,
            "estimatedTokensAfter": estimates.tokens_after,
        },
    }


def position(session: Session, entry_id: Any) -> int | None:
    """Return an entry's position in the file, None for no entry."""
    return next((at for at, entry in enumerate(session.entries) if entry.get("id") == entry_id), None)


def state_row(session: Session, messages: Sequence[Message], model: ModelInfo, retry_attempt: int) -> dict[str, Any]:
    """Return what is left after a step."""
    stats = session_stats(session.entries).document()
    return {
        "entries": len(session.entries),
        "leaf": position(session, session.leaf_id),
        "state": "".join(_letter(message) for message in messages),
        "contextUsage": context_usage(session, messages, model),
        "tokens": stats["tokens"],
        "cost": stats["cost"],
        "retryAttempt": retry_attempt,
    }


def _letter(message: Message) -> str:
    failed = message.get("role") == "assistant" and message.get("stopReason") in {"error", "aborted"}
    return f"{message['role'][0]}!" if failed else str(message["role"][0])


def request_row(sent: Sequence[Message], model: ModelInfo) -> dict[str, Any]:
    """Return a request of the executor."""
    return {"kind": "turn", "model": model.id, "messages": [_sent(message) for message in sent]}


def _sent(message: Message) -> dict[str, Any]:
    row = {"role": message.get("role"), "text": shortened(joined_text(message.get("content"), ""))}
    stop = message.get("stopReason")
    return row if stop in {None, "stop"} else {**row, "stop": stop}


def summary_row(request: SummaryRequest, model: ModelInfo, focus: str | None) -> dict[str, Any]:
    """Return a request of the summarizer; `focus` is what the user wished for."""
    conversation = request.parts[0].removeprefix("<conversation>\n").removesuffix("\n</conversation>\n\n")
    return {
        "kind": KINDS.get(request.kind, request.kind),
        "model": model.id,
        "conversation": shortened(conversation),
        "promptChars": jsjson.utf16_length(request.text),
        "maxTokens": request.max_tokens,
        "focus": None if request.kind == "prefix" else focus,
    }


def entry_row(entry: Entry, session: Session) -> dict[str, Any]:
    """Return an entry of the session file."""
    row: dict[str, Any] = {"type": entry["type"], "parent": position(session, entry.get("parentId"))}
    kind = entry["type"]
    if kind == "message":
        return row | _message_row(entry["message"])
    if kind == "thinking_level_change":
        return row | {"level": entry["thinkingLevel"]}
    if kind == "compaction":
        return row | _compaction_row(entry, session)
    if kind == "branch_summary":
        start = entry["fromId"]
        return row | {
            "summary": shortened(entry["summary"]),
            "fromId": start if start == "root" else position(session, start),
        }
    if kind == "label":
        return row | {"target": position(session, entry["targetId"]), "label": entry.get("label")}
    return row


def _message_row(message: Message) -> dict[str, Any]:
    role = message["role"]
    text = message["command"] if role == "bashExecution" else joined_text(message.get("content"), "")
    row = {"role": role, "text": shortened(text)}
    if role == "assistant":
        row["stop"] = message["stopReason"]
        if message.get("errorMessage"):
            row["error"] = message["errorMessage"]
    return row


def _compaction_row(entry: Entry, session: Session) -> dict[str, Any]:
    usage: Mapping[str, Any] | None = entry.get("usage")
    return {
        "summary": shortened(entry["summary"]),
        "firstKept": position(session, entry["firstKeptEntryId"]),
        "tokensBefore": entry["tokensBefore"],
        "details": entry.get("details"),
        "fromHook": entry["fromHook"],
        "usage": None if usage is None else {key: usage.get(key) for key in ("input", "output", "totalTokens")},
    }
