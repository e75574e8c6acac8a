"""What a request that goes wrong is answered with, kind by kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from backslide.harness.models.protocol import Reply, Request, Role, metered_usage, zero_usage

FaultKind = Literal[
    "rate_limit",
    "server_error",
    "overflow",
    "empty_reply",
    "dropped_connection",
    "summarizer_error",
    "summarizer_empty",
    "summarizer_not_shrinking",
    "no_usage_reported",
]


def role_of(kind: FaultKind) -> Role:
    """Return whose requests a fault hits."""
    return "summarizer" if kind.startswith("summarizer") else "executor"


def spoil(kind: FaultKind, request: Request, reply: Reply | None) -> Reply:
    """Return the reply of a request that goes wrong. `reply` is the model's own, for the one kind that has one."""
    window, tokens = request.context_window, request.measure.tokens
    match kind:
        case "rate_limit":
            return _error("429: rate limit reached, too many requests")
        case "server_error":
            return _error("503: service unavailable, the server is overloaded")
        case "dropped_connection":
            return _error("socket hang up")
        case "overflow":
            return _error(
                f"This model's maximum context length is {window} tokens. "
                f"However, your messages resulted in {max(tokens, window + 1)} tokens."
            )
        case "summarizer_error":
            return _error("502: the upstream server gave an internal error")
        case "empty_reply" | "summarizer_empty":
            return Reply([], usage=metered_usage(tokens, 0))
        case "summarizer_not_shrinking":
            text = "\n\n".join(str(message.get("content")) for message in request.messages[1:])
            return Reply([{"type": "text", "text": text}], usage=metered_usage(tokens, tokens))
        case "no_usage_reported":
            return replace(reply or Reply([]), usage=zero_usage())


def _error(message: str) -> Reply:
    return Reply([], "error", error_message=message)
