"""Compaction of the advisor's own session: off by default; on, it inverts the advisor's identity (I-7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from advisor_builders import COUNTER, MODEL, Desk, Sage, desk, failing, work, worked

from backslide.harness.advisor import AdvisorCompaction, AdvisorResult
from backslide.harness.models.advisor import ContinuationProneAdvisor
from backslide.harness.models.protocol import Reply
from backslide.harness.models.section_summarizer import SectionSummarizer
from backslide.harness.session import Session
from backslide.harness.settings import CompactionSettings

SMALL = replace(MODEL, context_window=24_000)
SETUP = AdvisorCompaction(settings=CompactionSettings(reserve_tokens=4_000, keep_recent_tokens=500))


def mirrored(**config: Any) -> tuple[Desk, Session]:
    others = {"summarizer": SectionSummarizer(COUNTER.count)}
    sage = ContinuationProneAdvisor(COUNTER.count)
    rig = desk(sage=sage, model=SMALL, others=others, options={"compaction": SETUP}, delivery="mirror", **config)
    return rig, worked(30)


def calls(rig: Desk, session: Session, count: int = 5, turns: int = 12) -> list[AdvisorResult]:
    results = []
    for number in range(count):
        results.append(rig.mirror(session, f"a{number}"))
        for turn in range(turns):
            work(session, 100 * (number + 1) + turn)
    return results


def test_a_compacted_advisor_takes_the_executors_work_for_its_own() -> None:
    """The executor's template, over a mirror of the executor's work: the reply asks for direction and lists milestones."""
    rig, session = mirrored(compaction="on")

    results = calls(rig, session)
    compacted = [entry for entry in rig.own(session).entries if entry["type"] == "compaction"]
    inverted = [result.text for result in results if "I would like your direction" in result.text]

    assert compacted
    assert "## Progress" in compacted[0]["summary"]
    assert inverted
    assert "2. Ran pytest" in inverted[0]
    assert "I would like your direction" not in results[0].text
    assert rig.advisor.status(session)[0].compactions == len(compacted)


def test_compaction_is_off_by_default() -> None:
    """The session grows instead, and the advisor stays one."""
    rig, session = mirrored()

    results = calls(rig, session)

    assert not [entry for entry in rig.own(session).entries if entry["type"] == "compaction"]
    assert not [result for result in results if "I would like your direction" in result.text]
    assert {exchange.request.role for exchange in rig.exchanges} == {"advisor"}


def test_the_mirror_goes_on_after_a_compaction() -> None:
    """The watermark stands in the file, not in the context."""
    rig, session = mirrored(compaction="on")

    kinds = [result.delivery.kind for result in calls(rig, session) if result.delivery]

    assert kinds == ["first", *["update"] * 4]


def test_a_summarizer_that_fails_costs_no_advice() -> None:
    """The advice is given; the failure stands in the advisor's session."""
    others = {"summarizer": Sage([failing("quota"), failing("quota")])}
    rig = desk(model=SMALL, others=others, options={"compaction": SETUP}, delivery="mirror", compaction="on")
    session = worked(40)
    rig.mirror(session)
    for turn in range(33):
        work(session, 100 + turn)

    result = rig.mirror(session, "a2")
    noted = [entry["data"] for entry in rig.own(session).entries if entry.get("customType", "").endswith("-failed")]

    assert result.completed
    assert noted
    assert "quota" in noted[0]["error"]


def test_a_compacted_session_counts_its_summary_as_summary() -> None:
    """The composition stays exact after a compaction."""
    rig, session = mirrored(compaction="on")

    results = calls(rig, session)
    with_summary = [result.measure for result in results if result.measure and "summary" in result.measure.composition]

    assert with_summary
    for measure in with_summary:
        assert sum(measure.composition.values()) == measure.tokens
        assert sum(measure.composition_bytes.values()) == measure.bytes


def test_a_context_that_does_not_fit_is_compacted_and_sent_again() -> None:
    """As a compacting agent recovers: the question is asked once more, and the overflow stays in the file only."""
    rig, session = mirrored(compaction="on")
    rig.mirror(session)
    for turn in range(60):
        work(session, 100 + turn)

    result = rig.mirror(session, "a2")
    replies = [entry["message"] for entry in rig.own(session).entries if entry["type"] == "message"]

    assert (result.completed, result.attempts, result.turn) == (True, 2, 2)
    assert rig.advisor.status(session)[0].compactions > 0
    assert [message["stopReason"] for message in replies if message["role"] == "assistant"] == ["stop", "error", "stop"]
    assert not [entry for entry in rig.own(session).branch() if entry.get("message", {}).get("stopReason") == "error"]


def test_without_compaction_an_overflow_is_an_error_result() -> None:
    """The executor reads that the context did not fit; the next question is not made larger by it."""
    rig, session = mirrored()
    for turn in range(80):
        work(session, 100 + turn)

    result = rig.mirror(session)

    assert "maximum context length" in (result.error or "")
    assert rig.advisor.status(session)[0].failed == 1


def test_no_summary_of_nothing() -> None:
    """A context under the limit is left alone."""
    others = {"summarizer": Sage([Reply([], "error")])}
    rig = desk(model=SMALL, others=others, options={"compaction": SETUP}, compaction="on")

    assert rig.ask(worked(1)).completed
    assert others["summarizer"].requests == []
