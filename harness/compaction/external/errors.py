"""What can go wrong with somebody else's compactor, each with a name of its own."""

from __future__ import annotations

from typing import Literal

from backslide.harness.compaction.strategies.base import CompactionError, NothingToCompactError

__all__ = [
    "CompactorError",
    "Fault",
    "NothingToCompactError",
    "SummarizerError",
    "clipped",
]

Fault = Literal[
    "start",
    "exit",
    "closed",
    "timeout",
    "utf8",
    "flood",
    "json",
    "shape",
    "version",
    "id",
    "requests",
    "empty",
    "raw",
    "orphan",
    "last-user",
    "larger",
    "raised",
    "refused",
    "gave-up",
]
"""Kinds of misbehaviour.

start: could not be started; exit: ended too early; closed: closed its standard output; timeout: did not answer in time;
utf8, flood, json, shape: what it wrote is not UTF-8, too much, not JSON, not a message of the protocol (or, in Python,
not of the right type); version: speaks another version; id: answers something that was not asked; requests: asks the
summarizer too often; empty: returned no message; raw: calls a message raw that is not word for word; orphan: returned a
tool result without its call; last-user: dropped the last user message; larger: returned more than it was given; raised:
its code raised; refused: it reported an error itself; gave-up: it failed several times in a row.
"""


class CompactorError(CompactionError):
    """A compactor that is not ours misbehaved or reported an error; `fault` says how. The message is one line."""

    def __init__(self, fault: Fault, what: str) -> None:
        self.fault: Fault = fault
        super().__init__(" ".join(what.split()))


class SummarizerError(CompactionError, RuntimeError):
    """The summarizer answered a compactor's request with an error.

    It is raised inside the compactor's code, which may handle it (it is a `RuntimeError`) or let it pass.
    """


def clipped(value: object, limit: int = 80) -> str:
    """Return a value for an error message: one line of at most `limit` characters."""
    text = " ".join((value if isinstance(value, str) else repr(value)).split())
    return text if len(text) <= limit else text[:limit] + "…"
