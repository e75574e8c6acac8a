"""How the robust control plane waits before it asks again: as long as the provider asks for, up to a cap, with jitter.

The harness sees a provider's failure as a text, so a backend appends the header to it, for example
``429: too many requests (retry-after: 20)``. What providers write in words is understood too.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from backslide.harness.settings import RetrySettings

JITTER = 0.25
"""Greatest share of a wait that chance takes off or adds."""
_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_NAMED = {"millisecond": "ms", "second": "s", "sec": "s", "minute": "m", "min": "m", "hour": "h"}
_ASKS = re.compile(
    r"(?:retry[-_ ]?after(?P<ms>[-_ ]?ms)?|retry[-_ ]?delay|(?:try again|retry) in)\b[\"'\s:=]*"
    r"(?P<value>(?:\d+(?:\.\d+)?\s*(?:ms|milliseconds?|seconds?|secs?|minutes?|mins?|hours?|[smh])?(?![a-z])\s*)+)",
    re.IGNORECASE,
)
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)", re.IGNORECASE)
_DATE = re.compile(
    r"retry[-_ ]?after[\"'\s:=]*((?:mon|tue|wed|thu|fri|sat|sun)[a-z]*, \d{1,2} \w{3} \d{4} [\d:]{8} \w+)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class PoliteBackoff:
    """Doubles the wait with every attempt, or takes what the provider asks for, up to a cap.

    The cap is the setting ``retry.provider.maxRetryDelayMs``. Chance takes up to `jitter` off a wait of our own and
    adds up to as much to one that was asked for, so that clients which failed together do not come back together and
    none comes too early. `chance` gives numbers from 0 to 1, `now` the time in milliseconds since 1970.
    """

    jitter: float = JITTER
    chance: Callable[[], float] = field(default=random.random)
    now: Callable[[], float] = field(default=lambda: time.time() * 1000)

    def delay_ms(self, attempt: int, settings: RetrySettings, failure: str) -> float:
        """Return the wait before attempt `attempt` (from 1) in milliseconds, whole and never negative."""
        cap = settings.provider.max_retry_delay_ms
        asked = requested_ms(failure, self.now)
        share = self.jitter * self.chance()
        if asked is not None:
            return max(0, round(min(cap, asked * (1 + share))))
        # An attempt number may be large enough for its power to be no float.
        own = settings.base_delay_ms * 2.0 ** min(attempt - 1, 64)
        return max(0, round(min(cap, own) * (1 - share)))


def requested_ms(failure: str, now: Callable[[], float]) -> float | None:
    """Return the wait that a provider's message asks for in milliseconds, None if it asks for none.

    A header (seconds, milliseconds or a date), ``retryDelay`` and phrases such as "try again in 1m30s" are read; a
    moment that has passed is 0.
    """
    if date := _DATE.search(failure):
        try:
            return max(0.0, parsedate_to_datetime(date[1]).timestamp() * 1000 - now())
        except ValueError:
            return None
    match = _ASKS.search(failure)
    if match is None:
        return None
    default = "ms" if match["ms"] else "s"
    return sum(float(number) * _UNITS[_unit(word, default)] for number, word in _PART.findall(match["value"]))


def _unit(word: str, default: str) -> str:
    name = word.lower()
    return name if name in _UNITS else _NAMED.get(name.rstrip("s"), default)
