"""What a drive of the ledger stands on: a session, its gateway, the executor's agent and the advisor under test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backslide.evals.backends import make_summarizer
from backslide.evals.determinism import SteppingClock, seeded_ids
from backslide.evals.unit import EPOCH_MS, MAX_OUTPUT, SYSTEM_PROMPT
from backslide.evals.variants import builtin_variants, resolve_variant
from backslide.harness.advisor import Advisor, AdvisorCompaction, AdvisorConfig, AdvisorToolbox, load_guidelines
from backslide.harness.control.agent import Agent, AgentOptions
from backslide.harness.control.tools import Toolbox
from backslide.harness.models.advisor import ContinuationProneAdvisor
from backslide.harness.models.gateway import Exchange, Gateway
from backslide.harness.models.protocol import Model, Role
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.payload.tokens import shared_counter
from backslide.harness.session import Session
from backslide.harness.settings import CompactionSettings, ModelInfo, Settings
from backslide.scenarios import Scenario

ADVISOR_WINDOW = 1_000_000
"""Tokens; the window in which the ledger's advisor failed."""
SUMMARY_TOKENS = 2_000


@dataclass(frozen=True)
class AdvisorSetup:
    """The advisor under test: its configuration, and what is fixed for both sides of a comparison.

    `compact_above` is the size of its context, in tokens, from which its session is compacted where that is on.
    `wrap` puts something between the gateway and the model, such as failures.
    """

    config: AdvisorConfig
    compact_above: int = 20_000
    wrap: Callable[[Model], Model] | None = None
    folder: Path | None = None

    def compaction(self) -> AdvisorCompaction:
        """Return how its session would be compacted."""
        reserve = ADVISOR_WINDOW - self.compact_above
        settings = CompactionSettings(reserve_tokens=reserve, keep_recent_tokens=500, summary_tokens=SUMMARY_TOKENS)
        return AdvisorCompaction(settings=settings)


@dataclass(frozen=True)
class Rig:
    """A session at work: the agent, its tools, the advisor, and every exchange that went through the gateway."""

    session: Session
    agent: Agent
    tools: AdvisorToolbox
    advisor: Advisor
    exchanges: list[Exchange]

    @property
    def advised(self) -> list[Exchange]:
        """Return the exchanges with the advisor, oldest first."""
        return [exchange for exchange in self.exchanges if exchange.request.role == "advisor"]

    @property
    def own(self) -> Session:
        """Return the advisor's session."""
        return self.advisor.pool.session_for(self.session).session


def make_rig(
    scenario: Scenario,
    setup: AdvisorSetup,
    executor: Model,
    inner: Toolbox,
    *,
    scale: float = 1.0,
    name: str = "",
) -> Rig:
    """Return a rig for a scenario whose executor is served by `executor` and its other tools by `inner`."""
    variant = resolve_variant(builtin_variants()[0])
    counter, models = shared_counter("meter"), shared_counter("models")
    clock = SteppingClock(EPOCH_MS)
    prompt = load_guidelines(setup.config.guidelines).added_to(scenario.system_prompt or SYSTEM_PROMPT)
    payloads = PayloadBuilder(counter, prompt)
    model: Model = ContinuationProneAdvisor(models.count)
    roles: dict[Role, Model] = {
        "executor": executor,
        "summarizer": make_summarizer("sim", models.count, 0),
        "advisor": setup.wrap(model) if setup.wrap else model,
    }
    gateway = Gateway(roles)
    seen: list[Exchange] = []
    gateway.subscribe(seen.append)
    key = f"{scenario.id}/{name or 'ledger'}"
    session = Session.create(
        None,
        cwd=f"/workspace/{scenario.id}",
        session_id=key.replace("/", "."),
        ids=seeded_ids(key),
        now=clock.read,
        fsync="never",
    )
    info = ModelInfo("backslide", "advisor-sim", ADVISOR_WINDOW, MAX_OUTPUT, reasoning=True)
    advisor = Advisor(
        gateway,
        counter,
        info,
        setup.config,
        setup.folder,
        compaction=setup.compaction(),
        now=clock.read,
        ids=seeded_ids(f"{key}/advisor"),
        fsync="never",
    )
    tools = AdvisorToolbox(inner, advisor, session)
    agent = Agent(
        session=session,
        gateway=gateway,
        payloads=payloads,
        model=ModelInfo("backslide", "executor-sim", round(variant.compaction.window * scale), MAX_OUTPUT),
        tools=tools,
        strategy=variant.make_strategy(prompt),
        settings=Settings(compaction=variant.settings(scale)),
        options=AgentOptions(cause="script"),
        now=clock.read,
    )
    return Rig(session, agent, tools, advisor, seen)


def text_of(message: dict[str, Any]) -> str:
    """Return the text of a message of a session or of a request body."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text") or "") for block in content or [] if block.get("type") == "text")
