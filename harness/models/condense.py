"""How a simulated summarizer shortens a sentence, as whoever writes hand-overs does.

Openers ("OK, so"), politeness and hedges go, asides in brackets go unless they hold a figure, and of a long sentence
only the clauses that carry a decision, a reason or a figure stay, with the first one. Words are left out, not changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

LONG = 110
"""Characters from which on a sentence loses clauses."""
LONG_CHINESE = 44

_OPENERS = re.compile(
    r"^(?:(?:ok(?:ay)?|so|right|well|fine|yes|yeah|sure|agreed|good|great|thanks|hm+|alright|now|and|but|also|then)\b[,.:;!]?\s+)+"
    r"|^(?:(?:好的?|嗯|行|那么?|所以|对|另外|然后)[，,。]\s*)+",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"\b(?:please|kindly|i think|i guess|i suppose|to be honest|frankly|really|actually|basically|simply|just"
    r"|of course|by the way|as you know|obviously)\b,?\s*|麻烦|其实|说实话|我觉得|我想",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\s*[(（][^()（）\d]{1,120}[)）]")
_CLAUSES = re.compile(r"\s*(?:;|；|，|\s[—–]\s|,\s+(?=(?:and|but|so|which|because|since|while|as)\b))\s*")


@lru_cache(maxsize=16384)
def condense(text: str, weighty: Callable[[str], bool]) -> str:
    """Return `text` without what a hand-over leaves out; `weighty` tells which clauses a long sentence keeps."""
    short = _OPENERS.sub("", text)
    short = _ASIDE.sub("", _POLITE.sub("", short)).strip()
    if not short:
        return text
    chinese = sum("一" <= sign <= "鿿" for sign in short) > len(short) // 3
    if len(short) > (LONG_CHINESE if chinese else LONG):
        clauses = [clause for clause in _CLAUSES.split(short) if clause]
        kept = [clause for at, clause in enumerate(clauses) if at == 0 or weighty(clause)]
        short = ("，" if chinese else ", ").join(kept)
    return short[:1].upper() + short[1:] if text[:1].isupper() else short
