"""Where a branch is cut: what is older is summarized, what is newer stays raw.

Rules of Pi 0.83.0 (control-plane semantics, "findCutPoint"), defects included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from backslide.harness.compaction.estimate import estimate_tokens
from backslide.harness.session import Entry, Message, entry_messages

MessagesOf = Callable[[Entry], list[Message]]

TURN_STARTS = frozenset({"user", "bashExecution", "custom", "branchSummary", "compactionSummary"})
"""Roles of a message that starts a turn."""
CUT_ROLES = TURN_STARTS | {"assistant"}
"""Roles of a message before which a branch may be cut: all but a tool result."""


@dataclass(frozen=True, slots=True)
class CutPoint:
    """A cut of a branch; positions count in its entries."""

    first_kept_index: int
    turn_start_index: int
    """Start of the turn that the cut splits; -1 if it splits none."""
    is_split: bool


def find_cut_point(
    entries: Sequence[Entry],
    start: int,
    end: int,
    keep_recent_tokens: float,
    messages_of: MessagesOf = entry_messages,
) -> CutPoint:
    """Return the cut that keeps about `keep_recent_tokens` of ``entries[start:end]``.

    Walking back, the entry at which the estimates reach the budget decides: the cut is the first candidate
    at or after it. With no such candidate, or a budget never reached, it is the first candidate of all.
    Then the cut moves back over entries without a message (before the turn is looked at, so that such an
    entry in front of a user message makes the turn before it a split one). Without any candidate everything
    is kept.
    """
    first = _next_candidate(entries, range(start, end), messages_of)
    if first is None:
        return CutPoint(start, -1, is_split=False)
    cut = first
    total = 0
    for at in range(end - 1, start - 1, -1):
        tokens = sum(map(estimate_tokens, messages_of(entries[at])))
        total += tokens
        if tokens and total >= keep_recent_tokens:
            behind = _next_candidate(entries, range(at, end), messages_of)
            cut = first if behind is None else behind
            break
    while cut > start and _is_silent(entries[cut - 1], messages_of):
        cut -= 1
    if starts_turn(entries[cut], messages_of):
        return CutPoint(cut, -1, is_split=False)
    turn_start = find_turn_start(entries, cut, start, messages_of)
    return CutPoint(cut, turn_start, is_split=turn_start != -1)


def _next_candidate(entries: Sequence[Entry], span: range, messages_of: MessagesOf) -> int | None:
    """Return the first position of `span` before which the branch may be cut, None without one."""
    return next((at for at in span if _yields(entries[at], CUT_ROLES, messages_of)), None)


def find_turn_start(entries: Sequence[Entry], index: int, start: int, messages_of: MessagesOf = entry_messages) -> int:
    """Return the position of the nearest turn start at or before `index`, not before `start`; -1 if none."""
    return next((at for at in range(index, start - 1, -1) if starts_turn(entries[at], messages_of)), -1)


def starts_turn(entry: Entry, messages_of: MessagesOf = entry_messages) -> bool:
    """Tell whether an entry starts a turn. A compaction does not, though it yields a message."""
    return _yields(entry, TURN_STARTS, messages_of)


def _yields(entry: Entry, roles: frozenset[str], messages_of: MessagesOf) -> bool:
    if entry.get("type") == "compaction":
        return False
    return any(_role(message) in roles for message in messages_of(entry))


def _is_silent(entry: Entry, messages_of: MessagesOf) -> bool:
    return entry.get("type") != "compaction" and not messages_of(entry)


def _role(message: Message) -> Any:
    role = message.get("role")
    return role if isinstance(role, str) else None
