"""What reaches a provider under the robust profile: paired results, output limits, tails by true size."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rig import Rig, call, filler, make_rig, said, text

from backslide.harness.compaction.strategies.base import CompactionError
from backslide.harness.control.errors import CannotContinueError
from backslide.harness.control.pairing import Pairing
from backslide.harness.models.protocol import Reply, metered_usage, zero_usage
from backslide.harness.session import Session
from backslide.harness.settings import ModelInfo
from backslide.harness.wire import to_openai_messages

both = pytest.mark.parametrize("control", ["pi-0.83", "robust"])
CHINESE = (
    "请把缓存写入磁盘，不要放在内存里。导入器每次启动都要重新建立索引，运行完所有测试以后再提交，解析器不能使用线程。"
)
JAPANESE = "キャッシュはディスクに書き込み、メモリには置かないでください。起動のたびに索引を作り直し、すべてのテストを実行してからコミットします。"


def result(call_id: str, words: str = "ok") -> dict[str, Any]:
    return {
        "role": "toolResult",
        "toolCallId": call_id,
        "toolName": "bash",
        "content": [text(words)],
        "isError": False,
        "timestamp": 1,
    }


def asked(*calls: dict[str, Any], stop: str = "toolUse") -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": list(calls),
        "api": "openai-completions",
        "provider": "backslide",
        "model": "m",
        "usage": zero_usage(),
        "stopReason": stop,
        "timestamp": 1,
    }


def user(words: str = "go") -> dict[str, Any]:
    return {"role": "user", "content": [text(words)], "timestamp": 1}


def bash(exclude: bool) -> dict[str, Any]:
    return {"role": "bashExecution", "command": "ls", "output": "", "excludeFromContext": exclude, "timestamp": 1}


def results_sent(rig: Rig) -> list[str]:
    return [m["tool_call_id"] for m in rig.executor.requests[-1].messages if m["role"] == "tool"]


ORPHANS = {
    "the branch starts in the middle of a turn": ([result("a"), user()], []),
    "its reply failed": ([user(), asked(call("a"), stop="error"), result("a")], []),
    "its reply was aborted": ([user(), asked(call("a"), stop="aborted"), result("a"), user()], []),
    "nobody called it": ([user(), asked(call("a")), result("a"), result("b")], ["a"]),
    "it answers twice": ([user(), asked(call("a")), result("a"), result("a", "again")], ["a"]),
    "a user came in between": ([user(), asked(call("a"), call("b")), result("a"), user(), result("b")], ["a", "b"]),
    "a command came in between": ([user(), asked(call("a")), bash(exclude=False), result("a")], ["a"]),
    "another reply came in between": (
        [user(), asked(call("a")), asked(call("b")), result("a"), result("b")],
        ["a", "b"],
    ),
}


@pytest.mark.parametrize("name", ORPHANS)
def test_an_orphan_result_never_reaches_a_payload(name: str) -> None:
    """Pi sends it, and a provider refuses the request; calls without a result get one that says so in both."""
    history, expected = ORPHANS[name]
    sent: dict[str, list[str]] = {}
    for control in ("pi-0.83", "robust"):
        session = Session.create(None, cwd="/w")
        for message in history:
            session.append_message(message)
        rig = make_rig(session=session, control=control, strategy="no-compaction")
        rig.turn("and now?", said("fine"))
        sent[control] = results_sent(rig)
        assert rig.agent.messages[: len(history)] == history

    assert sent["robust"] == expected
    assert len(sent["pi-0.83"]) == len(expected) + 1


def test_a_command_that_no_model_sees_separates_nothing() -> None:
    """The result still follows its call on the wire."""
    session = Session.create(None, cwd="/w")
    for message in (user(), asked(call("a")), bash(exclude=True), result("a")):
        session.append_message(message)
    rig = make_rig(session=session, control="robust", strategy="no-compaction")
    rig.turn("and now?", said("fine"))

    assert [message["content"] for message in rig.executor.requests[-1].messages if message["role"] == "tool"] == ["ok"]


def test_no_orphan_after_a_compaction_or_a_move() -> None:
    """A foreign compaction kept a result without its call; and so does a branch that goes on from there."""
    session = Session.create(None, cwd="/w")
    session.append_message(user())
    session.append_message(asked(call("a")))
    kept = session.append_message(result("a", "orphaned words"))
    session.append_message(asked(text("done"), stop="stop"))
    session.append_compaction(summary="s", first_kept_entry_id=kept, tokens_before=9)
    rig = make_rig(session=session, control="robust", strategy="no-compaction")
    rig.turn("next", said("fine"))
    assert [m["role"] for m in rig.executor.requests[-1].messages] == ["system", "user", "assistant", "user"]

    target = next(e["id"] for e in session.entries if e["type"] == "compaction")
    asyncio.run(rig.agent.navigate(target))
    rig.turn("elsewhere", said("fine"))
    assert results_sent(rig) == []
    assert not any("orphaned words" in line for line in rig.sent())


PIECES = st.one_of(
    st.just("user"),
    st.tuples(st.just("asked"), st.lists(st.sampled_from("abc"), unique=True, max_size=3), st.booleans()),
    st.tuples(st.just("result"), st.sampled_from("abc")),
    st.tuples(st.just("bash"), st.booleans()),
)


def made(piece: Any) -> dict[str, Any]:
    match piece:
        case ("asked", ids, failed):
            return asked(*[call(name) for name in ids], stop="error" if failed else "toolUse")
        case ("result", name):
            return result(name)
        case ("bash", exclude):
            return bash(exclude)
        case _:
            return user()


@given(pieces=st.lists(PIECES, max_size=14), steps=st.lists(st.integers(1, 4), max_size=14))
@settings(max_examples=150, deadline=None)
def test_whatever_the_history_every_result_has_its_call(pieces: list[Any], steps: list[int]) -> None:
    """On the wire each result answers a call of the reply before it, once; looking step by step makes no difference."""
    history = [made(piece) for piece in pieces]
    pairing, growing = Pairing(), []
    for step in [*steps, len(history)]:
        growing += history[len(growing) : len(growing) + step]
        kept = pairing.paired(growing)
    assert kept == Pairing().paired(list(history))
    assert [m for m in kept if m["role"] != "toolResult"] == [m for m in history if m["role"] != "toolResult"]

    open_calls: list[str] = []
    for message in to_openai_messages(kept, ModelInfo("backslide", "m")):
        if message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
        else:
            assert open_calls == []
            open_calls = [made_call["id"] for made_call in message.get("tool_calls") or []]


def test_a_history_in_order_is_not_copied() -> None:
    """The list itself is sent, so that a request costs what the context has grown by."""
    pairing = Pairing()
    messages = [user(), asked(call("a")), result("a")]
    assert pairing.paired(messages) is messages
    messages.append(result("a"))
    kept = pairing.paired(messages)
    messages.append(user())

    assert pairing.paired(messages) is kept
    assert len(kept) == 4


# ---------------------------------------------------------------- output limits


@pytest.mark.parametrize(("control", "limit"), [("pi-0.83", 2048), ("robust", 500)])
def test_no_more_output_is_asked_for_than_the_model_allows(control: str, limit: int) -> None:
    """A branch summary may have 2,048 tokens, the model 500: Pi asks for what a provider refuses."""
    rig = make_rig(control=control, window=20_000, summaries=[said("what was tried")])
    for word in ("one", "two"):
        rig.turn(word, said(f"{word}!"))
    asyncio.run(rig.agent.navigate(rig.session.entries[1]["id"], summarize=True))

    assert json.loads(rig.summarizer.requests[0].body)["max_completion_tokens"] == limit


@both
def test_turns_ask_for_what_the_model_allows(control: str) -> None:
    """At most the model's own limit."""
    rig = make_rig(control=control, window=20_000)
    rig.turn("one", said("one!"))

    assert json.loads(rig.executor.requests[0].body)["max_completion_tokens"] == 500


# ---------------------------------------------------------------- tails


def read_a_large_file(control: str, strategy: str) -> Rig:
    """Four turns, then one that was stopped after a result larger than the kept tail."""
    rig = make_rig(strategy, control=control, keep_tokens=100, summaries=[said("the hand-over")])
    for number in range(4):
        rig.turn(f"turn {number}: {filler(60)}", said("ok"))
    for message in (user("read it"), asked(call("big")), result("big", filler(1200, "out"))):
        rig.session.append_message(message)
    rig.agent.messages = list(rig.session.context().messages)
    return rig


def test_a_last_tool_result_over_the_budget_leaves_something_to_compact() -> None:
    """Pi finds no place to cut behind it and compacts nothing; the other keeps the call with its result."""
    with pytest.raises(CompactionError, match="Nothing to compact"):
        read_a_large_file("pi-0.83", "pi-0.83").compact()

    rig = read_a_large_file("robust", "handoff")
    assert rig.compact() is True
    assert [message["role"] for message in rig.agent.messages] == ["compactionSummary", "assistant", "toolResult"]


def stopped_for_length(control: str) -> Rig:
    """A window full to the brim: the reply stops for its length and holds nothing."""
    rig = make_rig("pi-0.83", control=control, keep_tokens=20, summaries=[said("s"), said("s")])
    for number in range(3):
        rig.turn(f"turn {number} {filler(40)}", said("ok"))
    rig.executor.replies = [Reply([], "length", metered_usage(3990, 0)), said("with room")]
    return rig


def test_a_length_stop_overflow_does_not_crash_the_prompt() -> None:
    """With Pi the compacted context ends in the empty reply, and the run ends with an error out of the prompt."""
    with pytest.raises(CannotContinueError):
        stopped_for_length("pi-0.83").prompt("go")

    last = stopped_for_length("robust").prompt("go")
    assert last is not None
    assert last["content"] == [text("with room")]


# ---------------------------------------------------------------- Chinese and Japanese


@pytest.mark.parametrize("sentence", [CHINESE, JAPANESE], ids=["Chinese", "Japanese"])
def test_text_whose_estimate_is_far_too_low(sentence: str) -> None:
    """A quarter of the characters is less than half of the tokens: Pi keeps more than twice what it may."""
    kept: dict[str, int] = {}
    for control, strategy in (("pi-0.83", "pi-0.83"), ("robust", "handoff")):
        rig = make_rig(strategy, control=control, window=30_000, keep_tokens=600, keep_turns=30)
        rig.summarizer.replies = [said("s")] * 2
        for number in range(30):
            rig.turn(f"{number}: {sentence}", said(sentence))
        assert rig.compact()
        tail = rig.agent.messages[1:]
        kept[control] = sum(rig.agent.payloads.message_tokens(message) for message in tail)

    assert kept["pi-0.83"] > 2 * 600
    assert kept["robust"] <= 600


@pytest.mark.parametrize(("control", "compacted"), [("pi-0.83", False), ("robust", True)])
@pytest.mark.parametrize("sentence", [CHINESE, JAPANESE], ids=["Chinese", "Japanese"])
def test_the_threshold_goes_by_true_sizes_where_none_is_reported(sentence: str, control: str, compacted: bool) -> None:
    """After a failed reply Pi adds an estimate to the last usage, which stays below the threshold."""
    rig = make_rig("pi-0.83", control=control, keep_tokens=100, summaries=[said("s")] * 2)
    for _ in range(3):
        rig.turn(sentence, said("ok"))
    missing = 2900 - rig.agent.payloads.context_tokens(rig.agent.messages)
    long = sentence * (missing // rig.agent.payloads.counter.count(sentence) + 3)
    rig.turn(long, Reply([], "error", error_message="401 no such key"))

    assert bool(rig.summaries()) is compacted
