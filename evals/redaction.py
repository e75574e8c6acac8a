"""Keep API keys and authorization headers out of every file that a run writes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

HIDDEN = "***"

_SECRET_NAME = r"[\w-]*(?:api[_-]?key|apikey|token|secret|password|passwd|authorization)"
_SECRET_FLAG = re.compile(rf"^--?{_SECRET_NAME}$", re.IGNORECASE)
_ASSIGNMENT = re.compile(rf"({_SECRET_NAME})(\s*[=:]\s*)(?:(?:Bearer|Basic)\s+)?[^\s&'\",;]+", re.IGNORECASE)
_USERINFO = re.compile(r"(?<=://)[^/\s@]+@")
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[\w.~+/=-]{8,}", re.IGNORECASE)
_KEY_SHAPE = re.compile(r"\b(?:sk|pk|rk|gsk|hf|ghp|xai)[-_][\w-]{8,}")
_SECRET_ENVIRONMENT = re.compile(r"(?:API_?KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
_SHORTEST_SECRET = 8


def redact_text(text: str) -> str:
    """Return `text` with everything that looks like a credential replaced by ``***``.

    Covers ``name=value`` pairs of secret names, authorization headers, user names and passwords in URLs, and
    keys of well-known shapes.
    """
    text = _USERINFO.sub(f"{HIDDEN}@", text)
    text = _ASSIGNMENT.sub(lambda match: f"{match[1]}{match[2]}{HIDDEN}", text)
    text = _BEARER.sub(lambda match: f"{match[1]} {HIDDEN}", text)
    return _KEY_SHAPE.sub(HIDDEN, text)


def redact_command(arguments: Sequence[str]) -> list[str]:
    """Return command line arguments with credentials hidden, also the value after a secret flag."""
    result: list[str] = []
    hide_next = False
    for argument in arguments:
        result.append(HIDDEN if hide_next else redact_text(argument))
        hide_next = bool(_SECRET_FLAG.match(argument))
    return result


def redact(value: object) -> object:
    """Return JSON-like data with every string redacted; a value under a secret name is hidden whole."""
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, Mapping):
        return {
            key: HIDDEN if isinstance(item, str) and _SECRET_FLAG.match(f"-{key}") else redact(item)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [redact(item) for item in value]
    return value


def hide_known_secrets(line: str) -> str:
    """Return `line` without the values of secret environment variables, whatever text they stand in."""
    for secret in _known_secrets():
        if secret in line:
            line = line.replace(secret, HIDDEN)
    return line


@cache
def _known_secrets() -> tuple[str, ...]:
    return tuple(sorted(_secret_values(os.environ), key=len, reverse=True))


def _secret_values(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        if _SECRET_ENVIRONMENT.search(name) and len(value) >= _SHORTEST_SECRET:
            yield value
