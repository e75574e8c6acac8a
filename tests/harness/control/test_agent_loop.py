"""The agent loop: requests, tools, order of events and persistence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rig import Rig, call, calling, failed, make_rig, said, text

from backslide.harness.control.agent import AgentOptions
from backslide.harness.control.events import AgentEnd, AutoRetryStart, Event, MessageEnd
from backslide.harness.control.tools import ToolResult
from backslide.harness.errors import ModelError
from backslide.harness.models.gateway import Gateway
from backslide.harness.models.protocol import Reply
from backslide.harness.settings import RetrySettings


def on_disk(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def roles(rig: Rig) -> list[str]:
    return [entry["message"]["role"] for entry in rig.session.entries if entry["type"] == "message"]


def test_a_message_is_told_before_it_is_in_the_file(tmp_path: Path) -> None:
    """Listeners see each message end while the session does not hold it yet."""
    rig = make_rig(path=tmp_path / "s.jsonl")
    seen: list[tuple[str, int]] = []

    def listener(event: Event) -> None:
        if isinstance(event, MessageEnd):
            seen.append((event.message["role"], len(rig.session.entries)))

    rig.agent.subscribe(listener)
    rig.turn("list the files", calling(call("c1")), said("two files"))

    assert seen == [("user", 0), ("assistant", 1), ("toolResult", 2), ("assistant", 3)]
    assert [line["message"]["role"] for line in on_disk(tmp_path / "s.jsonl")[1:]] == roles(rig)
    assert len(roles(rig)) == 4


def test_one_prompt_settles_once() -> None:
    """Start, messages, end, settled; the end lists the messages of its run."""
    rig = make_rig()
    last = rig.turn("hello", said("hi"))

    assert rig.names() == [
        "AgentStart",
        "TurnStart",
        "MessageStart",
        "MessageEnd",
        "MessageStart",
        "MessageEnd",
        "TurnEnd",
        "AgentEnd",
        "AgentSettled",
    ]
    (end,) = [event for event in rig.events if isinstance(event, AgentEnd)]
    assert [message["role"] for message in end.messages] == ["user", "assistant"]
    assert last == end.messages[-1]


def test_tools_answer_in_the_order_of_their_calls() -> None:
    """Two calls of one reply get their results before the next request."""
    rig = make_rig()
    rig.tools.results = {"a": "first", "b": ToolResult("second", is_error=True)}
    rig.turn("go", calling(call("a"), call("b", "read", path="x")), said("ok"))

    results = [message for message in rig.agent.messages if message["role"] == "toolResult"]
    assert [(m["toolCallId"], m["toolName"], m["isError"]) for m in results] == [
        ("a", "bash", False),
        ("b", "read", True),
    ]
    assert rig.sent()[-2:] == ["tool: first", "tool: second"]


def test_a_reply_that_was_cut_off_runs_no_tools() -> None:
    """Half-written calls of a length stop get an error result each, and the model is asked again."""
    rig = make_rig()
    rig.turn("write it", Reply([call("a", "write", path="x", content="half")], "length"), said("again"))

    assert rig.tools.ran == []
    result = rig.agent.messages[2]
    assert (result["toolCallId"], result["isError"]) == ("a", True)
    assert "output limit" in result["content"][0]["text"]
    assert rig.agent.messages[-1]["content"] == [text("again")]


@pytest.mark.parametrize("stop", ["error", "aborted"])
def test_a_failed_reply_is_in_the_file_and_not_in_the_next_payload(stop: Any) -> None:
    """History keeps what failed; no model sees it again."""
    rig = make_rig()
    rig.turn("first", Reply([text("half of a thou")], stop, error_message="401 bad key"))
    rig.turn("second", said("fine"))

    kept = [entry["message"] for entry in rig.session.entries]
    assert [message["role"] for message in kept] == ["user", "assistant", "user", "assistant"]
    assert (kept[1]["stopReason"], kept[1]["errorMessage"]) == (stop, "401 bad key")
    assert rig.sent() == ["system: You are a coding agent.", "user: first", "user: second"]


def test_calls_of_a_failed_reply_are_not_run() -> None:
    """An error ends the run, whatever came with it."""
    rig = make_rig()
    rig.turn("go", Reply([call("a")], "error", error_message="boom"))

    assert rig.tools.ran == []
    assert len(rig.executor.requests) == 1


def test_the_limit_of_assistant_messages_ends_the_run() -> None:
    """An executor that only calls tools is stopped after so many messages; the last call is answered."""
    rig = make_rig(options=AgentOptions(max_assistant_messages=3))
    rig.turn("go", *(calling(call(f"c{number}")) for number in range(9)))

    assert len(rig.executor.requests) == 3
    assert rig.agent.messages[-1]["toolCallId"] == "c2"
    assert rig.names()[-1] == "AgentSettled"


def test_the_cause_of_requests_can_change() -> None:
    """Requests carry the cause that is set when they are made."""
    rig = make_rig(options=AgentOptions(cause="script"))
    rig.turn("one", said("1"))
    rig.agent.with_cause("turn")
    rig.turn("two", said("2"))

    assert [request.cause for request in rig.executor.requests] == ["script", "turn"]


def test_a_resumed_session_goes_on_where_it_was(tmp_path: Path) -> None:
    """An agent on an opened session sends what the session holds."""
    from backslide.harness.session import Session

    first = make_rig(path=tmp_path / "s.jsonl")
    first.turn("remember the number 41", said("noted"))
    first.session.close()
    second = make_rig(session=Session.open(tmp_path / "s.jsonl"))
    second.turn("which number?", said("41"))

    assert second.sent()[1:] == ["user: remember the number 41", "assistant: noted", "user: which number?"]


def test_every_request_passes_the_choke_point() -> None:
    """The gateway's listeners see request and reply of each exchange, and no longer once they have left."""
    rig = make_rig()
    seen: list[str] = []
    leave = rig.agent.gateway.subscribe(lambda exchange: seen.append(exchange.reply.text))
    rig.turn("a", said("1"))
    leave()
    rig.turn("b", said("2"))

    assert seen == ["1"]
    assert [exchange.reply.text for exchange in rig.exchanges] == ["1", "2"]
    assert all(exchange.backend == "test:script" and exchange.simulated for exchange in rig.exchanges)


def test_a_listener_may_leave_while_it_is_told() -> None:
    """The listener after it still hears the event."""
    rig = make_rig()
    heard: list[str] = []
    leave = rig.agent.subscribe(lambda _event: leave())
    rig.agent.subscribe(lambda event: heard.append(type(event).__name__))
    rig.turn("a", said("1"))

    assert heard == rig.names()


def test_a_role_without_a_model_is_an_error_of_ours() -> None:
    """No reply can be made up for it."""
    rig = make_rig()
    rig.agent.gateway = Gateway({"summarizer": rig.summarizer})

    with pytest.raises(ModelError, match="no model is configured for the role 'executor'"):
        rig.prompt("hello")


def test_retrying_is_a_seam() -> None:
    """A policy says how long to wait before a failed request is sent again."""

    class Patient:
        def delay_ms(self, attempt: int, settings: RetrySettings, failure: str) -> float:
            return 7000 * attempt if "busy" in failure else 0

    rig = make_rig(retry_policy=Patient())
    rig.turn("go", failed("503 busy"), failed("503"), said("made it"))

    assert [event.delay_ms for event in rig.events if isinstance(event, AutoRetryStart)] == [7000, 0]
    assert rig.names().count("AgentEnd") == 3
    assert rig.names().count("AgentSettled") == 1
    assert rig.agent.messages[-1]["content"] == [text("made it")]
