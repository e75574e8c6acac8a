r"""Whether a reply says that the context did not fit.

The list of providers' wordings and the two silent cases follow the control-plane semantics of Pi 0.83.0, section 5.3.
Matching is case-insensitive with JavaScript's meaning of ``.`` and ``\s``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

JS_SPACE = "[\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]"
JS_DOT = "[^\\n\\r\\u2028\\u2029]"
SILENT_SHARE = 0.99
"""A length stop without output counts as overflow from this share of the window on."""


def js_regex(*sources: str) -> re.Pattern[str]:
    r"""Compile alternatives written with ``~`` for JavaScript's ``\s`` and ``@`` for its ``.``."""
    joined = "|".join(f"(?:{source})" for source in sources)
    return re.compile(joined.replace("~", JS_SPACE).replace("@", JS_DOT), re.IGNORECASE | re.ASCII)


_OVERFLOW = js_regex(
    r"prompt is too long",  # Anthropic
    r"request_too_large",
    r"input is too long for requested model",  # Bedrock
    r"exceeds the context window",  # OpenAI
    r"exceeds (?:the )?(?:model'?s )?maximum context length~*(?:of~+[\d,]+~*tokens?|\([\d,]+\))",  # LiteLLM
    r"input token count@*exceeds the maximum",  # Gemini
    r"maximum prompt length is \d+",  # xAI
    r"reduce the length of the messages",  # Groq
    r"maximum context length is \d+ tokens",  # OpenRouter
    r"exceeds (?:the )?maximum allowed input length of [\d,]+",  # Poolside
    r"input \([\d,]+ tokens\) is longer than the model'?s context length",  # Together
    r"exceeds the limit of \d+",  # Copilot
    r"exceeds the available context size",  # llama.cpp
    r"greater than the context length",  # LM Studio
    r"context window exceeds limit",  # MiniMax
    r"exceeded model token limit",  # Kimi
    r"too large for model with \d+ maximum context length",  # Mistral
    r"prompt has [\d,]+ tokens, but the configured context size is [\d,]+",  # DS4
    r"model_context_window_exceeded",  # z.ai
    r"prompt too long; exceeded (?:max )?context length",  # Ollama
    r"range of input length should be",  # DashScope
    r"context[_ ]length[_ ]exceeded",
    r"too many tokens",
    r"token limit exceeded",
    r"^4(?:00|13)~*(?:status code)?~*\(no body\)",  # Cerebras
)
_EXCLUDED = js_regex(
    r"^(?:throttling error|service unavailable):",  # Bedrock
    r"rate limit",
    r"too many requests",
)


def is_overflow(message: Mapping[str, Any], context_window: float) -> bool:
    """Return whether an assistant message means that the context exceeded the window (tokens; 0: unknown).

    Three cases: an error in a known wording; a normal stop whose input exceeds the window; a length stop without any
    output at 99 % of the window or more.
    """
    stop = message.get("stopReason")
    text = message.get("errorMessage")
    if stop == "error" and isinstance(text, str) and text:
        return bool(_OVERFLOW.search(text)) and not _EXCLUDED.search(text)
    usage = message.get("usage") or {}
    if not context_window:
        return False
    used = usage.get("input", 0) + usage.get("cacheRead", 0)
    if stop == "stop":
        return bool(used > context_window)
    return bool(stop == "length" and usage.get("output") == 0 and used >= context_window * SILENT_SHARE)
