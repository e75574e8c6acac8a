"""What an agent tells its listeners, in the order in which it happens.

The order is that of Pi 0.83.0 (control-plane semantics, section 5.1). A message is emitted (`MessageEnd`) before it is
persisted; a prompt may have several pairs of `AgentStart` and `AgentEnd`, and exactly one `AgentSettled`, last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from backslide.harness.control.refusal import SummaryFault

CompactionReason = Literal["threshold", "overflow", "manual"]
SummarySource = Literal["compaction", "branchSummary"]
CompactionFailure = SummaryFault | Literal["no-progress"]
"""Why the robust profile did not compact: a summary that was refused, or too many compactions in a row."""


@dataclass(frozen=True, slots=True)
class AgentStart:
    """A run of requests begins."""


@dataclass(frozen=True, slots=True)
class TurnStart:
    """A request and its tool calls begin, inside a run."""


@dataclass(frozen=True, slots=True)
class MessageStart:
    """A message is about to be added."""

    message: dict[str, Any]


@dataclass(frozen=True, slots=True)
class MessageEnd:
    """A message is complete: user, custom, assistant or tool result. It is in the context, not yet in the file."""

    message: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolExecutionStart:
    """A tool call is about to run; the calls of one reply all start before the first result is added."""

    call: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolExecutionEnd:
    """A tool call has run, or has been refused."""

    call: dict[str, Any]
    is_error: bool


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """A request and its tool calls are over."""

    message: dict[str, Any]
    tool_results: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class AgentEnd:
    """A run of requests has ended; `messages` are the ones it added, `will_retry` whether the failure is retried."""

    messages: list[dict[str, Any]]
    will_retry: bool = False


@dataclass(frozen=True, slots=True)
class QueueUpdate:
    """The texts that wait to be delivered have changed."""

    steering: tuple[str, ...]
    follow_up: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AutoRetryStart:
    """A failed reply will be asked for again after `delay_ms`; `attempt` counts from 1."""

    attempt: int
    max_attempts: float
    delay_ms: float
    error: str


@dataclass(frozen=True, slots=True)
class AutoRetryEnd:
    """Retrying is over: a reply succeeded, the last attempt failed, or the wait was cancelled."""

    success: bool
    attempt: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class SummarizationRetryScheduled:
    """A failed summary will be asked for again after `delay_ms`."""

    attempt: int
    max_attempts: float
    delay_ms: float
    error: str


@dataclass(frozen=True, slots=True)
class SummarizationRetryAttemptStart:
    """The wait is over, the summarizer is asked again; `reason` is None for a branch summary."""

    source: SummarySource
    reason: CompactionReason | None


@dataclass(frozen=True, slots=True)
class SummarizationRetryFinished:
    """Retrying a summary is over, one way or the other."""


@dataclass(frozen=True, slots=True)
class CompactionStart:
    """A compaction begins; `context` is what would be sent now."""

    reason: CompactionReason
    context: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class CompactionEstimates:
    """A compaction as Pi's file and estimates describe it: first kept entry, estimated tokens before and after."""

    first_kept_entry_id: str
    tokens_before: float
    tokens_after: int


@dataclass(frozen=True, slots=True)
class CompactionEnd:
    """A compaction has ended; `context` is what would be sent now, `error` why it failed (then nothing changed).

    `tokens_before` and `tokens_after` are metered tokens of the context's messages. A compaction that was `aborted`
    has an error too. `failure` names an error of the robust profile's own, `unverified_quotes` are what the summary
    gives as the user's words and no user wrote.
    """

    reason: CompactionReason
    context: list[dict[str, Any]]
    summary: str | None
    tokens_before: int
    tokens_after: int
    will_retry: bool
    error: str | None = None
    aborted: bool = False
    estimates: CompactionEstimates | None = None
    failure: CompactionFailure | None = None
    unverified_quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CompactionSkipped:
    """A compaction that had begun found nothing to compact: it ends with this, no error, and nothing has changed."""

    reason: CompactionReason
    why: str


@dataclass(frozen=True, slots=True)
class AgentSettled:
    """The prompt is dealt with."""


Event = (
    AgentStart
    | TurnStart
    | MessageStart
    | MessageEnd
    | ToolExecutionStart
    | ToolExecutionEnd
    | TurnEnd
    | AgentEnd
    | QueueUpdate
    | AutoRetryStart
    | AutoRetryEnd
    | SummarizationRetryScheduled
    | SummarizationRetryAttemptStart
    | SummarizationRetryFinished
    | CompactionStart
    | CompactionEnd
    | CompactionSkipped
    | AgentSettled
)
EventListener = Callable[[Event], None]
