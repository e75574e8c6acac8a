"""How every backend answers a request that is larger than its context window."""

from __future__ import annotations

from backslide.harness.models.protocol import Reply, Request


def overflow_reply(request: Request) -> Reply | None:
    """Return the provider's error reply if the metered request exceeds the context window, else None.

    Both figures are tokens. The wording is the one that OpenAI-compatible providers use, so that overflow
    detection sees what it would see in production. The reply carries no usage: nothing was generated.
    """
    window, tokens = request.context_window, request.measure.tokens
    if tokens <= window:
        return None
    return Reply(
        [],
        "error",
        error_message=f"This model's maximum context length is {window} tokens. "
        f"However, your messages resulted in {tokens} tokens.",
    )
