"""Expand a scenario's script to plain text: noise is generated, results know the tools that they answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from backslide.harness.errors import InputError
from backslide.scenarios.check_turns import tools_by_call
from backslide.scenarios.model import AssistantStep, ResultStep, Scenario, Turn
from backslide.scenarios.noise import noise_text

MAX_SCALE = 1000.0


@dataclass(frozen=True)
class RenderedResult:
    """What a tool answered, as plain text."""

    call_id: str
    tool: str
    text: str
    error: bool
    live: bool = False
    """Whether the advisor under test has yet to answer; then the text is empty."""


@dataclass(frozen=True)
class RenderedTurn:
    """One turn as plain text; the steps stand in the order of the session."""

    number: int
    user: str
    steps: tuple[AssistantStep | RenderedResult, ...]


@dataclass(frozen=True)
class RenderedScenario:
    """A scenario with its script as plain text; the turns are rendered when they are first asked for."""

    scenario: Scenario
    scale: float

    @cached_property
    def turns(self) -> tuple[RenderedTurn, ...]:
        """The turns, from 1."""
        return tuple(_turn(self.scenario, turn, self.scale) for turn in self.scenario.turns)


def render(scenario: Scenario, scale: float = 1.0) -> RenderedScenario:
    """Return the scenario's script as plain text; same scenario and scale, same bytes.

    `scale` multiplies the size of the noise; what is written out stays as it is. Line breaks at the end of a
    text are dropped, since they come from YAML's block style. Raises `InputError` for a scale that is not a
    number from just above 0 to 1,000.
    """
    if not (math.isfinite(scale) and 0 < scale <= MAX_SCALE):
        raise InputError(f"expected a scale above 0 and up to {MAX_SCALE:.0f}, saw {scale}", mend="1 is normal")
    return RenderedScenario(scenario, scale)


def _turn(scenario: Scenario, turn: Turn, scale: float) -> RenderedTurn:
    tools = tools_by_call(turn)
    steps: list[AssistantStep | RenderedResult] = []
    for step in turn.steps:
        if isinstance(step, ResultStep):
            text = _result_text(step, scenario.language, scale)
            steps.append(RenderedResult(step.call_id, tools[step.call_id], text, step.error, step.live))
        else:
            thinking = step.thinking.rstrip("\n") if step.thinking is not None else None
            steps.append(step.model_copy(update={"text": step.text.rstrip("\n"), "thinking": thinking}))
    return RenderedTurn(turn.turn, turn.user.rstrip("\n"), tuple(steps))


def _result_text(step: ResultStep, language: str, scale: float) -> str:
    noise = noise_text(step.noise, language, scale) if step.noise is not None else ""
    return "\n".join(part for part in (step.text.rstrip("\n"), noise, step.tail.rstrip("\n")) if part)
