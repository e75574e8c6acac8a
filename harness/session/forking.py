"""The entries of a session that is made from one path of another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from backslide.harness.session.clock import fresh_id
from backslide.harness.session.reader import Entry


def forked_entries(
    path: Sequence[Entry], labels: Mapping[Any, str], label_times: Mapping[Any, Any], ids: Callable[[], str]
) -> list[Entry]:
    """Return the entries of a fork of `path` (Pi's ``createBranchedSession``).

    Label entries are left out and the others chained without them; then every label whose target is on the
    path is set again by an entry with a fresh id and the label's own timestamp, chained after the last
    entry.
    """
    entries: list[Entry] = []
    parent: Any = None
    for entry in path:
        if entry.get("type") != "label":
            entries.append({**entry, "parentId": parent})
            parent = entry.get("id")
    taken = {entry.get("id") for entry in entries if isinstance(entry.get("id"), str)}
    for target, label in labels.items():
        if target in taken:
            parent_of_label, parent = parent, fresh_id(ids, taken)
            taken.add(parent)
            entries.append(
                {
                    "type": "label",
                    "id": parent,
                    "parentId": parent_of_label,
                    "timestamp": label_times[target],
                    "targetId": target,
                    "label": label,
                }
            )
    return entries
