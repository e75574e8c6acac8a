"""A child process that is spoken to in lines, which can neither hang nor flood its parent, nor outlive it."""

from __future__ import annotations

import asyncio
import os
import signal
import weakref
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Self, cast

from backslide.harness.compaction.external.errors import CompactorError, clipped
from backslide.harness.compaction.external.protocol import Limits

DRAIN_SECONDS = 0.5
"""How long the last words of an ended process, or the end of a silent one, are waited for."""
QUEUE_BYTES = 1 << 20
"""Finished lines that may wait to be read before the process has to wait."""
REAP_SECONDS = 5.0


class LinePipe(asyncio.SubprocessProtocol):
    """The parent's end: lines in, lines out, the end of standard error, and the way it ended.

    The process leads a group of its own; ending it ends the group, so that nothing it started stays behind.
    """

    def __init__(self, label: str, limits: Limits) -> None:
        self.label = label
        self.loop = asyncio.get_running_loop()
        self._limits = limits
        self._lines: deque[bytes] = deque()
        self._queued = 0
        self._partial = bytearray()
        self._too_long = False
        self._paused = False
        self._stderr = bytearray()
        self._open = {0, 1, 2}
        self._exited = False
        self._changed = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None
        self._finalizer: weakref.finalize[[int], LinePipe] | None = None

    @classmethod
    async def start(cls, argv: Sequence[str], label: str, limits: Limits) -> Self:
        """Start a program. Raises `CompactorError` if the operating system cannot."""
        pipe = cls(label, limits)
        try:
            await pipe.loop.subprocess_exec(lambda: pipe, *argv, start_new_session=True)
        except (OSError, ValueError) as error:
            why = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            raise CompactorError("start", f"{label} cannot be started: {argv[0]}: {why}") from error
        return pipe

    # ------------------------------------------------------------------ what asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take note of the process."""
        self._transport = cast("asyncio.SubprocessTransport", transport)
        self._finalizer = weakref.finalize(self, _kill_group, self._transport.get_pid())

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take in output; of standard error only the end is kept."""
        if fd == 2:
            self._stderr += data
            del self._stderr[: -self._limits.stderr_bytes]
            return
        if self._too_long:
            return
        *finished, rest = data.split(b"\n")
        for line in finished:
            whole = bytes(self._partial) + line
            self._partial.clear()
            self._push(whole)
        self._partial += rest
        if len(self._partial) > self._limits.line_bytes:
            self._too_long = True
            self._partial.clear()
        if self._queued > QUEUE_BYTES and not self._paused:
            self._paused = True
            self._reading(False)
        self._changed.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Note the end of a stream; a last line needs no line feed."""
        self._open.discard(fd)
        if fd == 1 and self._partial:
            self._push(bytes(self._partial))
            self._partial.clear()
        self._changed.set()

    def process_exited(self) -> None:
        """Note the end, and end whatever the process has left behind in its group."""
        self._exited = True
        self.kill()
        self._changed.set()

    def _push(self, line: bytes) -> None:
        if len(line) > self._limits.line_bytes:
            self._too_long = True
        elif not self._too_long:
            self._lines.append(line)
            self._queued += len(line) + 1

    def _reading(self, on: bool) -> None:
        stream = self._transport.get_pipe_transport(1) if self._transport is not None else None
        if isinstance(stream, asyncio.ReadTransport) and 1 in self._open:
            (stream.resume_reading if on else stream.pause_reading)()

    # ------------------------------------------------------------------ what the session calls

    @property
    def running(self) -> bool:
        """Return whether the process has not ended."""
        return not self._exited

    @property
    def same_loop(self) -> bool:
        """Return whether the running event loop is the one that reads the process."""
        return asyncio.get_running_loop() is self.loop

    def write(self, line: bytes) -> None:
        """Send a line; nothing happens if the process no longer reads."""
        stream = self._transport.get_pipe_transport(0) if self._transport is not None else None
        if isinstance(stream, asyncio.WriteTransport) and 0 in self._open:
            stream.write(line + b"\n")

    async def read(self, seconds: float, waiting_for: str, limit: float) -> bytes:
        """Return its next line, without the line feed.

        Raises `CompactorError` if none comes within `seconds` (what is left of `limit`), if the line is too long, or if
        the process has ended or has closed its standard output.
        """
        deadline = self.loop.time() + seconds
        while not self._lines:
            if self._too_long:
                most = self._limits.line_bytes
                raise CompactorError("flood", f"{self.label} wrote a line of more than {most:,} bytes{self.tail()}")
            if 1 not in self._open or self._exited:
                await self._settle()
                if self._lines:
                    break
                raise self._ended(waiting_for)
            if not await self._change(deadline - self.loop.time()):
                raise CompactorError(
                    "timeout", f"{self.label} did not answer {waiting_for} within {limit:g} s{self.tail()}"
                )
        line = self._lines.popleft()
        self._queued -= len(line) + 1
        if self._paused and self._queued <= QUEUE_BYTES // 2:
            self._paused = False
            self._reading(True)
        return line

    async def _change(self, seconds: float) -> bool:
        """Wait for something to happen; False if nothing does in time."""
        self._changed.clear()
        try:
            await asyncio.wait_for(self._changed.wait(), max(seconds, 0))
        except TimeoutError:
            return False
        return True

    async def _settle(self) -> None:
        """Wait a moment for an ending process: its status, its last lines and words."""
        deadline = self.loop.time() + DRAIN_SECONDS
        while not (self._exited and not self._open & {1, 2}) and await self._change(deadline - self.loop.time()):
            pass

    def _ended(self, waiting_for: str) -> CompactorError:
        if self._exited:
            return CompactorError("exit", f"{self.label} {self.ending()} before it answered {waiting_for}{self.tail()}")
        return CompactorError(
            "closed", f"{self.label} closed its standard output before it answered {waiting_for}{self.tail()}"
        )

    def ending(self) -> str:
        """Return how the process ended, in words."""
        code = self.returncode
        if code is None:
            return "is running"
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
            return f"was ended by {name}"
        return f"exited with status {code}"

    @property
    def returncode(self) -> int | None:
        """Return the exit status, negative for a signal; None while the process runs."""
        return self._transport.get_returncode() if self._transport is not None else None

    def tail(self) -> str:
        """Return the last lines of standard error, as the end of an error message."""
        text = self._stderr.decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return f"; its last words: {clipped(' | '.join(lines[-3:]), 400)}" if lines else ""

    async def wait(self, seconds: float) -> bool:
        """Return whether the process ends within `seconds`."""
        deadline = self.loop.time() + seconds
        while not self._exited and await self._change(deadline - self.loop.time()):
            pass
        return self._exited

    def close_input(self) -> None:
        """Tell the process that nothing more will come."""
        stream = self._transport.get_pipe_transport(0) if self._transport is not None else None
        if stream is not None:
            stream.close()

    def kill(self) -> None:
        """End the process and its group now, once: afterwards its number may belong to somebody else."""
        if self._finalizer is not None:
            self._finalizer()

    async def close(self) -> None:
        """End the process and its group, and wait until the operating system has taken it back."""
        self.kill()
        if not self.same_loop:
            # Its own loop is gone, and with it all that could be waited for.
            return
        await self.wait(REAP_SECONDS)
        if self._transport is not None:
            self._transport.close()


def _kill_group(pid: int) -> None:
    # macOS answers a dead group with "not permitted".
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
