"""Finds rejections that a later sentence of the conversation withdraws."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from backslide.harness.models.candidates import Candidate, lifts, rejects
from backslide.harness.models.instruction import purposes_of_title
from backslide.harness.models.sumbasic import content_words

ENOUGH = 0.3
"""Share of a lifting sentence's word weight that a rejection must have in common with it."""
_RULE_WORDS = """
allowed again ban banned rule rules lifted ruled rejected longer use using used now go back fine okay ok want need
because since 可以 不用 不要 现在 限制 解除 可用 以用 用了 放弃 否决
"""
_EMPTY_WORDS = frozenset(_RULE_WORDS.split())
"""Words about rules themselves: two sentences that share only these need not speak of the same thing."""


def lifted_and_withdrawn(pool: Sequence[Candidate]) -> tuple[list[Candidate], set[int]]:
    """Return the lifting sentences that still hold, and the indexes in `pool` of what is withdrawn.

    A lift withdraws the earlier rejections that speak of the same things, by the words they share; rare words
    weigh more. A rejection after the lift on the same things withdraws the lift in turn.
    """
    raising = [at for at, known in enumerate(pool) if known.speaker != "result" and _lifts(known)]
    if not raising:
        return [], set()
    bags = [frozenset(content_words(known.text)) - _EMPTY_WORDS for known in pool]
    seen = Counter(word for bag in bags for word in bag)
    rarity = {word: math.log(1 + len(bags) / number) for word, number in seen.items()}
    ruling = [at for at, known in enumerate(pool) if _rejects(known)]

    def common(lift: int, other: int) -> float:
        total = sum(rarity[word] for word in bags[lift])
        return sum(rarity[word] for word in bags[lift] & bags[other]) / total if total else 0.0

    withdrawn: set[int] = set()
    for lift in raising:
        alike = {at: value for at in ruling if (value := common(lift, at)) > 0}
        if not alike:
            continue
        bar = max(ENOUGH, 0.6 * max(alike.values()))
        best = {at for at, value in alike.items() if value >= bar} or {max(alike, key=lambda at: alike[at])}
        if any(at > lift for at in best):
            withdrawn.add(lift)
        withdrawn |= {at for at in best if at < lift}
    return [pool[at] for at in raising if at not in withdrawn], withdrawn


def _lifts(known: Candidate) -> bool:
    return lifts(known.text) or (known.speaker == "summary" and purposes_of_title(known.title) == {"lifted"})


def _rejects(known: Candidate) -> bool:
    if _lifts(known):
        return False
    return rejects(known.text) >= 1.5 or (known.speaker == "summary" and "rejected" in purposes_of_title(known.title))
