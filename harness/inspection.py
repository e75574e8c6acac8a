"""Everything that is derived from a session file, as one document.

The shape is that of the expected files in ``tests/data/pi``, which were made with the real Pi 0.83.0; its
README says what each key means. Long texts are given as a digest. Nothing is written.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from backslide.harness import jsjson
from backslide.harness.compaction.estimate import (
    estimate_context_tokens,
    estimate_tokens,
    should_compact,
    valid_usage,
)
from backslide.harness.compaction.prepare import Preparation, prepare_compaction
from backslide.harness.compaction.serialize import serialize_conversation
from backslide.harness.control.usage import cache_waste, context_usage, session_stats, usage_breakdown
from backslide.harness.errors import InputError
from backslide.harness.inspection_control import inspected_control
from backslide.harness.inspection_runs import (
    Inspected,
    inspected_compaction,
    inspected_fork,
    inspected_navigation,
)
from backslide.harness.inspection_text import (
    digest,
    estimate_document,
    file_ops_document,
    llm_document,
    message_document,
)
from backslide.harness.session import Entry, Message, Session, SessionReport, read_session_file
from backslide.harness.session.branch import id_key
from backslide.harness.session.migrate import needs_migration
from backslide.harness.settings import Cost, ModelInfo, Settings, current_names
from backslide.harness.wire import convert_to_llm, to_openai_messages

PI_VERSION = "0.83.0"
"""The version whose behaviour is reproduced."""
DEFAULT_MODEL = ModelInfo(provider="goldprov", id="gold-1", cost=Cost(1, 4, 0.1, 1.25))
"""The model of an inspection whose settings name none."""


def inspect_session(path: Path, settings: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return what a session file holds and what would be made of it, as plain JSON values.

    `settings` are Pi's, with an optional ``oracle`` object: ``model``, ``leaf`` to stand at, ``navigate``
    and ``fork`` targets (an unknown one becomes an ``error``), ``replies`` of the summarizer,
    ``instructions``, ``thinkingLevel``, ``overflowRecoveryAttempted``. Raises `InputError` if the file is
    no session or a setting cannot be used.
    """
    document = dict(settings or {})
    oracle = document.pop("oracle", None) or {}
    session = Session.open(path, ids=_numbered())
    inspected = Inspected(session, _model(oracle), Settings.from_pi_json(document), oracle)
    report = read_session_file(path)
    result: dict[str, Any] = {"pi": PI_VERSION, "load": _load_document(report, session)}
    _stand(session, oracle)
    result |= _tree_document(session)
    result |= _context_document(inspected, document)
    result |= _compaction_document(inspected)
    result |= _usage_document(inspected)
    result["control"] = inspected_control(inspected)
    result |= asyncio.run(_runs(inspected))
    return result


async def _runs(inspected: Inspected) -> dict[str, Any]:
    """Return what is only derived when something is asked of a summarizer or of the tree."""
    runs: dict[str, Any] = {}
    preparation = _preparation(inspected)
    if preparation is not None:
        runs["compact"] = await inspected_compaction(inspected, preparation)
    targets = inspected.oracle.get("navigate")
    if targets:
        runs["navigate"] = [
            await inspected_navigation(inspected, target)
            if target in inspected.session
            else {"target": target, "error": "the session has no such entry"}
            for target in targets
        ]
    fork = inspected.oracle.get("fork")
    if fork:
        runs["fork"] = (
            inspected_fork(inspected, fork)
            if fork in inspected.session
            else {"error": f"the session has no entry {fork}"}
        )
    return runs


def _numbered() -> Any:
    """Return a maker of the ids that entries of version 1 get: their position."""
    numbers = itertools.count()
    return lambda: f"#{next(numbers)}"


def _model(oracle: Mapping[str, Any]) -> ModelInfo:
    given = oracle.get("model") or {}
    default = DEFAULT_MODEL
    cost = given.get("cost") or {}
    return ModelInfo(
        provider=given.get("provider", default.provider),
        id=given.get("id", default.id),
        context_window=given.get("contextWindow", default.context_window),
        max_tokens=given.get("maxTokens", default.max_tokens),
        reasoning=bool(given.get("reasoning", default.reasoning)),
        input=tuple(given.get("input", default.input)),
        api=given.get("api", default.api),
        base_url=given.get("baseUrl", default.base_url),
        cost=Cost(
            input=cost.get("input", default.cost.input),
            output=cost.get("output", default.cost.output),
            cache_read=cost.get("cacheRead", default.cost.cache_read),
            cache_write=cost.get("cacheWrite", default.cost.cache_write),
        ),
    )


def _stand(session: Session, oracle: Mapping[str, Any]) -> None:
    if "leaf" in oracle:
        session.move_to(oracle["leaf"])


def _load_document(report: SessionReport, session: Session) -> dict[str, Any]:
    old = needs_migration(report.version)
    return {
        "ok": True,
        "rawVersion": report.version,
        "headerVersionAfterLoad": session.header.get("version"),
        "rewrittenOnOpen": old,
        "parsedLines": len(report.records),
        "entries": len(session.entries),
        "typeCounts": dict(Counter(str(entry.get("type", "undefined")) for entry in session.entries)),
        "defaultLeaf": session.leaf_id,
        "cwd": session.header.get("cwd"),
    }


def _tree_document(session: Session) -> dict[str, Any]:
    return {
        "leaf": session.leaf_id,
        "sessionName": session.name,
        "labels": _labels(session),
        "tree": _forks(session),
        "branch": _ids(session.branch()),
        "contextEntries": _ids(session.context_entries()),
    }


def _labels(session: Session) -> dict[str, str]:
    """Return the labels of entries that exist."""
    keys = {id_key(entry.get("id")) for entry in session.entries}
    return {str(key): label for key, label in session.labels.items() if key in keys}


def _forks(session: Session) -> dict[str, Any]:
    roots = session.tree()
    forks: dict[str, list[Any]] = {}
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if len(node.children) > 1:
            forks[str(node.entry.get("id", "undefined"))] = _ids([child.entry for child in node.children])
        stack += node.children
    return {"roots": _ids([root.entry for root in roots]), "forks": forks}


def _ids(entries: Sequence[Entry]) -> list[Any]:
    return [entry.get("id") for entry in entries]


def _context_document(inspected: Inspected, document: Mapping[str, Any]) -> dict[str, Any]:
    context = inspected.session.context()
    settings, model = inspected.settings, inspected.model
    estimate = estimate_context_tokens(context.messages)
    llm = convert_to_llm(context.messages)
    payload = to_openai_messages(llm, model)
    body = jsjson.stringify(payload).encode()
    return {
        "context": {
            "thinkingLevel": context.thinking_level,
            "model": context.model,
            "messages": [message_document(message) for message in context.messages],
        },
        "messageTokens": [estimate_tokens(message) for message in context.messages],
        "estimate": estimate_document(estimate),
        "shouldCompact": should_compact(estimate.tokens, model.context_window, settings.compaction),
        **_settings_document(document),
        "llm": [llm_document(message) for message in llm],
        "openaiPayload": {
            "roles": [message["role"] for message in payload],
            "utf8Bytes": len(body),
            "sha256_utf8": hashlib.sha256(body).hexdigest(),
        },
        "serializedContext": digest(serialize_conversation(llm)),
    }


_SETTINGS_SHOWN = (
    (
        "compactionSettings",
        "compaction",
        {"enabled": True, "reserveTokens": 16384, "keepRecentTokens": 20000},
    ),
    ("retrySettings", "retry", {"enabled": True, "maxRetries": 3, "baseDelayMs": 2000}),
    ("branchSummarySettings", "branchSummary", {"reserveTokens": 16384, "skipPrompt": False}),
)


def _settings_document(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings as they are written, defaults filled in: Pi does not convert them."""
    written = current_names(document)
    return {
        shown: {
            key: default if (value := (written.get(name) or {}).get(key)) is None else value
            for key, default in defaults.items()
        }
        for shown, name, defaults in _SETTINGS_SHOWN
    }


def _preparation(inspected: Inspected) -> Preparation | None:
    session = inspected.session
    return prepare_compaction(session.view() if session.branch() else [], inspected.settings.compaction)


def _compaction_document(inspected: Inspected) -> dict[str, Any]:
    preparation = _preparation(inspected)
    if preparation is None:
        return {"prepare": None}
    return {
        "prepare": {
            "firstKeptEntryId": preparation.first_kept_entry_id,
            "firstKeptIndexOnBranch": preparation.first_kept_index,
            "isSplitTurn": preparation.is_split,
            "tokensBefore": preparation.tokens_before,
            "previousSummary": _digest_or_none(preparation.previous_summary),
            "messagesToSummarize": _named(preparation.history_entries, preparation.history),
            "turnPrefixMessages": _named(preparation.turn_prefix_entries, preparation.turn_prefix),
            "fileOps": file_ops_document(preparation.file_ops),
        },
        "serialized": {
            "messagesToSummarize": digest(serialize_conversation(convert_to_llm(preparation.history))),
            "turnPrefixMessages": digest(serialize_conversation(convert_to_llm(preparation.turn_prefix))),
        },
    }


def _digest_or_none(text: str | None) -> Any:
    return None if text is None else digest(text)


def _named(entries: Sequence[Entry], messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [
        {"id": entry.get("id"), "role": message.get("role")} for entry, message in zip(entries, messages, strict=True)
    ]


def _usage_document(inspected: Inspected) -> dict[str, Any]:
    session, model = inspected.session, inspected.model
    usages = (
        valid_usage(entry["message"])
        for entry in reversed(session.branch())
        if entry.get("type") == "message" and isinstance(entry.get("message"), dict)
    )
    return {
        "stats": session_stats(session.entries).document(),
        "contextUsage": context_usage(session, session.context().messages, model),
        "usageBreakdown": usage_breakdown(session.entries),
        "cacheWaste": cache_waste(session.entries, model),
        "lastAssistantUsage": next((usage for usage in usages if usage is not None), None),
    }


def load_settings(path: Path) -> dict[str, Any]:
    """Read a settings file. Raises `InputError` if it cannot be read or is no JSON object."""
    try:
        document = jsjson.parse(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"the settings cannot be read ({error.strerror})", where=str(path)) from None
    except ValueError as error:
        raise InputError(f"the settings are not JSON ({error})", where=str(path)) from None
    if not isinstance(document, dict):
        raise InputError("the settings must be a JSON object", where=str(path))
    return document
