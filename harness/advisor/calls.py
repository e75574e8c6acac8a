"""The calls that an advisor's session file tells of, and how each of them ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from backslide.harness.advisor.transcript import content_text
from backslide.harness.models.protocol import Reply
from backslide.harness.session import Entry

Outcome = Literal["completed", "failed", "aborted", "empty", "cut-off", "unanswered"]
"""`unanswered`: the question is stored and nothing after it, as after a killed process."""

Message = dict[str, Any]


@dataclass(slots=True)
class Call:
    """One question: the entry that holds it, its delivery's kind, and how it ended so far."""

    entry: Entry
    kind: str
    after_failures: int = 0
    """Failed deliveries right before, whose content this one covers again."""
    outcome: Outcome = "unanswered"
    error: str | None = None


def delivery_of(message: Message) -> dict[str, Any] | None:
    """Return what a user message says about its delivery, None for any other message."""
    if message.get("role") != "user":
        return None
    delivery = message.get("delivery")
    return delivery if isinstance(delivery, dict) else {"kind": "unknown"}


def completes(message: Message) -> bool:
    """Return whether an assistant message is an answer: a normal stop with text that is not only white space."""
    return outcome_of(message) == "completed"


def outcome_of(message: Message) -> Outcome:
    """Return how a call ended whose last reply is `message`."""
    stop = message.get("stopReason")
    if stop == "error":
        return "failed"
    if stop == "aborted":
        return "aborted"
    if not content_text(message.get("content")).strip():
        return "empty"
    return "completed" if stop == "stop" else "cut-off"


def outcome_of_reply(reply: Reply) -> Outcome:
    """Return how a call ended whose last reply is `reply`."""
    return outcome_of({"content": reply.content, "stopReason": reply.stop_reason})


def read_calls(entries: Iterable[Entry]) -> list[Call]:
    """Return the calls of a session's entries in file order; calls of one session never overlap."""
    calls: list[Call] = []
    for entry in entries:
        note(calls, entry)
    return calls


def note(calls: list[Call], entry: Entry) -> None:
    """Take the next entry of the file into account."""
    message = entry.get("message") if entry.get("type") == "message" else None
    if not isinstance(message, dict):
        return
    delivery = delivery_of(message)
    if delivery is not None and delivery.get("kind") != "nudge":
        calls.append(Call(entry, str(delivery.get("kind")), int(delivery.get("afterFailures") or 0)))
    elif message.get("role") == "assistant" and calls:
        calls[-1].outcome = outcome_of(message)
        error = message.get("errorMessage")
        calls[-1].error = error if isinstance(error, str) else None


def failures_at_end(calls: list[Call]) -> int:
    """Return how many of the last calls in a row did not complete."""
    count = 0
    for call in reversed(calls):
        if call.outcome == "completed":
            break
        count += 1
    return count
