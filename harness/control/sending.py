"""How an agent's requests leave it: built, limited, sent through the gateway, and stopped when the agent is aborted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

from backslide.harness.compaction.strategies.base import SummaryRequest
from backslide.harness.control.abort import AbortSignal, abortable
from backslide.harness.control.output_limit import output_limit, request_tokens, text_tokens
from backslide.harness.control.pairing import Pairing
from backslide.harness.control.profile import ControlProfile
from backslide.harness.control.tools import Toolbox
from backslide.harness.models.gateway import Gateway
from backslide.harness.models.protocol import Cause, Reply, Request
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.settings import ModelInfo

ABORTED = "Request was aborted"


class SenderHost(Protocol):
    """What sending needs of its agent."""

    control: ControlProfile
    gateway: Gateway
    payloads: PayloadBuilder
    tools: Toolbox


class Sender:
    """Sends the requests of one agent."""

    def __init__(self, host: SenderHost) -> None:
        self.host = host
        self._pairing = Pairing()

    async def turn(
        self, messages: list[dict[str, Any]], model: ModelInfo, *, cause: Cause, signal: AbortSignal
    ) -> Reply:
        """Send a context to `model`; return an aborted reply if the signal comes first."""
        if signal.aborted:
            return aborted_reply()
        return await self.send(self._turn_request(messages, model, cause), signal)

    async def summary(self, summary: SummaryRequest, model: ModelInfo, *, cause: Cause, signal: AbortSignal) -> Reply:
        """Send a request to the summarizer; return an aborted reply if the signal comes first."""
        if signal.aborted:
            return aborted_reply()
        return await self.send(self._summary_request(summary, model, cause), signal)

    async def send(self, request: Request, signal: AbortSignal) -> Reply:
        """Send a finished request; return an aborted reply if the signal comes first."""
        reply = await abortable(self.host.gateway.send(request), signal)
        return aborted_reply() if reply is None else reply

    def _turn_request(self, messages: list[dict[str, Any]], model: ModelInfo, cause: Cause) -> Request:
        host = self.host
        tools = host.tools.definitions
        limit = None
        if host.control == "pi-0.83":
            limit = output_limit(model, model.max_tokens, request_tokens(messages, host.payloads.system_prompt, tools))
        else:
            messages = self._pairing.paired(messages)
        return host.payloads.request(messages, role="executor", cause=cause, model=model, tools=tools, max_output=limit)

    def _summary_request(self, summary: SummaryRequest, model: ModelInfo, cause: Cause) -> Request:
        host = self.host
        limit = None
        if host.control == "pi-0.83":
            tokens = text_tokens(summary.system) + text_tokens(summary.text)
            limit = output_limit(model, summary.max_tokens, tokens)
        elif 0 < model.max_tokens < summary.max_tokens:
            summary = replace(summary, max_tokens=int(model.max_tokens))
        request = host.payloads.summary_request(summary, model, max_output=limit)
        return request if cause == "summarizer" else replace(request, cause=cause)


def aborted_reply() -> Reply:
    """Return the reply of a request that was stopped."""
    return Reply([], "aborted", error_message=ABORTED)
