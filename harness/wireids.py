"""Tool call ids that another provider made, in a form that chat-completions servers accept."""

from __future__ import annotations

import re
from typing import Any

from backslide.harness import jsjson
from backslide.harness.settings import ModelInfo

_NOT_ID = re.compile(r"[^a-zA-Z0-9_-]")
_ID_LIMIT = 40


def wire_id(call_id: Any, model: ModelInfo) -> Any:
    """Return the id under which a tool call made by another model is sent to `model`.

    An id ``call|item`` (OpenAI Responses) becomes one of at most 40 letters, digits, ``_`` and ``-``.
    """
    if not isinstance(call_id, str):
        return call_id
    if "|" not in call_id:
        long = model.provider == "openai" and jsjson.utf16_length(call_id) > _ID_LIMIT
        return jsjson.utf16_slice(call_id, 0, _ID_LIMIT) if long else call_id
    head, item = (_NOT_ID.sub(_underscores, part) for part in call_id.split("|", 1))
    joined = f"{head}_{item}" if item else head
    if len(joined) <= _ID_LIMIT:
        return joined
    digest = _short_hash(call_id)[:8]
    return f"{head[: max(1, _ID_LIMIT - len(digest) - 1)]}_{digest}"


def _underscores(match: re.Match[str]) -> str:
    return "_" * jsjson.utf16_length(match[0])


def _short_hash(text: str) -> str:
    """Return cyrb53's two halves in base 36; the ids it makes must equal those in existing sessions."""
    mask = 0xFFFFFFFF
    low, high = 0xDEADBEEF, 0x41C6CE57
    units = text.encode("utf-16-le", "surrogatepass")
    for at in range(0, len(units), 2):
        unit = int.from_bytes(units[at : at + 2], "little")
        low = (low ^ unit) * 2654435761 & mask
        high = (high ^ unit) * 1597334677 & mask
    low = ((low ^ low >> 16) * 2246822507 ^ (high ^ high >> 13) * 3266489909) & mask
    high = ((high ^ high >> 16) * 2246822507 ^ (low ^ low >> 13) * 3266489909) & mask
    return _base36(high) + _base36(low)


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits or "0"
