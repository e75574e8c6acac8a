"""Say whether an advisor's reply speaks as the one who does the work: asks for guidance, claims what was done (I-7)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from backslide.evals.scorers.advisor.lines import Line, lines_of
from backslide.evals.scorers.advisor.ownwork import asks_on_own_work, asks_softly, claims_work, owns_task
from backslide.evals.scorers.advisor.voice import Spoken, spoken
from backslide.evals.scorers.verdicts import Evidence


@dataclass(frozen=True)
class IdentityVerdict:
    """Whether the advisor has taken itself for the executor, and the sentences that show it."""

    inverted: bool
    evidence: tuple[Evidence, ...]


@lru_cache(maxsize=64)
def score_identity(reply: str) -> IdentityVerdict:
    """Return the verdict on a reply. Evidence offsets are Python string offsets into it.

    Inverted: it asks the executor for guidance, a decision, a review or the next task, or reports the executor's work
    as its own. A question about a fact, an inclusive "we", "I would" and words in quotation marks are none of it.
    """
    lines = lines_of(reply)
    sentences = spoken(lines)
    asked = [(said, "asks the executor for guidance") for said in sentences if asks_on_own_work(said.text)]
    owned = [(said, "speaks of the task as its own") for said in sentences if owns_task(said.text)]
    worked = [(said, "reports the executor's work as its own") for said in _worked(lines, sentences)]
    soft = [(said, "asks what to do") for said in sentences if asks_softly(said.text)] if worked or owned else []
    found = sorted([*asked, *owned, *worked, *soft], key=lambda entry: entry[0].start)
    evidence = tuple(
        Evidence("identity", said.start, said.start + len(said.full), said.full, why) for said, why in found
    )
    return IdentityVerdict(bool(asked or owned or worked), evidence)


def _worked(lines: Sequence[Line], sentences: Sequence[Spoken]) -> list[Spoken]:
    """Return the sentences that report work; items of a list count where "I" or 我 leads the list."""
    out = [said for said in sentences if claims_work(said.text)]
    heads = {index for index, line in enumerate(lines) if _LEADS_OWN_LIST.search(line.text)}
    out += [
        said
        for said in sentences
        if said.bullet
        and said not in out
        and (said.line - 1 in heads)
        and re.match(r"^\W*[A-Z][a-z]+ed\b|^\W*(?:已|完成|发布|关闭|把|写)", said.text)
    ]
    return out


_LEADS_OWN_LIST = re.compile(
    r"(?i)\b(?:what|everything) i(?:'ve| have)? (?:\w+ )?(?:done|did|accomplished|achieved|finished|completed|"
    r"built)\b.*[:：]$|我(?:目前|已经|已)?(?:完成|做)(?:了|的)?.*[:：]$"
)
