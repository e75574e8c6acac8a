"""The files of a scenario and the tools on them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from backslide.evals.workspace import ProbeToolbox, ScriptToolbox, WorkspaceFiles
from backslide.harness.control.tools import ToolResult


def files() -> WorkspaceFiles:
    return WorkspaceFiles(
        {
            "src/a.py": "import os\nlock = Lock()\n    lock.take()\n",
            "src/deep/b.py": "lock = None\n",
            "srcs.txt": "a lock\n",
            "README.md": "# Locks\n",
        }
    )


def probe(name: str, **arguments: Any) -> ToolResult:
    return asyncio.run(ProbeToolbox(files()).run({"id": "x", "name": name, "arguments": arguments}))


def test_reading_lines() -> None:
    """Whole, from a line on, so many of them; numbers may come as text; paths may be written in other ways."""
    assert probe("read", path="README.md").text == "# Locks"
    assert probe("read", path="./src/a.py", offset="2", limit="1").text == "lock = Lock()"
    assert probe("read", path="src/a.py", offset=2).text == "lock = Lock()\n    lock.take()"
    assert probe("read", path="src/a.py", offset=-5, limit=0).text == "import os"
    assert probe("read", path="src/a.py", offset="soon").text.startswith("import os")
    assert probe("read", path="src/a.py", offset=99).text == ""


def test_a_missing_file() -> None:
    """The error names the path as it was asked for."""
    assert probe("read", path="src/nope.py") == ToolResult("ENOENT: no such file: src/nope.py", is_error=True)
    assert probe("read").is_error


def test_searching() -> None:
    """Path, line and text; in all files, a folder or a file."""
    everywhere = "README.md:1: # Locks\nsrc/a.py:2: lock = Lock()\nsrc/a.py:3: lock.take()\nsrc/deep/b.py:1: lock = None\nsrcs.txt:1: a lock"

    assert probe("grep", pattern="(?i)lock").text == everywhere
    assert probe("grep", pattern="(?i)lock", path=".").text == everywhere
    assert (
        probe("grep", pattern="lock =", path="src/").text == "src/a.py:2: lock = Lock()\nsrc/deep/b.py:1: lock = None"
    )
    assert probe("grep", pattern="lock", path="./src/deep/b.py").text == "src/deep/b.py:1: lock = None"
    assert probe("grep", pattern="mutex") == ToolResult("No matches found")


@pytest.mark.parametrize("pattern", ["Lock(", "a{", "(?<!x)lock", "\\1"])
def test_an_expression_that_is_none_is_searched_as_text(pattern: str) -> None:
    """A model may write anything."""
    result = probe("grep", pattern=pattern)

    assert not result.is_error
    assert (result.text == "src/a.py:2: lock = Lock()") == (pattern == "Lock(")


def test_searching_ends_at_a_hundred_hits() -> None:
    """And says so."""
    box = ProbeToolbox(WorkspaceFiles({"a.txt": "x\n" * 150}))
    text = asyncio.run(box.run({"id": "1", "name": "grep", "arguments": {"pattern": "x"}})).text

    assert text.splitlines()[-2:] == ["a.txt:100: x", "(first 100 matches)"]


def test_a_probe_changes_nothing() -> None:
    """Edits and commands are recorded in the reply and acknowledged, not run."""
    workspace = files()
    box = ProbeToolbox(workspace)

    def run(name: str, arguments: Any) -> str:
        return asyncio.run(box.run({"id": "x", "name": name, "arguments": arguments})).text

    assert run("write", {"path": "README.md", "content": "gone"}) == "Recorded the change to README.md."
    assert run("edit", {"path": "README.md", "oldText": "#", "newText": ""}) == "Recorded the change to README.md."
    assert run("bash", {"command": "rm -rf /"}) == "(no output)"
    assert run("anything", {}) == "(no output)"
    assert run("read", {"path": "README.md"}) == "# Locks"


def test_arguments_that_are_no_object() -> None:
    """Half-written arguments may be anything."""
    box = ProbeToolbox(files())

    assert asyncio.run(box.run({"id": "x", "name": "read", "arguments": "README.md"})).is_error
    assert asyncio.run(box.run({"id": "x", "name": "read"})).is_error


def test_scripted_calls_change_the_workspace() -> None:
    """A later read shows what was written; the result is the scripted one."""
    workspace = files()
    script = ScriptToolbox(workspace)
    script.load(
        {
            "w": ToolResult("wrote it"),
            "e": ToolResult("edited"),
            "f": ToolResult("disk full", is_error=True),
            "n": ToolResult("ok"),
        }
    )
    calls = [
        {"id": "w", "name": "write", "arguments": {"path": "./new.py", "content": "one\none\n"}},
        {"id": "e", "name": "edit", "arguments": {"path": "new.py", "oldText": "one", "newText": "two"}},
        {"id": "f", "name": "write", "arguments": {"path": "README.md", "content": "lost"}},
        {"id": "n", "name": "edit", "arguments": {"path": "new.py", "oldText": "not there", "newText": "x"}},
    ]
    results = [asyncio.run(script.run(call)).text for call in calls]

    assert results == ["wrote it", "edited", "disk full", "ok"]
    assert workspace.read("new.py").text == "two\none"
    assert workspace.read("README.md").text == "# Locks"
