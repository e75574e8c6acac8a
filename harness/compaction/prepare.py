"""What a compaction would summarize and keep: decided from the branch, before any model is asked.

Rules of Pi 0.83.0 (control-plane semantics, "prepareCompaction").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from backslide.harness.compaction.cutpoint import find_cut_point
from backslide.harness.compaction.estimate import estimate_context_tokens
from backslide.harness.compaction.fileops import FileOps
from backslide.harness.session import Branch, Entry, Message
from backslide.harness.settings import CompactionSettings


@dataclass(frozen=True, slots=True)
class Preparation:
    """Everything a compaction strategy needs; nothing of it is asked of a model."""

    first_kept_entry_id: str
    first_kept_index: int
    """Position of that entry on the branch."""
    history: tuple[Message, ...]
    """Messages to summarize, from the range's start to the cut (or to the start of the split turn)."""
    turn_prefix: tuple[Message, ...]
    """Messages of the split turn before the cut."""
    is_split: bool
    tokens_before: float
    """Size of the whole context, as `estimate_context_tokens` gives it."""
    previous_summary: str | None
    """The last compaction's whole summary, file lists included; None without one."""
    file_ops: FileOps
    settings: CompactionSettings
    history_entries: tuple[Entry, ...] = ()
    """The entries that `history` comes from."""
    turn_prefix_entries: tuple[Entry, ...] = ()


def prepare_compaction(branch: Branch | Iterable[Entry], settings: CompactionSettings) -> Preparation | None:
    """Return what would be summarized and kept, None if there is nothing to summarize.

    The range starts at the entry that the last compaction kept first, wherever it stands on the path, or
    after that compaction if it is gone; kept messages, compactions and failed replies are treated as Pi
    treats them. The work is bounded by that range.
    """
    if not isinstance(branch, Branch):
        branch = Branch(branch)
    entries = branch.entries
    if not entries or entries[-1].get("type") == "compaction":
        return None
    previous = entries[branch.compactions[-1]] if branch.compactions else None
    start = 0
    if previous is not None:
        kept = branch.position(previous.get("firstKeptEntryId"))
        start = branch.compactions[-1] + 1 if kept is None else kept
    cut = find_cut_point(entries, start, len(entries), settings.keep_recent_tokens, branch.messages_of)
    first_kept_id = entries[cut.first_kept_index].get("id") if cut.first_kept_index < len(entries) else None
    if not first_kept_id:
        return None
    history_end = cut.turn_start_index if cut.is_split else cut.first_kept_index
    history_entries = _speaking(branch, entries[start:history_end])
    prefix_entries = _speaking(branch, entries[history_end : cut.first_kept_index])
    if not history_entries and not prefix_entries:
        return None
    history = tuple(branch.messages_of(entry)[0] for entry in history_entries)
    prefix = tuple(branch.messages_of(entry)[0] for entry in prefix_entries)
    file_ops = FileOps()
    if previous is not None:
        file_ops.add_summary(previous)
    file_ops.add_messages(history)
    file_ops.add_messages(prefix)
    return Preparation(
        first_kept_entry_id=first_kept_id,
        first_kept_index=cut.first_kept_index,
        history=history,
        turn_prefix=prefix,
        is_split=cut.is_split,
        tokens_before=estimate_context_tokens(branch.context_messages()).tokens,
        previous_summary=None if previous is None else previous.get("summary"),
        file_ops=file_ops,
        settings=settings,
        history_entries=history_entries,
        turn_prefix_entries=prefix_entries,
    )


def _speaking(branch: Branch, entries: list[Entry]) -> tuple[Entry, ...]:
    """Return the entries that yield a message; compactions do not count here."""
    return tuple(entry for entry in entries if entry.get("type") != "compaction" and branch.messages_of(entry))
