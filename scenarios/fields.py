"""Field types that every part of the scenario format shares."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from annotated_types import Len
from pydantic import BaseModel, ConfigDict, Strict, StringConstraints

T = TypeVar("T")

Many = Annotated[tuple[T, ...], Strict(False)]
"""A list of the file, kept as a tuple."""

Some = Annotated[tuple[T, ...], Strict(False), Len(1)]
"""A list of the file with at least one item, kept as a tuple."""

Text = Annotated[str, StringConstraints(pattern=r"\S")]
"""Words that are not blank; blanks at the ends and line breaks are kept."""

Line = Annotated[str, StringConstraints(pattern=r"\S", strip_whitespace=True)]
"""Words that are not blank, without blanks at the ends."""

Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
"""A kebab-case name."""

Language = Literal[
    "bash",
    "c",
    "cpp",
    "csharp",
    "elixir",
    "go",
    "java",
    "javascript",
    "kotlin",
    "lua",
    "php",
    "python",
    "ruby",
    "rust",
    "scala",
    "sql",
    "swift",
    "tsx",
    "typescript",
]
ToolName = Literal["read", "grep", "bash", "edit", "write", "advisor"]
NoiseKind = Literal["grep", "stacktrace", "cat", "buildlog", "json", "testlog"]
Speaker = Literal["user", "assistant", "tool", "advisor"]
Carrier = Literal[
    "said-once",
    "in-passing",
    "executor-confirmed",
    "in-file",
    "scope-at-start",
    "advisor-adopted",
    "spread",
    "chinese",
    "tool-result",
]
ProbeKind = Literal["implement", "ask", "lure", "control"]
LexicalPlace = Literal["imports", "manifest", "command", "path", "code"]


class Part(BaseModel):
    """A part of a scenario: frozen, strictly typed, without unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, validate_by_name=True, validate_by_alias=True)
