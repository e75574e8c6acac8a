"""The stateless delivery: the whole resolved context of the executor in one request, and no session.

This is the original that the mirror replaced, and the reference point for I-7 and I-8: there is nothing to compact, and
the payload shrinks when the executor's context does. The executor's call that is under way is left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from backslide.harness.advisor.calls import Call, outcome_of_reply
from backslide.harness.advisor.choice import Choice
from backslide.harness.advisor.config import AdvisorConfig
from backslide.harness.advisor.dispatch import Dispatch
from backslide.harness.advisor.document import Document, Part, user_message
from backslide.harness.advisor.envelope import AdvisorResult, DeliveryInfo
from backslide.harness.advisor.identity import ADVISOR_SYSTEM, NUDGE
from backslide.harness.advisor.inventory import Definition
from backslide.harness.advisor.mirror import REQUEST, inventory_parts
from backslide.harness.advisor.requests import advisor_request
from backslide.harness.advisor.session import problem_of
from backslide.harness.advisor.transcript import open_advisor_calls
from backslide.harness.compaction.strategies.base import add_usage
from backslide.harness.models.gateway import Gateway
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.payload.tokens import TokenCounter
from backslide.harness.session import Session
from backslide.harness.wire import blocks_of

Message = dict[str, Any]


class SideCalls:
    """Asks without a session; it only remembers how the calls of each executor session ended."""

    def __init__(self, gateway: Gateway, counter: TokenCounter, now: Callable[[], int] | None = None) -> None:
        self.calls: dict[str, list[Call]] = {}
        self._gateway = gateway
        self._counter = counter
        self._now = now or (lambda: time.time_ns() // 1_000_000)

    async def consult(
        self, executor: Session, choice: Choice, config: AdvisorConfig, tools: Sequence[Definition]
    ) -> AdvisorResult:
        """Send the resolved context with a request for advice; an empty reply is asked for once more."""
        # A builder of its own: it keeps what it has seen, and here nothing is seen twice.
        payloads = PayloadBuilder(self._counter, ADVISOR_SYSTEM)
        document = Document("stateless", (*inventory_parts(config, tools), Part("frame", REQUEST)))
        messages = [*resolved_messages(executor), self._message(document)]
        dispatch = Dispatch(self._gateway)
        call = Call({"type": "message", "message": messages[-1]}, "stateless")
        calls = self.calls.setdefault(str(executor.header["id"]), [])
        calls.append(call)
        usage: dict[str, Any] | None = None
        for attempt in (1, 2):
            request = advisor_request(payloads, messages, model=choice.model, effort=choice.effort, advice=False)
            reply = await dispatch.send(request, config.timeout_s)
            usage = add_usage(usage, reply.usage)
            call.outcome = outcome_of_reply(reply)
            if call.outcome != "empty" or attempt == 2:
                break
            messages = [*messages, self._message(Document("nudge", (Part("frame", NUDGE),)))]
        call.error = problem_of(reply)
        return AdvisorResult(
            text=reply.text,
            model=choice.model.id,
            effort=choice.effort,
            session_id=None,
            turn=sum(known.outcome == "completed" for known in calls),
            usage=usage or reply.usage,
            stop_reason=reply.stop_reason,
            error=call.error,
            attempts=attempt,
            delivery=DeliveryInfo("stateless", document.text, document.characters),
            measure=request.measure,
        )

    def _message(self, document: Document) -> Message:
        return user_message(document, self._now(), self._counter.count)


def resolved_messages(executor: Session) -> list[Message]:
    """Return the executor's context without the advisor calls that are under way."""
    hidden = open_advisor_calls(executor.branch())
    messages = executor.context().messages
    if not hidden:
        return messages
    kept = [_without_calls(message, hidden) for message in messages]
    return [message for message in kept if message.get("role") != "assistant" or blocks_of(message.get("content"))]


def _without_calls(message: Message, hidden: frozenset[Any]) -> Message:
    blocks = blocks_of(message.get("content"))
    if message.get("role") != "assistant" or not any(_is_call(block, hidden) for block in blocks):
        return message
    return {**message, "content": [block for block in blocks if not _is_call(block, hidden)]}


def _is_call(block: Message, hidden: frozenset[Any]) -> bool:
    return block.get("type") == "toolCall" and block.get("id") in hidden
