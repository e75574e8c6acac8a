"""What an agent tells its listeners, in the order in which it happens.

A message is emitted (`MessageEnd`) before it is persisted; `AgentEnd` may come several times for one prompt,
`AgentSettled` exactly once, last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

CompactionReason = Literal["threshold", "overflow", "manual"]


@dataclass(frozen=True)
class AgentStart:
    """A run of requests begins."""


@dataclass(frozen=True)
class MessageEnd:
    """A message is complete: user, assistant or tool result."""

    message: dict[str, Any]


@dataclass(frozen=True)
class AgentEnd:
    """A run of requests has ended; `messages` are the ones it added."""

    messages: list[dict[str, Any]]


@dataclass(frozen=True)
class CompactionStart:
    """A compaction begins; `context` is what would be sent now."""

    reason: CompactionReason
    context: list[dict[str, Any]]


@dataclass(frozen=True)
class CompactionEnd:
    """A compaction has ended; `context` is what would be sent now, `error` why it failed (then nothing changed).

    `tokens_before` and `tokens_after` are metered tokens of the context's messages.
    """

    reason: CompactionReason
    context: list[dict[str, Any]]
    summary: str | None
    tokens_before: int
    tokens_after: int
    will_retry: bool
    error: str | None = None


@dataclass(frozen=True)
class AgentSettled:
    """The prompt is dealt with."""


Event = AgentStart | MessageEnd | AgentEnd | CompactionStart | CompactionEnd | AgentSettled
EventListener = Callable[[Event], None]
