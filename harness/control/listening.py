"""Telling listeners, and letting them act on the agent when the step they heard of is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from backslide.harness.control.events import Event, EventListener


class Listening:
    """The part of an agent that tells what happens."""

    def __init__(self) -> None:
        self._listeners: list[EventListener] = []
        self._soon: list[Callable[[], object]] = []

    def subscribe(self, listener: EventListener) -> Callable[[], None]:
        """Call `listener` for each event; return a function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @property
    def has_listeners(self) -> bool:
        """Whether anybody hears events; without, they need not be made."""
        return bool(self._listeners)

    def emit(self, event: Event) -> None:
        """Tell the listeners."""
        for listener in tuple(self._listeners):
            listener(event)

    def soon(self, action: Callable[[], object]) -> None:
        """Do `action` when the step of the event at hand is over.

        For listeners: to abort amid an event that announces something may be too early.
        """
        self._soon.append(action)
        asyncio.get_running_loop().call_soon(self.flush_soon)

    def flush_soon(self) -> None:
        """Do what listeners have put off until a step is over."""
        while self._soon:
            self._soon.pop(0)()
