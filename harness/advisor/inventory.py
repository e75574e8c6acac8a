"""The executor's tools as text for a mirror: each session's own, or shared across a process by tool names.

The shared form is upstream's defect U-1: its one slot is renewed only when the set of names changes, so a session with
the same names but other descriptions reads somebody else's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

Definition = dict[str, Any]

_slot: dict[str, tuple[frozenset[str], str]] = {}


def inventory_text(tools: Sequence[Definition]) -> str:
    """Return names, descriptions and parameters of `tools`, one tool to a line."""
    return "\n".join(_line(tool.get("function") or {}) for tool in tools)


def process_wide_inventory(tools: Sequence[Definition]) -> str:
    """Return the text of whichever session with these tool names asked first."""
    names = frozenset(str((tool.get("function") or {}).get("name")) for tool in tools)
    known = _slot.get("inventory")
    if known is None or known[0] != names:
        known = _slot["inventory"] = (names, inventory_text(tools))
    return known[1]


def forget_inventory() -> None:
    """Empty the process-wide slot, as a new process would find it."""
    _slot.clear()


def _line(function: dict[str, Any]) -> str:
    parameters = json.dumps(function.get("parameters") or {}, ensure_ascii=False)
    return f"- {function.get('name')}: {function.get('description') or ''} Parameters: {parameters}"
