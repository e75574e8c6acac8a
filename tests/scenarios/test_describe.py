"""The figures of a scenario."""

from __future__ import annotations

from backslide.scenarios import Scenario
from backslide.scenarios.describe import describe, tokens_by_turn


def words(text: str) -> int:
    """Count words, as a stand-in for a tokenizer."""
    return len(text.split())


def test_a_scenario_is_described_by_its_parts(small: Scenario) -> None:
    """Names, turns, constraints with their carriers, and probes."""
    description = describe(small, words)

    assert (description.id, description.language, description.turns) == ("small", "python", 4)
    assert description.carriers == ("said-once",)
    assert [(line.id, line.planted, line.lifted) for line in description.constraints] == [("no-pickle", (2,), 4)]
    assert [(line.id, line.at, line.every_cycle) for line in description.probes] == [
        ("keep-report", (2, 4), True),
        ("sort-rows", (), True),
    ]


def test_characters_are_counted_by_kind(small: Scenario) -> None:
    """Results hold text, noise and tail; thinking and calls are counted apart."""
    characters = describe(small, words).characters

    assert characters.thinking == len("It may be under report.")
    assert characters.results == 600 + len("# Reports") + len("Two hosts.\n") + 400 + len("\ndone")
    assert characters.calls == len(
        '{"grep": {"pattern": "weekly", "path": "report"}}'
        '{"read": {"path": "README.md", "limit": 10}}'
        '{"advisor": {"question": "Which hosts build the report?"}}'
    )
    assert characters.tool_share == characters.results / characters.total


def test_scale_is_taken_into_account(small: Scenario) -> None:
    """A description of a scaled scenario has its noise scaled."""
    grown = describe(small, words, scale=10).characters.results - describe(small, words).characters.results

    assert grown == 9 * (600 + 400)


def test_tokens_come_from_the_given_counter(small: Scenario) -> None:
    """The total is the sum over the turns, in the caller's tokens."""
    by_turn = tokens_by_turn(small, words)

    assert len(by_turn) == 4
    assert by_turn[3] == words("Both hosts run 3.12 now, so pickle is fine again. Good to know.")
    assert describe(small, words).tokens == sum(by_turn)
