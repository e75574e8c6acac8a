"""Checks of what an advisor scenario adds: empty lists that only it may have, its tasks, and its facts."""

from __future__ import annotations

from collections.abc import Iterator

from backslide.scenarios.check_turns import check_args
from backslide.scenarios.model import ADVISOR_TAG, Scenario
from backslide.scenarios.problems import Finding, Path
from backslide.scenarios.tasks import Task


def check_advisor(scenario: Scenario) -> Iterator[Finding]:
    """Yield the findings about lists that may be empty only here, about facts and about tasks."""
    if not scenario.is_advisor:
        for field, items in (("probes", scenario.probes), ("cards", scenario.cards)):
            if not items:
                what = f"expected {field} in a scenario without the tag {ADVISOR_TAG!r}, saw none"
                yield Finding((field,), what, f"add some, or the tag {ADVISOR_TAG!r}")
    yield from _facts(scenario)
    first: dict[str, int] = {}
    for index, task in enumerate(scenario.tasks):
        if task.id in first:
            what = f"the task {task.id!r} stands twice, first at tasks[{first[task.id]}]"
            yield Finding(("tasks", index, "id"), what, "give each its own id")
        first.setdefault(task.id, index)
        yield from _task(task, ("tasks", index))


def _facts(scenario: Scenario) -> Iterator[Finding]:
    facts, workspace = scenario.facts, scenario.workspace
    if facts is None:
        return
    if not workspace.commits:
        yield Finding(("facts",), "expected commits in the workspace, saw none", "add them under `workspace.commits`")
        return
    committed = {name for commit in workspace.commits for name in commit.files}
    loose = [file.path for file in workspace.files if file.path not in committed]
    if facts.dirty and not loose:
        what = "expected a file of the workspace that is in no commit, since `dirty` is true, saw none"
        yield Finding(("facts", "dirty"), what, "leave a file out of the commits, or say `dirty: false`")
    if not facts.dirty and loose:
        what = f"expected every file of the workspace in a commit, since `dirty` is false, saw {loose[0]!r} in none"
        yield Finding(("facts", "dirty"), what, "add it to a commit, or say `dirty: true`")


def _task(task: Task, where: Path) -> Iterator[Finding]:
    last = len(task.steps)
    for field, number in (("stuck_at", task.stuck_at), ("irreversible_at", task.irreversible_at)):
        if number is not None and number > last:
            yield Finding(
                (*where, field), f"expected a step from 1 to {last}, saw {number}", "name a step of this task"
            )
    for index, step in enumerate(task.steps):
        for number, call in enumerate(step.calls):
            path: Path = (*where, "steps", index, "calls", number)
            if call.tool == "advisor":
                what = "expected the executor's own work, saw a scripted consultation"
                yield Finding((*path, "tool"), what, "leave it out: the executor decides whether it consults")
            yield from check_args(call.tool, call.args, path)
