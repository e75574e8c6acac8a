"""What an agent's tool calls run against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class ToolResult:
    """The outcome of one tool call."""

    text: str
    is_error: bool = False


class Toolbox(Protocol):
    """The tools of an executor."""

    @property
    def definitions(self) -> list[dict[str, Any]]:
        """Return the tool definitions in OpenAI's format, as they stand in every payload."""
        ...

    async def run(self, call: dict[str, Any]) -> ToolResult:
        """Run one ``toolCall`` block."""
        ...


def tool(name: str, description: str, **parameters: str) -> dict[str, Any]:
    """Return an OpenAI tool definition with string parameters; a name ending in ``_`` marks an optional one."""
    properties = {key.rstrip("_"): {"type": "string", "description": text} for key, text in parameters.items()}
    required = [key for key in parameters if not key.endswith("_")]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


CODING_TOOLS: list[dict[str, Any]] = [
    tool(
        "read",
        "Read a file of the workspace.",
        path="Path relative to the workspace root.",
        offset_="First line.",
        limit_="Number of lines.",
    ),
    tool(
        "grep",
        "Search files of the workspace for a regular expression.",
        pattern="The expression.",
        path_="File or folder.",
    ),
    tool("bash", "Run a shell command in the workspace.", command="The command line."),
    tool(
        "edit",
        "Replace text in a file.",
        path="Path of the file.",
        oldText="Text to replace, exactly.",
        newText="Its replacement.",
    ),
    tool(
        "write",
        "Write a file, replacing it if it exists.",
        path="Path of the file.",
        content="The whole content.",
    ),
]
"""The tools of a coding agent that the suite's executor is offered."""
