"""Stable chance: the same words and seed always fall the same way, in every process and Python version."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b


def share(*parts: str | bytes | int) -> float:
    """Return a number in [0, 1) that depends on `parts` only."""
    return number(*parts) / 2**64


def overlooker(body: bytes, seed: int, noise: float) -> Callable[[str], bool]:
    """Return a test that overlooks a share `noise` of texts; which ones depends on the body and the seed."""
    if not noise:
        return lambda _text: False
    key = blake2b(body, digest_size=16).digest()
    return lambda text: share("overlook", seed, key, text) < noise


def number(*parts: str | bytes | int) -> int:
    """Return a 64-bit number that depends on `parts` only."""
    digest = blake2b(digest_size=8)
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return int.from_bytes(digest.digest(), "big")
