"""Which summaries the robust control plane refuses, so that a session is never replaced by something that is none.

What can be told for certain from a reply, its request and the sizes is refused. A summary that is well-formed, shorter
and wrong cannot be told from a right one here.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from backslide.harness.compaction.strategies.base import CompactionError, SummaryRequest
from backslide.harness.models.protocol import Reply

SummaryFault = Literal["empty", "truncated", "tool-call", "echo", "transcript", "not-shrinking"]
"""Why a summary is none.

empty: no text; truncated: cut off at its output limit; tool-call: the summarizer went on with the work instead; echo:
it gave back its instruction or all it was shown; transcript: it wrote turns of the conversation; not-shrinking: the
context would be no smaller with it.
"""

INSTRUCTION_CHARS = 80
"""An instruction shorter than this may stand in a summary by chance."""
INSTRUCTION_HEAD = 240
"""So much of the instruction's beginning, word for word, makes a reply an echo."""
LEAST_TOKENS = 64
"""A summary of so many tokens or fewer is small enough for any session."""

_CLOSING_TAG = re.compile(r"</(?:conversation|previous-summary)>")
_TURN_LABEL = re.compile(
    r"(?m)^\[(?:Assistant(?: thinking| tool calls|, reply cut off)?|Tool result(?: \([^)\n]*\))?)\]:|\A\[User\]:"
)
_USER_LINE = re.compile(r"(?mi)^(?:\*\*)?(?:user|human)(?:\*\*:|:)")
_ASSISTANT_LINE = re.compile(r"(?mi)^(?:\*\*)?(?:assistant|ai)(?:\*\*:|:)")
_CALL_TAG = re.compile(
    r"(?:```\w*\s*)?(?:<\|?(?:tool_calls?|function_calls?|python_tag)\b|<invoke\b|<function=|\[TOOL_CALLS\])"
)
_FENCE = re.compile(r"```\w*\s*(.*?)\s*```", re.DOTALL)


class SummaryRefusedError(CompactionError):
    """A summary was refused and the history kept; `fault` says why."""

    def __init__(self, fault: SummaryFault, what: str) -> None:
        self.fault: SummaryFault = fault
        super().__init__(what)


def refused_for(request: SummaryRequest, reply: Reply) -> SummaryRefusedError | None:
    """Return why a reply is no summary of what `request` shows, None if it may be one.

    A failed or aborted reply is left to the strategy.
    """
    if reply.stop_reason in {"error", "aborted"}:
        return None
    text = reply.text.strip()
    if reply.tool_calls or is_tool_call(text):
        return SummaryRefusedError("tool-call", "the summarizer called a tool instead of writing a summary")
    if reply.stop_reason == "length":
        return SummaryRefusedError("truncated", "the summary was cut off at its output limit")
    if not text:
        return SummaryRefusedError("empty", "the summarizer answered nothing")
    if _echoes(request, text):
        return SummaryRefusedError("echo", "the summarizer gave back what it was shown")
    if _TURN_LABEL.search(text) or (_USER_LINE.search(text) and _ASSISTANT_LINE.search(text)):
        return SummaryRefusedError("transcript", "the summarizer went on with the conversation")
    return None


def check_size(replaced: int, summary: int) -> None:
    """Raise `SummaryRefusedError` unless a summary is smaller than what it replaces. Sizes are metered tokens.

    A summary of a few words may be larger than a session of fewer.
    """
    if summary >= replaced and summary > LEAST_TOKENS:
        raise SummaryRefusedError(
            "not-shrinking", f"the summary ({summary:,} tokens) is no smaller than what it replaces ({replaced:,})"
        )


def is_tool_call(text: str) -> bool:
    """Tell whether a text is a tool call as a model writes it where it has no tools: tags, or JSON and nothing else."""
    if _CALL_TAG.match(text):
        return True
    fenced = _FENCE.fullmatch(text)
    bare = fenced[1] if fenced else text
    if not bare.startswith(("{", "[")):
        return False
    try:
        value = json.loads(bare)
    except ValueError:
        return False
    calls = value if isinstance(value, list) else [value]
    return bool(calls) and all(_is_call(call) for call in calls)


def _is_call(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if "tool_calls" in value:
        return True
    function = value.get("function")
    call = function if isinstance(function, dict) else value
    return any(isinstance(call.get(key), str) for key in ("name", "tool", "function")) and any(
        key in call for key in ("arguments", "parameters", "input", "args")
    )


def _echoes(request: SummaryRequest, text: str) -> bool:
    """Tell whether a reply holds its instruction, or everything that it was shown."""
    given, said = _flat(request.text), _flat(text)
    instruction = _flat(_CLOSING_TAG.split(request.text)[-1])
    if len(instruction) >= INSTRUCTION_CHARS and instruction[:INSTRUCTION_HEAD] in said:
        return True
    return given in said or said.startswith("<conversation>")


def _flat(text: str) -> str:
    return " ".join(text.split())
