from __future__ import annotations

import asyncio
from typing import Any

from advisor_builders import MODEL, TOOLS, Desk, Sage, call, desk, executor, failing, worked
from rig import Tools, calling, make_rig, said

from backslide.harness.advisor import AdvisorToolbox, advisor_tool
from backslide.harness.control.tools import CODING_TOOLS, ToolResult


def run(box: AdvisorToolbox, name: str, **arguments: Any) -> ToolResult:
    return asyncio.run(box.run(call("c1", name, **arguments)))


def box_of(rig: Desk) -> AdvisorToolbox:
    return AdvisorToolbox(Tools(), rig.advisor, executor())


def test_the_tool_asks_for_a_brief() -> None:
    """Only the question is required; lists are lists of texts."""
    parameters = advisor_tool("brief")["function"]["parameters"]

    assert list(parameters["properties"]) == ["question", "context", "options", "evidence", "leaning", "unsure"]
    assert parameters["required"] == ["question"]
    assert parameters["properties"]["options"]["items"] == {"type": "string"}


def test_the_mirrors_tool_takes_nothing() -> None:
    """The host writes the payload there."""
    assert advisor_tool("mirror")["function"]["parameters"]["properties"] == {}


def test_the_advisor_is_one_tool_among_the_executors() -> None:
    """The list is the same object each time, so that it is measured once; other calls go to the other tools."""
    box = box_of(desk())

    assert [tool["function"]["name"] for tool in box.definitions] == [
        *(tool["function"]["name"] for tool in CODING_TOOLS),
        "advisor",
    ]
    assert box.definitions is box.definitions
    assert run(box, "bash", command="ls") == ToolResult("ok")


def test_advice_is_a_tool_result() -> None:
    """And the envelope is kept for whoever measures."""
    box = box_of(desk("Take the table."))

    result = run(box, "advisor", question="Which queue?")

    assert not result.is_error
    assert result.text.startswith("Take the table.\n\n(sage-1, effort high")
    assert [kept.text for kept in box.results] == ["Take the table."]


def test_a_call_without_a_question_costs_nothing() -> None:
    """It is refused before a session exists."""
    rig = desk()

    result = run(box_of(rig), "advisor", context="The mailer.")

    assert result.is_error
    assert "no question" in result.text
    assert rig.sage.requests == []
    assert rig.advisor.pool.sessions == ()


def test_a_failure_is_read_and_not_raised() -> None:
    """U-2 repaired; with errors through a user interface only, the executor reads nothing."""
    plain, silent = box_of(desk(failing())), box_of(desk(failing(), errors="ui-only"))

    assert "WebSocket error" in run(plain, "advisor", question="Which?").text
    assert run(silent, "advisor", question="Which?") == ToolResult("", is_error=True)


def test_an_agent_consults_its_advisor_in_its_turn() -> None:
    """Through the real loop: call, brief, advice as result, and the turn goes on."""
    sage = Sage(["Take the table.", failing()])
    rig = make_rig()
    consulted = desk(sage=sage)
    rig.agent.tools = AdvisorToolbox(rig.tools, consulted.advisor, rig.session)

    rig.turn("Pick a queue.", calling(call("c1", "advisor", question="Which queue?")), said("The table it is."))
    last = rig.turn("Ask again.", calling(call("c2", "advisor", question="Really?")), said("No advice, going on."))

    results = [entry["message"] for entry in rig.session.entries if entry["message"]["role"] == "toolResult"]
    assert [result["isError"] for result in results] == [False, True]
    assert "Take the table." in results[0]["content"][0]["text"]
    assert last is not None
    assert last["content"][0]["text"] == "No advice, going on."
    assert consulted.advisor.status(rig.session)[0].failed == 1


def test_a_mirror_ends_on_the_agents_own_call() -> None:
    """The call is in the session before the tool runs, so the mirror breaks off at it."""
    rig = make_rig()
    consulted = desk("Keep it.", delivery="mirror")
    rig.agent.tools = AdvisorToolbox(rig.tools, consulted.advisor, rig.session)

    rig.turn("Pick a queue.", calling(call("c1", "advisor")), said("I keep it."))

    sent = consulted.sage.sent()[-1]
    assert sent.endswith("[Assistant tool calls]: advisor()\n\nPlease give your advice on the situation above.")
    assert "- advisor: Ask a second model" in sent


def test_two_calls_in_one_reply_take_turns() -> None:
    """The agent runs the calls of a reply side by side; the second finds the first one's answer in the session."""
    rig = make_rig()
    consulted = desk("One.", "Two.")
    rig.agent.tools = AdvisorToolbox(rig.tools, consulted.advisor, rig.session)
    calls = [call(name, "advisor", question=f"{name}?") for name in ("c1", "c2")]

    rig.turn("Ask both.", calling(*calls), said("Good."))

    assert [len(request.messages) for request in consulted.sage.requests] == [2, 4]


def test_tools_and_model_of_the_helpers_fit() -> None:
    """The helpers' session is what the advisor mirrors."""
    assert desk(delivery="mirror").mirror(worked(1)).model == MODEL.id
    assert TOOLS[0]["function"]["name"] == "bash"
