"""When an agent compacts, and what its context and file are after it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from rig import Rig, call, calling, failed, filler, make_rig, overflowed, said, text

from backslide.harness.compaction.strategies.base import CompactionError
from backslide.harness.models.protocol import Reply, metered_usage, zero_usage
from backslide.harness.session import Session
from backslide.harness.session.clock import parse_ms


def used(tokens: int, words: str = "ok") -> Reply:
    """A reply whose provider reports so many tokens."""
    return Reply([text(words)], "stop", metered_usage(tokens, 5))


def grown(strategy: str = "handoff", turns: int = 3, **options: Any) -> Rig:
    """An agent with some ordinary turns behind it, far from its threshold."""
    rig = make_rig(strategy, keep_turns=1, **options)
    for number in range(turns):
        rig.turn(f"turn {number}: {filler(40, f'u{number}x')}", said(f"reply {number}"))
    return rig


def test_over_the_threshold_the_session_is_compacted_after_the_run() -> None:
    """The compaction follows the run, is no reason to ask again, and comes before the prompt settles."""
    rig = grown(summaries=[said("## Goal\nthe hand-over")])
    rig.turn("big one", used(3500))

    assert [start.reason for start in rig.starts()] == ["threshold"]
    assert rig.names()[-4:] == ["AgentEnd", "CompactionStart", "CompactionEnd", "AgentSettled"]
    assert len(rig.executor.requests) == 4
    assert [message["role"] for message in rig.agent.messages] == ["compactionSummary", "user", "assistant"]


def test_the_next_prompt_is_sent_with_the_summary() -> None:
    """What came before the kept tail is in the summary alone."""
    rig = grown(summaries=[said("## Goal\nthe hand-over")])
    rig.turn("big one", used(3500))
    rig.turn("and then?", said("more"))

    sent = rig.sent()
    assert "the hand-over" in sent[1]
    assert sent[2:] == ["user: big one", "assistant: ok", "user: and then?"]


@pytest.mark.parametrize(("tokens", "compactions"), [(2995, 0), (2996, 1)])
def test_the_threshold_is_strict(tokens: int, compactions: int) -> None:
    """A total of exactly window minus reserve does not compact; one token more does."""
    rig = grown(window=4000, reserve=1000, summaries=[said("s")])
    rig.turn("x", used(tokens))  # and five tokens of output

    assert len(rig.compactions()) == compactions


def test_nothing_is_compacted_between_tool_rounds() -> None:
    """A run is finished first, however large its context has become."""
    rig = grown(summaries=[said("s")])
    rig.turn("go", Reply([call("a")], "toolUse", metered_usage(3900, 5)), used(3950))

    names = rig.names()
    assert names.count("CompactionStart") == 1
    assert names.index("CompactionStart") > len(names) - 1 - names[::-1].index("AgentEnd")


def test_stale_usage_does_not_compact_again() -> None:
    """The kept reply still says 3,500 tokens, but that was before the compaction."""
    rig = grown(summaries=[said("one"), said("two")])
    rig.turn("big one", used(3500))
    rig.turn("small one", used(300))

    assert len(rig.compactions()) == 1


def test_an_equal_time_counts_as_before_the_compaction() -> None:
    """A reply of the same millisecond as the compaction is older."""
    rig = grown(summaries=[said("one"), said("two")])
    rig.turn("big one", used(3500))
    compaction = next(entry for entry in rig.session.entries if entry["type"] == "compaction")
    moment = parse_ms(compaction["timestamp"])
    rig.clock.now = int(moment) - 3000  # read for the prompt, its entry and then the reply
    rig.turn("next", used(3500))
    assert len(rig.compactions()) == 1

    rig.clock.now = int(moment) - 2999
    rig.turn("next", used(3500))
    assert len(rig.compactions()) == 2


def test_a_session_with_an_unreadable_time_is_no_reason_to_fail() -> None:
    """A foreign file may hold any timestamp; the compaction then counts as older."""
    rig = grown(summaries=[said("one"), said("two")])
    rig.turn("big one", used(3500))
    next(entry for entry in rig.session.entries if entry["type"] == "compaction")["timestamp"] = "yesterday"

    assert rig.turn("go on", used(300)) is not None


def test_disabled_compaction_never_happens() -> None:
    """Neither over the threshold nor after an overflow."""
    rig = grown(enabled=False)
    rig.turn("big one", used(3900))
    rig.turn("bigger one", overflowed())

    assert rig.starts() == []
    assert [message["role"] for message in rig.agent.messages[-2:]] == ["user", "assistant"]


@pytest.mark.parametrize("usage", [zero_usage(), {}, {"input": 7}], ids=["zero", "none", "half"])
def test_a_provider_without_usage_is_metered(usage: dict[str, Any]) -> None:
    """What no usage tells is counted: a context over the threshold is compacted before the next prompt."""
    rig = grown("no-compaction", turns=3, window=50_000)
    rig.turn(filler(1000), said("ok"))
    rig.session.entries[-1]["message"]["usage"] = usage
    metered = rig.agent.payloads.context_tokens(rig.agent.messages)

    under = make_rig(session=rig.session, window=metered + 1000, reserve=1000, keep_turns=1)
    under.prompt("next")
    assert under.names()[0] == "AgentStart"
    rig.session.move_to(rig.session.entries[-3]["id"])
    over = make_rig(session=rig.session, window=metered + 999, reserve=1000, keep_turns=1)
    over.prompt("next")
    assert over.names()[0] == "CompactionStart"


def test_an_overflow_is_compacted_and_asked_again_once() -> None:
    """The failed reply leaves the context, the session is compacted, the same request is sent again."""
    rig = grown(summaries=[said("the hand-over")])
    last = rig.turn("the straw", overflowed(), said("now it fits"))

    assert last is not None
    assert last["content"] == [text("now it fits")]
    assert [(end.reason, end.will_retry, end.error) for end in rig.compactions()] == [("overflow", True, None)]
    assert [message["role"] for message in rig.agent.messages] == ["compactionSummary", "user", "assistant"]
    assert rig.sent()[-1] == "user: the straw"
    failed_entries = [e for e in rig.session.entries if e.get("message", {}).get("stopReason") == "error"]
    assert len(failed_entries) == 1


def test_a_second_overflow_gives_up_and_says_so() -> None:
    """One retry for a prompt; then an event with the error, and the failed reply is the answer."""
    rig = grown(summaries=[said("the hand-over")])
    last = rig.turn("the straw", overflowed(), overflowed())

    assert last is not None
    assert last["stopReason"] == "error"
    first, second = rig.compactions()
    assert first.error is None
    assert second.error == "the context still exceeds the window after a compaction"
    assert not second.will_retry
    assert len(rig.session.view().compactions) == 1
    assert rig.names()[-1] == "AgentSettled"


def test_recovery_may_be_tried_again_for_the_next_prompt() -> None:
    """Giving up holds for one prompt only."""
    rig = grown(summaries=[said("one"), said("two")])
    rig.turn("the straw", overflowed(), overflowed())
    last = rig.turn("another", overflowed(), said("fits"))

    assert last is not None
    assert last["content"] == [text("fits")]
    assert len(rig.session.view().compactions) == 2


def test_a_finished_answer_over_the_window_is_not_asked_again() -> None:
    """The provider took more than the window holds: compact, keep the answer."""
    rig = grown(window=4000, summaries=[said("the hand-over")])
    rig.turn("go", Reply([text("the answer")], "stop", metered_usage(4200, 5)))

    assert [(end.reason, end.will_retry) for end in rig.compactions()] == [("overflow", False)]
    assert len(rig.executor.requests) == 4
    assert rig.agent.messages[-1]["content"] == [text("the answer")]


def test_a_length_stop_without_output_is_asked_again_without_it() -> None:
    """A window that is full to the brim leaves no room for output; the empty reply does not stay in the context."""
    rig = grown(window=4000, summaries=[said("the hand-over")])
    empty = Reply([], "length", metered_usage(3990, 0))
    last = rig.turn("go", empty, said("with room"))

    assert last is not None
    assert last["content"] == [text("with room")]
    assert [m["role"] for m in rig.agent.messages] == ["compactionSummary", "user", "assistant"]


def test_an_overflow_of_another_model_is_not_recovered() -> None:
    """What another model could not hold says nothing of this one."""
    rig = grown(summaries=[said("one")])
    rig.turn("go", said("fine"))
    rig.agent.messages[-1].update(model="another", stopReason="error", errorMessage="prompt is too long")
    rig.turn("go on", said("fine"))

    assert rig.starts() == []


def test_an_aborted_reply_compacts_before_the_next_prompt_only() -> None:
    """The user has stopped the run: nothing goes on behind his back."""
    rig = grown(summaries=[said("the hand-over")])
    rig.turn("go", Reply([text("half")], "aborted", metered_usage(3500, 5)))
    assert rig.starts() == []
    rig.turn("go on", said("ok"))

    assert [start.reason for start in rig.starts()] == ["threshold"]


def test_a_failed_summarizer_leaves_everything_as_it_was(tmp_path: Path) -> None:
    """The event has the error; file and context are unchanged; the next prompt works and tries again."""
    rig = grown(summaries=[failed("503 summarizer down"), said("the hand-over")], path=tmp_path / "s.jsonl")
    rig.executor.replies.append(used(3500))
    watched: list[tuple[int, bytes]] = []
    rig.agent.subscribe(
        lambda event: (
            watched.append((len(rig.agent.messages), (tmp_path / "s.jsonl").read_bytes()))
            if type(event).__name__ in {"CompactionStart", "CompactionEnd"}
            else None
        )
    )
    rig.prompt("big one")

    (end,) = rig.compactions()
    assert end.error == "503 summarizer down"
    assert end.summary is None
    assert end.tokens_before == end.tokens_after
    assert watched[0] == watched[1]
    assert rig.session.view().compactions == []

    last = rig.turn("and now?", used(300, "still here"))
    assert last is not None
    assert last["content"] == [text("still here")]
    assert len(rig.session.view().compactions) == 1


def test_a_failed_summarizer_after_an_overflow_is_not_called_a_second_overflow() -> None:
    """Nothing was compacted, so nothing can be said of the context after a compaction."""
    rig = grown(summaries=[failed("503"), said("the hand-over")])
    rig.turn("the straw", overflowed())
    last = rig.turn("another", overflowed(), said("fits"))

    assert last is not None
    assert last["content"] == [text("fits")]
    assert [end.error for end in rig.compactions()] == ["503", None]


def test_an_empty_summary_is_refused() -> None:
    """A session is not replaced by nothing."""
    rig = grown(summaries=[said("  \n ")])
    rig.turn("big one", used(3500))

    assert rig.compactions()[0].error == "the summarizer answered nothing"
    assert rig.session.view().compactions == []


def test_compacting_by_hand() -> None:
    """Manual compaction needs no threshold; a failure is raised; with nothing to compact it says so."""
    rig = grown(summaries=[failed("down"), said("the hand-over")])
    with pytest.raises(CompactionError, match="down"):
        rig.compact()
    assert rig.compact() is True
    assert [end.reason for end in rig.compactions()] == ["manual", "manual"]
    assert rig.compact() is False


def test_instructions_reach_the_summarizer() -> None:
    """A user's wishes stand at the end of the request."""
    rig = grown(summaries=[said("the hand-over")])
    asyncio.run(rig.agent.compact("keep the port numbers"))

    assert rig.summarizer.texts()[0].endswith("Additional focus: keep the port numbers")


def test_the_events_carry_the_context_before_and_after() -> None:
    """Start: what would have been sent; end: what will be sent; sizes are those of the contexts."""
    rig = make_rig(keep_turns=1, summaries=[said("short")])
    contexts: list[tuple[str, list[str]]] = []
    rig.agent.subscribe(
        lambda event: (
            contexts.append((type(event).__name__, [m["role"] for m in event.context]))
            if hasattr(event, "context")
            else None
        )
    )
    rig.turn(filler(300), said("a"))
    rig.turn("next", used(3500))

    assert contexts == [
        ("CompactionStart", ["user", "assistant", "user", "assistant"]),
        ("CompactionEnd", ["compactionSummary", "user", "assistant"]),
    ]
    (end,) = rig.compactions()
    assert end.tokens_before - end.tokens_after > 200
    assert end.tokens_after == rig.agent.payloads.context_tokens(rig.agent.messages)
    assert end.summary == "short"


def test_reopening_the_file_gives_the_compacted_context(tmp_path: Path) -> None:
    """What the agent works with and what the file says are the same."""
    rig = grown(summaries=[said("the hand-over")], path=tmp_path / "s.jsonl")
    rig.turn("big one", used(3500))
    rig.turn("next", said("more"))
    rig.session.close()

    reopened = Session.open(tmp_path / "s.jsonl").context().messages
    assert json.dumps(reopened) == json.dumps(rig.agent.messages)


def test_a_resumed_session_over_the_threshold_is_compacted_before_the_prompt(tmp_path: Path) -> None:
    """An agent that was closed over the threshold does not start with an overflow."""
    rig = grown("no-compaction", path=tmp_path / "s.jsonl")
    rig.turn("big one", used(3500))
    rig.session.close()
    resumed = make_rig(session=Session.open(tmp_path / "s.jsonl"), keep_turns=1, summaries=[said("the hand-over")])
    resumed.turn("go on", said("ok"))

    assert resumed.names()[:3] == ["CompactionStart", "CompactionEnd", "AgentStart"]
    assert resumed.sent()[2:] == ["user: big one", "assistant: ok", "user: go on"]


def test_a_tool_round_that_overflows_goes_on_after_the_compaction() -> None:
    """The tools' results are in the file; the run continues from the compacted context."""
    rig = grown(summaries=[said("the hand-over")])
    rig.tools.results = {"a": filler(300, "out")}
    last = rig.turn("look", calling(call("a", command="cat big")), overflowed(), said("seen"))

    assert last is not None
    assert last["content"] == [text("seen")]
    assert rig.compactions()[0].error is None
    kept = [message["role"] for message in rig.agent.messages]
    assert kept[0] == "compactionSummary"
    assert kept[-1] == "assistant"
