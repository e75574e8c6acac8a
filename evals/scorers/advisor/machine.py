"""Find calls, results and turns in the forms of machines: tags, chat-template tokens, JSON and YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from backslide.evals.scorers.advisor.content import is_command, is_notice
from backslide.evals.scorers.advisor.lines import Line
from backslide.evals.scorers.advisor.markerdata import Role, data, name_of, token_pattern
from backslide.evals.scorers.advisor.occurrences import Occurrence

_TAG = re.compile(
    r"^<(?P<close>/?)(?P<name>[A-Za-z_\u3400-\u9fff][\w:.\u3400-\u9fff-]{0,40})(?P<attributes>(?:[\s=][^<>]{0,300})"
    r"?)/?>(?P<rest>.*)$"
)
_INVOKES = re.compile(r"\b(?:tool|cmd|command|function|tool_name)\s*=", re.IGNORECASE)
_TOOL_NAME = re.compile(
    r"^(?:read|write|execute|run|edit|apply|list|search|replace|insert|create|delete|update|fetch|get|ask|attempt|"
    r"use|browser|call|open|grep|glob)_[a-z_]{2,30}$"
)
_CALL_TAGS = frozenset({"invoke", "parameter", "function", "function_calls"})
_YAML_CALL = re.compile(r"^(?:- )?(?P<key>tool_calls?|tool_use|function_calls?|tool_results?)\s*:\s*$", re.IGNORECASE)
_YAML_FIELD = re.compile(
    r"^(?:- )?(?:name|tool|function|arguments|args|input|parameters|command|id|output|content)\s*:"
)
_ROLE_WORD = re.compile(r"^\W*(?:user|assistant|system|tool|model|human)?\W*$", re.IGNORECASE)
_JSON_START = re.compile(r"^\[?\s*\{|^\[$")
_ROLE_ATTRIBUTE = re.compile(r"\b(?:role|from|speaker|author|type)\s*=\s*[\"']?([A-Za-z_]{2,24})", re.IGNORECASE)
_COMMAND_KEYS = frozenset({"command", "cmd", "timeout", "timeout_ms", "description", "cwd", "workdir", "background"})
_KEY = re.compile(r"[\"'](\w+)[\"']\s*:")
_KIND = re.compile(r"[\"']type[\"']\s*:\s*[\"'](\w+)[\"']")
_SPOKEN = re.compile(r"[\"']role[\"']\s*:\s*[\"'](\w+)[\"']")
_LONGEST_DOCUMENT = 20_000
_MOST_DOCUMENTS = 200


def machine_occurrences(text: str, lines: Sequence[Line]) -> list[Occurrence]:
    """Return the tags, tokens and documents that stand at the start of lines which are said, not shown."""
    out: list[Occurrence] = []
    covered = -1
    documents = 0
    for index, line in enumerate(lines):
        if line.hidden or line.start < covered:
            continue
        found = _tag(lines, index) or _token(lines, index) or _yaml(lines, index)
        if found is None and documents < _MOST_DOCUMENTS and _JSON_START.match(line.text):
            documents += 1
            found, covered = _document(text, line, index)
        if found is not None:
            out.append(found)
    return out


def _after(lines: Sequence[Line], index: int) -> str:
    return lines[index + 1].text if index + 1 < len(lines) and not lines[index + 1].hidden else ""


def _tag(lines: Sequence[Line], index: int) -> Occurrence | None:
    # The words without their marks of emphasis would lose the underscores of tag names.
    text = lines[index].plain[:2000]
    match = _TAG.match(text)
    if match is None or match["close"]:
        return None
    bare = match["name"].rpartition(":")[2] or match["name"]
    attributes = match["attributes"]
    short = bare.split("=")[0]
    rest = match["rest"].strip()
    weak = False
    role: Role
    if _is_tool_tag(lines, index, short) or (
        short.lower() in _CALL_TAGS and (attributes or rest or _after(lines, index).startswith("<"))
    ):
        role = "call"
    elif (spoken := _ROLE_ATTRIBUTE.search(attributes)) and (named := name_of(spoken[1].replace("_", " "))):
        role = named.role
    elif _INVOKES.search(attributes) and name_of(short) is None:
        role = "call"
    else:
        name = name_of(re.sub(r"[_.:-]", " ", short))
        if name is None:
            notice = is_notice(rest or _after(lines, index)) and any(
                f"</{match['name']}>" in line.plain for line in lines[index : index + 12]
            )
            return (
                Occurrence(index, "tag", "reminder", f"<{bare}>", rest or _after(lines, index), colon=True)
                if notice
                else None
            )
        role, weak = (
            name.role,
            name.weak
            and not (name.role == "tool" and attributes)
            and not (name.role == "system" and len(rest.split()) >= 4)
            and name.role != "reminder"
            and short.lower() not in {"stdout", "stderr"}
            and not _INVOKES.search(attributes),
        )
    content = re.sub(rf"</\s*{re.escape(match['name'])}\s*>.*$", "", rest).strip() or (
        _after(lines, index) if not rest else ""
    )
    return Occurrence(
        index,
        "tag",
        role,
        f"<{bare}>",
        content,
        weak,
        not rest or rest.startswith("<") or "</" in rest,
        attributes.strip(),
    )


def _is_tool_tag(lines: Sequence[Line], index: int, name: str) -> bool:
    """Return whether a tag is named like a tool ("read_file") and holds its arguments as tags."""
    below = _after(lines, index)
    return (
        bool(_TOOL_NAME.match(name))
        and lines[index].plain.endswith(">")
        and below.startswith("<")
        and not below.startswith("</")
    )


def _token(lines: Sequence[Line], index: int) -> Occurrence | None:
    """Return a template token at the start of a line, or the line after one that ends a line of words."""
    text = lines[index].raw[:2000]
    pattern = token_pattern()
    match = pattern.match(text)
    if match:
        rest = text[match.end() :].strip()
        return Occurrence(
            index, "token", _token_role(text), match.group(), rest or _after(lines, index), colon=not rest
        )
    before = lines[index - 1] if index else None
    if before is None or before.hidden or pattern.match(before.raw):
        return None
    tail = next(reversed(list(pattern.finditer(before.raw[-200:]))), None)
    if tail is not None and _ROLE_WORD.match(before.raw[-200:][tail.end() :]):
        return Occurrence(index, "token", "user", tail.group(), lines[index].text, colon=True)
    return None


def _token_role(text: str) -> Role:
    found = re.search(r"user|INST|assistant|model|tool|system|SYS", text[:80])
    words: dict[str, Role] = {
        "user": "user",
        "INST": "user",
        "assistant": "assistant",
        "model": "assistant",
        "tool": "result",
    }
    return words.get(found.group(), "system") if found else "system"


def _yaml(lines: Sequence[Line], index: int) -> Occurrence | None:
    match = _YAML_CALL.match(lines[index].raw)
    if match is None or not _YAML_FIELD.match(_after(lines, index)):
        return None
    role: Role = "result" if "result" in match["key"] else "call"
    return Occurrence(index, "yaml", role, match["key"], _after(lines, index))


def _document(text: str, line: Line, index: int) -> tuple[Occurrence | None, int]:
    """Return the call, result or turn that a JSON document at a line is, and where the document ends."""
    head = text[line.start : line.start + _LONGEST_DOCUMENT]
    end = line.end
    try:
        value, length = json.JSONDecoder().raw_decode(head)
        end = line.start + length
        role, label = _role_of(value)
    except (ValueError, RecursionError):
        discussed = re.search(r"[}\]]\s+[a-z]{2,}", line.text)
        role, label = (None, "") if discussed else _role_of_keys(head[:2000])
    if role is None:
        return None, end
    return Occurrence(index, "json", role, label, head[:200].strip()), end


def _role_of(value: Any) -> tuple[Role | None, str]:
    if isinstance(value, list):
        return next((found for item in value[:20] if (found := _role_of(item))[0]), (None, ""))
    if not isinstance(value, Mapping):
        return None, ""
    types: Mapping[str, Role] = data()["types"]
    kind = value.get("type")
    if isinstance(kind, str) and kind in types:
        return types[kind], kind
    inner = value.get("function")
    if isinstance(inner, Mapping) and "name" in inner:
        return "call", "function"
    spoken = value.get("role")
    if isinstance(spoken, str) and ("content" in value or "tool_calls" in value):
        name = name_of(spoken)
        return ("result" if name and name.role == "tool" else name.role if name else None), f"role {spoken}"
    for who in ("from", "speaker", "author"):
        name = name_of(value[who]) if isinstance(value.get(who), str) else None
        if name is not None and {"value", "content", "text", "message"} & set(value):
            return name.role, f"{who} {value[who]}"
    command = value.get("command", value.get("cmd"))
    if isinstance(command, str) and is_command(command) and set(value) <= _COMMAND_KEYS:
        return "call", "json call"
    return _by_keys(set(value))


def _by_keys(keys: set[str]) -> tuple[Role | None, str]:
    known: tuple[tuple[Role, str], ...] = (("call", "call_keys"), ("result", "result_keys"))
    for role, name in known:
        for wanted in data()[name]:
            if keys.issuperset(wanted):
                return role, f"json {role}"
    return None, ""


def _role_of_keys(head: str) -> tuple[Role | None, str]:
    """Return the same for a document that does not parse, such as one that was cut off."""
    kind = _KIND.search(head)
    types: Mapping[str, Role] = data()["types"]
    if kind and kind[1] in types:
        return types[kind[1]], kind[1]
    keys = set(_KEY.findall(head))
    spoken = _SPOKEN.search(head)
    if spoken and "content" in keys and (name := name_of(spoken[1])) is not None:
        return ("result" if name.role == "tool" else name.role), f"role {spoken[1]}"
    return _by_keys(keys)
