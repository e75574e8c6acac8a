"""Which model serves which role, by the names that the command line takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backslide.evals.controls import CONTROLS, control_executor
from backslide.harness.errors import InputError, nearest
from backslide.harness.models.cards import BehaviourCard
from backslide.harness.models.protocol import Model

EXECUTORS = ("sim", "sim:noisy", *CONTROLS)
SUMMARIZERS = ("sim", "sim:noisy", "sim:extractive")
NOISE = 0.1
"""Share of the requests that the noisy executor misreads, and of the sentences that the noisy summarizer overlooks."""

Count = Callable[[str], int]


def check_backends(executor: str, summarizer: str) -> None:
    """Raise `InputError` for a backend that does not exist, naming the nearest."""
    for role, name, known in (("executor", executor, EXECUTORS), ("summarizer", summarizer, SUMMARIZERS)):
        if name not in known:
            near = nearest(name, known)
            raise InputError(
                f"unknown {role} backend '{name}'",
                mend=f"did you mean '{near}'?" if near else f"known are {', '.join(known)}",
            )


def is_simulated(executor: str, summarizer: str) -> bool:
    """Return whether any of the roles is served by written-down rules."""
    return executor in EXECUTORS or summarizer in SUMMARIZERS


def make_executor(name: str, cards: Sequence[BehaviourCard], count: Count, seed: int) -> Model:
    """Return the executor that answers probes."""
    if name in CONTROLS:
        return control_executor(name, cards, count)
    from backslide.harness.models.literal import LiteralExecutor
    from backslide.harness.models.rules_file import RulesFileReader

    noise = NOISE if name == "sim:noisy" else 0.0
    return LiteralExecutor(cards, count, seed=seed, noise=noise, opening=RulesFileReader(count))


def make_summarizer(name: str, count: Count, seed: int) -> Model:
    """Return the summarizer."""
    if name == "sim:extractive":
        from backslide.harness.models.extractive_summarizer import ExtractiveSummarizer

        return ExtractiveSummarizer(count)
    from backslide.harness.models.section_summarizer import SectionSummarizer

    return SectionSummarizer(count, seed=seed, noise=NOISE if name == "sim:noisy" else 0.0)
