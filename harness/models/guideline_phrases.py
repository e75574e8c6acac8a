"""What the guideline-literal executor says about advice, in the language of its task."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from backslide.harness.models.guideline_tasks import Reason
from backslide.harness.models.text import is_chinese

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_FACTS = re.compile(r"^\(.*\btokens in\b.*\)$")
_NO_ADVICE = re.compile(r"^No advice (?:was given|was asked for)\b")
_LONGEST = 200


@dataclass(frozen=True)
class Phrases:
    """Sentences with ``{advice}``, ``{user}``, ``{advisor}`` or ``{task}`` to be filled in."""

    relay: str
    deference: str
    changed: str
    credited: str
    uncredited: str
    user_wins: str
    advisor_wins: str
    other_view: str
    questions: Mapping[Reason, str]


_ENGLISH = Phrases(
    relay="The advisor says: {advice}",
    deference="That goes to the heart of the matter, so I go with the advisor.",
    changed="I have changed the plan: {advice}",
    credited="It is the advisor's view that this matters: {advice}",
    uncredited='Your remark "{advice}" deserves an answer of its own: the work above takes care of it.',
    user_wins="As you decided, I am doing this: {user}",
    advisor_wins="The advisor recommends otherwise: {advisor} I do that.",
    other_view="The advisor sees it differently; its view is: {advisor}",
    questions={
        "before work": "Is this the right way to go about the task: {task}",
        "stuck": "I am stuck and see no way forward. What should I try next on this: {task}",
        "irreversible": "The next step cannot be undone. Should I take it? The task: {task}",
        "minimum": "Is the approach taken so far right for this task: {task}",
        "completion": "Is this finished, or is something missing? The task: {task}",
        "disagreement": "The user has made a decision. Is it right for this task: {task}",
    },
)
_CHINESE = Phrases(
    relay="顾问说：{advice}",
    deference="它说到了点子上，我按顾问的意见来。",
    changed="我调整了计划：{advice}",
    credited="这一点是顾问的看法：{advice}",
    uncredited="你说的“{advice}”值得单独回答：上面的改动已经覆盖到了。",
    user_wins="按你的决定，我这样做：{user}",
    advisor_wins="顾问的建议不同：{advisor}我这样做。",
    other_view="顾问的看法不同，它认为：{advisor}",
    questions={
        "before work": "这个任务这样做对吗：{task}",
        "stuck": "我卡住了，下一步该试什么？任务：{task}",
        "irreversible": "下一步无法撤销，该不该做？任务：{task}",
        "minimum": "目前的做法适合这个任务吗：{task}",
        "completion": "这样算完成了吗，还缺什么？任务：{task}",
        "disagreement": "用户做了决定，对这个任务合适吗：{task}",
    },
)


def phrases_for(task: str) -> Phrases:
    """Return the phrases in the language of a task."""
    return _CHINESE if is_chinese(task) else _ENGLISH


def main_points(answer: str) -> str:
    """Return the first sentence of an advisor's answer, without the facts on the call; empty for an error."""
    paragraphs = [part.strip() for part in answer.split("\n\n") if part.strip() and not _FACTS.match(part.strip())]
    if not paragraphs or _NO_ADVICE.match(paragraphs[0]):
        return ""
    words = " ".join(paragraphs[0].split())
    first = next((part for part in _SENTENCE.split(words) if len(part) > 12), words)
    return first if len(first) <= _LONGEST else f"{first[:_LONGEST].rstrip()} …"
