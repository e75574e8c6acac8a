"""A compactor that is a program: JSON lines over its standard input and output (see `PROTOCOL.md`)."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from backslide.harness import jsjson
from backslide.harness.compaction.external.desk import Desk, completion_of, failure_of
from backslide.harness.compaction.external.errors import CompactorError, clipped
from backslide.harness.compaction.external.pipe import LinePipe
from backslide.harness.compaction.external.protocol import PROTOCOL, PROTOCOL_VERSION, Keep, Limits, Piece
from backslide.harness.errors import InputError, nearest

Json = dict[str, Any]
ANSWERS = ("hello", "opened", "extended", "compacted", "complete", "error")
MAX_HASHED_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class ProgramSource:
    """A command line; `argv[0]` is a program that exists."""

    argv: tuple[str, ...]

    @property
    def label(self) -> str:
        """Return the command line."""
        return shlex.join(self.argv)

    @property
    def fingerprint(self) -> str:
        """Return a hash over the command line and the content of the files it names."""
        digest = hashlib.sha256(json.dumps(self.argv).encode("utf-8", "surrogateescape"))
        for argument in self.argv[1:] if os.sep not in self.argv[0] else self.argv:
            path = Path(argument)
            if path.is_file() and path.stat().st_size <= MAX_HASHED_BYTES:
                digest.update(path.read_bytes())
        return digest.hexdigest()

    def driver(self, limits: Limits) -> ProgramDriver:
        """Return a session; the program is started when it is opened."""
        return ProgramDriver(self, limits)


def find_program(command: str) -> ProgramSource:
    """Return the program of a command line.

    Raises `InputError` if there is none, if the quoting is wrong, or if the file is missing or not executable.
    """
    where = f"cmd:{command}"
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise InputError(f"the command line cannot be read ({error})", where=where, mend="close the quotes") from error
    if not argv:
        raise InputError("no command after 'cmd:'", where=where, mend="write cmd:'program arguments'")
    if any("\0" in part for part in argv):
        raise InputError("the command line holds a NUL character", where="cmd", mend="remove it")
    program = argv[0]
    if shutil.which(program) is None:
        path = Path(program)
        if path.is_dir():
            raise InputError(f"{program} is a directory", where=where, mend="name the program in it")
        if path.is_file() and (os.sep in program or not os.access(path, os.X_OK)):
            raise InputError(
                f"{program} is not executable",
                where=where,
                mend=f"chmod +x {program}, or name its interpreter first (node, python3 …)",
            )
        mend = f"write ./{program}" if path.is_file() else "check the path, or install the program"
        raise InputError(f"the program {program} was not found", where=where, mend=mend)
    return ProgramSource(tuple(argv))


class ProgramDriver:
    """One process, one session."""

    def __init__(self, source: ProgramSource, limits: Limits) -> None:
        self.label = clipped(source.label, 60)
        self._source = source
        self._limits = limits
        self._pipe: LinePipe | None = None
        self._last_id = 0
        self._hello: Json = {}

    @property
    def usable(self) -> bool:
        """Return whether the event loop is the one it was started in; whether it runs is seen at the next request."""
        return self._pipe is not None and self._pipe.same_loop

    @property
    def summarizes_all(self) -> bool:
        """Return what it said in its hello."""
        return self._hello.get("summarizes_all") is True

    @property
    def running(self) -> bool:
        """Return whether the process was started and has not ended."""
        return self._pipe is not None and self._pipe.running

    async def open(self, system: str, keep: Keep) -> None:
        """Start the program, agree on the version and open the session."""
        self._pipe = await LinePipe.start(self._source.argv, self.label, self._limits)
        self._send({"type": "hello", "protocol": PROTOCOL, "version": PROTOCOL_VERSION})
        self._hello = await self._answer("hello", None)
        if self._hello["type"] == "error":
            raise CompactorError("refused", f"{self.label} answered hello with an error: {_words(self._hello)}")
        version = self._hello.get("version")
        if version != PROTOCOL_VERSION or isinstance(version, bool):
            raise CompactorError(
                "version",
                f"{self.label} speaks version {clipped(version)} of {PROTOCOL}, this program speaks "
                f'{PROTOCOL_VERSION}; answer hello with "version": {PROTOCOL_VERSION}',
            )
        wish = {"tokens": keep.tokens, "turns": keep.turns}
        await self._request("opened", {"type": "open", "system": system, "keep": wish})

    async def extend(self, pieces: Sequence[Piece]) -> None:
        """Hand over newer messages."""
        await self._request("extended", {"type": "extend", "messages": [piece.handed() for piece in pieces]})

    async def compact(self, desk: Desk) -> Any:
        """Ask for a compaction, serving its summarizer requests; an error it reports is an outcome."""
        task = desk.task
        message: Json = {"type": "compact", "window": task.window, "summary_tokens": task.summary_tokens}
        if task.instructions:
            message["instructions"] = task.instructions
        answer = await self._request("compacted", message, desk)
        if answer["type"] == "error":
            return {"status": "error", "error": _words(answer)}
        return answer

    def settle(self, pieces: Sequence[Piece]) -> None:
        """Do nothing: a program has its own memory."""

    async def bye(self) -> None:
        """Say goodbye and wait for the end."""
        pipe = self._pipe
        if pipe is None:
            return
        self._send({"type": "bye"})
        pipe.close_input()
        ended = await pipe.wait(self._limits.exit_seconds)
        ending = pipe.ending()
        await self.close()
        if not ended:
            raise CompactorError(
                "timeout", f"{self.label} did not end within {self._limits.exit_seconds:g} s of bye{pipe.tail()}"
            )
        if pipe.returncode:
            raise CompactorError("exit", f"{self.label} {ending} after bye{pipe.tail()}")

    async def close(self) -> None:
        """End the process and its group."""
        if self._pipe is not None:
            await self._pipe.close()

    def kill(self) -> None:
        """End the process and its group, without an event loop."""
        if self._pipe is not None:
            self._pipe.kill()

    # ------------------------------------------------------------------ messages

    def _send(self, message: Json) -> None:
        assert self._pipe is not None, "the session is open"
        self._pipe.write(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))

    async def _request(self, expected: str, message: Json, desk: Desk | None = None) -> Json:
        """Send a request under a new id and return its answer; an error is an answer only to ``compact``."""
        self._last_id += 1
        self._send({**message, "id": self._last_id})
        answer = await self._answer(expected, self._last_id, desk)
        if answer["type"] == "error" and desk is None:
            raise CompactorError("refused", f"{self.label} answered {message['type']} with an error: {_words(answer)}")
        return answer

    async def _answer(self, expected: str, request_id: int | None, desk: Desk | None = None) -> Json:
        """Return the answer to a request, serving what the program asks meanwhile."""
        assert self._pipe is not None, "the session is open"
        waiting_for = {"opened": "open", "extended": "extend", "compacted": "compact"}.get(expected, expected)
        left = self._limits.start_seconds if desk is None else self._limits.compact_seconds
        limit = left
        asked: set[str] = set()
        for _ in range(self._limits.messages):
            started = self._pipe.loop.time()
            line = await self._pipe.read(left, waiting_for, limit)
            left -= self._pipe.loop.time() - started
            message = self._parsed(line)
            kind = message["type"]
            if kind.startswith("x-"):
                continue
            if kind == "complete" and desk is not None:
                await self._serve(message, desk, asked)
            elif kind in {expected, "error"}:
                self._check_id(message, request_id, waiting_for)
                return message
            else:
                raise self._unexpected(kind, expected, waiting_for)
        raise CompactorError(
            "flood", f"{self.label} wrote more than {self._limits.messages:,} messages without answering {waiting_for}"
        )

    def _parsed(self, line: bytes) -> Json:
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            shown = clipped(line[:60].decode("utf-8", "backslashreplace"))
            raise CompactorError(
                "utf8", f"{self.label} wrote bytes that are not UTF-8 (byte {error.start} of the line: {shown})"
            ) from error
        try:
            message = jsjson.parse(text)
        except ValueError as error:
            raise CompactorError(
                "json",
                f"{self.label} wrote a line that is not JSON: {clipped(text) or '(an empty line)'}; standard output is "
                f"for messages alone, write notes to standard error{self._tail()}",
            ) from error
        if not isinstance(message, dict):
            raise self._wrong("a line", "a JSON object", message)
        if not isinstance(message.get("type"), str):
            raise self._wrong("type", "a text", message.get("type"))
        return message

    async def _serve(self, message: Json, desk: Desk, asked: set[str]) -> None:
        """Answer one of its summarizer requests."""
        request_id = message.get("id")
        if not isinstance(request_id, str | int) or isinstance(request_id, bool):
            raise self._wrong("complete.id", "a text or a whole number", request_id)
        if json.dumps(request_id) in asked:
            raise CompactorError("id", f"{self.label} used the id {clipped(request_id)} for two summarizer requests")
        asked.add(json.dumps(request_id))
        reply = await desk.complete(message.get("messages"), message.get("system"), message.get("max_tokens"))
        done = completion_of(reply)
        answer = {
            "type": "completion",
            "id": request_id,
            "text": done.text,
            "stop_reason": done.stop_reason,
            "usage": dict(done.usage),
        }
        if (failure := failure_of(reply)) is not None:
            answer["error"] = failure
        self._send(answer)

    def _check_id(self, message: Json, request_id: int | None, waiting_for: str) -> None:
        seen = message.get("id")
        if request_id is not None and (seen != request_id or isinstance(seen, bool)):
            raise CompactorError(
                "id",
                f"{self.label} answered {waiting_for} under the id {clipped(seen)}, expected {request_id}: an answer "
                "repeats the id of its request",
            )

    def _unexpected(self, kind: str, expected: str, waiting_for: str) -> CompactorError:
        near = nearest(kind, ANSWERS)
        hint = f"; did you mean '{near}'?" if near and near != kind else f"; expected '{expected}' or 'error'"
        return CompactorError("shape", f"{self.label} answered {waiting_for} with type '{clipped(kind, 40)}'{hint}")

    def _wrong(self, field: str, expected: str, seen: Any) -> CompactorError:
        return CompactorError(
            "shape", f"{self.label} wrote a wrong message: {field} must be {expected}, not {clipped(seen)}"
        )

    def _tail(self) -> str:
        return self._pipe.tail() if self._pipe is not None else ""


def _words(answer: Json) -> str:
    return clipped(cast("str", answer.get("message") or "it gave no reason"), 300)
