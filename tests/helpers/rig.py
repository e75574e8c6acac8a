"""An agent with everything around it scripted: replies, tools, summaries, ids and time."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backslide.harness.compaction.strategies import make_strategy
from backslide.harness.compaction.strategies.base import Strategy
from backslide.harness.control.abort import wait_for_nothing
from backslide.harness.control.agent import Agent, AgentOptions
from backslide.harness.control.events import CompactionEnd, CompactionStart, Event
from backslide.harness.control.tools import CODING_TOOLS, ToolResult
from backslide.harness.models.gateway import Exchange, Gateway
from backslide.harness.models.protocol import Reply, Request, metered_usage
from backslide.harness.models.window import overflow_reply
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.payload.tokens import TokenCounter
from backslide.harness.session import Session
from backslide.harness.settings import CompactionSettings, ModelInfo, Settings

START_MS = 1_767_225_600_000
COUNTER = TokenCounter()
"""One counter for all tests, so that the encoding's counts are remembered."""


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(call_id: str, name: str = "bash", **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments or {"command": "ls"}}


def said(words: str) -> Reply:
    """A finished reply; its usage is metered when it is served."""
    return Reply([text(words)], "stop")


def calling(*calls: dict[str, Any], words: str = "") -> Reply:
    return Reply([*([text(words)] if words else []), *calls], "toolUse")


def failed(message: str, partial: str = "") -> Reply:
    return Reply([text(partial)] if partial else [], "error", error_message=message)


def overflowed() -> Reply:
    return failed("prompt is too long: 20000 tokens > 16000 maximum")


def filler(words: int, seed: str = "w") -> str:
    """About `words` tokens of text that is nowhere the same."""
    return " ".join(f"{seed}{number}" for number in range(words // 2))


@dataclass
class Scripted:
    """A model that serves replies in order; an exhausted script repeats "done"."""

    replies: list[Reply | Callable[[Request], Reply]] = field(default_factory=list)
    name: str = "test:script"
    simulated: bool = True
    requests: list[Request] = field(default_factory=list)
    refuse: bool = True
    """Answer a request that is larger than the window as a provider does."""
    meter: bool = True
    """Fill in the usage of replies that have none."""

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        if self.refuse and (refused := overflow_reply(request)) is not None:
            return refused
        reply: Reply | Callable[[Request], Reply] = self.replies.pop(0) if self.replies else said("done")
        if not isinstance(reply, Reply):
            reply = reply(request)
        if not self.meter or reply.usage["totalTokens"] or reply.stop_reason == "error":
            return reply
        return Reply(reply.content, reply.stop_reason, metered_usage(request.measure.tokens, 5), reply.error_message)

    def texts(self) -> list[str]:
        """The last message of each request, as text."""
        return [body_text(request.messages[-1]) for request in self.requests]


def body_text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content or [])


@dataclass
class Tools:
    """Tools that answer by call id; they note which calls were run."""

    results: dict[str, str | ToolResult] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    definitions: list[dict[str, Any]] = field(default_factory=lambda: CODING_TOOLS)

    async def run(self, call: dict[str, Any]) -> ToolResult:
        self.ran.append(call["id"])
        result = self.results.get(call["id"], "ok")
        return result if isinstance(result, ToolResult) else ToolResult(result)


class Clock:
    """One second a reading."""

    def __init__(self) -> None:
        self.now = START_MS

    def __call__(self) -> int:
        self.now += 1000
        return self.now


def numbered_ids() -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: f"{next(numbers):08x}"


@dataclass
class Rig:
    """The agent and what surrounds it."""

    agent: Agent
    session: Session
    executor: Scripted
    summarizer: Scripted
    tools: Tools
    clock: Clock
    events: list[Event] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)

    def prompt(self, words: str) -> dict[str, Any] | None:
        return asyncio.run(self.agent.prompt(words))

    def compact(self) -> bool:
        return asyncio.run(self.agent.compact())

    def turn(self, words: str, *replies: Reply | Callable[[Request], Reply]) -> dict[str, Any] | None:
        """Prompt with the replies that answer it."""
        self.executor.replies += replies
        return self.prompt(words)

    def names(self) -> list[str]:
        """The events by the names of their classes."""
        return [type(event).__name__ for event in self.events]

    def compactions(self) -> list[CompactionEnd]:
        return [event for event in self.events if isinstance(event, CompactionEnd)]

    def starts(self) -> list[CompactionStart]:
        return [event for event in self.events if isinstance(event, CompactionStart)]

    def summaries(self) -> list[str]:
        return [entry["summary"] for entry in self.session.entries if entry["type"] == "compaction"]

    def sent(self) -> list[str]:
        """The messages of the last executor request as ``role: text``."""
        return [f"{message['role']}: {body_text(message)}" for message in self.executor.requests[-1].messages]


def make_rig(
    strategy: str | Strategy = "handoff",
    *,
    window: int = 4000,
    reserve: int = 1000,
    keep_tokens: int = 600,
    keep_turns: int = 5,
    summary_tokens: int | None = 200,
    enabled: bool = True,
    summaries: Iterable[Reply | Callable[[Request], Reply]] = (),
    session: Session | None = None,
    path: Path | None = None,
    summarizer_window: int | None = None,
    options: AgentOptions | None = None,
    **control: Any,
) -> Rig:
    """Build an agent on a new session (in memory, or at `path`) or on `session`.

    `control` are the agent's own options: `control`, `retry_policy`, `sender`.
    """
    clock = Clock()
    session = session or Session.create(path, cwd="/w", session_id="rig", ids=numbered_ids(), now=clock, fsync="never")
    executor, summarizer, tools = Scripted(), Scripted(list(summaries)), Tools()
    gateway = Gateway({"executor": executor, "summarizer": summarizer})
    model = ModelInfo("backslide", "m", window, 500)
    agent = Agent(
        session=session,
        gateway=gateway,
        payloads=PayloadBuilder(COUNTER, "You are a coding agent."),
        model=model,
        summarizer=ModelInfo("backslide", "s", summarizer_window, 500) if summarizer_window else None,
        tools=tools,
        strategy=make_strategy(strategy) if isinstance(strategy, str) else strategy,
        settings=Settings(
            compaction=CompactionSettings(
                enabled=enabled,
                reserve_tokens=reserve,
                keep_recent_tokens=keep_tokens,
                keep_recent_turns=keep_turns,
                summary_tokens=summary_tokens,
            )
        ),
        options=options or AgentOptions(),
        now=clock,
        wait=wait_for_nothing,
        **control,
    )
    rig = Rig(agent, session, executor, summarizer, tools, clock)
    agent.subscribe(rig.events.append)
    gateway.subscribe(rig.exchanges.append)
    return rig
