"""An executor's habit: reading the repository's rules file when it is told to and the file is not in front of it.

A rule that was only ever said in a file is not in a hand-over which strips tool output. But the hand-over may still
tell to read the file, and an executor with tools can.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from backslide.harness.models.blocks import Count, call_block, output_tokens
from backslide.harness.models.protocol import Reply, Request, metered_usage
from backslide.harness.models.reading import message_text

_FILE = r"`?((?:[\w.-]+/)*(?:AGENTS|CLAUDE|CONTRIBUTING|CONVENTIONS|RULES)\.md)\b`?"
_TOLD = re.compile(
    rf"\b(?:read|re-read|follow|check|heed|consult|stick to|obey)\b[^.\n]{{0,40}}?{_FILE}"
    rf"|(?:先?读|看一?下?|遵守|遵循|按照?|参照)[^。\n]{{0,20}}?{_FILE}",
    re.IGNORECASE,
)


class RulesFileReader:
    """Answers a request with a `read` of the rules file that the payload tells to read and does not hold."""

    def __init__(self, count: Count) -> None:
        self._count = count

    def __call__(self, request: Request) -> Reply | None:
        """Return the call, or None if nothing tells to read a rules file or it has been read in this payload."""
        messages = request.messages
        told = [path for message in messages if message.get("role") != "tool" for path in _told(message_text(message))]
        read = set(_read_paths(messages))
        path = next((path for path in reversed(told) if path not in read), None)
        if path is None:
            return None
        content = [call_block(f"rules_{len(messages)}", "read", {"path": path})]
        usage = metered_usage(request.measure.tokens, output_tokens(content, self._count))
        return Reply(content, "toolUse", usage)


def _told(text: str) -> list[str]:
    return [match[1] or match[2] for match in _TOLD.finditer(text)]


def _read_paths(messages: Iterable[dict[str, Any]]) -> Iterable[str]:
    """Yield the paths that `read` calls in the payload name."""
    for message in messages:
        for call in message.get("tool_calls") or []:
            function = call.get("function") or {}
            if function.get("name") == "read":
                found = re.search(r'"path"\s*:\s*"([^"]+)"', str(function.get("arguments") or ""))
                if found:
                    yield found[1]
