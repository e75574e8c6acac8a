from __future__ import annotations

from mailer_rule import RULE, rule

from backslide.evals.scorers.dropped import Fate, fate
from backslide.evals.scorers.retention import PayloadText

PLANT = RULE["planted"][0]["text"]
GONE = "The mailer was improved."
STATED = "Celery is ruled out for mail jobs."


def of(
    before: list[PayloadText], inputs: list[str], outputs: list[str], after: list[PayloadText], lifted: bool = False
) -> Fate:
    return fate(rule(), before, inputs, outputs, after, lifted=lifted)


RAW = [PayloadText("user", PLANT)]
SUMMARY = [PayloadText("summary", STATED, "summary")]
EMPTY = [PayloadText("summary", GONE, "summary")]


def test_a_rule_that_survives_is_lost_at_no_step() -> None:
    """It may survive in the summary or in the kept tail."""
    kept = of(RAW, [PLANT], [STATED], SUMMARY)
    tail = of(RAW, ["x"], [GONE], RAW)
    assert [(item.step, item.unseen) for item in (kept, tail)] == [("none", False), ("none", False)]
    assert (kept.before, kept.input, kept.output, kept.after, kept.carrier) == (
        "verbatim", "verbatim", "stated", "stated", "kept-raw"
    )  # fmt: skip


def test_dropped_unseen_was_shown_to_no_summarizer() -> None:
    """It was in the context before, in no summarizer input, and not in the context after."""
    found = of(RAW, ["the first 500 characters of a long message"], [GONE], EMPTY)
    assert (found.step, found.unseen) == ("trimmed-before-summarizer", True)


def test_what_the_summarizer_saw_and_left_out_is_its_own_loss() -> None:
    """From raw turns it was dropped by the summarizer, from the previous summary at an update."""
    first = of(RAW, [PLANT], [GONE], EMPTY)
    update = of(SUMMARY, [STATED], [GONE], EMPTY)
    assert [(item.step, item.unseen) for item in (first, update)] == [
        ("dropped-by-summarizer", False),
        ("dropped-at-update", False),
    ]


def test_a_summary_that_does_not_reach_the_context_is_lost_on_rebuild() -> None:
    """The summarizer kept it, the rebuilt context does not hold it."""
    assert of(RAW, [PLANT], [STATED], EMPTY).step == "dropped-on-rebuild"


def test_several_requests_of_one_compaction_are_read_together() -> None:
    """It is enough that one of the summarizer's inputs holds the rule."""
    assert of(RAW, ["x", PLANT], ["y", GONE], EMPTY).step == "dropped-by-summarizer"


def test_a_lifted_rule_and_one_that_was_not_there_are_no_loss() -> None:
    """Nothing is lost that should not or could not be kept."""
    assert of(RAW, [PLANT], [GONE], EMPTY, lifted=True).step == "lifted"
    assert of(EMPTY, [GONE], [GONE], EMPTY).step == "none"
