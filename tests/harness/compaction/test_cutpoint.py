from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.harness.compaction.cutpoint import CUT_ROLES, find_cut_point, starts_turn
from backslide.harness.compaction.estimate import estimate_tokens
from backslide.harness.session import entry_messages


def user(tokens: int = 1) -> dict[str, Any]:
    return {"type": "message", "message": {"role": "user", "content": "x" * 4 * tokens}}


def reply(tokens: int = 1, **more: Any) -> dict[str, Any]:
    blocks = [{"type": "text", "text": "x" * 4 * tokens}]
    return {"type": "message", "message": {"role": "assistant", "content": blocks, **more}}


def output(tokens: int = 1) -> dict[str, Any]:
    blocks = [{"type": "text", "text": "x" * 4 * tokens}]
    return {"type": "message", "message": {"role": "toolResult", "content": blocks}}


LABEL = {"type": "label"}
COMPACTION = {"type": "compaction", "summary": "xxxx"}


def cut(entries: list[dict[str, Any]], keep: int, start: int = 0) -> tuple[int, int, bool]:
    point = find_cut_point(entries, start, len(entries), keep)
    return point.first_kept_index, point.turn_start_index, point.is_split


def test_the_cut_is_where_the_budget_is_reached() -> None:
    """At a user message it is clean, at an assistant message it splits the turn."""
    entries = [user(), reply(), user(), reply(), reply()]

    assert cut(entries, 3) == (2, -1, False)
    assert cut(entries, 2) == (3, 2, True)


def test_a_budget_that_is_never_reached_keeps_everything() -> None:
    """The cut is then at the first candidate."""
    assert cut([output(), user(), reply()], 100) == (1, -1, False)


def test_a_result_is_never_cut_from_its_call() -> None:
    """A budget reached at a tool result cuts at the next message that is none."""
    assert cut([user(), reply(), output(5), output(5), reply()], 3) == (4, 0, True)


def test_a_last_result_larger_than_the_budget_leaves_nothing_to_summarize() -> None:
    """There is no candidate after it; a failed reply behind it is one."""
    entries = [user(), reply(), output(50)]

    assert cut(entries, 10) == (0, -1, False)
    assert cut([*entries, reply(0, stopReason="error")], 10) == (3, 0, True)


def test_silent_entries_before_the_cut_are_kept_and_split_the_turn_before() -> None:
    """A label in front of a user message makes the clean boundary a split one."""
    assert cut([user(), reply(), LABEL, user(), reply()], 2) == (2, 0, True)
    assert cut([user(), reply(), user(), reply()], 2) == (2, -1, False)


def test_a_compaction_is_no_candidate_but_its_summary_counts() -> None:
    """And the cut does not move back over it."""
    assert cut([user(), COMPACTION, user(), reply()], 3) == (2, -1, False)
    assert cut([user(), COMPACTION, user(), reply()], 2) == (2, -1, False)


def test_without_a_candidate_everything_is_kept() -> None:
    """From the start of the range."""
    assert cut([user(), output(), LABEL, COMPACTION], 1, start=1) == (1, -1, False)


ENTRIES = st.lists(
    st.one_of(
        st.builds(user, st.integers(0, 5)),
        st.builds(reply, st.integers(0, 5)),
        st.builds(output, st.integers(0, 5)),
        st.sampled_from([LABEL, COMPACTION, {"type": "branch_summary", "summary": "xxxx"}, {}]),
    ),
    max_size=14,
)


@settings(deadline=None, max_examples=200)
@given(ENTRIES, st.integers(0, 20), st.integers(0, 6))
def test_cuts_hold_what_they_promise(entries: list[dict[str, Any]], keep: int, start: int) -> None:
    """Inside the range, never between a call and its result, and no smaller tail than needed without reason."""
    start = min(start, len(entries))
    point = find_cut_point(entries, start, len(entries), keep)
    at = point.first_kept_index

    assert start <= at <= len(entries)
    speaking = [entry for entry in entries[at:] if entry.get("type") != "compaction" and entry_messages(entry)]
    candidates = [at for at in range(start, len(entries)) if _is_candidate(entries[at])]
    if not candidates:
        assert (start, -1, False) == (at, point.turn_start_index, point.is_split)
        return
    assert entry_messages(speaking[0])[0]["role"] in CUT_ROLES
    assert at <= candidates[0] or _tokens(entries[at:]) <= keep + 5
    if point.is_split:
        assert start <= point.turn_start_index <= at
        assert starts_turn(entries[point.turn_start_index])
        assert not starts_turn(entries[at])
        assert not any(starts_turn(entry) for entry in entries[point.turn_start_index + 1 : at + 1])
    else:
        assert point.turn_start_index == -1


@settings(deadline=None, max_examples=100)
@given(ENTRIES, st.integers(0, 20), st.integers(0, 20))
def test_a_larger_budget_never_keeps_less(entries: list[dict[str, Any]], keep: int, more: int) -> None:
    """Unless there is nothing to cut at after the point where the smaller budget was reached."""
    small = find_cut_point(entries, 0, len(entries), keep).first_kept_index
    large = find_cut_point(entries, 0, len(entries), keep + more).first_kept_index
    candidates = [at for at in range(len(entries)) if _is_candidate(entries[at])]

    nothing_behind = not candidates or small <= candidates[0]
    assert large <= small or nothing_behind


def _is_candidate(entry: dict[str, Any]) -> bool:
    return entry.get("type") != "compaction" and any(message["role"] in CUT_ROLES for message in entry_messages(entry))


def _tokens(entries: list[dict[str, Any]]) -> int:
    return sum(estimate_tokens(message) for entry in entries for message in entry_messages(entry))
