from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from session_builders import START_MS, assistant, ids_of, new_session, user

from backslide.harness.errors import InputError
from backslide.harness.session import Session


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def saved(path: Path) -> Path:
    with new_session(path) as session:
        session.append_message(user())
        session.append_message(assistant("done"))
    return path


def test_nothing_is_written_before_the_first_assistant_message(tmp_path: Path) -> None:
    """Then the header and everything so far are written at once, one line each."""
    path = tmp_path / "deep" / "s.jsonl"
    session = new_session(path)
    session.append_model_change("acme", "a-1")
    session.append_message(user())
    assert not path.exists()

    session.append_message(assistant("done"))

    assert [line["type"] for line in lines(path)] == ["session", "model_change", "message", "message"]


def test_later_entries_are_in_the_file_as_soon_as_they_are_appended(tmp_path: Path) -> None:
    """A killed process loses nothing that was appended."""
    session = Session.open(saved(tmp_path / "s.jsonl"))

    entry_id = session.append_message(user("more"))

    assert entry_id == lines(tmp_path / "s.jsonl")[-1]["id"]


def test_an_entry_is_written_as_pi_writes_it(tmp_path: Path) -> None:
    """Common fields first, undefined fields left out, fromHook explicit."""
    session = new_session(tmp_path / "s.jsonl")
    session.append_message(assistant("done"))
    session.append_compaction(summary="S", first_kept_entry_id="e0", tokens_before=3)

    assert (tmp_path / "s.jsonl").read_text().splitlines()[-1] == (
        '{"type":"compaction","id":"e1","parentId":"e0","timestamp":"2023-11-14T22:13:20.002Z",'
        '"summary":"S","firstKeptEntryId":"e0","tokensBefore":3,"fromHook":false}'
    )


def test_an_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    """Not when the session is made, and not when another program was faster."""
    path = saved(tmp_path / "s.jsonl")
    before = path.read_bytes()

    with pytest.raises(InputError, match="exists already"):
        new_session(path)
    late = new_session(tmp_path / "late.jsonl")
    (tmp_path / "late.jsonl").write_text("theirs")
    with pytest.raises(InputError, match="exists already"):
        late.append_message(assistant("done"))

    assert before == path.read_bytes()
    assert (tmp_path / "late.jsonl").read_text() == "theirs"


@pytest.mark.parametrize("made", [False, True])
def test_half_a_line_on_a_full_disk_does_not_spoil_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: bool
) -> None:
    """Half of an append stays as a torn line of its own, half of a new file leaves no file, and no entry hangs on it."""
    path = tmp_path / "s.jsonl"
    session = new_session(path)
    if made:
        session.append_message(assistant("first"))
    real = os.write

    def full(descriptor: int, data: bytes) -> int:
        if len(data) < 20:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, data[: len(data) // 2])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(InputError, match="cannot be written"):
            session.append_message(assistant("lost"))

    assert [file.name for file in tmp_path.iterdir()] == (["s.jsonl"] if made else [])
    session.append_message(assistant("after"))
    again = Session.open(path)
    texts = [entry["message"]["content"][0]["text"] for entry in again.entries]
    assert texts == (["first", "after"] if made else ["after"])
    assert [(problem.line, problem.kind) for problem in again.problems] == ([(3, "junk-line")] if made else [])
    assert again.branch() == again.entries == session.entries


@pytest.mark.parametrize("torn", [b'{"type":"message","id":"zz","par', b'{"type":"custom","id":"zz","parentId":"e1"}'])
def test_appending_after_an_open_last_line_starts_a_new_one(tmp_path: Path, torn: bytes) -> None:
    """Nothing is glued to it, nothing of it is lost, and the session reads back whole."""
    path = saved(tmp_path / "s.jsonl")
    damaged = path.read_bytes() + torn
    path.write_bytes(damaged)

    with Session.open(path) as session:
        entry_id = session.append_message(user("after"))

    assert path.read_bytes().startswith(damaged + b"\n")
    again = Session.open(path)
    assert ids_of(session.branch()) == ids_of(again.branch())
    assert ids_of(again.branch())[:2] == ["e0", "e1"]
    assert entry_id == again.leaf_id


@pytest.mark.parametrize(("policy", "after_append", "after_sync"), [("always", 1, 1), ("turn", 0, 1), ("never", 0, 0)])
def test_the_fsync_policy_decides_when_the_disk_is_forced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: Any, after_append: int, after_sync: int
) -> None:
    """Each append with "always", each sync with "turn", none with "never"; a second sync has nothing to do."""
    forced: list[int] = []
    monkeypatch.setattr(os, "fsync", forced.append)
    session = new_session(tmp_path / "s.jsonl", fsync=policy)

    session.append_message(assistant("done"))
    assert after_append == len(forced)
    session.sync()
    session.sync()
    assert after_sync == len(forced)


def test_a_closed_session_opens_its_file_again(tmp_path: Path) -> None:
    """Appending after close goes on in the same file."""
    session = Session.open(saved(tmp_path / "s.jsonl"))
    session.close()

    session.append_message(user("more"))

    assert len(Session.open(tmp_path / "s.jsonl").entries) == 3


def test_ids_are_retried_on_collision(tmp_path: Path) -> None:
    """An id that is taken is not used twice; a maker that never yields a new one does not hang the session."""
    ids = iter(["a", "a", "b"])
    session = Session.create(None, cwd="/", ids=lambda: next(ids))
    stuck = Session.create(None, cwd="/", ids=lambda: "a")

    assert [session.append_message(user()), session.append_message(user())] == ["a", "b"]
    assert stuck.append_message(user()) == "a"
    assert stuck.append_message(user()) != "a"


def test_headers_follow_the_format(tmp_path: Path) -> None:
    """Version 3, a UUIDv7 that carries the time, ISO time, folder, parent."""
    session = Session.create(None, cwd="/srv", now=lambda: START_MS, parent_session=tmp_path / "p.jsonl")

    header = session.header
    assert list(header) == ["type", "version", "id", "timestamp", "cwd", "parentSession"]
    assert int(header["id"].replace("-", "")[:12], 16) == START_MS
    assert (header["id"][14], header["timestamp"]) == ("7", "2023-11-14T22:13:20.000Z")


@pytest.mark.parametrize("bad", ["", "-a", "a-", "a/b", "a b"])
def test_session_ids_are_checked(bad: str) -> None:
    """Letters and digits at both ends, '.', '_' and '-' inside."""
    with pytest.raises(InputError, match="not usable"):
        Session.create(None, cwd="/", session_id=bad)
    assert Session.create(None, cwd="/", session_id="a.b_c-1").header["id"] == "a.b_c-1"
