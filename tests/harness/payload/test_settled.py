"""A payload that grows request by request is the one that would be built from scratch."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from rig import COUNTER, call, text

from backslide.harness.models.protocol import Request
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.settings import ModelInfo

MODEL = ModelInfo("backslide", "m", 100_000, 1000, input=("text", "image"))
OTHER = ModelInfo("openai", "n", 50_000, 500)
IMAGE = {"type": "image", "mimeType": "image/png", "data": "AAAA"}

words = st.sampled_from(["", "alpha", 'say "x"\n', "全局锁", "\ud83d half"])


def user(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {"role": "user", "content": blocks}


def assistant(blocks: list[dict[str, Any]], stop: str, model: str) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": blocks,
        "api": MODEL.api,
        "provider": MODEL.provider,
        "model": model,
        "stopReason": stop,
    }


def result(call_id: str, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {"role": "toolResult", "toolCallId": call_id, "toolName": "bash", "content": blocks}


blocks = st.lists(st.one_of(words.map(text), st.just(IMAGE)), max_size=3)
ids = st.sampled_from(["c1", "c2", "call|item one", "x" * 50])
replies = st.builds(
    assistant,
    st.lists(
        st.one_of(
            words.map(text),
            words.map(
                lambda thought: {"type": "thinking", "thinking": thought, "thinkingSignature": "reasoning_content"}
            ),
            ids.map(lambda call_id: call(call_id, "bash", command="ls")),
        ),
        max_size=3,
    ),
    st.sampled_from(["stop", "toolUse", "error", "aborted"]),
    st.sampled_from(["m", "m", "m", "n", "elsewhere"]),
)
others = st.one_of(
    words.map(lambda summary: {"role": "compactionSummary", "summary": summary}),
    words.map(lambda summary: {"role": "branchSummary", "summary": summary}),
    words.map(lambda said: {"role": "custom", "content": said}),
    st.booleans().map(lambda out: {"role": "bashExecution", "command": "ls", "output": "x", "excludeFromContext": out}),
    st.just({"role": "unknown"}),
)
messages = st.one_of(st.builds(user, blocks), replies, replies, st.builds(result, ids, blocks), others)
steps = st.one_of(
    messages.map(lambda message: ("append", message)),
    messages.map(lambda message: ("append", message)),
    st.just(("pop", None)),
    st.integers(0, 3).map(lambda keep: ("compact", keep)),
    st.just(("other model", None)),
    st.just(("same again", None)),
)


def facts(request: Request) -> tuple[Any, ...]:
    return request.body, request.measure, request.max_tokens


def build(builder: PayloadBuilder, context: list[dict[str, Any]], model: ModelInfo) -> Request:
    return builder.request(context, role="executor", cause="turn", model=model, tools=[])


@settings(deadline=None, max_examples=150)
@given(st.lists(steps, min_size=1, max_size=25))
def test_a_growing_payload_equals_one_from_scratch(history: list[tuple[str, Any]]) -> None:
    """Bytes, tokens and composition, after every step: orphan calls, late results, failures, images, renamed calls."""
    growing = PayloadBuilder(COUNTER, "system")
    context: list[dict[str, Any]] = []
    for step, detail in history:
        model = MODEL
        if step == "append":
            context.append(detail)
        elif step == "pop" and context:
            context.pop()
        elif step == "compact":
            context = [{"role": "compactionSummary", "summary": "s"}, *context[len(context) - detail :]]
        elif step == "other model":
            model = OTHER

        assert facts(build(growing, context, model)) == facts(build(PayloadBuilder(COUNTER, "system"), context, model))


def test_the_work_for_a_request_does_not_grow_with_the_session() -> None:
    """What stands before the last user message is settled: it is not looked at again."""
    builder = PayloadBuilder(COUNTER, "system")
    context: list[dict[str, Any]] = []
    for number in range(30):
        context += [user([text(f"question {number}")]), assistant([text(f"answer {number}")], "stop", "m")]
        build(builder, context, MODEL)
    settled = builder._settled(context, MODEL)

    assert settled.length == len(context) - 2


def test_a_user_message_that_is_taken_back_settles_nothing() -> None:
    """The images in front of it may still be followed by another result."""
    builder = PayloadBuilder(COUNTER, "system")
    context = [result("c1", [IMAGE]), user([text("wait")])]
    build(builder, context, MODEL)
    context[-1] = result("c2", [text("no image")])

    assert build(builder, context, MODEL).body == build(PayloadBuilder(COUNTER, "system"), context, MODEL).body


def test_another_context_is_not_a_grown_one() -> None:
    """Though both may end in the same messages."""
    builder = PayloadBuilder(COUNTER, "system")
    shared = [assistant([text("yes")], "stop", "m"), user([text("go on")])]
    for first in ("one", "two"):
        context = [user([text(first)]), *shared]
        assert first in build(builder, context, MODEL).body.decode()


def test_late_results_of_renamed_calls_keep_their_new_name() -> None:
    """A foreign call answered after the next user message is known by the whole context only."""
    builder = PayloadBuilder(COUNTER, "system")
    context = [user([text("a")]), assistant([call("call|item")], "toolUse", "elsewhere")]
    build(builder, context, MODEL)
    context.append(user([text("b")]))
    build(builder, context, MODEL)
    context.append(result("call|item", [text("late")]))
    request = build(builder, context, MODEL)

    assert [message.get("tool_call_id") for message in request.messages if message["role"] == "tool"] == [
        "call_item"
    ] * 2
