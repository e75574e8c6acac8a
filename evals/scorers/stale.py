"""A lifted rule that a payload or summary still states as valid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backslide.evals.scorers.presence import TOOL_ORIGINS, PayloadText, recall_key, scan
from backslide.evals.scorers.verdicts import Evidence
from backslide.scenarios.model import Constraint


@dataclass(frozen=True)
class StaleVerdict:
    """Whether a lifted rule is stated as valid, with the statement that does; offsets refer to the text at
    `text_index`.
    """

    stale: bool
    evidence: tuple[Evidence, ...] = ()
    text_index: int | None = None


def stale(constraint: Constraint, texts: Sequence[PayloadText]) -> StaleVerdict:
    """Return whether the texts, read in order, end on a ban: stated, and not lifted by a later statement.

    Ask it for constraints that have been lifted; for one in force the answer says nothing.
    """
    key = recall_key(constraint)
    verdict = StaleVerdict(False)
    for index, text in enumerate(texts):
        for event in scan(key, text.text, text.origin in TOOL_ORIGINS, text.where == "summary").events:
            if event.kind in {"verbatim", "ban"}:
                proof = Evidence("stale", event.start, event.end, text.text[event.start : event.end], event.why)
                verdict = StaleVerdict(True, (proof,), index)
            elif event.kind == "allow":
                verdict = StaleVerdict(False)
    return verdict
