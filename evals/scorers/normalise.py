"""Undo what hides a name from a reader of characters: look-alikes, invisible characters, emphasis marks, wide forms."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from backslide.evals.scorers.mapped import Mapped, replaced, whole

_LOOK_ALIKES = dict(
    zip(
        "АВЕЅІЈКМНОРСТУХаеорсухіјѕһԁԛԝгпӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧανικορτυχɑɡıΙ",
        "ABESIJKMHOPCTYXaeopcyxijshdqwrnlABEZHIKMNOPTYXavikoptuxagiI",
        strict=True,
    )
)
"""Letters of other alphabets that look like Latin ones (Unicode's confusables, the lower- and upper-case ones in
use).
"""

_PLAIN = str.maketrans(
    {
        **_LOOK_ALIKES,
        **dict.fromkeys("‘’‚‛′ʼ＇", "'"),
        **dict.fromkeys("“”„‟″＂", '"'),
        **dict.fromkeys("‐‑‒–−﹣－", "-"),
    }
)

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff]"
)
_SPECIAL = re.compile(
    "[^\x00-\x7f\u2014\u2026\u3000-\u303f\u3400-\u9fff\uac00-\ud7a3\uff08\uff09\uff0c\uff1a\uff1b\uff01\uff1f]"
)
"""Characters that may change; Chinese characters and punctuation stay, for they part sentences."""

_MARKUP = re.compile(
    r"\*{1,3}|`+|~~|__+|\\(?=[_*`#\[\]<>~.])|(?<![\w.])_(?=\w)|(?<=\w)_(?![\w.(])|</?(?:b|i|u|em|"
    r"strong|code|mark|ins|kbd|tt)>",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def _char(char: str) -> str | None:
    """Return what a special character becomes: a text, or None if it stays."""
    if _INVISIBLE.match(char):
        return ""
    mapped = char.translate(_PLAIN)
    if mapped != char:
        return mapped
    if char.isspace():
        return " "
    plain = unicodedata.normalize("NFKC", char)
    if plain == char and unicodedata.category(char) == "Mn":
        return ""
    return None if plain == char else plain


_SURROGATE = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """Return a text of the same length without lone surrogates, which no UTF-8 program takes."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def normalise(text: str | Mapped, *, markup: bool = False) -> Mapped:
    """Return a text in plain characters, mapped back to the offsets of `text`.

    Look-alike letters become Latin, full-width forms half-width (Chinese punctuation stays), curly quotes and
    dashes plain, and
    invisible characters vanish. With `markup`, Markdown emphasis, code marks and simple HTML emphasis vanish too.
    Letter case is kept.
    """
    source = text if isinstance(text, Mapped) else whole(text)
    found: list[tuple[int, int, str]] = []
    if not source.text.isascii():
        for match in _SPECIAL.finditer(source.text):
            plain = _char(match.group())
            if plain is not None:
                found.append((match.start(), match.end(), plain))
    if markup:
        found.extend((match.start(), match.end(), "") for match in _MARKUP.finditer(source.text))
    if not found:
        return source
    parts: list[tuple[int, int, str | None]] = []
    done = 0
    for start, end, plain in sorted(set(found)):
        if start < done:
            continue
        parts.append((done, start, None))
        parts.append((start, end, plain))
        done = end
    parts.append((done, len(source.text), None))
    return replaced(source, parts)
