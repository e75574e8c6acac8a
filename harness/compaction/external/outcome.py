"""Reads what a compactor returned: first its shape, then whether a conversation can go on with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from backslide.harness.compaction.external.conversation import size
from backslide.harness.compaction.external.errors import CompactorError, clipped
from backslide.harness.compaction.external.protocol import KINDS, ROLES, STATUSES, Kind, Outcome, Piece, Status
from backslide.harness.compaction.strategies.record import content_text
from backslide.harness.jsjson import remove_lone_surrogates

COMPARED = ("role", "content", "tool_calls", "tool_call_id")
"""What a raw message must leave as it was; further keys are of no account."""


class Reader:
    """Reads the outcome of a compactor that holds the messages `known`, by id."""

    def __init__(self, label: str, known: Mapping[str, Piece], count_text: Callable[[str], int]) -> None:
        self._label = label
        self._known = known
        self._count_text = count_text

    def read(self, returned: Any) -> Outcome:
        """Return the outcome. Raises `CompactorError` naming the field that is wrong.

        A list of messages alone is an outcome too: its status follows from its kinds.
        """
        if isinstance(returned, Mapping):
            status = returned.get("status")
            if status not in STATUSES:
                raise self._wrong("status", "compacted, no-op, placeholder or error", status)
            if status == "error":
                return Outcome("error", error=str(returned.get("error") or "it gave no reason"))
            if status == "no-op":
                return Outcome("no-op")
            return Outcome(cast("Status", status), self._messages(returned.get("messages")))
        messages = self._messages(returned)
        kinds = {message.kind for message in messages}
        return Outcome("placeholder" if "placeholder" in kinds and "summary" not in kinds else "compacted", messages)

    def _messages(self, returned: Any) -> tuple[Piece, ...]:
        if not isinstance(returned, Sequence) or isinstance(returned, str | bytes):
            raise self._wrong("messages", "a list of messages", returned)
        pieces = tuple(self._piece(f"messages[{index}]", message) for index, message in enumerate(returned))
        seen: set[str] = set()
        for index, piece in enumerate(pieces):
            if piece.kind == "raw" and piece.id is not None:
                if piece.id in seen:
                    raise CompactorError(
                        "raw", f"{self._label} returned the raw message '{piece.id}' twice: messages[{index}]"
                    )
                seen.add(piece.id)
        return pieces

    def _piece(self, where: str, message: Any) -> Piece:
        if not isinstance(message, Mapping):
            raise self._wrong(where, "an object", message)
        kind = message.get("kind")
        if kind not in KINDS:
            raise self._wrong(f"{where}.kind", "raw, summary, placeholder or opaque", kind)
        given = self._given(where, message, kind)
        if given is not None:
            return given
        role = "system" if message.get("role") == "developer" else message.get("role")
        if role not in ROLES:
            raise self._wrong(f"{where}.role", "system, user, assistant or tool", role)
        content = message.get("content")
        if content is not None and not isinstance(content, str | list):
            raise self._wrong(f"{where}.content", "a text", content)
        chat: dict[str, Any] = {"role": role, "content": remove_lone_surrogates(content_text(content))}
        if role == "tool":
            chat["tool_call_id"] = self._text(f"{where}.tool_call_id", message.get("tool_call_id"))
            chat["name"] = str(message.get("name") or "tool")
        if role == "assistant" and message.get("tool_calls"):
            chat["tool_calls"] = self._calls(f"{where}.tool_calls", message["tool_calls"])
        return Piece(cast("Kind", kind), chat, size(chat, self._count_text))

    def _given(self, where: str, message: Mapping[str, Any], kind: str) -> Piece | None:
        """Return the message that was given under the same id and kind, unchanged; None for one newly written.

        A message of id and kind alone stands for the one that was given.
        """
        entry_id = message.get("id")
        given = self._known.get(entry_id) if isinstance(entry_id, str) else None
        if given is None or given.kind != kind:
            if kind == "raw":
                raise CompactorError(
                    "raw",
                    f"{self._label} returned {where} as raw, but no raw message with the id {clipped(entry_id)} was "
                    "given to it; return the id with the message, or mark what you wrote 'summary'",
                )
            return None
        for key in COMPARED:
            if key in message and (message[key] or None) != (given.message.get(key) or None):
                if kind != "raw":
                    return None
                raise CompactorError(
                    "raw",
                    f"{self._label} returned {where} ('{entry_id}') as raw, but its {key} is not what was given; mark "
                    "a changed message 'summary'",
                )
        return given

    def _calls(self, where: str, calls: Any) -> list[dict[str, Any]]:
        if not isinstance(calls, Sequence) or isinstance(calls, str | bytes):
            raise self._wrong(where, "a list", calls)
        found = []
        for index, call in enumerate(calls):
            function = call.get("function") if isinstance(call, Mapping) else None
            if not isinstance(function, Mapping):
                raise self._wrong(f"{where}[{index}].function", "an object", function)
            texts = {
                key: self._text(f"{where}[{index}].function.{key}", function.get(key)) for key in ("name", "arguments")
            }
            call_id = self._text(f"{where}[{index}].id", call.get("id"))
            found.append({"id": call_id, "type": "function", "function": texts})
        return found

    def _text(self, where: str, value: Any) -> str:
        if not isinstance(value, str):
            raise self._wrong(where, "a text", value)
        return remove_lone_surrogates(value)

    def _wrong(self, field: str, expected: str, seen: Any) -> CompactorError:
        return CompactorError(
            "shape", f"{self._label} returned a wrong outcome: {field} must be {expected}, not {clipped(seen)}"
        )


def settled(outcome: Outcome, held: Sequence[Piece], label: str, *, summarizes_all: bool) -> Outcome:
    """Return the outcome if a conversation can go on with it; one that changes nothing is a no-op.

    `held` is what the compactor had in hand: its own messages of last time and what it was given since. With
    `summarizes_all` it may replace the last user message too, once that has been answered. Raises `CompactorError`.
    """
    if outcome.status in {"no-op", "error"} or outcome.messages == tuple(held):
        return outcome if outcome.status == "error" else Outcome("no-op")
    if not outcome.messages:
        raise CompactorError("empty", f"{label} returned no messages at all; return 'no-op' to leave all as it is")
    _check_results(outcome, held, label)
    _check_last_user(outcome, held, label, summarizes_all)
    before, after = (sum(piece.tokens for piece in pieces) for pieces in (held, outcome.messages))
    if after > before:
        raise CompactorError(
            "larger",
            f"{label} returned {after:,} tokens for {before:,}: larger than before; return 'no-op' where nothing is "
            "gained",
        )
    return outcome


def _check_results(outcome: Outcome, held: Sequence[Piece], label: str) -> None:
    tolerated = {id(piece.message) for piece in _orphans(held)}
    for orphan in _orphans(outcome.messages):
        if id(orphan.message) not in tolerated:
            call_id = orphan.message.get("tool_call_id")
            raise CompactorError(
                "orphan",
                f"{label} returned a tool result without its call ('{call_id}' in message "
                f"'{orphan.id or clipped(orphan.content, 40)}'); keep or replace both",
            )


def _orphans(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the tool results whose call does not stand before them."""
    called: set[str] = set()
    found: list[Piece] = []
    for piece in pieces:
        called.update(str(call.get("id")) for call in piece.calls)
        if piece.role == "tool" and piece.message.get("tool_call_id") not in called:
            found.append(piece)
    return found


def last_user(pieces: Sequence[Piece]) -> Piece | None:
    """Return the last message that the user wrote."""
    return next((piece for piece in reversed(pieces) if piece.kind == "raw" and piece.role == "user"), None)


def user_words(outcome: Outcome, held: Sequence[Piece]) -> str:
    """Return where the last user message is now.

    raw, quoted (word for word), unknown (there is opaque content), dropped; none if there was none.
    """
    wanted = last_user(held)
    if wanted is None:
        return "none"
    if any(piece.kind == "raw" and piece.id == wanted.id for piece in outcome.messages):
        return "raw"
    if any(wanted.content.strip() in piece.content for piece in outcome.messages):
        return "quoted"
    return "unknown" if any(piece.kind == "opaque" for piece in outcome.messages) else "dropped"


def _check_last_user(outcome: Outcome, held: Sequence[Piece], label: str, summarizes_all: bool) -> None:
    if user_words(outcome, held) != "dropped":
        return
    answered = bool(held) and held[-1].role == "assistant" and not held[-1].calls
    if summarizes_all and answered:
        return
    words = last_user(held)
    mend = (
        "it has not been answered yet: keep it raw or quote it"
        if summarizes_all
        else "keep it raw, or quote it; a compactor that replaces everything by design declares 'summarizes_all'"
    )
    raise CompactorError(
        "last-user", f"{label} dropped the last user message ('{clipped(words.content if words else '', 60)}'); {mend}"
    )
