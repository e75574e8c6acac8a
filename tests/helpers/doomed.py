"""A program that works on a session until it is killed; for each entry it says so once the entry is written.

It reads one job a line, ``{"path", "seed", "mode"}``, forks a process for it, so that a hundred kills cost one start, and
prints what that process does, one JSON object a line: ``{"pid"}``, ``{"saved", "digest"}`` for each entry that is in
the file, ``{"asking"}`` when the summarizer is being asked, ``{"long"}`` before a line of 200 KB, ``{"gone"}`` with the signal that
ended it.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import random
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rig import Rig, call, calling, failed, filler, make_rig, said

from backslide.harness import jsjson
from backslide.harness.control.replies import BashRun
from backslide.harness.models.protocol import Reply, Request
from backslide.harness.session import Entry, Session

SIZES: dict[str, Any] = {"window": 2500, "reserve": 600, "keep_tokens": 400, "keep_turns": 2}
LONG = 200_000
SLICE = 8192
"""Bytes of a long line that one write takes, as a slow disk may take them."""
PROMPTS = 500


def digest(entry: Entry) -> str:
    """What an entry says, in short."""
    return hashlib.sha256(jsjson.stringify(entry).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def tell(**happening: Any) -> None:
    os.write(1, (json.dumps(happening) + "\n").encode())


class ToldSession(Session):
    """A session that tells of each entry as soon as it is in the file."""

    told = 0

    def append(self, entry_type: str, **fields: Any) -> str:
        entry_id = super().append(entry_type, **fields)
        if self.has_assistant:
            for entry in self.entries[self.told :]:
                tell(saved=entry["id"], digest=digest(entry))
            self.told = len(self.entries)
        return entry_id


def summary(request: Request) -> Reply:
    return said(f"The session is about parts; {len(request.body)} bytes were summarized.")


def asked_forever(_request: Request) -> Reply:
    tell(asking=True)
    time.sleep(600)
    raise AssertionError("nobody killed this process")


def open_or_create(path: Path) -> ToldSession:
    if path.exists():
        session = ToldSession.open(path)
        session.told = len(session.entries)
        return session
    return ToldSession.create(path, cwd="/w")


def at_work_on(session: Session) -> Rig:
    """An agent on a session, both by the same clock: a reply from before the last compaction calls for nothing."""
    rig = make_rig(session=session, **SIZES)
    rig.clock.now = int(time.time() * 1000)
    return rig


def one_turn(rig: Rig, number: int, dice: random.Random) -> None:
    """A question with or without tool calls; now and then a failure, a label, a look back in the tree."""
    words = f"part {number}: {filler(dice.randrange(20, 160), f'w{number}x')}"
    kind = dice.randrange(10)
    if kind < 5:
        calls = [call(f"c{number}-{index}-{os.getpid()}") for index in range(dice.randrange(1, 4))]
        for made in calls:
            rig.tools.results[made["id"]] = filler(dice.randrange(10, 120), f"r{number}x")
        rig.turn(words, calling(*calls, words="Looking."), said(f"Part {number} is done."))
    elif kind == 8:
        rig.turn(words, failed("401 no such key", "half a th"))
    elif kind < 8 or not rig.session.has_assistant:
        rig.turn(words, said(f"Part {number} is fine."))
    else:
        ids = [entry["id"] for entry in rig.session.branch() if entry["type"] == "message"]
        rig.session.append_label(ids[-1], f"part {number}")
        rig.session.append_branch_summary(ids[-1], summary=f"Looked into part {number} elsewhere.")
        rig.agent.messages = list(rig.session.context().messages)


def in_slices(real: Callable[[int, Any], int]) -> Callable[[int, Any], int]:
    """A write that takes a part of what it is given, as a write may."""

    def write(descriptor: int, data: Any) -> int:
        if len(data) > SLICE:
            time.sleep(0.00002)
        return real(descriptor, bytes(data[:SLICE]))

    return write


def work(path: Path, seed: int, mode: str) -> None:
    """Work until somebody ends it."""
    dice = random.Random(seed)
    rig = at_work_on(open_or_create(path))
    for number in range(PROMPTS):
        asked = asked_forever if mode == "summarizing" and number > 2 else summary
        rig.summarizer.replies = list(itertools.repeat(asked, 9))
        one_turn(rig, number, dice)
        if mode == "long" and number == dice.randrange(number, number + 3):
            os.write, real = in_slices(os.write), os.write
            tell(long=True)
            rig.agent.record_bash(BashRun("make", "x" * LONG, exclude=True))
            os.write = real


def serve() -> None:
    """Do one job after the other, each in a process of its own."""
    make_rig().turn("warm up", said("done"))
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            tell(pid=os.getpid())
            try:
                work(Path(job["path"]), job["seed"], job["mode"])
            finally:
                traceback.print_exc()
                sys.stderr.flush()
                os._exit(0)
        _, status = os.waitpid(child, 0)
        tell(gone=os.WTERMSIG(status))


if __name__ == "__main__":
    serve()
