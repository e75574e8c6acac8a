"""The request body: exact bytes, tokens, composition, output budget."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rig import COUNTER, call, calling, filler, make_rig, said, text

from backslide.harness.compaction.strategies.base import SummaryRequest
from backslide.harness.control.tools import CODING_TOOLS
from backslide.harness.models.protocol import Request
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.payload.tokens import MESSAGE_OVERHEAD, TOOL_OVERHEAD, TokenCounter, encoding
from backslide.harness.settings import ModelInfo

MODEL = ModelInfo("backslide", "m", 16_000, 1000)


def user(words: str) -> dict[str, Any]:
    return {"role": "user", "content": [text(words)]}


def assistant(*blocks: dict[str, Any], stop: str = "stop") -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": list(blocks),
        "api": MODEL.api,
        "provider": MODEL.provider,
        "model": MODEL.id,
        "stopReason": stop,
    }


def result(call_id: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "toolResult", "toolCallId": call_id, "toolName": "bash", "content": list(blocks)}


def summary(words: str) -> dict[str, Any]:
    return {"role": "compactionSummary", "summary": words}


def build(
    messages: list[dict[str, Any]],
    *,
    model: ModelInfo = MODEL,
    tools: list[dict[str, Any]] | None = None,
    builder: PayloadBuilder | None = None,
) -> Request:
    builder = builder or PayloadBuilder(TokenCounter(), "Be brief.")
    return builder.request(messages, role="executor", cause="turn", model=model, tools=tools or [])


MIXED = [
    summary("the past"),
    user('say "hi" — 全局锁\n'),
    assistant(
        {"type": "thinking", "thinking": "hm", "thinkingSignature": "reasoning_content"},
        text("I look."),
        call("c1", "grep", pattern="a\tb"),
        stop="toolUse",
    ),
    result("c1", text("x.py:1: lock")),
    assistant(text("Found it.")),
    user("thanks"),
]


def test_the_body_is_what_a_chat_completion_endpoint_expects() -> None:
    """Model, messages, tools, output limit; roles and fields in OpenAI's form."""
    request = build(MIXED, tools=CODING_TOOLS)
    body = json.loads(request.body)

    assert list(body) == ["model", "messages", "tools", "max_completion_tokens"]
    assert [message["role"] for message in body["messages"]] == [
        "system", "user", "user", "assistant", "tool", "assistant", "user",
    ]  # fmt: skip
    assert body["messages"][3]["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "grep", "arguments": '{"pattern":"a\\tb"}'}}
    ]
    assert body["messages"][4] == {"role": "tool", "content": "x.py:1: lock", "tool_call_id": "c1"}
    assert body["tools"] == CODING_TOOLS
    assert body["max_completion_tokens"] == 1000


def test_bytes_are_those_of_the_body_that_is_sent() -> None:
    """The measure is taken of the very bytes: compact JSON in UTF-8 that any client would build of the same values."""
    request = build(MIXED, tools=CODING_TOOLS)
    compact = json.dumps(json.loads(request.body), ensure_ascii=False, separators=(",", ":")).encode()

    assert request.measure.bytes == len(request.body) == len(compact)
    assert request.body == compact


def test_tokens_are_the_messages_own_tokens_and_the_overheads() -> None:
    """Counted by hand with the encoding, text by text."""
    request = build(MIXED, tools=CODING_TOOLS)

    def count(*texts: str) -> int:
        return sum(len(encoding().encode_ordinary(words)) for words in texts)

    lead, close = (
        "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
        "\n</summary>",
    )
    parts = {
        "system": count("Be brief."),
        "summary": count(lead, "the past", close),
        "user": count('say "hi" — 全局锁\n', "thanks"),
        "assistant": count("I look.", "Found it."),
        "thinking": count("hm"),
        "tool_calls": count("grep", '{"pattern":"a\\tb"}'),
        "tool_results": count("x.py:1: lock"),
        "tools": count(json.dumps(CODING_TOOLS, ensure_ascii=False, separators=(",", ":"))),
        "overhead": 7 * MESSAGE_OVERHEAD + len(CODING_TOOLS) * TOOL_OVERHEAD,
    }
    assert request.measure.composition == parts
    assert request.measure.tokens == sum(parts.values())
    assert request.measure.messages == 7


def test_bytes_by_origin_add_up_and_are_those_of_the_texts() -> None:
    """A text's share is its escaped form in the body; the rest is structure."""
    request = build(MIXED, tools=CODING_TOOLS)
    sizes = request.measure.composition_bytes

    assert sum(sizes.values()) == len(request.body)
    assert sizes["user"] == len('say \\"hi\\" — 全局锁\\n'.encode()) + len(b"thanks")
    assert sizes["tool_results"] == len(b"x.py:1: lock")
    assert sizes["structure"] > 0


def test_a_lone_surrogate_is_one_byte_as_it_is_sent() -> None:
    """A summarizer's record may hold half a pair; its share is what stands in the body."""
    builder = PayloadBuilder(COUNTER, "s")
    request = builder.summary_request(SummaryRequest("sys", ("ab", "\ud83dc"), 100, "initial"), MODEL)

    assert json.loads(request.body)["messages"][1]["content"] == "ab?c"
    assert request.measure.composition_bytes["user"] == 4
    assert sum(request.measure.composition_bytes.values()) == len(request.body)


def test_a_summarizer_request_has_its_own_identity_and_no_tools() -> None:
    """System, one user message, the budget that was asked for; its parts are counted one by one."""
    builder = PayloadBuilder(TokenCounter(), "You are a coding agent.")
    asked = SummaryRequest("You write hand-overs.", ("<conversation>\n", "[User]: ", "hello", "\n"), 321, "initial")
    request = builder.summary_request(asked, MODEL)
    body = json.loads(request.body)

    assert [message["content"] for message in body["messages"]] == ["You write hand-overs.", asked.text]
    assert "tools" not in body
    assert (request.role, request.cause, request.max_tokens) == ("summarizer", "summarizer", 321)
    assert request.measure.composition["user"] == sum(builder.counter.count(part) for part in asked.parts)
    assert sum(request.measure.composition.values()) == request.measure.tokens


@pytest.mark.parametrize(
    ("window", "limit", "expected"),
    [
        (16_000, 1000, 1000),
        (0, 1000, 1000),
        (16_000, 0, "what is left"),
        (200, 1000, "what is left"),
        (20, 1000, 1),
        (0, 0, None),
    ],
)
def test_the_output_budget(window: int, limit: int, expected: object) -> None:
    """The model's limit or what the window leaves, at least one; 0 stands for unknown, and two unknowns send none."""
    request = build([user(filler(60))], model=ModelInfo("p", "m", window, limit))
    seen = json.loads(request.body).get("max_completion_tokens")
    left = window - request.measure.tokens

    assert seen == (left if expected == "what is left" else expected)
    assert request.max_tokens == (seen or 0)
    assert request.context_window == window


def test_failed_replies_and_their_calls_are_not_sent() -> None:
    """They weigh nothing either."""
    builder = PayloadBuilder(COUNTER, "s")
    builder.set_model(MODEL)
    bad = assistant(text("half"), call("c9"), stop="error")
    clean = build([user("a"), user("b")])

    assert build([user("a"), bad, user("b")]).body == clean.body
    assert builder.message_tokens(bad) == 0


def test_a_call_without_a_result_gets_one() -> None:
    """Providers refuse a call that nothing answers."""
    request = build([user("a"), assistant(call("c1"), stop="toolUse"), user("b")])

    assert [m["role"] for m in json.loads(request.body)["messages"]] == ["system", "user", "assistant", "tool", "user"]
    assert request.measure.composition["tool_results"] > 0
    assert sum(request.measure.composition.values()) == request.measure.tokens


def test_the_context_is_metered_as_it_is_sent() -> None:
    """What strategies and thresholds see is the request's own figure, tools apart."""
    builder = PayloadBuilder(TokenCounter(), "Be brief.")
    builder.set_model(MODEL)

    assert builder.context_tokens(MIXED) == build(MIXED, builder=builder).measure.tokens
    assert builder.context_tokens([]) == COUNTER.count("Be brief.") + MESSAGE_OVERHEAD


def test_an_agent_meters_messages_for_its_model() -> None:
    """A builder that nobody prepared must not count nothing."""
    rig = make_rig()
    rig.turn("hello there", said("hi"))

    assert rig.agent.payloads.message_tokens(rig.agent.messages[0]) == COUNTER.count("hello there") + MESSAGE_OVERHEAD


def test_a_message_is_tokenized_once_in_its_life() -> None:
    """Over many requests, tool rounds and compactions only new text is tokenized."""
    counter = TokenCounter()
    rig = make_rig(keep_tokens=900, window=3000, reserve=1200, summary_tokens=100)
    rig.agent.payloads = PayloadBuilder(counter, "You are a coding agent.")
    rig.agent.payloads.set_model(rig.agent.model)
    for number in range(40):
        rig.tools.results[f"c{number}"] = filler(80, f"r{number}o").replace(" ", "\n")
        rig.summarizer.replies[:] = [said(f"## Goal\nsummary {number}")]
        rig.turn(
            filler(60, f"p{number}q"),
            calling(call(f"c{number}", "read", path=f"f{number}")),
            said(filler(60, f"a{number}b")),
        )
    assert len(rig.compactions()) >= 4

    seen: set[str] = set()
    for request in [*rig.executor.requests, *rig.summarizer.requests]:
        for message in request.messages:
            content = message["content"]
            seen.update([content] if isinstance(content, str) else [part["text"] for part in content or []])
            seen.update(c["function"]["arguments"] for c in message.get("tool_calls", []))
    conversation = {words for words in seen if "<conversation>" not in words}
    tools = len(json.dumps(CODING_TOOLS))
    prompts = rig.agent._compactor._strategy.prompt
    allowed = (
        sum(len(words.encode()) for words in conversation)
        + tools
        + len(prompts.first + prompts.update + prompts.system)
    )
    assert counter.bytes_tokenized < 1.1 * allowed


def test_a_summary_is_not_tokenized_again_in_its_wrapper() -> None:
    """It was counted as the summarizer's reply; only the wrapper's own words are new, and once."""
    counter = TokenCounter()
    counter.count("the past")
    builder = PayloadBuilder(counter, "s")
    before = counter.bytes_tokenized
    build([summary("the past")], builder=builder)
    wrapper = counter.bytes_tokenized - before
    build([summary("another past")], builder=builder)

    assert 80 < wrapper < 130
    assert counter.bytes_tokenized - before - wrapper == len("another past")


def test_what_neighbours_give_rise_to_is_not_hoarded() -> None:
    """An unanswered call gives a new result message in each payload; payloads do not add up in memory."""
    builder = PayloadBuilder(COUNTER, "s")
    messages = [user("a"), assistant(call("c1"), stop="toolUse")]
    build(messages, builder=builder)
    before = len(builder._fragments)
    for _ in range(50):
        build(messages, builder=builder)

    assert len(builder._fragments) == before
