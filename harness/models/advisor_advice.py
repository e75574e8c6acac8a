"""Advice in a document's own words: which option its evidence speaks for, what speaks against, what to settle first.

The choice depends on nothing but the document: an option gains with each statement of evidence that names its words and
loses with each that names them beside a failure. So other evidence can give other advice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from backslide.harness.models.advisor_labels import Transcript
from backslide.harness.models.reading import message_text
from backslide.harness.models.text import is_chinese, statements

_TITLES = {
    "question": re.compile(r"question|problem|\bask|decide|问题|疑问", re.IGNORECASE),
    "options": re.compile(r"option|alternative|approach|candidate|方案|选项", re.IGNORECASE),
    "evidence": re.compile(r"evidence|finding|fact|excerpt|measure|observ|证据|实测|事实", re.IGNORECASE),
    "leaning": re.compile(r"lean|inclin|prefer|tend|倾向", re.IGNORECASE),
    "unsure": re.compile(r"unsure|unknown|uncertain|open|risk|不确定|未知", re.IGNORECASE),
    "context": re.compile(r"context|background|situation|背景|情况", re.IGNORECASE),
}
_TROUBLE = re.compile(
    r"(?<!\b0 )(?<!\bno )(?:fail|error)|slow|crash|leak|timeout|timed out|regress|broke|wrong|reject|refus|denied"
    r"|exceed|exhaust|exit code [1-9]|失败|报错|超时|崩溃|泄漏|变慢|拒绝|不可用|错误",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z][\w./-]{3,}|\d[\d.,]*|[\u4e00-\u9fff]{2}", re.IGNORECASE)
_NUMBERING = re.compile(r"^(?:[-*+]|\(?\w[.)])\s+")
_FILE = re.compile(r"\b[\w./-]*[\w-]+\.(?:py|rs|go|ts|tsx|js|java|kt|rb|c|h|cpp|toml|yaml|yml|json|md|sql|sh)\b")
_LONGEST = 220

SENTENCES = {"off": 2, "minimal": 2, "low": 2, "medium": 3, "high": 5, "xhigh": 6}
"""How many sentences of advice an effort gives."""
USUAL_SENTENCES = 5


@dataclass(frozen=True)
class Matter:
    """What a document is about, by the titles its statements stand under."""

    question: tuple[str, ...]
    options: tuple[str, ...]
    evidence: tuple[str, ...]
    leaning: tuple[str, ...]
    unsure: tuple[str, ...]
    context: tuple[str, ...]
    chinese: bool


def read_matter(text: str, overlook: Callable[[str], bool]) -> Matter:
    """Read a document under titles; without any, its questions and its statements with figures or failures."""
    found: dict[str, list[str]] = {name: [] for name in _TITLES}
    loose: list[str] = []
    under = ""
    read = statements(text)
    for statement, after in zip_longest(read, read[1:]):
        words = _clean(statement.text)
        if statement.kind == "heading":
            under = statement.text
            continue
        if statement.kind != "code":
            # Lines in a fence stand under whatever title the text before it stands under.
            under = statement.titles[1] if len(statement.titles) > 1 else next(iter(statement.titles), "")
        if len(words) < 3 or overlook(words):
            continue
        if statement.kind != "code" and after is not None and after.kind == "code":
            # What stands right before a fence says what is in it.
            continue
        name = next((name for name, cue in _TITLES.items() if cue.search(under)), None)
        if name is not None:
            found[name].append(words)
        elif not under:
            loose.append(words)
    found["question"].sort(key=lambda words: not words.endswith(("?", "？")))
    if not found["question"]:
        found["question"] = [words for words in loose if words.endswith(("?", "？"))][-1:]
        found["evidence"] += [words for words in loose if _TROUBLE.search(words) or re.search(r"\d", words)][-6:]
        found["context"] += loose[:2]
    return Matter(**{name: tuple(words) for name, words in found.items()}, chinese=is_chinese(text))


def matter_of(transcript: Transcript, overlook: Callable[[str], bool]) -> Matter:
    """Return what a transcript seems to be about: its last request, and the last troubles in what came back."""
    asked = [block.text for block in transcript.blocks if block.key == transcript.opener]
    came = [block.text for block in transcript.blocks if block.key in transcript.output_keys]
    said = [
        block.text
        for block in transcript.blocks
        if block.key not in transcript.output_keys | transcript.call_keys and block.key != transcript.opener
    ]
    return _seen(asked, said, came, overlook)


def matter_of_chat(messages: Sequence[Mapping[str, Any]], overlook: Callable[[str], bool]) -> Matter:
    """Return what a conversation in messages seems to be about, as `matter_of` does for a transcript."""
    texts: dict[str, list[str]] = {"user": [], "assistant": [], "tool": []}
    for message in messages:
        if (role := str(message.get("role"))) in texts and (text := message_text(message)).strip():
            texts[role].append(text)
    return _seen(texts["user"], texts["assistant"], texts["tool"], overlook)


def _seen(asked: list[str], said: list[str], came: list[str], overlook: Callable[[str], bool]) -> Matter:
    """Return the matter of a conversation: what was asked, what was said about it, what came back from tools."""
    request = _sentences(asked[-1:], overlook)
    troubles = [line for line in _sentences(came[-8:], overlook) if _TROUBLE.search(line)]
    figures = [line for line in _sentences(said[-12:], overlook) if re.search(r"\d", line)]
    sample = " ".join([*asked[-3:], *said[-3:]])
    return Matter(
        question=tuple(request[:1]),
        options=(),
        evidence=(*figures[-3:], *troubles[-2:]),
        leaning=tuple(_sentences(said[-1:], overlook)[-1:]),
        unsure=(),
        context=tuple(request[1:3]),
        chinese=is_chinese(sample),
    )


def advise(matter: Matter, count: int) -> list[str]:
    """Return up to `count` sentences of guidance; every one addresses the reader and reports no action of its own."""
    chosen, against = _choice(matter)
    ruled_out = next((words for words in matter.options if words != chosen), "")
    for_it = [words for words in matter.evidence if words not in against]
    file = next(iter(_FILE.findall(" ".join([*matter.question, *matter.evidence, *matter.context]))), "")
    topic = next(iter(matter.question), "") or next(iter(matter.context), "")
    if matter.chinese:
        lines = [
            f"建议采用：{_ended(chosen)}"
            if chosen
            else f"先把这一点定下来：{_ended(topic)}"
            if topic
            else "先把目标写清楚。",
            f"依据：{'；'.join(for_it[:2])}。" if for_it else "",
            f"不建议“{ruled_out}”，因为{_ended(against[0])}" if ruled_out and against else "",
            f"动手之前先核实：{_ended(matter.unsure[0])}" if matter.unsure else "",
            f"从 {file} 开始，一次只改一处。" if file else "一次只改一处，每改一处就验证。",
            f"如果再次出现“{against[0]}”，请停下来问用户。" if against and not ruled_out else "",
            f"当前的倾向（{matter.leaning[0]}）要有证据再坚持。" if matter.leaning else "",
        ]
    else:
        lines = [
            f"Go with this: {_ended(chosen)}"
            if chosen
            else f"Settle this first: {_ended(topic)}"
            if topic
            else "State the goal first.",
            f"What speaks for it: {_ended('; '.join(for_it[:2]))}" if for_it else "",
            f'I would not take "{ruled_out}", because {_ended(against[0])}' if ruled_out and against else "",
            f"Before you commit to it, find out: {_ended(matter.unsure[0])}" if matter.unsure else "",
            f"Begin with {file} and change one thing at a time."
            if file
            else "Change one thing at a time and check it.",
            f'If "{against[0]}" shows up again, stop and ask the user.' if against and not ruled_out else "",
            f"Your leaning ({matter.leaning[0]}) needs evidence before you hold on to it." if matter.leaning else "",
        ]
    return [line for line in lines if line][:count]


def _choice(matter: Matter) -> tuple[str, list[str]]:
    """Return the option that the evidence speaks for (empty without options), and the evidence of trouble."""
    trouble = [words for words in matter.evidence if _TROUBLE.search(words)]
    if not matter.options:
        return "", trouble
    common = set.intersection(*(_words(option) for option in matter.options)) if len(matter.options) > 1 else set()
    scores = []
    for option in matter.options:
        own = _words(option) - common
        score = sum(len(own & _words(words)) * (-1 if _TROUBLE.search(words) else 1) for words in matter.evidence)
        scores.append(score + 0.5 * min(1, sum(len(own & _words(words)) for words in matter.leaning)))
    chosen = matter.options[scores.index(max(scores))]
    return chosen, [words for words in trouble if not _words(words) & (_words(chosen) - common)] or trouble


def _ended(words: str) -> str:
    """Return `words` with a full stop, unless they end on a mark of their own."""
    if words.endswith(("?", "!", "？", "！", "…")):
        return words
    return f"{words}。" if is_chinese(words) else f"{words}."


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _clean(text: str) -> str:
    words = _NUMBERING.sub("", " ".join(text.split())).strip(" >")
    words = words if len(words) <= _LONGEST else words[:_LONGEST].rsplit(" ", 1)[0] + "…"
    return words.rstrip(".。;；")


def _sentences(texts: Sequence[str], overlook: Callable[[str], bool]) -> list[str]:
    found = [_clean(statement.text) for text in texts for statement in statements(text[-6000:], log=True)]
    return [words for words in found if len(words) > 8 and not overlook(words)]
