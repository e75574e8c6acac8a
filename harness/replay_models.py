"""The scripted side of a replay: models that answer in order, the one tool, and a counter that needs no tokenizer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from backslide.harness.compaction.estimate import estimate_messages
from backslide.harness.compaction.strategies.base import SummaryRequest
from backslide.harness.control.abort import AbortSignal
from backslide.harness.control.errors import ToolError
from backslide.harness.control.output_limit import text_tokens
from backslide.harness.control.sending import ABORTED, Sender, SenderHost
from backslide.harness.control.tools import ToolResult
from backslide.harness.models.protocol import Cause, Reply, Request, StopReason, Usage
from backslide.harness.payload.tokens import TokenCounter
from backslide.harness.replay_script import ReplayScript, ScriptReply, UsageSpec
from backslide.harness.replay_trace import request_row, summary_row
from backslide.harness.settings import ModelInfo
from backslide.harness.wire import convert_to_llm

BASE_TOKENS = 800
"""What an estimated usage adds for the system prompt and the tools."""
DEFAULT_SUMMARY_USAGE = {"input": 100, "output": 20, "cacheRead": 0, "cacheWrite": 0}
TOOL = {
    "type": "function",
    "function": {
        "name": "probe",
        "description": "Repeat a mark.",
        "parameters": {
            "type": "object",
            "properties": {"size": {"type": "number"}, "mark": {"type": "string"}, "fail": {"type": "boolean"}},
            "required": ["size", "mark"],
        },
    },
}


class QuarterCounter(TokenCounter):
    """Counts a quarter of a text's UTF-16 units, as the estimates do; a replay measures no payloads."""

    def count(self, text: str) -> int:
        """Return the estimate for `text`."""
        return text_tokens(text)


class ProbeTool:
    """The one tool of a replay."""

    def __init__(self) -> None:
        self.definitions: list[dict[str, Any]] = [TOOL]

    async def run(self, call: dict[str, Any]) -> ToolResult:
        """Return ``mark`` repeated ``size`` times; raise `ToolError` if the call says so."""
        arguments = call["arguments"]
        if arguments.get("fail"):
            raise ToolError(f"probe failed {arguments['mark']}")
        return ToolResult(arguments["mark"] * max(0, int(arguments["size"])))


class NextReply:
    """A backend that serves what the script put on it."""

    name = "replay"
    simulated = True
    reply = Reply([])

    async def complete(self, request: Request) -> Reply:
        """Return the reply that is due, after others have had their turn."""
        del request
        reply = self.reply
        await asyncio.sleep(0)
        return reply


class Script:
    """The replies of a run, served in order, and the requests they answer."""

    def __init__(self, script: ReplayScript) -> None:
        self.requests: list[dict[str, Any]] = []
        self.backend = NextReply()
        self.focus: str | None = None
        """The wishes for the compaction at hand."""
        self._script = script
        self._turns = self._summaries = self._calls = 0

    def turn(self, messages: Sequence[dict[str, Any]], model: ModelInfo) -> Reply:
        """Note a request of the executor and return its reply; one that is missing says so."""
        sent = convert_to_llm(messages)
        self.requests.append(request_row(sent, model))
        scripted: ScriptReply | None = None
        if self._script.replies is not None:
            self._turns += 1
            scripted = _nth(self._script.replies, self._turns)
        return self._reply(scripted or ScriptReply(f"default reply {self._turns}", usage="est"), sent, model)

    def summary(self, request: SummaryRequest, model: ModelInfo) -> Reply:
        """Note a request of the summarizer and return its reply; one that is missing says so."""
        self.requests.append(summary_row(request, model, self.focus))
        scripted: ScriptReply | None = None
        if self._script.summaries is not None:
            self._summaries += 1
            scripted = _nth(self._script.summaries, self._summaries)
        missing = ScriptReply(f"## Goal\nsummary {self._summaries}", usage=DEFAULT_SUMMARY_USAGE)
        sent = [{"role": "user", "content": [{"type": "text", "text": request.text}]}]
        return self._reply(scripted or missing, sent, model)

    def _reply(self, scripted: ScriptReply, sent: Sequence[dict[str, Any]], model: ModelInfo) -> Reply:
        content: list[dict[str, Any]] = []
        if scripted.thinking:
            content.append({"type": "thinking", "thinking": scripted.thinking})
        if scripted.text:
            content.append({"type": "text", "text": scripted.text})
        for call in scripted.calls:
            self._calls += 1
            content.append(
                {"type": "toolCall", "id": f"call{self._calls}", "name": "probe", "arguments": dict(call.arguments)}
            )
        stop = "error" if scripted.error is not None else scripted.stop or ("toolUse" if scripted.calls else "stop")
        usage = usage_of(scripted.usage, sent, scripted.text or "", model)
        return Reply(content, cast("StopReason", stop), usage, scripted.error)


def _nth(replies: Sequence[ScriptReply], number: int) -> ScriptReply | None:
    return replies[number - 1] if number <= len(replies) else None


def usage_of(spec: UsageSpec, sent: Sequence[dict[str, Any]], text: str, model: ModelInfo) -> Usage:
    """Return the usage that a reply reports, with its cost in USD."""
    if spec == "est":
        counts: dict[str, Any] = {"input": BASE_TOKENS + estimate_messages(sent), "output": text_tokens(text)}
    else:
        counts = {} if isinstance(spec, str) else dict(spec)
    usage: Usage = {key: counts.get(key, 0) for key in ("input", "output", "cacheRead", "cacheWrite")}
    rates = model.cost
    cost = {
        key: rate / 1_000_000 * usage[key]
        for key, rate in zip(usage, (rates.input, rates.output, rates.cache_read, rates.cache_write), strict=True)
    }
    total = counts.get("totalTokens", sum(usage.values()))
    return {**usage, "totalTokens": total, "cost": {**cost, "total": sum(cost.values())}}


class ReplaySender(Sender):
    """Sends requests as any agent does, and lets the script say what comes back.

    A request whose signal is aborted already is noted, and its reply becomes an aborted one; a reply that is on its
    way arrives, whatever is aborted meanwhile.
    """

    def __init__(self, host: SenderHost, script: Script) -> None:
        super().__init__(host)
        self._script = script

    async def turn(
        self, messages: list[dict[str, Any]], model: ModelInfo, *, cause: Cause, signal: AbortSignal
    ) -> Reply:
        """Send a context."""
        reply = self._script.turn(messages, model)
        return await self._answered(self._turn_request(messages, model, cause), reply, signal)

    async def summary(self, summary: SummaryRequest, model: ModelInfo, *, cause: Cause, signal: AbortSignal) -> Reply:
        """Send a request to the summarizer."""
        reply = self._script.summary(summary, model)
        return await self._answered(self._summary_request(summary, model, cause), reply, signal)

    async def _answered(self, request: Request, reply: Reply, signal: AbortSignal) -> Reply:
        if signal.aborted:
            reply = Reply(reply.content, "aborted", reply.usage, ABORTED)
        self._script.backend.reply = reply
        return await self.host.gateway.send(request)
