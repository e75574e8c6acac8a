"""Random choices that give the same result on every platform and Python version."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A seeded source of choices.

    Only `random.Random.random()` is used: of the whole module it alone is promised to repeat its sequence in
    later Python versions, `choice`, `sample` and `shuffle` are not.
    """

    def __init__(self, *seed: str | int) -> None:
        digest = hashlib.sha256("\x1f".join(str(part) for part in seed).encode()).digest()
        self._random = random.Random(int.from_bytes(digest, "big"))

    def between(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[self.between(0, len(items) - 1)]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """Return up to `count` different items, in the order in which they were drawn."""
        rest = list(items)
        return [rest.pop(self.between(0, len(rest) - 1)) for _ in range(min(count, len(rest)))]

    def chance(self, share: float) -> bool:
        """Return True in that share of the cases."""
        return self._random.random() < share

    def hexadecimal(self, digits: int) -> str:
        """Return lower-case hexadecimal digits."""
        return "".join(self.pick("0123456789abcdef") for _ in range(digits))
