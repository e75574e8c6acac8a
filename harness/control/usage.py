"""What a session has used: totals over all branches, by model, wasted cache, and the context now.

Rules of Pi 0.83.0 (control-plane semantics, section 5.6). Where Pi fails on an assistant message without
usage, it counts as nothing here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backslide.harness import jsjson
from backslide.harness.compaction.estimate import estimate_context_tokens, valid_usage
from backslide.harness.roles import shown
from backslide.harness.session import Entry, Message, Session
from backslide.harness.settings import ModelInfo

TOOLS_AND_SUMMARIES = "Tools/summaries"
"""The bucket of usage that belongs to no reply of the executor."""
NOISE_FLOOR_TOKENS = 1024
"""A miss of this many tokens or fewer is the granularity of caches, not a miss."""

_COUNTS = ("input", "output", "cacheRead", "cacheWrite")


@dataclass(slots=True)
class UsageTotals:
    """Sums of usages: tokens by kind, cost in USD."""

    tokens: dict[str, float] = field(default_factory=lambda: dict.fromkeys(_COUNTS, 0))
    cost: float = 0

    def add(self, usage: Any) -> None:
        """Add one usage; what is no usage counts as nothing."""
        if not isinstance(usage, Mapping):
            return
        for key in _COUNTS:
            self.tokens[key] += _number(usage, key)
        self.cost += _cost(usage, "total")

    @property
    def total(self) -> float:
        """The sum of all tokens; a usage's own ``totalTokens`` plays no part."""
        return sum(self.tokens.values())


@dataclass(slots=True)
class SessionStats:
    """Counts of messages and the usage of the whole session, compacted or not."""

    user_messages: int = 0
    assistant_messages: int = 0
    tool_calls: int = 0
    tool_results: int = 0
    total_messages: int = 0
    usage: UsageTotals = field(default_factory=UsageTotals)

    def document(self) -> dict[str, Any]:
        """Return the statistics with Pi's names."""
        return {
            "userMessages": self.user_messages,
            "assistantMessages": self.assistant_messages,
            "toolCalls": self.tool_calls,
            "toolResults": self.tool_results,
            "totalMessages": self.total_messages,
            "tokens": {key: _known(value) for key, value in self.usage.tokens.items()}
            | {"total": _known(self.usage.total)},
            "cost": _known(self.usage.cost),
        }


def session_stats(entries: Iterable[Entry]) -> SessionStats:
    """Return the statistics of entries of all branches; failed replies and summaries count."""
    stats = SessionStats()
    for entry in entries:
        if entry.get("type") in {"branch_summary", "compaction"}:
            stats.usage.add(entry.get("usage"))
        if entry.get("type") != "message":
            continue
        stats.total_messages += 1
        message = _message(entry)
        role = message.get("role")
        if role == "user":
            stats.user_messages += 1
        elif role == "toolResult":
            stats.tool_results += 1
            stats.usage.add(message.get("usage"))
        elif role == "assistant":
            stats.assistant_messages += 1
            stats.tool_calls += _calls(message.get("content"))
            stats.usage.add(message.get("usage"))
    return stats


def _calls(content: Any) -> int:
    blocks = content if isinstance(content, list) else []
    return sum(isinstance(block, dict) and block.get("type") == "toolCall" for block in blocks)


@dataclass(slots=True)
class SessionUsage:
    """What a session has used, by where it went; the parts add up to `total`.

    Models are named ``provider/model``, by the model that answered. Every attempt counts, on every branch.
    """

    total: UsageTotals = field(default_factory=UsageTotals)
    by_model: dict[str, UsageTotals] = field(default_factory=dict)
    failed: UsageTotals = field(default_factory=UsageTotals)
    """The share of `by_model` that failed or aborted replies used."""
    tools: UsageTotals = field(default_factory=UsageTotals)
    compactions: UsageTotals = field(default_factory=UsageTotals)
    branch_summaries: UsageTotals = field(default_factory=UsageTotals)


def session_usage(entries: Iterable[Entry]) -> SessionUsage:
    """Return the usage of entries of all branches, compacted or not, by model, tools and summaries.

    What was paid once counts once: rows that repeat the usage of one response (one row a content block), and entries
    copied into another file. So the entries of a session and then those of its forks give what all of them have used.
    Pi's own figures (`session_stats`, `usage_breakdown`) count every row.
    """
    used = SessionUsage()
    summaries = {"compaction": used.compactions, "branch_summary": used.branch_summaries}
    counted: set[Any] = set()
    for entry in entries:
        message = _message(entry) if entry.get("type") == "message" else {}
        role = message.get("role")
        summary = summaries.get(str(entry.get("type")))
        if summary is None and role not in {"assistant", "toolResult"}:
            continue
        usage = entry.get("usage") if summary is not None else message.get("usage")
        if not _is_new(entry, message, usage, counted):
            continue
        if summary is not None:
            part = summary
        elif role == "toolResult":
            part = used.tools
        else:
            part = used.by_model.setdefault(_model_key(message), UsageTotals())
            if message.get("stopReason") in {"error", "aborted"}:
                used.failed.add(usage)
        part.add(usage)
        used.total.add(usage)
    return used


def _is_new(entry: Entry, message: Message, usage: Any, counted: set[Any]) -> bool:
    """Note a usage; tell whether neither its entry nor, with the same figures, its response was there before."""
    if not isinstance(usage, Mapping):
        return True
    figures = jsjson.stringify(usage)
    keys: list[Any] = []
    if isinstance(entry.get("id"), str):
        keys.append((entry["id"], shown(entry.get("timestamp")), figures))
    if isinstance(message.get("responseId"), str) and message["responseId"]:
        keys.append((_model_key(message), message["responseId"], figures))
    if any(key in counted for key in keys):
        return False
    counted.update(keys)
    return True


def usage_breakdown(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """Return ``{"key", "cost", "tokens"}`` by ``provider/model``, and one row for tools and summaries.

    The dearest row comes first; rows of nothing are left out.
    """
    totals: dict[str, UsageTotals] = {}
    for entry in entries:
        key, usage = _attributed(entry)
        if key and usage:
            totals.setdefault(key, UsageTotals()).add(usage)
    rows = [(key, total) for key, total in totals.items() if total.cost > 0 or total.total > 0]
    rows.sort(key=lambda row: -(_known(row[1].cost) or 0))
    return [{"key": key, "cost": _known(total.cost), "tokens": _known(total.total)} for key, total in rows]


def _attributed(entry: Entry) -> tuple[str | None, Any]:
    if entry.get("type") in {"branch_summary", "compaction"}:
        return TOOLS_AND_SUMMARIES, entry.get("usage")
    message = _message(entry) if entry.get("type") == "message" else {}
    if message.get("role") == "assistant":
        return _model_key(message), message.get("usage")
    return (TOOLS_AND_SUMMARIES, message.get("usage")) if message.get("role") == "toolResult" else (None, None)


def _model_key(message: Message) -> str:
    answered = message.get("responseModel")
    model = message.get("model") if answered is None else answered
    return f"{shown(message.get('provider'))}/{shown(model)}"


def context_usage(
    session: Session,
    messages: Sequence[Message],
    model: ModelInfo,
    metered: Callable[[Sequence[Message]], float] | None = None,
) -> dict[str, Any] | None:
    """Return ``{tokens, contextWindow, percent}`` of the active context, None for a model without a window.

    After a compaction tokens and percent are None until a reply with usage follows it on the branch: what the
    kept messages say was measured before. Otherwise `messages`, the active context, count what their last usage says
    and an estimate for the rest, or what `metered` gives for it.
    """
    window = model.context_window
    if window <= 0:
        return None
    branch = session.view()
    if session.branch() and branch.compactions:
        later = branch.entries[branch.compactions[-1] + 1 :]
        if not any(valid_usage(_message(entry)) for entry in later if entry.get("type") == "message"):
            return {"tokens": None, "contextWindow": window, "percent": None}
    estimate = estimate_context_tokens(messages)
    tokens = estimate.tokens
    if metered is not None:
        at = estimate.last_usage_index
        tokens = estimate.usage_tokens + metered(messages if at is None else messages[at + 1 :])
    return {"tokens": tokens, "contextWindow": window, "percent": tokens / window * 100}


def cache_waste(entries: Iterable[Entry], model: ModelInfo) -> dict[str, Any]:
    """Return ``{missedTokens, missedCost, missCount}``: prompt tokens that were sent before and paid again.

    A miss counts once caching was ever reported; a compaction or branch summary starts anew. `model` gives
    the price of a cache read where a reply read nothing. Entries count in file order, over all branches.
    """
    tokens, cost, count = 0.0, 0.0, 0
    previous: float | None = None
    reported = False
    for entry in entries:
        if entry.get("type") in {"compaction", "branch_summary"}:
            previous, reported = None, False
            continue
        message = _message(entry) if entry.get("type") == "message" else {}
        usage = message.get("usage")
        if message.get("role") != "assistant" or not isinstance(usage, dict):
            continue
        cached = _number(usage, "cacheRead") + _number(usage, "cacheWrite")
        prompt = _number(usage, "input") + cached
        if prompt <= 0:
            continue
        missed = _smaller(previous or 0, prompt) - _number(usage, "cacheRead")
        if previous is not None and (cached != 0 or reported) and not missed <= NOISE_FLOOR_TOKENS:
            tokens += missed
            cost += missed * -_smaller(0, _read_rate(usage, model) - _paid_rate(usage))
            count += 1
        previous, reported = prompt, reported or cached > 0
    return {"missedTokens": _known(tokens), "missedCost": _known(cost), "missCount": count}


def _smaller(one: float, other: float) -> float:
    """Return the smaller number, NaN if either is."""
    return one + other if math.isnan(one + other) else min(one, other)


def _paid_rate(usage: Mapping[str, Any]) -> float:
    """Return what a token outside the cache cost."""
    paid = _number(usage, "input") + _number(usage, "cacheWrite")
    return (_cost(usage, "input") + _cost(usage, "cacheWrite")) / paid if paid > 0 else 0


def _read_rate(usage: Mapping[str, Any], model: ModelInfo) -> float:
    """Return what a token from the cache cost, or would have cost."""
    read = _number(usage, "cacheRead")
    return _cost(usage, "cacheRead") / read if read > 0 else model.cost.cache_read / 1_000_000


def _message(entry: Entry) -> Message:
    message = entry.get("message")
    return message if isinstance(message, dict) else {}


def _number(usage: Mapping[str, Any], key: str) -> float:
    """Return a count: NaN if it is absent, 0 for null."""
    value = usage.get(key, math.nan)
    return value if isinstance(value, int | float) else 0


def _cost(usage: Mapping[str, Any], key: str) -> float:
    cost = usage.get("cost")
    return _number(cost, key) if isinstance(cost, dict) else 0


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
