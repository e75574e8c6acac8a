"""Compaction without a summarizer: drop the oldest turns, leave a note."""

from __future__ import annotations

from dataclasses import dataclass

from backslide.harness.compaction.strategies.base import Ask, Compacted, Plan, StrategyContext
from backslide.harness.compaction.strategies.tail import cut_session
from backslide.harness.session import Session

NOTE = "Earlier messages were dropped to stay within the context window."


@dataclass(frozen=True)
class TrimStrategy:
    """A sliding window: the same kept tail as the hand-over, and nothing of what came before it."""

    name: str = "trim"
    enabled: bool = True

    def plan(self, session: Session, context: StrategyContext) -> Plan | None:
        """Keep recent turns by number and tokens; None if nothing before them could be dropped."""
        found = cut_session(session, context)
        if found is None:
            return None
        entries, cut, tokens = found
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
