"""How a simulated summarizer shortens sentences."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.harness.models.condense import condense


def weighty(clause: str) -> bool:
    return "no " in clause or any(sign.isdigit() for sign in clause) or "不" in clause


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("OK, so please keep the parser single-threaded.", "Keep the parser single-threaded."),
        ("Use the adapter (the one from before) for totals.", "Use the adapter for totals."),
        ("Use the adapter (41 ms at p99) for totals.", "Use the adapter (41 ms at p99) for totals."),
        ("好的，麻烦把锁去掉。", "把锁去掉。"),
        ("OK.", "OK."),
    ],
)
def test_openers_politeness_and_empty_asides_go(text: str, short: str) -> None:
    """What carries nothing is left out; an aside with a figure stays, and nothing becomes empty."""
    assert condense(text, weighty) == short


def test_a_long_sentence_keeps_its_first_and_its_weighty_clauses() -> None:
    """The clause with the decision survives, the one without any weight does not."""
    text = (
        "The soak test ran on the old box again, which was rather noisy that day and took a while; "
        "no global lock around the table; somebody should tidy the folder at some point"
    )

    short = condense(text, weighty)

    assert "no global lock around the table" in short
    assert "tidy the folder" not in short


@settings(deadline=None, max_examples=100)
@given(st.text(alphabet=st.sampled_from("abcNo 好不，,;()（）.37—"), max_size=300))
def test_words_are_left_out_and_never_changed(text: str) -> None:
    """Whatever the text, its letters and figures stay in their order: some are missing, none is new."""
    short = condense(text, weighty)

    remaining = iter(_letters(text))
    assert all(sign in remaining for sign in _letters(short))


def _letters(text: str) -> list[str]:
    return [sign for sign in text.casefold() if sign.isalnum()]
