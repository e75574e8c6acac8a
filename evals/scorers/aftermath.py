"""Read what later clauses do to a name: take it back, or take it up again."""

from __future__ import annotations

import re

from backslide.evals.scorers import words_en as en
from backslide.evals.scorers import words_zh as zh
from backslide.evals.scorers.reading import CJK, Reading
from backslide.evals.scorers.sentences import Clause


def taken_back(sentence: Reading, first: int = 0) -> bool:
    """Return whether a sentence, from its clause `first` on, withdraws what was named just before."""
    text = sentence.masked[sentence.parts[first].start :] if first < len(sentence.parts) else ""
    return bool(en.WITHDRAWN.search(text) or (CJK.search(text) and zh.WITHDRAWN.search(text)))


def taken_up_again(sentence: Reading, clause: Clause) -> bool:
    """Return whether a clause without the name makes an exception for it, or assents after a contrast."""
    text = sentence.masked[clause.start : clause.end]
    if re.search(r"\b(?:not|never|no)\b|n't\b", re.sub(r"does(?:n't| not) apply here", "", text)):
        return False
    english = en.ASSENT.search(text) and (clause.link == "contrast" or en.EXCEPTION.search(sentence.masked))
    if english or re.search(r"\bdrop that restriction\b", text):
        return True
    return bool(
        CJK.search(text)
        and not zh.NEGATOR.search(text)
        and zh.ASSENT.search(text)
        and (clause.link == "contrast" or zh.EXCEPTION.search(sentence.masked))
    )
