"""What makes two drives of the same unit equal: its clock, its ids, the names of its files."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable


class SteppingClock:
    """A clock that moves one second at each reading; `now` is its time in milliseconds since 1970."""

    def __init__(self, start_ms: int) -> None:
        self.now = start_ms

    def read(self) -> int:
        """Move on and return milliseconds since 1970."""
        self.now += 1_000
        return self.now


def seeded_ids(seed: str) -> Callable[[], str]:
    """Return a source of entry ids (8 hex digits) that is the same for the same seed."""
    source = random.Random(seed)
    return lambda: f"{source.getrandbits(32):08x}"


def file_name(name: str) -> str:
    """Return a variant's name as it may stand in a file name and a session id.

    Letters, digits and inner ``. _ -`` stay; a name with anything else is told from its like by a hash.
    """
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("._-")
    if name and plain == name:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain}-{digest}" if plain else digest
