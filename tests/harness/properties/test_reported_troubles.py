"""Kinds of trouble that people have reported for session files of real agents."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from doomed import at_work_on, summary
from rig import body_text, said

from backslide.harness.control.usage import session_stats, session_usage
from backslide.harness.session import Session

HEADER: dict[str, Any] = {"type": "session", "version": 3, "id": "s", "cwd": "/w"}
PAID = {"input": 900, "output": 100, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 1000, "cost": {"total": 0.5}}
START = "2026-01-01T00:00:"


def row(number: int, parent: int | None, **fields: Any) -> dict[str, Any]:
    """An entry with the id and the second of its number."""
    above = None if parent is None else f"e{parent}"
    common = {"type": "message", "id": f"e{number}", "parentId": above, "timestamp": f"{START}{number:02d}.000Z"}
    return {**common, **fields}


def asked(words: str) -> dict[str, Any]:
    return {"role": "user", "content": words, "timestamp": 1}


def answered(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    own = {"api": "openai-completions", "provider": "backslide", "model": "m", "stopReason": "stop", "timestamp": 1}
    return {"role": "assistant", "content": list(blocks), **own, **more}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def written(path: Path, *rows: dict[str, Any]) -> Session:
    path.write_text("".join(json.dumps(line) + "\n" for line in (HEADER, *rows)), encoding="utf-8")
    return Session.open(path)


def test_a_usage_that_is_repeated_once_per_content_block_counts_once(tmp_path: Path) -> None:
    """Some agents write a row for each block of a reply, all with the usage of the whole; Pi's own sum counts each."""
    blocks = [{"type": "thinking", "thinking": "hm"}, text("yes"), text("done")]
    rows = [row(0, None, message=asked("go on"))]
    rows += [
        row(at, at - 1, message=answered(block, usage=PAID, responseId="r1"))
        for at, block in enumerate(blocks, start=1)
    ]
    session = written(tmp_path / "s.jsonl", *rows)

    used = session_usage(session.entries)
    assert (used.total.total, used.total.cost) == (1000, 0.5)
    assert used.by_model["backslide/m"].total == 1000
    assert session_stats(session.entries).usage.total == 3000


def test_attempts_that_failed_count_each(tmp_path: Path) -> None:
    """A retry is another response and was paid again, though its figures are the same."""
    rows = [row(0, None, message=asked("go on"))]
    rows += [row(at, at - 1, message=answered(usage=PAID, responseId=f"r{at}", stopReason="error")) for at in (1, 2, 3)]
    used = session_usage(written(tmp_path / "s.jsonl", *rows).entries)

    assert used.total.total == used.failed.total == 3000


def test_what_was_copied_into_a_forked_file_counts_once(tmp_path: Path) -> None:
    """A fork holds its past; a session and its fork together have used the past once and each its own work."""
    rows = [row(0, None, message=asked("go on")), row(1, 0, message=answered(text("yes"), usage=PAID))]
    rows.append(row(2, 1, type="compaction", summary="S", firstKeptEntryId="e1", tokensBefore=9, usage=PAID))
    session = written(tmp_path / "s.jsonl", *rows)
    fork = session.fork(tmp_path / "fork.jsonl")
    for line in (session, fork):
        line.append_message(answered(text("more"), usage=PAID))

    apart = [session_usage(Session.open(tmp_path / name).entries) for name in ("s.jsonl", "fork.jsonl")]
    together = session_usage(itertools.chain(session.entries, Session.open(tmp_path / "fork.jsonl").entries))

    assert [used.total.total for used in apart] == [3000, 3000]
    assert together.total.total == 4000
    assert (together.by_model["backslide/m"].total, together.compactions.total) == (3000, 1000)


def test_newest_rows_that_point_at_a_missing_parent(tmp_path: Path) -> None:
    """The line is reported, the branch starts there, and all that stands before can be read, moved to and gone on from."""
    rows = [
        row(0, None, message=asked("No pickle, please.")),
        row(1, 0, message=answered(text("Understood."))),
        row(3, 2, message=asked("And now?")),
        row(4, 3, message=answered(text("Now this."))),
    ]
    session = written(tmp_path / "s.jsonl", *rows)

    assert [(problem.line, problem.kind) for problem in session.problems] == [(4, "dangling-parent")]
    assert "the branch starts here" in session.problems[0].message
    assert [entry["id"] for entry in session.branch()] == ["e3", "e4"]
    assert [root.entry["id"] for root in session.tree()] == ["e0", "e3"]
    rig = at_work_on(session)
    rig.turn("Go on.", said("Gone on."))
    assert [body_text(message) for message in rig.executor.requests[-1].messages[1:]] == [
        "And now?",
        "Now this.",
        "Go on.",
    ]
    session.move_to("e1")
    rig = at_work_on(session)
    rig.turn("Go on.", said("Gone on."))
    assert body_text(rig.executor.requests[-1].messages[1]) == "No pickle, please."
    assert Session.open(tmp_path / "s.jsonl").branch() == session.branch()


def test_two_compactions_under_one_parent(tmp_path: Path) -> None:
    """Two processes compacted the same leaf: the branch that goes on has one summary, the other stays a branch."""
    rows = [row(0, None, message=asked("one")), row(1, 0, message=answered(text("two")))]
    kept = {"type": "compaction", "firstKeptEntryId": "e1", "tokensBefore": 9, "fromHook": False}
    rows += [row(2, 1, summary="first", usage=PAID, **kept), row(3, 1, summary="second", usage=PAID, **kept)]
    session = written(tmp_path / "s.jsonl", *rows)

    assert session.problems == []
    assert [entry["id"] for entry in session.branch()] == ["e0", "e1", "e3"]
    assert [child["id"] for child in session.children("e1")] == ["e2", "e3"]
    rig = at_work_on(session)
    rig.turn("Go on.", said("Gone on."))
    sent = [body_text(message) for message in rig.executor.requests[-1].messages]
    assert [words for words in sent if "first" in words] == []
    assert len([words for words in sent if "second" in words]) == 1
    assert session_usage(session.entries).compactions.total == 2000
    rig.summarizer.replies = [summary] * 3
    for number in range(12):
        rig.turn(f"part {number} " + "word " * 250, said("done"))
    assert [end.error for end in rig.compactions()][:1] == [None]
    again = Session.open(tmp_path / "s.jsonl")
    assert again.context() == session.context()
    assert sum(message["role"] == "compactionSummary" for message in again.context().messages) == 1
