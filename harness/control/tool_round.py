"""The tool calls of one reply: run side by side, their results added in the order of the calls.

Rules of Pi 0.83.0: a reply that was cut off runs none of its calls; a run that is aborted refuses the call at hand and
starts no other; calls that have begun are not interrupted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Protocol

from backslide.harness.control.abort import AbortSignal
from backslide.harness.control.errors import ToolError
from backslide.harness.control.events import Event, ToolExecutionEnd, ToolExecutionStart
from backslide.harness.control.profile import ControlProfile
from backslide.harness.control.replies import tool_result_message
from backslide.harness.control.tools import Toolbox, ToolResult
from backslide.harness.models.protocol import Reply

CUT_OFF = "Not run: the reply reached its output limit before the call was complete."
"""The result of every call of a reply that stopped for its length."""
REFUSED = ToolResult("Operation aborted", is_error=True)

Call = dict[str, Any]
Message = dict[str, Any]


class ToolHost(Protocol):
    """What a tool round needs of its agent."""

    control: ControlProfile
    tools: Toolbox
    messages: list[Message]

    @property
    def has_listeners(self) -> bool:
        """Whether anybody hears events."""
        ...

    def now(self) -> int:
        """Return the time in milliseconds."""
        ...

    def emit(self, event: Event) -> None:
        """Tell the listeners."""
        ...

    def flush_soon(self) -> None:
        """Do what listeners have put off until a step is over."""
        ...


class Round(Protocol):
    """What a tool round needs of its run."""

    signal: AbortSignal

    def add(self, message: Message) -> None:
        """Add a message."""
        ...


async def tool_round(host: ToolHost, run: Round, reply: Reply) -> list[Message]:
    """Run the calls of `reply`, add their results and return them."""
    if reply.stop_reason == "length":
        # The arguments of a reply that was cut off may be half of what was meant.
        return [_add(host, run, call, _ended(host, call, _cut_off(host, call))) for call in _started(host, reply)]
    begun: list[tuple[Call, ToolResult | None]] = []
    for call in reply.tool_calls:
        _start(host, call)
        if run.signal.aborted:
            begun.append((call, _ended(host, call, REFUSED)))
            break
        begun.append((call, None))
    waiting = [call for call, refused in begun if refused is None]
    if len(waiting) == 1:
        outcomes = [await _run(host, waiting[0])]
    else:
        outcomes = await asyncio.gather(*(_run(host, call) for call in waiting))
    results = iter(outcomes)
    return [_add(host, run, call, refused or next(results)) for call, refused in begun]


def _started(host: ToolHost, reply: Reply) -> Iterator[Call]:
    for call in reply.tool_calls:
        _start(host, call)
        yield call


def _start(host: ToolHost, call: Call) -> None:
    if host.has_listeners:
        host.emit(ToolExecutionStart(call))
        host.flush_soon()


async def _run(host: ToolHost, call: Call) -> ToolResult:
    try:
        result = await host.tools.run(call)
    except ToolError as error:
        result = ToolResult(str(error), is_error=True)
    return _ended(host, call, result)


def _ended(host: ToolHost, call: Call, result: ToolResult) -> ToolResult:
    if host.has_listeners:
        host.emit(ToolExecutionEnd(call, result.is_error))
        host.flush_soon()
    return result


def _cut_off(host: ToolHost, call: Call) -> ToolResult:
    if host.control == "robust":
        return ToolResult(CUT_OFF, is_error=True)
    return ToolResult(
        f'Tool call "{call["name"]}" was not executed: the response hit the output token limit, so its arguments may '
        "be truncated. Re-issue the tool call with complete arguments.",
        is_error=True,
    )


def _add(host: ToolHost, run: Round, call: Call, result: ToolResult) -> Message:
    message = tool_result_message(call, result.text, is_error=result.is_error, now=host.now())
    run.add(message)
    return message
