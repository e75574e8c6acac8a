"""Find the file that a piece of a reply belongs to."""

from __future__ import annotations

import re

from backslide.evals.scorers import languages

_ENDINGS = "|".join(
    sorted(
        {re.escape(name) for name in languages.FENCE_NAMES if name.isalnum()}
        | {"txt", "lock", "mod", "sum", "tf", "css", "in", "env"},
        key=len,
        reverse=True,
    )
)
PATH = re.compile(
    rf"(?<![\w/.@:-])(?:\./)?(?:(?:[\w.@-]+|\*\*?)/)+(?:[\w.@*-]*[\w*])?/?|"
    rf"(?<![\w/.@:-])[\w-]+(?:\.[\w-]+)*\.(?:{_ENDINGS})\b(?![\w/(])"
)
"""A path in words: with a slash, or a file name with a known ending."""

_NOT_THIS = re.compile(
    r"(?:instead of|rather than|not(?: in)?|like|mirroring|from|as in|unlike|而不是|不是|像|参考|照着)\s*[`*'\"(]*$",
    re.IGNORECASE,
)
_COMMENT = re.compile(
    r"^\s*(?://|#|--|/\*+|<!--|;)\s*(?:file(?:name)?\s*[:=]\s*|"
    r"path\s*[:=]\s*)?[`\"']?(?P<path>[\w./@-]+)[`\"']?\s*(?:\([^)]*\)|[—–-].*|:)?\s*(?:\*/|-->)?\s*$",
    re.IGNORECASE,
)
_LONGEST = 300


def is_path(text: str) -> bool:
    """Return whether a word is a path."""
    match = PATH.fullmatch(text)
    if not match:
        return False
    return "/" in text or languages.of_path(text) is not None


def info_path(info: str) -> str | None:
    """Return the path that a fence's info string names: ``rust src/a.rs``, ``rust:src/a.rs``, ``title="src/a.rs"``."""
    for word in re.split(r"[\s:=\"'{}(),]+", info[:_LONGEST]):
        if is_path(word):
            return word
    return None


def first_line_path(text: str) -> str | None:
    """Return the path in a comment that is the first line of code."""
    first = text.lstrip("\n").split("\n", 1)[0][:_LONGEST]
    match = _COMMENT.match(first)
    return match["path"] if match and is_path(match["path"]) else None


def mentions(text: str) -> list[tuple[str, int, int]]:
    """Return the paths that a text mentions, with their spans."""
    out = []
    for match in PATH.finditer(text):
        word = match.group().rstrip(".")
        if "/" in word or languages.of_path(word) is not None or word.endswith((".txt", ".lock", ".mod")):
            if re.fullmatch(
                r"(?:and/or|[nN]/[aA]|[iI]/[oO]|\w{1,3}/\w{1,3}|his/her|read/write|\d+/\d+|\w+/s|he/she|either/or|"
                r"client/server|yes/no|input/output)",
                word,
            ):
                continue
            out.append((word, match.start(), match.start() + len(word)))
    return out


def intro_path(intro: str) -> str | None:
    """Return the path that the words before a block give it: in a heading, or at the end of the line before it."""
    lines = [line for line in intro.splitlines() if line.strip()]
    for line in reversed(lines[-2:]):
        tail = line[-_LONGEST:]
        found = [item for item in mentions(tail) if not _NOT_THIS.search(tail[: item[1]])]
        found = [item for item in found if not item[0].endswith("/")] or []
        if not found:
            continue
        last_line = line is lines[-1]
        plain = re.sub(r"[`*_#:：()\s]|file|in|update|edit", "", tail.replace(found[0][0], ""), flags=re.IGNORECASE)
        if len(plain) < 3 or (last_line and re.search(r"[:：]\W*$", tail)):
            return found[-1][0] if re.search(rf"{re.escape(found[-1][0])}[`*\"'’）)]*\s*[:：]", tail) else found[0][0]
    return None
