"""Pi 0.83.0's compaction as a strategy, its losses included."""

from __future__ import annotations

from dataclasses import dataclass

from backslide.harness.compaction.pi import compact_pi
from backslide.harness.compaction.prepare import Preparation, prepare_compaction
from backslide.harness.compaction.prompt_file import Prompt
from backslide.harness.compaction.strategies.base import Ask, Compacted, Plan, StrategyContext
from backslide.harness.session import Session


@dataclass(frozen=True)
class PiStrategy:
    """The faithful strategy: what Pi decides, this decides."""

    prompt: Prompt
    name: str = "pi-0.83"
    enabled: bool = True

    def plan(self, session: Session, context: StrategyContext) -> Plan | None:
        """Prepare a compaction by Pi's rules; None where Pi finds nothing to compact."""
        preparation = prepare_compaction(session.view(), context.settings)
        if preparation is None:
            return None
        return Plan(preparation.first_kept_entry_id, int(preparation.tokens_before), preparation)

    async def compact(self, plan: Plan, context: StrategyContext, ask: Ask) -> Compacted:
        """Ask for the history summary and, for a split turn, the prefix summary."""
        preparation: Preparation = plan.state
        return await compact_pi(
            preparation,
            ask,
            prompt=self.prompt,
            max_output=context.max_output,
            instructions=context.instructions,
        )
