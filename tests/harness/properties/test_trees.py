"""Whatever a session file holds: nothing vanishes silently, sums agree, and every request is one a provider takes."""

from __future__ import annotations

import itertools
import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from rig import COUNTER, make_rig, said
from session_strategies import HEADER, bodies, tangles
from tool_pairs import assert_paired

from backslide.harness import jsjson
from backslide.harness.control.usage import UsageTotals, session_stats, session_usage, usage_breakdown
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.session import Session, TreeNode
from backslide.harness.settings import ModelInfo

quick = settings(deadline=None, max_examples=60)

MODEL = ModelInfo("backslide", "m", 100_000, 500)


@contextmanager
def opened(entries: list[dict[str, Any]]) -> Iterator[Session]:
    """A session read from a file of these entries."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        path.write_bytes("".join(jsjson.stringify(line) + "\n" for line in (HEADER, *entries)).encode())
        with Session.open(path, fsync="never") as session:
            yield session


def in_tree(roots: list[TreeNode]) -> set[int]:
    """The identities of the entries that are found by going down from the roots."""
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if id(node.entry) not in found:
            found.add(id(node.entry))
            waiting += node.children
    return found


def body_of(session: Session, builder: PayloadBuilder | None = None) -> bytes:
    """The request that the session's context makes."""
    builder = builder or PayloadBuilder(COUNTER, "system")
    context = list(session.context().messages)
    return builder.request(context, role="executor", cause="turn", model=MODEL, tools=[]).body


@quick
@given(tangles)
def test_every_entry_is_in_the_tree_or_reported(entries: list[dict[str, Any]]) -> None:
    """Duplicates, cycles and what hangs below them are named by line; nothing else is missing from the tree."""
    with opened(entries) as session:
        found = in_tree(session.tree())
        named = {problem.line for problem in session.problems}
        for problem in session.problems:
            if problem.kind == "duplicate-id":
                named |= {int(number) for number in re.findall(r"stands in line (\d+)", problem.message)}
        assert len(session.entries) == len(entries)
        for line, entry in enumerate(session.entries, start=2):
            assert id(entry) in found or line in named, (line, entry, session.problems)


@quick
@given(tangles)
def test_every_branch_is_a_path_of_parents(entries: list[dict[str, Any]]) -> None:
    """From a root, or from an entry that a problem names, to the leaf; no entry twice."""
    with opened(entries) as session:
        broken = {session.entries[problem.line - 2].get("id") for problem in session.problems}
        for own in {entry["id"] for entry in session.entries if "id" in entry}:
            branch = session.branch(own)
            assert branch[-1] is session.entry(own)
            assert len({id(entry) for entry in branch}) == len(branch)
            assert branch[0]["parentId"] is None or branch[0].get("id") in broken
            for above, below in itertools.pairwise(branch):
                assert below["parentId"] == above.get("id")


@quick
@given(tangles)
def test_totals_are_the_sums_of_their_parts(entries: list[dict[str, Any]]) -> None:
    """What a session used is what its models, tools and summaries used; rows that were copied count once."""
    with opened(entries) as session:
        used = session_usage(session.entries)
        parts = [*used.by_model.values(), used.tools, used.compactions, used.branch_summaries]
        assert_sum(used.total, parts)
        assert used.failed.total <= sum(part.total for part in used.by_model.values())
        assert session_usage([*session.entries, *session.entries]) == session_usage(
            [*session.entries, *(entry for entry in session.entries if not isinstance(entry.get("id"), str))]
        )
        stats, rows = session_stats(session.entries), usage_breakdown(session.entries)
        assert stats.usage.total == sum(row["tokens"] for row in rows)
        assert used.total.total <= stats.usage.total


def assert_sum(total: UsageTotals, parts: list[UsageTotals]) -> None:
    for key, tokens in total.tokens.items():
        assert tokens == sum(part.tokens[key] for part in parts)
    assert abs(total.cost - sum(part.cost for part in parts)) < 1e-9


@quick
@given(tangles, st.data())
def test_requests_from_any_leaf_have_results_and_calls_in_pairs(
    entries: list[dict[str, Any]], data: st.DataObject
) -> None:
    """Wherever the agent stands in the tree, and whatever a compaction cut apart."""
    with opened(entries) as session:
        named = [entry["id"] for entry in session.entries if isinstance(entry.get("id"), str)]
        session.move_to(data.draw(st.sampled_from([*named, None])))
        rig = make_rig(session=session, window=100_000)
        rig.turn("Go on.", said("Gone on."))
        for request in rig.executor.requests:
            assert_paired(request.messages)


@quick
@given(tangles)
def test_reading_a_file_again_gives_the_same(entries: list[dict[str, Any]]) -> None:
    """Entries, context, request and sums; also of what is appended after it."""
    with opened(entries) as session:
        assert session.entries == [json.loads(jsjson.stringify(entry)) for entry in entries]
        for _ in range(2):
            assert session.path is not None
            again = Session.open(session.path)
            assert again.entries == session.entries
            assert again.labels == session.labels
            assert again.name == session.name
            assert again.context() == session.context()
            assert body_of(again) == body_of(session)
            assert session_usage(again.entries) == session_usage(session.entries)
            session.append_message({"role": "user", "content": "more", "timestamp": 2})


@quick
@given(st.lists(bodies, min_size=1, max_size=8))
def test_what_is_appended_is_read_back(fields: list[dict[str, Any]]) -> None:
    """Writing and reading an entry is the identity, for every kind of entry."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        with Session.create(path, cwd="/w", fsync="never") as session:
            session.append_message({"role": "assistant", "content": [], "stopReason": "stop"})
            for field in fields:
                session.append(field["type"], **{key: value for key, value in field.items() if key != "type"})
        again = Session.open(path)

    assert again.problems == []
    assert again.header == session.header
    assert again.entries == session.entries
    assert again.context() == session.context()
