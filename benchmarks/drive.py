"""What a turn costs: one scripted session through the whole drive (append, compaction, meter, store).

    python benchmarks/drive.py --turns 1000 --window 8000 --json

Each turn is a user message, a tool call, its result and a closing reply, about 1.4 KB of text that is nowhere the same.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from backslide.evals.records import PayloadRecord
from backslide.evals.store import RunWriter
from backslide.harness.compaction.strategies import make_strategy
from backslide.harness.control.agent import Agent, AgentOptions
from backslide.harness.control.events import CompactionEnd, Event
from backslide.harness.control.tools import CODING_TOOLS, ToolResult
from backslide.harness.models.gateway import Exchange, Gateway
from backslide.harness.models.script import ScriptedReply, ScriptModel
from backslide.harness.models.section_summarizer import SectionSummarizer
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.payload.tokens import TokenCounter
from backslide.harness.session import Session
from backslide.harness.settings import CompactionSettings, ModelInfo, Settings

WORDS = [
    "ledger",
    "parcel",
    "schedule",
    "importer",
    "retry",
    "queue",
    "buffer",
    "window",
    "cursor",
    "index",
    "shard",
    "token",
    "parser",
    "feed",
    "ranking",
    "budget",
    "cache",
    "tariff",
    "courier",
    "manifest",
    "route",
    "sensor",
    "metric",
    "export",
    "batch",
    "journal",
    "snapshot",
    "replica",
    "digest",
    "lookup",
]
RESULT_LINES = 11


class Text:
    """Seeded prose and tool output, no two pieces the same."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def words(self, count: int) -> str:
        """Return some words."""
        return " ".join(self._random.choice(WORDS) for _ in range(count))

    def user(self) -> str:
        """Return a request."""
        return (
            f"Please look at {self.words(3)} and make the {self.words(2)} handle case {self._random.randrange(10**6)}."
        )

    def reply(self) -> str:
        """Return a closing reply."""
        return f"The {self.words(2)} now {self.words(3)}; checked with input {self._random.randrange(10**6)}."

    def result(self) -> str:
        """Return grep output."""
        return "\n".join(
            f"src/{self._random.choice(WORDS)}/{self._random.choice(WORDS)}.py:{self._random.randrange(900)}: "
            f"{self._random.choice(WORDS)}_{self._random.randrange(9999)} = {self.words(6)}"
            for _ in range(RESULT_LINES)
        )


class Tools:
    """Serves prepared results."""

    definitions = CODING_TOOLS

    def __init__(self) -> None:
        self.next = ""

    async def run(self, call: dict[str, Any]) -> ToolResult:
        """Return the prepared result."""
        return ToolResult(self.next)


def record_of(exchange: Exchange, turn: int, cycle: int) -> PayloadRecord:
    """Return the stored record of one request."""
    measure, usage = exchange.request.measure, exchange.reply.usage
    return PayloadRecord(
        scenario="bench",
        variant="handoff",
        seed=0,
        turn=turn,
        cycle=cycle,
        role=exchange.request.role,
        cause=exchange.request.cause,
        probe=None,
        model=exchange.backend,
        bytes=measure.bytes,
        tokens=measure.tokens,
        messages=measure.messages,
        composition=measure.composition,
        composition_bytes=measure.composition_bytes,
        input_tokens=usage["input"],
        output_tokens=usage["output"],
        cost=usage["cost"]["total"],
        stop_reason=exchange.reply.stop_reason,
    )


async def drive(turns: int, window: int, folder: Path) -> dict[str, Any]:
    """Drive one session and return the measurements."""
    text = Text(turns)
    meter, model_side = TokenCounter(), TokenCounter()
    model = ModelInfo("bench", "m1", window, 1_000)
    payloads = PayloadBuilder(meter, "You are a coding agent.")
    payloads.set_model(model)
    script, tools = ScriptModel(meter.count), Tools()
    gateway = Gateway({"executor": script, "summarizer": SectionSummarizer(model_side.count)})
    writer = RunWriter(folder / "run")
    session = Session.create(writer.sessions / "bench.jsonl", cwd="/bench", fsync="never")
    agent = Agent(
        session=session,
        gateway=gateway,
        payloads=payloads,
        model=model,
        tools=tools,
        strategy=make_strategy("handoff"),
        settings=Settings(
            compaction=CompactionSettings(
                reserve_tokens=2_000, keep_recent_tokens=2_000, keep_recent_turns=5, summary_tokens=600
            )
        ),
        options=AgentOptions(cause="script"),
    )
    compactions = 0
    turn = 0
    text_bytes = 0

    def on_event(event: Event) -> None:
        nonlocal compactions, text_bytes
        if isinstance(event, CompactionEnd):
            compactions += event.error is None
            text_bytes += len((event.summary or "").encode())

    agent.subscribe(on_event)
    gateway.subscribe(lambda exchange: writer.append_payload(record_of(exchange, turn, compactions)))
    script_text = [(text.user(), text.words(1), text.result(), text.reply()) for _ in range(turns)]
    meter.count("warm up")
    model_side.count("warm up")
    started = time.perf_counter()
    last_tenth = started
    for number, (user, pattern, result, reply) in enumerate(script_text, start=1):
        turn = number
        tools.next = result
        if number == turns - turns // 10 + 1:
            last_tenth = time.perf_counter()
        call = {"type": "toolCall", "id": f"c{number}", "name": "grep", "arguments": {"pattern": pattern}}
        text_bytes += len(user) + len(reply) + len(result) + len(json.dumps(call["arguments"]))
        script.feed([ScriptedReply([call], "toolUse"), ScriptedReply([{"type": "text", "text": reply}])])
        await agent.prompt(user)
    ended = time.perf_counter()
    session.close()
    writer.close()
    stored = sum(file.stat().st_size for file in (folder / "run").rglob("*") if file.is_file())
    tenth = max(turns // 10, 1)
    return {
        "turns": turns,
        "window": window,
        "compactions": compactions,
        "wall_s": round(ended - started, 4),
        "ms_per_turn": round((ended - started) / turns * 1000, 4),
        "ms_per_turn_last_tenth": round((ended - last_tenth) / tenth * 1000, 4),
        "text_bytes": text_bytes,
        "tokenized_bytes": meter.bytes_tokenized,
        "model_tokenized_bytes": model_side.bytes_tokenized,
        "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "store_bytes": stored,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure once and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=1_000)
    parser.add_argument("--window", type=int, default=8_000, help="context window in tokens")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    if options.turns < 1 or options.window < 4_000:
        parser.error("needs at least 1 turn and a window of at least 4000 tokens")
    with tempfile.TemporaryDirectory() as folder:
        result = asyncio.run(drive(options.turns, options.window, Path(folder)))
    if options.json:
        print(json.dumps(result))
        return
    for key, value in result.items():
        print(f"{key:24} {value}")


if __name__ == "__main__":
    main()
