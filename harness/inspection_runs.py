"""The parts of an inspection that try something out, each on a copy of the session in memory."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from backslide.harness import jsjson
from backslide.harness.compaction.branch_summary import (
    branch_budget,
    collect_left_branch,
    navigate,
    prepare_branch,
)
from backslide.harness.compaction.estimate import estimate_context_tokens, estimate_messages
from backslide.harness.compaction.pi import compact_pi
from backslide.harness.compaction.prepare import Preparation, prepare_compaction
from backslide.harness.compaction.prompt_file import Prompt, load_prompt
from backslide.harness.compaction.serialize import serialize_conversation
from backslide.harness.compaction.strategies.base import SummaryRequest
from backslide.harness.control.usage import context_usage, session_stats
from backslide.harness.inspection_text import digest, estimate_document, file_ops_document
from backslide.harness.models.protocol import Reply
from backslide.harness.session import Entry, Message, Session
from backslide.harness.settings import ModelInfo, Settings
from backslide.harness.wire import convert_to_llm, to_openai_messages

DEFAULT_REPLIES = ("## Goal\nscripted summary one", "## Original Request\nscripted prefix two")
NEW = "#NEW"
"""Id of the entry that a try-out appends."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """A session, where it stands, and what it is inspected with."""

    session: Session
    model: ModelInfo
    settings: Settings
    oracle: Mapping[str, Any]

    def copy(self) -> Session:
        """Return the session in memory, ready for one new entry."""
        return self.session.copy_to(None, ids=lambda: NEW)


class ScriptedSummarizer:
    """A summarizer that gives the scripted replies in turn and notes what it was asked."""

    def __init__(self, inspected: Inspected, prompt: Prompt) -> None:
        self.requests: list[dict[str, Any]] = []
        self._texts = itertools.cycle(inspected.oracle.get("replies") or DEFAULT_REPLIES)
        self._focus = inspected.oracle.get("instructions")
        self._model = inspected.model
        level = inspected.oracle.get("thinkingLevel", "off")
        self._reasoning = level if inspected.model.reasoning and level != "off" else None
        self._prompt = prompt

    async def ask(self, request: SummaryRequest) -> Reply:
        """Note a request and return the next reply."""
        number = len(self.requests)
        self.requests.append(self._document(request))
        cost = {"input": 0.001 * (number + 1), "output": 0.0008, "cacheRead": 0, "cacheWrite": 0}
        usage = {
            "input": 1000 + number,
            "output": 200 + number,
            "cacheRead": 10 * number,
            "cacheWrite": 0,
            "totalTokens": 1200 + 12 * number,
            "cost": cost | {"total": cost["input"] + cost["output"]},
        }
        return Reply([{"type": "text", "text": next(self._texts)}], usage=usage)

    def _document(self, request: SummaryRequest) -> dict[str, Any]:
        branch = request.kind == "branch"
        document: dict[str, Any] = {
            "systemPromptChars": jsjson.utf16_length(request.system),
            "systemPromptIsSummarizer": request.system == self._prompt.system,
            "messageRoles": ["user"],
            "tools": 0,
            "maxTokens": request.max_tokens,
        }
        if self._reasoning and not branch:
            document["reasoning"] = self._reasoning
        return document | {
            "cacheRetention": "none",
            "freshSessionId": True,
            "prompt": self._prompt_document(request),
        }

    def _prompt_document(self, request: SummaryRequest) -> dict[str, Any]:
        open_tag, close_tag = "<conversation>\n", "\n</conversation>\n\n"
        conversation = request.parts[0].removeprefix(open_tag).removesuffix(close_tag)
        document: dict[str, Any] = {
            "startsWithConversationTag": request.text.startswith(open_tag),
            "closeTagCount": request.text.count(close_tag.strip()),
            "conversation": digest(conversation),
        }
        if request.kind == "update":
            previous = request.parts[1].removeprefix("<previous-summary>\n")
            document["previousSummary"] = digest(previous.removesuffix("\n</previous-summary>\n\n"))
        document["kind"] = "turn-prefix" if request.kind == "prefix" else request.kind
        document["instructionChars"] = jsjson.utf16_length(request.parts[-1])
        if self._focus and request.kind != "prefix":
            document["focus"] = self._focus
        document["promptChars"] = jsjson.utf16_length(request.text)
        return document


def _prompt() -> Prompt:
    return load_prompt("pi")


# ---------------------------------------------------------------------------- compaction


async def inspected_compaction(inspected: Inspected, preparation: Preparation) -> dict[str, Any]:
    """Compact for real with scripted replies and return the requests, the result and the state after it."""
    model = inspected.model
    prompt = _prompt()
    summarizer = ScriptedSummarizer(inspected, prompt)
    result = await compact_pi(
        preparation,
        summarizer.ask,
        prompt=prompt,
        max_output=model.max_tokens,
        instructions=inspected.oracle.get("instructions"),
    )
    session = inspected.copy()
    session.append_compaction(
        summary=result.summary,
        first_kept_entry_id=result.first_kept_entry_id,
        tokens_before=result.tokens_before,
        details=result.details,
        usage=result.usage,
    )
    messages = session.context().messages
    stats = session_stats(session.entries).document()
    return {
        "requests": summarizer.requests,
        "summary": digest(result.summary),
        "details": result.details,
        "usage": result.usage,
        "contextEntriesAfter": [entry.get("id") for entry in session.context_entries()],
        "rolesAfter": _roles(messages),
        "estimatedTokensAfter": estimate_messages(messages),
        "estimateContextAfter": estimate_document(estimate_context_tokens(messages)),
        "contextUsageAfter": context_usage(session, messages, model),
        "statsAfter": {"tokens": stats["tokens"], "cost": stats["cost"]},
        "prepareAgain": None
        if prepare_compaction(session.view(), inspected.settings.compaction) is None
        else "prepared",
        "openaiBytesAfter": len(jsjson.stringify(to_openai_messages(messages, model)).encode()),
    }


def _roles(messages: list[Message]) -> list[Any]:
    return [message.get("role") for message in messages]


# ---------------------------------------------------------------------------- tree


async def inspected_navigation(inspected: Inspected, target: str) -> dict[str, Any]:
    """Return what a move to `target` would leave, and the session after it without and with a summary."""
    session = inspected.session
    budget = branch_budget(inspected.model.context_window, inspected.settings.branch_summary.reserve_tokens)
    left = collect_left_branch(session, session.leaf_id, target)
    prepared = prepare_branch(left.entries, budget)
    return {
        "target": target,
        "collect": {
            "ids": [entry.get("id") for entry in left.entries],
            "commonAncestorId": left.common_ancestor_id,
        },
        "prepare": {
            "budget": budget,
            "totalTokens": prepared.total_tokens,
            "messages": [
                {"id": _shown_id(entry), "role": message.get("role")}
                for entry, message in zip(prepared.entries, prepared.messages, strict=True)
            ],
            "fileOps": file_ops_document(prepared.file_ops),
            "serialized": digest(serialize_conversation(convert_to_llm(prepared.messages))),
        },
        "plain": await _moved(inspected, target, budget, summarize=False),
        "withSummary": await _moved(inspected, target, budget, summarize=True),
    }


def _shown_id(entry: Entry) -> Any:
    """Return the id of an entry as the expected files name it: a compaction's message has none of its own."""
    return "<compaction>" if entry.get("type") == "compaction" else entry.get("id")


async def _moved(inspected: Inspected, target: str, budget: float, *, summarize: bool) -> dict[str, Any]:
    session = inspected.copy()
    before = len(session.entries)
    prompt = _prompt()
    summarizer = ScriptedSummarizer(inspected, prompt)
    end = await navigate(
        session,
        target,
        ask=summarizer.ask if summarize else None,
        prompt=prompt,
        budget=budget,
        instructions=inspected.oracle.get("instructions"),
    )
    added = session.entries[before:]
    return {
        "editorText": None if end.editor_text is None else digest(end.editor_text),
        "leaf": session.leaf_id,
        "summaryEntry": {
            "parentId": added[0]["parentId"],
            "fromId": added[0]["fromId"],
            "summary": digest(added[0]["summary"]),
            "details": added[0].get("details"),
            "usage": added[0].get("usage"),
        }
        if added
        else None,
        "requests": summarizer.requests,
        "contextEntries": [entry.get("id") for entry in session.context_entries()],
        "stateRoles": _roles(session.context().messages),
    }


def inspected_fork(inspected: Inspected, leaf: str) -> dict[str, Any]:
    """Return the session that a fork at `leaf` makes."""
    numbers = itertools.count()
    source = inspected.session.copy_to(None, ids=lambda: f"{NEW}{next(numbers)}")
    fork = source.fork(None, leaf)
    return {
        "written": fork.has_assistant,
        "headerHasParentSession": True,
        "entries": [
            {key: entry[key] for key in ("id", "parentId", "type", "targetId", "label") if key in entry}
            if entry.get("type") == "label"
            else {key: entry.get(key) for key in ("id", "parentId", "type")}
            for entry in fork.entries
        ],
        "leaf": fork.leaf_id,
    }
