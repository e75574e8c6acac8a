"""Hashes of the code that a result depends on, so that results are compared only where that makes sense."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable


@lru_cache(maxsize=1)
def harness_hash() -> str:
    """Return a hash over the harness: its code, its prompts, its token ranks."""
    return _hash_of("backslide.harness")


@lru_cache(maxsize=1)
def scorer_hash() -> str:
    """Return a hash over the scorers' code. Their data stand in the scenario files, which have hashes of their own."""
    return _hash_of("backslide.evals.scorers")


def _hash_of(package: str) -> str:
    digest = hashlib.sha256()
    _add(files(package), "", digest)
    return digest.hexdigest()[:16]


def _add(folder: Traversable, prefix: str, digest: hashlib._Hash) -> None:
    for item in sorted(folder.iterdir(), key=lambda entry: entry.name):
        name = f"{prefix}{item.name}"
        if item.is_dir():
            if item.name != "__pycache__":
                _add(item, f"{name}/", digest)
        elif item.name.endswith((".py", ".md", ".gz")):
            # Line endings differ between an installed copy and a checkout on some systems; the code does not.
            content = item.read_bytes()
            digest.update(f"{name}\0".encode())
            digest.update(content if name.endswith(".gz") else content.replace(b"\r\n", b"\n"))
