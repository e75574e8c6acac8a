"""Moving an agent in the tree of its session, forking it, and what the session has used."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rig import Rig, failed, make_rig, said

from backslide.harness.compaction.strategies.base import CompactionError
from backslide.harness.control.branching import Move
from backslide.harness.control.events import SummarizationRetryAttemptStart
from backslide.harness.control.retry import ExponentialBackoff
from backslide.harness.control.usage import session_usage
from backslide.harness.errors import InputError
from backslide.harness.models.protocol import Reply


def with_turns(*words: str, **options: Any) -> Rig:
    rig = make_rig(**options)
    for word in words:
        rig.turn(word, said(f"{word}!"))
    return rig


def move(rig: Rig, at: int, **options: Any) -> Move:
    return asyncio.run(rig.agent.navigate(rig.session.entries[at]["id"], **options))


def roles(rig: Rig) -> str:
    return "".join(message["role"][0] for message in rig.agent.messages)


def test_a_move_to_a_users_message_gives_its_text_back() -> None:
    """The agent stands before it, to have it written anew."""
    rig = with_turns("one", "two")
    end = move(rig, 2)

    assert end == Move(rig.session.entries[1]["id"], "two")
    assert roles(rig) == "ua"
    rig.turn("other", said("fine"))
    assert rig.sent()[1:] == ["user: one", "assistant: one!", "user: other"]


def test_a_move_to_the_first_message_empties_the_context() -> None:
    """Nothing stands before it."""
    rig = with_turns("one")

    assert move(rig, 0) == Move(None, "one")
    assert rig.agent.messages == []


def test_a_summary_tells_what_was_left() -> None:
    """It is part of the context from then on, and carries the label."""
    rig = with_turns("one", "two", summaries=[said("two was tried")])
    end = move(rig, 1, summarize=True, label="back")

    assert end.leaf_id == rig.session.leaf_id
    assert roles(rig) == "uab"
    summary = rig.session.entries[-2]
    assert summary["summary"].endswith("two was tried")
    assert rig.session.labels == {summary["id"]: "back"}
    assert "two!" in rig.summarizer.texts()[0]


def test_a_failed_summary_moves_nothing() -> None:
    """The error is the provider's; after a retry it may work."""
    rig = with_turns("one", "two", summaries=[failed("401 bad key")])
    before = rig.session.leaf_id
    with pytest.raises(CompactionError, match="401 bad key"):
        move(rig, 1, summarize=True)
    assert rig.session.leaf_id == before

    again = with_turns("one", "two", summaries=[failed("503"), said("ok")], retry_policy=ExponentialBackoff())
    move(again, 1, summarize=True)
    (start,) = [event for event in again.events if isinstance(event, SummarizationRetryAttemptStart)]
    assert (start.source, start.reason) == ("branchSummary", None)


def test_an_aborted_summary_moves_nothing_and_is_no_error() -> None:
    """It says that it was cancelled."""
    rig = with_turns("one", "two")
    before = rig.session.leaf_id
    rig.summarizer.replies = [lambda _request: rig.agent.abort_branch_summary() or Reply([], "aborted")]

    assert move(rig, 1, summarize=True) == Move(before, cancelled=True)
    assert roles(rig) == "uaua"


def test_a_fork_holds_what_stands_before_a_users_message(tmp_path: Path) -> None:
    """With the message's text for the editor; before the first one it is empty."""
    rig = with_turns("one", "two")
    fork, text = rig.agent.fork(tmp_path / "fork.jsonl", rig.session.entries[2]["id"])
    empty, first = rig.agent.fork(None, rig.session.entries[0]["id"])

    assert (len(fork.entries), text) == (2, "two")
    assert (tmp_path / "fork.jsonl").exists()
    assert (empty.entries, first) == ([], "one")
    with pytest.raises(InputError, match="no user's message"):
        rig.agent.fork(None, rig.session.entries[1]["id"])


def test_usage_counts_every_attempt_on_every_branch() -> None:
    """What was left, what failed and what summaries cost is told apart and adds up."""
    rig = with_turns("one", "two", summaries=[said("two was tried")])
    move(rig, 1, summarize=True)
    rig.turn("three", said("three!"))
    used = rig.agent.session_usage()

    assert set(used.by_model) == {"backslide/m"}
    assert used.branch_summaries.total > 0
    assert used.total.total == used.by_model["backslide/m"].total + used.branch_summaries.total
    now = rig.agent.context_usage()
    assert now is not None
    assert now["tokens"] < used.total.total


def test_the_size_after_a_compaction_is_unknown_until_a_reply() -> None:
    """Unknown is not zero."""
    rig = with_turns("one", "two", "three", keep_turns=1, summaries=[said("short")])
    assert rig.compact()
    unknown = rig.agent.context_usage()
    rig.turn("four", said("four!"))
    known = rig.agent.context_usage()

    assert unknown is not None
    assert (unknown["tokens"], unknown["percent"]) == (None, None)
    assert known is not None
    assert known["tokens"] > 0


counts = st.fixed_dictionaries({key: st.integers(0, 9_999) for key in ("input", "output", "cacheRead", "cacheWrite")})
entries = st.lists(
    st.one_of(
        st.builds(
            lambda usage, model, stop: {
                "type": "message",
                "message": {"role": "assistant", "provider": "p", "model": model, "stopReason": stop, "usage": usage},
            },
            counts,
            st.sampled_from(["m1", "m2"]),
            st.sampled_from(["stop", "error", "aborted"]),
        ),
        st.builds(lambda usage: {"type": "message", "message": {"role": "toolResult", "usage": usage}}, counts),
        st.builds(
            lambda kind, usage: {"type": kind, "usage": usage},
            st.sampled_from(["compaction", "branch_summary"]),
            counts,
        ),
        st.just({"type": "message", "message": {"role": "user", "content": "x"}}),
        st.just({"type": "label"}),
    )
)


@settings(max_examples=60, deadline=None)
@given(entries=entries)
def test_totals_are_the_sum_of_their_parts(entries: list[dict[str, Any]]) -> None:
    """Of any entries; the failed share is within the models'."""
    used = session_usage(entries)
    parts = [*used.by_model.values(), used.tools, used.compactions, used.branch_summaries]

    for kind in used.total.tokens:
        assert used.total.tokens[kind] == sum(part.tokens[kind] for part in parts)
    replies = [entry["message"] for entry in entries if entry.get("message", {}).get("role") == "assistant"]
    failures = [reply["usage"] for reply in replies if reply["stopReason"] != "stop"]
    assert used.failed.total == sum(sum(usage.values()) for usage in failures)
