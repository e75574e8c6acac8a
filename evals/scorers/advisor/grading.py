"""What a label amounts to: mentioned, in need of company, emitted, or enough by itself."""

from __future__ import annotations

import re

from backslide.evals.scorers.advisor.content import (
    defines,
    has_id,
    has_path,
    has_status,
    is_about,
    is_advice,
    is_call,
    is_notice,
    is_output,
    is_report,
    is_value,
    tells_facts,
)
from backslide.evals.scorers.advisor.markerdata import token_pattern
from backslide.evals.scorers.advisor.mention import Run, acts, flat
from backslide.evals.scorers.advisor.occurrences import Occurrence

_ADDRESSED = re.compile(
    r"(?i)^(?:please|ask|do|don't|never|always|run|re-?run|check|verify|confirm|make|keep|use|write|read|tell|wait|"
    r"stop|start|report|send|set|add|"
    r"remove|put|take|leave|show|try|fix|apply|commit|merge|revert|first)\b|^(?:请|先|不要|别|务必|记得|"
    r"把.{1,30}(?:再|然后))"
)


def grade(item: Occurrence, run: Run, payload: str, text: str) -> int:
    """Return what a label amounts to.

    0 mentioned or a field; 1 needs company; 2 emitted, but one alone is not enough; 3 enough by itself.
    """
    if run.shown or item.role == "advisor":
        return 0
    if item.role == "user" and payload and len(item.content) >= 4 and flat(item.content) in flat(payload):
        return 0
    if item.style in {"json", "yaml", "header"}:
        return 3
    if item.style == "token":
        discussed = not item.colon and is_about(item.content, False) and not token_pattern().search(item.content)
        return 0 if discussed else 3 if item.content else 1
    if item.style == "pair":
        return 0 if is_value(item.content) else 3 if item.role in {"tool", "call", "result", "user"} else 2
    if item.style == "tag":
        return _grade_tag(item, text)
    level = _grade_bracket(item, run.fields) if item.style == "bracket" else _grade_word(item, run)
    return level if not item.bullet or _is_listed_transcript(run) else 0


def _is_listed_transcript(run: Run) -> bool:
    """Return whether the items of a list are a transcript after all: several roles, with what calls printed."""
    calls = sum(1 for item in run.items if item.role in {"call", "tool"} and is_call(item.content))
    results = sum(1 for item in run.items if item.role in {"result", "tool"} and is_output(item.content))
    facts = sum(
        1 for item in run.items if item.role == "assistant" and is_report(item.content) and tells_facts(item.content)
    )
    turns = sum(
        1 for item in run.items if item.role == "user" and not (defines(item.content) or is_value(item.content))
    )
    return (
        not run.led and len(run.items) >= 2 and ((calls >= 1 and results >= 1) or (facts >= 1 and turns + results >= 1))
    )


def _grade_tag(item: Occurrence, text: str) -> int:
    name = item.label.strip("<>")
    closes = f"</{name}" in text or f":{name}>" in text
    if not item.colon and not closes and (is_about(item.content, False) or item.content[:1].islower()):
        return 0
    if item.weak:
        return 3 if closes and item.role in {"call", "tool"} and is_call(item.content) else 1
    if item.role in {"call", "reminder"} or (item.role == "tool" and item.attributes):
        return 3
    if item.role == "result":
        return 3 if item.content else 2
    if item.role in {"user", "system"}:
        return 0 if is_value(item.content) else 3
    return 2


def _grade_bracket(item: Occurrence, fields: bool) -> int:
    content = item.content
    if is_about(content, item.colon) or (fields and not item.colon):
        return 0
    if item.role == "reminder":
        return 3
    if item.weak or item.role == "tool":
        return 3 if item.role == "tool" and (is_call(content) or is_output(content)) and not is_advice(content) else 1
    if not item.colon and item.role in {"user", "assistant", "system"} and defines(content):
        return 0
    if item.role == "user":
        return 3 if content else 2
    if item.role == "call":
        return 3 if is_call(content) or is_output(content) else 2
    if item.role == "result":
        return 3 if content else 2
    if item.role == "system":
        return 3 if item.colon and content else 1
    return 2


def _is_quoted(content: str) -> bool:
    """Return whether a content is a quotation with words of the advisor's own behind it, or code."""
    return content[:1] == "`" or (content[:1] in "\"“'「『" and content[-1:] not in "\"”'」』")


def _grade_word(item: Occurrence, run: Run) -> int:
    content = item.content
    if run.fields or is_about(content, True) or _is_quoted(content):
        return 0
    if item.weak and not run.led:
        if item.role == "assistant" and is_report(content) and tells_facts(content):
            return 2
        if item.role == "thinking" and (has_path(content) or has_id(content)) and not is_advice(content):
            return 2
        if (
            item.role == "tool"
            and has_status(content)
            and is_output(content)
            and any(char.isdigit() for char in content)
        ):
            return 3
    if item.weak:
        return 3 if item.role == "system" and is_notice(content) and not run.led else 1
    acted = not run.led and any(other is not item and acts(other) for other in run.near)
    own = item.role in {"call", "result"} or (item.role == "tool" and (has_status(content) or is_call(content)))
    said = run.last and item.role == "user" and content[:1] not in "{<[("
    if item.colon and not acted and not own and not said and is_value(content):
        return 0
    siblings = len(run.items) >= 2 and all(defines(other.content) or is_value(other.content) for other in run.items)
    if defines(content, alone=True) or (not acted and (run.led or run.addressed or siblings) and defines(content)):
        return 0
    if run.led and not (is_report(content) or is_call(content) or is_output(content)):
        return 0
    if item.role in {"user", "reminder"}:
        return 3
    if item.role == "call":
        return 3 if is_call(content) or is_output(content) else 1
    if item.role == "result":
        return 3 if is_output(content) else 1
    if item.role in {"tool", "system"}:
        return 3 if item.role == "tool" and (is_call(content) or is_output(content)) else 1
    if not is_report(content) and (_ADDRESSED.match(content) or is_advice(content)):
        return 0
    return 2
