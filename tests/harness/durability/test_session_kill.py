"""A process that is killed with SIGKILL loses nothing that it has acknowledged, and the session goes on."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from doomed import at_work_on
from killing import Count, Stable, examine, go_on, kill, survive
from long_figures import record
from rig import said

from backslide.harness.session import Session

LONG_COMMAND = "make test-long"


def test_twenty_kills(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At random moments, amid a summary and amid a long line; several hit the same file, one after the other."""
    count = survive(20, tmp_path, seed=20)

    with capsys.disabled():
        print(f"\n{count.line()}")
    assert count.kills == 20
    assert count.acknowledged > 0
    assert count.summarizing > 0
    assert count.long_lines > 0
    assert count.compactions > 0


@pytest.mark.long
def test_two_hundred_kills(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same, until every kind of kill has happened often; some lines were torn."""
    count = survive(200, tmp_path, seed=200)

    with capsys.disabled():
        print(f"\n{count.line()}")
    assert count.kills == 200
    assert count.torn > 0
    record("Kills of an agent at work", count.line(), LONG_COMMAND)


def test_a_process_killed_while_the_summarizer_is_asked(tmp_path: Path) -> None:
    """The file is what it was, byte for byte, and the next prompt works: it compacts first, then is answered."""
    path = tmp_path / "s.jsonl"
    with Stable() as stable:
        remains = kill(stable, path, random.Random(1), "summarizing")

    assert remains.seen == path.read_bytes()
    session = examine(remains, b"", Count())
    assert session is not None
    assert session.problems == []
    assert [entry for entry in session.entries if entry["type"] == "compaction"] == []
    rig = at_work_on(session)
    last = rig.turn("Where were we?", said("At part one."))
    assert last is not None
    assert last["stopReason"] == "stop"
    assert [end.error for end in rig.compactions()] == [None]
    assert [entry["type"] for entry in session.entries[-3:]] == ["compaction", "message", "message"]


def test_a_file_that_was_killed_at_a_long_line_again_and_again(tmp_path: Path) -> None:
    """Each torn line stays where it is, is reported by its number, and the work after it is kept."""
    path = tmp_path / "s.jsonl"
    dice, count = random.Random(4), Count()
    with Stable() as stable:
        for _ in range(4):
            before = path.read_bytes() if path.exists() else b""
            session = examine(kill(stable, path, dice, "long"), before, count)
    assert session is not None
    go_on(session, count)

    again = Session.open(path)
    lines = path.read_bytes().split(b"\n")
    assert len(lines) - 1 == 1 + len(again.entries) + len(again.problems)
    assert [problem.line for problem in again.problems] == sorted({problem.line for problem in again.problems})
