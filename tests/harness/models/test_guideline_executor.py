"""The guideline-literal executor: what guidelines make of the same task."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from request_bodies import chat

from backslide.harness.advisor import advisor_tool, load_guidelines
from backslide.harness.errors import ModelError
from backslide.harness.models.guideline_executor import GuidelineExecutor
from backslide.harness.models.guideline_tasks import tasks_of
from backslide.harness.models.protocol import Reply, Request

ADVICE = "Keep the old flag for one release.\n\nIt costs nothing.\n\n(m, effort high, advisor turn 1, 9 tokens in, 3 out, $0.0000)"
TASK: dict[str, Any] = {
    "id": "rename-flag",
    "user": "Rename the flag --fast to --quick.",
    "steps": [
        {"text": "The flag stands in two files.", "calls": [{"tool": "grep", "args": {"pattern": "--fast"}}]},
        {"text": "I change both.", "calls": [{"tool": "edit", "args": {"path": "cli.py"}}]},
        {"text": "I run the tests.", "calls": [{"tool": "bash", "args": {"command": "pytest -q"}}]},
    ],
    "done": "The flag is called --quick now.",
}
CONTESTED = {
    **TASK,
    "disagreement": {"user": "Drop the old flag at once.", "advisor": "Keep the old flag for one release."},
}


def request_of(messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None = None) -> Request:
    """Build a request with tools, as an executor's has them."""
    plain = chat(*messages)
    body = json.dumps({**plain.json, "tools": tools or []}, ensure_ascii=False).encode()
    return replace(plain, body=body)


def say(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def work(task: dict[str, Any], guidelines: str, *asked: str, advice: str = ADVICE) -> list[Reply]:
    """Let the executor work on one request after the other until it has nothing left to do, and return its replies."""
    executor = GuidelineExecutor(tasks_of([task]), len)
    messages = [say("system", load_guidelines(guidelines).added_to("You are a coding agent."))]
    replies: list[Reply] = []
    for request in asked or (task["user"],):
        messages.append(say("user", request))
        while True:
            reply = asyncio.run(executor.complete(request_of(messages, tools=[advisor_tool("brief")])))
            replies.append(reply)
            calls = [
                {"id": call["id"], "type": "function", "function": {"name": call["name"]}} for call in reply.tool_calls
            ]
            messages.append(say("assistant", reply.text, **({"tool_calls": calls} if calls else {})))
            if not calls:
                break
            for call in reply.tool_calls:
                result = advice if call["name"] == "advisor" else "ok"
                messages.append(say("tool", result, tool_call_id=call["id"]))
    return replies


def called(replies: list[Reply]) -> list[str]:
    return [call["name"] for reply in replies for call in reply.tool_calls]


def test_a_routine_task_needs_no_advice() -> None:
    """With the default guidelines a task without a moment of need is done without the advisor."""
    replies = work(TASK, "default")

    assert called(replies) == ["grep", "edit", "bash"]
    assert replies[-1].text == TASK["done"]


def test_upstream_asks_before_and_after() -> None:
    """The same task starts and ends with a consultation, and both answers are passed on to the user."""
    replies = work(TASK, "upstream")

    assert called(replies) == ["advisor", "grep", "edit", "bash", "advisor"]
    assert all("Keep the old flag" in replies[index].text for index in (1, 5))


@pytest.mark.parametrize("moment", ["stuck_at", "irreversible_at"])
def test_the_moments_of_need(moment: str) -> None:
    """Stuck, or before a step that cannot be undone, the default guidelines have it ask, right there."""
    replies = work({**TASK, moment: 2}, "default")

    assert called(replies) == ["grep", "advisor", "edit", "bash"]
    assert replies[1].tool_calls[0]["arguments"]["evidence"] == ["ok"]


def test_advice_is_mentioned_only_if_it_changed_the_plan() -> None:
    """As a decision of its own; advice that changed nothing stays where it was."""
    unchanged, changed = (
        "\n".join(reply.text for reply in work({**TASK, "stuck_at": 2, "advice_changes_plan": changes}, "default"))
        for changes in (False, True)
    )

    assert "old flag" not in unchanged
    assert "Keep the old flag" in changed
    assert "advisor" not in changed


def test_an_error_is_no_advice() -> None:
    """What failed is not passed on."""
    replies = work(TASK, "upstream", advice="No advice was given: WebSocket error")

    assert not [reply for reply in replies if "WebSocket" in reply.text]


def test_the_user_decides_by_default() -> None:
    """Where the two differ, the user's word is done; upstream's silence on it lets the weight of the advisor win."""
    asked = (CONTESTED["user"], CONTESTED["disagreement"]["user"])

    assert "Drop the old flag at once." in work(CONTESTED, "default", *asked)[-1].text
    assert "Keep the old flag for one release." in work(CONTESTED, "upstream", *asked)[-1].text


def test_another_view_is_credited_and_not_followed(tmp_path: Path) -> None:
    """Guidelines that ask before work, and let the user decide: the advisor is heard, named, and overruled."""
    mixed = tmp_path / "mixed.md"
    mixed.write_text(
        "## Advisor\n- Before any work, call the advisor.\n- The user decides.\n- Attribute its views to the advisor.\n",
        encoding="utf-8",
    )
    replies = work(CONTESTED, str(mixed), CONTESTED["user"], CONTESTED["disagreement"]["user"])

    assert called(replies)[-1] == "advisor"
    assert "Drop the old flag at once." in replies[-1].text
    assert "its view is: Keep the old flag for one release." in replies[-1].text


def test_without_an_advisor_there_is_nobody_to_ask() -> None:
    """Guidelines alone give no tool."""
    executor = GuidelineExecutor(tasks_of([TASK]), len)
    system = say("system", load_guidelines("upstream").text)
    reply = asyncio.run(executor.complete(request_of([system, say("user", TASK["user"])])))

    assert [call["name"] for call in reply.tool_calls] == ["grep"]


def test_an_unknown_request_is_an_error() -> None:
    """It has no answer of its own."""
    with pytest.raises(ModelError, match="no known task"):
        asyncio.run(GuidelineExecutor(tasks_of([TASK]), len).complete(request_of([say("user", "Hello")])))
