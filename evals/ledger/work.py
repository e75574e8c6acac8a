"""Drives a scenario's tasks with the guideline-literal executor: nothing about its consultations is scripted."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from backslide.evals.ledger.setup import AdvisorSetup, Rig, make_rig, text_of
from backslide.harness.advisor import AdvisorResult
from backslide.harness.control.tools import CODING_TOOLS, ToolResult
from backslide.harness.models.guideline_executor import GuidelineExecutor
from backslide.harness.models.guideline_tasks import tasks_of
from backslide.harness.payload.tokens import shared_counter
from backslide.scenarios import Scenario
from backslide.scenarios.model import Task


@dataclass(frozen=True)
class TaskOutcome:
    """One task as it went: the session's messages of it, and the consultations.

    `messages` are user, assistant and tool-result messages in order; `decision` is the index of the user's later
    decision among them, None without one.
    """

    task: Task
    messages: tuple[dict[str, Any], ...]
    results: tuple[AdvisorResult, ...]
    decision: int | None = None

    @property
    def visible(self) -> list[tuple[str, str]]:
        """Return the messages with words that the user reads, as (role, text)."""
        return [(m["role"], text) for m in self.messages if m["role"] in {"user", "assistant"} and (text := text_of(m))]

    @property
    def replies(self) -> list[str]:
        """Return the executor's texts that the user reads."""
        return [text for role, text in self.visible if role == "assistant"]

    @property
    def user_words(self) -> list[str]:
        """Return what the user said."""
        return [text for role, text in self.visible if role == "user"]

    @property
    def asked(self) -> list[str]:
        """Return what the advisor was sent."""
        return [result.delivery.text for result in self.results if result.delivery is not None]

    def step_of(self, call: dict[str, Any]) -> int | None:
        """Return the number of the step that a call belongs to, None for any other call."""
        key = _key(call["name"], call.get("arguments") or {})
        for number, step in enumerate(self.task.steps, start=1):
            if any(_key(own.tool, own.args) == key for own in step.calls):
                return number
        return None

    @property
    def advice(self) -> list[str]:
        """Return the advisor's completed replies."""
        return [result.text for result in self.results if result.completed]


@dataclass(frozen=True)
class WorkDrive:
    """All tasks of a scenario under one setup."""

    rig: Rig
    tasks: tuple[TaskOutcome, ...] = ()


class TaskToolbox:
    """Serves the results that a scenario's tasks state for their calls."""

    def __init__(self, scenario: Scenario) -> None:
        self._results = {
            _key(call.tool, call.args): call.result
            for task in scenario.tasks
            for step in task.steps
            for call in step.calls
        }

    @property
    def definitions(self) -> list[dict[str, Any]]:
        """Return the coding tools."""
        return CODING_TOOLS

    async def run(self, call: dict[str, Any]) -> ToolResult:
        """Return the stated result of a call."""
        return ToolResult(self._results.get(_key(call["name"], call.get("arguments") or {}), "(no output)"))


def _key(tool: str, arguments: Any) -> str:
    return f"{tool} {json.dumps(arguments, sort_keys=True, ensure_ascii=False)}"


def drive_work(scenario: Scenario, setup: AdvisorSetup) -> WorkDrive:
    """Let the executor work through the tasks of a scenario under the guidelines of a setup."""
    return asyncio.run(_drive(scenario, setup))


async def _drive(scenario: Scenario, setup: AdvisorSetup) -> WorkDrive:
    tasks = tasks_of([task.model_dump() for task in scenario.tasks])
    executor = GuidelineExecutor(tasks, shared_counter("models").count)
    # Wide enough that no task is compacted away: what is measured are the guidelines.
    rig = make_rig(scenario, setup, executor, TaskToolbox(scenario), scale=16, name="work")
    outcomes = []
    with rig.session:
        for task in scenario.tasks:
            before, asked = len(rig.session.branch()), len(rig.tools.results)
            await rig.agent.prompt(task.user)
            decision = None
            if task.disagreement is not None:
                decision = len(_messages(rig, before))
                await rig.agent.prompt(task.disagreement.user)
            outcomes.append(
                TaskOutcome(task, tuple(_messages(rig, before)), tuple(rig.tools.results[asked:]), decision)
            )
    return WorkDrive(rig, tuple(outcomes))


def _messages(rig: Rig, start: int) -> list[dict[str, Any]]:
    return [entry["message"] for entry in rig.session.branch()[start:] if entry.get("type") == "message"]
