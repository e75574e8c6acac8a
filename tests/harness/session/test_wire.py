from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from session_builders import assistant, call, image, result, text, user

from backslide.harness.settings import ModelInfo
from backslide.harness.wire import Wire, convert_to_llm, join_pieces, to_openai_messages, wire_piece
from backslide.harness.wireids import wire_id

MODEL = ModelInfo("acme", "a-1")
OTHER = ModelInfo("acme", "a-2")
SEEING = ModelInfo("acme", "a-1", input=("text", "image"))


def sent(*messages: dict[str, Any], model: ModelInfo = MODEL) -> list[dict[str, Any]]:
    return to_openai_messages(list(messages), model)


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"output": "42\n"}, "Ran `ls`\n```\n42\n\n```"),
        ({"output": ""}, "Ran `ls`\n(no output)"),
        ({"output": "x", "exitCode": 2}, "Ran `ls`\n```\nx\n```\n\nCommand exited with code 2"),
        ({"output": "x", "exitCode": 0}, "Ran `ls`\n```\nx\n```"),
        ({"output": "x", "exitCode": 2, "cancelled": True}, "Ran `ls`\n```\nx\n```\n\n(command cancelled)"),
        ({"output": "", "truncated": True}, "Ran `ls`\n(no output)"),
        (
            {"output": "", "truncated": True, "fullOutputPath": "/t/x"},
            "Ran `ls`\n(no output)\n\n[Output truncated. Full output: /t/x]",
        ),
    ],
)
def test_a_bash_run_is_told_as_a_user_message(fields: dict[str, Any], shown: str) -> None:
    """With how it ended, unless it is kept out of the context."""
    run = {"role": "bashExecution", "command": "ls", **fields}

    assert [shown] == [message["content"][0]["text"] for message in convert_to_llm([run])]
    assert convert_to_llm([{**run, "excludeFromContext": True}]) == []


def test_summaries_are_wrapped_and_unknown_roles_dropped() -> None:
    """The two wrappers differ in the line break before the closing tag."""
    roles = ("compactionSummary", "branchSummary", "narrator")

    converted = convert_to_llm([{"role": role, "summary": "S", "content": "x"} for role in roles])

    assert [message["role"] for message in converted] == ["user", "user"]
    texts = [message["content"][0]["text"] for message in converted]
    assert texts[0].endswith(":\n\n<summary>\nS\n</summary>")
    assert texts[1].endswith(":\n\n<summary>\nS</summary>")


def test_failed_replies_are_not_sent_again() -> None:
    """Neither errors nor aborted ones, with whatever they held."""
    failed = [assistant("half", call("c1"), stopReason=reason) for reason in ("error", "aborted")]

    assert sent(user("a"), *failed) == [{"role": "user", "content": "a"}]


def test_a_call_without_a_result_gets_one_before_the_next_message() -> None:
    """An error result in place, after the results that did come; also at the end."""
    calls = assistant(call("c1"), call("c2"))

    messages = sent(calls, result("c2", "two"), user("go on"), assistant(call("c3")))

    assert [message["role"] for message in messages] == ["assistant", "tool", "tool", "user", "assistant", "tool"]
    assert [(message["tool_call_id"], message["content"]) for message in messages if message["role"] == "tool"] == [
        ("c2", "two"),
        ("c1", "No result provided"),
        ("c3", "No result provided"),
    ]


def test_images_of_tool_results_follow_the_run_of_results() -> None:
    """In one user message, after a synthetic result too; a model without eyes gets a note instead."""
    with_image = {**result("c1"), "content": [image(), image()]}
    context = [assistant(call("c1"), call("c2"), call("c3")), with_image, result("c2"), user("go on")]

    seeing = sent(*context, model=SEEING)
    assert [message["role"] for message in seeing] == ["assistant", "tool", "tool", "tool", "user", "user"]
    assert seeing[1]["content"] == "(see attached image)"
    assert [part["type"] for part in seeing[4]["content"]] == ["text", "image_url", "image_url"]

    blind = sent(*context)
    assert [message["role"] for message in blind] == ["assistant", "tool", "tool", "tool", "user"]
    assert blind[1]["content"] == "(tool image omitted: model does not support images)"


def test_images_of_users_become_one_note_per_run() -> None:
    """For a model that takes text only."""
    note = text("(image omitted: model does not support images)")

    assert [note, text("x"), note] == sent(user([image(), image(), text("x"), image()]))[0]["content"]


def test_thinking_is_kept_for_its_own_model_and_told_to_another() -> None:
    """Signed thinking returns in its own field; redacted thinking never reaches another model."""
    signed = {"type": "thinking", "thinking": "hm", "thinkingSignature": "reasoning_content"}
    redacted = {"type": "thinking", "thinking": "secret", "redacted": True}

    assert sent(assistant(signed, "yes")) == [{"role": "assistant", "content": "yes", "reasoning_content": "hm"}]
    assert sent(assistant(signed, redacted, "yes"), model=OTHER)[0]["content"] == "hmyes"


def test_an_assistant_that_says_nothing_is_not_sent() -> None:
    """Only thinking, only blanks, nothing; a call alone is sent with null content."""
    silent = [assistant(), assistant(" \n\ufeff"), assistant({"type": "thinking", "thinking": "hm"})]

    assert sent(*silent) == []
    assert sent(assistant(call("c1")))[0]["content"] is None


def test_arguments_are_written_as_javascript_writes_them() -> None:
    """Integer-like keys first; lone surrogates stay there as escapes but are removed from texts."""
    block = {**call("c1"), "arguments": {"b": 1.0, "2": "\ud83d"}}

    message = sent(assistant("x\ud83d", block))[0]

    assert message["tool_calls"][0]["function"]["arguments"] == '{"2":"\\ud83d","b":1}'
    assert message["content"] == "x"


def test_ids_of_another_provider_are_renamed_in_calls_and_results() -> None:
    """Long ids become short and stay apart; for their own model they stay."""
    long_id = "call_1|" + "z" * 60
    context = [assistant(call(long_id)), result(long_id)]

    renamed = sent(*context, model=OTHER)
    assert renamed[0]["tool_calls"][0]["id"] == renamed[1]["tool_call_id"] == wire_id(long_id, OTHER)
    assert len(wire_id(long_id, OTHER)) <= 40
    assert wire_id(long_id, OTHER) != wire_id(long_id + "z", OTHER)
    assert long_id == sent(*context)[1]["tool_call_id"]


@pytest.mark.parametrize(
    ("call_id", "provider", "sent_id"),
    [
        ("c1", "acme", "c1"),
        ("call_1|fc/2+", "acme", "call_1_fc_2_"),
        ("call_1|", "acme", "call_1"),
        ("a😀|b", "acme", "a___b"),
        ("x" * 50, "acme", "x" * 50),
        ("x" * 50, "openai", "x" * 40),
    ],
)
def test_ids_are_made_acceptable(call_id: str, provider: str, sent_id: str) -> None:
    """Only what servers refuse is changed."""
    assert sent_id == wire_id(call_id, ModelInfo(provider, "m"))


CONTEXTS = st.lists(
    st.sampled_from(
        [
            user("a"),
            user([text("b"), image()]),
            user([]),
            assistant("c"),
            assistant(call("c1"), call("c2")),
            assistant(call("x|y"), model="a-9"),
            assistant("half", stopReason="error"),
            assistant(),
            result("c1"),
            {**result("c2"), "content": [image()]},
            result("x|y"),
            {"role": "compactionSummary", "summary": "S"},
            {"role": "narrator"},
        ]
    ),
    max_size=12,
)


@settings(deadline=None, max_examples=100)
@given(CONTEXTS, st.sampled_from([MODEL, OTHER, SEEING]))
def test_every_call_is_answered_once_before_anyone_else_speaks(context: list[dict[str, Any]], model: ModelInfo) -> None:
    """Servers refuse a payload in which a call has no result."""
    open_calls: set[str] = set()
    for message in to_openai_messages(context, model):
        if message["role"] == "tool":
            open_calls.discard(message["tool_call_id"])
        else:
            assert set() == open_calls
        open_calls |= {block["id"] for block in message.get("tool_calls", [])}
    assert set() == open_calls


@settings(deadline=None, max_examples=100)
@given(CONTEXTS)
def test_a_wire_that_remembers_sends_what_a_fresh_one_sends(context: list[dict[str, Any]]) -> None:
    """Whatever part of the context it saw before."""
    wire = Wire(MODEL)
    for end in range(len(context) + 1):
        assert to_openai_messages(context[:end], MODEL) == wire.messages(context[:end])


def test_unchanged_messages_are_converted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bodies of a longer payload are the same objects."""
    context = [user("a"), assistant("b"), user("c")]
    wire = Wire(MODEL)
    first = wire.messages(context[:2])
    second = wire.messages(context)

    assert [id(body) for body in first] == [id(body) for body in second[:2]]


def test_joining_pieces_is_all_that_looks_at_neighbours() -> None:
    """Pieces made one by one join to the same payload."""
    context = [assistant(call("c1")), result("c1"), user("a")]
    pieces = [wire_piece(message, MODEL) for message in context]

    assert to_openai_messages(context, MODEL) == join_pieces(piece for piece in pieces if piece is not None)
