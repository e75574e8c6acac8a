"""Stopping what is under way: a signal, and work and waits that heed it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


class AbortSignal:
    """A wish to stop, made once and seen by whoever holds the signal."""

    __slots__ = ("_hooks", "aborted")

    def __init__(self) -> None:
        self.aborted = False
        self._hooks: list[Callable[[], object]] = []

    def abort(self) -> None:
        """Make the wish; a second time does nothing."""
        if not self.aborted:
            self.aborted = True
            for hook in tuple(self._hooks):
                hook()

    def on_abort(self, hook: Callable[[], object]) -> Callable[[], None]:
        """Call `hook` when the wish is made; return a function that withdraws it."""
        self._hooks.append(hook)
        return lambda: self._hooks.remove(hook)


async def abortable(work: Awaitable[T], signal: AbortSignal) -> T | None:
    """Return the result of `work`, None if the signal ended it first. A cancellation of the caller is passed on.

    The work stays in the caller's task, since a task of its own costs more than many a request of a scripted model;
    so it is cancelled only while it waits: what aborts from within it lets it finish.
    """
    task = asyncio.current_task()
    assert task is not None
    stopped = False

    def stop() -> None:
        nonlocal stopped
        if asyncio.current_task() is not task:
            stopped = True
            task.cancel()

    forget = signal.on_abort(stop)
    try:
        result = await work
    except asyncio.CancelledError:
        if not stopped or task.uncancel() > 0:
            raise
        return None
    finally:
        forget()
    if stopped:
        # It was told to stop and finished all the same.
        task.uncancel()
    return result


Wait = Callable[[float, AbortSignal], Awaitable[bool]]
"""Waits so many milliseconds; returns False if the signal ended the wait."""


async def wait_for_real(milliseconds: float, signal: AbortSignal) -> bool:
    """Wait by the clock on the wall."""
    if signal.aborted:
        return False
    return await abortable(asyncio.sleep(milliseconds / 1000, True), signal) is True


async def wait_for_nothing(_milliseconds: float, signal: AbortSignal) -> bool:
    """Wait no time at all, for scripted models and tests: others get their turn, then the wait is over."""
    await asyncio.sleep(0)
    return not signal.aborted
