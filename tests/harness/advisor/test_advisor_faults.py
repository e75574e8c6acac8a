"""Faults of a call, a resume after each: nothing lost, nothing sent twice silently, everything in the status."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from advisor_builders import BRIEF, TOOLS, Answer, Desk, advisor_call, desk, executor, failing, text, worked

from backslide.harness.advisor import AdvisorStatus, Brief, advisor_path
from backslide.harness.models.protocol import Reply, Request
from backslide.harness.session import Session

ASKED = Brief("Which queue?")
AGAIN = Brief("Which queue, given the tests?")


async def never(_request: Request) -> Reply:
    await asyncio.Event().wait()
    return failing()


def status(rig: Desk, session: Session) -> AdvisorStatus:
    (found,) = rig.advisor.status(session)
    return found


def questions(rig: Desk, number: int = -1) -> list[str]:
    """The questions in one request, oldest first."""
    return [line.split("## Question\n")[1].split("\n")[0] for line in rig.sage.sent(number) if "## Question" in line]


FAULTS: list[tuple[str, list[Answer], str]] = [
    ("failed", [failing("WebSocket error")], "WebSocket error"),
    ("failed", [never], "no answer within 0.01 s"),
    ("aborted", [Reply([], "aborted")], "the call was aborted"),
    ("empty", ["", ""], "the advisor answered with nothing"),
    ("cut_off", [Reply([text("Take")], "length")], "cut off at its output limit"),
]


@pytest.mark.parametrize(("count", "answers", "error"), FAULTS, ids=[f"{fault[0]}-{fault[2][:9]}" for fault in FAULTS])
def test_a_fault_is_an_error_result_and_the_next_call_is_clean(
    count: str, answers: list[Answer], error: str, tmp_path: Path
) -> None:
    """After a restart too: the failed question stays in the file and is in no later request."""
    session = executor()
    rig = desk("Take the table.", *answers, folder=tmp_path, timeout_s=0.01)
    rig.ask(session, Brief("Shall I begin?"))

    result = rig.ask(session, ASKED)
    rig.advisor.close()
    later = desk("The table.", folder=tmp_path)
    after = later.ask(session, AGAIN)

    assert error in (result.error or "")
    assert (result.completed, result.turn) == (False, 1)
    assert (after.completed, after.turn) == (True, 2)
    assert questions(later) == ["Shall I begin?", "Which queue, given the tests?"]
    assert "Which queue?" in advisor_path(tmp_path, "exec-1").read_text()
    assert getattr(status(later, session), count) == 1
    assert (status(later, session).calls, status(later, session).turns) == (3, 2)


def test_a_question_is_on_disk_before_it_is_sent(tmp_path: Path) -> None:
    """Even the first one, when an ordinary session would have no file yet."""
    seen: list[str] = []

    async def looking(_request: Request) -> Reply:
        seen.append(advisor_path(tmp_path, "exec-1").read_text())
        return Reply([text("Yes.")], "stop")

    desk(looking, folder=tmp_path).ask(executor(), ASKED)

    assert "Which queue?" in seen[0]


@pytest.mark.parametrize("turns_before", [0, 1])
def test_a_process_that_was_killed_between_question_and_answer(tmp_path: Path, turns_before: int) -> None:
    """The file ends on the question. It is counted as unanswered, and not sent again behind the executor's back."""
    session = executor()
    rig = desk(folder=tmp_path)
    for number in range(turns_before):
        rig.ask(session, Brief(f"Before {number}?"))
    rig.ask(session, ASKED)
    rig.advisor.close()
    path = advisor_path(tmp_path, "exec-1")
    lines = path.read_bytes().splitlines(keepends=True)
    assert b'"role":"assistant"' in lines[-1]
    path.write_bytes(b"".join(lines[:-1]))

    resumed = desk(folder=tmp_path)
    before = status(resumed, session)
    result = resumed.ask(session, AGAIN)

    assert (before.turns, before.unanswered, before.in_flight) == (turns_before, 1, False)
    assert (result.completed, result.turn) == (True, turns_before + 1)
    assert "Which queue?" not in questions(resumed)
    assert status(resumed, session).unanswered == 1
    assert "unanswered" in status(resumed, session).line()
    assert Session.open(path).problems == []


def test_a_torn_question_is_dropped(tmp_path: Path) -> None:
    """A kill in the middle of a line loses that line only."""
    session = executor()
    rig = desk(folder=tmp_path)
    rig.ask(session, Brief("Before?"))
    rig.advisor.close()
    path = advisor_path(tmp_path, "exec-1")
    with path.open("ab") as file:
        file.write(b'{"type":"message","id":"torn')

    resumed = desk(folder=tmp_path)
    result = resumed.ask(session, AGAIN)

    assert (result.completed, result.turn) == (True, 2)
    assert questions(resumed) == ["Before?", "Which queue, given the tests?"]


def test_a_kill_between_answer_and_state_sends_nothing_twice(tmp_path: Path) -> None:
    """The answered question itself tells how far the mirror had got."""
    session = worked(3)
    rig = desk(folder=tmp_path, delivery="mirror")
    advisor_call(session)
    rig.ask(session, None, tools=TOOLS)
    rig.advisor.close()
    path = advisor_path(tmp_path, "exec-1")
    lines = path.read_bytes().splitlines(keepends=True)
    assert b"mirror-state" in lines[-1]
    path.write_bytes(b"".join(lines[:-1]))

    resumed = desk(folder=tmp_path, delivery="mirror")
    result = resumed.ask(session, None, tools=TOOLS)

    assert result.delivery is not None
    assert result.delivery.kind == "update"
    assert "Page 1 sorts twice" not in result.delivery.text


def test_a_mirror_that_was_killed_is_delivered_whole_and_said_to_be_a_repetition(tmp_path: Path) -> None:
    """What may or may not have arrived is sent once more, in one copy, and the status says so."""
    session = worked(3)
    rig = desk(failing(), folder=tmp_path, delivery="mirror")
    advisor_call(session)
    rig.ask(session, None, tools=TOOLS)
    rig.advisor.close()

    resumed = desk(folder=tmp_path, delivery="mirror")
    result = resumed.ask(session, None, tools=TOOLS)

    assert result.delivery is not None
    assert (result.delivery.kind, result.delivery.after_failures, result.delivery.stacked) == ("first", 1, 0)
    assert resumed.sage.requests[-1].body.decode().count("Page 1 sorts twice") == 1
    assert status(resumed, session).repeated == 1
    assert "1 sent again after a failure" in status(resumed, session).line()


def test_the_same_brief_after_a_failure_counts_as_sent_again() -> None:
    """Another brief does not."""
    rig, session = desk(failing(), failing()), executor()
    rig.ask(session, ASKED)
    rig.ask(session, ASKED)
    rig.ask(session, AGAIN)

    assert status(rig, session).repeated == 1


def test_resend_keeps_failed_questions_in_the_context() -> None:
    """The defect: each failure makes every later request larger."""
    rig, session = desk(failing(), failing(), failed_delivery="resend"), executor()
    for _ in range(3):
        rig.ask(session, ASKED)

    assert [len(questions(rig, number)) for number in range(3)] == [1, 2, 3]


def test_an_abort_ends_the_call_and_not_the_executor() -> None:
    """The waiting call behind it goes on."""
    rig, session = desk(never, "The table."), executor()

    async def aborting() -> list[str | None]:
        calls = [asyncio.ensure_future(rig.advisor.consult(session, brief)) for brief in (ASKED, AGAIN)]
        while not rig.sage.requests:
            await asyncio.sleep(0)
        under_way = status(rig, session)
        assert (under_way.in_flight, under_way.calls, under_way.unanswered) == (True, 1, 0)
        assert "one under way" in under_way.line()
        assert rig.advisor.abort(session)
        return [result.error for result in await asyncio.gather(*calls)]

    assert asyncio.run(aborting()) == ["the call was aborted", None]
    assert (status(rig, session).aborted, status(rig, session).turns) == (1, 1)
    assert not rig.advisor.abort(session)
    assert questions(rig) == ["Which queue, given the tests?"]


def test_a_cancelled_executor_leaves_a_session_that_goes_on() -> None:
    """The cancellation is passed on; the call is recorded as aborted and the next one gets through."""
    rig, session = desk(never), executor()

    async def cancelling() -> None:
        asked = asyncio.ensure_future(rig.advisor.consult(session, ASKED))
        while not rig.sage.requests:
            await asyncio.sleep(0)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert status(rig, session).aborted == 1
        assert (await rig.advisor.consult(session, AGAIN)).completed

    asyncio.run(cancelling())

    assert not status(rig, session).in_flight


def test_a_timeout_stops_the_request() -> None:
    """What answers too late is stopped, not left behind."""
    stopped: list[bool] = []

    async def late(_request: Request) -> Reply:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append(True)
            raise
        return failing()

    rig = desk(late, timeout_s=0.01)
    asyncio.run(rig.advisor.consult(executor(), ASKED))

    assert stopped == [True]


def test_a_file_that_is_no_session_is_an_error_result(tmp_path: Path) -> None:
    """It is named, left as it is, and nothing is paid."""
    path = advisor_path(tmp_path, "exec-1")
    path.write_text("not a session\n")
    rig = desk(folder=tmp_path)

    result = rig.ask(executor(), ASKED)

    assert str(path) in (result.error or "")
    assert rig.sage.requests == []
    assert path.read_text() == "not a session\n"


def test_two_executors_fail_apart() -> None:
    """One's failure is not in the other's status or session."""
    rig = desk(failing(), "The table.")
    one, two = executor(session_id="one"), executor(session_id="two")

    rig.ask(one, ASKED)
    fine = rig.ask(two, ASKED)

    assert fine.completed
    assert (status(rig, one).failed, status(rig, two).failed) == (1, 0)


def test_status_tells_turns_tools_and_the_size_of_the_history(tmp_path: Path) -> None:
    """The size grows with the history and is labelled as that."""
    rig, session = desk(folder=tmp_path), executor()
    rig.ask(session)
    first = status(rig, session)
    rig.ask(session)
    second = status(rig, session)

    assert (second.turns, second.tools) == (2, 0)
    assert second.stored_bytes == advisor_path(tmp_path, "exec-1").stat().st_size > first.stored_bytes
    assert "not tokens or cost" in second.line()
    assert second.document()["storedBytes"] == {
        "value": second.stored_bytes,
        "meaning": "size of the stored history, not tokens or cost",
    }


def test_status_of_a_session_in_memory_is_what_a_file_would_hold(tmp_path: Path) -> None:
    """The same calls weigh the same."""
    stored, memory, session = desk(folder=tmp_path), desk(), executor()
    stored.ask(session)
    memory.ask(session)

    assert abs(status(stored, session).stored_bytes - status(memory, session).stored_bytes) < 10


def test_without_observability_there_is_no_status() -> None:
    """I-6: nobody can see how large a session has grown."""
    rig, session = desk(status="none"), executor()
    rig.ask(session, BRIEF)

    assert rig.advisor.status(session) == rig.advisor.status() == ()


def test_status_of_an_executor_that_never_asked() -> None:
    """Asking for a status creates nothing."""
    rig = desk()

    assert rig.advisor.status(executor()) == ()
    assert rig.advisor.pool.sessions == ()
