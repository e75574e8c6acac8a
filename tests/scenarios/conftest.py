"""A small valid scenario, and files that differ from it in one place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from backslide.scenarios import Scenario, load_scenario

SMALL = Path(__file__).parents[1] / "data" / "scenarios" / "small.yaml"


@pytest.fixture
def small() -> Scenario:
    """The small scenario, loaded."""
    return load_scenario(SMALL)


@pytest.fixture
def edited(tmp_path: Path) -> Callable[..., Path]:
    """Write the small scenario with parts of its text replaced; each part stands in it exactly once."""

    def write(*replacements: tuple[str, str], name: str = "small.yaml") -> Path:
        text = SMALL.read_text(encoding="utf-8")
        for old, new in replacements:
            assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
            text = text.replace(old, new)
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def first_line() -> Callable[[Path, str], int]:
    """Find the line, from 1, on which a text begins for the first time."""

    def find(path: Path, text: str) -> int:
        content = path.read_text(encoding="utf-8")
        assert text in content
        return content[: content.index(text)].count("\n") + 1

    return find
