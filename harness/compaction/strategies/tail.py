"""Where the kept tail begins: whole recent turns, by number and by tokens.

Unlike Pi's rule, a boundary never reaches back over the previous compaction (its summary would be sent twice), metadata
entries play no part, and a last tool result larger than the budget still leaves everything before its call to compact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from backslide.harness.compaction.strategies.base import StrategyContext
from backslide.harness.session import Session

DEFAULT_KEEP_TURNS = 10
TURN_ROLES = frozenset({"user", "custom", "bashExecution", "branchSummary"})


@dataclass(frozen=True)
class Cut:
    """The tail starts at ``entries[index]``; `split_turn` tells that it starts inside a turn."""

    index: int
    split_turn: bool


def first_after_compaction(entries: list[dict[str, Any]]) -> int:
    """Return the index of the first context entry that is newer than the compaction which heads `entries`.

    `entries` are `Session.context_entries()`: the compaction first, if there is one, then the entries it kept, then
    what came after it. 0 without a compaction; ``len(entries)`` if nothing came after it.
    """
    if not entries or entries[0].get("type") != "compaction":
        return 0
    compaction_id = entries[0].get("id")
    for index, entry in enumerate(entries):
        if entry.get("parentId") == compaction_id:
            return index
    return len(entries)


def find_tail(
    entries: list[dict[str, Any]],
    messages_of: Callable[[dict[str, Any]], list[dict[str, Any]]],
    count: Callable[[dict[str, Any]], int],
    *,
    keep_turns: int,
    keep_tokens: float,
) -> Cut | None:
    """Return where the kept tail begins, or None if nothing before it could be compacted.

    `messages_of` gives an entry's context messages (`Branch.messages_of`), `count` the tokens of one of them.
    Keeps at most `keep_turns` whole turns of at most `keep_tokens` together. When the newest turn alone is larger, the
    tail starts at a later message of it, never at a tool result, so that no result is kept without its call.
    """
    floor = first_after_compaction(entries)
    sizes: list[int] = []
    roles: list[str | None] = []
    for entry in entries:
        messages = messages_of(entry)
        roles.append(messages[0].get("role") if messages and entry.get("type") != "compaction" else None)
        sizes.append(sum(count(message) for message in messages))
    suffix = 0
    suffixes = [0] * (len(entries) + 1)
    for index in range(len(entries) - 1, -1, -1):
        suffix += sizes[index]
        suffixes[index] = suffix
    starts = [index for index in range(floor, len(entries)) if roles[index] in TURN_ROLES]
    cut = _whole_turns(starts, suffixes, keep_turns, keep_tokens)
    if cut is None:
        cut = _inside_turn(starts[-1] if starts else floor, roles, suffixes, keep_tokens)
    if cut is None:
        return None
    first = 1 if entries[0].get("type") == "compaction" else 0
    if not any(roles[index] is not None for index in range(first, cut)):
        return None
    return Cut(cut, split_turn=roles[cut] not in TURN_ROLES)


def cut_session(session: Session, context: StrategyContext) -> tuple[list[dict[str, Any]], Cut, int] | None:
    """Return the context's entries, where their tail begins by the settings, and the metered tokens of all of them.

    None if nothing before the tail could be compacted.
    """
    view = session.view()
    entries = view.context_entries()
    settings = context.settings
    cut = find_tail(
        entries,
        view.messages_of,
        context.count,
        keep_turns=settings.keep_recent_turns or DEFAULT_KEEP_TURNS,
        keep_tokens=settings.keep_recent_tokens,
    )
    if cut is None:
        return None
    return entries, cut, sum(context.count(message) for entry in entries for message in view.messages_of(entry))


def _whole_turns(starts: list[int], suffixes: list[int], keep_turns: int, keep_tokens: float) -> int | None:
    """Return the start of the oldest whole turn that still fits."""
    best: int | None = None
    for turns, start in enumerate(reversed(starts), start=1):
        if turns > keep_turns or suffixes[start] > keep_tokens:
            break
        best = start
    return best


def _inside_turn(start: int, roles: list[str | None], suffixes: list[int], keep_tokens: float) -> int | None:
    """Return the first message of the turn at `start` from which the rest fits, else its last possible start."""
    candidates = [index for index in range(start, len(roles)) if roles[index] not in {None, "toolResult"}]
    for index in candidates:
        if suffixes[index] <= keep_tokens:
            return index
    return candidates[-1] if candidates else None
