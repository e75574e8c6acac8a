from __future__ import annotations

from typing import Any

from session_builders import assistant, new_session, result, user

from backslide.harness.control.usage import cache_waste, context_usage, session_stats, usage_breakdown
from backslide.harness.settings import Cost, ModelInfo

MODEL = ModelInfo("acme", "a-1", context_window=1000, cost=Cost(2, 8, 0.5, 2.5))


def usage(given: int = 0, read: int = 0, written: int = 0, cost: float = 0) -> dict[str, Any]:
    counts = {"input": given, "output": 1, "cacheRead": read, "cacheWrite": written}
    costs = {"input": cost, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": cost}
    return {**counts, "totalTokens": sum(counts.values()), "cost": costs}


def test_everything_that_was_paid_for_counts() -> None:
    """All branches, failed replies, tool results and summaries, compacted away or not."""
    session = new_session()
    first = session.append_message(user())
    session.append_message(assistant("a", usage=usage(10, cost=1)))
    session.append_message({**result("c1"), "usage": usage(5, cost=2)})
    session.move_to(first)
    session.append_message(assistant("b", usage=usage(20, cost=3), stopReason="error", model="a-2"))
    session.append_compaction(summary="S", first_kept_entry_id="gone", tokens_before=1, usage=usage(7, cost=4))

    document = session_stats(session.entries).document()

    assert tuple(document[key] for key in ("userMessages", "assistantMessages", "toolResults", "totalMessages")) == (
        1,
        2,
        1,
        4,
    )
    assert document["tokens"] == {"input": 42, "output": 4, "cacheRead": 0, "cacheWrite": 0, "total": 46}
    assert document["cost"] == 10
    assert [(row["key"], row["cost"]) for row in usage_breakdown(session.entries)] == [
        ("Tools/summaries", 6),
        ("acme/a-2", 3),
        ("acme/a-1", 1),
    ]


def test_a_missing_count_is_unknown_and_a_missing_usage_is_nothing() -> None:
    """A sum never pretends to know more than its parts."""
    session = new_session()
    session.append_message(assistant("a", usage=usage(10)))
    session.append_message(assistant("no usage"))
    assert session_stats(session.entries).document()["tokens"]["total"] == 11

    torn = {key: value for key, value in usage(10).items() if key != "cacheRead"}
    session.append_message(assistant("b", usage=torn))
    tokens = session_stats(session.entries).document()["tokens"]
    assert (tokens["input"], tokens["cacheRead"], tokens["total"]) == (20, None, None)


def test_the_context_is_unknown_between_a_compaction_and_the_next_reply() -> None:
    """A failed reply does not make it known."""
    session = new_session()
    session.append_message(assistant("a", usage=usage(99)))
    assert context_usage(session, session.context().messages, MODEL) == {
        "tokens": 100,
        "contextWindow": 1000,
        "percent": 10,
    }

    session.append_compaction(summary="S", first_kept_entry_id="e0", tokens_before=1)
    session.append_message(assistant("b", usage=usage(50), stopReason="error"))
    after = context_usage(session, session.context().messages, MODEL)
    assert after is not None
    assert after["tokens"] is None

    session.append_message(assistant("c", usage=usage(49)))
    after = context_usage(session, session.context().messages, MODEL)
    assert after is not None
    assert after["tokens"] == 50


def test_prompt_tokens_that_were_cached_and_are_paid_again_are_waste() -> None:
    """Once caching was reported; small misses are noise; a compaction starts anew."""
    session = new_session()
    for sent in (usage(5000), usage(5000), usage(0, written=5000), usage(5000, cost=0.01), usage(1000, read=4500)):
        session.append_message(assistant("a", usage=sent))
    session.append_compaction(summary="S", first_kept_entry_id="gone", tokens_before=1)
    session.append_message(assistant("a", usage=usage(5000)))

    waste = cache_waste(session.entries, MODEL)

    assert (waste["missedTokens"], waste["missCount"]) == (10000, 2)
    assert abs(waste["missedCost"] - 5000 * (0.01 / 5000 - 0.5e-6)) < 1e-12
