"""Keeps tool results without their call out of a request: providers refuse the whole request for one of them.

A result belongs to the last assistant message that is sent, if that made the call, nothing but results stands in
between, and no result has answered the call yet. Others are left in the session and out of the payload: a branch that
starts in the middle of a turn, a foreign file, a call whose reply failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backslide.harness.session import Message

_SILENT_ROLES = frozenset({"user", "custom", "branchSummary", "compactionSummary"})
"""Roles that end a tool round and begin none."""


class Pairing:
    """The part of a growing context that may be sent. Looking at a list that has grown costs what it has grown by."""

    def __init__(self) -> None:
        self._source: Sequence[Message] = ()
        self._length = 0
        self._last: Message | None = None
        self._open: set[Any] = set()
        self._kept: list[Message] | None = None

    def paired(self, messages: list[Message]) -> list[Message]:
        """Return `messages` itself if every result has its call, else a list without those that have none.

        The same list grows with `messages`, so that what is built upon it stays valid.
        """
        if not self._is_start_of(messages):
            self._source, self._length, self._open, self._kept = messages, 0, set(), None
        for at in range(self._length, len(messages)):
            message = messages[at]
            if not self._has_place(message):
                if self._kept is None:
                    self._kept = messages[:at]
            elif self._kept is not None:
                self._kept.append(message)
        self._length = len(messages)
        self._last = messages[-1] if messages else None
        return messages if self._kept is None else self._kept

    def _is_start_of(self, messages: list[Message]) -> bool:
        if messages is not self._source or len(messages) < self._length:
            return False
        return self._length == 0 or messages[self._length - 1] is self._last

    def _has_place(self, message: Message) -> bool:
        role = message.get("role")
        if role == "toolResult":
            call_id = _key(message.get("toolCallId"))
            answers = call_id in self._open
            self._open.discard(call_id)
            return answers
        if role == "assistant":
            self._open = set()
            if message.get("stopReason") not in {"error", "aborted"}:
                blocks = message.get("content")
                calls = [block for block in blocks if _is_call(block)] if isinstance(blocks, list) else []
                self._open = {_key(call.get("id")) for call in calls}
        elif role in _SILENT_ROLES or (role == "bashExecution" and not message.get("excludeFromContext")):
            self._open = set()
        return True


def _is_call(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "toolCall"


def _key(call_id: Any) -> Any:
    """Return an id as a dictionary key; what is no text is told apart by its spelling."""
    return call_id if isinstance(call_id, str) else repr(call_id)
