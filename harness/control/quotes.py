"""Finds words that a summary puts into the user's mouth and that no user wrote.

Only what is marked as the user's own words can be checked: a line with the record's user label, or a quotation right
after "the user said" and the like. Such words are told, not refused and not changed: whether they are a loose rendering
or an invention cannot be told from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

SHORTEST = 12
"""Characters that a quotation needs to be looked for; shorter ones are found by chance."""
_OPEN, _CLOSE = '"“„«「『', '"”“»」』'
_LABELLED = re.compile(r"(?m)^\s*(?:[-*>]\s*)*\[User\]:\s*(.+)$")
_SAID = re.compile(
    r"(?:\buser(?:'s)?(?:\s+\w+){0,3}|用户\w{0,6})"
    rf"\s*[:,：，]?\s*[{_OPEN}]([^{_OPEN}{_CLOSE}\n]+)[{_CLOSE}]",
    re.IGNORECASE,
)
_NOISE = re.compile(r"[^\w]+")


def attributed_words(summary: str) -> list[str]:
    """Return what a summary gives as the user's own words, in the order in which it stands."""
    found = [(match.start(), match[1]) for pattern in (_LABELLED, _SAID) for match in pattern.finditer(summary)]
    return [words.strip() for _, words in sorted(found)]


def unverified_quotes(summary: str, spoken: Iterable[str]) -> tuple[str, ...]:
    """Return the attributed words that stand in none of `spoken`, the texts that users wrote.

    Case, space and punctuation make no difference; an ellipsis may leave something out.
    """
    quotes = [words for words in attributed_words(summary) if len(words) >= SHORTEST]
    if not quotes:
        return ()
    said = [_plain(text) for text in spoken]
    return tuple(words for words in quotes if not any(_holds(text, words) for text in said))


def _holds(text: str, words: str) -> bool:
    at = 0
    for part in re.split(r"…|\.\.\.|\[…\]", words):
        plain = _plain(part)
        found = text.find(plain, at)
        if found < 0:
            return False
        at = found + len(plain)
    return True


def _plain(text: str) -> str:
    return _NOISE.sub(" ", text).strip().casefold()
