"""How code, stack traces, builds and tests look in a language: the shape of the noise templates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dialect:
    """The templates of one language; slots such as `~n` are described at `Lexicon.fill`."""

    ending: str
    comment: str
    folders: tuple[str, ...]
    tests: str
    """Folder of the tests."""
    heads: tuple[str, ...]
    """First lines of a file."""
    blocks: tuple[str, ...]
    """Whole definitions; a line `~~` is replaced by one to four statements."""
    statements: tuple[str, ...]
    failure: tuple[str, ...]
    """First lines of a stack trace."""
    frame: str
    """One frame of a stack trace; `~P` is a path."""
    build: tuple[str, ...]
    warning: str
    test_pass: str
    """One line of a test log; `~T` is the path of a test file."""
    test_end: str
