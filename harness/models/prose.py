"""Writes a summary for a prompt without sections: what was done, then what was talked about most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from backslide.harness.models.activity import activities, report
from backslide.harness.models.candidates import Candidate, gather, rejects, score
from backslide.harness.models.instruction import Instruction, Purpose
from backslide.harness.models.sumbasic import content_words, pick
from backslide.harness.models.transcript import Speaker, SummaryTask

ACTIVITY_SHARE = 0.45
"""Share of the budget that a report of looked-at files and commands may take."""
WISH = 3.0
"""How much a sentence gains for each point by which it serves a wish of the prompt."""
TOPICS = 6
"""Words that the opening sentence names."""
LONGEST = 240
"""Characters of a line of tool output that are quoted at most."""
_PRIOR: dict[Speaker, float] = {
    "user": 1.0,
    "assistant": 1.0,
    "summary": 1.0,
    "plain": 0.9,
    "thinking": 0.6,
    "result": 0.6,
    "calls": 0.0,
}
_HEARD: tuple[Purpose, ...] = ("rejected", "decisions", "quotes")
"""Wishes of a prompt that raise sentences even without a section of their own."""


def write_prose(
    task: SummaryTask,
    instruction: Instruction,
    budget: int,
    count: Callable[[str], int],
    overlooked: Callable[[str], bool],
    chinese: bool,
) -> str:
    """Return two paragraphs of at most `budget` tokens: activities, and sentences chosen by SumBasic.

    Sentences compete by word frequency, speaker and position (the beginning and the end count for more); tool
    output competes too. A rejection has no advantage unless the prompt asks for rejections in so many words.
    """
    gap = count("\n\n")
    spent, report_lines = 0, []
    for line in [*_topics(task, chinese), *report(activities(task.segments), chinese)]:
        cost = count(f" {line}")
        if spent + cost > ACTIVITY_SHARE * budget:
            break
        spent += cost
        report_lines.append(line)

    pool = [
        known for known in _distinct(gather(task.segments, task.previous, joined=False)) if not overlooked(known.text)
    ]
    texts = [_sentence(known, chinese) for known in pool]
    left = budget - spent - gap

    def fits(index: int) -> bool:
        nonlocal left
        cost = count(f" {texts[index]}")
        if cost > left:
            return False
        left -= cost
        return True

    weights = [_weigh(known, instruction, task.last_turn) for known in pool]
    chosen = pick([known.text for known in pool], fits, weights)
    while True:
        paragraphs = [" ".join(report_lines), " ".join(texts[index] for index in sorted(chosen))]
        text = "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
        if count(text) <= budget or not text:
            return text
        if chosen:
            chosen.pop()
        else:
            report_lines.pop()


def _weigh(known: Candidate, instruction: Instruction, last_turn: int) -> float:
    weight = _PRIOR[known.speaker] * (0.7 if known.code else 1.0) * (1.0 + 0.3 * abs(2 * known.place - 1))
    if len(content_words(known.text)) < 4:
        weight *= 0.5
    for purpose in _HEARD:
        if purpose in instruction.wants and not (purpose == "rejected" and instruction.no_negatives):
            weight *= 1.0 + WISH * score(known, purpose, last_turn)
    if instruction.no_negatives and rejects(known.text) >= 1.0:
        weight *= 0.2
    return weight


def _topics(task: SummaryTask, chinese: bool) -> list[str]:
    """Return one sentence that names what was talked about most, as chat summaries do, or nothing."""
    spoken = [segment.text for segment in task.segments if segment.speaker in {"user", "assistant"}]
    counts = Counter(word for text in spoken for word in content_words(text) if len(word) > 1 and not word[0].isdigit())
    topics = [word for word, number in counts.most_common(TOPICS) if number > 1]
    if len(topics) < 2:
        return []
    return [f"会话主要讨论了{'、'.join(topics)}。" if chinese else f"The session was about {', '.join(topics)}."]


def _distinct(pool: list[Candidate]) -> list[Candidate]:
    return list({known.text: known for known in reversed(pool)}.values())[::-1]


def _sentence(known: Candidate, chinese: bool) -> str:
    text = known.text if len(known.text) <= LONGEST else f"{known.text[:LONGEST].rstrip()}…"
    if text[-1] in ".!?。！？…；;":
        return text
    return f"{text}{'。' if chinese else '.'}"
