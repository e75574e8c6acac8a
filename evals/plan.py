"""At which turns the probes of every cycle are asked: fixed beforehand, the same for all variants."""

from __future__ import annotations

import asyncio

from backslide.evals.unit import UnitSpec, drive
from backslide.evals.variants import builtin_variants, resolve_variant
from backslide.scenarios import Scenario

LAG = 1
"""Turns from a compaction of the planning drive to its probes: variants that cut a little later have cut by then."""


def plan_turns(scenario: Scenario, scale: float = 1.0) -> tuple[int, ...]:
    """Return the turns after which `every_cycle` probes are asked: one after each compaction of the default settings.

    The scenario is driven once, without probes and with the simulated summarizer, so that the plan depends on the
    scenario and the scale alone, never on a variant or a model.
    """
    default = resolve_variant(builtin_variants()[0])
    spec = UnitSpec(scenario, default, seed=0, plan=(), scale=scale, probes=False)
    totals = asyncio.run(drive(spec, lambda _record: None))
    last = len(scenario.turns)
    return tuple(sorted({min(turn + LAG, last) for turn in totals.compaction_turns}))
