"""The path from a root to a leaf and what is known about it without walking it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from backslide.harness.session.messages import Message, entry_messages
from backslide.harness.session.reader import Entry


@dataclass(frozen=True, slots=True)
class SessionContext:
    """What a request would be built from now."""

    messages: list[Message]
    thinking_level: str
    model: dict[str, Any] | None
    """``{"provider", "modelId"}`` of the last model change or assistant message; None if there is neither."""


class Branch:
    """A path, root first, that grows at its end in constant time.

    It keeps the position of every id and of every compaction, the thinking level and the model, so that
    `context` and `context_entries` touch only the kept tail of the last compaction and what follows it.
    Messages that are made from entries are made once, so equal contexts hold identical objects.
    """

    __slots__ = ("_made", "compactions", "entries", "model", "positions", "thinking_level")

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries: list[Entry] = []
        self.positions: dict[Any, int] = {}
        """Position in the path by id; for an id that stands on it twice, the first one."""
        self.compactions: list[int] = []
        """Positions of the compaction entries, ascending."""
        self.thinking_level: str = "off"
        self.model: dict[str, Any] | None = None
        self._made: dict[int, list[Message]] = {}
        append = self.append
        for entry in entries:
            append(entry)

    def __len__(self) -> int:
        return len(self.entries)

    def append(self, entry: Entry) -> None:
        """Add the next entry of the path."""
        position = len(self.entries)
        self.entries.append(entry)
        entry_id = entry.get("id")
        self.positions.setdefault(entry_id if entry_id.__class__ is str else id_key(entry_id), position)
        kind = entry.get("type")
        if kind == "message":
            message = entry.get("message")
            if isinstance(message, dict) and message.get("role") == "assistant":
                self.model = _model(message, "provider", "model")
        elif kind == "compaction":
            self.compactions.append(position)
        elif kind == "thinking_level_change":
            self.thinking_level = entry.get("thinkingLevel", "off")
        elif kind == "model_change":
            self.model = _model(entry, "provider", "modelId")

    def copy(self) -> Branch:
        """Return an independent branch over the same entries."""
        twin = Branch()
        twin.entries = self.entries.copy()
        twin.positions = self.positions.copy()
        twin.compactions = self.compactions.copy()
        twin.thinking_level, twin.model = self.thinking_level, self.model
        twin._made = self._made.copy()
        return twin

    def position(self, entry_id: Any) -> int | None:
        """Return the position of an id on the path, None if it is not on it."""
        return None if entry_id is None else self.positions.get(id_key(entry_id))

    def messages_of(self, entry: Entry) -> list[Message]:
        """Return the messages of an entry, the same objects each time."""
        message = entry.get("message")
        if message.__class__ is dict and entry.get("type") == "message" and message.get("content") is not None:
            return [message]
        made = self._made.get(id(entry))
        if made is None:
            made = self._made[id(entry)] = entry_messages(entry)
        return made

    def context_entries(self) -> list[Entry]:
        """Return the entries the context is made of.

        With a compaction on the path: the last one, then the entries from its first kept one up to it, then
        those after it. If the first kept entry is not on the path before it, nothing earlier is kept.
        An older compaction inside the kept range stays in it.
        """
        if not self.compactions:
            return self.entries.copy()
        last = self.compactions[-1]
        compaction = self.entries[last]
        start = self.position(compaction.get("firstKeptEntryId"))
        kept = self.entries[start:last] if start is not None else []
        return [compaction, *kept, *self.entries[last + 1 :]]

    def context_messages(self) -> list[Message]:
        """Return the messages of the context entries."""
        return [message for entry in self.context_entries() for message in self.messages_of(entry)]

    def context(self) -> SessionContext:
        """Return messages, thinking level and model; the last two are resolved over the whole path."""
        return SessionContext(self.context_messages(), self.thinking_level, self.model)


def _model(source: Mapping[str, Any], provider: str, model: str) -> dict[str, Any]:
    return {"provider": source.get(provider), "modelId": source.get(model)}


def id_key(value: Any) -> Any:
    """Return a dictionary key that tells ids apart as JavaScript does (``1`` is not ``true``)."""
    if value is None or value.__class__ is str:
        return value
    if isinstance(value, dict | list):
        return (id(value),)
    return (value.__class__ is bool, value)
