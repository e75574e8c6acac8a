"""Where a compactor's summarizer requests pass: into our `Ask`, so that each is measured and recorded."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from backslide.harness.compaction.external.errors import CompactorError, clipped
from backslide.harness.compaction.external.protocol import ROLES, Completion, Exchange, Limits, Task
from backslide.harness.compaction.strategies.base import (
    Ask,
    StrategyContext,
    SummaryKind,
    SummaryRequest,
    add_usage,
)
from backslide.harness.compaction.strategies.handover import summary_budget
from backslide.harness.compaction.strategies.record import content_text, escape
from backslide.harness.jsjson import remove_lone_surrogates
from backslide.harness.models.protocol import Reply, Usage

LABELS = {"system": "[Note]: ", "user": "[User]: ", "assistant": "[Assistant]: ", "tool": "[Tool result]: "}


class Desk:
    """The summarizer of one compaction, one request at a time."""

    def __init__(self, ask: Ask, context: StrategyContext, *, label: str, update: bool, limits: Limits) -> None:
        self.task = Task(context.window, summary_budget(context), context.instructions)
        self.exchanges: list[Exchange] = []
        self.usage: Usage | None = None
        self.broken: Exception | None = None
        """What ends the compaction whatever the compactor makes of it: a request that it must not make, or an error of
        ours, such as a missing model."""
        self._ask = ask
        self._label = label
        self._kind: SummaryKind = "update" if update else "initial"
        self._max_output = context.max_output
        self._limits = limits
        self._requests = 0
        self._turn_taking = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._waited = 0.0
        self._since: float | None = None

    @property
    def waited(self) -> float:
        """Return the seconds that the compactor has had to wait for the summarizer."""
        running = self._loop.time() - self._since if self._since is not None else 0.0
        return self._waited + running

    async def complete(self, messages: Any, system: Any, max_tokens: Any) -> Reply:
        """Ask the summarizer. Raises `CompactorError` for a malformed request and for one too many."""
        if self.broken is not None:
            raise self.broken
        done = False
        try:
            request = self._admitted(messages, system, max_tokens)
            reply = await self._answered(request)
            done = True
        finally:
            if not done and isinstance(error := sys.exception(), Exception):
                self.broken = error
        self.exchanges.append(Exchange(request, reply))
        self.usage = add_usage(self.usage, reply.usage)
        return reply

    async def _answered(self, request: SummaryRequest) -> Reply:
        async with self._turn_taking:
            self._since = self._loop.time()
            try:
                return await self._ask(request)
            finally:
                self._waited, self._since = self.waited, None

    def _admitted(self, messages: Any, system: Any, max_tokens: Any) -> SummaryRequest:
        self._requests += 1
        if self._requests > self._limits.requests:
            raise CompactorError(
                "requests",
                f"{self._label} asked the summarizer more than {self._limits.requests} times in one compaction",
            )
        return self._request(messages, system, max_tokens)

    def _request(self, messages: Any, system: Any, max_tokens: Any) -> SummaryRequest:
        if isinstance(messages, str):
            messages = [{"role": "user", "content": messages}]
        if system is not None and not isinstance(system, str):
            raise self._malformed("system", "a text", system)
        if not isinstance(messages, Sequence) or not messages:
            raise self._malformed("messages", "a text or a list of chat messages that is not empty", messages)
        if max_tokens is not None and (isinstance(max_tokens, bool) or not isinstance(max_tokens, int)):
            raise self._malformed("max_tokens", "a whole number", max_tokens)
        budget = self.task.summary_tokens if max_tokens is None else max(1, max_tokens)
        if self._max_output > 0:
            budget = min(budget, self._max_output)
        turns = [self._turn(index, message) for index, message in enumerate(messages)]
        identity, parts = rendered(system or "", turns)
        return SummaryRequest(identity, parts, budget, self._kind)

    def _turn(self, index: int, message: Any) -> tuple[str, str]:
        where = f"messages[{index}]"
        if not isinstance(message, Mapping):
            raise self._malformed(where, "an object", message)
        role = "system" if message.get("role") == "developer" else message.get("role")
        if role not in ROLES:
            raise self._malformed(f"{where}.role", "system, user, assistant or tool", role)
        content = message.get("content")
        if content is not None and not isinstance(content, str | list):
            raise self._malformed(f"{where}.content", "a text", content)
        return role, remove_lone_surrogates(content_text(content) + _calls(message))

    def _malformed(self, field: str, expected: str, seen: Any) -> CompactorError:
        return CompactorError(
            "shape", f"{self._label} sent a wrong summarizer request: {field} must be {expected}, not {clipped(seen)}"
        )


def _calls(message: Mapping[str, Any]) -> str:
    """Return the tool calls of a message as text: a summarizer has no tools."""
    shown = []
    for call in message.get("tool_calls") or []:
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping):
            shown.append(f"\n(called {function.get('name')}: {function.get('arguments')})")
    return "".join(shown)


def rendered(system: str, turns: Sequence[tuple[str, str]]) -> tuple[str, tuple[str, ...]]:
    """Return identity and user message of a summarizer request that was asked in chat messages (role, text).

    Leading system messages join `system`. One user message is taken as it is. Several messages become one: all but a
    last user message as labelled blocks inside ``<conversation>``, then that last message as the instruction.
    """
    identity = [system] if system else []
    rest = list(turns)
    while rest and rest[0][0] == "system":
        identity.append(rest.pop(0)[1])
    instruction = rest.pop()[1] if rest and rest[-1][0] == "user" else ""
    if not rest:
        return "\n\n".join(identity), (instruction,)
    parts = ["<conversation>\n"]
    for number, (role, text) in enumerate(rest):
        parts += ["\n\n"] if number else []
        parts += [LABELS[role], escape(text)]
    parts.append("\n</conversation>")
    if instruction:
        parts += ["\n\n", instruction]
    return "\n\n".join(identity), tuple(parts)


def completion_of(reply: Reply) -> Completion:
    """Return a reply as a compactor sees it."""
    usage = {key: int(reply.usage.get(key) or 0) for key in ("input", "output")}
    return Completion(reply.text, reply.stop_reason, usage)


def failure_of(reply: Reply) -> str | None:
    """Return why a reply is none, or None."""
    if reply.stop_reason in {"error", "aborted"}:
        return reply.error_message or f"the summarizer was {reply.stop_reason}"
    return None
