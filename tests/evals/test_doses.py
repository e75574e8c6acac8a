"""Dose tests: what the simulated models do follows from the budget they are given, not from the variant's name."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cache

import pytest

from backslide.evals.plan import plan_turns
from backslide.evals.records import Trial
from backslide.evals.unit import Record, UnitSpec, drive
from backslide.evals.variants import resolve_variant
from backslide.scenarios import Scenario, resolve

SPOKEN = ["actor-not-mutex", "frozen-billing", "no-moment", "websocket-reversal"]
"""Scenarios whose rules were said in the conversation, not in a file."""


@cache
def scenario(name: str) -> Scenario:
    return resolve([name])[0]


@cache
def plan(name: str) -> tuple[int, ...]:
    return plan_turns(scenario(name))


def relapses(name: str, variant: str, summary_tokens: int, window: int = 16_000) -> tuple[int, int]:
    """Return the relapses and the answered trials after the first compaction, while the rule holds."""
    built_in = resolve_variant(variant)
    setup = replace(built_in.compaction, summary_tokens=summary_tokens, window=window)
    records: list[Record] = []
    asyncio.run(drive(UnitSpec(scenario(name), replace(built_in, compaction=setup), 0, plan(name)), records.append))
    trials = [r for r in records if isinstance(r, Trial) and r.verdict and not r.control and r.cycle]
    return sum(trial.verdict is not None and trial.verdict.relapse for trial in trials), len(trials)


def test_naive_stops_relapsing_as_its_summary_grows() -> None:
    """With the one-line prompt, room is all that a rule needs: 800 tokens lose it, 4,000 keep it."""
    small, middle, large = (relapses("actor-not-mutex", "naive", budget)[0] for budget in (800, 2_000, 4_000))

    assert small > middle > large == 0


@pytest.mark.parametrize("name", SPOKEN)
def test_with_room_enough_naive_keeps_every_rule_that_was_said(name: str) -> None:
    """In a window that a long summary does not fill by itself, no rule of the conversation is lost."""
    lost, asked = relapses(name, "naive", 4_000, window=24_000)

    assert lost == 0
    assert asked >= 4


@pytest.mark.parametrize("name", SPOKEN)
def test_handoff_relapses_as_its_summary_shrinks(name: str) -> None:
    """The hand-over's section does not help if there is no room for a bullet in it."""
    starved, asked = relapses(name, "handoff", 60)
    fed, _ = relapses(name, "handoff", 400)

    assert starved == asked
    assert fed == 0
