"""Sessions, summarizers and small compactors for the tests of compactors from outside."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

from backslide.harness.compaction.external import ExternalStrategy, Limits, external_strategy
from backslide.harness.compaction.strategies.base import Ask, Compacted, StrategyContext, SummaryRequest
from backslide.harness.models.protocol import Reply, metered_usage
from backslide.harness.session import Session
from backslide.harness.settings import CompactionSettings

QUICK = Limits(start_seconds=20, compact_seconds=20, exit_seconds=10)
"""Generous: a test that reaches one of these limits has failed."""


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def assistant(text: str = "", *calls: str, stop: str = "stop") -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    content += [{"type": "toolCall", "id": call, "name": "read", "arguments": {"path": call}} for call in calls]
    stop = "toolUse" if calls and stop == "stop" else stop
    return {"role": "assistant", "content": content, "provider": "p", "model": "m", "stopReason": stop}


def result(call: str, text: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"role": "toolResult", "toolCallId": call, "toolName": "read", "content": content, "isError": False}


def session_of(*messages: dict[str, Any]) -> Session:
    """Return a session in memory; entry ids are e1, e2, …"""
    numbers = iter(range(1, 10_000))
    session = Session.create(None, cwd="/", ids=lambda: f"e{next(numbers)}", now=lambda: 1_767_225_600_000)
    for message in messages:
        session.append_message(message)
    return session


def talk(turns: int = 6) -> list[dict[str, Any]]:
    """Return finished turns of one tool call each: four messages a turn."""
    messages: list[dict[str, Any]] = []
    for turn in range(1, turns + 1):
        call = f"call{turn}"
        messages += [
            user(f"第 {turn} 个请求: read file {turn}"),
            assistant("", call),
            result(call, f"line of file {turn}\n" * 20),
            assistant(f"I read file {turn}."),
        ]
    return messages


def context_of(**changes: Any) -> StrategyContext:
    """Return a strategy's context in which a token is a character."""
    fields: dict[str, Any] = {
        "settings": CompactionSettings(keep_recent_tokens=300, keep_recent_turns=2, summary_tokens=500),
        "count": lambda message: len(str(message.get("content"))),
        "count_text": len,
        "window": 50_000,
        "max_output": 4_000,
    }
    return StrategyContext(**{**fields, **changes})


class Scribe:
    """A summarizer that answers with a fixed text and remembers what it was asked."""

    def __init__(self, text: str = "the summary", error: str | None = None) -> None:
        self.text = text
        self.error = error
        self.asked: list[SummaryRequest] = []

    async def __call__(self, request: SummaryRequest) -> Reply:
        self.asked.append(request)
        if self.error is not None:
            return Reply([], "error", error_message=self.error)
        return Reply([{"type": "text", "text": self.text}], usage=metered_usage(100, 10))


async def compact(strategy: ExternalStrategy, session: Session, ask: Ask, context: StrategyContext) -> Compacted:
    """Plan, compact, and write the compaction into the session."""
    plan = strategy.plan(session, context)
    assert plan is not None
    done = await strategy.compact(plan, context, ask)
    session.append_compaction(
        summary=done.summary,
        first_kept_entry_id=done.first_kept_entry_id,
        tokens_before=done.tokens_before,
        details=done.details,
        usage=done.usage,
    )
    return done


def compact_once(
    spec: str, session: Session | None = None, *, ask: Ask | None = None, limits: Limits = QUICK, **changes: Any
) -> Compacted:
    """Compact a session once with a compactor, then close it."""

    async def run() -> Compacted:
        strategy = external_strategy(spec, limits=limits)
        try:
            return await compact(strategy, session or session_of(*talk()), ask or Scribe(), context_of(**changes))
        finally:
            await strategy.aclose()

    return asyncio.run(run())


PROGRAM = """\
import json, os, sys, time
asked = 0

def send(message):
    sys.stdout.write(json.dumps(message) + "\\n")
    sys.stdout.flush()

def complete(messages, **more):
    global asked
    asked += 1
    send({{"type": "complete", "id": asked, "messages": messages, **more}})
    return json.loads(sys.stdin.readline())

def answer(messages, status="compacted"):
    send({{"type": "compacted", "id": m["id"], "status": status, "messages": messages}})

held = []
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
{hello}
    elif m["type"] == "open":
{open}
    elif m["type"] == "extend":
        held += m["messages"]
{extend}
    elif m["type"] == "compact":
{compact}
    elif m["type"] == "bye":
{bye}
"""
HONEST = {
    "hello": 'send({"type": "hello", "version": 1})',
    "open": 'send({"type": "opened", "id": m["id"]})',
    "extend": 'send({"type": "extended", "id": m["id"]})',
    "compact": """\
        held = [{"kind": "summary", "role": "user", "content": complete("Sum up.")["text"]}, *held[-4:]]
        answer(held)
    """,
    "bye": "break",
}


def program(folder: Path, **steps: str) -> str:
    """Write a program that keeps to the protocol, but for the steps given as code; return how to name it.

    An honest one keeps four messages behind a summary.
    """
    code = {name: indent(dedent(text).strip(), " " * 8) for name, text in {**HONEST, **steps}.items()}
    path = folder / "program.py"
    path.write_text(PROGRAM.format(**code), encoding="utf-8")
    return named(path)


def named(path: Path) -> str:
    """Return the name of a compactor that is a Python script."""
    return f"cmd:{shlex.join([sys.executable, '-I', '-S', str(path)])}"


def script(folder: Path, code: str) -> str:
    """Write a program of any kind."""
    path = folder / "program.py"
    path.write_text(dedent(code), encoding="utf-8")
    return named(path)


def module(folder: Path, code: str, name: str = "compact") -> str:
    """Write a Python compactor and return how to name it."""
    path = folder / "mine.py"
    path.write_text(dedent(code), encoding="utf-8")
    return f"{path}:{name}"


def wait_until(condition: Callable[[], bool]) -> bool:
    """Return whether a condition comes true within seconds; for what other processes do."""
    for _ in range(1000):
        if condition():
            return True
        time.sleep(0.01)
    return False


def gone(pid: int) -> bool:
    """Return whether a process has ended; one that nobody has waited for yet has."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z"
