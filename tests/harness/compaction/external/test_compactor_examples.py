"""The examples, through the real control plane."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any, ClassVar

import pytest
from compactor_builders import QUICK

from backslide.harness.compaction.external import check_compactor, external_strategy
from backslide.harness.control.agent import Agent
from backslide.harness.control.events import CompactionEnd, Event
from backslide.harness.control.tools import ToolResult
from backslide.harness.models.blocks import call_block, text_block
from backslide.harness.models.gateway import Exchange, Gateway
from backslide.harness.models.protocol import Reply, Request, metered_usage
from backslide.harness.models.script import ScriptedReply, ScriptModel
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.payload.tokens import TokenCounter
from backslide.harness.session import Session
from backslide.harness.settings import CompactionSettings, ModelInfo, Settings

EXAMPLES = Path(__file__).parents[4] / "examples"
NODE = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
SPECS = [
    pytest.param(f"{EXAMPLES}/compactor.py:compact", id="stateless"),
    pytest.param(f"{EXAMPLES}/compactor_session.py:Updating", id="session"),
    pytest.param(f"cmd:node '{EXAMPLES}/node/compactor.mjs'", id="node", marks=NODE),
]
RULE = "不要用消息队列。"


class Repeating:
    """A summarizer that repeats the one rule if it is shown it."""

    name = "repeating"
    simulated = True

    async def complete(self, request: Request) -> Reply:
        shown = str(request.json["messages"])
        text = f"The user said: {RULE}" if RULE in shown else "nothing"
        return Reply([text_block(text)], usage=metered_usage(100, 10))


class Reading:
    """A toolbox whose every call reads a long file."""

    definitions: ClassVar[list[dict[str, Any]]] = []

    async def run(self, call: dict[str, Any]) -> ToolResult:
        return ToolResult(f"{call['id']} " + "row = convert(row)\n" * 100)


@pytest.mark.parametrize("spec", SPECS)
def test_an_example_carries_a_rule_through_a_driven_session(spec: str, tmp_path: Path) -> None:
    """Forty turns through agent, gateway and session file: compactions happen and the rule is still in front."""
    path = tmp_path / "session.jsonl"
    counter = TokenCounter()
    executor = ScriptModel(counter.count)
    gateway = Gateway({"executor": executor, "summarizer": Repeating()})
    exchanges: list[Exchange] = []
    gateway.subscribe(exchanges.append)
    ends: list[CompactionEnd] = []

    def note(event: Event) -> None:
        if isinstance(event, CompactionEnd):
            ends.append(event)

    async def drive() -> str:
        strategy = external_strategy(spec, limits=QUICK)
        session = Session.create(path, cwd="/", fsync="never")
        agent = Agent(
            session=session,
            gateway=gateway,
            payloads=PayloadBuilder(counter, "You are a coding agent."),
            model=ModelInfo("p", "m", 8_000, 1_000),
            tools=Reading(),
            strategy=strategy,
            settings=Settings(compaction=CompactionSettings(reserve_tokens=2_000, keep_recent_tokens=2_000)),
        )
        agent.subscribe(note)
        for turn in range(40):
            executor.feed(
                [
                    ScriptedReply([call_block(f"c{turn}", "read", {"path": "a.py"})], "toolUse"),
                    ScriptedReply([text_block(f"Turn {turn} is done.")]),
                ]
            )
            await agent.prompt(RULE if turn == 1 else f"Please do step {turn}.")
        await strategy.aclose()
        session.close()
        return str(agent.messages)

    context = asyncio.run(drive())

    assert len(ends) >= 3
    assert [end.error for end in ends] == [None] * len(ends)
    assert all(end.tokens_after < end.tokens_before for end in ends)
    assert sum(exchange.request.role == "summarizer" for exchange in exchanges) == len(ends)
    assert RULE in context
    assert str(Session.open(path).context().messages).count(RULE) == 1


@pytest.mark.parametrize("spec", SPECS)
def test_an_example_keeps_every_rule_of_the_protocol(spec: str) -> None:
    """The conformance check finds nothing, the note on lost rejections included."""
    assert [result for result in check_compactor(spec, QUICK) if not result.ok] == []


def test_examples_stay_small() -> None:
    """They are to be read: about twenty lines stateless, and the program below eighty."""
    lines = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in EXAMPLES.rglob("compactor*")}

    assert lines["compactor.py"] <= 25
    assert lines["compactor.mjs"] < 80
