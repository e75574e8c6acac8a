"""Evidence from the source: excerpts of real tool results, taken by the host rather than retold by the executor.

Each is bounded and traceable: the entry it comes from, the command and how it ended or the file, its revision and
lines, and what was cut. Nothing in it is the executor's wording.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from backslide.harness.advisor.transcript import content_text, tool_calls
from backslide.harness.session import Entry

Revision = Callable[[str], str | None]
"""Gives the revision of a file at the time of the call (a commit, for example); None if it has none."""

READERS = frozenset({"read", "cat", "view", "open"})
WRITERS = frozenset({"edit", "write", "patch"})
OWN = frozenset({"advisor"})
"""Tools whose results are no evidence."""

_EXIT = re.compile(r"(?:exited with (?:code|status)|exit (?:code|status))[:= ]+(\d{1,3})\b", re.IGNORECASE)
_NAME = re.compile(r"[\w./-]*[\w-]+\.\w{1,8}\b|[\w-]{4,}|[\u4e00-\u9fff]{2,}")
_FENCE = re.compile(r"(?m)^[ \t>]*(`{3,})")


@dataclass(frozen=True)
class Artifact:
    """An excerpt of one tool result. `lines` are those of the output that are shown, counted from 1, both included.

    `exit_code` is None where the result does not tell it; `revision` is None for anything but a file.
    """

    source: str
    tool: str
    subject: str
    text: str
    lines: tuple[int, int]
    total_lines: int
    cut: int
    is_error: bool
    exit_code: int | None = None
    revision: str | None = None
    changed_by: str | None = None
    """Id of a later entry that edited the file, so that the excerpt may be out of date."""

    def caption(self) -> str:
        """Return where the excerpt comes from, in one line."""
        first, last = self.lines
        facts = [f"entry {self.source}", self._outcome(), f"lines {first}-{last} of {self.total_lines}"]
        if self.revision is not None:
            facts.append(f"revision {self.revision}")
        if self.changed_by is not None:
            facts.append(f"edited since, in entry {self.changed_by}")
        facts.append(f"{self.cut:,} characters cut" if self.cut else "whole")
        return f"{self.tool} `{self.subject}`: " + ", ".join(fact for fact in facts if fact)

    def _outcome(self) -> str:
        if self.exit_code is not None:
            return f"exit code {self.exit_code}"
        if self.tool in READERS:
            return "could not be read" if self.is_error else ""
        return "reported an error" if self.is_error else "reported no error"


def artifact_text(artifacts: Sequence[Artifact]) -> str:
    """Return the artifacts as a section of a brief, each in a fence of its own."""
    shown = []
    for number, artifact in enumerate(artifacts, start=1):
        longest = max((len(match[1]) for match in _FENCE.finditer(artifact.text)), default=2)
        fence = "`" * (longest + 1)
        shown.append(f"{number}. {artifact.caption()}\n{fence}text\n{artifact.text}\n{fence}")
    return "## Excerpts taken by the host from real tool results\n" + "\n\n".join(shown)


def collect_artifacts(
    entries: Sequence[Entry], wanted: str, *, count: int, limit: int, revision: Revision | None = None
) -> tuple[Artifact, ...]:
    """Return up to `count` excerpts of `limit` characters from the tool results among `entries`, in their order.

    Taken are those that share most names (files, commands, words) with `wanted`, in their call above all; if none
    shares any, the newest. A later result of the same call replaces an earlier one.
    """
    calls: dict[Any, dict[str, Any]] = {}
    edits: dict[str, str] = {}
    newest: dict[tuple[str, str], tuple[int, Artifact]] = {}
    for position, entry in enumerate(entries):
        message = entry.get("message") if entry.get("type") == "message" else None
        if not isinstance(message, dict):
            continue
        calls.update({call.get("id"): call for call in tool_calls(message)})
        call = calls.get(message.get("toolCallId")) if message.get("role") == "toolResult" else None
        if call is None or call.get("name") in OWN:
            continue
        tool, subject = str(call.get("name")), _subject(call)
        if tool in WRITERS and not message.get("isError"):
            edits[subject] = str(entry.get("id"))
        elif text := content_text(message.get("content")).strip("\n"):
            edits.pop(subject, None)
            newest[tool, subject] = (position, _artifact(entry, message, call, text, limit, revision))
    names = set(_NAME.findall(wanted.lower()))
    scored = [(_shared(artifact, names), position, artifact) for position, artifact in newest.values()]
    related = [found for found in scored if found[0]] or scored
    taken = sorted(related, key=lambda found: (-found[0], -found[1]))[:count]
    return tuple(
        replace(artifact, changed_by=edits.get(artifact.subject) if artifact.tool in READERS else None)
        for _, _, artifact in sorted(taken, key=lambda found: found[1])
    )


def _shared(artifact: Artifact, names: set[str]) -> int:
    in_call = len(names & set(_NAME.findall(artifact.subject.lower())))
    return 3 * in_call + len(names & set(_NAME.findall(artifact.text.lower())))


def _artifact(
    entry: Entry, message: dict[str, Any], call: dict[str, Any], text: str, limit: int, revision: Revision | None
) -> Artifact:
    tool, subject = str(call.get("name")), _subject(call)
    lines = text.split("\n")
    # A file is read from its start; a command tells its outcome at its end.
    first, last = _window(lines, limit, from_end=tool not in READERS)
    shown = "\n".join(lines[first:last])
    shown = (shown[:limit] if tool in READERS else shown[-limit:]) if len(shown) > limit else shown
    offset = _first_line(call) if tool in READERS else 1
    return Artifact(
        source=str(entry.get("id")),
        tool=tool,
        subject=subject,
        text=shown,
        lines=(first + offset, last + offset - 1),
        total_lines=len(lines) + offset - 1,
        cut=len(text) - len(shown),
        is_error=bool(message.get("isError")),
        exit_code=None if tool in READERS else _exit_code(message, text),
        revision=_revision(subject, text, revision) if tool in READERS else None,
    )


def _window(lines: list[str], limit: int, *, from_end: bool) -> tuple[int, int]:
    """Return the range of whole lines that fits; at least one line, which may be cut itself."""
    order = range(len(lines) - 1, -1, -1) if from_end else range(len(lines))
    used = taken = 0
    for index in order:
        used += len(lines[index]) + 1
        if taken and used - 1 > limit:
            break
        taken += 1
    return (len(lines) - taken, len(lines)) if from_end else (0, taken)


def _subject(call: dict[str, Any]) -> str:
    arguments = call.get("arguments")
    values = arguments if isinstance(arguments, dict) else {}
    for key in ("path", "file", "file_path", "command", "cmd", "pattern"):
        if values.get(key):
            return " ".join(str(values[key]).split())[:200]
    return " ".join(f"{key}={value}" for key, value in values.items())[:200] or str(call.get("name"))


def _first_line(call: dict[str, Any]) -> int:
    arguments = call.get("arguments")
    offset = arguments.get("offset") if isinstance(arguments, dict) else None
    return max(1, int(str(offset))) if str(offset).isdigit() else 1


def _exit_code(message: dict[str, Any], text: str) -> int | None:
    details = message.get("details")
    if isinstance(details, dict) and isinstance(details.get("exitCode"), int):
        return int(details["exitCode"])
    match = _EXIT.search(text[-400:])
    return int(match[1]) if match else None


def _revision(path: str, text: str, revision: Revision | None) -> str:
    """Return the host's revision of a file, or else a digest of what was read, which names the content itself."""
    named = revision(path) if revision is not None else None
    return named or f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
