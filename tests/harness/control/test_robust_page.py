"""The page that lists the differences of the robust profile."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from backslide.harness.control.events import CompactionFailure
from backslide.harness.control.refusal import SummaryFault

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "harness" / "control" / "PROFILES.md").read_text(encoding="utf-8")


def test_every_test_that_is_named_exists() -> None:
    """What the page says is measured is measured."""
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    defined = {
        name
        for file in (ROOT / "tests" / "harness").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }

    assert len(named) > 25
    assert named - defined == set()
    assert all((ROOT / path).exists() for path in re.findall(r"`(tests/[\w/]+\.py)`", PAGE))


def test_every_failure_of_its_own_is_named() -> None:
    """Those of summaries, and the one of rows."""
    faults, failures = get_args(SummaryFault), get_args(CompactionFailure)

    assert all(f"`{name}`" in PAGE for name in faults)
    assert "no-progress" in str(failures)
    assert "`no-progress`" in PAGE
