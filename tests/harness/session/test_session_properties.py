from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from session_builders import assistant, ids_of, new_session, user

from backslide.harness.session import Branch, Session

quick = settings(deadline=None, max_examples=60)

ACTIONS = st.one_of(
    st.tuples(st.just("user"), st.text(max_size=8)),
    st.tuples(st.just("assistant"), st.text(max_size=8)),
    st.tuples(st.just("label"), st.integers(0, 30)),
    st.tuples(st.just("move"), st.integers(-1, 30)),
    st.tuples(st.just("compact"), st.integers(0, 30)),
    st.tuples(st.just("branch"), st.integers(0, 30)),
    st.tuples(st.just("think"), st.sampled_from(["off", "high"])),
)


def play(session: Session, actions: list[tuple[str, Any]]) -> None:
    """Drive a session through appends and moves; numbers name entries by position."""
    for action, value in actions:
        named = isinstance(value, int) and value != -1 and session.entries
        target = session.entries[value % len(session.entries)]["id"] if named else None
        if action == "user":
            session.append_message(user(value))
        elif action == "assistant":
            session.append_message(assistant(value))
        elif action == "think":
            session.append_thinking_level_change(value)
        elif action == "move":
            session.move_to(target)
        elif target is None:
            continue
        elif action == "label":
            session.append_label(target, "mark")
        elif action == "branch":
            session.append_branch_summary(target, summary="left")
        else:
            session.append_compaction(summary="S", first_kept_entry_id=target, tokens_before=1)


@quick
@given(st.lists(ACTIONS, max_size=25))
def test_the_branch_that_grew_equals_the_branch_walked_anew(actions: list[tuple[str, Any]]) -> None:
    """Whatever was appended and wherever the leaf moved, nothing kept incrementally drifts from the tree."""
    session = new_session()
    play(session, actions)
    fresh = session.view(session.leaf_id)

    assert fresh.entries == session.branch()
    assert fresh.context() == session.context()
    assert fresh.compactions == session.view().compactions
    assert fresh.positions == session.view().positions


@quick
@given(st.lists(ACTIONS, max_size=25), st.text(max_size=3), st.data())
def test_random_trees_survive_the_file_with_junk_and_a_torn_tail(
    actions: list[tuple[str, Any]], junk: str, data: st.DataObject
) -> None:
    """Junk between the lines changes nothing; a torn tail costs at most the torn line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        with new_session(path) as session:
            session.append_message(assistant("first"))
            play(session, actions)
        lines = path.read_bytes().split(b"\n")[:-1]
        at = data.draw(st.integers(1, len(lines)))
        lines.insert(at, b"{{" + junk.encode("utf-8", "replace").replace(b"\n", b""))
        path.write_bytes(b"\n".join(lines) + b"\n")
        again = Session.open(path)
        assert session.entries == again.entries
        assert session.labels == again.labels

        cut = data.draw(st.integers(len(lines[0]) + 2, path.stat().st_size))
        path.write_bytes(path.read_bytes()[:cut])
        torn = Session.open(path)
        kept = len(torn.entries)
        assert session.entries[:kept] == torn.entries
        with torn:
            torn.append_message(user("after"))
        assert session.entries[:kept] == Session.open(path).entries[:kept]
        assert kept + 1 == len(Session.open(path).entries)


@quick
@given(st.lists(st.tuples(st.integers(0, 7), st.one_of(st.none(), st.integers(0, 9))), min_size=1, max_size=12))
def test_no_tangle_of_parents_hangs_the_reader(links: list[tuple[int, int | None]]) -> None:
    """Cycles, duplicates, orphans: branch, context, tree, fork and copy all end; every cycle is reported."""
    entries = [
        {
            "type": "message",
            "id": f"n{own}",
            "parentId": None if parent is None else f"n{parent}",
            "message": user(str(at)),
        }
        for at, (own, parent) in enumerate(links)
    ]
    header = {"type": "session", "version": 3, "id": "s"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in (header, *entries)))
        session = Session.open(path)

    branch = session.branch()
    assert len(branch) == len({id(entry) for entry in branch}) <= len(entries)
    assert len(session.context().messages) == len(branch)
    assert session.tree() or any(problem.kind == "parent-cycle" for problem in session.problems)
    assert ids_of(branch) == ids_of(session.copy_to(None).branch())
    assert ids_of(branch) == ids_of(session.fork(None).branch())
    for entry in session.entries:
        walk: dict[str, Any] | None = entry
        seen: set[int] = set()
        while walk is not None and id(walk) not in seen:
            seen.add(id(walk))
            parent = walk["parentId"]
            walk = session.entry(parent) if parent is not None and parent in session else None
        if walk is not None:
            assert any(problem.kind == "parent-cycle" for problem in session.problems)


def test_a_long_session_keeps_its_kept_range_small() -> None:
    """Contexts and copies of a branch with many compactions hold only what the last one left."""
    session = new_session()
    numbers = random.Random(3)
    for _ in range(200):
        session.append_message(user("x"))
        last = session.append_message(assistant("y"))
        if numbers.random() < 0.1:
            session.append_compaction(summary="S", first_kept_entry_id=last, tokens_before=1)
    compaction = session.view().compactions[-1]

    assert len(session.branch()) - compaction + 1 == len(session.context_entries())
    assert Branch(session.branch()).context() == session.context()
