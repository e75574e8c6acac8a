"""Measure what is delivered to an advisor, call after call: sent again, stacked, shrunk, piled up (I-7 to I-9).

Characters are Python string lengths, bytes those of UTF-8 unless the caller measured bodies. All functions are pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Overlap:
    """How much of an earlier delivery a later one repeats from its beginning: characters, and their share of it."""

    prefix: int
    earlier: int
    later: int

    @property
    def share(self) -> float:
        """Return the common prefix as a share of the earlier delivery, 0 if that was empty."""
        return self.prefix / self.earlier if self.earlier else 0.0

    @property
    def growth(self) -> int:
        """Return the characters by which the later delivery is longer."""
        return self.later - self.earlier


@dataclass(frozen=True)
class StateGrowth:
    """Sizes in bytes of the bookkeeping entries, in order of the calls."""

    sizes: tuple[int, ...]

    @property
    def largest(self) -> int:
        """Return the largest entry, 0 without any."""
        return max(self.sizes, default=0)

    @property
    def total(self) -> int:
        """Return the bytes of all entries together: with a list of ids it grows with the square of the calls."""
        return sum(self.sizes)

    @property
    def grows_every_call(self) -> bool:
        """Return whether every entry is larger than the one before; False for fewer than two."""
        return len(self.sizes) > 1 and all(later > earlier for earlier, later in pairwise(self.sizes))


def common_prefix(first: str, second: str) -> int:
    """Return the length in characters of the common beginning of two texts."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def resend_overlap(earlier: str, later: str) -> Overlap:
    """Return how much of a failed delivery the next one sends again (I-7, addendum)."""
    return Overlap(common_prefix(earlier, later), len(earlier), len(later))


def resend_overlaps(deliveries: Sequence[str]) -> list[Overlap]:
    """Return the overlap of each delivery with the one before it; give the failed ones and the one that ended them."""
    return [resend_overlap(earlier, later) for earlier, later in pairwise(deliveries)]


def stacking_factor(received_bytes: int, newest_full_bytes: int) -> float:
    """Return the bytes received over those of the newest full delivery (I-8): 1 is right, 2 is stacked twice.

    Raises `ValueError` if the newest delivery has no bytes.
    """
    if newest_full_bytes <= 0:
        raise ValueError("the newest full delivery has no bytes")
    return received_bytes / newest_full_bytes


def unexplained_share(received: int, deliveries: Sequence[int]) -> float:
    """Return the share of what the provider received that the given deliveries leave unexplained, in one unit (I-8)."""
    return abs(received - sum(deliveries)) / received if received else 0.0


def shrink(before: int, after: int) -> float:
    """Return the share by which a delivery shrinks: 0.85 is 85 % smaller, negative is larger. 0 if `before` is 0."""
    return 1 - after / before if before else 0.0


def brief_ratio(mirror_bytes: int, brief_bytes: int) -> float:
    """Return how many times smaller the brief is than the mirror (I-9). Raises `ValueError` for an empty brief."""
    if brief_bytes <= 0:
        raise ValueError("the brief has no bytes")
    return mirror_bytes / brief_bytes


def state_growth(entries: Sequence[str]) -> StateGrowth:
    """Return the growth of the bookkeeping entries that the calls stored, given as the text of their lines."""
    return StateGrowth(tuple(len(entry.encode("utf-8", "replace")) for entry in entries))
