"""All entries of a session in file order, and what they say about the session as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from backslide.harness import jsjson
from backslide.harness.session.branch import id_key
from backslide.harness.session.reader import Entry
from backslide.harness.session.tree import Index


class EntryBook:
    """Entries of all branches, without headers, with index, labels and name kept up to date.

    Labels and the name follow file order over the whole file, not the branch: the last one counts.
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries: list[Entry] = []
        self.index: Index = {}
        """Entry by id; a duplicate id names the later entry."""
        self.labels: dict[Any, str] = {}
        """Label by the id of its target."""
        self.label_times: dict[Any, Any] = {}
        self.name: str | None = None
        self.has_assistant = False
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Take in the next entry of the file."""
        self.entries.append(entry)
        entry_id = entry.get("id")
        self.index[entry_id if entry_id.__class__ is str else id_key(entry_id)] = entry
        kind = entry.get("type")
        if kind == "message":
            self.has_assistant = self.has_assistant or is_assistant(entry)
        elif kind == "label":
            self._set_label(entry)
        elif kind == "session_info":
            name = entry.get("name")
            self.name = (jsjson.trim(name) or None) if isinstance(name, str) else None

    def _set_label(self, entry: Entry) -> None:
        target = id_key(entry.get("targetId"))
        if entry.get("label"):
            self.labels[target] = entry["label"]
            self.label_times[target] = entry.get("timestamp")
        else:
            self.labels.pop(target, None)
            self.label_times.pop(target, None)

    def copy(self) -> EntryBook:
        """Return an independent book of the same entries."""
        twin = EntryBook()
        twin.entries, twin.index = self.entries.copy(), self.index.copy()
        twin.labels, twin.label_times = self.labels.copy(), self.label_times.copy()
        twin.name, twin.has_assistant = self.name, self.has_assistant
        return twin


def is_assistant(entry: Entry) -> bool:
    """Return whether an entry is an assistant's message."""
    message = entry.get("message")
    return entry.get("type") == "message" and isinstance(message, dict) and message.get("role") == "assistant"
