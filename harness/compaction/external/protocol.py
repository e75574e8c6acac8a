"""The small protocol that covers other people's compactors, as types.

``open(system, keep) → session``, ``session.extend(messages)``, ``session.compact(model) → outcome``. `PROTOCOL.md`
beside this file is the specification, for Python and for any other program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, get_args

from backslide.harness.compaction.strategies.base import SummaryRequest
from backslide.harness.models.protocol import Reply

PROTOCOL = "backslide-compactor"
PROTOCOL_VERSION = 1

Kind = Literal["raw", "summary", "placeholder", "opaque"]
"""What a message is: word for word as it was given, written by a summarizer, a note that something was left out, or
content that only its maker can read."""
Status = Literal["compacted", "no-op", "placeholder", "error"]
Role = Literal["system", "user", "assistant", "tool"]

KINDS: tuple[str, ...] = get_args(Kind)
STATUSES: tuple[str, ...] = get_args(Status)
ROLES: tuple[str, ...] = get_args(Role)


@dataclass(frozen=True)
class Limits:
    """What a compactor may take. Seconds count its own time only, not the summarizer's."""

    start_seconds: float = 10.0
    """For starting and for each of hello, open and extend."""
    compact_seconds: float = 60.0
    exit_seconds: float = 2.0
    """Between ``bye`` and the end of the program."""
    line_bytes: int = 64 * 1024 * 1024
    stderr_bytes: int = 8 * 1024
    """How much of the end of its standard error is kept for error messages."""
    messages: int = 10_000
    """Lines that it may write for one answer."""
    requests: int = 100
    """Summarizer requests in one compaction."""
    failures: int = 3
    """Failures in a row after which it is not started again."""


@dataclass(frozen=True)
class Keep:
    """How much of the newest conversation should stay raw; None where nothing is set. A wish, not a rule."""

    tokens: int | None
    turns: int | None


@dataclass(frozen=True)
class Piece:
    """One message in a compactor's hands: a chat message, what it is, and its size in metered tokens."""

    kind: Kind
    message: Mapping[str, Any]
    tokens: int

    @property
    def id(self) -> str | None:
        """Return the session entry's id; None for a message that the compactor wrote."""
        found = self.message.get("id")
        return found if isinstance(found, str) else None

    @property
    def role(self) -> str:
        """Return system, user, assistant or tool."""
        return str(self.message["role"])

    @property
    def content(self) -> str:
        """Return the text."""
        return str(self.message.get("content") or "")

    @property
    def calls(self) -> list[Mapping[str, Any]]:
        """Return the tool calls of an assistant."""
        return list(self.message.get("tool_calls") or [])

    def handed(self) -> dict[str, Any]:
        """Return the message as a compactor gets it: its own copy, with its kind."""
        message = {**self.message, "kind": self.kind}
        if self.calls:
            message["tool_calls"] = [{**call, "function": dict(call["function"])} for call in self.calls]
        return message


@dataclass(frozen=True)
class Exchange:
    """One request of a compactor to the summarizer, exactly as it was asked and answered."""

    request: SummaryRequest
    reply: Reply


@dataclass(frozen=True)
class Outcome:
    """What a compactor returned, its shape checked."""

    status: Status
    messages: tuple[Piece, ...] = ()
    error: str | None = None


@dataclass(frozen=True)
class Record:
    """One compaction: status, the messages after it, and exactly what the summarizer was shown and wrote."""

    status: Status
    messages: tuple[Piece, ...]
    exchanges: tuple[Exchange, ...]
    error: str | None = None


@dataclass(frozen=True)
class Task:
    """What a compaction may use: sizes in tokens, and the words of the user who asked for it, if any.

    `window` is the summarizer's (0: unknown), `summary_tokens` what a summary should stay within.
    """

    window: int
    summary_tokens: int
    instructions: str | None = None


@dataclass(frozen=True)
class Completion:
    """The summarizer's answer. `usage` counts tokens: ``{"input": …, "output": …}``."""

    text: str
    stop_reason: str = "stop"
    usage: Mapping[str, int] = field(default_factory=dict)


class Model(Protocol):
    """The summarizer, as a compactor in Python sees it.

    `messages` is a text or chat messages. `complete` waits for the answer; `acomplete` is for compactors written with
    ``async``. Both raise `SummarizerError` (a `RuntimeError`) if the summarizer answers with an error.
    """

    @property
    def window(self) -> int:
        """Return the context window in tokens; 0 if unknown."""
        ...

    @property
    def summary_tokens(self) -> int:
        """Return the tokens that a summary should stay within, which is also the default of `max_tokens`."""
        ...

    @property
    def instructions(self) -> str | None:
        """Return what the user asked this compaction to look at, or None."""
        ...

    def complete(
        self, messages: str | list[dict[str, Any]], *, system: str = "", max_tokens: int | None = None
    ) -> Completion:
        """Ask, and wait for the answer."""
        ...

    async def acomplete(
        self, messages: str | list[dict[str, Any]], *, system: str = "", max_tokens: int | None = None
    ) -> Completion:
        """Ask."""
        ...


class CompactorSession(Protocol):
    """One conversation in a compactor's hands. Its methods may be coroutines."""

    def extend(self, messages: list[dict[str, Any]]) -> Any:
        """Take in messages that are newer than all before. Returns nothing."""
        ...

    def compact(self, model: Model) -> Any:
        """Return the messages that stand for the conversation from now on, or ``{"status", "messages", "error"?}``."""
        ...


class Compactor(Protocol):
    """A compactor with a state."""

    def open(self, system: str, keep: Keep) -> CompactorSession:
        """Begin a conversation."""
        ...
