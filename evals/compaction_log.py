"""What each compaction of a main line did to each constraint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backslide.evals.payload_texts import payload_texts
from backslide.evals.records import CompactionRecord, ConstraintFate, LossStep, SummarizerExchange
from backslide.evals.scorers.dropped import fate
from backslide.harness.control.events import CompactionEnd, CompactionStart, Event
from backslide.harness.models.gateway import Exchange
from backslide.scenarios.model import Constraint

if TYPE_CHECKING:
    from backslide.evals.unit import Sink, UnitSpec


@dataclass(frozen=True)
class Loss:
    """Where a constraint was last seen to get lost."""

    compaction: int
    turn: int
    step: LossStep
    unseen: bool


class CompactionLog:
    """Listens to an agent and writes a record for each compaction."""

    def __init__(self, spec: UnitSpec, turn: Callable[[], int], sink: Sink) -> None:
        self._spec = spec
        self._turn = turn
        self._sink = sink
        self._before: list[dict[str, Any]] = []
        self._exchanges: list[SummarizerExchange] = []
        self.turns: list[int] = []
        self.losses: dict[str, Loss] = {}
        self.failure: str | None = None
        """Why the last compaction failed, if it did."""

    @property
    def count(self) -> int:
        """Return the number of compactions so far."""
        return len(self.turns)

    def on_exchange(self, exchange: Exchange) -> None:
        """Note what the summarizer saw and wrote."""
        if exchange.request.role != "summarizer":
            return
        system, user = exchange.request.messages
        usage = exchange.reply.usage
        self._exchanges.append(
            SummarizerExchange(
                kind="summary",
                system=system["content"],
                text=user["content"],
                reply=exchange.reply.text,
                stop_reason=exchange.reply.stop_reason,
                input_tokens=usage["input"],
                output_tokens=usage["output"],
            )
        )

    def on_event(self, event: Event) -> None:
        """Note the context before, and score the compaction when it has ended."""
        if isinstance(event, CompactionStart):
            self._before = list(event.context)
            self._exchanges = []
        elif isinstance(event, CompactionEnd):
            self.failure = event.error
            if event.error is None:
                self._ended(event)

    def _ended(self, event: CompactionEnd) -> None:
        turn = self._turn()
        self.turns.append(turn)
        planted = [item for item in self._spec.scenario.constraints if item.planted_turn <= turn]
        fates = [self._fate(constraint, event, turn) for constraint in planted]
        scenario, variant, seed = self._spec.key
        self._sink(
            CompactionRecord(
                scenario=scenario,
                variant=variant,
                seed=seed,
                index=self.count,
                turn=turn,
                reason=event.reason,
                strategy=self._spec.variant.strategy,
                tokens_before=event.tokens_before,
                tokens_after=event.tokens_after,
                summary=event.summary or "",
                exchanges=self._exchanges,
                fates=fates,
            )
        )

    def _fate(self, constraint: Constraint, event: CompactionEnd, turn: int) -> ConstraintFate:
        lifted = constraint.lifted is not None and constraint.lifted.turn <= turn
        outcome = fate(
            constraint,
            before=payload_texts(self._before),
            inputs=[exchange.text for exchange in self._exchanges],
            outputs=[exchange.reply for exchange in self._exchanges],
            after=payload_texts(event.context),
            lifted=lifted,
        )
        if outcome.step not in {"none", "lifted"}:
            self.losses[constraint.id] = Loss(self.count, turn, outcome.step, outcome.unseen)
        return ConstraintFate(
            constraint=constraint.id,
            carriers=sorted({plant.carrier for plant in constraint.planted}),
            before=outcome.before,
            seen=outcome.input,
            summary=outcome.output,
            after=outcome.after,
            step=outcome.step,
            unseen=outcome.unseen,
        )
