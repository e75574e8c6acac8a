"""Compaction without a summarizer: drop the oldest turns, leave a note."""

from __future__ import annotations

from dataclasses import dataclass

from backslide.harness.compaction.strategies.base import Ask, Compacted, Plan, StrategyContext
from backslide.harness.compaction.strategies.tail import DEFAULT_KEEP_TURNS, find_tail
from backslide.harness.session import Session

NOTE = "Earlier messages were dropped to stay within the context window."


@dataclass(frozen=True)
class TrimStrategy:
    """A sliding window: the same kept tail as the hand-over, and nothing of what came before it."""

    name: str = "trim"
    enabled: bool = True

    def plan(self, session: Session, context: StrategyContext) -> Plan | None:
        """Keep recent turns by number and tokens; None if nothing before them could be dropped."""
        view = session.view()
        entries = view.context_entries()
        cut = find_tail(
            entries,
            view.messages_of,
            context.count,
            keep_turns=context.settings.keep_recent_turns or DEFAULT_KEEP_TURNS,
            keep_tokens=context.settings.keep_recent_tokens,
        )
        if cut is None:
            return None
        tokens = sum(context.count(message) for entry in entries for message in view.messages_of(entry))
        return Plan(str(entries[cut.index]["id"]), tokens)

    async def compact(self, plan: Plan, context: StrategyContext, ask: Ask) -> Compacted:
        """Leave the note; no summarizer is asked."""
        return Compacted(NOTE, plan.first_kept_entry_id, plan.tokens_before, {"strategy": self.name})


@dataclass(frozen=True)
class NoCompactionStrategy:
    """Never compacts: the session grows until a request overflows."""

    name: str = "no-compaction"
    enabled: bool = False

    def plan(self, session: Session, context: StrategyContext) -> Plan | None:
        """Return None."""
        return None

    async def compact(self, plan: Plan, context: StrategyContext, ask: Ask) -> Compacted:
        """Leave everything as it is."""
        return Compacted("", plan.first_kept_entry_id, plan.tokens_before)
