"""A backend that serves scripted assistant messages in order.

Scripted turns pass the same choke point as every other request, so that thresholds, payload meters and usage
work as they would with a provider that reports usage.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from backslide.harness.errors import ModelError
from backslide.harness.models.blocks import Count, output_tokens
from backslide.harness.models.protocol import Reply, Request, StopReason, metered_usage, zero_usage
from backslide.harness.models.window import overflow_reply


@dataclass(frozen=True)
class ScriptedReply:
    """One scripted assistant message: content blocks, stop reason, and a provider's message on an error.

    `tokens` is the size of the content if the caller knows it already; else it is counted when served.
    """

    content: list[dict[str, Any]]
    stop_reason: StopReason = "stop"
    error_message: str | None = None
    tokens: int | None = None


class ScriptModel:
    """Answers each request with the next scripted reply; it never looks at the body."""

    name = "sim:script"
    simulated = True

    def __init__(self, count: Count, replies: Iterable[ScriptedReply] = ()) -> None:
        self._count = count
        self._queue: deque[ScriptedReply] = deque(replies)

    def feed(self, replies: Iterable[ScriptedReply]) -> None:
        """Append replies to the script."""
        self._queue.extend(replies)

    def clear(self) -> int:
        """Drop what has not been served and return how many replies that were."""
        left = len(self._queue)
        self._queue.clear()
        return left

    @property
    def remaining(self) -> int:
        """Return how many replies have not been served."""
        return len(self._queue)

    async def complete(self, request: Request) -> Reply:
        """Serve the next reply with metered usage and no cost.

        A request larger than the window gets the provider's error and consumes nothing: the same reply is
        served once the context has been compacted. Usage of a scripted error is zero.

        Raises `ModelError` if the script has ended.
        """
        if (refused := overflow_reply(request)) is not None:
            return refused
        if not self._queue:
            raise ModelError(f"the script has no reply left for a request of cause {request.cause!r}")
        scripted = self._queue.popleft()
        if scripted.stop_reason == "error":
            return Reply(scripted.content, "error", zero_usage(), scripted.error_message)
        tokens = scripted.tokens
        if tokens is None:
            tokens = output_tokens(scripted.content, self._count)
        usage = metered_usage(request.measure.tokens, tokens)
        return Reply(scripted.content, scripted.stop_reason, usage, scripted.error_message)
