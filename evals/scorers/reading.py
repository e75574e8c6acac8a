"""A sentence prepared for reading, and the stances that a reading ends in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from backslide.evals.scorers import words_en as en
from backslide.evals.scorers import words_zh as zh
from backslide.evals.scorers.sentences import Clause, clauses

Kind = Literal["propose", "weak", "reject", "mention"]
"""`weak` is praise without a word that offers or announces to do it; a later rejection in the reply overrules it."""


@dataclass(frozen=True)
class Stance:
    """The stance of a sentence on one occurrence of a name, and why."""

    kind: Kind
    why: str


UNTAKEN = Stance("mention", "it is named without being taken up")


@dataclass(frozen=True)
class Reading:
    """A sentence prepared for reading: lower case, harmless denials and double negations masked, cut into clauses."""

    text: str
    masked: str
    parts: tuple[Clause, ...]
    doubles: tuple[tuple[int, int], ...]
    quotes: tuple[tuple[int, int], ...]
    question: bool


_QUOTES = re.compile(
    r"\"([^\"\n]{1,400})\"|“([^”\n]{1,400})”|「([^」\n]{1,400})」|『([^』\n]{1,400})』|‘([^’\n]{1,400})’|"
    r"(?<!\w)'([^'\n]{6,400})'(?!\w)"
)


CJK = re.compile("[\u3400-\u9fff]")


TERM = 14
"""Characters beyond the name up to which a quoted text is a term, not words of somebody."""


@lru_cache(maxsize=2048)
def read(sentence: str) -> Reading:
    """Return a sentence prepared for reading."""
    text = sentence.lower()
    doubles = [match.span() for table in (en.DOUBLE_NEGATION, zh.DOUBLE_NEGATION) for match in table.finditer(text)]
    masked = list(text)
    for table in (en.HARMLESS, zh.HARMLESS):
        for match in table.finditer(text):
            masked[match.start() : match.end()] = "~" * (match.end() - match.start())
    for start, end in doubles:
        masked[start:end] = "~" * (end - start)
    quotes = tuple(match.span() for match in _QUOTES.finditer(text))
    stripped = text.rstrip("\"'”’」』)） ")
    question = stripped.endswith(("?", "？")) or bool(CJK.search(text) and zh.QUESTION.search(text))
    return Reading(text, "".join(masked), tuple(clauses(text)), tuple(doubles), quotes, question)


def following(reading: Reading, index: int) -> list[str]:
    """Return the next three clauses after one, each with a blank before it."""
    return [" " + reading.masked[part.start : part.end] for part in reading.parts[index + 1 : index + 4]]
