"""Whether an error reads like a passing one, so that asking again may help.

Wordings follow the control-plane semantics of Pi 0.83.0, section 5.2. They are looked for anywhere in the
message, in any case, so "line 1500" counts as a server error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backslide.harness.control.overflow import is_overflow, js_regex

_ACCOUNT_LIMITS = js_regex(
    "GoUsageLimitError|FreeUsageLimitError",  # OpenCode
    "monthly usage limit reached|available balance",
    "insufficient_quota|quota exceeded|out of budget|billing",
)
_TRANSIENT = js_regex(
    "429|50[0234]|524",
    "overloaded|too many requests|rate@?limit",
    "(?:service@?unavailable)|(?:server|internal|provider@?returned)@?error",
    "(?:network|connection)@?error|connection@?(?:refused|lost)",
    "other side closed|fetch failed|getaddrinfo|ENOTFOUND|EAI_AGAIN|upstream@?connect|reset before headers",
    "socket hang up|socket connection was closed|timed? out|timeout|terminated|websocket@?(?:closed|error)",
    "ended without|stream ended before (?:message_stop|a terminal response event)",
    "http2 request did not get a response|retry delay",
    "you can retry your request|try your request again|please retry your request",
    "ResourceExhausted",
)


def is_retryable_text(message: Mapping[str, Any]) -> bool:
    """Tell whether an assistant message failed with a transient wording and no account limit's."""
    text = message.get("errorMessage")
    if message.get("stopReason") != "error" or not isinstance(text, str) or not text:
        return False
    return not _ACCOUNT_LIMITS.search(text) and bool(_TRANSIENT.search(text))


def is_retryable(message: Mapping[str, Any], context_window: float) -> bool:
    """Tell whether the agent would ask again: a transient error that is not an overflow.

    `context_window` is in tokens; 0 is unknown.
    """
    return not is_overflow(message, context_window) and is_retryable_text(message)
