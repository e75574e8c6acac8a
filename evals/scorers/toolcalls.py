"""Read tool calls, structured or written out as JSON, Python or XML text: what they add, run and change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from backslide.evals.scorers.mapped import Mapped, pieces, replaced
from backslide.evals.scorers.reply import PlacedCall

PATH_KEYS = ("path", "file_path", "filePath", "filepath", "file", "filename", "target_file", "target")
OLD_KEYS = ("oldText", "old_text", "old_string", "oldString", "old_str", "old", "search")
NEW_KEYS = ("newText", "new_text", "new_string", "newString", "new_str", "new", "replace", "replacement")
CONTENT_KEYS = ("content", "contents", "file_text", "fileText", "text", "code")
COMMAND_KEYS = ("command", "cmd", "script")
PATCH_KEYS = ("patch", "diff", "input")
NESTED_KEYS = ("arguments", "parameters")
NAME_KEYS = ("tool", "name", "tool_name", "function", "recipient_name", "type")
_ALL = (*PATH_KEYS, *OLD_KEYS, *NEW_KEYS, *CONTENT_KEYS, *COMMAND_KEYS, *PATCH_KEYS, *NAME_KEYS, *NESTED_KEYS)
_READERS = re.compile(r"(?i)read|view|grep|search|glob|list|^ls$|^cat$|find|fetch|open")


@dataclass(frozen=True)
class ToolText:
    """One call as text pieces: each of its parts mapped to the reply, None where it has no such part."""

    name: str
    path: Mapped | None
    old: Mapped | None
    new: Mapped | None
    content: Mapped | None
    command: Mapped | None
    patch: Mapped | None
    start: int
    end: int

    @property
    def reads(self) -> bool:
        """Return whether the call only looks at files."""
        return bool(_READERS.search(self.name)) and self.new is None and self.content is None


def of_placed(call: PlacedCall, canonical: Mapped) -> ToolText:
    """Return a structured call as text pieces of the canonical reply."""

    def part(names: tuple[str, ...]) -> Mapped | None:
        found = call.get(*names)
        return canonical.cut(found.start, found.start + len(found.value)) if found else None

    name = call.name
    return ToolText(
        name,
        part(PATH_KEYS),
        part(OLD_KEYS),
        part(NEW_KEYS),
        part(CONTENT_KEYS),
        part(COMMAND_KEYS),
        part(PATCH_KEYS),
        call.start,
        call.end,
    )


def added(tool: ToolText) -> Mapped | None:
    """Return what an edit or write adds: the new lines that the old text does not hold, or the whole content."""
    if tool.new is not None:
        counts: dict[str, int] = {}
        for line in (tool.old.text if tool.old else "").splitlines():
            counts[line.strip()] = counts.get(line.strip(), 0) + 1
        spans = []
        position = 0
        for raw in tool.new.text.splitlines(keepends=True):
            key = raw.strip()
            if counts.get(key, 0) and key:
                counts[key] -= 1
            else:
                spans.append((position, position + len(raw)))
            position += len(raw)
        return pieces(tool.new, spans)
    return tool.content


_KEY = "|".join(sorted(_ALL, key=len, reverse=True))
_PAIR = re.compile(
    rf"""(?:"(?P<json>{_KEY})\\?"\s*:\s*|\b(?P<kw>{_KEY})\s*=\s*)(?P<value>"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)
       |<(?:\w+:)?parameter\s+name="(?P<xml>{_KEY})"\s*>|<(?:\w+:)?invoke\s+name="(?P<invoke>\w+)"
       |<(?P<tag>path|file_path|old_text|new_text|old_str|new_str|content|command)>
       |(?P<call>\b(?:edit|write|bash|read|grep|str_replace|create_file|apply_patch|write_file|
       edit_file|run|shell|exec|multi_edit|replace_in_file|Edit|Write|Bash|Read)\s*[({{])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


@dataclass
class _Group:
    start: int
    end: int
    name: str
    parts: dict[str, Mapped]
    keyword: bool


def written_calls(text: Mapped) -> Iterator[ToolText]:
    """Yield the tool calls that are written out in a text, also truncated or malformed ones. Linear in the text."""
    group: _Group | None = None
    unclosed: set[str] = set()
    position = 0
    while match := _PAIR.search(text.text, position):
        position = match.end()
        key = match["json"] or match["kw"] or match["xml"] or match["tag"]
        opening = match["call"] or match["invoke"]
        if opening or (
            group
            and (match.start() - group.end > 200 or (key in group.parts) or (key in NAME_KEYS and _complete(group)))
        ):
            if group and _usable(group):
                yield _of_group(group)
            group = None
        if opening:
            group = _Group(match.start(), match.end(), opening.rstrip(" ({"), {}, keyword=True)
            continue
        if not key:
            continue
        keyword = bool(match["kw"])
        if group is None:
            if keyword:
                continue
            group = _Group(match.start(), match.end(), "", {}, keyword=False)
        if match["json"] or keyword:
            value = _value(text, match)
        else:
            element = _element(text, match, unclosed)
            if element is None:
                continue
            value = element
            position = value.origin[0] + len(value.text)
        if key in NESTED_KEYS:
            yield from written_calls(value)
            continue
        group.parts[key] = value
        group.end = position
        if key in NAME_KEYS and not group.name:
            group.name = value.text
    if group and _usable(group):
        yield _of_group(group)


def _complete(group: _Group) -> bool:
    return any(key in group.parts for key in (*NEW_KEYS, *CONTENT_KEYS, *COMMAND_KEYS, *PATCH_KEYS))


def _usable(group: _Group) -> bool:
    has_path = any(key in group.parts for key in PATH_KEYS)
    changes = any(key in group.parts for key in (*NEW_KEYS, *CONTENT_KEYS))
    runs = any(key in group.parts for key in COMMAND_KEYS)
    patches = any(
        (key in group.parts and "***" in group.parts[key].text) or (key == "patch" and key in group.parts)
        for key in PATCH_KEYS
    )
    return (has_path and (changes or bool(group.name))) or runs or patches


def _of_group(group: _Group) -> ToolText:
    def part(names: tuple[str, ...]) -> Mapped | None:
        return next((group.parts[name] for name in names if name in group.parts), None)

    return ToolText(
        group.name,
        part(PATH_KEYS),
        part(OLD_KEYS),
        part(NEW_KEYS),
        part(CONTENT_KEYS),
        part(COMMAND_KEYS),
        part(PATCH_KEYS),
        group.start,
        group.end,
    )


def _element(text: Mapped, match: re.Match[str], unclosed: set[str]) -> Mapped | None:
    """Return the content of an XML element, or None; a closing tag that is not found is not looked for again."""
    closing = f"</{match['tag']}>" if match["tag"] else "parameter>"
    if closing in unclosed:
        return None
    end = text.text.find(closing, match.end())
    if end < 0:
        unclosed.add(closing)
        end = len(text.text)
    if not match["tag"]:
        mark = text.text.rfind("</", match.end(), end)
        end = mark if mark >= 0 else end
    return text.cut(match.end(), end)


def _value(text: Mapped, match: re.Match[str]) -> Mapped:
    start, end = match.start("value") + 1, match.end("value")
    if end > start and text.text[end - 1] == text.text[start - 1]:
        end -= 1
    if "\\" not in text.text[start:end]:
        return text.cut(start, end)
    parts: list[tuple[int, int, str | None]] = []
    done = start
    for escape in _ESCAPE.finditer(text.text, start, end):
        parts.append((done, escape.start(), None))
        plain = chr(int(escape[1], 16)) if escape[1] else _ESCAPED.get(escape[2], escape[2])
        parts.append((escape.start(), escape.end(), plain))
        done = escape.end()
    parts.append((done, end, None))
    return replaced(text, parts)
