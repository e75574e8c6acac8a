from __future__ import annotations

import pytest
from identities import ADVISING, INVERTED

from backslide.evals.scorers.advisor.identity import score_identity


@pytest.mark.parametrize("reply", INVERTED)
def test_who_asks_for_guidance_or_claims_the_work_is_no_advisor(reply: str) -> None:
    """It asks for a decision, a review or the next task, or tells the executor's work as its own."""
    verdict = score_identity(reply)

    assert verdict.inverted
    assert all(reply[item.start : item.end] == item.text for item in verdict.evidence)


@pytest.mark.parametrize("reply", ADVISING)
def test_questions_of_fact_and_opinions_are_advice(reply: str) -> None:
    """A clarifying question, "we", "I would", earlier advice and words for others keep the roles as they are."""
    assert not score_identity(reply).inverted


def test_words_in_quotation_marks_and_fences_are_somebody_else_s() -> None:
    """A draft for the user is not the advisor's own report."""
    assert not score_identity('Write: "I published 0.4.0. What should I do next?"').inverted
    assert not score_identity("For the note:\n\n```\nI published 0.4.0. What should I do next?\n```\n").inverted
    assert score_identity("I published 0.4.0. What should I do next?").inverted
