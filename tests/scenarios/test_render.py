"""The script as plain text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from backslide.harness.errors import InputError
from backslide.scenarios import Scenario, load_scenario
from backslide.scenarios.model import AssistantStep
from backslide.scenarios.render import RenderedResult, render


def results(scenario: Scenario, scale: float = 1.0) -> list[RenderedResult]:
    """List all results of a rendered script."""
    steps = [step for turn in render(scenario, scale).turns for step in turn.steps]
    return [step for step in steps if isinstance(step, RenderedResult)]


def test_turns_keep_numbers_words_and_order(small: Scenario) -> None:
    """Users' and executor's words stand as written, without the line break of the block style."""
    turns = render(small).turns

    assert [turn.number for turn in turns] == [1, 2, 3, 4]
    assert turns[1].user.endswith("JSON lines.")
    first = turns[0].steps[0]
    assert isinstance(first, AssistantStep)
    assert (first.text, first.thinking) == ("I will look for it.", "It may be under report.")
    assert [call.id for call in first.calls] == ["t1a", "t1b"]


def test_results_know_their_tool(small: Scenario) -> None:
    """Each result carries the id and the tool of its call, and whether it failed."""
    found = [(result.call_id, result.tool, result.error) for result in results(small)]

    assert found == [("t1a", "grep", False), ("t1b", "read", False), ("t3a", "advisor", True)]


def test_noise_stands_between_text_and_tail(small: Scenario) -> None:
    """Text, noise and tail follow each other on lines of their own."""
    text = results(small)[2].text

    assert text.startswith("Two hosts.\n")
    assert text.endswith("\ndone")
    assert len(text) == len("Two hosts.\n") + 400 + len("\ndone")


def test_the_same_scenario_renders_to_the_same_bytes(small: Scenario, edited: Callable[..., Path]) -> None:
    """Two loads of one text give one script."""
    assert render(load_scenario(edited())).turns == render(small).turns


def test_a_scale_multiplies_noise_and_nothing_else(small: Scenario) -> None:
    """At three times the scale the noise is three times as long, and the words stay."""
    one, three = results(small), results(small, 3.0)

    assert [len(result.text) for result in one] == [600, 9, 400 + 16]
    assert [len(result.text) for result in three] == [1800, 9, 1200 + 16]
    assert [turn.user for turn in render(small, 3.0).turns] == [turn.user for turn in render(small).turns]


def test_the_scenarios_language_shapes_the_noise(small: Scenario, edited: Callable[..., Path]) -> None:
    """A Rust session greps Rust files."""
    rust = load_scenario(edited(("language: python", "language: rust")))

    assert ".py:" in results(small)[0].text
    assert ".rs:" in results(rust)[0].text


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf"), 5000.0])
def test_a_scale_that_is_none_is_refused(scale: float, small: Scenario) -> None:
    """Zero, negative, endless and absurd scales are bad input."""
    with pytest.raises(InputError, match="expected a scale above 0 and up to 1000"):
        render(small, scale)
