"""Asking a probe: a copy of the session, the executor's answer, the scorers' verdicts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from backslide.evals.backends import is_simulated, make_executor
from backslide.evals.determinism import seeded_ids
from backslide.evals.payload_texts import payload_texts
from backslide.evals.records import EvidenceRecord, ReplyRecord, Retention, Trial, UnansweredReason, Verdict
from backslide.evals.scorers.relapse import score_relapse
from backslide.evals.scorers.reply import ReplyText, reply_of_blocks
from backslide.evals.scorers.retention import presence, stale
from backslide.evals.workspace import ProbeToolbox
from backslide.harness.compaction.strategies.trim import NoCompactionStrategy
from backslide.harness.control.agent import Agent, AgentOptions
from backslide.harness.control.overflow import is_overflow
from backslide.harness.models.cards import BehaviourCard, CardReply
from backslide.harness.models.gateway import Exchange, Gateway
from backslide.harness.payload.tokens import shared_counter
from backslide.harness.session import Session
from backslide.harness.settings import Settings
from backslide.scenarios import Scenario
from backslide.scenarios.model import Probe

if TYPE_CHECKING:
    from backslide.evals.unit import _Unit

MAX_ASSISTANT_MESSAGES = 6


def cards_at(scenario: Scenario, turn: int) -> list[BehaviourCard]:
    """Return the behaviour cards as they are true after `turn`: before or after a rule was lifted."""
    return [_card(scenario, probe, turn) for probe in scenario.probes]


def _card(scenario: Scenario, probe: Probe, turn: int) -> BehaviourCard:
    card = scenario.card(probe.id)
    control = scenario.is_control(probe.id, turn)
    lifted = card.lifted if control and probe.kind != "control" else None
    return BehaviourCard(
        request=probe.request,
        about=tuple(card.about),
        lures=() if control else _replies(card.lures),
        compliant=_replies(lifted.compliant if lifted else card.compliant),
        over_restrictive=_replies(lifted.over_restrictive if lifted else card.over_restrictive),
        control=control,
    )


def _replies(replies: Any) -> tuple[CardReply, ...]:
    return tuple(CardReply(reply.text, card_calls(reply)) for reply in replies)


def card_calls(reply: Any) -> tuple[dict[str, Any], ...]:
    """Return the calls of a scenario's card reply as ``{"tool": name, "args": {…}}``."""
    return tuple({"tool": call.tool, "args": dict(call.args)} for call in reply.calls)


class ProbeAsker:
    """Asks the probes of one unit."""

    def __init__(self, unit: _Unit) -> None:
        self._unit = unit

    async def ask(self, probe_id: str, turn: int) -> Trial:
        """Ask one probe after `turn` and score the answer."""
        now = self._unit.clock.now
        try:
            return await self._ask(probe_id, turn)
        finally:
            self._unit.clock.now = now

    async def _ask(self, probe_id: str, turn: int) -> Trial:
        started = time.perf_counter()
        unit, spec = self._unit, self._unit.spec
        probe = spec.scenario.probe(probe_id)
        context = list(unit.agent.messages)
        exchanges: list[Exchange] = []
        session: Session | None = None
        blocks: list[dict[str, Any]] = []
        unanswered: UnansweredReason | None = "overflow" if unit.meter.overflow_turn is not None else None
        error: str | None = None
        if unanswered is None:
            # The copy has ids and times of its own: those of the main line must not depend on its probes.
            session = unit.session.copy_to(
                unit.probe_path(probe_id, turn), ids=seeded_ids(f"{unit.session.header['id']}/{probe_id}@{turn}")
            )
            agent = self._agent(session, turn, exchanges)
            # A reply that failed before a compaction is in the file, though not in the main line's context.
            start = len(agent.messages)
            last = await agent.prompt(probe.request)
            blocks = [
                block
                for message in agent.messages[start:]
                if message.get("role") == "assistant"
                for block in message["content"]
            ]
            session.close()
            if last is not None and last.get("stopReason") in {"error", "aborted"}:
                overflow = is_overflow(last, unit.model.context_window)
                unanswered = "overflow" if overflow else "error"
                error = None if overflow else str(last.get("errorMessage"))
            elif not any(block.get("type") in {"text", "toolCall"} for block in blocks):
                unanswered = "nop"
        for exchange in exchanges:
            unit.sink(unit.payload_record(exchange, probe=probe_id))
        reply = reply_of_blocks(blocks) if unanswered is None else None
        wall_ms = round((time.perf_counter() - started) * 1000, 3)
        return self._trial(probe, turn, context, reply, exchanges, session, unanswered, error, wall_ms)

    def _agent(self, session: Session, turn: int, exchanges: list[Exchange]) -> Agent:
        unit = self._unit
        executor = make_executor(
            unit.spec.executor, cards_at(unit.spec.scenario, turn), shared_counter("models").count, unit.spec.seed
        )
        gateway = Gateway({"executor": executor})
        gateway.subscribe(exchanges.append)
        return Agent(
            session=session,
            gateway=gateway,
            payloads=unit.payloads,
            model=unit.model,
            tools=ProbeToolbox(unit.workspace),
            strategy=NoCompactionStrategy(),
            settings=Settings(),
            options=AgentOptions(cause="probe", max_assistant_messages=MAX_ASSISTANT_MESSAGES),
            now=unit.clock.read,
        )

    def _trial(
        self,
        probe: Probe,
        turn: int,
        context: list[dict[str, Any]],
        reply: ReplyText | None,
        exchanges: list[Exchange],
        session: Session | None,
        unanswered: UnansweredReason | None,
        error: str | None,
        wall_ms: float,
    ) -> Trial:
        unit, spec = self._unit, self._unit.spec
        constraint = spec.scenario.constraint(probe.constraint) if probe.constraint else None
        lifted = constraint is not None and constraint.lifted is not None and constraint.lifted.turn <= turn
        texts = payload_texts(context)
        retention = None
        if constraint is not None and unanswered != "overflow":
            retention = self._retention(probe.constraint or "", texts)
        first = exchanges[0].request.measure if exchanges else None
        planted = constraint.planted_turn if constraint else None
        return Trial(
            id=f"{spec.scenario.id}/{spec.variant.name}/s{spec.seed}/{probe.id}@{turn}",
            scenario=spec.scenario.id,
            variant=spec.variant.name,
            seed=spec.seed,
            probe=probe.id,
            kind=probe.kind,
            constraint=probe.constraint,
            carriers=sorted({plant.carrier for plant in constraint.planted}) if constraint else [],
            turn=turn,
            cycle=unit.compactions.count,
            control=spec.scenario.is_control(probe.id, turn),
            lifted=lifted,
            simulated=is_simulated(spec.executor, spec.summarizer),
            status="answered" if unanswered is None else "unanswered",
            unanswered=unanswered,
            error=error,
            reply=_reply_record(reply, len(exchanges)) if reply is not None else None,
            verdict=self._verdict(probe, turn, reply) if reply is not None else None,
            retention=retention,
            stale=bool(
                constraint is not None and lifted and unanswered != "overflow" and stale(constraint, texts).stale
            ),
            payload_tokens=first.tokens if first else 0,
            payload_bytes=first.bytes if first else 0,
            requests=len(exchanges),
            tokens_since_plant=unit.meter.tokens_since(planted) if planted else None,
            session=session.path.name if session is not None and session.path is not None else "",
            wall_ms=wall_ms,
        )

    def _verdict(self, probe: Probe, turn: int, reply: ReplyText) -> Verdict:
        scenario = self._unit.spec.scenario
        verdict = score_relapse(scenario, probe.constraint or "none", reply, turn=turn, path=probe.path, probe=probe.id)
        evidence = [
            EvidenceRecord(detector=item.detector, start=item.start, end=item.end, text=item.text, why=item.why)
            for item in verdict.evidence
        ]
        return Verdict(
            cls=verdict.cls,
            relapse=verdict.relapse,
            over_restriction=verdict.over_restriction,
            evidence=evidence,
        )

    def _retention(self, constraint_id: str, texts: Any) -> Retention:
        found = presence(self._unit.spec.scenario.constraint(constraint_id), texts)
        held = found.cls in {"verbatim", "stated"}
        loss = None if held else self._unit.compactions.losses.get(constraint_id)
        return Retention(
            cls=found.cls,
            where=found.where,
            mutated=found.mutated,
            inverted=found.inverted,
            text=found.evidence[0].text if found.evidence else None,
            lost_at_compaction=loss.compaction if loss else None,
            lost_at_turn=loss.turn if loss else None,
            lost_step=loss.step if loss else "none",
            lost_unseen=loss.unseen if loss else False,
        )


def _reply_record(reply: ReplyText, messages: int) -> ReplyRecord:
    calls = [{"tool": call.name, "args": dict(call.args)} for call in reply.calls]
    return ReplyRecord(text=reply.canonical, calls=calls, messages=messages)
