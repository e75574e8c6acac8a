"""Kill a process at work on a session, look at what it left, and go on from there.

Shared by the tests and `benchmarks/kill.py`. Moments are drawn from a seed; where exactly the kill lands is up to the
machine.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from doomed import at_work_on, digest, summary
from rig import Rig, filler, said

from backslide.harness.session import Session
from backslide.harness.wire import to_openai_messages

Mode = Literal["anywhere", "summarizing", "long"]
LONGEST_S = 0.12
"""A process is killed at most so long after it has started."""
LONG_LINE_S = 0.012
"""A process that writes a long line is killed at most so long after it has begun."""
TURNS_TO_COMPACT = 40


@dataclass
class Count:
    """What was killed, and what that did."""

    kills: int = 0
    acknowledged: int = 0
    before_first_save: int = 0
    summarizing: int = 0
    long_lines: int = 0
    torn: int = 0
    compactions: int = 0

    def line(self) -> str:
        return (
            f"{self.kills} kills survived, {self.acknowledged} acknowledged entries kept, {self.torn} torn lines "
            f"reported, {self.long_lines} kills at a line of 200 KB, {self.summarizing} amid a summary, {self.before_first_save} before the first save"
        )


class Stable:
    """Holds the program that is killed over and over."""

    def __init__(self) -> None:
        program = Path(__file__).with_name("doomed.py")
        self._process = subprocess.Popen(
            [sys.executable, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()

    def start(self, path: Path, seed: int, mode: Mode) -> int:
        """Set a process to work on a file; its id."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"path": str(path), "seed": seed, "mode": mode}) + "\n")
        self._process.stdin.flush()
        pid: int = next(self.told())["pid"]
        return pid

    def told(self) -> Iterator[dict[str, Any]]:
        """What the process says, until it is gone."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            happening: dict[str, Any] = json.loads(line)
            yield happening
            if "gone" in happening:
                return


@dataclass
class Remains:
    """A session file after a kill: what it was promised to hold, and what stood in it when the kill was decided on."""

    path: Path
    saved: list[tuple[str, str]] = field(default_factory=list)
    """Id and digest of the entries that were acknowledged, in order."""
    seen: bytes | None = None
    """The bytes of the file while the summarizer was being asked."""


def kill(stable: Stable, path: Path, dice: random.Random, mode: Mode) -> Remains:
    """Let a process work on `path` and kill it at a moment of `mode`."""
    remains = Remains(path)
    pid = stable.start(path, dice.randrange(10**9), mode)
    killed = mode == "anywhere"
    if killed:
        time.sleep(dice.uniform(0, LONGEST_S))
        os.kill(pid, signal.SIGKILL)
    for happening in stable.told():
        if "saved" in happening:
            remains.saved.append((happening["saved"], happening["digest"]))
        elif "gone" in happening:
            assert happening["gone"] == signal.SIGKILL
        elif not killed:
            killed = True
            if "asking" in happening:
                remains.seen = path.read_bytes()
            else:
                time.sleep(dice.uniform(0, LONG_LINE_S))
            os.kill(pid, signal.SIGKILL)
    return remains


def examine(remains: Remains, before: bytes, count: Count) -> Session | None:
    """Check that the file loads, holds what was acknowledged, and that the only damage is reported at its last line."""
    path = remains.path
    count.kills += 1
    count.acknowledged += len(remains.saved)
    if not path.exists():
        assert remains.saved == []
        assert before == b""
        count.before_first_save += 1
        return None
    data = path.read_bytes()
    assert data.startswith(before)
    if remains.seen is not None:
        assert data == remains.seen
        count.summarizing += 1
    session = Session.open(path)
    held = [(entry["id"], digest(entry)) for entry in session.entries]
    start = held.index(remains.saved[0]) if remains.saved else len(held)
    assert held[start : start + len(remains.saved)] == remains.saved
    # One entry may have been written and its process killed before it could say so.
    assert len(held) - start - len(remains.saved) <= 1
    for problem in session.problems:
        assert problem.kind in {"torn-line", "junk-line", "no-final-newline"}, problem
        lines = data.split(b"\n")
        assert problem.line == len(lines) or is_torn(lines[problem.line - 1])
    if not data.endswith(b"\n"):
        assert [problem.line for problem in session.problems][-1:] == [data.count(b"\n") + 1]
        count.torn += session.problems[-1].kind == "torn-line"
    return session


def is_torn(line: bytes) -> bool:
    """Whether a line is the beginning of an entry and no more."""
    try:
        json.loads(line)
    except ValueError:
        return line.startswith(b"{")
    return False


def go_on(session: Session, count: Count) -> None:
    """Resume: a prompt, then prompts until a compaction; nothing that was there is lost or changed."""
    path = session.path
    assert path is not None
    before, entries = path.read_bytes(), list(session.entries)
    rig = at_work_on(session)
    assert rig.agent.messages == session.context().messages
    last = rig.turn("Where were we?", said("At part one."))
    assert last is not None
    assert last["stopReason"] == "stop"
    compact(rig)
    session.close()
    count.compactions += 1
    again = Session.open(path)
    assert path.read_bytes().startswith(before)
    assert again.entries[: len(entries)] == entries
    assert again.entries == session.entries
    assert again.branch() == session.branch()
    assert again.context() == session.context()
    # A reply that failed before a compaction is in the file and in no request.
    assert to_openai_messages(again.context().messages, rig.agent.model) == to_openai_messages(
        rig.agent.messages, rig.agent.model
    )


def compact(rig: Rig) -> None:
    """Prompt until a compaction has happened."""
    for number in range(TURNS_TO_COMPACT):
        rig.summarizer.replies = [summary] * 9
        if any(end.error is None for end in rig.compactions()):
            return
        rig.turn(f"Go on with part {number}: {filler(200, f'g{number}x')}", said(f"Part {number} is done."))
    raise AssertionError("no compaction happened")


def survive(kills: int, folder: Path, *, seed: int, kills_a_file: int = 5) -> Count:
    """Kill so often, resuming each time from what the kill left; several kills hit the same file."""
    dice = random.Random(seed)
    count = Count()
    path = folder / "none"
    with Stable() as stable:
        for number in range(kills):
            if number % kills_a_file == 0:
                path = folder / f"s{number}.jsonl"
            mode: Mode = dice.choice(["anywhere", "anywhere", "summarizing", "long"])
            count.long_lines += mode == "long"
            before = path.read_bytes() if path.exists() else b""
            session = examine(kill(stable, path, dice, mode), before, count)
            assert [
                file.name for file in folder.iterdir() if file.suffix == ".jsonl" and file.stat().st_size == 0
            ] == []
            # Every second time the next process finds the file as the kill left it.
            if session is not None and dice.random() < 0.5:
                go_on(session, count)
    if path.exists():
        go_on(Session.open(path), count)
    return count
