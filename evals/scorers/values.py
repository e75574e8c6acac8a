"""Read what a statement makes of a rule with a value: a limit, a timeout, a version."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from backslide.evals.scorers.force import allows
from backslide.evals.scorers.moved import unit_of
from backslide.evals.scorers.rulewords import RuleWords
from backslide.evals.scorers.statements import Statement

Retention = Literal["kept", "weakened", "mutated", "inverted", "dropped"]


@dataclass(frozen=True)
class Found:
    """What one statement makes of a rule, how much of the rule it names, and why."""

    kind: Retention
    strength: float
    statement: Statement
    why: str


_GONE = re.compile(
    r"\bno (?:\w+ ){0,3}(?:limit|timeout|cap|bound|restriction|maximum)s?\b|\b(?:limit|timeout|cap|"
    r"restriction|maximum)s? (?:\w+ ){0,3}(?:removed|gone|lifted|dropped)|of any size|unlimited|"
    r"any ?more|不(?:再)?限|没有(?:上限|限制|超时)|取消(?:了)?(?:上限|限制|超时)|不(?:再)?设|不再有",
    re.IGNORECASE,
)


def read_value(rule: RuleWords, statement: Statement, words: set[str]) -> Found | None:
    """Return what a statement that holds some `words` makes of the rule's value, or None if it is not about it."""
    share = len(rule.subject & words) / len(rule.subject) if rule.subject else 0.0
    numbers = {word for word in words if word.startswith("=")}
    if share < 0.3 and not (numbers & set(rule.values) and share > 0):
        return None
    main = rule.values[0]
    if main in numbers:
        others = [value for value in rule.values[1:] if value not in numbers]
        if (
            others
            and len(numbers) > 1
            and any(unit_of(value) == unit_of(other) for value in numbers - {main} for other in others)
        ):
            return Found("mutated", 0.5 + share / 2, statement, "one of its values has changed")
        return Found("kept", 0.5 + share / 2, statement, "its value stands")
    if _GONE.search(statement.text) or (allows(statement.text) and not numbers):
        return Found("inverted", 0.5 + share / 2, statement, "its limit is gone")
    if any(unit_of(number) == unit_of(main) for number in numbers) and share >= 0.3:
        return Found("mutated", 0.5 + share / 2, statement, "its value has changed")
    return (
        Found("weakened", 0.5 + share / 2, statement, "its subject is there, its value is not")
        if share >= 0.3
        else None
    )
