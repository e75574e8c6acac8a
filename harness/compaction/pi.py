"""Compaction as Pi 0.83.0 does it: which requests, in which order, and how their texts become one summary.

Rules: control-plane semantics, "compact()". Its losses are kept, since people compare against them: the
previous summary goes into a history request only, so when the whole range is the prefix of one turn it is
in no request and not in the result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from backslide.harness.compaction.fileops import file_lists
from backslide.harness.compaction.prepare import Preparation
from backslide.harness.compaction.prompt_file import Prompt
from backslide.harness.compaction.serialize import joined_text, serialize_conversation
from backslide.harness.compaction.strategies.base import (
    Ask,
    Compacted,
    CompactionError,
    SummaryKind,
    SummaryRequest,
)
from backslide.harness.models.protocol import Reply, Usage
from backslide.harness.session import Message
from backslide.harness.settings import CompactionSettings
from backslide.harness.wire import convert_to_llm

NO_HISTORY = "No prior history."
"""Stands for the history of a split turn that has none before it."""
PREFIX_HEADING = "\n\n---\n\n**Turn Context (split turn):**\n\n"
HISTORY_SHARE = 0.8
"""Share of the reserve that a history summary may fill."""
PREFIX_SHARE = 0.5


async def compact_pi(
    preparation: Preparation,
    ask: Ask,
    *,
    prompt: Prompt,
    max_output: float,
    instructions: str | None = None,
) -> Compacted:
    """Ask for the summaries of a preparation one after the other and return what the entry will hold.

    `prompt` gives the summarizer's identity and instructions, `max_output` is the model's output limit (0:
    none), `instructions` are a user's wishes for this compaction, which go into history requests only. A
    reply that was cut off or is empty is accepted. Raises `CompactionError` if a reply's stop reason is
    ``error``.
    """
    settings = preparation.settings
    history: Reply | None = None
    prefix: Reply | None = None
    if preparation.history or not preparation.turn_prefix:
        history = _checked(await ask(history_request(preparation, prompt, max_output, instructions)), "Summarization")
    if preparation.turn_prefix:
        request = SummaryRequest(
            system=prompt.system,
            parts=(conversation_block(preparation.turn_prefix), prompt.prefix),
            max_tokens=output_budget(settings, PREFIX_SHARE, max_output),
            kind="prefix",
        )
        prefix = _checked(await ask(request), "Turn prefix summarization")
    summary = NO_HISTORY if history is None else joined_text(history.content)
    if prefix is not None:
        summary += PREFIX_HEADING + joined_text(prefix.content)
    lists = file_lists(preparation.file_ops)
    return Compacted(
        summary=summary + lists.suffix(),
        first_kept_entry_id=preparation.first_kept_entry_id,
        tokens_before=int(preparation.tokens_before),
        details=lists.details(),
        usage=combine_usage([reply.usage for reply in (history, prefix) if reply is not None]),
    )


def history_request(
    preparation: Preparation, prompt: Prompt, max_output: float, instructions: str | None
) -> SummaryRequest:
    """Return the request for the history: an update if there is a previous summary, else initial."""
    previous = preparation.previous_summary
    kind: SummaryKind = "update" if previous else "initial"
    before = (f"<previous-summary>\n{previous}\n</previous-summary>\n\n",) if previous else ()
    instruction = with_focus(prompt.update if previous else prompt.first, instructions)
    return SummaryRequest(
        system=prompt.system,
        parts=(conversation_block(preparation.history), *before, instruction),
        max_tokens=output_budget(preparation.settings, HISTORY_SHARE, max_output),
        kind=kind,
    )


def conversation_block(messages: Sequence[Message]) -> str:
    """Return the serialized messages in their tags, with the blank line that follows them."""
    return f"<conversation>\n{serialize_conversation(convert_to_llm(messages))}\n</conversation>\n\n"


def with_focus(instruction: str, instructions: str | None) -> str:
    """Return an instruction with a user's wishes as its last line."""
    return f"{instruction}\n\nAdditional focus: {instructions}" if instructions else instruction


def output_budget(settings: CompactionSettings, share: float, max_output: float) -> int:
    """Return the output limit of a summary request: a share of the reserve, within the model's own limit."""
    budget = settings.summary_tokens
    if budget is None:
        budget = math.floor(share * settings.reserve_tokens)
    return int(min(budget, max_output)) if max_output > 0 else budget


def combine_usage(usages: Sequence[Usage]) -> Usage | None:
    """Return the sum of usages, a single one as it is; optional counts appear if any of them has them."""
    if len(usages) < 2:
        return usages[0] if usages else None
    optional = [key for key in ("cacheWrite1h", "reasoning") if any(key in usage for usage in usages)]
    total: dict[str, Any] = {
        key: sum(usage.get(key) or 0 for usage in usages)
        for key in ("input", "output", "cacheRead", "cacheWrite", *optional, "totalTokens")
    }
    total["cost"] = {
        key: sum(usage["cost"][key] for usage in usages)
        for key in ("input", "output", "cacheRead", "cacheWrite", "total")
    }
    return total


def _checked(reply: Reply, what: str) -> Reply:
    if reply.stop_reason == "error":
        raise CompactionError(f"{what} failed: {reply.error_message or 'Unknown error'}")
    return reply
