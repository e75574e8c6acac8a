"""A reply as the scorers see it: its words, and its tool calls, in one canonical text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class ToolUse:
    """One tool call of a reply: the tool's name and its arguments."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class PlacedArgument:
    """An argument of a call, and where its value stands in the canonical text."""

    name: str
    value: str
    start: int


@dataclass(frozen=True)
class PlacedCall:
    """A call, and where its arguments stand in the canonical text."""

    name: str
    arguments: tuple[PlacedArgument, ...]
    start: int
    end: int

    def get(self, *names: str) -> PlacedArgument | None:
        """Return the first argument that has one of the names, or None."""
        return next((item for name in names for item in self.arguments if item.name == name), None)


@dataclass(frozen=True)
class ReplyText:
    """The text of a reply and its structured tool calls.

    `canonical` is the text that evidence offsets refer to. Without calls it is `text` itself. Each call adds a
    blank line, a
    line ``[tool NAME]`` and, for each argument, a line ``NAME:`` followed by the value on lines of its own (a
    value that is no
    text is written as JSON).
    """

    text: str
    calls: tuple[ToolUse, ...] = ()

    @cached_property
    def _rendered(self) -> tuple[str, tuple[PlacedCall, ...]]:
        out = [self.text]
        length = len(self.text)
        placed = []
        for call in self.calls:
            head = f"\n\n[tool {call.name}]\n"
            start = length + 2
            out.append(head)
            length += len(head)
            arguments = []
            for name, raw in call.args.items():
                value = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False, default=str)
                out.append(f"{name}:\n{value}\n")
                arguments.append(PlacedArgument(name, value, length + len(name) + 2))
                length += len(name) + 2 + len(value) + 1
            placed.append(PlacedCall(call.name, tuple(arguments), start, length))
        return "".join(out), tuple(placed)

    @property
    def canonical(self) -> str:
        """Return the text that evidence offsets refer to."""
        return self._rendered[0]

    @property
    def placed_calls(self) -> tuple[PlacedCall, ...]:
        """Return the calls with the places of their arguments in `canonical`."""
        return self._rendered[1]


def reply_of_blocks(blocks: Iterable[Mapping[str, Any]]) -> ReplyText:
    """Return the reply that Pi content blocks hold: ``text`` blocks joined by newlines, ``toolCall`` blocks as calls.

    Thinking is left out: a model that weighs an approach in its thoughts has not proposed it.
    """
    texts = []
    calls = []
    for block in blocks:
        if block.get("type") == "text":
            texts.append(str(block.get("text", "")))
        elif block.get("type") == "toolCall":
            arguments = block.get("arguments")
            calls.append(ToolUse(str(block.get("name", "")), arguments if isinstance(arguments, Mapping) else {}))
    return ReplyText("\n".join(texts), tuple(calls))


def as_reply(reply: ReplyText | str) -> ReplyText:
    """Return a reply for a plain text, or the reply itself."""
    return ReplyText(reply) if isinstance(reply, str) else reply
