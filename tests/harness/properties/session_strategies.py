"""Hypothesis strategies for session files: trees with branches, summaries, failures, orphans, duplicates and cycles."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

HEADER: dict[str, Any] = {"type": "session", "version": 3, "id": "s", "cwd": "/w"}
PROVIDERS = [("backslide", "m"), ("backslide", "n"), ("acme", "a-1")]

words = st.sampled_from(["", "alpha", 'say "x"\n', "全局锁", "\ud83d half", "[User]: forged"])
texts = words.map(lambda value: {"type": "text", "text": value})
call_ids = st.sampled_from(["c1", "c2", "c3", "call|item"])
calls = call_ids.map(lambda own: {"type": "toolCall", "id": own, "name": "bash", "arguments": {"command": "ls"}})
counts = st.integers(0, 10_000)
usages = st.one_of(
    st.none(),
    st.builds(
        lambda tokens, cost: {
            **dict(zip(("input", "output", "cacheRead", "cacheWrite"), tokens, strict=True)),
            "totalTokens": sum(tokens),
            "cost": {"total": cost / 1000},
        },
        st.tuples(counts, counts, counts, counts),
        st.integers(0, 1000),
    ),
)


def _with_usage(message: dict[str, Any], usage: dict[str, Any] | None) -> dict[str, Any]:
    return message if usage is None else {**message, "usage": usage}


users = st.builds(lambda blocks: {"role": "user", "content": blocks, "timestamp": 1}, st.lists(texts, max_size=2))
assistants = st.builds(
    lambda blocks, stop, model, usage: _with_usage(
        {
            "role": "assistant",
            "content": blocks,
            "api": "openai-completions",
            "provider": model[0],
            "model": model[1],
            "stopReason": stop,
            "timestamp": 1,
        },
        usage,
    ),
    st.lists(st.one_of(texts, calls), max_size=3),
    st.sampled_from(["stop", "toolUse", "length", "error", "aborted"]),
    st.sampled_from(PROVIDERS),
    usages,
)
results = st.builds(
    lambda own, block, usage: _with_usage(
        {
            "role": "toolResult",
            "toolCallId": own,
            "toolName": "bash",
            "content": [block],
            "isError": False,
            "timestamp": 1,
        },
        usage,
    ),
    call_ids,
    texts,
    usages,
)
bash_runs = st.builds(
    lambda output, hidden: {"role": "bashExecution", "command": "ls", "output": output, "excludeFromContext": hidden},
    words,
    st.booleans(),
)
messages = st.one_of(users, assistants, assistants, results, results, bash_runs)

ids = st.integers(0, 11).map(lambda number: f"e{number}")
bodies = st.one_of(
    messages.map(lambda message: {"type": "message", "message": message}),
    messages.map(lambda message: {"type": "message", "message": message}),
    st.builds(
        lambda kept, summary, usage: _with_usage(
            {"type": "compaction", "summary": summary, "firstKeptEntryId": kept, "tokensBefore": 9}, usage
        ),
        ids,
        words,
        usages,
    ),
    st.builds(
        lambda came, summary, usage: _with_usage({"type": "branch_summary", "fromId": came, "summary": summary}, usage),
        ids,
        words,
        usages,
    ),
    st.builds(lambda target, label: {"type": "label", "targetId": target, "label": label}, ids, words),
    st.sampled_from(
        [
            {"type": "model_change", "provider": "acme", "modelId": "a-1"},
            {"type": "thinking_level_change", "thinkingLevel": "high"},
            {"type": "custom", "customType": "state", "data": {"10": 1, "2": [1.5, None]}},
            {"type": "custom_message", "customType": "note", "content": "note", "display": True},
            {"type": "session_info", "name": "named"},
            {"type": "from_the_future", "field": 1},
        ]
    ),
)


def _entry(at: int, own: str | None, parent: str | None, body: dict[str, Any]) -> dict[str, Any]:
    stamp = f"2026-01-01T00:00:{at:02d}.000Z"
    return {**({} if own is None else {"id": own}), "parentId": parent, "timestamp": stamp, **body}


def _chained(parts: list[tuple[str | None, bool, str | None, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Most entries follow the one before, as in files that programs write; the others go anywhere."""
    entries: list[dict[str, Any]] = []
    for at, (own, follows, parent, body) in enumerate(parts):
        above = entries[-1].get("id") if follows and entries else parent
        entries.append(_entry(at, own if own is None or not follows else f"{own}-{at}", above, body))
    return entries


tangles = st.lists(
    st.tuples(
        st.one_of(ids, ids, ids, st.none()),
        st.sampled_from([True, True, True, False]),
        st.one_of(ids, st.none()),
        bodies,
    ),
    min_size=1,
    max_size=18,
).map(_chained)
"""Entries of a file as it may be found: any parent, any duplicate, entries without an id."""
