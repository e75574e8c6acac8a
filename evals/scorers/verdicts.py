"""What the relapse and retention scorers return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RelapseClass = Literal["used", "proposed", "mentioned", "absent"]


@dataclass(frozen=True)
class Evidence:
    """Why a verdict was reached: the detector, the span in the reply, its text, and the reason.

    Offsets are Python string offsets into the reply's canonical text (the reply itself, when it has no structured
    calls).
    """

    detector: str
    start: int
    end: int
    text: str
    why: str


@dataclass(frozen=True)
class RelapseVerdict:
    """The verdict on one reply.

    `over_restriction` is a bool where no rule applies (no constraint, a lifted one, a request out of scope), else None.
    """

    cls: RelapseClass
    relapse: bool
    over_restriction: bool | None
    evidence: tuple[Evidence, ...]
