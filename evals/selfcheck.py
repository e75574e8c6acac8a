"""Controls of the scenarios and the scorers: what must be scored how is known beforehand.

Three checks, over any choice of scenarios:

- *cards*: every lure of a behaviour card is a relapse, every compliant reply is none and no over-restriction, every
  over-restrictive reply is one, before and after a rule is lifted;
- *executors*: `oracle`, `relapser`, `refuser` and `nop`, driven through whole sessions, get exactly the scores that
  they were made for;
- *two measures*: over the trials of the literal executor and of its noisy form, relapse and retention are not the same
  measure: both cells of the cross table in which they disagree have trials in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from backslide.evals.plan import plan_turns
from backslide.evals.probing import card_calls
from backslide.evals.records import Trial
from backslide.evals.scorers.relapse import score_relapse
from backslide.evals.scorers.reply import ReplyText, ToolUse
from backslide.evals.unit import UnitSpec
from backslide.evals.variants import builtin_variants, resolve_variant
from backslide.evals.workers import Finished, Produced, run_units
from backslide.scenarios import Scenario
from backslide.scenarios.model import CardReply, Probe

HELD = frozenset({"verbatim", "stated"})
CONTROL_VARIANT = "handoff"


@dataclass(frozen=True)
class Row:
    """One check of one scenario: how many of `expected` cases came out as they must, and those that did not."""

    check: str
    scenario: str
    subject: str
    passed: int
    expected: int
    failures: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Return whether every case came out as it must."""
        return self.passed == self.expected


@dataclass(frozen=True)
class SelfcheckReport:
    """The rows, and relapse × retention over the answered trials at which a rule holds.

    `cells` are those of the literal executor, `noisy_cells` those of its noisy form, which misreads now and then.
    """

    rows: list[Row]
    cells: dict[str, int]
    noisy_cells: dict[str, int]
    problems: list[str]

    @property
    def ok(self) -> bool:
        """Return whether everything came out as it must."""
        return not self.problems and all(row.ok for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """Return the document of ``selfcheck --json``."""
        return {
            "schema": 1,
            "ok": self.ok,
            "rows": [{**asdict(row), "ok": row.ok} for row in self.rows],
            "cells": self.cells,
            "noisy_cells": self.noisy_cells,
            "problems": self.problems,
        }


def selfcheck(scenarios: Sequence[Scenario], concurrency: int = 1) -> SelfcheckReport:
    """Run all checks over `scenarios`."""
    plans = {scenario.id: plan_turns(scenario) for scenario in scenarios}
    rows = [row for scenario in scenarios for row in check_cards(scenario)]
    problems: list[str] = []
    for scenario in scenarios:
        for executor in ("oracle", "relapser", "refuser", "nop"):
            trials, errors = _trials([scenario], plans, [CONTROL_VARIANT], executor, 1)
            problems += errors
            rows.append(_executor_row(scenario.id, executor, trials))
    tables: list[dict[str, int]] = []
    for executor in ("sim", "sim:noisy"):
        trials, errors = _trials(scenarios, plans, builtin_variants(), executor, concurrency)
        problems += errors
        tables.append(cross_table(trials))
    plain, noisy = tables
    if any(scenario.constraints for scenario in scenarios):
        problems += independence({name: plain[name] + noisy[name] for name in plain})
    return SelfcheckReport(rows, plain, noisy, problems)


def check_cards(scenario: Scenario) -> Iterator[Row]:
    """Score every reply of every card at the moments for which it is written."""
    for kind, subject in (
        ("lure", "lures relapse"),
        ("compliant", "compliant replies are clean"),
        ("over", "refusals are caught"),
    ):
        failures: list[str] = []
        expected = 0
        for probe, turn, number, reply in _card_replies(scenario, kind):
            expected += 1
            wrong = _wrong(scenario, probe, turn, reply, kind)
            if wrong:
                failures.append(f"{probe.id}@{turn} {kind}[{number}]: {wrong}")
        yield Row("cards", scenario.id, subject, expected - len(failures), expected, failures)


def _card_replies(scenario: Scenario, kind: str) -> Iterator[tuple[Probe, int, int, CardReply]]:
    """Yield the replies of a kind with a turn at which they are due: while the rule holds, and after it was lifted."""
    last = len(scenario.turns)
    for probe in scenario.probes:
        card = scenario.card(probe.id)
        constraint = scenario.constraint(probe.constraint) if probe.constraint else None
        lift = constraint.lifted.turn if constraint and constraint.lifted else None
        before = lift - 1 if lift is not None else last
        control = probe.kind == "control"
        replies: Sequence[CardReply] = ()
        if kind == "lure" and not control:
            replies = card.lures
        elif kind == "compliant":
            replies = card.compliant
        elif kind == "over" and control:
            replies = card.over_restrictive
        yield from ((probe, before, number, reply) for number, reply in enumerate(replies))
        if lift is not None and card.lifted is not None and kind in {"compliant", "over"}:
            lifted = card.lifted.compliant if kind == "compliant" else card.lifted.over_restrictive
            yield from ((probe, last, number, reply) for number, reply in enumerate(lifted))


def _wrong(scenario: Scenario, probe: Probe, turn: int, reply: CardReply, kind: str) -> str | None:
    """Return what a scorer got wrong about a card's reply, or None."""
    calls = tuple(ToolUse(call["tool"], call["args"]) for call in card_calls(reply))
    verdict = score_relapse(
        scenario,
        probe.constraint or "none",
        ReplyText(reply.text, calls),
        turn=turn,
        path=probe.path,
        probe=probe.id,
    )
    control = scenario.is_control(probe.id, turn)
    if kind == "lure":
        return None if verdict.relapse else f"scored {verdict.cls}, must be a relapse"
    if kind == "over":
        return None if verdict.over_restriction else "not scored as over-restriction"
    if verdict.relapse:
        return f"scored {verdict.cls}, must not be a relapse"
    return "scored as over-restriction" if control and verdict.over_restriction else None


def _executor_row(scenario: str, executor: str, trials: Iterable[Trial]) -> Row:
    """Check that a control executor got the scores it was made for."""
    expected = 0
    failures: list[str] = []
    for trial in trials:
        right = _as_made_for(executor, trial)
        if right is None:
            continue
        expected += 1
        if not right:
            failures.append(trial.id)
    subject = {
        "oracle": "oracle: no relapse, no over-restriction",
        "relapser": "relapser: relapses wherever a rule holds",
        "refuser": "refuser: over-restricts wherever none holds",
        "nop": "nop: unanswered",
    }[executor]
    return Row("executors", scenario, subject, expected - len(failures), expected, failures)


def _as_made_for(executor: str, trial: Trial) -> bool | None:
    """Return whether a trial's score is the one the executor was made for; None where it says nothing."""
    if executor == "nop":
        return trial.status == "unanswered" and trial.unanswered == "nop" and trial.verdict is None
    if trial.verdict is None:
        return False
    if executor == "oracle":
        return not trial.verdict.relapse and not trial.verdict.over_restriction
    if executor == "relapser":
        return None if trial.control else trial.verdict.relapse
    return trial.verdict.over_restriction is True if trial.control else None


def _trials(
    scenarios: Sequence[Scenario],
    plans: dict[str, tuple[int, ...]],
    variants: Sequence[str],
    executor: str,
    concurrency: int,
) -> tuple[list[Trial], list[str]]:
    """Drive scenarios × variants with an executor, in memory; return the trials and what failed."""
    specs = [
        UnitSpec(scenario, resolve_variant(variant), 0, plans[scenario.id], executor=executor)
        for scenario in scenarios
        for variant in variants
    ]
    trials: list[Trial] = []
    errors: list[str] = []
    for happening in run_units(specs, range(len(specs)), concurrency):
        if isinstance(happening, Produced) and isinstance(happening.record, Trial):
            trials.append(happening.record)
        elif isinstance(happening, Finished) and happening.error is not None:
            errors.append(f"{'/'.join(map(str, specs[happening.index].key))}: {happening.error}")
    return trials, errors


def cross_table(trials: Iterable[Trial]) -> dict[str, int]:
    """Count relapse × retention over answered trials at which a rule holds."""
    cells = Counter(
        {"held, obeyed": 0, "held, yet violated": 0, "lost, yet obeyed": 0, "lost, violated": 0},
    )
    for trial in trials:
        if trial.verdict is None or trial.retention is None or trial.control:
            continue
        held = trial.retention.cls in HELD
        if trial.verdict.relapse:
            cells["held, yet violated" if held else "lost, violated"] += 1
        else:
            cells["held, obeyed" if held else "lost, yet obeyed"] += 1
    return dict(cells)


def independence(cells: dict[str, int]) -> list[str]:
    """Return what is wrong if relapse and retention have become one measure."""
    empty = [name for name in ("held, yet violated", "lost, yet obeyed") if not cells[name]]
    return [f"no trial is '{name}': relapse and retention may have become one measure" for name in empty]
