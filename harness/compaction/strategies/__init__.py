"""Compaction strategies by name."""

from __future__ import annotations

from backslide.harness.compaction.prompt_file import Prompt, load_prompt
from backslide.harness.compaction.strategies.base import Strategy
from backslide.harness.compaction.strategies.handover import HandoverStrategy
from backslide.harness.compaction.strategies.trim import NoCompactionStrategy, TrimStrategy
from backslide.harness.errors import InputError

STRATEGIES: dict[str, str | None] = {
    "handoff": "handoff",
    "naive": "naive",
    "trim": None,
    "no-compaction": None,
    "pi-0.83": "pi",
}
"""Strategy → the built-in prompt of its summarizer, None if it has no summarizer. The first is the default."""


def make_strategy(name: str, prompt: Prompt | None = None) -> Strategy:
    """Return the strategy called `name`, with `prompt` or its own. Raises `InputError` for an unknown name."""
    if name == "trim":
        return TrimStrategy()
    if name == "no-compaction":
        return NoCompactionStrategy()
    own = STRATEGIES.get(name)
    if own is None:
        raise InputError(f"unknown strategy '{name}'", mend=f"known are {', '.join(STRATEGIES)}")
    chosen = prompt or load_prompt(own)
    if name == "handoff":
        return HandoverStrategy("handoff", chosen)
    if name == "naive":
        return HandoverStrategy("naive", chosen, tool_output="truncate", carry_rejections=False)
    from backslide.harness.compaction.strategies.pi import PiStrategy

    return PiStrategy(chosen)
