"""Path patterns of scopes and detectors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


def matches(path: str, globs: Iterable[str]) -> bool:
    """Return whether a path of the workspace matches any of the patterns.

    `*` and `?` stay within one folder; `**` crosses folders: `a/**` is everything below `a`, `**/x` is `x`
    at any depth. A pattern that ends in `/` means everything below it. A leading `./` is ignored.
    """
    plain = path.removeprefix("./")
    return any(_compiled(glob).fullmatch(plain) for glob in globs)


@lru_cache(maxsize=512)
def _compiled(glob: str) -> re.Pattern[str]:
    glob = glob.removeprefix("./")
    if glob.endswith("/"):
        glob += "**"
    parts = [_piece(token) for token in re.findall(r"\*\*/|\*\*|.", glob, flags=re.DOTALL)]
    return re.compile("".join(parts), flags=re.DOTALL)


def _piece(token: str) -> str:
    if token == "**/":
        return "(?:.*/)?"
    if token == "**":
        return ".*"
    if token == "*":
        return "[^/]*"
    if token == "?":
        return "[^/]"
    return re.escape(token)


def is_relative(path: str) -> bool:
    """Return whether a path or pattern stays inside the workspace: relative, with `/`, without `..`."""
    if path.startswith(("/", "~")) or "\\" in path or re.match(r"[A-Za-z]:", path):
        return False
    return ".." not in path.split("/")
