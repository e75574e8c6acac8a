from __future__ import annotations

from pathlib import Path

import pytest
from session_builders import assistant, ids_of, new_session, user

from backslide.harness.errors import InputError
from backslide.harness.session import Session


def forked_session(path: Path | None = None) -> Session:
    """e0 → e1 → e2 → e3, and e4 → e5 below e1; the leaf is e5."""
    session = new_session(path)
    for message in (user("a"), assistant("b"), user("c"), assistant("d")):
        session.append_message(message)
    session.move_to("e1")
    session.append_message(user("e"))
    session.append_message(assistant("f"))
    return session


def test_appends_below_an_earlier_entry_make_a_branch() -> None:
    """The branch is the path to the leaf; the other branch stays in the tree."""
    session = forked_session()

    assert ids_of(session.branch()) == ["e0", "e1", "e4", "e5"]
    assert ids_of(session.branch("e3")) == ["e0", "e1", "e2", "e3"]
    assert ids_of(session.children("e1")) == ["e2", "e4"]
    assert ids_of(session.children(None)) == ["e0"]
    assert [node.entry["id"] for node in session.tree()[0].children[0].children] == ["e2", "e4"]


def test_moving_before_the_first_entry_starts_a_new_root() -> None:
    """With the leaf at None the branch and the context are empty and the next entry has no parent."""
    session = forked_session()
    session.move_to(None)

    assert (session.branch(), session.context().messages, session.leaf_id) == ([], [], None)
    root = session.append_message(user("again"))
    assert session.entry(root)["parentId"] is None
    assert ["e0", root] == [node.entry["id"] for node in session.tree()]


def test_a_move_is_not_written(tmp_path: Path) -> None:
    """Reopening stands at the last line again."""
    session = forked_session(tmp_path / "s.jsonl")
    session.move_to("e3")
    session.close()

    assert Session.open(tmp_path / "s.jsonl").leaf_id == "e5"


def test_unknown_entries_are_refused() -> None:
    """Moving, labelling, forking and looking up name the missing id."""
    session = forked_session()
    for attempt in (session.entry, session.move_to, session.branch, session.view):
        with pytest.raises(InputError, match="no entry zz"):
            attempt("zz")
    with pytest.raises(InputError, match="no entry zz"):
        session.append_label("zz", "x")
    with pytest.raises(InputError, match="no entry zz"):
        session.fork(None, "zz")


def test_labels_and_the_name_follow_file_order_over_all_branches() -> None:
    """The last label of an entry counts, an empty one clears it; so does an empty name."""
    session = forked_session()
    session.append_label("e0", "start")
    session.append_label("e3", "old")
    session.append_label("e3", "new")
    session.append_session_info(" two\r\nlines\n")

    assert session.labels == {"e0": "start", "e3": "new"}
    assert session.name == "two lines"
    assert session.tree()[0].label == "start"

    session.append_label("e0", "")
    session.append_session_info("")
    assert session.labels == {"e3": "new"}
    assert session.name is None


def test_labels_are_entries_of_the_branch() -> None:
    """Setting one moves the leaf, and the context does not show it."""
    session = forked_session()
    mark = session.append_label("e0", "x")

    assert mark == session.leaf_id
    assert [
        message["content"] if isinstance(message["content"], str) else message["content"][0]["text"]
        for message in session.context().messages
    ] == ["a", "b", "e", "f"]


def test_children_are_ordered_by_time(tmp_path: Path) -> None:
    """A child written later with an earlier timestamp comes first in the tree."""
    session = forked_session(tmp_path / "s.jsonl")
    session.close()
    text = (tmp_path / "s.jsonl").read_text()
    late, early = session.entry("e2")["timestamp"], "2020-01-01T00:00:00.000Z"
    (tmp_path / "s.jsonl").write_text(text.replace(session.entry("e4")["timestamp"], early))

    children = Session.open(tmp_path / "s.jsonl").tree()[0].children[0].children

    assert [early, late] == [node.entry["timestamp"] for node in children]


def test_a_fork_is_the_path_without_labels_and_then_the_labels(tmp_path: Path) -> None:
    """Entries keep their ids, are chained anew, and labels of the path are set again at its end."""
    session = forked_session(tmp_path / "s.jsonl")
    session.append_label("e0", "start")
    session.append_label("e3", "elsewhere")
    last = session.append_message(user("g"))
    when = session.entry("e6")["timestamp"]

    fork = session.fork(tmp_path / "f.jsonl")

    assert ["e0", "e1", "e4", "e5", last] == ids_of(fork.branch())[:-1]
    assert fork.entry(last)["parentId"] == "e5"
    label = fork.branch()[-1]
    assert ("label", "e0", "start", when, last) == tuple(
        label[key] for key in ("type", "targetId", "label", "timestamp", "parentId")
    )
    assert str(tmp_path / "s.jsonl") == fork.header["parentSession"]
    assert fork.entries == Session.open(tmp_path / "f.jsonl").entries
    assert session.entry("e6")["parentId"] == "e5", "the source is unchanged"


def test_a_fork_without_an_assistant_message_has_no_file_yet(tmp_path: Path) -> None:
    """It is written with the first reply, as a new session is."""
    session = forked_session(tmp_path / "s.jsonl")

    fork = session.fork(tmp_path / "f.jsonl", "e0")
    assert not (tmp_path / "f.jsonl").exists()
    fork.append_message(assistant("b"))
    assert len(Session.open(tmp_path / "f.jsonl").entries) == 2


@pytest.mark.parametrize("on_disk", [True, False])
def test_a_copy_is_independent(tmp_path: Path, on_disk: bool) -> None:
    """Same entries, ids and leaf, its own id and file; appends to one do not show in the other."""
    session = forked_session(tmp_path / "s.jsonl" if on_disk else None)
    session.append_label("e0", "start")
    session.move_to("e3")
    before = list(session.branch())

    copy = session.copy_to(tmp_path / "c.jsonl")
    asked = copy.append_message(user("probe"))
    session.append_message(user("other"))

    assert before == copy.branch()[:-1]
    assert session.entries[:-1] == copy.entries[:-1]
    assert copy.labels == {"e0": "start"}
    assert session.header["id"] != copy.header["id"]
    assert asked not in session
    reopened = Session.open(tmp_path / "c.jsonl")
    assert copy.entries == reopened.entries
    assert copy.header == reopened.header


def test_the_branch_of_the_leaf_grows_and_others_do_not() -> None:
    """The live list is the session's own; a moved leaf gets another list."""
    session = forked_session()
    live = session.branch()
    session.append_message(user("g"))
    assert len(live) == 5
    session.move_to("e1")
    session.append_message(user("h"))
    assert len(live) == 5


def test_a_copy_of_a_torn_file_can_be_appended_to(tmp_path: Path) -> None:
    """The torn line is not glued to the copy's next one."""
    with forked_session(tmp_path / "s.jsonl") as session:
        whole = len(session.entries)
    with (tmp_path / "s.jsonl").open("ab") as file:
        file.write(b'{"type":"mess')

    copy = Session.open(tmp_path / "s.jsonl").copy_to(tmp_path / "c.jsonl")
    copy.append_message(user("probe"))

    assert whole + 1 == len(Session.open(tmp_path / "c.jsonl").entries)
