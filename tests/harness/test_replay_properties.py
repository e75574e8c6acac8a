"""What holds in every agent run, whatever fails, is queued or is aborted in it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.harness import jsjson
from backslide.harness.control.usage import session_usage
from backslide.harness.replay import _Replay, replay
from backslide.harness.replay_script import parse_script
from backslide.harness.session import Session

ERRORS = [
    "503 busy",
    "429 too many requests",
    "401 bad key",
    "prompt is too long: 9 > 8",
    "500 context length exceeded",
]
EVENTS = [
    "message_start",
    "message_end",
    "tool_execution_start",
    "turn_end",
    "agent_end",
    "auto_retry_start",
    "compaction_start",
    "summarization_retry_scheduled",
]
texts = st.integers(1, 40).map(lambda number: "trim the lantern feed. " * number)
usages = st.sampled_from(["est", "zero", {"input": 2600, "output": 0}, {"input": 2300, "output": 40}])
calls = st.fixed_dictionaries({"size": st.sampled_from([5, 900]), "mark": st.just("ab"), "fail": st.booleans()})
replies = st.one_of(
    st.fixed_dictionaries({"error": st.sampled_from(ERRORS)}),
    st.fixed_dictionaries({"text": texts, "usage": usages}),
    st.fixed_dictionaries({"text": texts, "usage": usages, "tools": st.lists(calls, min_size=1, max_size=3)}),
    st.fixed_dictionaries({"text": texts, "usage": usages, "stop": st.just("length")}),
)
injections = st.fixed_dictionaries(
    {
        "on": st.sampled_from(EVENTS),
        "call": st.sampled_from(["steer", "followUp", "abort", "abortRetry", "abortCompaction"]),
        "nth": st.integers(1, 3),
        "text": texts,
        "sync": st.booleans(),
    }
)
steps = st.one_of(
    st.fixed_dictionaries({"do": st.just("prompt"), "text": texts, "inject": st.lists(injections, max_size=2)}),
    st.fixed_dictionaries({"do": st.just("compact")}),
    st.fixed_dictionaries({"do": st.just("navigate"), "entry": st.integers(0, 12), "summarize": st.booleans()}),
    st.fixed_dictionaries({"do": st.just("custom"), "text": texts, "trigger": st.booleans()}),
    st.fixed_dictionaries({"do": st.just("bash"), "command": st.just("ls"), "output": texts}),
    st.fixed_dictionaries({"do": st.just("switchModel"), "to": st.integers(1, 2)}),
)
runs = st.fixed_dictionaries(
    {
        "settings": st.fixed_dictionaries(
            {
                "compaction": st.just({"reserveTokens": 300, "keepRecentTokens": 200}),
                "retry": st.just({"maxRetries": 2, "baseDelayMs": 1}),
                "steeringMode": st.sampled_from(["all", "one-at-a-time"]),
            }
        ),
        "model": st.just({"contextWindow": 2500}),
        "steps": st.lists(steps, min_size=1, max_size=7),
        "replies": st.lists(replies, max_size=12),
        "summaries": st.lists(replies, max_size=4),
    }
)
profiles = st.sampled_from(["pi-0.83", "robust"])
few = settings(max_examples=60, deadline=None)


@few
@given(run=runs, control=profiles)
def test_a_run_repeats_exactly(run: dict[str, Any], control: Any) -> None:
    """The same script gives the same document."""
    assert replay(parse_script(run), control) == replay(parse_script(run), control)


@few
@given(run=runs, control=profiles)
def test_every_prompt_settles_once_and_last(run: dict[str, Any], control: Any) -> None:
    """Runs are well nested, and nothing is told of a prompt after it has settled."""
    for row in replay(parse_script(run), control)["trace"]:
        names = [event[0] for event in row["events"]]
        begun = "agent_start" in names
        assert names.count("agent_settled") == begun
        assert names.count("agent_start") == names.count("agent_end")
        assert names.count("compaction_start") <= names.count("compaction_end")
        if begun:
            assert names[-1] == "agent_settled"


@few
@given(run=runs, control=profiles)
def test_totals_are_the_sum_of_their_parts(tmp_path_factory: Any, run: dict[str, Any], control: Any) -> None:
    """Models, tools, compactions and branch summaries; and the file says what the agent says."""
    path = tmp_path_factory.mktemp("run") / "session.jsonl"
    played = _Replay(parse_script(run), control, path)
    asyncio.run(played.play())

    used = played._agent.session_usage()
    parts = [*used.by_model.values(), used.tools, used.compactions, used.branch_summaries]
    assert used.total.total == sum(part.total for part in parts)
    assert used.total.tokens["input"] == sum(part.tokens["input"] for part in parts)
    if path.exists():
        assert session_usage(Session.open(path).entries).total.tokens == used.total.tokens


@few
@given(run=runs)
def test_the_file_gives_the_context_again(tmp_path_factory: Any, run: dict[str, Any]) -> None:
    """Reopened at the agent's leaf, the session holds the agent's messages, but for failures that left the context."""
    path = tmp_path_factory.mktemp("run") / "session.jsonl"
    played = _Replay(parse_script(run), "pi-0.83", path)
    asyncio.run(played.play())
    if not path.exists():
        return
    reopened = Session.open(path)
    reopened.move_to(played._session.leaf_id)

    def shown(messages: list[dict[str, Any]]) -> list[str]:
        kept = [
            message for message in messages if message.get("role") != "assistant" or message["stopReason"] == "stop"
        ]
        return [jsjson.stringify({**message, "timestamp": 0}) for message in kept]

    assert json.dumps(shown(reopened.context().messages)) == json.dumps(shown(played._agent.messages))


@few
@given(run=runs, control=profiles)
def test_no_result_is_sent_without_its_call(tmp_path_factory: Any, run: dict[str, Any], control: Any) -> None:
    """In what is really sent, each tool message answers a call of an assistant message before it."""
    played = _Replay(parse_script(run), control, tmp_path_factory.mktemp("run") / "session.jsonl")
    bodies: list[list[dict[str, Any]]] = []
    played._agent.gateway.subscribe(lambda exchange: bodies.append(exchange.request.messages))
    asyncio.run(played.play())

    for messages in bodies:
        called: set[str] = set()
        for message in messages:
            called |= {call["id"] for call in message.get("tool_calls") or ()}
            assert message["role"] != "tool" or message["tool_call_id"] in called
