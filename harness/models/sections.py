"""Fills the sections that a prompt asks for with sentences of the conversation, within a token budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from backslide.harness.models.activity import activities, report
from backslide.harness.models.candidates import Candidate, gather, rejects, score
from backslide.harness.models.instruction import Instruction, Purpose, Section, purposes_of_title
from backslide.harness.models.lifting import lifted_and_withdrawn
from backslide.harness.models.sumbasic import content_words
from backslide.harness.models.transcript import SummaryTask

SHARE: dict[Purpose, float] = {
    "rejected": 1.6,
    "decisions": 1.3,
    "state": 1.0,
    "lifted": 0.9,
    "quotes": 0.8,
    "generic": 0.8,
    "next": 0.7,
    "goal": 0.6,
}
"""A section's weight when the budget is divided: that of the purpose that weighs most in it."""
WORTH_A_LINE = 0.75
ACTIVITY = "state"
"""Title of the sentences that report what was changed and run: they tell a state and nothing else."""
EARLIER_BONUS = 1.5
"""What a bullet of the earlier summary gains in the section it stood in: it has been found worth keeping once."""
DISCOURAGED = 0.15
"""What is left of a rejection's value if the prompt asks not to list negatives."""


@dataclass
class _Filled:
    section: Section
    bullets: list[tuple[float, Candidate]] = field(default_factory=list)

    def lines(self, nothing: str) -> list[str]:
        if self.section.holds_sections:
            return [self.section.heading]
        ordered = sorted((candidate for _, candidate in self.bullets), key=lambda known: (known.place, known.turn))
        return [self.section.heading, *(f"- {candidate.text}" for candidate in ordered or ())] + (
            [] if ordered else [nothing]
        )


def write_sections(
    task: SummaryTask,
    instruction: Instruction,
    budget: int,
    count: Callable[[str], int],
    overlooked: Callable[[str], bool],
    chinese: bool,
) -> str:
    """Return the summary: the prompt's headings in its order, each with the bullets that serve it best.

    The budget is divided by the sections' weights, the heaviest section first; what one leaves goes to the next.
    A bullet that no longer fits its section's share is dropped. The text never exceeds `budget` tokens.
    """
    pool = [known for known in gather(task.segments, task.previous, joined=True) if not overlooked(known.text)]
    lifting, withdrawn = lifted_and_withdrawn(pool)
    pool = [known for at, known in enumerate(pool) if at not in withdrawn]
    asks_for_lifted = any("lifted" in section.purposes for section in instruction.sections)
    lifting_texts = frozenset(known.text for known in lifting)
    pool += _state_of_work(task, chinese)
    nothing = "- 无" if chinese else "- none"

    filled = [_Filled(section) for section in instruction.sections]
    fixed = sum(count(f"{known.section.heading}\n\n") for known in filled)
    left = budget - fixed
    used: list[frozenset[str]] = []
    waiting = sorted(
        (known for known in filled if not known.section.holds_sections),
        key=lambda known: -_weight(known.section),
    )
    for at, current in enumerate(waiting):
        total = sum(_weight(other.section) for other in waiting[at:])
        share = int(left * _weight(current.section) / total)
        ranked = [
            (value, known)
            for known in pool
            if (value := _value(known, current.section, instruction, task.last_turn)) >= WORTH_A_LINE
            and not (asks_for_lifted and known.text in lifting_texts and "lifted" not in current.section.purposes)
        ]
        ranked.sort(key=lambda pair: -pair[0])
        left -= _fill(current, ranked, share, count, used)
    return _fit(filled, budget, count, nothing)


def _fill(
    current: _Filled,
    ranked: Sequence[tuple[float, Candidate]],
    share: int,
    count: Callable[[str], int],
    used: list[frozenset[str]],
) -> int:
    spent = 0
    for value, known in ranked:
        if current.section.most is not None and len(current.bullets) >= current.section.most:
            break
        cost = count(f"- {known.text}\n")
        if spent + cost > share:
            continue
        words = _words(known.text)
        if len(words) < 2:
            continue
        enough = 0.85 * len(words)
        if any(len(words & other) >= enough for other in used):
            continue
        spent += cost
        used.append(words)
        current.bullets.append((value, known))
    return spent


@lru_cache(maxsize=16384)
def _words(text: str) -> frozenset[str]:
    return frozenset(content_words(text))


def _weight(section: Section) -> float:
    return max(SHARE[purpose] * weight for purpose, weight in section.purposes.items())


def _value(known: Candidate, section: Section, instruction: Instruction, last_turn: int) -> float:
    if known.title == ACTIVITY and "state" not in section.purposes:
        return 0.0
    value = 0.0
    for purpose, weight in section.purposes.items():
        found = weight * score(known, purpose, last_turn)
        value = max(value, found * DISCOURAGED if instruction.no_negatives and purpose == "rejected" else found)
    if known.speaker == "summary":
        own = purposes_of_title(known.title)
        if (known.title and known.title in section.heading) or own & section.purposes.keys():
            value = max(value, 1.0) + EARLIER_BONUS
        elif own:
            value *= 0.3
    if instruction.no_negatives and rejects(known.text) >= 1.0:
        value *= DISCOURAGED
    return value


def _state_of_work(task: SummaryTask, chinese: bool) -> list[Candidate]:
    """Return what was changed and run as sentences, newest last; reading and searching leave no state."""
    done = [known for known in activities(task.segments) if known.action == "changed" or known.outcome]
    by_turn: dict[int, list[str]] = {}
    for turn in sorted({known.turn for known in done}):
        by_turn[turn] = report([known for known in done if known.turn == turn], chinese)
    last = max(1, task.last_turn)
    return [
        Candidate(text, "assistant", turn, turn / last, ACTIVITY) for turn, texts in by_turn.items() for text in texts
    ]


def _fit(filled: list[_Filled], budget: int, count: Callable[[str], int], nothing: str) -> str:
    """Return the text, giving up the least valuable bullets, then the last headings, until it fits."""
    while True:
        text = "\n\n".join("\n".join(known.lines(nothing)) for known in filled)
        if count(text) <= budget or not filled:
            return text
        bullets = [(value, known, at) for known in filled for at, (value, _) in enumerate(known.bullets)]
        if bullets:
            _, owner, at = min(bullets, key=lambda entry: entry[0])
            del owner.bullets[at]
        elif nothing:
            nothing = ""
        else:
            filled = filled[:-1]
