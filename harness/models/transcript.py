"""Reads a summarizer's request body: what is the instruction, what the conversation, what the earlier summary?

Any labelling of roles is accepted: ``[User]: …``, ``<user turn="3">…</user>``, ``User: …``, ``### 用户``. Text under
no known label is plain text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from backslide.harness.models.reading import message_text

Speaker = Literal["user", "assistant", "thinking", "calls", "result", "summary", "plain"]


@dataclass(frozen=True)
class Segment:
    """A stretch of conversation by one speaker; `turn` counts user messages from 1 (0 before the first)."""

    speaker: Speaker
    text: str
    turn: int


@dataclass(frozen=True)
class SummaryTask:
    """What one summarizer request asks: `user_words` and `system_words` are the instruction's two sources."""

    user_words: str
    system_words: str
    segments: tuple[Segment, ...]
    previous: str

    @property
    def instruction(self) -> str:
        """Return both sources of the instruction."""
        return f"{self.system_words}\n\n{self.user_words}".strip()

    @cached_property
    def last_turn(self) -> int:
        """Return the number of the last turn, at least 1."""
        return max((segment.turn for segment in self.segments), default=1) or 1


_CONVERSATION = re.compile(
    r"<(conversation|transcript|history|session|dialog(?:ue)?|chat|messages|log)(?:\s[^>]*)?>", re.IGNORECASE
)
_PREVIOUS = re.compile(
    r"<(?P<tag>(?:(?:previous|prior|earlier|last|existing|old)[-_ ]?(?:summary|hand-?over|briefing|notes?)"
    r"|summary|hand-?over|briefing))(?:\s[^>\n]*)?>",
    re.IGNORECASE,
)
_ROLE = (
    r"user|human|customer|assistant|agent|executor|model|ai|tools?|functions?|system|thinking|reasoning|summary|用户|助手"
    r"|工具|系统|思考"
)
_STYLES = (
    re.compile(rf"^\[(?P<role>(?:{_ROLE})\b[^\]\n]{{0,40}})\] ?[:：][ \t]?", re.IGNORECASE | re.MULTILINE),
    re.compile(rf"^<(?P<role>(?:{_ROLE})[\w-]{{0,20}})(?:\s[^>\n]*)?>[ \t]?", re.IGNORECASE | re.MULTILINE),
    re.compile(
        rf"^(?:#{{1,4}} |\*\*)?(?P<role>(?:{_ROLE})(?:[ (_-][^:：\n*]{{0,30}})?)(?:\*\*)?[:：](?:\*\*)?[ \t]?",
        re.IGNORECASE | re.MULTILINE,
    ),
    re.compile(rf"^#{{1,4}} (?P<role>(?:{_ROLE})(?:[ (_-][^:：\n*]{{0,30}})?)[ \t]*$", re.IGNORECASE | re.MULTILINE),
)
_CLOSING = re.compile(
    rf"^[ \t]*</(?:{_ROLE})[\w-]{{0,20}}>[ \t]*|</(?:{_ROLE})[\w-]{{0,20}}>[ \t]*$", re.IGNORECASE | re.MULTILINE
)


def read_task(messages: Sequence[Mapping[str, Any]]) -> SummaryTask:
    """Take a request's messages apart; without a tagged conversation the earlier messages are the conversation."""
    system = "\n\n".join(
        message_text(message) for message in messages if message.get("role") in {"system", "developer"}
    )
    rest = [message for message in messages if message.get("role") not in {"system", "developer"}]
    words = message_text(rest[-1]) if rest else ""
    opened = _CONVERSATION.search(words)
    close = words.rfind(f"</{opened[1]}>") if opened else -1
    if opened and close > opened.end():
        inside, outside = (
            words[opened.end() : close],
            f"{words[: opened.start()]}\n{words[close + len(opened[1]) + 3 :]}",
        )
        segments = tuple(read_segments(inside))
    elif len(rest) > 1:
        outside, segments = words, tuple(_from_messages(rest[:-1]))
    else:
        start = min((match.start() for style in _STYLES if (match := style.search(words))), default=0)
        outside, segments = words[:start], tuple(read_segments(words[start:]))
    outside, previous = _cut_previous(outside)
    return SummaryTask(outside.strip(), system, segments, previous)


def _cut_previous(text: str) -> tuple[str, str]:
    """Return the text without its tagged earlier summary, and that summary (empty if there is none)."""
    opened = _PREVIOUS.search(text)
    if opened is None:
        return text, ""
    closing = f"</{opened['tag']}>"
    close = text.rfind(closing)
    if close < opened.end():
        return text, ""
    return text[: opened.start()] + text[close + len(closing) :], text[opened.end() : close].strip()


def read_segments(conversation: str) -> list[Segment]:
    """Split a serialized conversation at its role labels; the style that comes first is the conversation's."""
    found = [(match.start(), index) for index, style in enumerate(_STYLES) if (match := style.search(conversation))]
    if not found:
        return [Segment("plain", conversation.strip(), 0)] if conversation.strip() else []
    style = _STYLES[min(found)[1]]
    matches = list(style.finditer(conversation))
    segments: list[Segment] = []
    turn = 0
    if head := conversation[: matches[0].start()].strip():
        segments.append(Segment("plain", head, 0))
    for match, following in zip(matches, [*matches[1:], None], strict=True):
        end = following.start() if following else len(conversation)
        text = _CLOSING.sub("", conversation[match.end() : end]).strip()
        speaker = speaker_of(match["role"])
        turn += speaker == "user"
        if text:
            segments.append(Segment(speaker, text, turn))
    return segments


def speaker_of(label: str) -> Speaker:
    """Return the speaker that a label names."""
    label = label.lower()
    for words, speaker in _SPEAKERS:
        if any(word in label for word in words):
            return speaker
    return "plain"


_SPEAKERS: tuple[tuple[tuple[str, ...], Speaker], ...] = (
    (("think", "reason", "思考"), "thinking"),
    (("result", "output", "结果", "输出"), "result"),
    (("call", "调用"), "calls"),
    (("tool", "function", "工具"), "result"),
    (("summary", "摘要"), "summary"),
    (("user", "human", "customer", "用户"), "user"),
    (("assistant", "agent", "executor", "model", "ai", "助手"), "assistant"),
)


def _from_messages(messages: Sequence[Mapping[str, Any]]) -> list[Segment]:
    segments: list[Segment] = []
    turn = 0
    for message in messages:
        text, role = message_text(message).strip(), message.get("role")
        turn += role == "user"
        rest, summary = _cut_previous(text) if role == "user" else (text, "")
        if summary:
            segments.append(Segment("summary", summary, turn))
        if text := rest.strip():
            segments.append(Segment(speaker_of("result" if role == "tool" else str(role)), text, turn))
        calls = [_signature(call.get("function", {})) for call in message.get("tool_calls") or ()]
        if calls:
            segments.append(Segment("calls", "; ".join(calls), turn))
    return segments


def _signature(function: Mapping[str, Any]) -> str:
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except ValueError:
        arguments = {}
    pairs = arguments.items() if isinstance(arguments, dict) else ()
    written = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in pairs)
    return f"{function.get('name', '')}({written})"


_NAME = re.compile(r"(?:^|[;\n]\s*)([A-Za-z_][\w.-]*)\(")
_KEY = re.compile(r"\s*,?\s*([A-Za-z_][\w-]*)=")
_DECODER = json.JSONDecoder(strict=False)


def read_calls(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return names and arguments of calls written as ``name(key=json, …); name(…)``; what is unreadable is skipped."""
    calls: list[tuple[str, dict[str, Any]]] = []
    position = 0
    while match := _NAME.search(text, position):
        position = match.end()
        arguments: dict[str, Any] = {}
        while key := _KEY.match(text, position):
            try:
                arguments[key[1]], position = _DECODER.raw_decode(text, key.end())
            except ValueError:
                position = key.end()
                break
        calls.append((match[1], arguments))
    return calls
