from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.harness import jsjson

quick = settings(deadline=None, max_examples=200)
TEXTS = st.text(st.characters(codec=None), max_size=6) | st.sampled_from(
    ["\ud83d", "\ude00", "1", "01", "10", ".0,", "e-0"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1.0", "1"),
        ("-0", "0"),
        ("1e400", "null"),
        ("1e21", "1e+21"),
        ("123456789012345680000", "123456789012345680000"),
        ("9007199254740993", "9007199254740992"),
        ("0.000001", "0.000001"),
        ("1E-7", "1e-7"),
        ("5e-324", "5e-324"),
        ("1234567.25", "1234567.25"),
        ('"\\ud83d"', '"\\ud83d"'),
        ('"\\ud83d\\ude00"', '"😀"'),
        ('"\\u2028\\u007f\\u001f\\/"', '"\u2028\x7f\\u001f/"'),
        ('{"b":1,"10":2,"2":3,"01":4,"b":5}', '{"2":3,"10":2,"b":5,"01":4}'),
        (" [ ] ", "[]"),
    ],
)
def test_texts_are_parsed_and_written_as_javascript_does(text: str, written: str) -> None:
    """Numbers are doubles with JavaScript's text, integer-like keys come first, lone surrogates are escaped."""
    assert written == jsjson.stringify(jsjson.parse(text))


@pytest.mark.parametrize(
    "text", ["NaN", "[Infinity]", "-Infinity", "01", "1.", "'a'", '"\t"', "\ufeff1", "[1,]", "", "1 2"]
)
def test_what_json_parse_refuses_is_refused(text: str) -> None:
    """Python's json accepts some of these."""
    with pytest.raises(ValueError, match=r".+"):
        jsjson.parse(text)


def test_endless_nesting_is_an_error_and_not_a_crash() -> None:
    """Both directions raise ValueError."""
    with pytest.raises(ValueError, match="nested too deeply"):
        jsjson.parse("[" * 100_000)
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(ValueError, match="nested too deeply"):
        jsjson.stringify(loop)


@quick
@given(VALUES)
def test_writing_loses_nothing_but_what_javascript_loses(value: object) -> None:
    """What is written parses back to the same value, and writing that again gives the same text."""
    text = jsjson.stringify(value)
    again = jsjson.parse(text)

    assert text == jsjson.stringify(again)
    assert " " not in text or " " in json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert _plain(value) == again


def _plain(value: object) -> object:
    """The value as JSON can hold it: infinities are null, halves of a surrogate pair that meet are joined."""
    if isinstance(value, float) and math.isinf(value):
        return None
    if isinstance(value, str):
        return jsjson.join_surrogates(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {jsjson.join_surrogates(key): _plain(item) for key, item in value.items()}
    return value


@quick
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_number_texts_are_the_shortest_that_read_back(number: float) -> None:
    """And they never use Python's forms."""
    text = jsjson.number_text(number)

    assert number == float(text)
    assert not text.endswith(".0")
    assert "e-0" not in text


@quick
@given(TEXTS, st.integers(0, 8), st.integers(0, 8))
def test_lengths_and_slices_count_utf16_units(text: str, start: int, size: int) -> None:
    """As if the text were an array of code units."""
    units = text.encode("utf-16-le", "surrogatepass")

    assert len(units) // 2 == jsjson.utf16_length(text)
    part = jsjson.utf16_slice(text, start, start + size)
    assert units[2 * start : 2 * (start + size)] == part.encode("utf-16-le", "surrogatepass")


def test_texts_sort_by_code_units() -> None:
    """A surrogate pair sorts before the private use area, unlike in Python."""
    assert sorted(["\ue000", "😀", "a"], key=jsjson.utf16_key) == ["a", "😀", "\ue000"]


def test_trim_strips_javascripts_white_space() -> None:
    """A byte-order mark is white space there, an information separator is not."""
    assert jsjson.trim("\ufeff\xa0 \x1cx\x85\u2003\n") == "\x1cx\x85"


def test_lone_surrogates_are_removed_and_pairs_stay() -> None:
    """A pair may stand as two halves."""
    assert jsjson.remove_lone_surrogates("\ude00a\ud83d\ude00b\ud83d") == "a😀b"
