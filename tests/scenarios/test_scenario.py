"""What a loaded scenario answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from backslide.harness.errors import InputError
from backslide.scenarios import Scenario, load_scenario, scenario_hash
from backslide.scenarios.model import AssistantStep, ResultStep


def test_parts_are_found_by_their_names(small: Scenario) -> None:
    """Turns, constraints, probes and cards are looked up by number or id."""
    assert small.turn(2).user.startswith("Thanks.")
    assert small.constraint("no-pickle").rejected.names == ("pickle", "pkl")
    assert small.probe("sort-rows").kind == "control"
    assert small.card("keep-report").lures[0].calls[0].tool == "write"
    assert small.workspace.file("./README.md") == small.workspace.files[1]


@pytest.mark.parametrize(
    ("look_up", "message"),
    [
        (lambda s: s.turn(0), "small: there is no turn 0; turns are 1 to 4"),
        (lambda s: s.turn(5), "small: there is no turn 5; turns are 1 to 4"),
        (
            lambda s: s.constraint("no-pickles"),
            "small: there is no constraint 'no-pickles'; did you mean 'no-pickle'?",
        ),
        (lambda s: s.probe("sort"), "small: there is no probe 'sort'; did you mean 'sort-rows'?"),
        (lambda s: s.card("xyz"), "small: there is no card of probe 'xyz'; known: keep-report, sort-rows"),
    ],
)
def test_an_unknown_name_suggests_the_nearest(
    look_up: Callable[[Scenario], object], message: str, small: Scenario
) -> None:
    """A look-up that fails says what there is."""
    with pytest.raises(InputError) as caught:
        look_up(small)

    assert caught.value.line() == message


def test_a_rule_holds_from_its_plant_to_its_lift(small: Scenario) -> None:
    """After turn 1 it is not said yet, after turns 2 and 3 it holds, with turn 4 it ends."""
    assert [small.is_active("no-pickle", turn) for turn in (1, 2, 3, 4)] == [False, True, True, False]


def test_a_spread_rule_holds_once_it_is_whole(edited: Callable[..., Path]) -> None:
    """A rule said in two parts is in force after the second part."""
    file = edited(
        ("carrier: said-once", "carrier: spread"),
        (
            "    lifted: {turn: 4",
            '      - {turn: 3, speaker: user, carrier: spread, text: "What do the build hosts run?"}\n    lifted: {turn: 4',
        ),
        ("at: [2, 4]", "at: [3, 4]"),
    )

    scenario = load_scenario(file)

    assert [scenario.is_active("no-pickle", turn) for turn in (1, 2, 3, 4)] == [False, False, True, False]


def test_a_probe_of_a_lifted_rule_becomes_a_control(small: Scenario) -> None:
    """With the turn of the lift the rule no longer stands between the probe and its answer."""
    assert [small.is_control("keep-report", turn) for turn in (2, 3, 4)] == [False, False, True]
    assert small.is_control("sort-rows", 1)


def test_a_scope_covers_its_globs_without_the_exceptions(small: Scenario) -> None:
    """Files below `report/` are covered, those below `report/old/` and all others are not."""
    scope = small.constraint("no-pickle").scope

    assert scope.covers("report/store.py")
    assert scope.covers("./report/deep/store.py")
    assert not scope.covers("report/old/store.py")
    assert not scope.covers("tools/store.py")


def test_a_loaded_scenario_cannot_be_changed(small: Scenario) -> None:
    """What flows through a run is frozen."""
    with pytest.raises(ValidationError, match="frozen"):
        small.title = "Another"


def test_steps_keep_their_order_and_kind(small: Scenario) -> None:
    """A turn's steps are assistant steps and results as written."""
    kinds = [type(step) for step in small.turn(1).steps]

    assert kinds == [AssistantStep, ResultStep, ResultStep, AssistantStep]


def test_layout_and_comments_do_not_change_the_hash(edited: Callable[..., Path], small: Scenario) -> None:
    """Fields in another order, a comment or a default written out are the same scenario."""
    file = edited(
        ("language: python\nspeech: [en]\n", "# a comment\nspeech:\n  - en\nlanguage: python\n"),
        ("    user: Where is", "    user: >-\n      Where is"),
        ("kind: control\n", "kind: control\n    at: []\n"),
    )

    assert scenario_hash(file) == scenario_hash(small)


@pytest.mark.parametrize(
    "change",
    [("seed: 1", "seed: 3"), ("title: A small", "title: The small"), ("error: true", "error: false")],
)
def test_any_other_change_changes_the_hash(
    change: tuple[str, str], edited: Callable[..., Path], small: Scenario
) -> None:
    """A run on another scenario text cannot be mistaken for one on this."""
    assert scenario_hash(edited(change)) != scenario_hash(small)


def test_a_changed_file_is_read_again(edited: Callable[..., Path]) -> None:
    """What was loaded before is used only while the bytes are the same."""
    assert load_scenario(edited()).title == "A small session about a report"
    assert load_scenario(edited(("title: A small", "title: Another small"))).title.startswith("Another")
