from __future__ import annotations

import pytest
from request_bodies import ask, chat, user, words

from backslide.harness.errors import ModelError
from backslide.harness.models.blocks import call_block, text_block
from backslide.harness.models.protocol import Model, Request
from backslide.harness.models.script import ScriptedReply, ScriptModel


def test_replies_come_in_the_order_they_were_fed() -> None:
    """The queue is first in, first out, over several feeds."""
    model = ScriptModel(words, [ScriptedReply([text_block("one")])])
    model.feed([ScriptedReply([text_block("two")]), ScriptedReply([text_block("three")])])

    assert [ask(model, chat(user("next"))).text for _ in range(3)] == ["one", "two", "three"]


def test_usage_is_metered_and_free() -> None:
    """Input is the metered request, output is everything the model wrote, cost is zero."""
    content = [text_block("two words"), call_block("c1", "read", {"path": "a.py"})]
    model = ScriptModel(words, [ScriptedReply(content, "toolUse")])
    reply = ask(model, chat(user("go"), tokens=321))

    assert reply.stop_reason == "toolUse"
    assert tuple(reply.usage[key] for key in ("input", "output", "totalTokens")) == (321, 4, 325)
    assert reply.usage["cost"]["total"] == 0


def test_known_sizes_are_not_counted_again() -> None:
    """A caller that has measured its script pays for no second count."""

    def refuse(text: str) -> int:
        raise AssertionError(f"counted {text!r}")

    reply = ask(ScriptModel(refuse, [ScriptedReply([text_block("hello")], tokens=7)]), chat(user("go")))

    assert reply.usage["output"] == 7


def test_the_end_of_the_script_is_an_error() -> None:
    """A request that the script does not foresee is a mistake of the caller, not a reply."""
    with pytest.raises(ModelError, match="no reply left"):
        ask(ScriptModel(words), chat(user("go")))


def test_an_overflow_consumes_nothing() -> None:
    """After the context has been compacted the same scripted reply is served."""
    model = ScriptModel(words, [ScriptedReply([text_block("survives")])])
    refused = ask(model, chat(user("go"), tokens=101, window=100))

    assert refused.stop_reason == "error"
    assert "maximum context length is 100 tokens" in (refused.error_message or "")
    assert "resulted in 101 tokens" in (refused.error_message or "")
    assert ask(model, chat(user("go"), tokens=100, window=100)).text == "survives"


def test_scripted_faults_keep_their_message_and_cost_no_tokens() -> None:
    """A provider's fault is a reply with stop reason error."""
    model = ScriptModel(words, [ScriptedReply([], "error", "429 rate limit")])
    reply = ask(model, chat(user("go")))

    assert (reply.stop_reason, reply.error_message, reply.usage["totalTokens"]) == (
        "error",
        "429 rate limit",
        0,
    )


def test_the_body_is_never_parsed() -> None:
    """Long scripted drives must not pay for parsing a growing body."""
    template = chat(user("go"))
    unreadable = Request("executor", "script", b"\xff not json", template.measure, 10, 16_000)

    assert ask(ScriptModel(words, [ScriptedReply([text_block("fine")])]), unreadable).text == "fine"


def test_it_is_a_simulated_model() -> None:
    """Records carry the name and say that no real model answered."""
    model: Model = ScriptModel(words)

    assert (model.name, model.simulated) == ("sim:script", True)
