"""The strategies that the hand-over is compared with, and how strategies are named."""

from __future__ import annotations

import pytest
from rig import COUNTER, Rig, body_text, call, calling, filler, make_rig, overflowed, said, text

from backslide.harness.compaction.prompt_file import load_prompt
from backslide.harness.compaction.strategies import STRATEGIES, make_strategy
from backslide.harness.compaction.strategies.base import add_usage
from backslide.harness.compaction.strategies.trim import NOTE
from backslide.harness.errors import InputError
from backslide.harness.models.protocol import metered_usage


def three_turns(strategy: str, **options: int) -> Rig:
    rig = make_rig(strategy, keep_turns=1, **options)
    for words in ("first", "second", "third"):
        rig.turn(words, said(f"reply to {words}"))
    return rig


def test_trim_drops_the_oldest_and_leaves_a_note() -> None:
    """No summarizer is asked; the kept tail is that of the hand-over."""
    rig = three_turns("trim")
    assert rig.compact()

    assert rig.summarizer.requests == []
    assert [m.get("summary") or m["content"] for m in rig.agent.messages] == [
        NOTE,
        [text("third")],
        [text("reply to third")],
    ]
    assert rig.session.entries[-1]["details"] == {"strategy": "trim"}
    assert "usage" not in rig.session.entries[-1]
    before = sum(
        COUNTER.count(part) + 4 for words in ("first", "second", "third") for part in (words, f"reply to {words}")
    )
    assert rig.session.entries[-1]["tokensBefore"] == before


def test_trim_does_not_pile_up_notes() -> None:
    """A second compaction replaces the first one's note."""
    rig = three_turns("trim")
    rig.compact()
    rig.turn("fourth", said("ok"))
    rig.compact()

    assert [m["role"] for m in rig.agent.messages] == ["compactionSummary", "user", "assistant"]
    assert not rig.compact()


def test_trim_gets_over_an_overflow() -> None:
    """The request is sent again with what is left."""
    rig = three_turns("trim")
    last = rig.turn("fourth", overflowed(), said("fits"))

    assert last is not None
    assert last["content"] == [text("fits")]
    assert "user: first" not in rig.sent()


def test_no_compaction_never_compacts() -> None:
    """Not over the threshold, not by hand, not after an overflow."""
    rig = three_turns("no-compaction", window=300, reserve=299)
    rig.turn("more", overflowed())

    assert not rig.compact()
    assert rig.starts() == []
    assert rig.agent.messages[-1]["stopReason"] == "error"


def test_naive_hands_over_output_cut_at_two_thousand_characters() -> None:
    """With a prompt that asks for the main content, and nothing put back."""
    rig = make_rig(
        "naive", window=9000, keep_turns=1, summaries=[said("## Rejected paths\n- mutex"), said("They talked.")]
    )
    rig.tools.results = {"a": "x" * 5000}
    rig.turn("look", calling(call("a", command="cat big")), said("seen"))
    rig.turn("second", said("two"))
    rig.compact()
    rig.turn("third", said("three"))
    rig.compact()
    first = body_text(rig.summarizer.requests[0].messages[1])

    assert f"[Tool result (bash)]: {'x' * 2000}\n[… 3000 more characters]" in first
    assert first.endswith(
        "Please summarize the main content of the conversation above. Keep the important information."
    )
    assert rig.summaries() == ["## Rejected paths\n- mutex", "They talked."]
    assert rig.session.entries[-1]["details"] == {"strategy": "naive"}


def test_naive_and_handoff_keep_the_same_tail() -> None:
    """A comparison of the two compares prompts and records, nothing else."""
    tails = []
    for strategy in ("naive", "handoff", "trim"):
        rig = make_rig(strategy, keep_turns=3, keep_tokens=300, summaries=[said("s")])
        for number in range(6):
            rig.turn(f"ask {number}", said(filler(40, f"{number}w")))
        rig.compact()
        tails.append([m["content"] for m in rig.agent.messages[1:]])

    assert tails[0] == tails[1] == tails[2]
    assert len(tails[0]) > 1


def test_pi_keeps_by_its_own_rule() -> None:
    """Its cut counts estimated tokens, not turns, and its summary carries file lists."""
    rig = make_rig(
        "pi-0.83", keep_tokens=20, summary_tokens=None, summaries=[said("the checkpoint"), said("the prefix")]
    )
    rig.turn("first", calling(call("a", "read", path="src/a.py")), said("one"))
    rig.turn("second", said(filler(60)))
    rig.compact()

    assert rig.summaries()[0].startswith("the checkpoint")
    assert "<read-files>\nsrc/a.py\n</read-files>" in rig.summaries()[0]
    assert [request.max_tokens for request in rig.summarizer.requests] == [500, 500]


def test_strategies_are_known_by_name() -> None:
    """Each says its name; the default comes first; a prompt may be replaced."""
    assert next(iter(STRATEGIES)) == "handoff"
    for name in STRATEGIES:
        assert make_strategy(name).name == name
        assert make_strategy(name).enabled == (name != "no-compaction")
    assert make_strategy("handoff", load_prompt("naive")).prompt.name == "naive"  # type: ignore[attr-defined]


def test_an_unknown_strategy_is_refused() -> None:
    """With the names that exist."""
    with pytest.raises(InputError, match="unknown strategy 'hand-off'; known are handoff, naive, trim"):
        make_strategy("hand-off")


def test_usages_add_up() -> None:
    """Counts and costs, with what only one of them has."""
    left = {**metered_usage(10, 5), "reasoning": 3}
    right = metered_usage(1, 2)
    right["cost"] = {**right["cost"], "total": 0.5}

    total = add_usage(left, right)
    assert (total["input"], total["output"], total["totalTokens"], total["reasoning"]) == (11, 7, 18, 3)
    assert total["cost"]["total"] == 0.5
    assert add_usage(None, right) is right
