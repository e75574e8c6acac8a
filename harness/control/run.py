"""One run of an agent: requests and tool rounds until the model stops calling tools and nothing is queued.

Rules of Pi 0.83.0: steering messages are delivered before the next request, follow-ups when the run would end; the
model is fixed for the first request and looked up again after each turn; nothing is compacted inside a run.
"""

from __future__ import annotations

from typing import Any, Protocol

from backslide.harness.control.abort import AbortSignal
from backslide.harness.control.events import (
    AgentEnd,
    AgentStart,
    Event,
    MessageEnd,
    MessageStart,
    QueueUpdate,
    TurnEnd,
    TurnStart,
)
from backslide.harness.control.queues import Queues
from backslide.harness.control.replies import assistant_message
from backslide.harness.control.retry import TurnRetry
from backslide.harness.control.sending import Sender
from backslide.harness.control.tool_round import ToolHost, tool_round
from backslide.harness.models.protocol import Cause
from backslide.harness.settings import ModelInfo

Message = dict[str, Any]


class RunHost(ToolHost, Protocol):
    """What a run needs of its agent."""

    model: ModelInfo
    queues: Queues
    retry: TurnRetry
    sender: Sender

    @property
    def has_listeners(self) -> bool:
        """Whether anybody hears events; without, they need not be made."""
        ...

    def now(self) -> int:
        """Return the time in milliseconds."""
        ...

    def user_spoke(self) -> None:
        """A user's message is about to be added."""
        ...

    def persist(self, message: Message) -> None:
        """Put a finished message into the session."""
        ...

    def replied(self, message: Message) -> None:
        """Take note of an assistant message that has been persisted."""
        ...


class Run:
    """A run under way. `causes` are those of the first request and of the others; `limit` bounds the replies."""

    def __init__(self, host: RunHost, causes: tuple[Cause, Cause], limit: int | None) -> None:
        self.signal = AbortSignal()
        self._host = host
        self._first_cause, self._cause = causes
        self._limit = limit
        self._added: list[Message] = []

    async def go(self, new: list[Message], *, poll_steering: bool = True) -> None:
        """Add `new` and send requests. With `poll_steering` off, steering waits for the first reply."""
        host, queues = self._host, self._host.queues
        self._say(AgentStart)
        self._say(TurnStart)
        for message in new:
            self.add(message)
        model, cause, replies = host.model, self._first_cause, 0
        pending = queues.steering.drain() if poll_steering else []
        while True:
            more = True
            while more or pending:
                if replies:
                    self._say(TurnStart)
                for message in pending:
                    self.add(message)
                reply = await host.sender.turn(host.messages, model, cause=cause, signal=self.signal)
                message = assistant_message(reply, model, host.now())
                self.add(message)
                replies += 1
                if reply.stop_reason in {"error", "aborted"}:
                    self._end_turn(message, [])
                    self._end()
                    return
                results = await tool_round(host, self, reply) if reply.tool_calls else []
                more = bool(results)
                self._end_turn(message, results)
                if self._limit is not None and replies >= self._limit:
                    self._end()
                    return
                model, cause = host.model, self._cause
                pending = queues.steering.drain()
            pending = queues.follow_up.drain()
            if not pending:
                break
        self._end()

    def add(self, message: Message) -> None:
        """Emit, then persist: listeners see a message before it is in the file."""
        host = self._host
        role = message.get("role")
        if role == "user":
            host.user_spoke()
            if host.queues.delivered(message):
                host.emit(QueueUpdate(tuple(host.queues.steering_texts), tuple(host.queues.follow_up_texts)))
        if host.has_listeners:
            host.emit(MessageStart(message))
            host.flush_soon()
        host.messages.append(message)
        self._added.append(message)
        if host.has_listeners:
            host.emit(MessageEnd(message))
        host.persist(message)
        if role == "assistant":
            host.replied(message)
        host.flush_soon()

    def say(self, event: Event) -> None:
        """Tell the listeners, and do what they have put off."""
        self._host.emit(event)
        self._host.flush_soon()

    def _say(self, kind: type[AgentStart] | type[TurnStart]) -> None:
        if self._host.has_listeners:
            self.say(kind())

    def _end_turn(self, message: Message, results: list[Message]) -> None:
        if self._host.has_listeners:
            self.say(TurnEnd(message, results))

    def _end(self) -> None:
        if self._host.has_listeners:
            last = next((message for message in reversed(self._added) if message.get("role") == "assistant"), None)
            self.say(AgentEnd(self._added, will_retry=last is not None and self._host.retry.will_retry(last)))
