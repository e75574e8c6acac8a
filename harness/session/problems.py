"""What can be wrong with a session file that is still readable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ProblemKind = Literal[
    "bom",
    "dangling-parent",
    "duplicate-id",
    "extra-header",
    "junk-line",
    "missing-id",
    "no-final-newline",
    "not-an-object",
    "not-utf-8",
    "old-version",
    "parent-cycle",
    "torn-line",
]


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding of the reader."""

    line: int
    """Line of the file, counted from 1; 0 if the finding is not about a line."""
    kind: ProblemKind
    message: str
    """One sentence for a person."""
