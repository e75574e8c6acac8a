"""Where the kept tail begins."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.harness.compaction.strategies.tail import Cut, find_tail, first_after_compaction

SIZES = {"u": 10, "a": 10, "c": 10, "r": 10, "R": 1000, "U": 1000, "e": 0, "b": 10, "k": 10}
ROLES = {"u": "user", "U": "user", "a": "assistant", "c": "assistant", "e": "assistant", "r": "toolResult", "R": "toolResult", "b": "bashExecution", "k": "custom"}  # fmt: skip


def path(shape: str, compacted: int | None = None) -> list[dict[str, Any]]:
    """One entry a letter: u/U user (large), a answer, c call, r/R result (large), e failed reply, b bash, k custom, l label.

    `compacted` puts a compaction in front that kept so many of the entries.
    """
    entries: list[dict[str, Any]] = []
    parent: str | None = None
    for number, letter in enumerate(shape):
        if number == compacted:
            parent = "compaction"
        entry = {
            "id": f"{number}",
            "parentId": parent,
            "type": "label" if letter == "l" else "message",
            "letter": letter,
        }
        entries.append(entry)
        parent = f"{number}"
    if compacted is None:
        return entries
    return [{"id": "compaction", "type": "compaction", "summary": "s"}, *entries]


def messages_of(entry: dict[str, Any]) -> list[dict[str, Any]]:
    if entry["type"] == "compaction":
        return [{"role": "compactionSummary", "size": 50}]
    if entry["type"] == "label":
        return []
    return [{"role": ROLES[entry["letter"]], "size": SIZES[entry["letter"]]}]


def cut(shape: str, *, turns: int = 2, tokens: float = 100, compacted: int | None = None) -> str | None:
    """The kept letters, marked with "…" where the cut splits a turn."""
    entries = path(shape, compacted)
    found = find_tail(entries, messages_of, lambda message: message["size"], keep_turns=turns, keep_tokens=tokens)
    if found is None:
        return None
    kept = "".join(entry["letter"] for entry in entries[found.index :])
    return f"…{kept}" if found.split_turn else kept


def test_whole_recent_turns_are_kept_by_number() -> None:
    """The newest ones, and no more than asked for."""
    assert cut("uauaua") == "uaua"
    assert cut("uauaua", turns=1) == "ua"
    assert cut("ucrauaucra", turns=2) == "uaucra"


def test_whole_recent_turns_are_kept_by_tokens() -> None:
    """A turn that would exceed the budget stays out, and so does everything before it."""
    assert cut("uauaua", turns=9, tokens=40) == "uaua"
    assert cut("uauaua", turns=9, tokens=39) == "ua"
    assert cut("uaUaua", turns=9, tokens=100) == "ua"


def test_nothing_to_compact() -> None:
    """Everything fits, there is one turn, or nothing at all."""
    assert cut("uaua") is None
    assert cut("u") is None
    assert cut("") is None
    assert cut("lua") is None


def test_a_turn_that_is_too_large_is_split_at_a_reply() -> None:
    """The tail starts at the first reply from which the rest fits."""
    assert cut("ucRcra", tokens=40) == "…cra"
    assert cut("uaUcrcra", tokens=60) == "…crcra"


def test_a_last_result_larger_than_the_budget_leaves_something_to_compact() -> None:
    """Its call is kept with it, everything before is compacted."""
    assert cut("uaucR", tokens=50) == "…cR"
    assert cut("ucrcR", tokens=50) == "…cR"


def test_a_call_is_never_cut_from_its_result() -> None:
    """Parallel results stay with the reply that called for them."""
    assert cut("uaucrrrr", tokens=25) == "…crrrr"


def test_a_failed_reply_after_a_giant_result_lets_go_of_the_result() -> None:
    """The result is what did not fit, so keeping it would overflow again."""
    assert cut("uaucRe", tokens=50) == "…e"


def test_metadata_splits_no_turn() -> None:
    """A label or model change in front of a user message, where Pi takes the turn before it apart."""
    assert cut("ualualua", turns=2) == "ualua"
    assert cut("uallllua", turns=1) == "ua"


def test_custom_messages_and_commands_start_turns() -> None:
    """They stand between two replies as a user's words do."""
    assert cut("uakaba", turns=2) == "kaba"


def test_what_the_last_compaction_kept_is_compacted_now() -> None:
    """A cut never reaches back over the previous compaction, whose summary would be sent twice."""
    assert cut("uauaua", turns=9, compacted=2) == "uaua"
    assert cut("uaua", turns=9, compacted=2) == "ua"
    assert cut("ua", turns=9, compacted=2) is None
    assert cut("uacrcr", tokens=25, compacted=2) == "…cr"


def test_right_after_a_compaction_there_is_nothing_to_compact() -> None:
    """Nothing new, or only metadata."""
    entries = path("ua", compacted=2)
    assert first_after_compaction(entries) == 3
    assert cut("ual", compacted=2) is None


@settings(deadline=None, max_examples=300)
@given(
    st.text(alphabet="uUacrRebkl", max_size=14),
    st.integers(1, 4),
    st.sampled_from([0, 15, 40, 100, 2000]),
    st.integers(0, 14) | st.none(),
)
def test_cuts_hold_what_they_promise(shape: str, turns: int, tokens: int, compacted: int | None) -> None:
    """Never at a result, never before the last compaction, never with nothing to compact, budgets kept by whole turns."""
    entries = path(shape, None if compacted is None or compacted > len(shape) else compacted)
    found = find_tail(entries, messages_of, lambda message: message["size"], keep_turns=turns, keep_tokens=tokens)
    if found is None:
        return

    head, tail = entries[: found.index], entries[found.index :]
    roles = [message["role"] for entry in tail for message in messages_of(entry)]
    assert isinstance(found, Cut)
    assert roles[0] != "toolResult"
    assert found.index >= first_after_compaction(entries)
    assert any(messages_of(entry) for entry in head if entry["type"] == "message")
    assert found.split_turn == (roles[0] == "assistant")
    if not found.split_turn:
        starts = [role for role in roles if role in {"user", "custom", "bashExecution"}]
        size = sum(message["size"] for entry in tail for message in messages_of(entry))
        assert len(starts) <= turns
        assert size <= tokens or len(starts) == 1
