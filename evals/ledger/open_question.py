"""The question that the original ledger left open: how often would raw evidence have changed the advice?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backslide.evals.ledger.model import ArtifactAnswer
from backslide.evals.ledger.script import drive_script
from backslide.evals.ledger.setup import AdvisorSetup
from backslide.harness.advisor import AdvisorConfig, AdvisorResult
from backslide.scenarios import Scenario

_FIRST = re.compile(r".*?(?:[.!?](?=\s|$)|[。！？]|\n|\Z)", re.DOTALL)


def artifact_answer(scenarios: Sequence[Scenario]) -> ArtifactAnswer:
    """Return how the advice on the same briefs differs with and without artifacts."""
    pairs: list[tuple[AdvisorResult, AdvisorResult]] = []
    for scenario in scenarios:
        plain, backed = (
            drive_script(scenario, AdvisorSetup(config)).consulted
            for config in (AdvisorConfig(evidence="claims"), AdvisorConfig(evidence="artifacts"))
        )
        pairs += [(one.result, other.result) for one, other in zip(plain, backed, strict=True)]
    answered = [(one, other) for one, other in pairs if one.completed and other.completed]
    return ArtifactAnswer(
        briefs=len(answered),
        with_artifacts=sum(
            other.delivery is not None and "tool_results" in other.delivery.characters for _, other in answered
        ),
        reworded=sum(one.text != other.text for one, other in answered),
        redirected=sum(_first(one.text) != _first(other.text) for one, other in answered),
    )


def _first(text: str) -> str:
    match = _FIRST.match(text.strip())
    return match[0] if match else ""
