"""Ids and times of a session: UUIDv7 session ids, 8-digit entry ids, ISO timestamps in milliseconds."""

from __future__ import annotations

import math
import re
import secrets
import time
from collections.abc import Callable, Container
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from backslide.harness.errors import InputError

_SESSION_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_ISO = re.compile(
    r"(?P<y>[+-]\d{6}|\d{4})(?:-(?P<mo>\d\d)(?:-(?P<d>\d\d))?)?"
    r"(?:T(?P<h>\d\d):(?P<mi>\d\d)(?::(?P<s>\d\d)(?:[.,](?P<f>\d{1,9}))?)?(?P<z>Z|[+-]\d\d:?\d\d)?)?",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ATTEMPTS = 100


def now_ms() -> int:
    """Return the time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def iso(milliseconds: int) -> str:
    """Return a time as ISO text with milliseconds in UTC, as ``Date.prototype.toISOString`` writes it."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{_iso_second(seconds)}.{rest:03d}Z"


@lru_cache(maxsize=1024)
def _iso_second(seconds: int) -> str:
    return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")


def parse_ms(value: Any) -> float:
    """Return an entry's timestamp in milliseconds since 1970, NaN if it is not a time.

    ISO texts, numbers and null (0) are read as ``new Date(value)`` reads them; a text without a zone is
    taken as UTC.
    """
    if value is None:
        return 0
    if isinstance(value, int | float):
        return value
    return _parse_text(value) if isinstance(value, str) else math.nan


@lru_cache(maxsize=1024)
def _parse_text(text: str) -> float:
    match = _ISO.fullmatch(text)
    return math.nan if match is None else _moment(match)


def _moment(match: re.Match[str]) -> float:
    part = match.groupdict()
    try:
        moment = datetime(int(part["y"]), int(part["mo"] or 1), int(part["d"] or 1), tzinfo=UTC)
    except ValueError:
        return math.nan
    hour, minute, second = (int(part[key] or 0) for key in ("h", "mi", "s"))
    if minute > 59 or second > 59 or (hour, minute, second) > (24, 0, 0):
        return math.nan
    moment += timedelta(hours=hour, minutes=minute, seconds=second)
    zone = part["z"]
    if zone and zone != "Z":
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
        moment += offset if zone[0] == "-" else -offset
    fraction = int((part["f"] or "0").ljust(3, "0")[:3])
    return (moment - _EPOCH) // timedelta(milliseconds=1) + fraction


def new_session_id(milliseconds: int) -> str:
    """Return a UUIDv7 text whose first 48 bits are the time."""
    value = (milliseconds & (2**48 - 1)) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    text = f"{value:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def checked_session_id(session_id: str) -> str:
    """Return `session_id`; raise `InputError` unless it is letters, digits and inner ``. _ -``."""
    if not _SESSION_ID.fullmatch(session_id):
        raise InputError(
            f"session id {session_id!r} is not usable",
            mend="use letters and digits, with '.', '_' or '-' in between",
        )
    return session_id


def short_id() -> str:
    """Return 8 random hexadecimal digits."""
    return secrets.token_hex(4)


def fresh_id(ids: Callable[[], str], taken: Container[Any]) -> str:
    """Return the first id of `ids` that is not taken; after 100 collisions, 32 random digits."""
    for _ in range(_ATTEMPTS):
        candidate = ids()
        if candidate not in taken:
            return candidate
    return secrets.token_hex(16)
