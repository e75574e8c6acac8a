"""Reads a payload the way a plain reader does: what does it say about one subject, and in which order?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from backslide.harness.models.stance import Stance, Subject, judge, mask_pronouns
from backslide.harness.models.stance_words import SUBJECT
from backslide.harness.models.text import Statement, fold, statements


@dataclass(frozen=True)
class Remark:
    """One statement on the subject, with its stance."""

    text: str
    stance: Stance


@dataclass(frozen=True)
class Reading:
    """All remarks on the subject, oldest first."""

    remarks: tuple[Remark, ...]

    @property
    def banned(self) -> bool:
        """Return whether the subject is ruled out and nothing later allows it again."""
        for remark in reversed(self.remarks):
            if remark.stance != "neutral":
                return remark.stance == "forbids"
        return False


def message_text(message: Mapping[str, Any]) -> str:
    """Return the text of one chat message; text parts are joined by newlines, tool calls are left out."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
        return "\n".join(parts)
    return ""


def read_payload(messages: Iterable[Mapping[str, Any]], subject: Subject) -> Reading:
    """Read every message in order and collect the remarks on `subject`."""
    remarks: list[Remark] = []
    for message in messages:
        remarks.extend(read_text(message_text(message), subject, message.get("role") == "tool"))
    return Reading(tuple(remarks))


@lru_cache(maxsize=16384)
def read_text(text: str, subject: Subject, log: bool = False) -> tuple[Remark, ...]:
    """Return the remarks of one message; a message that never mentions the subject is not split at all."""
    if not subject.pattern.search(fold(text)):
        return ()
    remarks: list[Remark] = []
    # The statement right before, if it is on the subject: only then can a pronoun stand for it.
    before: Statement | None = None
    for statement in statements(text, log):
        if statement.kind == "code":
            before = None
            continue
        folded = fold(statement.text)
        masked = subject.masked(folded)
        if masked is None and before is not None and statement.kind != "heading":
            masked = mask_pronouns(folded)
        if masked is None and _titled(statement, subject):
            masked = mask_pronouns(folded) or f"{SUBJECT}: {folded}"
        before = statement if masked is not None else None
        if masked is not None:
            remarks.append(Remark(statement.text, judge(masked, statement.titles)))
    return tuple(remarks)


def _titled(statement: Statement, subject: Subject) -> bool:
    """Return whether the statement stands right under a title that names the subject."""
    return bool(statement.titles) and subject.masked(fold(statement.titles[-1])) is not None
