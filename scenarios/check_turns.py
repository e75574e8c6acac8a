"""Checks of the script: turn numbers, the order of steps, calls and their results, arguments of tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

from backslide.scenarios.fields import Speaker
from backslide.scenarios.model import AssistantStep, ResultStep, Turn
from backslide.scenarios.problems import Finding, Path, did_you_mean, seen

SPEAKERS: tuple[Speaker, ...] = get_args(Speaker)

TOOL_ARGS: Mapping[str, Mapping[str, tuple[type, bool]]] = {
    "read": {"path": (str, True), "offset": (int, False), "limit": (int, False)},
    "grep": {"pattern": (str, True), "path": (str, True)},
    "bash": {"command": (str, True)},
    "edit": {"path": (str, True), "oldText": (str, True), "newText": (str, True)},
    "write": {"path": (str, True), "content": (str, True)},
    "advisor": {
        "question": (str, True),
        "context": (str, False),
        "options": (list, False),
        "evidence": (list, False),
        "leaning": (str, False),
        "unsure": (str, False),
    },
}
"""The arguments of each tool: their type, and whether they must be given."""


def spoken(turn: Turn, speaker: Speaker) -> list[str]:
    """Return the literal texts of a turn by one speaker; of a tool the text and the tail, not the noise."""
    if speaker == "user":
        return [turn.user]
    if speaker == "assistant":
        return [step.text for step in turn.steps if isinstance(step, AssistantStep)]
    tools = tools_by_call(turn)
    return [
        text
        for step in turn.steps
        if isinstance(step, ResultStep)
        if (tools.get(step.call_id) == "advisor") == (speaker == "advisor")
        for text in (step.text, step.tail)
    ]


def tools_by_call(turn: Turn) -> dict[str, str]:
    """Map the ids of a turn's calls to the names of their tools."""
    return {call.id: call.tool for step in turn.steps if isinstance(step, AssistantStep) for call in step.calls}


def check_turns(turns: Sequence[Turn]) -> Iterator[Finding]:
    """Yield the findings about the script's turns."""
    owners: dict[str, int] = {}
    for index, turn in enumerate(turns):
        if turn.turn != index + 1:
            what = f"expected turn {index + 1}, saw {turn.turn}"
            yield Finding(("turns", index, "turn"), what, "number the turns 1, 2, 3 … in order")
        yield from _steps(turn, index, owners)


def _steps(turn: Turn, index: int, owners: dict[str, int]) -> Iterator[Finding]:
    """Follow a turn's steps as an agent loop would: calls, then all their results, then the next message."""
    later = {step.call_id for step in turn.steps if isinstance(step, ResultStep)}
    waiting: dict[str, Path] = {}
    answered: set[str] = set()
    calls_to_come = tools_by_call(turn)
    for position, step in enumerate(turn.steps):
        where: Path = ("turns", index, "steps", position)
        if isinstance(step, ResultStep):
            yield from _result(step, where, waiting, answered, calls_to_come)
            continue
        yield from _unanswered(waiting, later - answered)
        waiting.clear()
        is_last = position == len(turn.steps) - 1
        if is_last and step.calls:
            what = "expected the last step to be an assistant step without calls, saw calls"
            yield Finding((*where, "calls"), what, "add the results and the closing words")
        if not step.calls and not is_last:
            what = "expected calls in a step that is not the last, saw none"
            yield Finding(where, what, "end the turn here, or merge it with the next assistant step")
        if not step.calls and not step.text.strip():
            yield Finding((*where, "assistant"), "expected words or calls, saw blank text", "write the text")
        for number, call in enumerate(step.calls):
            path = (*where, "calls", number)
            if call.id in owners:
                what = f"the call id {call.id!r} stands twice, first in turn {owners[call.id]}"
                yield Finding((*path, "id"), what, "give each call its own id")
            owners.setdefault(call.id, turn.turn)
            waiting[call.id] = (*path, "id")
            yield from check_args(call.tool, call.args, path)
    if isinstance(turn.steps[-1], ResultStep):
        where = ("turns", index, "steps", len(turn.steps) - 1)
        what = "expected the last step to be an assistant step without calls, saw a result"
        yield Finding(where, what, "add the closing words of the executor")
    yield from _unanswered(waiting, later - answered)


def _result(
    step: ResultStep, where: Path, waiting: dict[str, Path], answered: set[str], calls: Mapping[str, str]
) -> Iterator[Finding]:
    name = step.call_id
    if step.live:
        yield from _live(step, where, calls)
    elif not step.text.strip() and step.noise is None and not step.tail.strip():
        what = "expected text, noise or tail, saw an empty result"
        yield Finding(where, what, "write what the tool printed, for example (no output)")
    if name in answered:
        what = f"the call {name!r} is answered twice"
        yield Finding((*where, "result"), what, "keep one result a call")
    elif name in waiting:
        del waiting[name]
        answered.add(name)
    elif name in calls:
        answered.add(name)
        what = f"the result of {name!r} does not follow its call"
        yield Finding((*where, "result"), what, "put it after the step with the call and before the next message")
    else:
        what = f"expected the id of a call of this turn, saw {name!r}"
        yield Finding((*where, "result"), what, did_you_mean(name, calls))


def _live(step: ResultStep, where: Path, calls: Mapping[str, str]) -> Iterator[Finding]:
    tool = calls.get(step.call_id)
    if tool is not None and tool != "advisor":
        what = f"expected `live` at the result of an advisor call, saw it at one of {tool}"
        yield Finding((*where, "live"), what, "write what the tool printed")
    if step.text or step.noise is not None or step.tail or step.error:
        what = "expected no text, noise, tail or error at a live result, saw some"
        yield Finding((*where, "live"), what, "leave them out: the advisor under test answers")


def _unanswered(waiting: Mapping[str, Path], later: set[str]) -> Iterator[Finding]:
    for name, path in waiting.items():
        if name not in later:  # else the misplaced result is reported, which is the clearer message
            yield Finding(path, f"the call {name!r} has no result", f"add a step `result: {name}`")


def check_args(tool: str, args: Mapping[str, object], where: Path) -> Iterator[Finding]:
    """Yield the findings about the arguments of one call."""
    known = TOOL_ARGS[tool]
    for name, value in args.items():
        path = (*where, "args", name)
        if name not in known:
            yield Finding(path, f"unknown argument {name!r} of {tool}", did_you_mean(name, known))
            continue
        wanted = known[name][0]
        if wanted is list:
            if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
                yield Finding(path, f"expected a list of texts, saw {seen(value)}", "write one or more items")
            continue
        if not isinstance(value, wanted) or isinstance(value, bool):
            kind = "text" if wanted is str else "a whole number"
            yield Finding(path, f"expected {kind}, saw {seen(value)}", "put it in quotes" if wanted is str else None)
    for name, (_, required) in known.items():
        if required and name not in args:
            path = (*where, "args", name)
            yield Finding(path, f"argument {name!r} of {tool} is missing", f"add {name!r}")
