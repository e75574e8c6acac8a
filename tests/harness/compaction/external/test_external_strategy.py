from __future__ import annotations

import asyncio
import gc
import json
from pathlib import Path
from typing import Any

import pytest
from compactor_builders import (
    QUICK,
    Scribe,
    compact,
    context_of,
    gone,
    module,
    program,
    session_of,
    talk,
    user,
    wait_until,
)

from backslide.harness.compaction.external import (
    CompactorError,
    ExternalStrategy,
    Limits,
    NothingToCompactError,
    external_strategy,
)
from backslide.harness.compaction.strategies.base import SummaryRequest
from backslide.harness.models.protocol import Reply
from backslide.harness.session import Session

REMEMBERING = """
class Remembering:
    def open(self, system, keep):
        self.told = []
        self.extensions = 0
        return self
    def extend(self, messages):
        self.told += messages
        self.extensions += 1
    def compact(self, model):
        ids = " ".join(m.get("id", "-") for m in self.told)
        written = {"kind": "summary", "role": "user", "content": f"{self.extensions}: {ids}"}
        return [written, *self.told[-4:]]
"""


def add(session: Session, messages: list[dict[str, Any]]) -> None:
    for message in messages:
        session.append_message(message)


def run_twice(strategy: ExternalStrategy, session: Session, between: Any = None) -> tuple[Any, Any]:
    """Compact, let something happen, add a turn, and compact again."""

    async def run() -> tuple[Any, Any]:
        try:
            first = await compact(strategy, session, Scribe(), context_of())
            if between is not None:
                between(session)
            add(session, talk(1))
            return first, await compact(strategy, session, Scribe(), context_of())
        finally:
            await strategy.aclose()

    return asyncio.run(run())


def test_a_session_is_told_only_what_is_newer(tmp_path: Path) -> None:
    """The second compaction extends the session by what came after the first, not by our own summary."""
    session = session_of(*talk(3))
    first, second = run_twice(external_strategy(module(tmp_path, REMEMBERING, "Remembering")), session)

    assert first.summary == "1: " + " ".join(f"e{n}" for n in range(1, 13))
    assert second.summary == "2: " + " ".join(f"e{n}" for n in [*range(1, 13), *range(14, 18)])
    assert (first.details["session"], second.details["session"]) == ("opened", "continued")
    assert second.first_kept_entry_id == "e14"


def test_another_branch_opens_a_new_session(tmp_path: Path) -> None:
    """Where the context did not just grow, a new session is given all of it, the summary first."""
    session = session_of(*talk(3))
    strategy = external_strategy(module(tmp_path, REMEMBERING, "Remembering"))

    def branch(session: Session) -> None:
        session.move_to("e12")
        session.append_compaction(summary="another", first_kept_entry_id="e9", tokens_before=1)

    _, second = run_twice(strategy, session, branch)

    assert second.summary == "1: e14 e9 e10 e11 e12 e15 e16 e17 e18"
    assert second.details["session"] == "opened"


def test_a_stateless_compactor_gets_back_what_it_returned(tmp_path: Path) -> None:
    """Its own messages keep their kinds; they are not melted into our summary."""
    code = """
    def compact(messages, model):
        shown = " ".join(f"{m['kind']}:{m.get('id', m['content'])}" for m in messages)
        note = {"kind": "placeholder", "role": "system", "content": "cut"}
        return [note, {"kind": "summary", "role": "user", "content": shown}, *messages[-4:]]
    """
    first, second = run_twice(external_strategy(module(tmp_path, code)), session_of(*talk(3)))

    assert first.details["kinds"] == ["placeholder", "summary"]
    assert second.summary.startswith("cut\n\nplaceholder:cut summary:raw:e1 raw:e2 ")
    assert second.summary.endswith("raw:e12 raw:e14 raw:e15 raw:e16 raw:e17")


def test_the_record_holds_what_the_summarizer_saw(tmp_path: Path) -> None:
    """Every exchange of a compaction is at hand afterwards, of a failed one too."""
    strategy = external_strategy(program(tmp_path), limits=QUICK)
    session = session_of(*talk())

    async def run() -> None:
        try:
            await compact(strategy, session, Scribe("first"), context_of())
            record = strategy.last
            assert record is not None
            assert [(item.request.text, item.reply.text) for item in record.exchanges] == [("Sum up.", "first")]
            assert [message.kind for message in record.messages] == ["summary", "raw", "raw", "raw", "raw"]
            add(session, talk(1))
            with pytest.raises(CompactorError):
                await compact(strategy, session, Scribe("x" * 10_000), context_of())
        finally:
            await strategy.aclose()

    asyncio.run(run())

    assert strategy.last is not None
    assert (strategy.last.status, len(strategy.last.exchanges)) == ("error", 1)
    assert "larger than before" in str(strategy.last.error)


def test_requests_tell_first_from_later_compactions(tmp_path: Path) -> None:
    """A compaction of a conversation that begins with a summary is an update."""
    strategy = external_strategy(program(tmp_path), limits=QUICK)
    session = session_of(*talk())
    scribe = Scribe()

    async def run() -> None:
        try:
            await compact(strategy, session, scribe, context_of())
            add(session, talk(2))
            await compact(strategy, session, scribe, context_of())
        finally:
            await strategy.aclose()

    asyncio.run(run())

    assert [request.kind for request in scribe.asked] == ["initial", "update"]


def test_there_is_no_plan_without_anything_new(tmp_path: Path) -> None:
    """An empty session, and one that was just compacted, have nothing to compact."""
    strategy = external_strategy(module(tmp_path, REMEMBERING, "Remembering"))
    session = session_of(*talk(3))
    asyncio.run(compact(strategy, session, Scribe(), context_of()))

    assert strategy.plan(session_of(), context_of()) is None
    assert strategy.plan(session, context_of()) is None


def test_a_no_op_keeps_the_session_open(tmp_path: Path) -> None:
    """A session that saw nothing to gain is asked again with what is newer."""
    code = """
    class Patient:
        def open(self, system, keep):
            self.told = []
            return self
        def extend(self, messages):
            self.told += messages
        def compact(self, model):
            if len(self.told) < 16:
                return {"status": "no-op"}
            return [{"kind": "summary", "role": "user", "content": f"{len(self.told)}"}, *self.told[-4:]]
    """
    strategy = external_strategy(module(tmp_path, code, "Patient"))
    session = session_of(*talk(3))

    async def run() -> Any:
        with pytest.raises(NothingToCompactError):
            await compact(strategy, session, Scribe(), context_of())
        add(session, talk(1))
        return await compact(strategy, session, Scribe(), context_of())

    done = asyncio.run(run())

    assert (done.summary, done.details["session"]) == ("16", "continued")


def test_a_cancelled_compaction_leaves_no_program_and_can_be_repeated(tmp_path: Path) -> None:
    """Cancelling ends the program at once; the next compaction starts a new one."""
    pids = tmp_path / "pids"
    spec = program(
        tmp_path,
        hello=f"open({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n')\nsend({{'type': 'hello', 'version': 1}})",
    )
    strategy = external_strategy(spec, limits=QUICK)
    session = session_of(*talk())
    asked = asyncio.Event()

    async def never(request: SummaryRequest) -> Reply:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    async def run() -> tuple[bool, str]:
        task = asyncio.ensure_future(compact(strategy, session, never, context_of()))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        ended = gone(int(pids.read_text().split()[0]))
        done = await compact(strategy, session, Scribe(), context_of())
        await strategy.aclose()
        return ended, done.summary

    assert asyncio.run(run()) == (True, "the summary")
    assert all(gone(int(pid)) for pid in pids.read_text().split())


def test_a_cancelled_python_compactor_gets_no_more_answers(tmp_path: Path) -> None:
    """Its waiting request ends with an exception, so that its thread comes to an end."""
    log = tmp_path / "log"
    code = f"""
    from pathlib import Path
    def compact(messages, model):
        try:
            model.complete("x")
        finally:
            Path({str(log)!r}).write_text("ended")
    """
    strategy = external_strategy(module(tmp_path, code))
    asked = asyncio.Event()

    async def never(request: SummaryRequest) -> Reply:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    async def run() -> None:
        task = asyncio.ensure_future(compact(strategy, session_of(*talk()), never, context_of()))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(wait_until, log.exists)

    asyncio.run(run())


def test_a_compactor_that_keeps_failing_is_given_up(tmp_path: Path) -> None:
    """After three failures in a row it is not started again; the error says why."""
    starts = tmp_path / "starts"
    strategy = external_strategy(program(tmp_path, hello=f"open({str(starts)!r}, 'a').write('x')\nsys.exit(5)"))
    session = session_of(*talk())

    async def faults() -> list[str]:
        found = []
        for _ in range(4):
            with pytest.raises(CompactorError) as caught:
                await compact(strategy, session, Scribe(), context_of())
            found.append(caught.value.fault)
        assert "failed 3 times in a row, at last: " in str(caught.value)
        assert "exited with status 5" in str(caught.value)
        return found

    assert asyncio.run(faults()) == ["exit", "exit", "exit", "gave-up"]
    assert starts.read_text() == "xxx"


def test_a_program_that_ended_between_compactions_is_named(tmp_path: Path) -> None:
    """It may not end before bye."""
    answer = 'answer([{"kind": "summary", "role": "user", "content": "x"}, *held[-4:]]); break'
    with pytest.raises(CompactorError, match="exited with status 0 before it answered extend"):
        run_twice(external_strategy(program(tmp_path, compact=answer), limits=QUICK), session_of(*talk()))


def test_a_program_that_ignores_bye_is_killed(tmp_path: Path) -> None:
    """Closing never hangs and never raises."""
    pids = tmp_path / "pid"
    spec = program(
        tmp_path,
        hello=f"open({str(pids)!r}, 'w').write(str(os.getpid()))\nsend({{'type': 'hello', 'version': 1}})",
        bye="time.sleep(600)",
    )
    strategy = external_strategy(spec, limits=Limits(exit_seconds=0.1))

    async def run() -> None:
        await compact(strategy, session_of(*talk()), Scribe(), context_of())
        await strategy.aclose()

    asyncio.run(run())

    assert gone(int(pids.read_text()))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
def test_each_event_loop_gets_a_program_of_its_own(tmp_path: Path) -> None:
    """A strategy used in one loop after another opens a new session, and none is left behind."""
    pids = tmp_path / "pids"
    spec = program(
        tmp_path,
        hello=f"open({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n')\nsend({{'type': 'hello', 'version': 1}})",
    )
    strategy = external_strategy(spec, limits=QUICK)
    session = session_of(*talk())
    asyncio.run(compact(strategy, session, Scribe(), context_of()))
    add(session, talk(2))

    async def again() -> Any:
        done = await compact(strategy, session, Scribe(), context_of())
        await strategy.aclose()
        return done

    assert asyncio.run(again()).details["session"] == "opened"
    first, second = map(int, pids.read_text().split())
    assert gone(second)
    assert wait_until(lambda: gone(first))
    gc.collect()


def test_details_are_plain_json(tmp_path: Path) -> None:
    """A compaction entry says how it came about."""
    strategy = external_strategy(program(tmp_path), name="mine", limits=QUICK)
    session = session_of(*talk(), user("and now?"))

    async def run() -> Any:
        done = await compact(strategy, session, Scribe(), context_of())
        await strategy.aclose()
        return done

    details = asyncio.run(run()).details
    compactor = details.pop("compactor")

    assert compactor.endswith("program.py")
    assert strategy.name == "mine"
    assert json.loads(json.dumps(details)) == {
        "strategy": "external",
        "status": "compacted",
        "dropped": 21,
        "kinds": ["summary"],
        "kept": 4,
        "lastUser": "raw",
        "requests": 1,
        "session": "opened",
    }
