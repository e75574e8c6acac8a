"""Messages for an agent at work, and what waits until it has settled."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from rig import Rig, call, calling, filler, make_rig, said, text

from backslide.harness.control.errors import ControlError, ToolError
from backslide.harness.control.events import (
    AgentEnd,
    CompactionStart,
    Event,
    QueueUpdate,
    ToolExecutionStart,
)
from backslide.harness.control.queues import MessageQueue, Queues
from backslide.harness.control.replies import BashRun, user_message
from backslide.harness.control.tools import ToolResult
from backslide.harness.models.protocol import Reply, metered_usage


def when(rig: Rig, kind: type[Any], action: Any) -> None:
    """Do `action` at the first event of a kind."""
    done: list[Event] = []

    def listener(event: Event) -> None:
        if isinstance(event, kind) and not done:
            done.append(event)
            action()

    rig.agent.subscribe(listener)


def users(rig: Rig) -> list[str]:
    return [message["content"][0]["text"] for message in rig.agent.messages if message["role"] == "user"]


def test_steering_is_delivered_before_the_next_request() -> None:
    """After the tools of the reply at hand, in the same run."""
    rig = make_rig()
    when(rig, ToolExecutionStart, lambda: rig.agent.steer("rather the other file"))
    rig.turn("go", calling(call("a")), said("the other file then"))

    assert rig.sent()[-2:] == ["tool: ok", "user: rather the other file"]
    assert rig.names().count("AgentEnd") == 1
    assert [event.steering for event in rig.events if isinstance(event, QueueUpdate)] == [
        ("rather the other file",),
        (),
    ]


def test_a_follow_up_waits_until_the_agent_would_stop() -> None:
    """It goes on in the same run."""
    rig = make_rig()
    when(rig, ToolExecutionStart, lambda: rig.agent.follow_up("and then the tests"))
    rig.turn("go", calling(call("a")), said("done"), said("tests too"))

    assert users(rig) == ["go", "and then the tests"]
    assert rig.names().count("AgentEnd") == 1
    assert len(rig.executor.requests) == 3


@pytest.mark.parametrize("kind", [AgentEnd, CompactionStart])
def test_what_is_queued_too_late_for_a_run_starts_another(kind: type[Any]) -> None:
    """After the last event of a run, or during the compaction that follows it; the prompt settles once."""
    rig = make_rig(keep_turns=1, summaries=[said("the hand-over")])
    for number in range(3):
        rig.turn(filler(40, f"u{number}x"), said("fine"))
    when(rig, kind, lambda: rig.agent.follow_up("one more thing"))
    before = len(rig.events)
    rig.turn("big", Reply([text("ok")], "stop", metered_usage(3500, 5)), said("that too"))

    names = [type(event).__name__ for event in rig.events[before:]]
    assert names.count("AgentStart") == 2
    assert names.count("AgentSettled") == 1
    assert users(rig)[-1] == "one more thing"


@pytest.mark.parametrize(("mode", "runs"), [("one-at-a-time", [["a"], ["b"]]), ("all", [["a", "b"]])])
def test_a_queue_gives_one_or_all(mode: Any, runs: list[list[str]]) -> None:
    """In the order in which they came."""
    queue = MessageQueue(mode)
    for word in ("a", "b"):
        queue.put(user_message(word, 0))

    drained = []
    while len(queue):
        drained.append([message["content"][0]["text"] for message in queue.drain()])
    assert drained == runs
    assert queue.drain() == []


def test_the_same_text_in_both_queues_is_taken_off_steering_first() -> None:
    """One text, one delivery."""
    queues = Queues("all", "all")
    queues.steering_texts, queues.follow_up_texts = ["x"], ["x"]

    assert queues.delivered(user_message("x", 0))
    assert (queues.steering_texts, queues.follow_up_texts) == ([], ["x"])
    assert not queues.delivered(user_message("y", 0))


def test_clearing_gives_the_texts_back() -> None:
    """For the editor, after an abort."""
    rig = make_rig()
    rig.agent.steer("a")
    rig.agent.follow_up("b")

    assert rig.agent.clear_queues() == (["a"], ["b"])
    assert not rig.agent.queues


def test_an_extensions_message_waits_for_the_next_prompt_or_starts_a_run() -> None:
    """Without a trigger it is only added; with one the agent answers it."""
    rig = make_rig()
    asyncio.run(rig.agent.send_custom("note", "the port is 8080"))
    assert rig.executor.requests == []

    rig.executor.replies.append(said("noted"))
    asyncio.run(rig.agent.send_custom("note", "and the host is a", trigger=True))
    assert rig.sent()[1:] == ["user: the port is 8080", "user: and the host is a"]
    assert [entry["type"] for entry in rig.session.entries] == ["custom_message", "custom_message", "message"]


def test_a_command_run_meanwhile_is_added_when_the_agent_has_settled() -> None:
    """Its place is not between a call and its result."""
    rig = make_rig()
    when(rig, ToolExecutionStart, lambda: rig.agent.record_bash(BashRun("ls", "a b")))
    rig.turn("go", calling(call("a")), said("done"))

    assert [message["role"] for message in rig.agent.messages][-2:] == ["assistant", "bashExecution"]
    rig.agent.record_bash(BashRun("pwd", "/w", exclude=True))
    assert rig.agent.messages[-1]["excludeFromContext"]
    rig.turn("next", said("fine"))
    assert rig.sent()[-2:] == ["user: Ran `ls`\n```\na b\n```", "user: next"]


def test_an_agent_at_work_takes_no_second_prompt() -> None:
    """The error says what to do instead; nor does the agent move in the tree meanwhile."""
    rig = make_rig()
    refused: list[str] = []

    class Impatient:
        definitions = rig.tools.definitions

        async def run(self, tool_call: dict[str, Any]) -> ToolResult:
            for attempt in (rig.agent.prompt("now"), rig.agent.navigate(rig.session.entries[0]["id"])):
                with pytest.raises(ControlError) as error:
                    await attempt
                refused.append(str(error.value))
            return ToolResult("ok")

    rig.agent.tools = Impatient()
    rig.turn("go", calling(call("a")), said("done"))

    assert ["at work" in words for words in refused] == [True, True]
    assert "follow_up()" in refused[0]
    assert not rig.agent.at_work


def test_a_tool_that_fails_answers_with_its_error() -> None:
    """And the calls of one reply run side by side."""
    rig = make_rig()
    gate = asyncio.Event()

    class Waiting:
        definitions = rig.tools.definitions

        async def run(self, tool_call: dict[str, Any]) -> ToolResult:
            if tool_call["id"] == "a":
                await gate.wait()
                raise ToolError("no such file")
            gate.set()
            return ToolResult("b is here")

    rig.agent.tools = Waiting()
    rig.turn("go", calling(call("a"), call("b")), said("done"))

    results = [message for message in rig.agent.messages if message["role"] == "toolResult"]
    assert [(m["content"][0]["text"], m["isError"]) for m in results] == [("no such file", True), ("b is here", False)]


def test_another_model_answers_from_the_next_turn_on() -> None:
    """The change is noted in the session."""
    from dataclasses import replace

    rig = make_rig()
    rig.turn("a", said("one"))
    rig.agent.set_model(replace(rig.agent.model, id="m2"))
    rig.turn("b", said("two"))

    assert [message.get("model") for message in rig.agent.messages if message["role"] == "assistant"] == ["m", "m2"]
    assert [entry["type"] for entry in rig.session.entries].count("model_change") == 1
