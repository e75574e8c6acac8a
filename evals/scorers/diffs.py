"""Read unified diffs and apply_patch blocks: which lines are added, in which file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backslide.evals.scorers.mapped import Mapped, pieces
from backslide.evals.scorers.shell import PathOp


@dataclass(frozen=True)
class FileChange:
    """The change of one file: its added lines, and the span of its header."""

    path: str | None
    op: PathOp
    added: Mapped
    removed: Mapped
    start: int
    end: int


_GIT = re.compile(r"^diff --git a/(?P<old>\S+) b/(?P<new>\S+)")
_OLD = re.compile(r"^--- (?:a/)?(?P<path>[^\t\n]+?)(?:\t.*)?\s*$")
_NEW = re.compile(r"^\+\+\+ (?:b/)?(?P<path>[^\t\n]+?)(?:\t.*)?\s*$")
_PATCH_FILE = re.compile(r"^\s*\*\*\* (?P<what>Add|Update|Delete) File: (?P<path>\S.*?)\s*$")
_PATCH_MOVE = re.compile(r"^\s*\*\*\* Move to: (?P<path>\S.*?)\s*$")
_RENAME = re.compile(r"^rename (?:from|to) (?P<path>\S.*?)\s*$")
_FURNITURE = re.compile(
    r"^(?:@@|index |new file|deleted file|similarity |old mode|new mode|copy |\\ No newline|\*\*\* )"
)


@dataclass
class _Open:
    path: str | None
    op: PathOp
    start: int
    end: int
    added: list[tuple[int, int]]
    removed: list[tuple[int, int]]


def looks_like_diff(text: str, info: str = "") -> bool:
    """Return whether the content of a fence is a diff: by its name, its headers, or lines that all begin with + or
    -.
    """
    if re.search(
        r"^(?:diff --git |\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File: )|@@ -\d+(?:,\d+)? \+\d)",
        text,
        re.MULTILINE,
    ):
        return True
    if re.search(r"^--- \S.*\n\+\+\+ \S", text, re.MULTILINE):
        return True
    if re.match(r"(?:diff|patch|udiff)\b", info):
        return bool(re.search(r"^[+-]", text, re.MULTILINE))
    lines = [line for line in text.splitlines() if line.strip()]
    signed = sum(1 for line in lines if re.match(r"[+-](?!\d)", line))
    return (
        len(lines) >= 2
        and signed == len(lines)
        and any(line.startswith("+") for line in lines)
        and any(line.startswith("-") and not re.match(r"-{1,2} |- ", line) for line in lines)
    )


def file_changes(text: Mapped) -> tuple[FileChange, ...]:
    """Return the changes that a diff or patch text makes, one per file; lines before any header belong to no file."""
    changes: list[_Open] = []
    current: _Open | None = None
    after_old: str | None = None
    in_hunk = False
    position = 0
    for raw in text.text.splitlines(keepends=True):
        start, end = position, position + len(raw.rstrip("\r\n"))
        position += len(raw)
        line = raw.rstrip("\r\n")
        header = None if in_hunk and line.startswith(("--- a", "+++ b")) is False else _header(line, after_old)
        old = _OLD.match(line)
        if old and not (in_hunk and not re.match(r"--- (?:a/|/dev/null|\S+/)", line)):
            after_old = old["path"]
            in_hunk = False
            continue
        if header is None and (git := _GIT.match(line)):
            header = (git["new"], "patch")
        if header is None and (named := _PATCH_FILE.match(line)):
            ops: dict[str, PathOp] = {"Add": "write", "Update": "patch", "Delete": "delete"}
            header = (named["path"], ops[named["what"]])
        if header is not None:
            if not (current and current.path == header[0]):
                current = _Open(header[0], header[1], start, end, [], [])
                changes.append(current)
            after_old = None
            in_hunk = False
            continue
        moved = _PATCH_MOVE.match(line) or _RENAME.match(line)
        if moved:
            current = _Open(moved["path"], "move", start, end, [], [])
            changes.append(current)
            continue
        if _FURNITURE.match(line):
            in_hunk = in_hunk or line.startswith("@@")
            if line.startswith("deleted file") and current:
                current.op = "delete"
            continue
        if line.startswith(("+", "-")):
            if current is None:
                current = _Open(None, "patch", start, end, [], [])
                changes.append(current)
            span = (start + 1, min(position, len(text.text)))
            (current.added if line.startswith("+") else current.removed).append(span)
    return tuple(
        FileChange(item.path, item.op, pieces(text, item.added), pieces(text, item.removed), item.start, item.end)
        for item in changes
    )


def _header(line: str, old: str | None) -> tuple[str, PathOp] | None:
    new = _NEW.match(line)
    if not new:
        return None
    if new["path"] == "/dev/null":
        return (old or "", "delete")
    return (new["path"], "write" if old == "/dev/null" else "patch")
