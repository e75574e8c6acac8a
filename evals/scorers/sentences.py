"""Cut normalised prose into sentences and clauses, English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Link = Literal["start", "contrast", "comma", "colon", "dash", "paren", "semicolon"]

LONGEST = 900
"""Characters of the longest sentence; a longer run is cut at a blank, so that the reading stays linear."""

_END = re.compile(
    r"""(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)(?<!\bcf)(?<!\bno)(?<!\b\d)[.!?…]+["')\]]*(?=\s|$)|(?<=\d)\.(?=\s+[A-Z\u3400-\u9fff])|[。！？]+[”」』"')）]*|\n\s*\n|\n(?=\s*[\w"'(]*[\u3400-\u9fff])"""
)
_CONTRAST = (
    r"but|however|yet|though|although|nevertheless|nonetheless|still,|that said|except|only that|"
    r"on the other hand|then again"
)
_STARTERS = (
    r"(?:and\s+|so\s+|then\s+|or\s+)?(?:i(?:'d|'ll|'ve|'m)?|we(?:'d|'ll|'ve|'re)?|you(?:'d|'ll|'ve|"
    r"'re)?|it(?:'s|'ll|'d)?|this|that(?:'s)?|they(?:'re|'d|'ll)?|there(?:'s)?|let's|just|which|"
    r"because|since|as|if|unless|"
    r"while|when|where|whereas|instead|hence|therefore|thus|so|then|please|happy|no\s+\w+|not\s+\w+|"
    r"the\s+\w+(?:\s+\w+)?\s+(?:is|are|was|were|stays?|goes|keeps?|would|will|has|now)|use|uses|add|"
    r"put|go|take|try|keep|make|declare|hold|store|wrap|start|call|send|write|read|swap|replace|"
    r"switch|import|install|"
    r"initiali[sz]ed|holding|using|given|based)\b"
)
_BREAK = re.compile(
    rf"(?P<contrast>[,;.]?\s+(?:{_CONTRAST})\b,?\s*|[，；,;]?\s*(?:但是?|不过|可是|然而|只是|只有|却(?=[^\u3000-\u303f])|反而)\s*[，,]?)"
    rf"|(?P<semicolon>[;；]\s*)|(?P<dash>\s+-{{1,2}}\s+|\s*—+\s*|\s*->\s*|\s*→\s*)|"
    rf"(?P<paren>\s*[()（）]\s*)|(?P<colon>(?<![\w/]:)[:：](?=\s|$|[\u3400-\u9fff]))|"
    rf"(?P<comma>,\s+(?={_STARTERS})|\s+(?=(?:so|because|since|whereas|unless)\s+(?:i|we|you|the|it|"
    rf"this|that|they|let's|there|a|no|here|you'd|i'd|we'd)\b)|，\s*|,(?=\s*[\u3400-\u9fff]))",
    re.IGNORECASE,
)


_OPENING = re.compile(
    r"^\W*(?:(?:and|but|so|then)\s+)?(?:if|when|whenever|once|since|because|although|though|while|as|"
    r"unless|given|after|before|until|with|without|instead of|rather than|in order|"
    r"to)\b[^,;:.?!()]{3,160}(?P<comma>,\s+)",
    re.IGNORECASE,
)
_LINKS: dict[str, Link] = {
    "contrast": "contrast",
    "semicolon": "semicolon",
    "dash": "dash",
    "colon": "colon",
    "comma": "comma",
}


@dataclass(frozen=True)
class Clause:
    """A clause of a sentence: its span in the sentence, and how it is linked to the one before it."""

    start: int
    end: int
    link: Link


@dataclass(frozen=True)
class Sentence:
    """A sentence: its text and its offset in the block's text."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """Return the offset after its last character."""
        return self.start + len(self.text)


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a text in order, without the blanks between them."""
    out: list[Sentence] = []
    position = 0
    for match in _END.finditer(text):
        _add(out, text, position, match.end())
        position = match.end()
    _add(out, text, position, len(text))
    return out


def _add(out: list[Sentence], text: str, start: int, end: int) -> None:
    while start < end:
        stop = end
        if end - start > LONGEST:
            blank = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
            stop = blank + 1 if blank > 0 else start + LONGEST
        piece = text[start:stop]
        stripped = piece.strip()
        if stripped:
            first = start + len(piece) - len(piece.lstrip())
            out.append(Sentence(stripped, first))
        start = stop


def clauses(sentence: str) -> list[Clause]:
    """Return the clauses of a sentence; the text of the links between them belongs to none."""
    out: list[Clause] = []
    position = 0
    link: Link = "start"
    depth = 0
    opening = _OPENING.match(sentence)
    for match in _with_opening(sentence, opening):
        kind = match.lastgroup or "comma"
        start, end = match.span(kind)
        if start < position:
            continue
        if sentence[position:start].strip():
            out.append(Clause(position, start, link))
        elif kind == "comma":
            continue
        position = end
        if kind == "paren":
            depth += 1 if re.search("[(（]", match.group()) else -1
            link = "paren" if depth > 0 else "comma"
        else:
            link = _LINKS[kind]
    if sentence[position:].strip() or not out:
        out.append(Clause(position, len(sentence), link))
    return out


def _with_opening(sentence: str, opening: re.Match[str] | None) -> Iterator[re.Match[str]]:
    """Yield the breaks of a sentence; the comma that ends an opening subordinate clause is one."""
    waiting = opening
    for match in _BREAK.finditer(sentence):
        if waiting and match.start() >= waiting.start("comma"):
            if match.start() > waiting.start("comma") and not re.search(
                r"[()（）]", sentence[: waiting.start("comma")]
            ):
                yield waiting
            waiting = None
        yield match
    if waiting:
        yield waiting


def clause_at(parts: list[Clause], offset: int) -> int:
    """Return the index of the clause that holds an offset, or of the one before it."""
    found = 0
    for index, clause in enumerate(parts):
        if clause.start <= offset:
            found = index
    return found
