from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from session_builders import ids_of, new_session, user

from backslide.harness.errors import InputError
from backslide.harness.session import Session, migrate_file


def old_file(path: Path, version: int | None, *entries: dict[str, Any]) -> Path:
    header = {"type": "session", "id": "s1", "timestamp": "2025-01-01T00:00:00.000Z", "cwd": "/x"}
    if version is not None:
        header["version"] = version
    path.write_text("".join(f"{json.dumps(line)}\n" for line in (header, *entries)))
    return path


def message(text: str, role: str = "user") -> dict[str, Any]:
    return {"type": "message", "timestamp": "2025-01-01T00:00:01.000Z", "message": {"role": role, "content": text}}


def numbered() -> Any:
    numbers = itertools.count()
    return lambda: f"#{next(numbers)}"


def test_version_1_becomes_a_chain(tmp_path: Path) -> None:
    """The entries get ids in order, and the file stays as it was."""
    path = old_file(tmp_path / "s.jsonl", None, message("a"), message("b", "hookMessage"))
    before = path.read_bytes()

    session = Session.open(path, ids=numbered())

    assert ids_of(session.branch()) == ["#0", "#1"]
    assert [m["role"] for m in session.context().messages] == ["user", "custom"]
    assert session.header["version"] == 3
    assert [problem.kind for problem in session.problems] == ["old-version"]
    assert before == path.read_bytes()


@pytest.mark.parametrize(("index", "kept"), [(2, ["#1"]), (0, []), (3, []), (4, []), (9, []), (-1, []), ("1", [])])
def test_a_kept_index_counts_the_header(tmp_path: Path, index: Any, kept: list[str]) -> None:
    """It names the record at that place; the header, itself, a place ahead or out of range keep nothing."""
    compaction = {"type": "compaction", "summary": "S", "tokensBefore": 1, "firstKeptEntryIndex": index}
    path = old_file(tmp_path / "s.jsonl", 1, message("a"), message("b"), compaction, message("c"))

    context = ids_of(Session.open(path, ids=numbered()).context_entries())

    assert ["#2", *kept, "#3"] == context


def test_version_2_only_renames_a_role(tmp_path: Path) -> None:
    """Its ids stay."""
    entry = {**message("a", "hookMessage"), "id": "x1", "parentId": None}

    session = Session.open(old_file(tmp_path / "s.jsonl", 2, entry))

    assert ids_of(session.branch()) == ["x1"]
    assert session.context().messages[0]["role"] == "custom"


def test_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    """Version 4 is read as it is."""
    session = Session.open(old_file(tmp_path / "s.jsonl", 4, {**message("a"), "id": "x1", "parentId": None}))

    assert (session.header["version"], session.problems) == (4, [])


def test_a_session_migrated_in_memory_refuses_appends(tmp_path: Path) -> None:
    """Its ids are not those of the file; a copy or a fork of it may be written."""
    session = Session.open(old_file(tmp_path / "s.jsonl", 1, message("a"), message("b", "assistant")))

    with pytest.raises(InputError, match="version 1 and cannot be appended to; migrate the file first"):
        session.append_message(user())

    copy = session.copy_to(tmp_path / "c.jsonl")
    copy.append_message(user("more"))
    assert copy.entries == Session.open(tmp_path / "c.jsonl").entries


def test_migrating_a_file_keeps_the_original(tmp_path: Path) -> None:
    """The new file is of version 3 and writable; the backup holds the old bytes; a second time is refused."""
    path = old_file(tmp_path / "s.jsonl", 1, message("a"), message("b", "assistant"))
    before = path.read_bytes()

    backup = migrate_file(path)

    assert before == backup.read_bytes()
    with Session.open(path) as session:
        session.append_message(user("more"))
    assert (Session.open(path).problems, len(Session.open(path).branch())) == ([], 3)
    with pytest.raises(InputError, match="of version 3 already"):
        migrate_file(path)


def test_migration_never_overwrites_a_backup(tmp_path: Path) -> None:
    """Neither the file nor the existing backup changes."""
    path = old_file(tmp_path / "s.jsonl", 2, {**message("a"), "id": "x1", "parentId": None})
    before = path.read_bytes()
    backup = tmp_path / "s.jsonl.v2.bak"
    backup.write_text("precious")

    with pytest.raises(InputError, match="exists"):
        migrate_file(path)

    assert (before, "precious") == (path.read_bytes(), backup.read_text())


def test_current_files_need_no_migration(tmp_path: Path) -> None:
    """What this project writes is of version 3."""
    assert new_session().header["version"] == 3
