from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from advisor_builders import (
    BRIEF,
    COUNTER,
    MODEL,
    Sage,
    broken,
    desk,
    executor,
    failing,
    numbered,
    text,
    ticking,
)

from backslide.harness.advisor import Advisor, Brief
from backslide.harness.errors import InputError
from backslide.harness.models.gateway import Gateway
from backslide.harness.models.protocol import Reply, Request, metered_usage
from backslide.harness.settings import Cost


def test_advice_comes_in_one_envelope() -> None:
    """Text, model, effort, session, turn, usage and stop reason; no error."""
    rig = desk("Drop it.")

    result = rig.ask(executor())

    assert (result.text, result.model, result.effort) == ("Drop it.", "sage-1", "high")
    assert (result.session_id, result.turn, result.attempts) == ("advisor-exec-1", 1, 1)
    assert (result.stop_reason, result.error, result.completed) == ("stop", None, True)
    assert result.measure is not None
    assert result.usage["input"] == result.measure.tokens
    assert result.document()["turn"] == 1


def test_effort_and_cost_stand_in_what_the_executor_reads() -> None:
    """The price of a consultation is never out of sight."""
    usage = metered_usage(1200, 300)
    usage["cost"]["total"] = 0.0123
    rig = desk(Reply([text("Drop it.")], "stop", usage))

    shown = rig.advisor.tool_text(rig.ask(executor()))

    assert shown == "Drop it.\n\n(sage-1, effort high, advisor turn 1, 1,200 tokens in, 300 out, $0.0123)"


def test_later_briefs_continue_one_session() -> None:
    """The advisor sees its earlier questions and answers; it never has tools."""
    rig, session = desk("Drop it.", "Yes."), executor()

    rig.ask(session)
    result = rig.ask(session, Brief("Really?"))

    assert result.turn == 2
    assert [line.split("\n")[0] for line in rig.sage.sent()[1:]] == [
        "user: # A request for advice",
        "assistant: Drop it.",
        "user: # A request for advice",
    ]
    assert "tools" not in rig.sage.requests[-1].json
    assert {request.role for request in rig.sage.requests} == {"advisor"}


def test_an_empty_reply_is_asked_for_once_more() -> None:
    """White space is nothing; the second request is a short one, and both are paid."""
    rig, session = desk(" \n ", "Drop it."), executor()

    result = rig.ask(session)

    assert (result.text, result.attempts, result.turn, result.completed) == ("Drop it.", 2, 1, True)
    assert len(rig.sage.requests) == 2
    assert rig.sage.sent()[-1] == "user: Your reply was empty. Give your advice in a few sentences."
    assert result.usage["input"] == sum(request.measure.tokens for request in rig.sage.requests)
    assert "2 requests" in result.facts()


def test_two_empty_replies_are_an_error() -> None:
    """Exactly one retry."""
    rig, session = desk("", "\t"), executor()

    result = rig.ask(session)

    assert len(rig.sage.requests) == 2
    assert (result.turn, result.completed) == (0, False)
    assert "nothing" in (result.error or "")
    assert rig.advisor.status(session)[0].empty == 1


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply([text("Drop")], "length"), "cut off"),
        (Reply([text("I look."), {"type": "toolCall", "id": "x", "name": "read", "arguments": {}}], "toolUse"), "tool"),
    ],
)
def test_only_a_normal_stop_completes_a_turn(reply: Reply, error: str) -> None:
    """What there is of the text is given with the reason why it is incomplete."""
    rig, session = desk(reply), executor()

    result = rig.ask(session)

    assert error in (result.error or "")
    assert result.turn == 0
    assert result.text in result.tool_text()
    assert "The advice is incomplete" in result.tool_text()


def test_only_a_call_is_as_good_as_nothing() -> None:
    """A reply without text is asked for again, whatever else it holds."""
    only_call = Reply([{"type": "toolCall", "id": "x", "name": "read", "arguments": {}}], "toolUse")

    result = desk(only_call, "Drop it.").ask(executor())

    assert (result.text, result.attempts, result.completed) == ("Drop it.", 2, True)


def test_model_and_effort_change_without_losing_the_session() -> None:
    """The history goes on under another model, and the file tells of the change."""
    rig, session = desk("Drop it.", "Yes."), executor()
    rig.ask(session)

    rig.advisor.switch(model=replace(MODEL, id="sage-2"), effort="low")
    result = rig.ask(session)

    assert (result.model, result.effort, result.turn) == ("sage-2", "low", 2)
    assert rig.sage.requests[-1].json["model"] == "sage-2"
    assert "assistant: Drop it." in rig.sage.sent()
    assert rig.own(session).view().thinking_level == "low"


def test_effort_is_read_once_per_call() -> None:
    """A change while a call is under way, even before its retry, holds from the next call on."""
    rig = desk(model=replace(MODEL, reasoning=True))
    session = executor()

    async def switching(_request: Request) -> Reply:
        rig.advisor.switch(effort="low", model=replace(MODEL, id="sage-2"))
        return Reply([], "stop")

    rig.sage.answers = [switching, "Drop it."]
    first, second = rig.ask(session), rig.ask(session)

    assert [request.json.get("reasoning_effort") for request in rig.sage.requests] == ["high", "high", None]
    assert (first.effort, first.model) == ("high", "sage-1")
    assert (second.effort, second.model) == ("low", "sage-2")


def test_effort_is_sent_to_models_that_reason_and_measured() -> None:
    """The measured bytes are those of the body with the effort in it."""
    plain, reasoning = desk(), desk(model=replace(MODEL, reasoning=True, cost=Cost()))

    plain.ask(executor())
    result = reasoning.ask(executor())

    assert "reasoning_effort" not in plain.sage.requests[0].json
    assert reasoning.sage.requests[0].json["reasoning_effort"] == "high"
    assert result.measure is not None
    assert result.measure.bytes == len(reasoning.sage.requests[0].body)
    assert sum(result.measure.composition_bytes.values()) == result.measure.bytes


def test_an_effort_that_is_no_word_is_refused() -> None:
    """It would go into the request's body."""
    with pytest.raises(InputError, match="no effort"):
        desk().advisor.switch(effort='high","stream":"true')


def test_no_model_for_the_role_is_a_result_too() -> None:
    """Upstream showed this through a user interface only."""
    shown: list[str] = []
    quiet = Advisor(Gateway({}), COUNTER, MODEL, now=ticking(), ids=numbered(), notify=shown.append)

    result = asyncio.run(quiet.consult(executor(), BRIEF))

    assert "no model is configured" in (result.error or "")
    assert "no model is configured" in quiet.tool_text(result)
    assert shown == [result.error]


def test_errors_through_a_user_interface_only_leave_nothing_to_read() -> None:
    """U-2: without an interface the executor reads an empty result."""
    rig = desk(failing(), "Drop it.", errors="ui-only")
    session = executor()

    failed, fine = rig.ask(session), rig.ask(session)

    assert rig.advisor.tool_text(failed) == ""
    assert "Drop it." in rig.advisor.tool_text(fine)


def test_a_backend_that_raises_is_an_error_result() -> None:
    """The executor's turn never sees an exception of the advisor's provider."""
    rig = desk(broken(), OSError("connection reset"))

    assert [rig.ask(executor()).error for _ in range(2)] == ["no connection", "connection reset"]


def test_a_mistake_in_a_model_is_not_hidden() -> None:
    """An error in a program is no provider's failure."""
    with pytest.raises(ZeroDivisionError):
        desk(sage=Sage([ZeroDivisionError()])).ask(executor())
