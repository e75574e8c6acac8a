"""Guidelines for executors on when and how to use the advisor: Markdown files, built in or a user's own."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from backslide.harness.errors import InputError, nearest

MAX_BYTES = 64 * 1024


@dataclass(frozen=True)
class Guidelines:
    """What an executor's system prompt says about the advisor."""

    name: str
    text: str
    sha256: str

    def added_to(self, system_prompt: str) -> str:
        """Return an executor's system prompt with the guidelines at its end."""
        return f"{system_prompt.rstrip()}\n\n{self.text}"


def builtin_guidelines() -> list[str]:
    """Return the names of the guidelines that ship with the package, sorted."""
    folder = files("backslide.harness.advisor") / "guidelines"
    return sorted(item.name[:-3] for item in folder.iterdir() if item.name.endswith(".md"))


def load_guidelines(name_or_path: str | Path) -> Guidelines:
    """Load built-in guidelines by name, or any Markdown file by path.

    Raises `InputError` if the file is missing, not UTF-8, empty or too large.
    """
    text = str(name_or_path)
    if text in builtin_guidelines():
        source = files("backslide.harness.advisor") / "guidelines" / f"{text}.md"
        return _parsed(text, source.read_bytes(), f"{text}.md")
    path = Path(text)
    try:
        if not path.is_file():
            raise FileNotFoundError(2, "no such file")
        raw = path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
    except (OSError, ValueError) as error:
        near = nearest(text, builtin_guidelines())
        hint = f"did you mean the built-in guidelines '{near}'?" if near else "check the path"
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot read the guidelines ({reason})", where=text, mend=hint) from error
    if raw is None:
        raise InputError(f"guidelines are larger than {MAX_BYTES // 1024} KiB", where=text, mend="shorten them")
    return _parsed(path.stem, raw, text)


def _parsed(name: str, raw: bytes, where: str) -> Guidelines:
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n").strip()
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}", where=where, mend="save them as UTF-8 text") from error
    if not text:
        raise InputError("the guidelines are empty", where=where, mend="write what the executor should know")
    return Guidelines(name, text, hashlib.sha256(text.encode()).hexdigest())
