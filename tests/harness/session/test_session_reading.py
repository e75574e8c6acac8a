from __future__ import annotations

from pathlib import Path

import pytest
from session_builders import assistant, ids_of, new_session, user

from backslide.harness.errors import InputError
from backslide.harness.session import Session, read_session_file

HEADER = '{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}'


def entry(entry_id: str, parent: str | None, text: str = "hi") -> str:
    link = "null" if parent is None else f'"{parent}"'
    return (
        f'{{"type":"message","id":"{entry_id}","parentId":{link},"timestamp":"2026-01-01T00:00:01.000Z",'
        f'"message":{{"role":"user","content":"{text}"}}}}'
    )


def write(path: Path, *lines: str | bytes, end: bytes = b"\n") -> Path:
    path.write_bytes(b"\n".join(line.encode() if isinstance(line, str) else line for line in lines) + end)
    return path


def findings(session: Session) -> list[tuple[int, str]]:
    return [(problem.line, problem.kind) for problem in session.problems]


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    """A session that was appended to and reopened has the same entries, leaf and context, and no problems."""
    session = new_session(tmp_path / "s.jsonl")
    session.append_message(user("lone \ud83d, null \x00, separator \u2028"))
    session.append_message(assistant("yes", usage={"cost": {"total": 1e-7}}))
    session.close()

    again = Session.open(tmp_path / "s.jsonl")

    assert again.problems == []
    assert session.entries == again.entries
    assert session.leaf_id == again.leaf_id
    assert session.context() == again.context()


def test_lines_that_are_no_entries_are_reported_and_skipped(tmp_path: Path) -> None:
    """Junk, JSON's falsy literals and blank lines are dropped; all but the blank ones are reported."""
    path = write(
        tmp_path / "s.jsonl", "junk before", HEADER, "", entry("a", None), "{oops", "null", "NaN", entry("b", "a")
    )

    session = Session.open(path)

    assert ids_of(session.branch()) == ["a", "b"]
    assert findings(session) == [(1, "junk-line"), (5, "junk-line"), (6, "junk-line"), (7, "junk-line")]


def test_a_line_that_is_no_object_counts_as_an_entry_without_type_and_id(tmp_path: Path) -> None:
    """After a last line like 42 the branch is empty, and the context starts from that line."""
    session = Session.open(write(tmp_path / "s.jsonl", HEADER, entry("a", None), "42"))

    assert session.leaf_id is None
    assert session.branch() == []
    assert session.context_entries() == [{}]
    assert findings(session) == [(3, "not-an-object")]


def test_only_line_feeds_split_lines(tmp_path: Path) -> None:
    """CRLF files are read, and U+2028 inside a text does not split it."""
    session = Session.open(write(tmp_path / "s.jsonl", HEADER + "\r", entry("a", None, "x\u2028y") + "\r"))

    assert session.problems == []
    assert session.context().messages[0]["content"] == "x\u2028y"


def test_bytes_that_are_not_utf8_are_replaced_and_reported(tmp_path: Path) -> None:
    """A broken byte becomes U+FFFD, as in Pi."""
    line = entry("a", None, "caf@").encode().replace(b"@", b"\xe9")

    session = Session.open(write(tmp_path / "s.jsonl", HEADER, line))

    assert session.context().messages[0]["content"] == "caf\ufffd"
    assert findings(session) == [(2, "not-utf-8")]


def test_a_byte_order_mark_is_skipped_and_reported(tmp_path: Path) -> None:
    """An editor's byte-order mark does not make the session unreadable."""
    session = Session.open(write(tmp_path / "s.jsonl", b"\xef\xbb\xbf" + HEADER.encode(), entry("a", None)))

    assert ids_of(session.branch()) == ["a"]
    assert findings(session) == [(1, "bom")]


@pytest.mark.parametrize(
    ("last", "kind", "branch"),
    [(entry("b", "a"), "no-final-newline", ["a", "b"]), (entry("b", "a")[:-9], "torn-line", ["a"])],
)
def test_a_missing_final_line_feed_is_reported(tmp_path: Path, last: str, kind: str, branch: list[str]) -> None:
    """A complete last line counts; a torn one does not."""
    session = Session.open(write(tmp_path / "s.jsonl", HEADER, entry("a", None), last, end=b""))

    assert branch == ids_of(session.branch())
    assert [(3, kind)] == findings(session)


def test_broken_links_are_reported_by_line(tmp_path: Path) -> None:
    """Unknown parents start a branch, a duplicate id names the later entry, later headers are ignored."""
    path = write(
        tmp_path / "s.jsonl",
        HEADER,
        entry("a", None, "first"),
        HEADER,
        entry("b", "nowhere"),
        entry("a", None, "second"),
        entry("c", "a"),
        '{"type":"label","parentId":"c"}',
    )

    session = Session.open(path)

    assert findings(session) == [(3, "extra-header"), (4, "dangling-parent"), (5, "duplicate-id"), (7, "missing-id")]
    assert session.entry("a")["message"]["content"] == "second"
    assert ids_of(session.branch("b")) == ["b"]
    assert ids_of(session.branch("c")) == ["a", "c"]


def test_a_cycle_of_parents_ends_the_walk(tmp_path: Path) -> None:
    """Entries that are their own ancestors, or hang below such, are reported; branch, tree and context still end."""
    cycle = (entry("a", "c"), entry("b", "a"), entry("c", "b"))
    path = write(tmp_path / "s.jsonl", HEADER, *cycle, entry("x", "b"), entry("y", "x"), entry("d", "d"))

    session = Session.open(path)

    assert findings(session) == [(line, "parent-cycle") for line in range(2, 8)]
    assert [problem.message for problem in session.problems[2:4]] == [
        "entry c is its own ancestor",
        "entry x hangs below a cycle",
    ]
    assert ids_of(session.branch()) == ["d"]
    assert ids_of(session.branch("c")) == ["a", "b", "c"]
    assert [root.entry["id"] for root in session.tree()] == ["d"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"\x7fELF\x00\x00\x01", "binary"),
        (b"just text\nand more\n", "not a session file"),
        (entry("a", None).encode(), "line 1 is not a session header"),
        (b'{"type":"session","version":3}\n', "has no id"),
        (b"x" * (9 * 2**20), "longer than 8 MiB"),
        (b"x\n" * (5 * 2**20), "not a session file"),
    ],
)
def test_what_is_no_session_is_refused_in_one_line(tmp_path: Path, content: bytes, says: str) -> None:
    """The error names the file and why, without a line break."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)

    with pytest.raises(InputError, match=says) as caught:
        Session.open(path)

    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    """Neither is created or read."""
    with pytest.raises(InputError, match="no such session file"):
        Session.open(tmp_path / "missing.jsonl")
    with pytest.raises(InputError, match="folder"):
        Session.open(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_reading_gives_records_with_their_lines(tmp_path: Path) -> None:
    """The report holds the objects as they stand in the file, headers included, and where each stands."""
    report = read_session_file(write(tmp_path / "s.jsonl", "junk", HEADER, "", entry("a", None)))

    assert [record["id"] for record in report.records] == ["s1", "a"]
    assert report.lines == [2, 4]
    assert report.version == 3
