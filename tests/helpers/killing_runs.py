"""Kill ``backslide run`` with everything it has started, and continue it."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

WORKERS = 2
LIMIT_S = 60
START_S = 3.0
"""About what a command needs before it stores anything."""
WORK_S = 1.0
"""A run is killed at most so long after its manifest has been written."""


@dataclass(frozen=True)
class RunCall:
    """A call of the command, without its folder."""

    arguments: tuple[str, ...]
    folder: Path
    """Where it is made."""

    def start(self, out: Path, *more: str) -> subprocess.Popen[bytes]:
        """Start it in a process group of its own."""
        command = [sys.executable, "-m", "backslide", "run", *self.arguments, "--out", str(out), "-q", *more]
        return subprocess.Popen(
            command, cwd=self.folder, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )


@dataclass(frozen=True)
class Stored:
    """What a killed run has left: its whole trials, the probes it had asked, and the files of those it had stored."""

    trials: list[str]
    asked: set[str]
    files: dict[str, tuple[int, int]]

    @property
    def in_flight(self) -> set[str]:
        """Probes that were asked and are not stored."""
        return self.asked - set(self.files)


def stored(out: Path) -> Stored:
    """Read a run's folder as it is on the disk, without the library."""
    file = out / "trials.jsonl"
    lines = file.read_bytes().split(b"\n")[:-1] if file.exists() else []
    trials = [json.loads(line) for line in lines]
    sessions = {path.name: path for path in (out / "sessions").glob("*@*.jsonl")}
    files = {}
    for trial in trials:
        status = sessions[trial["session"]].stat()
        files[trial["session"]] = (status.st_ino, status.st_mtime_ns)
    return Stored([trial["id"] for trial in trials], set(sessions), files)


def kill_group(process: subprocess.Popen[bytes]) -> bool:
    """Kill a command and all it has started, at once; return False if it had ended before."""
    ended = process.poll() is not None
    if not ended:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=LIMIT_S)
    return not ended


def kill_at_a_moment(process: subprocess.Popen[bytes], out: Path, dice: random.Random) -> bool:
    """Kill a run at a random moment after it has begun to store something; now and then at any moment at all."""
    before, deadline = manifest_time(out), time.monotonic() + LIMIT_S
    anywhere = dice.random() < 0.2
    while not anywhere and manifest_time(out) == before and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    time.sleep(dice.uniform(0, START_S if anywhere else WORK_S))
    return kill_group(process)


def manifest_time(out: Path) -> int:
    """When the manifest was written last, 0 if it was not."""
    file = out / "run.json"
    return file.stat().st_mtime_ns if file.exists() else 0


def records(out: Path) -> dict[str, str]:
    """The record files without the times in them."""
    names = ("trials.jsonl", "payloads.jsonl", "compactions.jsonl")
    return {name: re.sub(r'"wall_ms":[0-9.]+', "", (out / name).read_text()) for name in names}


@dataclass
class RunCount:
    """What the kills of runs did."""

    kills: int = 0
    kept: int = 0
    redone: int = 0

    def line(self) -> str:
        return f"{self.kills} kills of a run survived, {self.kept} stored trials kept, {self.redone} redone"


def check_kept(left: Stored, now: Stored) -> None:
    """Check that what one kill had left is there after the next: no stored trial is lost, none was asked again."""
    assert set(left.trials) <= set(now.trials)
    assert left.files.items() <= now.files.items()


def survive_runs(call: RunCall, folder: Path, whole: dict[str, str], kills: int, dice: random.Random) -> RunCount:
    """Kill so often; resume a run until it ends by itself, then begin another. Each must have the records of `whole`."""
    count = RunCount()
    number = 0
    while count.kills < kills:
        number += 1
        out = folder / f"run{number}"
        left = stored(out)
        process = call.start(out)
        while count.kills < kills and kill_at_a_moment(process, out, dice):
            now = stored(out)
            check_kept(left, now)
            assert len(now.in_flight) <= WORKERS
            count.kills += 1
            count.kept += len(now.trials) - len(left.trials)
            count.redone += len(now.in_flight)
            left = now
            # A run that was killed before it had a manifest is begun anew.
            process = call.start(out, *(["--resume"] if (out / "run.json").exists() else []))
        _, errors = process.communicate(timeout=LIMIT_S)
        assert process.returncode == 0, errors.decode()
        check_kept(left, stored(out))
        assert records(out) == whole
        assert json.loads((out / "run.json").read_text())["ended"] is not None
        assert [path.name for path in out.rglob("*.tmp")] == []
    return count
