"""Asking again after a passing failure: of turns and of summaries, by both profiles."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from rig import Rig, failed, filler, make_rig, overflowed, said, text

from backslide.harness.control.abort import AbortSignal
from backslide.harness.control.events import (
    AgentEnd,
    AutoRetryEnd,
    AutoRetryStart,
    CompactionStart,
    Event,
    SummarizationRetryAttemptStart,
    SummarizationRetryScheduled,
)
from backslide.harness.control.retry import ExponentialBackoff
from backslide.harness.models.protocol import Reply, metered_usage
from backslide.harness.settings import RetrySettings

BACKOFF = ExponentialBackoff()


def told(rig: Rig, kind: type[Any]) -> list[Any]:
    return [event for event in rig.events if isinstance(event, kind)]


def rig_with(control: str, **options: Any) -> Rig:
    return make_rig("pi-0.83", control=control, retry_policy=BACKOFF, **options)


both = pytest.mark.parametrize("control", ["pi-0.83", "robust"])


@both
def test_a_passing_failure_is_asked_for_again(control: str) -> None:
    """The wait doubles; the failures are in the file and not in the context; the counter ends at zero."""
    rig = rig_with(control)
    rig.turn("go", failed("503 busy"), failed("socket hang up"), said("made it"))

    assert [(start.attempt, start.delay_ms) for start in told(rig, AutoRetryStart)] == [(1, 2000), (2, 4000)]
    assert [(end.success, end.attempt) for end in told(rig, AutoRetryEnd)] == [(True, 2)]
    assert [end.will_retry for end in told(rig, AgentEnd)] == [True, True, False]
    assert [message["role"] for message in rig.agent.messages] == ["user", "assistant"]
    assert len(rig.session.entries) == 4
    assert rig.agent.retry_attempt == 0


@both
def test_a_request_that_is_sent_again_says_so(control: str) -> None:
    """Its payload record has the cause retry."""
    rig = rig_with(control)
    rig.turn("go", failed("503"), said("made it"))
    rig.turn("next", said("fine"))

    assert [request.cause for request in rig.executor.requests] == ["turn", "retry", "turn"]


@both
def test_the_budget_ends(control: str) -> None:
    """After the last attempt the failure is final, and stays in the context."""
    rig = rig_with(control)
    last = rig.turn("go", *(failed(f"503 {number}") for number in range(9)))

    assert last is not None
    assert last["errorMessage"] == "503 3"
    assert len(rig.executor.requests) == 4
    assert [(end.success, end.attempt, end.error) for end in told(rig, AutoRetryEnd)] == [(False, 3, "503 3")]
    assert rig.agent.messages[-1] is last


@both
@pytest.mark.parametrize("words", ["401 bad key", "429 insufficient_quota"])
def test_other_failures_are_final(control: str, words: str) -> None:
    """A wrong key stays wrong, and an empty account empty."""
    rig = rig_with(control)
    rig.turn("go", failed(words))

    assert told(rig, AutoRetryStart) == []


@both
def test_retries_can_be_turned_off(control: str) -> None:
    """And on again, while the agent lives."""
    rig = rig_with(control)
    rig.agent.set_auto_retry(False)
    rig.turn("go", failed("503"))
    assert told(rig, AutoRetryStart) == []

    rig.agent.set_auto_retry(True)
    rig.turn("go", failed("503"), said("made it"))
    assert len(told(rig, AutoRetryStart)) == 1


def test_each_reply_of_a_turn_has_the_whole_budget() -> None:
    """A success in between zeroes the counter."""
    rig = rig_with("pi-0.83")
    call = {"type": "toolCall", "id": "a", "name": "bash", "arguments": {}}
    rig.turn("go", failed("503"), Reply([call], "toolUse"), failed("503"), failed("503"), said("done"))

    assert [start.attempt for start in told(rig, AutoRetryStart)] == [1, 1, 2]


@pytest.mark.parametrize(("control", "waited"), [("pi-0.83", True), ("robust", False)])
def test_an_abort_inside_the_event_is_lost_on_pi(control: str, waited: bool) -> None:
    """Its wait can be stopped only after it was announced; the robust profile hears it."""
    rig = rig_with(control)
    rig.agent.subscribe(lambda event: rig.agent.abort_retry() if isinstance(event, AutoRetryStart) else None)
    rig.turn("go", failed("503"), said("made it"))

    assert (len(rig.executor.requests) == 2) is waited
    assert [end.error for end in told(rig, AutoRetryEnd)] == [None if waited else "Retry cancelled"]


@both
def test_an_abort_during_the_wait_ends_it(control: str) -> None:
    """The failure is final then, out of the context, in the file."""
    rig = rig_with(control)

    def stop(event: Event) -> None:
        if isinstance(event, AutoRetryStart):
            rig.agent.soon(rig.agent.abort)

    rig.agent.subscribe(stop)
    rig.turn("go", failed("503"))

    (end,) = told(rig, AutoRetryEnd)
    assert (end.success, end.error) == (False, "Retry cancelled")
    assert [message["role"] for message in rig.agent.messages] == ["user"]
    assert rig.agent.retry_attempt == 0


def test_the_wait_is_the_callers() -> None:
    """It gets the milliseconds and a signal; what it returns decides."""
    rig = rig_with("pi-0.83")
    waits: list[float] = []

    async def wait(milliseconds: float, signal: AbortSignal) -> bool:
        waits.append(milliseconds)
        return len(waits) < 2

    rig.agent.wait = wait
    rig.turn("go", failed("503"), failed("503"), said("never asked"))

    assert waits == [2000, 4000]
    assert len(rig.executor.requests) == 2


def test_the_backoff_doubles_without_an_end() -> None:
    """No jitter and no cap."""
    settings = RetrySettings(base_delay_ms=3)

    assert [BACKOFF.delay_ms(attempt, settings, "") for attempt in (1, 2, 10)] == [3, 6, 1536]


def grown(control: str, *summaries: Reply) -> Rig:
    rig = make_rig("handoff", control=control, retry_policy=BACKOFF, keep_turns=1, summaries=summaries)
    for number in range(3):
        rig.turn(f"turn {number}: {filler(40, f'u{number}x')}", said(f"reply {number}"))
    return rig


@both
def test_a_summary_is_asked_for_again_with_a_counter_of_its_own(control: str) -> None:
    """The turn's counter has nothing to do with it."""
    rig = grown(control, failed("503 summarizer"), said("the hand-over"))
    rig.turn("big one", Reply([text("ok")], "stop", metered_usage(3500, 5)))

    assert [(event.attempt, event.delay_ms) for event in told(rig, SummarizationRetryScheduled)] == [(1, 2000)]
    (start,) = told(rig, SummarizationRetryAttemptStart)
    assert (start.source, start.reason) == ("compaction", "threshold")
    assert [request.cause for request in rig.summarizer.requests] == ["summarizer", "retry"]
    assert rig.summaries() == ["the hand-over"]
    assert told(rig, AutoRetryStart) == []


@pytest.mark.parametrize(("control", "asked"), [("pi-0.83", 4), ("robust", 1)])
def test_an_overflow_of_the_summarizer_is_retried_by_pi_only(control: str, asked: int) -> None:
    """Pi looks at the digits of the message alone; asking again for what does not fit is in vain."""
    too_long = failed("maximum context length is 5003 tokens")
    rig = grown(control, *([too_long] * 4))
    rig.turn("big one", Reply([text("ok")], "stop", metered_usage(3500, 5)))

    assert len(rig.summarizer.requests) == asked
    assert rig.summaries() == []


def test_an_abort_of_the_compaction_ends_the_summarizers_wait() -> None:
    """The compaction is told as aborted, and nothing has changed."""
    rig = grown("robust", failed("503"), said("never asked"))

    def stop(event: Event) -> None:
        if isinstance(event, SummarizationRetryScheduled):
            rig.agent.abort_compaction()

    rig.agent.subscribe(stop)
    rig.turn("big one", Reply([text("ok")], "stop", metered_usage(3500, 5)))

    (end,) = rig.compactions()
    assert end.aborted
    assert rig.summaries() == []
    assert len(rig.summarizer.requests) == 1


@pytest.mark.parametrize(("control", "compacted"), [("pi-0.83", True), ("robust", False)])
def test_an_abort_inside_the_start_of_a_compaction_is_lost_on_pi(control: str, compacted: bool) -> None:
    """As with the wait for a retry; a compaction by hand can be stopped from its start on."""
    rig = grown(control, said("the hand-over"), said("another"))
    rig.agent.subscribe(lambda event: rig.agent.abort_compaction() if isinstance(event, CompactionStart) else None)
    rig.turn("big one", Reply([text("ok")], "stop", metered_usage(3500, 5)))

    assert bool(rig.summaries()) is compacted
    assert rig.compactions()[0].aborted is not compacted


def test_an_overflow_is_compacted_and_not_retried() -> None:
    """It takes the other way, whatever digits its message has."""
    rig = grown("robust", said("the hand-over"))
    rig.turn("the straw", overflowed(), said("fits"))

    assert told(rig, AutoRetryStart) == []
    assert asyncio.run(rig.agent.wait_for_idle()) is None
