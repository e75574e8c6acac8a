"""What an agent does in the tree of its session: move to another entry, fork, and say what was used."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backslide.harness.compaction.branch_summary import SummaryAbortedError, branch_budget, landing, navigate
from backslide.harness.compaction.prompt_file import Prompt, load_prompt
from backslide.harness.control.abort import AbortSignal
from backslide.harness.control.errors import ControlError
from backslide.harness.control.summaries import SummaryHost, summarizer
from backslide.harness.control.usage import SessionUsage, context_usage, session_usage
from backslide.harness.errors import InputError
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.session import Session


@dataclass(frozen=True, slots=True)
class Move:
    """Where a move in the tree ended."""

    leaf_id: str | None
    editor_text: str | None = None
    """The text of a user's or an extension's message that the move went before; None for any other target."""
    cancelled: bool = False
    """Whether the summary was aborted, so that nothing has moved."""


class Branching(SummaryHost):
    """The part of an agent that moves in the tree."""

    session: Session
    messages: list[dict[str, Any]]
    payloads: PayloadBuilder
    _branch_signal: AbortSignal | None = None

    @property
    @abstractmethod
    def at_work(self) -> bool:
        """Whether a prompt is being dealt with."""

    async def navigate(
        self,
        target: str,
        *,
        summarize: bool = False,
        prompt: Prompt | None = None,
        instructions: str | None = None,
        replace_instructions: bool = False,
        label: str | None = None,
    ) -> Move:
        """Move to an entry, with a summary of what is left behind if asked for; the context is rebuilt.

        `prompt` is the summarizer's, by default Pi's. `label` is put on the summary, or else on the target. Raises
        `ControlError` while the agent is at work, `InputError` for an unknown target, `CompactionError` if the
        summary failed; then nothing has moved.
        """
        if self.at_work:
            raise ControlError("the agent is at work; wait before moving in the tree")
        if target == self.session.leaf_id:
            return Move(target)
        self.flush_soon()
        signal = self._branch_signal = AbortSignal()
        try:
            end = await navigate(
                self.session,
                target,
                ask=summarizer(self, "branchSummary", None, signal) if summarize else None,
                prompt=(prompt or load_prompt("pi")) if summarize else None,
                budget=branch_budget(self.summarizer.context_window, self.settings.branch_summary.reserve_tokens),
                instructions=instructions,
                replace_instructions=replace_instructions,
                label=label,
            )
        except SummaryAbortedError:
            return Move(self.session.leaf_id, cancelled=True)
        finally:
            self._branch_signal = None
            self.flush_soon()
        self.messages = list(self.session.context().messages)
        return Move(self.session.leaf_id, end.editor_text)

    def abort_branch_summary(self) -> None:
        """Stop the branch summary that is under way."""
        if self._branch_signal is not None:
            self._branch_signal.abort()

    def fork(self, path: Path | None, before: str) -> tuple[Session, str | None]:
        """Return a session of what stands before a user's message, and that message's text for the editor.

        The session is empty if nothing stands before it. Raises `InputError` for an entry that is unknown or no
        user's message, and for a path that is taken.
        """
        return fork_before(self.session, path, before)

    def session_usage(self) -> SessionUsage:
        """Return what the whole session has used: every attempt, all branches, summaries and tools."""
        return session_usage(self.session.entries)

    def context_usage(self) -> dict[str, Any] | None:
        """Return the size of the context now, as `backslide.harness.control.usage.context_usage` gives it.

        Under the robust profile what no usage tells is metered.
        """
        if self.control == "pi-0.83":
            return context_usage(self.session, self.messages, self.model)
        return context_usage(self.session, self.messages, self.model, self.payloads.context_tokens)


def fork_before(session: Session, path: Path | None, entry_id: str) -> tuple[Session, str | None]:
    """Return a new session of what stands before a user's message, and the message's text.

    Its header names the old session's file. Raises `InputError` for an entry that is unknown or no user's message, and
    for a path that is taken.
    """
    entry = session.entry(entry_id)
    message = entry.get("message")
    if entry.get("type") != "message" or not isinstance(message, dict) or message.get("role") != "user":
        raise InputError(f"entry {entry_id} is no user's message", mend="fork at one, or use Session.fork")
    end = landing(session, entry_id)
    if end.leaf_id is not None:
        return session.fork(path, end.leaf_id), end.editor_text
    empty = Session.create(path, cwd=str(session.header.get("cwd", "")), parent_session=session.path)
    return empty, end.editor_text
