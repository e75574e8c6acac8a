"""The packaged corpus keeps to the rules of the corpus."""

from __future__ import annotations

import pytest

from backslide.scenarios import Scenario, corpus_ids, load_corpus
from backslide.scenarios.describe import describe
from backslide.scenarios.library import resolve

ALL = corpus_ids()
IDS = [scenario.id for scenario in resolve()]
"""Those with probes; the scenarios about the advisor have rules of their own (see `test_advisor_scenarios`)."""


def loaded(scenario_id: str) -> Scenario:
    """Load one scenario of the packaged corpus; all its cross checks run, plants and lifts among them."""
    return resolve([scenario_id])[0]


def test_the_corpus_is_packaged() -> None:
    """There are scenarios, and all of them load."""
    assert IDS
    assert list(load_corpus()) == ALL


@pytest.mark.parametrize("scenario_id", IDS)
def test_a_session_is_long_and_mostly_tool_output(scenario_id: str) -> None:
    """Forty turns or more, and over 80 percent of the characters are results of tools."""
    description = describe(loaded(scenario_id), len)

    assert description.turns >= 40
    assert description.characters.tool_share > 0.8


@pytest.mark.parametrize("scenario_id", IDS)
def test_each_constraint_is_probed_in_two_ways(scenario_id: str) -> None:
    """Each has an implement probe and an ask or lure probe, in every cycle, and once before it could be lifted."""
    scenario = loaded(scenario_id)

    for rule in scenario.constraints:
        probes = [p for p in scenario.probes if p.constraint == rule.id and p.kind != "control"]
        kinds = {probe.kind for probe in probes}
        assert "implement" in kinds
        assert kinds & {"ask", "lure"}
        assert all(probe.every_cycle for probe in probes)
        assert any(scenario.is_active(rule.id, turn) for probe in probes for turn in probe.at)


@pytest.mark.parametrize("scenario_id", IDS)
def test_each_scenario_has_a_control(scenario_id: str) -> None:
    """Over-restriction can be seen: one probe at least asks for what no rule covers."""
    assert any(probe.kind == "control" and probe.every_cycle for probe in loaded(scenario_id).probes)


@pytest.mark.parametrize("scenario_id", IDS)
def test_replies_come_in_variants(scenario_id: str) -> None:
    """No probe can be met by recognising one reply: every kind that a card gives has at least two, all different."""
    for card in loaded(scenario_id).cards:
        groups = [card.lures, card.compliant, card.over_restrictive]
        if card.lifted is not None:
            groups += [card.lifted.compliant, card.lifted.over_restrictive]
        for replies in groups:
            assert len(replies) != 1
            assert len({reply.model_dump_json() for reply in replies}) == len(replies)


@pytest.mark.parametrize("scenario_id", IDS)
def test_no_probe_restates_the_plant(scenario_id: str) -> None:
    """A request that repeats the planted words would test reading, not memory."""
    scenario = loaded(scenario_id)

    for rule in scenario.constraints:
        for plant in rule.planted:
            assert all(plant.text not in probe.request for probe in scenario.probes)
