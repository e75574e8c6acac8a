"""Hashes of code."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from backslide.evals.versions import _add, harness_hash, scorer_hash


def hash_of(folder: Path) -> str:
    digest = hashlib.sha256()
    _add(folder, "", digest)
    return digest.hexdigest()


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.py").write_text("x = 1\ny = 2\n")
    (tmp_path / "sub" / "prompt.md").write_text("Summarize.\n")
    (tmp_path / "ranks.gz").write_bytes(b"\x1f\r\n\x00")
    return tmp_path


def test_hashes_are_short_and_stable() -> None:
    """Sixteen digits, the same at every call, one for each package."""
    assert harness_hash() == harness_hash()
    assert harness_hash() != scorer_hash()
    assert len(harness_hash()) == len(scorer_hash()) == 16


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "a.py").write_text("x = 1\ny = 3\n"),
        lambda root: (root / "sub" / "prompt.md").write_text("Summarize well.\n"),
        lambda root: (root / "ranks.gz").write_bytes(b"\x1f\n\x00"),
        lambda root: (root / "a.py").rename(root / "b.py"),
        lambda root: (root / "sub" / "new.py").write_text(""),
        lambda root: (root / "sub").rename(root / "tub"),
    ],
    ids=["code", "prompt", "ranks", "name", "new file", "folder"],
)
def test_what_changes_a_result_changes_the_hash(change: Callable[[Path], object], package: Path) -> None:
    """Contents and names of code, prompts and ranks."""
    before = hash_of(package)
    change(package)

    assert hash_of(package) != before


def test_what_changes_no_result_does_not(package: Path) -> None:
    """Compiled files, other files, line ends of text."""
    before = hash_of(package)
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "a.py").write_text("compiled")
    (package / "py.typed").write_text("")
    (package / "a.py").write_bytes(b"x = 1\r\ny = 2\r\n")

    assert hash_of(package) == before
