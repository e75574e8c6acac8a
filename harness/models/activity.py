"""What was done in a conversation, in the words of somebody who reports on it: files looked at, tests run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from backslide.harness.models.transcript import Segment, read_calls

Action = Literal["searched", "read", "ran", "changed", "called"]


@dataclass(frozen=True)
class Activity:
    """One tool call: what was done to what, in which turn, and what came of it (empty if nothing is known)."""

    action: Action
    target: str
    turn: int
    outcome: str = ""


_ACTIONS: tuple[tuple[re.Pattern[str], Action], ...] = (
    (re.compile(r"grep|search|find|glob|^ls$|list", re.IGNORECASE), "searched"),
    (re.compile(r"edit|write|patch|create|replace|insert|move|delete", re.IGNORECASE), "changed"),
    (re.compile(r"read|cat|view|open|fetch", re.IGNORECASE), "read"),
    (re.compile(r"bash|shell|run|exec|terminal|command", re.IGNORECASE), "ran"),
)
_OUTCOMES = (
    re.compile(
        r"\b\d+ passed\b(?:[^\n]{0,40}?\b\d+ failed\b)?|\b\d+ failed\b(?:[^\n]{0,40}?\b\d+ passed\b)?", re.IGNORECASE
    ),
    re.compile(
        r"\b(?:all tests passed|build (?:success\w*|failed)|tests?: +\d[^\n]{0,60}|\d+ (?:errors?"
        r"|warnings?)\b)",
        re.IGNORECASE,
    ),
    re.compile(r"^(?:error|fatal|panic|FAIL|FAILED|E )\b[^\n]{0,100}", re.MULTILINE),
    re.compile(r"\bexit (?:code|status):? \d+\b", re.IGNORECASE),
    re.compile(r"^ok\b[^\n]{0,60}", re.MULTILINE),
)


def activities(segments: Sequence[Segment]) -> list[Activity]:
    """Return the tool calls of a conversation in order; results are matched to calls in order within a turn."""
    found: list[Activity] = []
    waiting: list[int] = []
    for segment in segments:
        if segment.speaker == "calls":
            waiting = []
            for name, arguments in read_calls(segment.text):
                action = _action(name)
                waiting.append(len(found))
                found.append(Activity(action, _target(action, name, arguments), segment.turn))
        elif segment.speaker == "result" and waiting:
            index = waiting.pop(0)
            if found[index].action == "ran":
                found[index] = Activity("ran", found[index].target, segment.turn, outcome_of(segment.text))
    return [activity for activity in found if activity.target]


def _action(name: str) -> Action:
    for known, action in _ACTIONS:
        if known.search(name):
            return action
    return "called"


def outcome_of(result: str) -> str:
    """Return the totals or the first error of a command's output, or an empty text."""
    for pattern in _OUTCOMES:
        matches = list(pattern.finditer(result))
        if matches:
            chosen = matches[0] if pattern.flags & re.MULTILINE else matches[-1]
            return " ".join(chosen[0].split())
    return ""


def _target(action: Action, name: str, arguments: dict[str, Any]) -> str:
    def text(*keys: str) -> str:
        return next((" ".join(str(arguments[key]).split()) for key in keys if arguments.get(key)), "")

    path = text("path", "file", "file_path", "filename", "dir", "directory")
    if action == "searched":
        pattern = text("pattern", "query", "regex", "glob")
        return f"{path or '.'}\n{pattern}" if pattern else path
    if action == "ran":
        return text("command", "cmd", "script")[:80]
    return path if action != "called" else name


def report(done: Iterable[Activity], chinese: bool) -> list[str]:
    """Return sentences that report activities; like ones that follow each other share a sentence."""
    groups: list[tuple[Action, list[str]]] = []
    seen: set[tuple[Action, str]] = set()
    for activity in done:
        text = _phrase(activity, chinese)
        if (activity.action, text) in seen:
            continue
        seen.add((activity.action, text))
        together = groups and groups[-1][0] == activity.action and len(groups[-1][1]) < 3
        if together:
            groups[-1][1].append(text)
        else:
            groups.append((activity.action, [text]))
    verbs = _CHINESE if chinese else _ENGLISH
    comma, stop = ("、", "。") if chinese else (", ", ".")
    return [f"{verbs[action]}{comma.join(targets)}{stop}" for action, targets in groups]


_ENGLISH: dict[Action, str] = {
    "searched": "Searched ",
    "read": "Read ",
    "ran": "Ran ",
    "changed": "Changed ",
    "called": "Called ",
}
_CHINESE: dict[Action, str] = {
    "searched": "搜索了 ",
    "read": "查看了 ",
    "ran": "运行了 ",
    "changed": "修改了 ",
    "called": "调用了 ",
}


def _phrase(activity: Activity, chinese: bool) -> str:
    if activity.action == "searched" and "\n" in activity.target:
        path, pattern = activity.target.split("\n", 1)
        return f"{path}（{pattern}）" if chinese else f"{path} for {pattern}"
    if activity.outcome:
        return f"{activity.target}（{activity.outcome}）" if chinese else f"{activity.target} ({activity.outcome})"
    return activity.target
