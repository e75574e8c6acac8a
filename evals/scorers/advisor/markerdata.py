"""The marker data: which words, tags, tokens and keys label a transcript, and what a label's name makes it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

Role = Literal["user", "assistant", "thinking", "call", "result", "tool", "system", "reminder", "advisor", "unknown"]
"""What a label introduces. `tool` is a bare "Tool", which stands before calls and results alike."""

_PRIORITY: tuple[Role, ...] = (
    "reminder",
    "thinking",
    "result",
    "call",
    "tool",
    "user",
    "assistant",
    "system",
    "advisor",
)
_WORD = re.compile(r"[^\W\d_]+", re.UNICODE)
_CJK = re.compile("[\u3400-\u9fff]")
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Name:
    """What a label's name says: its role, and whether the name is used for nothing but a transcript.

    A weak name ("Output", "Action", "Model") is an everyday heading as well and needs company.
    """

    role: Role
    weak: bool


@cache
def data() -> Mapping[str, Any]:
    """Return the marker data file."""
    loaded: Mapping[str, Any] = json.loads(Path(__file__).with_name("markers.json").read_text(encoding="utf-8"))
    return loaded


@cache
def _groups() -> dict[str, str]:
    return {word: group for group, words in data()["words"].items() for word in words}


@cache
def _longest_cjk() -> int:
    return max(len(word) for word in _groups() if _CJK.match(word))


@cache
def token_pattern() -> re.Pattern[str]:
    """Return the pattern of one chat-template token."""
    return re.compile("|".join(f"(?:{item})" for item in data()["tokens"]))


@cache
def intro_patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of words that introduce something shown, of those that quote, and of own continuation."""
    words = data()["introduce"]
    return re.compile(words["mention"]), re.compile(words["quotation"]), re.compile(words["own"])


def leading_name(text: str) -> tuple[Name, str] | None:
    """Return the name that a text's first words make, and the rest of the text; None unless it is one beyond doubt."""
    end = 0
    for word in re.finditer(r"\s*([^\W\d_]+)[_-]?", text[:_LONGEST_NAME]):
        if word.start() != end or not _groups().get(word[1].lower()):
            break
        end = word.end()
    name = name_of(re.sub(r"[_-]", " ", text[:end]).strip()) if end else None
    return None if name is None or name.weak else (name, text[end:].strip(" :：`-"))


@cache
def name_of(text: str) -> Name | None:
    """Return what a name makes a label, None if one of its words belongs to no transcript label."""
    if len(text) > _LONGEST_NAME or re.search(r"[`{}\"=?!.,;]", text):
        return None
    groups: list[str] = []
    for word in _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)):
        found = _segments(word) if _CJK.match(word) else [_groups().get(word.lower(), "")]
        if not found or "" in found:
            return None
        groups += found
    kinds = {group.removesuffix("_weak") for group in groups} - {"qualifier"}
    if "system" in kinds and ("notice" in kinds or re.search(r"(?i)\bmessage\b|消息", text)):
        kinds = {"system", "reminder"}
    kinds.discard("notice")
    if not kinds:
        return None
    role = next(role for role in _PRIORITY if role in kinds)
    return Name(role, _is_weak(kinds, groups))


def _is_weak(kinds: set[str], groups: list[str]) -> bool:
    if "reminder" in kinds:
        return kinds == {"reminder"}
    if kinds & {"user", "assistant"}:
        anchored = any(group in {"user", "assistant"} for group in groups)
        return not anchored and len(kinds) == 1
    return len(kinds) == 1


def _segments(word: str) -> list[str]:
    """Return the groups of a Chinese name's words, longest match first; an unknown part gives an empty name."""
    out: list[str] = []
    at = 0
    while at < len(word):
        for size in range(min(_longest_cjk(), len(word) - at), 0, -1):
            group = _groups().get(word[at : at + size])
            if group:
                out.append(group)
                at += size
                break
        else:
            return [""]
    return out
