"""An executor's session, a scripted advisor model, and the advisor between them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backslide.harness.advisor import Advisor, AdvisorConfig, AdvisorResult, Brief
from backslide.harness.errors import ModelError
from backslide.harness.models.gateway import Exchange, Gateway
from backslide.harness.models.protocol import Model, Reply, Request, metered_usage
from backslide.harness.payload.tokens import TokenCounter
from backslide.harness.session import Session
from backslide.harness.settings import ModelInfo

COUNTER = TokenCounter()
"""One counter for all tests, so that the encoding's counts are remembered."""
MODEL = ModelInfo("acme", "sage-1", 1_000_000, 4_000)
START_MS = 1_767_225_600_000
BRIEF = Brief("Keep the cache or drop it?")

Answer = str | Reply | Exception | Callable[[Request], Awaitable[Reply]]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def numbered(prefix: str = "e") -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: f"{prefix}{next(numbers):07x}"


def ticking() -> Callable[[], int]:
    """A clock of one second a reading."""
    moments = itertools.count(START_MS, 1000)
    return lambda: next(moments)


@dataclass
class Sage:
    """A model that answers in order; at the end of its answers it says that it should be kept."""

    answers: list[Answer] = field(default_factory=list)
    name: str = "test:sage"
    simulated: bool = True
    requests: list[Request] = field(default_factory=list)

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        answer = self.answers.pop(0) if self.answers else "Keep it."
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            return Reply([text(answer)], "stop", metered_usage(request.measure.tokens, 5))
        return answer if isinstance(answer, Reply) else await answer(request)

    def sent(self, number: int = -1) -> list[str]:
        """The texts of one request's messages, as ``role: text``."""
        return [f"{message['role']}: {body_text(message)}" for message in self.requests[number].messages]


def body_text(message: dict[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content or [])


def failing(reason: str = "WebSocket error") -> Reply:
    return Reply([], "error", error_message=reason)


def broken() -> Exception:
    return ModelError("no connection")


@dataclass
class Desk:
    """An advisor with a scripted model, and what went through the gateway."""

    advisor: Advisor
    sage: Sage
    exchanges: list[Exchange]

    def ask(self, executor: Session, brief: Brief | None = BRIEF, **more: Any) -> AdvisorResult:
        return asyncio.run(self.advisor.consult(executor, brief, **more))

    def mirror(self, executor: Session, call_id: str = "a1") -> AdvisorResult:
        """Let the executor call its advisor, and give it the result, as an agent does."""
        advisor_call(executor, call_id)
        result = self.ask(executor, None, tools=TOOLS)
        tool_result(executor, call_id, result.text, tool="advisor")
        return result

    def own(self, executor: Session) -> Session:
        """The advisor's session."""
        return self.advisor.pool.session_for(executor).session

    def states(self, executor: Session) -> list[dict[str, Any]]:
        """The data of the mirror states in the advisor's session."""
        return [entry["data"] for entry in self.own(executor).entries if entry.get("customType") == "mirror-state"]


def desk(
    *answers: Answer,
    folder: Path | None = None,
    model: ModelInfo = MODEL,
    others: dict[Any, Model] | None = None,
    sage: Any = None,
    options: dict[str, Any] | None = None,
    **config: Any,
) -> Desk:
    sage = sage or Sage(list(answers))
    exchanges: list[Exchange] = []
    gateway = Gateway({"advisor": sage, **(others or {})})
    gateway.subscribe(exchanges.append)
    advisor = Advisor(
        gateway,
        COUNTER,
        model,
        AdvisorConfig(**config),
        folder,
        now=ticking(),
        ids=numbered("a"),
        fsync="never",
        **(options or {}),
    )
    return Desk(advisor, sage, exchanges)


def tool(name: str, description: str = "Do it.") -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": description, "parameters": {}}}


TOOLS = [tool("bash", "Run a command in the shop's workspace."), tool("read")]


def executor(path: Path | None = None, session_id: str = "exec-1") -> Session:
    """An empty session of an executor."""
    return Session.create(path, cwd="/w", session_id=session_id, ids=numbered(), now=ticking(), fsync="never")


def user_says(session: Session, words: str) -> str:
    return session.append_message({"role": "user", "content": [text(words)], "timestamp": START_MS})


def agent_says(session: Session, *blocks: dict[str, Any] | str, stop: str = "stop") -> str:
    content = [text(block) if isinstance(block, str) else block for block in blocks]
    return session.append_message(
        {
            "role": "assistant",
            "content": content,
            "api": "openai-completions",
            "provider": "acme",
            "model": "worker-1",
            "stopReason": stop,
            "timestamp": START_MS,
        }
    )


def thought(words: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": words}


def call(call_id: str, name: str = "bash", **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def tool_result(session: Session, call_id: str, output: str, tool: str = "bash", **more: Any) -> str:
    message = {"role": "toolResult", "toolCallId": call_id, "toolName": tool, "content": [text(output)]}
    return session.append_message({**message, "isError": False, "timestamp": START_MS, **more})


def advisor_call(session: Session, call_id: str = "a1", **arguments: Any) -> str:
    return agent_says(session, call(call_id, "advisor", **arguments), stop="toolUse")


def work(session: Session, turn: int, lines: int = 20) -> None:
    """One turn of work on a shop's price list."""
    user_says(session, f"Make page {turn} of the price list load faster.")
    command = call(f"w{turn}", command=f"pytest -q tests/test_page{turn}.py")
    agent_says(session, thought(f"Page {turn} sorts twice; prices/page{turn}.py does it."), command, stop="toolUse")
    output = "\n".join(f"prices/page{turn}.py:{line * 7 + turn}: row {line * 131 + turn}" for line in range(lines))
    tool_result(session, f"w{turn}", f"{output}\n{turn + 11} passed, {turn % 3} failed")
    agent_says(session, f"Page {turn} sorts once now and takes {turn * 3 + 40} ms.")


def worked(turns: int, lines: int = 20, path: Path | None = None, session_id: str = "exec-1") -> Session:
    session = executor(path, session_id)
    for turn in range(1, turns + 1):
        work(session, turn, lines)
    return session


def compact(session: Session, keep: int, summary: str = "The pages are being made faster.") -> str:
    """Compact an executor's session down to its last `keep` entries."""
    kept = session.branch()[-keep]["id"]
    return session.append_compaction(summary=summary, first_kept_entry_id=kept, tokens_before=1000)


def ids(entries: Sequence[dict[str, Any]]) -> list[str]:
    return [entry["id"] for entry in entries]
