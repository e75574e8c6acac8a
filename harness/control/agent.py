"""An agent at work on a session: prompts, queued messages, and what happens when a run has ended.

The order at the end of an assistant message is that of Pi 0.83.0: emit, persist, then (after the run) the post-run
decision: retry, final failure, compaction check, queued messages. Whatever decides to go on makes the agent
`continue`; the prompt is settled once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from backslide.harness.compaction.strategies.base import Strategy
from backslide.harness.control.abort import Wait, wait_for_real
from backslide.harness.control.branching import Branching
from backslide.harness.control.compacting import Compactor, CompactorHost
from backslide.harness.control.errors import CannotContinueError, ControlError
from backslide.harness.control.events import AgentSettled, MessageEnd, MessageStart, QueueUpdate
from backslide.harness.control.listening import Listening
from backslide.harness.control.profile import ControlProfile
from backslide.harness.control.queues import Queues
from backslide.harness.control.replies import (
    BashRun,
    assistant_message,
    bash_message,
    custom_message,
    user_message,
)
from backslide.harness.control.retry import ExponentialBackoff, RetryPolicy, TurnRetry
from backslide.harness.control.run import Run, RunHost
from backslide.harness.control.sending import Sender
from backslide.harness.control.tools import Toolbox
from backslide.harness.models.gateway import Gateway
from backslide.harness.models.protocol import Cause, Reply
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.session import Session
from backslide.harness.settings import ModelInfo, Settings


@dataclass(frozen=True)
class AgentOptions:
    """How an agent behaves besides its settings.

    `max_assistant_messages` ends a run after so many assistant messages; None does not. `cause` marks its requests in
    the payload records.
    """

    cause: Cause = "turn"
    max_assistant_messages: int | None = None


class Agent(Listening, Branching, CompactorHost, RunHost):
    """An executor at work on one session.

    `control` chooses the control plane. `retry_policy` makes it ask again after passing failures; None stands for
    Pi's in the profile `pi-0.83` and for none in `robust`. `wait` and `now` are its clock. `summarizer` None: the
    executor's model writes the summaries.
    """

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
        control: ControlProfile = "robust",
        retry_policy: RetryPolicy | None = None,
        wait: Wait = wait_for_real,
        now: Callable[[], int] | None = None,
        sender: Callable[[Agent], Sender] = Sender,
    ) -> None:
        super().__init__()
        self.session = session
        self.gateway = gateway
        self.payloads = payloads
        self.model = model
        self.tools = tools
        self.settings = settings
        self.options = options
        self.control: ControlProfile = control
        self.wait = wait
        self.retry_policy = retry_policy or (ExponentialBackoff() if control == "pi-0.83" else None)
        self.messages: list[dict[str, Any]] = list(session.context().messages)
        self.queues = Queues(settings.steering_mode, settings.follow_up_mode)
        self.sender = sender(self)
        self.retry = TurnRetry(self, self.retry_policy)
        self._summarizer = summarizer
        self._now = now or (lambda: int(time.time() * 1000))
        self._pending_bash: list[dict[str, Any]] = []
        self._run: Run | None = None
        self._idle: asyncio.Event | None = None
        self._last_assistant: dict[str, Any] | None = None
        self._to_settle: dict[str, Any] | None = None
        self.payloads.set_model(model)
        self._compactor = Compactor(self, strategy)

    # ------------------------------------------------------------------ prompting

    async def prompt(self, text: str) -> dict[str, Any] | None:
        """Send the user's words and work until the agent settles; return the last assistant message.

        Raises `ControlError` if the agent is at work already and, under Pi's control plane, `CannotContinueError` if
        a reply that was cut off by a full window stands at the end of the compacted context.
        """
        self._require_idle()
        self.flush_soon()
        self._flush_bash()
        before = next((message for message in reversed(self.messages) if message.get("role") == "assistant"), None)
        if before is not None:
            await self._compactor.check(before, before_prompt=True)
        await self._work([user_message(text, self._now())])
        return self._last_assistant

    async def send_custom(
        self, custom_type: str, content: Any, *, display: bool = True, details: Any = None, trigger: bool = False
    ) -> None:
        """Add an extension's message; `trigger` makes the agent answer it. An agent at work gets it as steering."""
        message = custom_message(custom_type, content, display=display, details=details, now=self._now())
        if self.at_work:
            self.queues.steering.put(message)
        elif trigger:
            await self._work([message])
        else:
            self.messages.append(message)
            self.persist(message)
            self.emit(MessageStart(message))
            self.emit(MessageEnd(message))

    def steer(self, text: str) -> None:
        """Queue a user's message for delivery before the next request."""
        self.queues.steering_texts.append(text)
        self._queue_changed()
        self.queues.steering.put(user_message(text, self._now()))

    def follow_up(self, text: str) -> None:
        """Queue a user's message for delivery when the agent would stop."""
        self.queues.follow_up_texts.append(text)
        self._queue_changed()
        self.queues.follow_up.put(user_message(text, self._now()))

    def clear_queues(self) -> tuple[list[str], list[str]]:
        """Drop what is queued and return the texts: steering, follow-ups."""
        dropped = self.queues.clear()
        self._queue_changed()
        return dropped

    def record_bash(self, run: BashRun) -> None:
        """Add a command that the user ran; while the agent is at work it waits until the agent settles."""
        self._pending_bash.append(bash_message(run, self._now()))
        if not self.at_work:
            self._flush_bash()

    # ------------------------------------------------------------------ stopping

    @property
    def at_work(self) -> bool:
        """Whether a prompt is being dealt with: a run, a retry's wait, a compaction after it."""
        return self._idle is not None

    def abort(self) -> None:
        """Stop the run and the wait for a retry that are under way; compactions go on."""
        self.retry.abort()
        if self._run is not None:
            self._run.signal.abort()

    def abort_retry(self) -> None:
        """Stop waiting for a retry; the failure is final then."""
        self.retry.abort()

    def abort_compaction(self) -> None:
        """Stop the compaction that is under way; nothing is changed then."""
        self._compactor.abort()

    async def wait_for_idle(self) -> None:
        """Wait until the agent has settled."""
        if self._idle is not None:
            await self._idle.wait()

    # ------------------------------------------------------------------ compacting and settings

    async def compact(self, instructions: str | None = None) -> bool:
        """Stop the run, then compact; return whether anything was compacted.

        Raises `CompactionError` if the summarizer failed or the compaction was aborted, and, under Pi's control
        plane, if there is nothing to compact.
        """
        self.flush_soon()
        self.abort()
        await self.wait_for_idle()
        try:
            return await self._compactor.compact_now(instructions)
        finally:
            self.flush_soon()

    @property
    def summarizer(self) -> ModelInfo:
        """The model that writes summaries."""
        return self._summarizer or self.model

    @property
    def retry_attempt(self) -> int:
        """The retries so far of the turn at hand."""
        return self.retry.attempt

    def set_model(self, model: ModelInfo) -> None:
        """Use another model from the next turn on, and note it in the session."""
        self.model = model
        self.payloads.set_model(model)
        self.session.append_model_change(model.provider, model.id)

    def set_auto_compaction(self, on: bool) -> None:
        """Turn compaction by itself on or off."""
        self.settings = replace(self.settings, compaction=replace(self.settings.compaction, enabled=on))

    def set_auto_retry(self, on: bool) -> None:
        """Turn retries on or off."""
        self.settings = replace(self.settings, retry=replace(self.settings.retry, enabled=on))

    def with_cause(self, cause: Cause) -> None:
        """Mark the requests from here on with another cause."""
        self.options = replace(self.options, cause=cause)

    # ------------------------------------------------------------------ working

    async def _work(self, new: list[dict[str, Any]]) -> None:
        """Run, and go on until nothing calls for it; settle, whatever happens."""
        self._require_idle()
        idle = self._idle = asyncio.Event()
        try:
            await self._run_once(new)
            while await self._after_run():
                await self._continue()
        finally:
            self._flush_bash()
            self._idle = None
            self.emit(AgentSettled())
            self.flush_soon()
            idle.set()

    async def _continue(self) -> None:
        """Go on from the context; from a reply only with what is queued, steering first."""
        if not self.messages:
            raise CannotContinueError("No messages to continue from")
        if self.messages[-1].get("role") != "assistant":
            await self._run_once([])
        elif steering := self.queues.steering.drain():
            await self._run_once(steering, poll_steering=False)
        elif follow_ups := self.queues.follow_up.drain():
            await self._run_once(follow_ups)
        else:
            raise CannotContinueError("Cannot continue from message role: assistant")

    async def _run_once(self, new: list[dict[str, Any]], *, poll_steering: bool = True) -> None:
        self.flush_soon()
        cause = self.options.cause
        first: Cause = "retry" if self.retry.attempt else cause
        self._run = Run(self, (first, cause), self.options.max_assistant_messages)
        try:
            await self._run.go(new, poll_steering=poll_steering)
        finally:
            self._run = None

    async def _after_run(self) -> bool:
        """Decide whether to go on: retry, final failure, compaction, queued messages."""
        last, self._to_settle = self._to_settle, None
        if last is None:
            return False
        if await self.retry.after_run(last):
            return True
        self.retry.gave_up(last)
        return await self._compactor.check(last, before_prompt=False) or bool(self.queues)

    def now(self) -> int:
        """Return the time in milliseconds."""
        return self._now()

    def user_spoke(self) -> None:
        """A user's message is about to be added."""
        self._compactor.user_spoke()

    def persist(self, message: dict[str, Any]) -> None:
        """Put a finished message into the session."""
        if message.get("role") == "custom":
            self.session.append_custom_message(
                message["customType"],
                message["content"],
                display=message["display"],
                details=message.get("details"),
            )
        else:
            self.session.append_message(message)

    def replied(self, message: dict[str, Any]) -> None:
        """Take note of an assistant message that has been persisted."""
        self._last_assistant = self._to_settle = message
        self._compactor.replied(message)
        self.retry.replied(message)

    def reply_failed(self, error: str) -> dict[str, Any]:
        """Add a failed reply that no model gave, as the prompt's last, and return it."""
        message = assistant_message(Reply([], "error", error_message=error), self.model, self._now())
        self.emit(MessageStart(message))
        self.messages.append(message)
        self.emit(MessageEnd(message))
        self.persist(message)
        self._last_assistant = message
        return message

    def _require_idle(self) -> None:
        if self.at_work:
            raise ControlError("the agent is at work; queue the message with steer() or follow_up(), or wait")

    def _queue_changed(self) -> None:
        self.emit(QueueUpdate(tuple(self.queues.steering_texts), tuple(self.queues.follow_up_texts)))

    def _flush_bash(self) -> None:
        pending, self._pending_bash = self._pending_bash, []
        for message in pending:
            self.messages.append(message)
            self.persist(message)
