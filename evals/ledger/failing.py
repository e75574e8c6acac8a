"""An advisor whose provider fails at chosen calls."""

from __future__ import annotations

from collections.abc import Callable, Collection

from backslide.harness.models.protocol import Model, Reply, Request


class FailingAdvisor:
    """Answers as its inner model does, except at the calls in `failing` (counted from 1), which fail."""

    def __init__(self, inner: Model, failing: Collection[int]) -> None:
        self._inner = inner
        self._failing = frozenset(failing)
        self._calls = 0

    @property
    def name(self) -> str:
        """Return the inner model's name."""
        return self._inner.name

    @property
    def simulated(self) -> bool:
        """Return whether the inner model is simulated."""
        return self._inner.simulated

    async def complete(self, request: Request) -> Reply:
        """Answer, or fail as a connection that breaks off does."""
        self._calls += 1
        if self._calls in self._failing:
            return Reply([], "error", error_message="WebSocket error")
        return await self._inner.complete(request)


def failing_at(*calls: int) -> Callable[[Model], Model]:
    """Return what makes an advisor's model fail at these calls."""
    return lambda inner: FailingAdvisor(inner, calls)
