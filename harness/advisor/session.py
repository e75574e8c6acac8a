"""One advisor's session: its file, its turns, and what is done about a question that got no answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from backslide.harness.advisor.calls import (
    Call,
    completes,
    delivery_of,
    failures_at_end,
    note,
    outcome_of_reply,
    read_calls,
)
from backslide.harness.advisor.choice import Choice
from backslide.harness.advisor.config import FailedDelivery
from backslide.harness.advisor.dispatch import ABORTED, Dispatch
from backslide.harness.advisor.document import Document, Part, user_message
from backslide.harness.advisor.envelope import AdvisorResult, DeliveryInfo
from backslide.harness.advisor.identity import ADVISOR_SYSTEM, NUDGE
from backslide.harness.advisor.requests import advisor_request
from backslide.harness.advisor.transcript import content_text
from backslide.harness.compaction.strategies.base import add_usage
from backslide.harness.control.overflow import is_overflow
from backslide.harness.models.gateway import Gateway
from backslide.harness.models.protocol import Reply, Usage
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.payload.tokens import TokenCounter
from backslide.harness.session import Session

Message = dict[str, Any]


class AdvisorSession:
    """A persistent session of an advisor without tools; calls on it must hold its `turnstile`."""

    def __init__(self, session: Session, gateway: Gateway, counter: TokenCounter, now: Callable[[], int]) -> None:
        self.session = session
        self.payloads = PayloadBuilder(counter, ADVISOR_SYSTEM)
        self.calls: list[Call] = read_calls(session.entries)
        self.in_flight = False
        self._dispatch = Dispatch(gateway)
        self._count = counter.count
        self._now = now
        self._turnstile: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None

    @property
    def id(self) -> str:
        """Return the session's id."""
        return str(self.session.header["id"])

    @property
    def turns(self) -> int:
        """Return the number of completed turns."""
        return sum(call.outcome == "completed" for call in self.calls)

    def turnstile(self) -> asyncio.Lock:
        """Return the lock that lets one call at a time through; each event loop has its own."""
        loop = asyncio.get_running_loop()
        if self._turnstile is None or self._turnstile[0] is not loop:
            self._turnstile = (loop, asyncio.Lock())
        return self._turnstile[1]

    def abort(self) -> bool:
        """Stop the request that is under way; return whether there was one."""
        return self._dispatch.abort()

    def settle(self, policy: FailedDelivery) -> None:
        """Deal with questions at the end of the branch that got no answer.

        `repair` branches off before them: they stay in the file and are in no later request. `resend` leaves them in
        the context, so that they are sent along with every later request.
        """
        if policy == "resend":
            return
        first = None
        for entry in reversed(self.session.branch()):
            message = entry.get("message") if entry.get("type") == "message" else None
            if not isinstance(message, dict):
                continue
            if message.get("role") == "assistant" and completes(message):
                break
            if message.get("role") == "user":
                first = entry
        if first is not None:
            self.session.move_to(first.get("parentId"))

    async def put(
        self,
        document: Document,
        choice: Choice,
        timeout_s: float | None,
        make_room: Callable[[], Awaitable[bool]] | None = None,
    ) -> AdvisorResult:
        """Store `document` as the next question, send the session, store the answer and return the result.

        The question is on disk before the request is sent. An empty reply is asked for once more. If the context did
        not fit, `make_room` may compact it; then the question is asked again, once.
        """
        repeats = self._repeats(document)
        self._adopt(choice)
        self.in_flight = True
        try:
            self._append(user_message(document, self._now(), self._count, repeats))
            delivery = self._info(document, repeats)
            reply, measure = await self._ask(choice, timeout_s)
            usage, attempts = reply.usage, 1
            if make_room is not None and is_overflow(self._last_reply(), choice.model.context_window):
                # The failed reply leaves the branch, so that what is compacted ends on the question.
                self.session.move_to(self.calls[-1].entry["id"])
                if await make_room():
                    reply, measure = await self._ask(choice, timeout_s)
                    usage, attempts = add_usage(usage, reply.usage), attempts + 1
            if outcome_of_reply(reply) == "empty":
                nudge = Document("nudge", (Part("frame", NUDGE),))
                self._append(user_message(nudge, self._now(), self._count))
                reply, measure = await self._ask(choice, timeout_s)
                usage, attempts = add_usage(usage, reply.usage), attempts + 1
        finally:
            self.in_flight = False
        return self._result(choice, reply, usage, attempts, delivery, measure)

    async def _ask(self, choice: Choice, timeout_s: float | None) -> tuple[Reply, Any]:
        request = advisor_request(
            self.payloads, self.session.context().messages, model=choice.model, effort=choice.effort
        )
        try:
            reply = await self._dispatch.send(request, timeout_s)
        except asyncio.CancelledError:
            self._append(self._reply_message(choice, Reply([], "aborted", error_message=ABORTED)))
            raise
        self._append(self._reply_message(choice, reply))
        return reply, request.measure

    def _result(
        self, choice: Choice, reply: Reply, usage: Usage, attempts: int, delivery: DeliveryInfo, measure: Any
    ) -> AdvisorResult:
        return AdvisorResult(
            text=reply.text,
            model=choice.model.id,
            effort=choice.effort,
            session_id=self.id,
            turn=self.turns,
            usage=usage,
            stop_reason=reply.stop_reason,
            error=problem_of(reply),
            attempts=attempts,
            delivery=delivery,
            measure=measure,
        )

    def _repeats(self, document: Document) -> int:
        """Return how many failed deliveries right before this document covers again."""
        failed = self.calls[len(self.calls) - failures_at_end(self.calls) :]
        if document.kind == "brief":
            failed = [call for call in failed if content_text(call.entry["message"].get("content")) == document.text]
        return len(failed)

    def _info(self, document: Document, repeats: int) -> DeliveryInfo:
        deliveries = [
            delivery
            for message in self.session.context().messages
            if (delivery := delivery_of(message)) is not None and delivery.get("kind") != "nudge"
        ]
        return DeliveryInfo(
            document.kind,
            document.text,
            document.characters,
            document.up_to,
            repeats,
            len(deliveries) - 1,
            document.cause,
        )

    def _adopt(self, choice: Choice) -> None:
        """Note a change of model or effort; the session goes on."""
        view = self.session.view()
        if view.model != {"provider": choice.model.provider, "modelId": choice.model.id}:
            self.session.append_model_change(choice.model.provider, choice.model.id)
        if view.thinking_level != choice.effort:
            self.session.append_thinking_level_change(choice.effort)

    def _append(self, message: Message) -> None:
        self.session.append_message(message)
        self.session.sync()
        note(self.calls, self.session.branch()[-1])

    def _last_reply(self) -> Message:
        message: Message = self.session.branch()[-1]["message"]
        return message

    def _reply_message(self, choice: Choice, reply: Reply) -> Message:
        message: Message = {
            "role": "assistant",
            "content": reply.content,
            "api": choice.model.api,
            "provider": choice.model.provider,
            "model": choice.model.id,
            "usage": reply.usage,
            "stopReason": reply.stop_reason,
            "timestamp": self._now(),
        }
        if reply.error_message is not None:
            message["errorMessage"] = reply.error_message
        return message


def problem_of(reply: Reply) -> str | None:
    """Return why a reply is no completed turn, None if it is one."""
    if reply.stop_reason in {"error", "aborted"}:
        return reply.error_message or ("the provider gave no reason" if reply.stop_reason == "error" else ABORTED)
    if not reply.text.strip():
        return "the advisor answered with nothing, and again when asked once more"
    if reply.stop_reason == "length":
        return "the reply was cut off at its output limit"
    if reply.stop_reason == "toolUse":
        return "the advisor tried to call a tool, and it has none"
    return None
