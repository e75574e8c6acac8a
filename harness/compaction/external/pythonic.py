"""A compactor that is a Python class or function, run in a thread of its own.

Its code may block, or run an event loop, without holding up ours. A thread cannot be killed: one that never returns is
left behind when its time is up, and the summarizer answers it no more.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backslide.harness.compaction.external.desk import Desk, completion_of, failure_of
from backslide.harness.compaction.external.errors import CompactorError, SummarizerError, clipped
from backslide.harness.compaction.external.protocol import Completion, Keep, Limits, Piece
from backslide.harness.compaction.external.pyfile import Found, Guard, blamed, find, fingerprint, place, said
from backslide.harness.errors import BackslideError

Messages = str | list[dict[str, Any]]
Guarded = tuple[Any, BaseException | None]
"""What somebody's code returned, or raised."""
LEAST_WAIT = 0.05
"""Seconds between two looks at the clock, while the summarizer is at work."""


@dataclass(frozen=True)
class PythonSource:
    """A name in a Python file."""

    path: Path
    name: str

    @property
    def label(self) -> str:
        """Return ``file.py:Name``."""
        return f"{self.path.name}:{self.name}"

    @property
    def fingerprint(self) -> str:
        """Return a hash over the file and the name."""
        return fingerprint(self.path, self.name)

    def driver(self, limits: Limits) -> PythonDriver:
        """Return a session with a fresh copy of the module, so that sessions share no state."""
        return PythonDriver(self.label, find(self.path, self.name), limits)


class ThreadModel:
    """The summarizer, to be called from the compactor's thread."""

    def __init__(self, desk: Desk, loop: asyncio.AbstractEventLoop) -> None:
        self._desk = desk
        self._loop = loop
        self._closed = False
        self._pending: set[Future[Completion]] = set()
        self._lock = threading.Lock()
        """Held while a request is taken in, so that none slips past `close`, which another thread calls."""

    @property
    def window(self) -> int:
        """Return the context window in tokens; 0 if unknown."""
        return self._desk.task.window

    @property
    def summary_tokens(self) -> int:
        """Return the tokens that a summary should stay within."""
        return self._desk.task.summary_tokens

    @property
    def instructions(self) -> str | None:
        """Return what the user asked this compaction to look at, or None."""
        return self._desk.task.instructions

    def complete(self, messages: Messages, *, system: str = "", max_tokens: int | None = None) -> Completion:
        """Ask, and wait for the answer."""
        return self._submit(messages, system, max_tokens).result()

    async def acomplete(self, messages: Messages, *, system: str = "", max_tokens: int | None = None) -> Completion:
        """Ask."""
        return await asyncio.wrap_future(self._submit(messages, system, max_tokens))

    def _submit(self, messages: Messages, system: str, max_tokens: int | None) -> Future[Completion]:
        with self._lock:
            if self._closed:
                raise SummarizerError("the compaction is over")
            future = asyncio.run_coroutine_threadsafe(self._ask(messages, system, max_tokens), self._loop)
            self._pending.add(future)
        return future

    async def _ask(self, messages: Messages, system: str, max_tokens: int | None) -> Completion:
        reply = await self._desk.complete(messages, system, max_tokens)
        if (failure := failure_of(reply)) is not None:
            raise SummarizerError(failure)
        return completion_of(reply)

    def close(self) -> None:
        """Answer no more; what is being asked is given up."""
        with self._lock:
            self._closed = True
        for future in self._pending:
            future.cancel()


class PythonDriver:
    """One object (or the function) of one freshly loaded module."""

    def __init__(self, label: str, found: Found, limits: Limits) -> None:
        self.label = label
        self._found = found
        self._limits = limits
        self._compactor: Any = None
        self._session: Any = None
        self._messages: list[Piece] = []
        self._threads: list[threading.Thread] = []

    @property
    def usable(self) -> bool:
        """Return True: there is nothing that could have ended."""
        return True

    @property
    def summarizes_all(self) -> bool:
        """Return the class's (or function's) attribute `summarizes_all`."""
        return getattr(self._found.target, "summarizes_all", False) is True

    async def open(self, system: str, keep: Keep) -> None:
        """Make the object and, if it has a state, begin a conversation."""
        found = self._found
        if found.shape == "function":
            return
        self._compactor = await self._call(found.target, (), found.target.__name__)
        if found.shape == "session":
            self._session = await self._call(self._compactor.open, (system, keep), "open")
            for method in ("extend", "compact"):
                if not callable(getattr(self._session, method, None)):
                    raise CompactorError(
                        "shape",
                        f"{place(found.path, found.target.open)}: open returned {clipped(self._session)}, which has "
                        f"no {method}; return an object with extend(messages) and compact(model)",
                    )

    async def extend(self, pieces: Sequence[Piece]) -> None:
        """Hand over newer messages; a stateless compactor gets them all with each compaction."""
        if self._session is None:
            self._messages += pieces
        else:
            await self._call(self._session.extend, ([piece.handed() for piece in pieces],), "extend")

    async def compact(self, desk: Desk) -> Any:
        """Call its compact and return what it returns."""
        model = ThreadModel(desk, asyncio.get_running_loop())
        handed = [piece.handed() for piece in self._messages]
        try:
            if self._session is not None:
                return await self._call(self._session.compact, (model,), "compact", desk)
            function = self._found.target if self._compactor is None else self._compactor.compact
            return await self._call(function, (handed, model), "compact", desk)
        finally:
            model.close()

    def settle(self, pieces: Sequence[Piece]) -> None:
        """Take note of what stands for the conversation now; a session has its own memory."""
        self._messages = list(pieces)

    async def bye(self) -> None:
        """Call the session's close, if it has one, and wait for threads that were given up."""
        if callable(getattr(self._session, "close", None)):
            await self._call(self._session.close, (), "close")
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._limits.exit_seconds
        while any(thread.is_alive() for thread in self._threads):
            if loop.time() >= deadline:
                raise CompactorError(
                    "timeout", f"{self.label} still runs {self._limits.exit_seconds:g} s after it was told to end"
                )
            await asyncio.sleep(LEAST_WAIT)

    async def close(self) -> None:
        """Do nothing: a thread cannot be ended, and the summarizer no longer answers it."""

    def kill(self) -> None:
        """Do nothing."""

    async def _call(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], what: str, desk: Desk | None = None
    ) -> Any:
        """Call the compactor's code in a thread and return what it returns."""
        loop = asyncio.get_running_loop()
        finished: asyncio.Future[Guarded] = loop.create_future()

        def tell(guarded: Guarded) -> None:
            if not finished.done():
                finished.set_result(guarded)

        def run() -> None:
            value: Any = None
            with Guard() as guard:
                value = function(*arguments)
                if inspect.isawaitable(value):
                    value = asyncio.run(_awaited(value))
            # The loop may be gone by the time a compactor comes back.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(tell, (value, guard.error))

        self._threads = [thread for thread in self._threads if thread.is_alive()]
        thread = threading.Thread(target=run, name=f"compactor {self.label}", daemon=True)
        self._threads.append(thread)
        thread.start()
        value, error = await self._wait(finished, what, desk)
        if error is None:
            return value
        if isinstance(error, BackslideError):
            raise error
        raise CompactorError("raised", f"{blamed(self._found.path, error)}: {what} raised {said(error)}") from error

    async def _wait(self, finished: asyncio.Future[Guarded], what: str, desk: Desk | None) -> Guarded:
        """Wait for the thread within the time limit, in which the summarizer's time does not count."""
        loop = asyncio.get_running_loop()
        limit = self._limits.start_seconds if desk is None else self._limits.compact_seconds
        started = loop.time()
        while not finished.done():
            left = limit - (loop.time() - started - (desk.waited if desk is not None else 0.0))
            if left <= 0:
                raise CompactorError("timeout", f"{self.label} did not return from {what} within {limit:g} s")
            await asyncio.wait({finished}, timeout=max(left, LEAST_WAIT))
        return finished.result()


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value
