from __future__ import annotations

import pytest

from backslide.reports.numbers import count, fraction, percent, plural, share, signed


@pytest.mark.parametrize(
    ("events", "of", "text"),
    [(3, 12, "3/12 (25 %)"), (0, 12, "0/12 (0 %)"), (12, 12, "12/12 (100 %)"), (0, 0, "–"), (1, 1000, "1/1000 (<1 %)")],
)
def test_a_share_carries_its_counts(events: int, of: int, text: str) -> None:
    """A percentage alone hides how little was counted; nothing counted is a dash, not a zero."""
    assert share(events, of).replace("\N{NO-BREAK SPACE}", " ") == text


def test_almost_none_and_almost_all_are_not_rounded_to_certainty() -> None:
    """One in a thousand is not zero percent."""
    assert percent(0.001).startswith("<1")
    assert percent(0.999).startswith(">99")


def test_counts_differences_and_nouns() -> None:
    """Thousands are separated, differences carry their sign, nouns their plural."""
    assert count(1234567) == "1,234,567"
    assert count(None) == fraction(0, 0) == signed(None) == "–"
    assert signed(-1200.0) == "-1,200"
    assert signed(0.25, rate=True) == "+25 points"
    assert signed(0.0, rate=True) == "0 points"
    assert (plural(1, "variant"), plural(2, "variant")) == ("1 variant", "2 variants")
