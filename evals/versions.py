"""Hashes of the code that a result depends on, so that results are compared only where that makes sense."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

INSTRUMENT = ("models", "payload")
"""The rooms of the harness that measure: the models that answer and the meter. The others are what is measured."""


@lru_cache(maxsize=1)
def harness_hash() -> str:
    """Return a hash over the measuring part of the harness: runs made with another one cannot be compared."""
    return _hash_of("backslide.harness", only=INSTRUMENT)


@lru_cache(maxsize=1)
def system_hash() -> str:
    """Return a hash over the measured part of the harness: session, compaction, control, prompts.

    Comparing runs of different systems is what the gate is for, so this one tells them apart and forbids nothing.
    """
    return _hash_of("backslide.harness", leave_out=INSTRUMENT)


@lru_cache(maxsize=1)
def scorer_hash() -> str:
    """Return a hash over the scorers' code. Their data stand in the scenario files, which have hashes of their own."""
    return _hash_of("backslide.evals.scorers")


def _hash_of(package: str, only: tuple[str, ...] = (), leave_out: tuple[str, ...] = ()) -> str:
    digest = hashlib.sha256()
    for item in sorted(files(package).iterdir(), key=lambda entry: entry.name):
        if (not only or item.name in only) and item.name not in leave_out:
            _add(item, item.name, digest)
    return digest.hexdigest()[:16]


def _add(item: Traversable, name: str, digest: hashlib._Hash) -> None:
    if item.is_dir():
        if item.name != "__pycache__":
            for inner in sorted(item.iterdir(), key=lambda entry: entry.name):
                _add(inner, f"{name}/{inner.name}", digest)
    elif item.name.endswith((".py", ".md", ".gz")):
        # Line endings differ between an installed copy and a checkout on some systems; the code does not.
        content = item.read_bytes()
        digest.update(f"{name}\0".encode())
        digest.update(content if name.endswith(".gz") else content.replace(b"\r\n", b"\n"))
