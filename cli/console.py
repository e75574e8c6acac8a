"""Where output goes: results to stdout, everything else to stderr, JSON instead of tables for programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_WIDTH_WITHOUT_TERMINAL = 100


@dataclass(frozen=True)
class Output:
    """One command's way to its user. `json`, `quiet` and `no_progress` are the options of the same names."""

    json: bool = False
    quiet: bool = False
    no_progress: bool = False

    @property
    def progress(self) -> bool:
        """Return whether a live display on stderr is wanted and possible."""
        return not (self.quiet or self.no_progress) and sys.stderr.isatty()

    @cached_property
    def console(self) -> Console:
        """Return the console on stdout. rich honours ``NO_COLOR`` and leaves colours out where there is no terminal."""
        return _console(stderr=False)

    @cached_property
    def errors(self) -> Console:
        """Return the console on stderr."""
        return _console(stderr=True)

    @property
    def width(self) -> int:
        """Return the width of stdout in characters."""
        return self.console.width

    def document(self, document: Mapping[str, Any]) -> None:
        """Print one JSON document."""
        print_json(document)

    def show(self, parts: Iterable[RenderableType]) -> None:
        """Print what a person reads; nothing with ``--quiet``."""
        if not self.quiet:
            for part in parts:
                self.console.print(part)

    def line(self, text: str) -> None:
        """Print one plain line, with ``--quiet`` too: it is the answer. It is never wrapped: it can be copied."""
        sys.stdout.write(f"{text}\n")

    def note(self, text: str) -> None:
        """Say something beside the result, on stderr."""
        if not self.quiet:
            sys.stderr.write(f"{text}\n")


def print_json(document: Mapping[str, Any], *, one_line: bool = False) -> None:
    """Write a document to stdout. Text stays readable unless it holds lone surrogates, which UTF-8 cannot carry."""
    indent = None if one_line else 2
    text = json.dumps(document, ensure_ascii=False, indent=indent)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(document, ensure_ascii=True, indent=indent)
    sys.stdout.write(f"{text}\n")
    if one_line:
        sys.stdout.flush()


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    narrow = stream.isatty() or os.environ.get("COLUMNS")
    return Console(stderr=stderr, highlight=False, markup=False, width=None if narrow else _WIDTH_WITHOUT_TERMINAL)
