"""The files of a scenario as they stand at a moment of its session, and the tools that work on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backslide.harness.control.tools import CODING_TOOLS, ToolResult
from backslide.scenarios import Scenario

READ_LINES = 2_000
GREP_HITS = 100


class WorkspaceFiles:
    """Path → content. Scripted `write` and `edit` calls are applied, so that a later `read` shows what was written."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = {_clean(path): content for path, content in files.items()}

    @classmethod
    def of(cls, scenario: Scenario) -> WorkspaceFiles:
        """Return the files that a scenario starts with."""
        return cls({file.path: file.content for file in scenario.workspace.files})

    def apply(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Apply a scripted call; an edit whose old text is not there changes nothing."""
        path = _clean(str(arguments.get("path", "")))
        if tool == "write":
            self._files[path] = str(arguments.get("content", ""))
        elif tool == "edit" and path in self._files:
            old, new = str(arguments.get("oldText", "")), str(arguments.get("newText", ""))
            if old and old in self._files[path]:
                self._files[path] = self._files[path].replace(old, new, 1)

    def read(self, path: str, offset: int = 1, limit: int = READ_LINES) -> ToolResult:
        """Return lines of a file, from line `offset` (1-based)."""
        content = self._files.get(_clean(path))
        if content is None:
            return ToolResult(f"ENOENT: no such file: {path}", is_error=True)
        lines = content.splitlines()
        first = max(offset, 1) - 1
        return ToolResult("\n".join(lines[first : first + max(limit, 1)]))

    def grep(self, pattern: str, path: str = "") -> ToolResult:
        """Return matching lines as ``path:line: text``; an expression that RE2 refuses is searched as plain text."""
        import re2

        options = re2.Options()
        options.log_errors = False
        try:
            expression = re2.compile(pattern, options)
        except re2.error:
            expression = re2.compile(re2.escape(pattern), options)
        prefix = _clean(path)
        hits: list[str] = []
        for name in sorted(self._files):
            if prefix and name != prefix and not name.startswith(prefix.rstrip("/") + "/"):
                continue
            for number, line in enumerate(self._files[name].splitlines(), start=1):
                if expression.search(line):
                    hits.append(f"{name}:{number}: {line.strip()}")
                    if len(hits) >= GREP_HITS:
                        return ToolResult("\n".join([*hits, f"(first {GREP_HITS} matches)"]))
        return ToolResult("\n".join(hits) or "No matches found")


class ScriptToolbox:
    """Serves the scripted results of a turn's calls."""

    definitions = CODING_TOOLS

    def __init__(self, workspace: WorkspaceFiles) -> None:
        self._workspace = workspace
        self._results: dict[str, ToolResult] = {}

    def load(self, results: Mapping[str, ToolResult]) -> None:
        """Set the results of the next turn, by call id."""
        self._results = dict(results)

    async def run(self, call: dict[str, Any]) -> ToolResult:
        """Return the scripted result and let the workspace follow."""
        result = self._results[call["id"]]
        if not result.is_error:
            self._workspace.apply(call["name"], call["arguments"])
        return result


class ProbeToolbox:
    """The tools of a probed executor: `read` and `grep` are answered, everything else is recorded and not run."""

    definitions = CODING_TOOLS

    def __init__(self, workspace: WorkspaceFiles) -> None:
        self._workspace = workspace

    async def run(self, call: dict[str, Any]) -> ToolResult:
        """Answer a call from the workspace, or acknowledge it."""
        given = call.get("arguments")
        arguments = given if isinstance(given, dict) else {}
        name = call["name"]
        if name == "read":
            return self._workspace.read(
                str(arguments.get("path", "")),
                _int(arguments.get("offset"), 1),
                _int(arguments.get("limit"), READ_LINES),
            )
        if name == "grep":
            return self._workspace.grep(str(arguments.get("pattern", "")), str(arguments.get("path", "")))
        if name in {"edit", "write"}:
            return ToolResult(f"Recorded the change to {arguments.get('path', '')}.")
        return ToolResult("(no output)")


def _clean(path: str) -> str:
    clean = path.strip()
    while clean.startswith("./"):
        clean = clean[2:].lstrip("/")
    return "" if clean == "." else clean.strip("/")


def _int(value: Any, default: int) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return default
