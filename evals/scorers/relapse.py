"""Score a reply: does it use or propose what a constraint rules out?"""

from __future__ import annotations

from backslide.evals.scorers.detect import detect, reach_of
from backslide.evals.scorers.over_restriction import over_restricts
from backslide.evals.scorers.prose import ELSEWHERE
from backslide.evals.scorers.reply import ReplyText, as_reply
from backslide.evals.scorers.segments import split
from backslide.evals.scorers.verdicts import Evidence, RelapseClass, RelapseVerdict
from backslide.scenarios.model import Constraint, Scenario

NO_CONSTRAINT = "none"
"""The constraint id of a scenario without constraints."""


def score_relapse(
    scenario: Scenario,
    constraint_id: str,
    reply: ReplyText | str,
    *,
    turn: int | None = None,
    path: str | None = None,
    probe: str | None = None,
) -> RelapseVerdict:
    """Return whether a reply uses or proposes the approach that a constraint of the scenario rules out.

    `turn` is the turn after which the reply was given; without one, the rules are as after the last turn. `path`
    is the file
    that a bare code block belongs to; without one, the probe's path, then a path that the reply names. After a
    rule was lifted
    a use is no relapse, and the reply is scored for over-restriction. Raise `InputError` for an unknown constraint
    or probe.
    Definitions: relapse and over-restriction of the metrics.
    """
    words = as_reply(reply)
    asked = scenario.probe(probe) if probe else None
    if path is None and asked is not None:
        path = asked.path
    if constraint_id == NO_CONSTRAINT:
        return _without_rule(words, None, path)
    rule = scenario.constraint(constraint_id)
    last = len(scenario.turns)
    now = last if turn is None else turn
    lifted = rule.lifted is not None and now >= rule.lifted.turn
    if lifted or (asked is not None and asked.kind == "control" and asked.constraint is None):
        return _without_rule(words, rule, path)
    verdict = detect(rule, words, path=path, known=_files(scenario))
    if verdict.relapse or (asked is not None and asked.kind != "control"):
        return verdict
    elsewhere = any(item.why == ELSEWHERE for item in verdict.evidence)
    if asked is None and not elsewhere and (path is None or reach_of(rule, _files(scenario)).covers(path)):
        return verdict
    over, restricting = over_restricts(words, split(words), rule)
    found = tuple(Evidence("over-restriction", *item) for item in restricting)
    sure = over or elsewhere or asked is not None
    return RelapseVerdict(verdict.cls, False, over if sure else None, verdict.evidence + found)


def _without_rule(words: ReplyText, rule: Constraint | None, path: str | None) -> RelapseVerdict:
    over, evidence = over_restricts(words, split(words), rule)
    found = tuple(Evidence("over-restriction", *item) for item in evidence)
    cls: RelapseClass = "absent"
    if rule is not None:
        cls = detect(rule, words, path=path).cls
    return RelapseVerdict(cls, False, over, found)


def _files(scenario: Scenario) -> tuple[str, ...]:
    return tuple(file.path for file in scenario.workspace.files)


__all__ = ["NO_CONSTRAINT", "Evidence", "RelapseClass", "RelapseVerdict", "score_relapse"]
