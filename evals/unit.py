"""One unit of a run: a scenario driven under one variant and seed, its probes asked on the way.

Scripted turns go through the control plane, so compaction happens for real. At a probe the executor answers on a copy
of the session saved as its own file, with compaction off; the main line goes on untouched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from backslide.evals.backends import make_summarizer
from backslide.evals.compaction_log import CompactionLog
from backslide.evals.determinism import SteppingClock, file_name, seeded_ids
from backslide.evals.faults import FaultInjector, FaultProfile
from backslide.evals.probing import ProbeAsker
from backslide.evals.records import CompactionRecord, PayloadRecord, SessionTotals, Trial
from backslide.evals.variants import Variant
from backslide.evals.workspace import ScriptToolbox, WorkspaceFiles
from backslide.harness.compaction.strategies.base import CompactionError, Strategy
from backslide.harness.control.abort import AbortSignal, wait_for_nothing
from backslide.harness.control.agent import Agent, AgentOptions
from backslide.harness.control.backoff import PoliteBackoff
from backslide.harness.control.overflow import is_overflow
from backslide.harness.control.retry import ExponentialBackoff
from backslide.harness.control.tools import ToolResult
from backslide.harness.errors import BackslideError
from backslide.harness.models.gateway import Exchange, Gateway
from backslide.harness.models.protocol import Model, Role
from backslide.harness.models.script import ScriptedReply, ScriptModel
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.payload.tokens import shared_counter
from backslide.harness.session import Session
from backslide.harness.settings import ModelInfo, Settings
from backslide.scenarios import Scenario
from backslide.scenarios.model import AssistantStep
from backslide.scenarios.render import RenderedTurn, render

SYSTEM_PROMPT = (
    "You are a coding agent. You work in the user's repository with the tools you are given: read and search before "
    "you change anything, make small changes, run the tests, and report what you did in a few sentences. Follow the "
    "user's decisions; when you reply to a request for code, give the code."
)
EPOCH_MS = 1_767_225_600_000
"""Where a unit's clock starts (2026-01-01T00:00:00Z): records of two runs must be equal."""
MAX_OUTPUT = 4_096
GO_ON = "Please go on."
"""What the user says when a fault has ended a turn before its script did."""
MOST_NUDGES = 5
REASONING_FIELD = "reasoning_content"

Record = Trial | PayloadRecord | CompactionRecord
Sink = Callable[[Record], None]


@dataclass(frozen=True)
class UnitSpec:
    """What a unit needs to know; plain data, so that it can be handed to another process."""

    scenario: Scenario
    variant: Variant
    seed: int
    plan: tuple[int, ...]
    executor: str = "sim"
    summarizer: str = "sim"
    scale: float = 1.0
    sessions: Path | None = None
    """Folder for the session files; None keeps them in memory."""
    probes: bool = True
    faults: FaultProfile | None = None
    """What goes wrong on the main line."""
    answered: frozenset[tuple[str, int]] = frozenset()
    """Probes, by id and turn, that a broken-off run has stored already; they are not asked again."""

    @property
    def key(self) -> tuple[str, str, int]:
        """Return (scenario, variant, seed)."""
        return self.scenario.id, self.variant.name, self.seed


def due_probes(scenario: Scenario, plan: Sequence[int]) -> dict[int, list[str]]:
    """Return the probes to ask after each turn: the declared ones and, at the plan's turns, those of every cycle."""
    due: dict[int, list[str]] = {}
    for probe in scenario.probes:
        planted = scenario.constraint(probe.constraint).planted_turn if probe.constraint else 0
        cyclic = plan if probe.every_cycle else ()
        for turn in sorted({*probe.at, *(turn for turn in cyclic if turn >= planted)}):
            due.setdefault(turn, []).append(probe.id)
    return due


async def close_strategy(strategy: Strategy) -> None:
    """End what a strategy has started for its session, if it is somebody's own compactor."""
    if close := getattr(strategy, "aclose", None):
        await close()


async def drive(spec: UnitSpec, sink: Sink) -> SessionTotals:
    """Drive one unit, handing each record to `sink` as soon as it exists; return the main line's totals."""
    unit = _Unit(spec, sink)
    return await unit.run()


class _Unit:
    """The state of one drive."""

    def __init__(self, spec: UnitSpec, sink: Sink) -> None:
        self.spec = spec
        self.sink = sink
        scenario, variant = spec.scenario, spec.variant
        self.counter = shared_counter("meter")
        window = round(variant.compaction.window * spec.scale)
        self.model = ModelInfo("backslide", f"executor-{spec.executor}", window, MAX_OUTPUT)
        self.payloads = PayloadBuilder(self.counter, scenario.system_prompt or SYSTEM_PROMPT)
        self.clock = SteppingClock(EPOCH_MS)
        self.workspace = WorkspaceFiles.of(scenario)
        self.script = ScriptModel(self.counter.count)
        self.toolbox = ScriptToolbox(self.workspace)
        self.faults = FaultInjector(spec.faults) if spec.faults is not None else None
        models: dict[Role, Model] = {
            "executor": self.script,
            # The summarizer's own tokenizer: what a backend counts is not part of what the harness meters.
            "summarizer": make_summarizer(spec.summarizer, shared_counter("models").count, spec.seed),
        }
        if self.faults is not None:
            models = {role: self.faults.wrap(model, role) for role, model in models.items()}
        self.gateway = Gateway(models)
        self.gateway.subscribe(self._sent)
        self.session = Session.create(
            self._path(""),
            cwd=f"/workspace/{scenario.id}",
            session_id=f"{scenario.id}.{file_name(variant.name)}.s{spec.seed}",
            ids=seeded_ids(f"{scenario.id}/{variant.name}/{spec.seed}"),
            now=self.clock.read,
            fsync="never",
        )
        self.strategy = variant.make_strategy(self.payloads.system_prompt)
        control = variant.control_at(spec.scale)
        self.agent = Agent(
            session=self.session,
            gateway=self.gateway,
            payloads=self.payloads,
            model=self.model,
            tools=self.toolbox,
            strategy=self.strategy,
            settings=Settings(compaction=variant.settings(spec.scale)),
            options=AgentOptions(cause="script"),
            control=control,
            # Nothing of a unit is left to chance, so its waits have no jitter.
            retry_policy=ExponentialBackoff()
            if control == "pi-0.83"
            else PoliteBackoff(0.0, now=lambda: self.clock.now),
            wait=self._wait,
            now=self.clock.read,
        )
        self.turn = 0
        self.meter = MainLineMeter()
        self.compactions = CompactionLog(spec, lambda: self.turn, sink)
        self.agent.subscribe(self.compactions.on_event)
        self.gateway.subscribe(self.compactions.on_exchange)

    async def run(self) -> SessionTotals:
        spec = self.spec
        due = due_probes(spec.scenario, spec.plan) if spec.probes else {}
        asker = ProbeAsker(self)
        try:
            with self.session:
                for turn in render(spec.scenario, spec.scale).turns:
                    self.turn = turn.number
                    self.meter.begin(turn.number)
                    if self.faults is not None:
                        self.faults.begin(turn.number)
                    if self.meter.overflow_turn is None:
                        await self._play(turn)
                    for probe_id in due.get(turn.number, ()):
                        if (probe_id, turn.number) not in spec.answered:
                            self.sink(await asker.ask(probe_id, turn.number))
        finally:
            await close_strategy(self.strategy)
        return self.meter.totals(spec, len(spec.scenario.turns), self.compactions.turns)

    async def _play(self, turn: RenderedTurn) -> None:
        """Send one scripted turn through the control plane."""
        self.script.feed(scripted_replies(turn))
        self.toolbox.load(
            {
                step.call_id: ToolResult(step.text, step.error)
                for step in turn.steps
                if not isinstance(step, AssistantStep)
            }
        )
        last = await self.agent.prompt(turn.user)
        if self.faults is not None:
            last = await self._insist(last)
        elif self.spec.variant.compactor is not None and self.compactions.failure is not None:
            # Going on uncompacted would measure something else than the compactor that was asked for.
            raise CompactionError(f"turn {turn.number}: {self.compactions.failure}")
        if last is not None and is_overflow(last, self.model.context_window):
            self.meter.overflow_turn = turn.number
            self.script.clear()

    async def _insist(self, last: dict[str, Any] | None) -> dict[str, Any] | None:
        """Ask the agent to go on where a fault has ended the turn, as a user would; return the last reply."""
        for _ in range(MOST_NUDGES):
            if self.faults is None or self.faults.last is None or not self.script.remaining:
                return last
            last = await self.agent.prompt(GO_ON)
        if self.faults is not None and self.faults.last is not None and self.script.remaining:
            raise BackslideError(f"turn {self.turn} did not come to its end under {self.faults.last}")
        return last

    async def _wait(self, milliseconds: float, signal: AbortSignal) -> bool:
        """Let the unit's own clock pass the wait for a retry."""
        self.clock.now += round(milliseconds)
        return await wait_for_nothing(milliseconds, signal)

    def _sent(self, exchange: Exchange) -> None:
        self.meter.add(exchange)
        self.sink(self.payload_record(exchange, probe=None))

    def payload_record(self, exchange: Exchange, probe: str | None) -> PayloadRecord:
        """Return the record of one exchange."""
        request, reply = exchange.request, exchange.reply
        usage = reply.usage
        return PayloadRecord(
            scenario=self.spec.scenario.id,
            variant=self.spec.variant.name,
            seed=self.spec.seed,
            turn=self.turn,
            cycle=self.compactions.count,
            role=request.role,
            cause=request.cause,
            probe=probe,
            model=exchange.backend,
            bytes=request.measure.bytes,
            tokens=request.measure.tokens,
            messages=request.measure.messages,
            composition=request.measure.composition,
            composition_bytes=request.measure.composition_bytes,
            input_tokens=usage["input"] + usage["cacheRead"] + usage["cacheWrite"],
            output_tokens=usage["output"],
            cost=usage["cost"]["total"],
            stop_reason=reply.stop_reason,
        )

    def _path(self, suffix: str) -> Path | None:
        """Return the file of the main line (empty suffix) or of a probe's copy; what a broken-off run left goes."""
        if self.spec.sessions is None:
            return None
        scenario, variant, seed = self.spec.key
        path = self.spec.sessions / f"{scenario}.{file_name(variant)}.s{seed}{suffix}.jsonl"
        path.unlink(missing_ok=True)
        return path

    def probe_path(self, probe_id: str, turn: int) -> Path | None:
        """Return the file of a probe's copy of the session."""
        return self._path(f".{probe_id}@{turn}")


@dataclass
class MainLineMeter:
    """What the main line sent so far, in requests, tokens and bytes; probes are left out."""

    requests: int = 0
    peak_tokens: int = 0
    peak_bytes: int = 0
    last_tokens: int = 0
    total_tokens: int = 0
    cost: float = 0.0
    overflow_turn: int | None = None
    before_turn: dict[int, int] = field(default_factory=dict)
    """Tokens sent before each turn began."""

    def begin(self, turn: int) -> None:
        """Note that a turn begins."""
        self.before_turn[turn] = self.total_tokens

    def tokens_since(self, turn: int) -> int:
        """Return the tokens sent since a turn began."""
        return self.total_tokens - self.before_turn.get(turn, self.total_tokens)

    def add(self, exchange: Exchange) -> None:
        """Count one exchange. A request refused for its length was sent, so it counts, but brings no total."""
        measure = exchange.request.measure
        self.requests += 1
        if exchange.request.role == "executor":
            self.peak_tokens = max(self.peak_tokens, measure.tokens)
            self.peak_bytes = max(self.peak_bytes, measure.bytes)
            self.last_tokens = measure.tokens
        if exchange.reply.stop_reason != "error":
            self.total_tokens += measure.tokens
        self.cost += exchange.reply.usage["cost"]["total"]

    def totals(self, spec: UnitSpec, turns: int, compaction_turns: list[int]) -> SessionTotals:
        """Return the record of the whole main line."""
        return SessionTotals(
            scenario=spec.scenario.id,
            variant=spec.variant.name,
            seed=spec.seed,
            turns=turns,
            compactions=len(compaction_turns),
            compaction_turns=compaction_turns,
            requests=self.requests,
            peak_tokens=self.peak_tokens,
            peak_bytes=self.peak_bytes,
            last_tokens=self.last_tokens,
            total_input_tokens=self.total_tokens,
            cost=self.cost,
            overflow_turn=self.overflow_turn,
        )


def scripted_replies(turn: RenderedTurn) -> Iterator[ScriptedReply]:
    """Return the assistant messages of a turn as a backend would give them."""
    for step in turn.steps:
        if not isinstance(step, AssistantStep):
            continue
        content: list[dict[str, Any]] = []
        if step.thinking:
            content.append({"type": "thinking", "thinking": step.thinking, "thinkingSignature": REASONING_FIELD})
        if step.text:
            content.append({"type": "text", "text": step.text})
        content += [_call(call) for call in step.calls]
        stop: Literal["toolUse", "stop"] = "toolUse" if step.calls else "stop"
        yield ScriptedReply(content, stop)


def _call(call: Any) -> dict[str, Any]:
    arguments: Mapping[str, Any] = call.args
    return {"type": "toolCall", "id": call.id, "name": call.tool, "arguments": dict(arguments)}
