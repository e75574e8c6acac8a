"""Which files the tool calls of a conversation read and changed.

Rules of Pi 0.83.0 (control-plane semantics, "prepareCompaction" and "compact()"): calls named exactly read,
write or edit with a non-empty text ``path``; the lists of earlier summaries are carried on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from backslide.harness.jsjson import utf16_key


@dataclass(frozen=True, slots=True)
class FileOps:
    """Paths by what was done to them, each in the order of its first use."""

    read: dict[str, None] = field(default_factory=dict)
    written: dict[str, None] = field(default_factory=dict)
    edited: dict[str, None] = field(default_factory=dict)

    def add_message(self, message: Mapping[str, Any]) -> None:
        """Take in the tool calls of an assistant message; other roles have none."""
        if message.get("role") != "assistant":
            return
        content = message.get("content")
        if not isinstance(content, list):
            return
        for block in content:
            if not isinstance(block, dict) or block.get("type") != "toolCall":
                continue
            arguments = block.get("arguments")
            path = arguments.get("path") if isinstance(arguments, dict) else None
            paths = self._paths_of(block.get("name"))
            if paths is not None and isinstance(path, str) and path:
                paths[path] = None

    def _paths_of(self, tool: Any) -> dict[str, None] | None:
        if tool == "read":
            return self.read
        if tool == "write":
            return self.written
        return self.edited if tool == "edit" else None

    def add_summary(self, entry: Mapping[str, Any]) -> None:
        """Take in the file lists of an earlier compaction or branch summary, unless an extension wrote it."""
        details = entry.get("details")
        if entry.get("fromHook") or not isinstance(details, dict):
            return
        for key, paths in (("readFiles", self.read), ("modifiedFiles", self.edited)):
            listed = details.get(key)
            if isinstance(listed, list):
                paths.update((path, None) for path in listed if isinstance(path, str))

    def add_messages(self, messages: Iterable[Mapping[str, Any]]) -> None:
        """Take in the tool calls of messages."""
        for message in messages:
            self.add_message(message)


@dataclass(frozen=True, slots=True)
class FileLists:
    """What a summary says about files, sorted by UTF-16 code units."""

    read_files: tuple[str, ...]
    """Read and not changed."""
    modified_files: tuple[str, ...]

    def details(self) -> dict[str, list[str]]:
        """Return the ``details`` of a summary entry."""
        return {"readFiles": list(self.read_files), "modifiedFiles": list(self.modified_files)}

    def suffix(self) -> str:
        """Return the tagged lists that end a summary, with a blank line before each; empty without files."""
        return _tagged("read-files", self.read_files) + _tagged("modified-files", self.modified_files)


def file_lists(file_ops: FileOps) -> FileLists:
    """Return the sorted lists: modified = edited or written, read = read less modified."""
    modified = file_ops.edited | file_ops.written
    return FileLists(
        read_files=tuple(sorted((path for path in file_ops.read if path not in modified), key=utf16_key)),
        modified_files=tuple(sorted(modified, key=utf16_key)),
    )


def _tagged(tag: str, paths: tuple[str, ...]) -> str:
    return "\n\n" + "\n".join((f"<{tag}>", *paths, f"</{tag}>")) if paths else ""
