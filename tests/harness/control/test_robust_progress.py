"""Compactions that are of no use: Pi makes one after the other, the robust profile stops after two and says so."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from rig import START_MS, Rig, call, failed, filler, make_rig, overflowed, said, text

from backslide.harness.control.overflow import is_overflow
from backslide.harness.control.replies import BashRun
from backslide.harness.models.protocol import Reply, metered_usage, zero_usage
from backslide.harness.session import Session
from backslide.harness.session.clock import iso

both = pytest.mark.parametrize("control", ["pi-0.83", "robust"])


def reported(tokens: int) -> Reply:
    """A reply whose provider reports so many tokens, whatever was sent."""
    return Reply([text("ok")], "stop", metered_usage(tokens, 5))


def rig_for(control: str, **options: Any) -> Rig:
    """Pi's strategy with a small tail; the summarizer always has an answer."""
    rig = make_rig("pi-0.83", control=control, **{"keep_tokens": 20, **options})
    rig.summarizer.replies = [said("s")] * 200
    return rig


def begun(control: str, **options: Any) -> Rig:
    """The same with two turns behind it, so that there is something to compact."""
    rig = rig_for(control, **options)
    for number in range(2):
        rig.turn(f"first {number} {filler(30)}", said("ok"))
    return rig


def inflated(rig: Rig, turns: int, tokens: int = 3400) -> None:
    """Turns whose provider reports so many tokens each, whatever was sent."""
    for number in range(turns):
        rig.turn(f"turn {number} {filler(30)}", reported(tokens))


def no_progress(rig: Rig) -> int:
    return sum(end.failure == "no-progress" for end in rig.compactions())


# ---------------------------------------------------------------- 35 in a row


@pytest.mark.parametrize(("control", "compacted"), [("pi-0.83", 35), ("robust", 2)])
def test_35_compactions_in_a_row(control: str, compacted: int) -> None:
    """A provider that counts far more than is sent makes Pi compact after every turn, for good.

    The robust profile makes two, sees that they changed nothing, and goes on without.
    """
    rig = begun(control, window=40_000, reserve=10_000)
    inflated(rig, 35, tokens=34_000)

    assert len(rig.summaries()) == compacted
    assert len(rig.executor.requests) == 37
    assert {message.get("stopReason") for message in rig.agent.messages if message["role"] == "assistant"} == {"stop"}


def test_the_error_has_a_name_and_is_told_once_a_turn() -> None:
    """It says what was tried and what to do; the summarizer is not asked."""
    rig = begun("robust")
    inflated(rig, 4)

    assert no_progress(rig) == 2
    asked = len(rig.summarizer.requests)
    error = rig.compactions()[-1].error
    assert error is not None
    assert error.startswith("NoProgressError: 2 compactions in a row made no progress")
    rig.turn("one more", reported(3400))
    assert (no_progress(rig), len(rig.summarizer.requests)) == (3, asked)


def test_a_context_that_has_grown_is_worth_another_attempt() -> None:
    """After a tenth of the window the tail that would be kept is another one; the row goes on where it was."""
    rig = begun("robust")
    inflated(rig, 3)
    assert (len(rig.summaries()), no_progress(rig)) == (2, 1)

    rig.turn(filler(600, "g"), reported(3400))
    assert (len(rig.summaries()), no_progress(rig)) == (3, 1)
    rig.turn(f"small {filler(30)}", reported(3400))
    assert (len(rig.summaries()), no_progress(rig)) == (3, 2)


def test_another_model_begins_a_new_row() -> None:
    """What was in vain for one window may be enough for another: before its first prompt and after it."""
    rig = begun("robust")
    inflated(rig, 3)
    rig.agent.set_model(rig.agent.model.__class__("backslide", "m2", 4000, 500))
    rig.turn(f"again {filler(30)}", reported(3400))

    assert len(rig.summaries()) == 4


def test_by_hand_it_is_always_tried() -> None:
    """The user's word counts, and what it achieves begins a new row."""
    rig = begun("robust")
    inflated(rig, 3)
    assert rig.compact() is True
    rig.turn(f"more {filler(30)}", reported(3400))

    assert len(rig.summaries()) == 4


@both
def test_turns_that_fill_the_window_are_compacted_each_time(control: str) -> None:
    """Every turn is larger than the threshold and every compaction brings the context down: that is progress."""
    rig = make_rig("handoff", control=control, keep_tokens=60, keep_turns=1, window=6000, summary_tokens=100)
    rig.summarizer.replies = [said("s")] * 40
    for number in range(8):
        rig.turn(filler(4900, f"t{number}x"), said("done"))

    assert len(rig.summaries()) == 8
    assert no_progress(rig) == 0


@both
def test_a_row_ends_with_a_reply_under_the_limit(control: str) -> None:
    """The provider counts for an image what we do not; each turn begins small and ends large, and is compacted."""
    rig = begun(control)
    for number in range(6):
        small = Reply([call(f"c{number}")], "toolUse", metered_usage(300, 5))
        rig.turn(f"turn {number} {filler(30)}", small, reported(3400))

    assert len(rig.summaries()) == 6
    assert no_progress(rig) == 0


# ---------------------------------------------------------------- fires again at once


@pytest.mark.parametrize(("control", "compacted"), [("pi-0.83", 2), ("robust", 1)])
def test_a_compaction_does_not_fire_again_at_once(tmp_path: Path, control: str, compacted: int) -> None:
    """The kept reply still reports the size from before, and was written by a clock that was ahead.

    Pi goes by the time alone and compacts again before the next prompt; the robust profile goes by the place in the file.
    """
    rig = rig_for("pi-0.83", path=tmp_path / "s.jsonl")
    for number in range(3):
        rig.turn(f"turn {number} {filler(30)}", said("ok"))
    rig.turn(f"big one {filler(30)}", reported(3500))
    rig.session.close()
    compaction = next(entry for entry in rig.session.entries if entry["type"] == "compaction")
    text_of_file = (tmp_path / "s.jsonl").read_text()
    (tmp_path / "s.jsonl").write_text(text_of_file.replace(compaction["timestamp"], iso(START_MS - 3_600_000)))

    resumed = rig_for(control, session=Session.open(tmp_path / "s.jsonl", now=rig.clock))
    resumed.clock.now = rig.clock.now
    resumed.agent.record_bash(BashRun("ls", "a.py"))
    resumed.turn("next", said("fine"))

    assert len(resumed.summaries()) == compacted


@both
def test_a_good_compaction_is_followed_by_none(control: str) -> None:
    """Neither by the check before the next prompt nor by the one after it."""
    rig = rig_for(control)
    for number in range(3):
        rig.turn(f"turn {number} {filler(30)}", said("ok"))
    rig.turn(f"big one {filler(30)}", reported(3500))
    for number in range(5):
        rig.turn(f"later {number}", said("ok"))

    assert len(rig.summaries()) == 1


# ---------------------------------------------------------------- overflow


def test_overflows_in_a_row_end_with_a_named_reply() -> None:
    """The provider's window is smaller than we think. Two prompts try; the third gets the named error as its reply.

    With Pi every prompt compacts once more, and its reply is the provider's error.
    """
    replies: dict[str, list[str]] = {}
    rigs = {control: rig_for(control) for control in ("pi-0.83", "robust")}
    for control, rig in rigs.items():
        for number in range(3):
            rig.turn(f"turn {number} {filler(30)}", said("ok"))
        for number in range(5):
            last = rig.turn(f"straw {number} {filler(20)}", overflowed(), overflowed())
            assert last is not None
            assert last["stopReason"] == "error"
            replies.setdefault(control, []).append(last["errorMessage"].split(":")[0])
            rig.executor.replies.clear()

    assert len(rigs["pi-0.83"].summaries()) == 5
    assert replies["pi-0.83"] == ["prompt is too long"] * 5
    assert len(rigs["robust"].summaries()) == 2
    assert replies["robust"] == ["prompt is too long"] * 2 + ["NoProgressError"] * 3
    assert no_progress(rigs["robust"]) == 3
    assert len(rigs["robust"].executor.requests) == 3 + 4 + 3


def test_the_named_reply_is_in_the_file_and_not_in_the_payload() -> None:
    """It reads like the overflow it is, and the next prompt works."""
    rig = rig_for("robust")
    for number in range(3):
        rig.turn(f"turn {number} {filler(30)}", said("ok"))
    for number in range(3):
        rig.turn(f"straw {number} {filler(20)}", overflowed(), overflowed())
        rig.executor.replies.clear()
    last = rig.session.entries[-1]["message"]
    assert last["errorMessage"].startswith("NoProgressError")
    assert is_overflow(last, 4000)
    assert rig.names()[-4:] == ["CompactionEnd", "MessageStart", "MessageEnd", "AgentSettled"]

    answer = rig.turn("short", said("works again"))
    assert answer is not None
    assert answer["content"] == [text("works again")]
    assert not any("NoProgressError" in line for line in rig.sent())


def test_a_summarizer_that_is_down_is_no_row() -> None:
    """A passing failure of the provider says nothing of the next attempt; a lasting one does."""
    down, refused = begun("robust"), begun("robust")
    down.summarizer.replies = [failed("503 busy")] * 9
    refused.summarizer.replies = [failed("prompt is too long: 5000 tokens > 4000 maximum")] * 9
    inflated(down, 4)
    inflated(refused, 4)

    assert (no_progress(down), len(down.summarizer.requests)) == (0, 7)
    assert (no_progress(refused) > 0, len(refused.summarizer.requests)) == (True, 2)


# ---------------------------------------------------------------- no usage, no window


@pytest.mark.parametrize(("control", "compacted"), [("pi-0.83", 0), ("robust", 1)])
def test_a_provider_that_reports_nothing_is_metered(control: str, compacted: int) -> None:
    """Pi never compacts then, until a request overflows; the robust profile counts what it sends."""
    rig = make_rig("pi-0.83", control=control, keep_tokens=200, summaries=[said("s"), said("s")])
    rig.executor.meter = False
    for number in range(5):
        rig.turn(filler(300, f"t{number}x"), Reply([text("ok")], "stop", zero_usage()))

    assert len(rig.summaries()) == compacted
    usage = rig.agent.context_usage()
    assert usage is not None
    if control == "robust":
        assert usage["tokens"] is None  # nothing was reported since the compaction


def test_a_tail_that_fills_the_window_by_itself_ends_a_row_without_any_report() -> None:
    """What is kept is over the threshold after every compaction; metered sizes show it."""
    rig = make_rig("pi-0.83", control="robust", reserve=3000, keep_tokens=1000)
    rig.executor.meter = False
    rig.summarizer.replies = [said("s")] * 50
    for number in range(40):
        rig.turn(f"turn {number}: {filler(60)}", Reply([text("ok")], "stop", zero_usage()))

    after = [end.tokens_after for end in rig.compactions() if end.error is None]
    assert min(after) > 1000
    assert no_progress(rig) > len(after)


@pytest.mark.parametrize(("control", "compacted"), [("pi-0.83", True), ("robust", False)])
def test_an_unknown_window_is_no_small_one(control: str, compacted: bool) -> None:
    """A window of 0 means that nobody knows; Pi takes any context for too large."""
    rig = rig_for(control, window=0)
    rig.executor.refuse = rig.summarizer.refuse = False
    for number in range(4):
        rig.turn(f"turn {number} {filler(30)}", said("ok"))

    assert bool(rig.summaries()) is compacted


def test_the_agent_settles_each_time() -> None:
    """No loop, no crash, whatever the figures say."""
    rig = rig_for("robust")
    for number in range(6):
        rig.turn(f"turn {number}", reported(10**9), reported(10**9))
    asyncio.run(rig.agent.wait_for_idle())

    assert rig.names().count("AgentSettled") == 6
