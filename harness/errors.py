"""Errors that a person can mend.

::

    BackslideError
    ├── InputError          a file, field or argument is wrong; the command line exits 2
    └── ModelError          a model backend cannot serve a request at all
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class BackslideError(Exception):
    """Base of every error that Backslide raises on purpose."""


class InputError(BackslideError):
    """Bad input: what is wrong, where it stands, and how to mend it, in one line."""

    def __init__(self, what: str, *, where: str | None = None, mend: str | None = None) -> None:
        self.what = what
        self.where = where
        self.mend = mend
        super().__init__(self.line())

    def line(self) -> str:
        """Return the error as one line without line breaks: ``where: what; mend``."""
        text = f"{self.where}: {self.what}" if self.where else self.what
        if self.mend:
            text = f"{text}; {self.mend}"
        return " ".join(text.split())


class ModelError(BackslideError):
    """A model backend cannot serve a request (not a provider's error reply, which is a `Reply`)."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to `name`, or None if nothing is similar."""
    matches = get_close_matches(name, list(known), n=1, cutoff=0.5)
    return matches[0] if matches else None
