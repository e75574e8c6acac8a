"""What an advisor scenario adds: facts to check claims against, and tasks for an executor that is not scripted."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from backslide.scenarios.fields import Id, Line, Many, Part, Some, Text, ToolName

Position = Annotated[int, Field(ge=1)]
"""The number of a task's step, from 1."""


class Facts(Part):
    """What is true in the workspace, whatever anybody says about it.

    Its commits are those of `Workspace.commits`; their ids come from the repository that is built of them (see
    `backslide.scenarios.repository`).
    """

    pushed: bool
    dirty: bool
    tests_passed: Annotated[int, Field(ge=0)] | None = None


class TaskCall(Part):
    """A tool call of the executor's own work, with what it prints."""

    tool: ToolName
    args: dict[str, Any] = Field(default_factory=dict)
    result: Text


class TaskStep(Part):
    """One piece of a task's work: what the executor reports of it, and its calls."""

    text: Text
    calls: Many[TaskCall] = ()


class Disagreement(Part):
    """A matter that the user has decided and on which an advisor recommends something else."""

    topic: Line
    user: Line
    advisor: Line


class Task(Part):
    """Work for an executor that acts on its guidelines alone; no consultation in it is scripted."""

    id: Id
    user: Text
    steps: Some[TaskStep]
    stuck_at: Position | None = None
    irreversible_at: Position | None = None
    advice_changes_plan: bool = False
    disagreement: Disagreement | None = None
    done: Line

    @property
    def has_trigger(self) -> bool:
        """Whether a moment comes at which the repaired guidelines would consult the advisor."""
        return self.stuck_at is not None or self.irreversible_at is not None
