from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.evals.scorers.mapped import whole
from backslide.evals.scorers.normalise import normalise


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("Сеlеry", "Celery"),
        ("Ｃｅｌｅｒｙ", "Celery"),
        ("Cel\u200bery", "Celery"),
        ("**task** `queue`", "task queue"),
        ("__task__ *queue*", "task queue"),
        ("“no” don’t", '"no" don\'t'),
        ("snake_case_name", "snake_case_name"),
        ("任务队列，不要", "任务队列，不要"),
    ],
)
def test_what_hides_a_name_is_undone(raw: str, plain: str) -> None:
    """Look-alikes, wide forms, invisible characters and emphasis go; identifiers and Chinese punctuation stay."""
    assert normalise(raw, markup=True).text == plain


def test_a_found_name_leads_back_to_its_place_in_the_original() -> None:
    """The span of a name covers the characters that hid it."""
    raw = "We take **Cel\u200be**rу now."
    plain = normalise(raw, markup=True)
    at = plain.text.index("Celery")

    start, end = plain.span(at, at + len("Celery"))

    assert raw[start:end] == "Cel\u200be**rу"


@settings(deadline=None, max_examples=150)
@given(st.text(max_size=200), st.booleans())
def test_every_plain_character_comes_from_an_ascending_place(raw: str, markup: bool) -> None:
    """Offsets of any text stay inside it and never go backwards."""
    plain = normalise(raw, markup=markup)
    places = [plain.at(index) for index in range(len(plain.text))]

    assert places == sorted(places)
    assert all(0 <= place < len(raw) for place in places)


def test_a_text_derived_twice_still_leads_back() -> None:
    """A cut of a normalised text knows the first original."""
    raw = "xx **Celery** yy"
    plain = normalise(whole(raw).cut(3, 13), markup=True)

    start, end = plain.span(0, len("Celery"))

    assert (plain.text, raw[start:end]) == ("Celery", "Celery")
