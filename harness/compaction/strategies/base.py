"""What a compaction strategy is.

The control plane asks a strategy to `plan`; a plan is either None (nothing to compact) or tells where the kept tail
begins. `compact` then writes the summary, asking the summarizer through `Ask` as often as it needs; every request goes
through the harness's choke point, so that what the summarizer saw can be measured.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from backslide.harness.errors import BackslideError
from backslide.harness.models.protocol import Reply, Usage
from backslide.harness.session import Session
from backslide.harness.settings import CompactionSettings

SummaryKind = Literal["initial", "update", "prefix", "branch"]


@dataclass(frozen=True)
class SummaryRequest:
    """One request to the summarizer: its identity (`system`), one user message, and the output budget in tokens.

    The user message is the concatenation of `parts`; they are metered one by one, so that text which was counted as a
    message before is not tokenized again.
    """

    system: str
    parts: tuple[str, ...]
    max_tokens: int
    kind: SummaryKind

    @property
    def text(self) -> str:
        """Return the user message."""
        return "".join(self.parts)


Ask = Callable[[SummaryRequest], Awaitable[Reply]]


@dataclass(frozen=True)
class Plan:
    """Where a compaction cuts. `state` belongs to the strategy that made the plan."""

    first_kept_entry_id: str
    tokens_before: int
    state: Any = None


@dataclass(frozen=True)
class Compacted:
    """The outcome of a compaction: what the compaction entry will hold."""

    summary: str
    first_kept_entry_id: str
    tokens_before: int
    details: dict[str, Any] | None = None
    usage: Usage | None = None


@dataclass(frozen=True)
class StrategyContext:
    """What a strategy may use besides the session.

    `count` returns the metered tokens of one context message, `window` is the summarizer's context window in tokens,
    `max_output` the most it can write.
    """

    settings: CompactionSettings
    count: Callable[[dict[str, Any]], int]
    count_text: Callable[[str], int]
    window: int
    max_output: int
    instructions: str | None = None


class CompactionError(BackslideError):
    """A compaction could not be completed; the session is as it was."""


class NothingToCompactError(CompactionError):
    """What was to be compacted is left as it is: no failure, and nothing has changed."""


class Strategy(Protocol):
    """A named way to compact."""

    @property
    def name(self) -> str:
        """Return the name that stands in records."""
        ...

    @property
    def enabled(self) -> bool:
        """Return False for a strategy that never compacts."""
        ...

    def plan(self, session: Session, context: StrategyContext) -> Plan | None:
        """Decide where to cut, or return None if there is nothing to compact."""
        ...

    async def compact(self, plan: Plan, context: StrategyContext, ask: Ask) -> Compacted:
        """Write the summary. Raises `CompactionError` if the summarizer failed."""
        ...


def add_usage(left: Usage | None, right: Usage) -> Usage:
    """Return the sum of two usages; None counts as nothing."""
    if left is None:
        return right
    total: Usage = {}
    for key in {*left, *right}:
        a, b = left.get(key, 0), right.get(key, 0)
        if isinstance(a, dict) or isinstance(b, dict):
            a, b = a or {}, b or {}
            total[key] = {part: a.get(part, 0) + b.get(part, 0) for part in {*a, *b}}
        else:
            total[key] = a + b
    return total
