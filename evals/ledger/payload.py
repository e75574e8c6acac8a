"""The risk of a payload: does it read as a transcript, and does it break off at an action? Labels need not be known."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

_OPENING = re.compile(
    r"(?m)(?:\A|(?<=\n\n))[ \t]*(?P<label>[\[【<«⟦{(#*|=~▶●◆@-]{1,4}[^\n\]】>»⟧})]{1,60}[\]】>»⟧})"
    r"|*=~:]{1,4}[:：>|]?|[^\W\d_][\w ]{0,28}[:：»>|])(?=\s|$)"
)
_WORD = re.compile(r"\w+")
_INNER = re.compile(r"\([^()]*\)")
_CALL = re.compile(r"(?:^|\s)[A-Za-z_][\w.]*\((?:[^()]|\([^()]*\))*\)\s*\Z")
_ASKS = re.compile(r"\b(?:reply|answer|respond|give|tell|state|advise)\b|回复|回答|给出|说明", re.IGNORECASE)
_SHORT = 400
"""Characters of a closing request."""
FEWEST = 3


@dataclass(frozen=True)
class PayloadRisk:
    """What a payload invites to.

    `pending`: it ends on a call without an outcome, apart from a closing request. `instruction`: it ends on a request
    for a reply. `transcript_share`: characters in blocks that open with labels of one recurring shape, over all.
    """

    pending: bool
    instruction: bool
    transcript_share: float

    @property
    def risky(self) -> bool:
        """Return whether a model may take the payload for something to be continued."""
        return self.pending or self.transcript_share > 0.5


def payload_risk(text: str) -> PayloadRisk:
    """Return the risk of the last message of a payload, read without any list of labels."""
    places = [(match.start("label"), match["label"]) for match in _OPENING.finditer(text)]
    shapes = Counter(_shape(label) for _, label in places)
    # A transcript has labels of one shape, more than one of them, and they come back; headings of a document do not.
    recurring = {
        shape
        for shape, count in shapes.items()
        if count >= FEWEST and _comes_back([label for _, label in places if _shape(label) == shape])
    }
    starts = [start for start, label in places if _shape(label) in recurring]
    body, _, closing = text.rstrip().rpartition("\n\n")
    short = len(closing) <= _SHORT
    end = len(body) if short else len(text)
    covered = max(0, end - starts[0]) if starts else 0
    pending = bool(starts) and bool(_CALL.search(body if short else text))
    return PayloadRisk(pending, bool(short and _ASKS.search(closing)), covered / max(1, len(text)))


def _shape(label: str) -> str:
    return _WORD.sub("w", _INNER.sub("", label)).replace(" ", "")


def _comes_back(labels: list[str]) -> bool:
    counts = Counter(_INNER.sub("()", label) for label in labels)
    return len(counts) >= 2 and max(counts.values()) >= 2
