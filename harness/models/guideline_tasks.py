"""The work of a guideline-literal executor as plain data, and the order in which it goes about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from backslide.harness.models.guideline_reading import Policy

Reason = Literal["before work", "stuck", "irreversible", "minimum", "completion", "disagreement"]

FEW_STEPS = 2
"""Tasks up to so many steps are not "more than a few": a least number of calls does not apply to them."""


@dataclass(frozen=True)
class Step:
    """A piece of the executor's own work: what it says, and its calls as ``{"tool", "args"}``."""

    text: str
    calls: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Disagreement:
    """A later decision of the user, and what an advisor would recommend instead."""

    user: str
    advisor: str
    topic: str = ""


@dataclass(frozen=True)
class Task:
    """One request with the steps that the work consists of.

    `stuck_at` and `irreversible_at` are numbers of steps from 1 before which the executor is stuck, or about to do what
    cannot be undone; `advice_changes_plan` tells whether advice, if it is asked for, differs from the plan.
    """

    id: str
    user: str
    steps: tuple[Step, ...]
    done: str
    stuck_at: int | None = None
    irreversible_at: int | None = None
    advice_changes_plan: bool = False
    disagreement: Disagreement | None = None

    def triggered(self, number: int) -> Reason | None:
        """Return what befalls the executor right before a step."""
        if number == self.stuck_at:
            return "stuck"
        return "irreversible" if number == self.irreversible_at else None


@dataclass(frozen=True)
class Act:
    """One assistant message: a consultation with its reason, a step with calls, or the closing reply."""

    kind: Literal["consult", "step", "close"]
    reason: Reason | None = None
    step: int = 0


def agenda(task: Task, policy: Policy, *, advisor: bool) -> tuple[Act, ...]:
    """Return a task's acts in order as the guidelines want them; `advisor` is whether it can be asked at all."""
    consults = list(_consults(task, policy)) if advisor else []
    acts: list[Act] = []
    for number in range(1, len(task.steps) + 1):
        acts += [Act("consult", reason, number) for at, reason in consults if at == number]
        if task.steps[number - 1].calls:
            acts.append(Act("step", step=number))
    acts += [Act("consult", reason, len(task.steps) + 1) for at, reason in consults if at > len(task.steps)]
    return (*acts, Act("close"))


def reaction(policy: Policy, *, advisor: bool) -> tuple[Act, ...]:
    """Return the acts on a decision of the user's: it is taken up as another piece of work."""
    asks = advisor and policy.before_work
    return (*((Act("consult", "disagreement"),) if asks else ()), Act("close"))


def _consults(task: Task, policy: Policy) -> Iterator[tuple[int, Reason]]:
    """Yield at which step (one past the last: at the end) the advisor is asked, and why."""
    last = len(task.steps)
    found: list[tuple[int, Reason]] = [(1, "before work")] if policy.before_work else []
    for number in range(1, last + 1):
        reason = task.triggered(number)
        if (reason == "stuck" and policy.when_stuck) or (reason == "irreversible" and policy.before_irreversible):
            found.append((number, reason))
    if policy.at_completion:
        found.append((last + 1, "completion"))
    if last > FEW_STEPS:
        missing = policy.minimum - len(found)
        found += [(_middle(last, index, missing), "minimum") for index in range(missing)]
    yield from sorted(found, key=lambda item: item[0])


def _middle(last: int, index: int, count: int) -> int:
    return 1 + (index + 1) * last // (count + 1)


def tasks_of(documents: Sequence[Mapping[str, Any]]) -> tuple[Task, ...]:
    """Return the tasks of plain data with the names of the scenario format."""
    return tuple(_task(document) for document in documents)


def _task(document: Mapping[str, Any]) -> Task:
    contested = document.get("disagreement")
    return Task(
        id=str(document["id"]),
        user=str(document["user"]),
        steps=tuple(
            Step(str(step.get("text") or ""), tuple(step.get("calls") or ())) for step in document.get("steps") or ()
        ),
        done=str(document["done"]),
        stuck_at=document.get("stuck_at"),
        irreversible_at=document.get("irreversible_at"),
        advice_changes_plan=bool(document.get("advice_changes_plan")),
        disagreement=Disagreement(contested["user"], contested["advisor"], str(contested.get("topic") or ""))
        if contested
        else None,
    )
