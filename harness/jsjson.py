"""JSON and strings as JavaScript sees them.

Session files are written by a JavaScript program and every size in them counts UTF-16 code units, so both
directions follow ECMA-262 (``JSON.parse``, ``JSON.stringify``, ``String.prototype.trim`` …) where Python's
``json`` and ``str`` differ:

- the tokens ``NaN`` and ``Infinity`` are refused; ``1e400`` becomes infinity and is written as ``null``;
- numbers are doubles: integers above 2**53 round, ``1.0`` is ``1``, ``1e-7`` keeps its short exponent;
- integer-like keys come first, in numeric order; a duplicate key keeps its first place and last value;
- lone surrogates survive parsing and are written as escapes.

`parse` returns integral numbers below 2**53 as `int`, all others as `float`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

_MAX_SAFE = 2**53
_WHITESPACE = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_INDEX_KEY = re.compile(r'"\d+":')
_CANONICAL_INDEX = re.compile(r"0|[1-9]\d{0,9}", re.ASCII)
_MAX_INDEX = 2**32 - 2
# Where Python's number text can differ from JavaScript's: an integral float, a padded or a smallish exponent.
_FLOAT_DOUBT = (".0,", ".0}", ".0]", "e-0", "e+1", "e+2")
_TOO_DEEP = "nested too deeply"


def _refuse_constant(token: str) -> Any:
    raise ValueError(f"{token} is not JSON")


def _double(text: str) -> int | float:
    """Return the double that JavaScript reads from `text`, integral ones below 2**53 as `int`."""
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < _MAX_SAFE else number


def _integer(text: str) -> int | float:
    return int(text) if len(text) < 16 else _double(text)


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_integer, parse_float=_double)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False).encode
_STRING = json.encoder.encode_basestring


def parse(text: str) -> Any:
    """Parse one JSON text by the rules of ``JSON.parse``.

    Raises `ValueError` if the text is not JSON or is nested deeper than Python's recursion limit.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError(_TOO_DEEP) from error


def stringify(value: Any) -> str:
    """Write `value` by the rules of ``JSON.stringify``: no spaces, JavaScript's key order and numbers.

    Values are what `parse` returns (dict, list, str, int, float, bool, None); non-finite numbers become
    ``null``. Raises `TypeError` for anything else and `ValueError` if nested too deeply.
    """
    try:
        text = _fast(value)
        return _slow(value) if text is None else text
    except RecursionError as error:
        raise ValueError(_TOO_DEEP) from error


def _fast(value: Any) -> str | None:
    """Return what the C encoder writes, or None where JavaScript might write something else."""
    if value.__class__ is float:
        return number_text(value)
    try:
        text = _ENCODER(value)
    except ValueError:  # a non-finite number
        return None
    if any(doubt in text for doubt in _FLOAT_DOUBT) or _INDEX_KEY.search(text):
        return None
    if not text.isascii() and _SURROGATE.search(text):
        return None
    return text


def _slow(value: Any) -> str:
    if isinstance(value, str):
        return _string_text(value)
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_string_text(k)}:{_slow(v)}" for k, v in ordered_items(value)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_slow, value)) + "]"
    raise TypeError(f"cannot write {type(value).__name__} as JSON")


def _string_text(text: str) -> str:
    if not text.isascii() and _SURROGATE.search(text):
        return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", _STRING(join_surrogates(text)))
    return _STRING(text)


def number_text(number: float) -> str:
    """Return the text of a number as JavaScript writes it in JSON (``null`` if it is not finite)."""
    number = float(number)
    if not math.isfinite(number):
        return "null"
    if number == 0:
        return "0"
    _, digit_tuple, exponent = Decimal(repr(number)).normalize().as_tuple()
    digits = "".join(map(str, digit_tuple))
    sign = "-" if number < 0 else ""
    point = len(digits) + int(exponent)
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{sign}{mantissa}e{point - 1:+d}"


def ordered_items(mapping: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the items in the order of ``Object.entries``: integer-like keys by value, then the others."""
    items = list(mapping.items())
    indices = [item for item in items if is_index(item[0])]
    if not indices:
        return items
    indices.sort(key=lambda item: int(item[0]))
    return indices + [item for item in items if not is_index(item[0])]


def is_index(key: str) -> bool:
    """Tell whether a key is an array index (``"0"`` … ``"4294967294"``) and so sorts by its value."""
    return _CANONICAL_INDEX.fullmatch(key) is not None and int(key) <= _MAX_INDEX


def join_surrogates(text: str) -> str:
    """Return `text` with surrogate halves that stand next to each other joined, as JavaScript compares it."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def remove_lone_surrogates(text: str) -> str:
    """Return `text` without the surrogates that are not part of a pair."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return _SURROGATE.sub("", join_surrogates(text))


def utf16_length(text: str) -> int:
    """Return the length of `text` in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_slice(text: str, start: int, end: int | None = None) -> str:
    """Return the code units from `start` to `end`; a pair cut in two leaves a lone surrogate."""
    if text.isascii():
        return text[start:end]
    units = text.encode("utf-16-le", "surrogatepass")
    return units[2 * start : None if end is None else 2 * end].decode("utf-16-le", "surrogatepass")


def utf16_key(text: str) -> bytes:
    """Return a key that sorts strings by UTF-16 code units, as ``Array.prototype.sort`` does."""
    return text.encode("utf-16-be", "surrogatepass")


def trim(text: str) -> str:
    """Strip the white space that ``String.prototype.trim`` strips."""
    return text.strip(_WHITESPACE)
