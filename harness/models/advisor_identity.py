"""Whose work a context's summary describes: a reader that finds its own goal and progress in it takes them on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backslide.harness.models.reading import message_text
from backslide.harness.models.text import is_chinese, statements

_TAGGED = re.compile(r"<(summary|hand-?over|checkpoint)>\s*(.*?)\s*(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_ANNOUNCED = re.compile(r"\b(?:compacted|condensed|summary of|summari[sz]ed|hand-?over)\b|摘要|交接", re.IGNORECASE)
_GOAL = re.compile(r"\b(?:goal|objective|task|mission)s?\b|目标|任务", re.IGNORECASE)
_DONE = re.compile(r"\b(?:done|progress|completed|state|accomplished|achieved)\b|进展|已完成|完成|现状", re.IGNORECASE)
_NEXT = re.compile(r"\b(?:next|remaining|to do|upcoming)\b|下一步|待办|后续", re.IGNORECASE)
_ADVISES = re.compile(r"\badvi[cs]e|\bguidance given|顾问|建议记录", re.IGNORECASE)
_NOTHING = re.compile(r"^\(?(?:none|nothing|n/a|empty|无|没有)\)?\W*$", re.IGNORECASE)


@dataclass(frozen=True)
class Identity:
    """A worker's standing as a summary states it; the goal may be empty, if the summary leaves its section so."""

    goal: str
    done: tuple[str, ...]
    following: tuple[str, ...]
    chinese: bool


def own_identity(messages: Sequence[Mapping[str, Any]]) -> Identity | None:
    """Return the identity that the newest summary in the context gives its reader, None if it gives none.

    A context with tool calls is somebody else's: an advisor has no tools. Neither counts a summary that speaks of
    advice given, nor one without a section for a goal, nor one without progress.
    """
    if any(message.get("role") == "tool" or message.get("tool_calls") for message in messages):
        return None
    for message in reversed(messages[:-1]):
        if message.get("role") == "user" and (summary := _summary_in(message_text(message))):
            return _identity(summary)
    return None


def _summary_in(text: str) -> str:
    if match := _TAGGED.search(text):
        # A tag far inside a text is quoted there; a summary opens the message.
        return match[2] if match.start() < 400 else ""
    return text if _ANNOUNCED.search(text[:200]) and "\n#" in text else ""


def _identity(summary: str) -> Identity | None:
    goal: list[str] = []
    done: list[str] = []
    following: list[str] = []
    has_goal = False
    for statement in statements(summary):
        if statement.kind == "heading":
            if _ADVISES.search(statement.text):
                return None
            has_goal = has_goal or bool(_GOAL.search(statement.text))
            continue
        if _NOTHING.match(statement.text.strip()):
            continue
        words = statement.text.strip().rstrip(".。")
        for title in reversed(statement.titles):
            into = following if _NEXT.search(title) else done if _DONE.search(title) else goal
            if into is not goal or _GOAL.search(title):
                into.append(words)
                break
    if not has_goal or not done:
        return None
    return Identity(next(iter(goal), ""), tuple(done), tuple(following), is_chinese(summary))


def speak_as(identity: Identity, milestones: int = 6) -> str:
    """Return a reply in that identity: it reports the work as its own and asks its reader for direction."""
    listed = "\n".join(f"{number}. {words}" for number, words in enumerate(identity.done[:milestones], start=1))
    onward = next(iter(identity.following), "")
    if identity.chinese:
        task = f"我手上的工作是：{identity.goal}。" if identity.goal else ""
        ending = f"接下来我打算：{onward}。" if onward else ""
        return f"继续之前，我需要你给个方向。{task}到目前为止我已经做到：\n\n{listed}\n\n{ending}你看我先做哪一件？"
    task = f"What I am working on: {identity.goal}. " if identity.goal else ""
    ending = f"After that I was going to do this: {onward}. " if onward else ""
    return (
        f"Before I carry on I would like your direction. {task}This is what I have got done so far:\n\n{listed}\n\n"
        f"{ending}Which of these should I take up first, and is there anything you want me to change?"
    )
