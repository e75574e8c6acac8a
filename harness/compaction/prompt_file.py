"""Summarizer prompts: Markdown files whose parts can be read at a glance.

A prompt file may start with front matter between ``---`` lines (``name``, ``strategy``, ``shape``, ``since``). The
level-1 headings ``# System``, ``# First``, ``# Update``, ``# Turn prefix`` and ``# Branch`` divide it into parts. A
file without any of these headings is one instruction, used for first summaries and for updates alike.
"""

from __future__ import annotations

import hashlib
import re
import stat
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from backslide.harness.errors import InputError, nearest

PARTS = {
    "system": "system",
    "first": "first",
    "update": "update",
    "turn prefix": "prefix",
    "branch": "branch",
}
FRONT_KEYS = ("name", "strategy", "shape", "since")
MAX_BYTES = 256 * 1024

DEFAULT_SYSTEM = (
    "You summarize records of programming sessions for whoever continues them. Do not carry on the conversation; "
    "write only what you are asked for."
)
UPDATE_LEAD = (
    "The previous-summary block above covers everything before this conversation. Write one summary that covers both, "
    "following these instructions:\n\n"
)
PREFIX_TEXT = (
    "The conversation above is the first part of one turn whose last part is kept as it is. Summarize what was asked "
    "and what was done in it, so that the rest can be understood."
)
BRANCH_TEXT = (
    "The conversation above is a branch that is being left. Summarize what was attempted, found and decided in it."
)


@dataclass(frozen=True)
class Prompt:
    """A summarizer prompt, taken apart: the summarizer's identity and its instruction for each kind of request."""

    name: str
    strategy: str | None
    system: str
    first: str
    update: str
    prefix: str
    branch: str
    sha256: str


def builtin_prompts() -> list[str]:
    """Return the names of the prompts that ship with the package, sorted."""
    folder = files("backslide.harness.compaction") / "prompts"
    return sorted(item.name[:-3] for item in folder.iterdir() if item.name.endswith(".md"))


def load_prompt(name_or_path: str | Path) -> Prompt:
    """Load a built-in prompt by name, or any Markdown file by path.

    Raises `InputError` if the file is missing, no regular file, not UTF-8, empty, too large or malformed.
    """
    text = str(name_or_path)
    if text in builtin_prompts():
        source = files("backslide.harness.compaction") / "prompts" / f"{text}.md"
        return parse_prompt(source.read_text(encoding="utf-8"), name=text, where=f"{text}.md")
    path = Path(text)
    if path.is_dir():
        raise InputError("is a directory, expected a Markdown file", where=text, mend="name the prompt file itself")
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError("is no regular file", where=text, mend="name a Markdown file")
        raw = path.read_bytes() if status.st_size <= MAX_BYTES else None
    except (OSError, ValueError) as error:
        near = nearest(text, builtin_prompts())
        hint = f"did you mean the built-in prompt '{near}'?" if near else "check the path"
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot read the prompt file ({reason})", where=text, mend=hint) from error
    if raw is None:
        raise InputError(f"prompt file is larger than {MAX_BYTES // 1024} KiB", where=text, mend="shorten it")
    try:
        content = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8 at byte {error.start}", where=text, mend="save the prompt as UTF-8 text"
        ) from error
    return parse_prompt(content, name=path.stem, where=text)


def parse_prompt(content: str, *, name: str, where: str) -> Prompt:
    """Take a prompt's text apart. `where` names it in errors. Raises `InputError` if it is empty or malformed.

    Its hash is the same with either kind of line ends.
    """
    content = content.removeprefix("\ufeff").replace("\r\n", "\n")
    front, body = _front_matter(content, where)
    if not body.strip():
        raise InputError("prompt file is empty", where=where, mend="write the summarizer's instruction into it")
    parts = _parts(body, where, content.count("\n") - body.count("\n"))
    if parts is None:
        parts = {"first": body.strip()}
    first = parts.get("first", "")
    if not first:
        raise InputError(
            "prompt has no instruction under '# First'",
            where=where,
            mend="write the instruction for a first summary there",
        )
    return Prompt(
        name=front.get("name", name),
        strategy=front.get("strategy"),
        system=parts.get("system") or DEFAULT_SYSTEM,
        first=first,
        update=parts.get("update") or UPDATE_LEAD + first,
        prefix=parts.get("prefix") or PREFIX_TEXT,
        branch=parts.get("branch") or BRANCH_TEXT,
        sha256=hashlib.sha256(content.encode("utf-8")).hexdigest(),
    )


def _front_matter(content: str, where: str) -> tuple[dict[str, str], str]:
    """Split off the front matter; return it with the rest."""
    lines = content.split("\n")
    if lines[0].strip() != "---":
        return {}, "\n".join(lines)
    front: dict[str, str] = {}
    for number, line in enumerate(lines[1:], start=2):
        if line.strip() == "---":
            return front, "\n".join(lines[number:])
        if not line.strip():
            continue
        key, colon, value = line.partition(":")
        if not colon or key.strip() not in FRONT_KEYS:
            near = nearest(key.strip(), FRONT_KEYS)
            raise InputError(
                f"unknown front matter '{key.strip()}'",
                where=f"{where}:{number}",
                mend=f"did you mean '{near}'?" if near else f"known are {', '.join(FRONT_KEYS)}",
            )
        front[key.strip()] = value.strip().strip("\"'")
    raise InputError("front matter has no closing '---'", where=where, mend="close it with a line '---'")


def _parts(body: str, where: str, offset: int) -> dict[str, str] | None:
    """Divide a prompt at its part headings; None if it has none of them. `offset` is the lines before `body`.

    Raises `InputError` for text before the first part, which would be sent nowhere, and for a part that comes twice.
    """
    headings = list(re.finditer(r"(?m)^#[ \t]+(.+?)[ \t]*$", body))
    known = [heading for heading in headings if heading[1].strip().lower() in PARTS]
    if not known:
        return None
    before = body[: known[0].start()].strip()
    if before:
        _refuse_before(before, f"{where}:{offset + body[: body.index(before)].count(chr(10)) + 1}")
    parts: dict[str, str] = {}
    for number, heading in enumerate(known):
        part = PARTS[heading[1].strip().lower()]
        if part in parts:
            line = offset + body[: heading.start()].count("\n") + 1
            raise InputError(f"a second '# {heading[1].strip()}'", where=f"{where}:{line}", mend="join the two parts")
        # A level-1 heading that is no part belongs to the instruction itself.
        end = known[number + 1].start() if number + 1 < len(known) else len(body)
        parts[part] = body[heading.end() : end].strip()
    return parts


def _refuse_before(before: str, where: str) -> None:
    first = before.splitlines()[0].strip()
    near = nearest(first.removeprefix("#").strip().lower(), PARTS) if first.startswith("# ") else None
    raise InputError(
        f"text before the first part of the prompt: {first[:40]!r}",
        where=where,
        mend=f"did you mean '# {near.capitalize()}'?" if near else "move it under '# System' or '# First'",
    )
