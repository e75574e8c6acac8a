"""Which model advises, and with how much effort."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backslide.harness.errors import InputError
from backslide.harness.settings import ModelInfo


@dataclass(frozen=True)
class Choice:
    """The advisor's model and effort; read once per call, so that a change in between does not mix the two."""

    model: ModelInfo
    effort: str = "high"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z]{2,12}", self.effort):
            raise InputError(
                f"{self.effort!r} is no effort", where="advisor", mend="use a word such as low, medium or high"
            )
