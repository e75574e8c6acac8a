"""What a model is to the harness: one request body in, one reply out.

Every backend implements `Model.complete`. The request carries the exact bytes of an OpenAI-compatible chat
completion body; a backend may read nothing else to form its answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol

Role = Literal["executor", "summarizer", "advisor"]
Cause = Literal["script", "turn", "probe", "summarizer", "advisor", "retry"]
StopReason = Literal["stop", "length", "toolUse", "error", "aborted"]

Usage = dict[str, Any]
"""Pi usage: ``{input, output, cacheRead, cacheWrite, totalTokens, cost: {input, output, …, total}}``."""


def zero_usage() -> Usage:
    """Return a usage of nothing: every token count and cost zero."""
    return {
        "input": 0,
        "output": 0,
        "cacheRead": 0,
        "cacheWrite": 0,
        "totalTokens": 0,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
    }


@dataclass(frozen=True)
class Measurement:
    """Size of one request body.

    `bytes` is the length of the exact body. `tokens` is the sum of each message's own o200k_base tokens plus a
    fixed overhead per message and tool (see `backslide.harness.payload.tokens`), not the tokens of the body.
    `composition` maps an origin (system, tools, user, assistant, thinking, tool_calls, tool_results, summary,
    brief) to its tokens, with `overhead` for the rest; `composition_bytes` to its bytes in the body, with `structure`
    for the rest. Each adds up to its total.
    """

    bytes: int
    tokens: int
    messages: int
    composition: dict[str, int]
    composition_bytes: dict[str, int]


@dataclass(frozen=True)
class Request:
    """One request to one model."""

    role: Role
    cause: Cause
    body: bytes
    measure: Measurement
    max_tokens: int
    context_window: int

    @cached_property
    def json(self) -> dict[str, Any]:
        """Return the body as parsed JSON: ``{model, messages, tools?, max_completion_tokens}``."""
        parsed: dict[str, Any] = json.loads(self.body)
        return parsed

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Return the chat messages of the body."""
        messages: list[dict[str, Any]] = self.json["messages"]
        return messages


@dataclass(frozen=True)
class Reply:
    """One assistant message as a backend returns it.

    `content` holds Pi content blocks: ``{"type": "text", "text"}``, ``{"type": "thinking", "thinking"}``,
    ``{"type": "toolCall", "id", "name", "arguments"}``.
    """

    content: list[dict[str, Any]]
    stop_reason: StopReason = "stop"
    usage: Usage = field(default_factory=zero_usage)
    error_message: str | None = None
    model: str | None = None

    @property
    def text(self) -> str:
        """Return the text blocks joined by newlines."""
        return "\n".join(block["text"] for block in self.content if block.get("type") == "text")

    @property
    def tool_calls(self) -> list[dict[str, Any]]:
        """Return the tool-call blocks in order."""
        return [block for block in self.content if block.get("type") == "toolCall"]


class Model(Protocol):
    """A backend for one role."""

    @property
    def name(self) -> str:
        """Return the name that stands in records, for example ``sim:literal``."""
        ...

    @property
    def simulated(self) -> bool:
        """Return whether replies come from written-down rules instead of a model."""
        ...

    async def complete(self, request: Request) -> Reply:
        """Answer `request`. Provider errors are replies with stop reason ``error``, never exceptions."""
        ...


def metered_usage(input_tokens: int, output_tokens: int) -> Usage:
    """Return the usage of a backend that costs nothing: metered tokens, cost zero."""
    usage = zero_usage()
    usage["input"] = input_tokens
    usage["output"] = output_tokens
    usage["totalTokens"] = input_tokens + output_tokens
    return usage
