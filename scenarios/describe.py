"""What the commands `scenarios list` and `scenarios show` tell about a scenario."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from backslide.scenarios.model import AssistantStep, Constraint, Probe, Scenario, ToolCall
from backslide.scenarios.render import RenderedScenario, render


@dataclass(frozen=True)
class Characters:
    """Characters of the script by kind, noise included."""

    user: int
    assistant: int
    thinking: int
    calls: int
    """Names and arguments of tool calls, as JSON."""
    results: int

    @property
    def total(self) -> int:
        """All characters of the script."""
        return self.user + self.assistant + self.thinking + self.calls + self.results

    @property
    def tool_share(self) -> float:
        """The share of tool output, 0 to 1."""
        return self.results / self.total


@dataclass(frozen=True)
class ConstraintLine:
    """One constraint in a list."""

    id: str
    statement: str
    rejected: str
    accepted: str
    planted: tuple[int, ...]
    """Turns."""
    carriers: tuple[str, ...]
    lifted: int | None
    """Turn, or None if it holds to the end."""


@dataclass(frozen=True)
class ProbeLine:
    """One probe in a list."""

    id: str
    kind: str
    constraint: str | None
    at: tuple[int, ...]
    every_cycle: bool


@dataclass(frozen=True)
class Description:
    """A scenario in figures."""

    id: str
    title: str
    story: str
    language: str
    speech: tuple[str, ...]
    tags: tuple[str, ...]
    turns: int
    constraints: tuple[ConstraintLine, ...]
    carriers: tuple[str, ...]
    probes: tuple[ProbeLine, ...]
    characters: Characters
    tokens: int
    """Tokens of the script's texts, each counted alone, without system prompt, tools and overhead."""


def describe(scenario: Scenario, count: Callable[[str], int], scale: float = 1.0) -> Description:
    """Describe a scenario; `count` gives the tokens of a text, for instance o200k_base's."""
    rendered = render(scenario, scale)
    texts = _texts(rendered)
    lines = tuple(_constraint(rule) for rule in scenario.constraints)
    return Description(
        id=scenario.id,
        title=scenario.title,
        story=scenario.story,
        language=scenario.language,
        speech=scenario.speech,
        tags=scenario.tags,
        turns=len(scenario.turns),
        constraints=lines,
        carriers=tuple(dict.fromkeys(carrier for line in lines for carrier in line.carriers)),
        probes=tuple(_probe(probe) for probe in scenario.probes),
        characters=Characters(**{kind: sum(map(len, parts)) for kind, parts in texts.items()}),
        tokens=sum(count(part) for parts in texts.values() for part in parts),
    )


def tokens_by_turn(scenario: Scenario, count: Callable[[str], int], scale: float = 1.0) -> tuple[int, ...]:
    """Return the tokens of each turn's texts, in the order of the turns."""
    rendered = render(scenario, scale)
    return tuple(
        sum(count(part) for parts in _texts(rendered, turn.number).values() for part in parts)
        for turn in rendered.turns
    )


def _texts(rendered: RenderedScenario, number: int | None = None) -> dict[str, list[str]]:
    """Collect the texts of a script, or of one of its turns, by kind."""
    texts: dict[str, list[str]] = {name: [] for name in ("user", "assistant", "thinking", "calls", "results")}
    for turn in rendered.turns if number is None else rendered.turns[number - 1 : number]:
        texts["user"].append(turn.user)
        for step in turn.steps:
            if isinstance(step, AssistantStep):
                texts["assistant"].append(step.text)
                texts["thinking"].append(step.thinking or "")
                texts["calls"] += [_call(call) for call in step.calls]
            else:
                texts["results"].append(step.text)
    return texts


def _call(call: ToolCall) -> str:
    return json.dumps({call.tool: call.args}, ensure_ascii=False)


def _constraint(rule: Constraint) -> ConstraintLine:
    return ConstraintLine(
        id=rule.id,
        statement=rule.statement,
        rejected=rule.rejected.summary,
        accepted=rule.accepted.summary,
        planted=tuple(plant.turn for plant in rule.planted),
        carriers=tuple(dict.fromkeys(plant.carrier for plant in rule.planted)),
        lifted=rule.lifted.turn if rule.lifted is not None else None,
    )


def _probe(probe: Probe) -> ProbeLine:
    return ProbeLine(probe.id, probe.kind, probe.constraint, probe.at, probe.every_cycle)
