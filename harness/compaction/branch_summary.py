"""Summaries of a branch that is left when the session moves elsewhere in its tree.

Rules of Pi 0.83.0 (control-plane semantics, "Branch summaries").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from backslide.harness.compaction.estimate import estimate_tokens
from backslide.harness.compaction.fileops import FileOps, file_lists
from backslide.harness.compaction.pi import conversation_block, with_focus
from backslide.harness.compaction.prompt_file import Prompt
from backslide.harness.compaction.serialize import joined_text
from backslide.harness.compaction.strategies.base import Ask, CompactionError, SummaryRequest
from backslide.harness.models.protocol import Usage
from backslide.harness.session import Entry, Message, Session
from backslide.harness.session.branch import id_key
from backslide.harness.session.messages import (
    branch_summary_message,
    compaction_summary_message,
    custom_message,
)

PREAMBLE = "The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\n"
NO_CONTENT = "No content to summarize"
MAX_TOKENS = 2048
"""Output limit of a branch summary."""
DEFAULT_WINDOW = 128000
_SQUEEZE = 0.9
"""A summary that overflows the budget is still taken while less than this share of it is used."""


@dataclass(frozen=True, slots=True)
class LeftBranch:
    """The entries that a move leaves behind, oldest first, and where the paths part."""

    entries: tuple[Entry, ...]
    common_ancestor_id: str | None


@dataclass(frozen=True, slots=True)
class BranchPreparation:
    """What of a left branch is summarized."""

    messages: tuple[Message, ...]
    entries: tuple[Entry, ...]
    """The entries that `messages` come from."""
    file_ops: FileOps
    total_tokens: int


@dataclass(frozen=True, slots=True)
class BranchSummary:
    """The text for a branch_summary entry, with its details and usage."""

    summary: str
    details: dict[str, Any]
    usage: Usage | None = None


class SummaryAbortedError(CompactionError):
    """A branch summary was stopped; the session has not moved."""


def collect_left_branch(session: Session, old_leaf: str | None, target: str) -> LeftBranch:
    """Return what lies between `old_leaf` and the deepest entry that is also on the path to `target`.

    Without an old leaf there is nothing. Raises `InputError` for an unknown target.
    """
    if not old_leaf or old_leaf not in session:
        return LeftBranch((), None)
    old_path = session.branch(old_leaf)
    shared = {id_key(entry.get("id")) for entry in session.branch(target)}
    split = next((at for at in range(len(old_path), 0, -1) if id_key(old_path[at - 1].get("id")) in shared), 0)
    ancestor = old_path[split - 1]["id"] if split else None
    return LeftBranch(tuple(old_path[split:]), ancestor)


def prepare_branch(entries: Sequence[Entry], budget: float) -> BranchPreparation:
    """Return the newest messages that fit `budget` estimated tokens (0 or less: all), oldest first.

    Tool results are left out. A summary that does not fit is taken all the same while less than 90 % is
    used; the first message that does not fit ends the walk, but its file operations count.
    """
    file_ops = FileOps()
    for entry in entries:
        if entry.get("type") == "branch_summary":
            file_ops.add_summary(entry)
    taken: list[tuple[Entry, Message]] = []
    total = 0
    for entry in reversed(entries):
        message = _message_of(entry)
        if message is None:
            continue
        file_ops.add_message(message)
        tokens = estimate_tokens(message)
        fits = budget <= 0 or total + tokens <= budget
        is_summary = entry.get("type") in {"compaction", "branch_summary"}
        if fits or (is_summary and total < budget * _SQUEEZE):
            taken.append((entry, message))
            total += tokens
        if not fits:
            break
    taken.reverse()
    return BranchPreparation(
        messages=tuple(message for _, message in taken),
        entries=tuple(entry for entry, _ in taken),
        file_ops=file_ops,
        total_tokens=total,
    )


def _message_of(entry: Entry) -> Message | None:
    """Return an entry's message as a branch summary sees it: no tool results, nothing normalized."""
    kind = entry.get("type")
    if kind == "message":
        message = entry.get("message")
        return message if isinstance(message, dict) and message.get("role") != "toolResult" else None
    if kind == "custom_message":
        return custom_message(entry, entry.get("content"))
    if kind == "branch_summary":
        return branch_summary_message(entry)
    return compaction_summary_message(entry) if kind == "compaction" else None


def branch_budget(context_window: float, reserve_tokens: float) -> float:
    """Return the tokens a left branch may fill; 0 or less means no limit. A window of 0 counts as 128,000."""
    return (context_window or DEFAULT_WINDOW) - reserve_tokens


async def summarize_branch(
    entries: Sequence[Entry],
    ask: Ask,
    *,
    prompt: Prompt,
    budget: float,
    instructions: str | None = None,
    replace_instructions: bool = False,
) -> BranchSummary:
    """Return the summary of a left branch; without any message a fixed text, and no request is made.

    `instructions` are added to the prompt's, or stand for them. Raises `CompactionError` if the reply's
    stop reason is ``error``, its kind `SummaryAbortedError` if it is ``aborted``.
    """
    prepared = prepare_branch(entries, budget)
    if not prepared.messages:
        return BranchSummary(NO_CONTENT, {"readFiles": [], "modifiedFiles": []})
    replaced = instructions if replace_instructions else None
    instruction = replaced or with_focus(prompt.branch, instructions)
    reply = await ask(
        SummaryRequest(
            system=prompt.system,
            parts=(conversation_block(prepared.messages), instruction),
            max_tokens=MAX_TOKENS,
            kind="branch",
        )
    )
    if reply.stop_reason == "aborted":
        raise SummaryAbortedError(reply.error_message or "The branch summary was aborted")
    if reply.stop_reason == "error":
        raise CompactionError(reply.error_message or "Summarization failed")
    lists = file_lists(prepared.file_ops)
    text = PREAMBLE + joined_text(reply.content) + lists.suffix()
    return BranchSummary(text, lists.details(), reply.usage)


@dataclass(frozen=True, slots=True)
class Landing:
    """Where a move to an entry ends."""

    leaf_id: str | None
    editor_text: str | None
    """The text of a user's or an extension's message, to be written anew; None for any other target."""


def landing(session: Session, target: str) -> Landing:
    """Return where a move to `target` ends: at the entry, or before it if it would be written anew.

    A parent that does not exist counts as none, as it does on the branch.
    Raises `InputError` for an unknown target.
    """
    entry = session.entry(target)
    message = entry.get("message")
    if entry.get("type") == "message" and isinstance(message, dict) and message.get("role") == "user":
        text = joined_text(message.get("content"), "")
    elif entry.get("type") == "custom_message":
        text = joined_text(entry.get("content"), "")
    else:
        return Landing(target, None)
    parent = entry.get("parentId")
    return Landing(parent if parent in session else None, text)


async def navigate(
    session: Session,
    target: str,
    *,
    ask: Ask | None = None,
    prompt: Prompt | None = None,
    budget: float = 0,
    instructions: str | None = None,
    replace_instructions: bool = False,
    label: str | None = None,
) -> Landing:
    """Move the session to `target`, with a summary of what is left if `ask` and `prompt` are given.

    The summary entry stands at the new position, and `label` on it, or else on the target. A move to the
    leaf itself does nothing. Raises `InputError` for an unknown target, `CompactionError` if the summary
    failed; then the session has not moved.
    """
    if target == session.leaf_id:
        return Landing(target, None)
    end = landing(session, target)
    left = collect_left_branch(session, session.leaf_id, target).entries
    if ask is not None and prompt is not None and left:
        summary = await summarize_branch(
            left,
            ask,
            prompt=prompt,
            budget=budget,
            instructions=instructions,
            replace_instructions=replace_instructions,
        )
        labelled = session.append_branch_summary(
            end.leaf_id, summary=summary.summary, details=summary.details, usage=summary.usage
        )
    else:
        session.move_to(end.leaf_id)
        labelled = target
    if label:
        session.append_label(labelled, label)
    return end
