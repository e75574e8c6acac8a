from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from advisor_builders import BRIEF, Desk, desk, executor, text

from backslide.harness.advisor import Brief, advisor_path, advisor_session_id
from backslide.harness.models.protocol import Reply, Request
from backslide.harness.session import Session


def test_calls_on_one_session_are_serialized() -> None:
    """Parallel calls share one session, one file and one order; none sees another's half-finished turn."""
    inside = 0
    most = 0

    async def slow(request: Request) -> Reply:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        for _ in range(3):
            await asyncio.sleep(0)
        inside -= 1
        return Reply([text(f"Answer with {len(request.messages)} messages.")], "stop")

    rig, session = desk(slow, slow, slow), executor()

    async def three() -> list[str]:
        results = await asyncio.gather(*(rig.advisor.consult(session, Brief(f"Question {n}?")) for n in range(3)))
        return [result.text for result in results]

    assert asyncio.run(three()) == [f"Answer with {count} messages." for count in (2, 4, 6)]
    assert most == 1
    assert len(rig.advisor.pool.sessions) == 1
    assert rig.advisor.status(session)[0].turns == 3


def test_two_executors_have_two_advisors(tmp_path: Path) -> None:
    """At the same time, in files of their own; neither waits for the other or sees its questions."""
    both = asyncio.Event()
    waiting = 0

    async def meeting(request: Request) -> Reply:
        nonlocal waiting
        waiting += 1
        if waiting == 2:
            both.set()
        await both.wait()
        return Reply([text(str("one?" in request.body.decode()))], "stop")

    rig = desk(meeting, meeting, folder=tmp_path)
    one, two = executor(session_id="one"), executor(session_id="two")

    async def together() -> list[str]:
        asked = (rig.advisor.consult(one, Brief("one?")), rig.advisor.consult(two, Brief("two?")))
        return [result.text for result in await asyncio.gather(*asked)]

    assert asyncio.run(together()) == ["True", "False"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["advisor-one.jsonl", "advisor-two.jsonl"]


def test_parallel_first_calls_create_one_file(tmp_path: Path) -> None:
    """No second session, no error about a path that is taken."""
    rig, session = desk(folder=tmp_path), executor()

    async def both() -> None:
        await asyncio.gather(*(rig.advisor.consult(session, BRIEF) for _ in range(2)))

    asyncio.run(both())

    assert len(list(tmp_path.iterdir())) == 1
    assert rig.advisor.status(session)[0].turns == 2


def reopened(rig: Desk, folder: Path, *answers: str) -> Desk:
    """The same advisor in a new process."""
    rig.advisor.close()
    return desk(*answers, folder=folder)


def test_resuming_an_executor_resumes_its_advisor(tmp_path: Path) -> None:
    """The path is derived from the executor's session id, so the history is found again."""
    rig, session = desk("Drop it.", folder=tmp_path), executor(tmp_path / "exec.jsonl", session_id="exec-7")
    rig.ask(session)
    session.append_message({"role": "assistant", "content": [text("Dropped.")], "stopReason": "stop"})
    session.close()

    again = reopened(rig, tmp_path, "Yes.")
    result = again.ask(Session.open(tmp_path / "exec.jsonl"), Brief("Really?"))

    assert (result.turn, result.session_id) == (2, "advisor-exec-7")
    assert "assistant: Drop it." in again.sage.sent()


def test_a_new_session_or_a_fork_gets_another_advisor(tmp_path: Path) -> None:
    """Their ids differ."""
    rig, session = desk(folder=tmp_path), executor(session_id="old")
    session.append_message({"role": "user", "content": [text("hi")]})
    rig.ask(session)

    results = [rig.ask(session.fork(None)), rig.ask(executor(session_id="new"))]

    assert [result.turn for result in results] == [1, 1]
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("executor_id", ["a/b", "..", "x" * 300, "", "名字"])
def test_an_id_that_is_no_file_name_is_replaced_by_a_digest(executor_id: str) -> None:
    """The file stays in its folder, and the same id gives the same file."""
    path = advisor_path(Path("/notes"), executor_id)

    assert path.parent == Path("/notes")
    assert len(path.name) < 60
    assert advisor_session_id(executor_id) == path.stem == advisor_session_id(executor_id)


def test_the_file_is_a_session_that_can_be_opened(tmp_path: Path) -> None:
    """Pi session format: header, model, effort, question, answer, without problems."""
    rig, session = desk(folder=tmp_path), executor()
    rig.ask(session)
    rig.advisor.close()

    stored = Session.open(advisor_path(tmp_path, "exec-1"))

    assert stored.problems == []
    kinds = ["model_change", "thinking_level_change", "message", "message"]
    assert [entry["type"] for entry in stored.entries] == kinds


def test_calls_from_one_event_loop_after_another() -> None:
    """A lock that another loop had waited on does not stand in the way."""
    session = executor()
    rig = desk()

    async def two() -> None:
        await asyncio.gather(rig.advisor.consult(session, BRIEF), rig.advisor.consult(session, BRIEF))

    asyncio.run(two())
    asyncio.run(two())

    assert rig.advisor.status(session)[0].turns == 4
