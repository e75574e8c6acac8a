"""The agent loop: prompt, requests and tool rounds, persistence, and what happens when a run has ended.

The order at the end of an assistant message is that of Pi 0.83.0: emit, persist, then (after the run) the post-run
decision: retry, compaction check, queued messages. Whatever decides to go on makes the loop `continue`; the prompt is
settled once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from backslide.harness.compaction.strategies.base import Strategy
from backslide.harness.control.compacting import Compactor, CompactorHost
from backslide.harness.control.events import (
    AgentEnd,
    AgentSettled,
    AgentStart,
    Event,
    EventListener,
    MessageEnd,
)
from backslide.harness.control.tools import Toolbox, ToolResult
from backslide.harness.models.gateway import Gateway
from backslide.harness.models.protocol import Cause, Reply
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.session import Session
from backslide.harness.settings import ModelInfo, Settings

CUT_OFF = ToolResult("Not run: the reply reached its output limit before the call was complete.", is_error=True)
"""The result of every call of a reply that stopped for its length."""


class RetryPolicy(Protocol):
    """Decides after a run whether the failed reply is asked for again."""

    async def after_run(self, message: dict[str, Any], agent: Agent) -> bool:
        """Return True after waiting and dropping the failed message from the active context, False to go on."""
        ...


@dataclass(frozen=True)
class AgentOptions:
    """How an agent behaves besides its settings.

    `max_assistant_messages` ends a run after so many assistant messages; None does not. `cause` marks its requests in
    the payload records.
    """

    cause: Cause = "turn"
    max_assistant_messages: int | None = None


class Agent(CompactorHost):
    """An executor at work on one session."""

    def __init__(
        self,
        *,
        session: Session,
        gateway: Gateway,
        payloads: PayloadBuilder,
        model: ModelInfo,
        tools: Toolbox,
        strategy: Strategy,
        settings: Settings,
        summarizer: ModelInfo | None = None,
        options: AgentOptions = AgentOptions(),
        retry: RetryPolicy | None = None,
        now: Callable[[], int] | None = None,
    ) -> None:
        self.session = session
        self.gateway = gateway
        self.payloads = payloads
        self.model = model
        self.summarizer = summarizer or model
        self.tools = tools
        self.settings = settings
        self.options = options
        self.messages: list[dict[str, Any]] = list(session.context().messages)
        self._now = now or (lambda: int(time.time() * 1000))
        self._retry = retry
        self._listeners: list[EventListener] = []
        self._last_assistant: dict[str, Any] | None = None
        self.payloads.set_model(model)
        self._compactor = Compactor(self, strategy)

    def subscribe(self, listener: EventListener) -> Callable[[], None]:
        """Call `listener` for each event; return a function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def emit(self, event: Event) -> None:
        """Tell the listeners."""
        for listener in tuple(self._listeners):
            listener(event)

    async def prompt(self, text: str) -> dict[str, Any] | None:
        """Send the user's words and work until the agent settles; return the last assistant message."""
        before = next((message for message in reversed(self.messages) if message.get("role") == "assistant"), None)
        if before is not None:
            await self._compactor.check(before, before_prompt=True)
        self._compactor.user_spoke()
        message = {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": self._now()}
        await self._run([message])
        while await self._after_run():
            await self._run([])
        self.emit(AgentSettled())
        return self._last_assistant

    async def compact(self, instructions: str | None = None) -> bool:
        """Compact now; return whether anything was compacted. Raises `CompactionError` if the summarizer failed."""
        return await self._compactor.compact_now(instructions)

    async def _run(self, new: list[dict[str, Any]]) -> None:
        """Send requests until the model stops calling tools."""
        self.emit(AgentStart())
        added: list[dict[str, Any]] = []
        for message in new:
            self._add(message, added)
        limit = self.options.max_assistant_messages
        asked = 0
        while True:
            reply = await self._request()
            message = self._assistant(reply)
            self._add(message, added)
            self._last_assistant = message
            self._compactor.replied(message)
            asked += 1
            if reply.stop_reason in {"error", "aborted"} or not reply.tool_calls:
                break
            for call in reply.tool_calls:
                # The arguments of a reply that was cut off may be half of what was meant.
                result = CUT_OFF if reply.stop_reason == "length" else await self.tools.run(call)
                self._add(self._tool_result(call, result.text, is_error=result.is_error), added)
            if limit is not None and asked >= limit:
                break
        self.emit(AgentEnd(added))

    async def _after_run(self) -> bool:
        """Decide whether to go on: retry, then compaction."""
        last = self._last_assistant
        if last is None:
            return False
        if self._retry is not None and await self._retry.after_run(last, self):
            return True
        return await self._compactor.check(last, before_prompt=False)

    async def _request(self) -> Reply:
        request = self.payloads.request(
            self.messages,
            role="executor",
            cause=self.options.cause,
            model=self.model,
            tools=self.tools.definitions,
        )
        return await self.gateway.send(request)

    def _add(self, message: dict[str, Any], added: list[dict[str, Any]]) -> None:
        """Emit, then persist: listeners see a message before it is in the file."""
        self.messages.append(message)
        added.append(message)
        self.emit(MessageEnd(message))
        self.session.append_message(message)

    def _assistant(self, reply: Reply) -> dict[str, Any]:
        message: dict[str, Any] = {
            "role": "assistant",
            "content": reply.content,
            "api": self.model.api,
            "provider": self.model.provider,
            "model": self.model.id,
            "usage": reply.usage,
            "stopReason": reply.stop_reason,
            "timestamp": self._now(),
        }
        if reply.error_message is not None:
            message["errorMessage"] = reply.error_message
        return message

    def _tool_result(self, call: dict[str, Any], text: str, *, is_error: bool) -> dict[str, Any]:
        return {
            "role": "toolResult",
            "toolCallId": call["id"],
            "toolName": call["name"],
            "content": [{"type": "text", "text": text}],
            "isError": is_error,
            "timestamp": self._now(),
        }

    def with_cause(self, cause: Cause) -> None:
        """Mark the requests from here on with another cause."""
        self.options = replace(self.options, cause=cause)
