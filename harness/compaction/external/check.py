"""Does a compactor keep to the protocol? A scripted conversation and a few mishaps, with a verdict for each rule."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from backslide.harness.compaction.external.check_rules import CheckResult, MainRun, judge, stage_of
from backslide.harness.compaction.external.check_script import (
    HUGE_CHARS,
    REJECTION,
    REJECTION_TURN,
    TURNS,
    PerfectSummarizer,
    add_turns,
    new_session,
    script_context,
    user_sentence,
)
from backslide.harness.compaction.external.conversation import read_conversation
from backslide.harness.compaction.external.desk import Desk
from backslide.harness.compaction.external.driver import Driver, Source
from backslide.harness.compaction.external.errors import CompactorError, Fault, NothingToCompactError
from backslide.harness.compaction.external.loader import load_compactor
from backslide.harness.compaction.external.outcome import Reader, settled
from backslide.harness.compaction.external.program import ProgramDriver
from backslide.harness.compaction.external.protocol import Keep, Limits
from backslide.harness.compaction.external.strategy import ExternalStrategy
from backslide.harness.compaction.strategies.base import Ask, Compacted, CompactionError
from backslide.harness.errors import InputError
from backslide.harness.session import Session

HALF = TURNS // 2
ACCEPTED: frozenset[Fault] = frozenset({"refused"})
"""An error that a compactor reports in due form is an answer."""


def check_compactor(spec: str, limits: Limits | None = None) -> list[CheckResult]:
    """Return a verdict for each rule of the protocol; not for use inside an event loop."""
    return asyncio.run(run_checks(spec, limits))


async def run_checks(spec: str, limits: Limits | None = None) -> list[CheckResult]:
    """Return a verdict for each rule of the protocol. Never raises for what the compactor does."""
    limits = limits or Limits(compact_seconds=30.0)
    try:
        source = load_compactor(spec)
    except InputError as error:
        return [CheckResult("found", False, error.line())]
    results = [CheckResult("found", True, source.label)]
    main = await _play(source, limits)
    results += judge(main)
    if main.error is not None and stage_of(main.error) == 1:
        return results
    mishaps: tuple[tuple[str, Callable[[Source, Limits], Awaitable[str]]], ...] = (
        ("empty session", _empty),
        ("huge message", _huge),
        ("summarizer error", _summarizer_error),
        ("cancellation", _cancellation),
        ("bye", _bye),
    )
    if main.error is None:
        results.append(_determinism(main, await _play(source, limits)))
    for name, check in mishaps:
        try:
            results.append(CheckResult(name, True, await check(source, limits)))
        except CompactionError as error:
            results.append(CheckResult(name, False, str(error)))
    if main.error is None:
        results.append(_rejection(main))
    return results


async def _play(source: Source, limits: Limits) -> MainRun:
    """Play the conversation, compact half-way and again in the middle of the last turn."""
    main = MainRun([], [], [], [])
    session, summarizer, strategy = new_session(), PerfectSummarizer(), ExternalStrategy(source, limits=limits)
    try:
        for first, last in ((1, HALF), (HALF + 1, TURNS)):
            add_turns(session, first, last, finished=last < TURNS)
            before = _size(session)
            done = await _compact(strategy, session, summarizer)
            session.append_compaction(
                summary=done.summary,
                first_kept_entry_id=done.first_kept_entry_id,
                tokens_before=done.tokens_before,
                details=done.details,
            )
            main.compactions.append(done)
            main.sizes.append((before, _size(session)))
            main.survives.append(REJECTION in str(session.context().messages))
    except CompactionError as error:
        main.error = error
    finally:
        await strategy.aclose()
    main.asked = [f"{request.system}\n{request.text}" for request in summarizer.asked]
    return main


async def _compact(strategy: ExternalStrategy, session: Session, ask: Ask) -> Compacted:
    context = script_context()
    plan = strategy.plan(session, context)
    if plan is None:
        raise NothingToCompactError("there was nothing to compact")
    return await strategy.compact(plan, context, ask)


def _size(session: Session) -> int:
    count = script_context().count
    return sum(count(message) for message in session.context().messages)


def _determinism(main: MainRun, again: MainRun) -> CheckResult:
    same = (main.compactions, main.asked) == (again.compactions, again.asked) and again.error is None
    detail = "two runs asked and returned the same" if same else "two equal runs differ in what was asked or returned"
    return CheckResult("determinism", same, detail)


def _rejection(main: MainRun) -> CheckResult:
    answers = " and ".join(
        f"{'kept' if survives else 'lost'} after compaction {number}"
        for number, survives in enumerate(main.survives, start=1)
    )
    detail = f"with a summarizer that repeats all it is shown, what turn {REJECTION_TURN} ruled out is {answers}"
    return CheckResult("rejection survives", all(main.survives), detail, required=False)


async def _opened(source: Source, limits: Limits) -> Driver:
    driver = source.driver(limits)
    try:
        await driver.open("", Keep(2000, 3))
    except CompactionError:
        await driver.close()
        raise
    return driver


def _desk(driver: Driver, ask: Ask, limits: Limits) -> Desk:
    return Desk(ask, script_context(), label=driver.label, update=False, limits=limits)


async def _empty(source: Source, limits: Limits) -> str:
    """Compact a conversation of nothing."""
    driver = await _opened(source, limits)
    try:
        returned = await driver.compact(_desk(driver, PerfectSummarizer(), limits))
        outcome = Reader(driver.label, {}, script_context().count_text).read(returned)
        outcome = settled(outcome, [], driver.label, summarizes_all=driver.summarizes_all)
    finally:
        await driver.close()
    return f"answered {outcome.status}"


async def _huge(source: Source, limits: Limits) -> str:
    """Compact one message of two million characters."""
    session = new_session()
    words = user_sentence(1) + " "
    text = (words * (HUGE_CHARS // len(words)))[:HUGE_CHARS]
    session.append_message({"role": "user", "content": [{"type": "text", "text": text}]})
    strategy = ExternalStrategy(source, limits=limits)
    try:
        return await _tolerant(strategy, session, PerfectSummarizer())
    finally:
        await strategy.aclose()


async def _tolerant(strategy: ExternalStrategy, session: Session, ask: PerfectSummarizer) -> str:
    """Compact; an error in due form and a failed summarizer request that is passed on are answers too."""
    try:
        await _compact(strategy, session, ask)
    except CompactorError as error:
        if error.fault not in ACCEPTED:
            raise
        return "reported an error"
    except NothingToCompactError:
        return "left it as it was"
    except CompactionError:
        return "passed the summarizer's error on"
    return "compacted it"


async def _summarizer_error(source: Source, limits: Limits) -> str:
    """Compact while the summarizer fails, then once more when it works again."""
    session = new_session()
    add_turns(session, 1, HALF)
    strategy = ExternalStrategy(source, limits=limits)
    try:
        failing = PerfectSummarizer(error="503 the summarizer is overloaded")
        answer = await _tolerant(strategy, session, failing)
        if not failing.asked:
            return "it asks no summarizer"
        await _tolerant(strategy, session, PerfectSummarizer())
    finally:
        await strategy.aclose()
    return f"{answer}, and worked again afterwards"


async def _cancellation(source: Source, limits: Limits) -> str:
    """Cancel a compaction while the summarizer is at work."""
    session = new_session()
    add_turns(session, 1, HALF)
    waiting, never = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        waiting.set()
        await never.wait()

    driver = await _opened(source, limits)
    pieces = read_conversation(session.view(), script_context().count_text, {}).pieces
    try:
        await driver.extend(pieces)
        task = asyncio.ensure_future(driver.compact(_desk(driver, PerfectSummarizer(before=hold), limits)))
        watch = asyncio.ensure_future(waiting.wait())
        await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
        watch.cancel()
        if task.done():
            task.result()
            return "it asks no summarizer"
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        if not isinstance(driver, ProgramDriver):
            await driver.bye()
    finally:
        await driver.close()
    if isinstance(driver, ProgramDriver) and driver.running:
        raise CompactorError("timeout", f"{driver.label} still runs after it was killed")
    return "nothing of it is left running"


async def _bye(source: Source, limits: Limits) -> str:
    """Say goodbye after a compaction."""
    session = new_session()
    add_turns(session, 1, HALF)
    driver = await _opened(source, limits)
    try:
        await driver.extend(read_conversation(session.view(), script_context().count_text, {}).pieces)
        await driver.compact(_desk(driver, PerfectSummarizer(), limits))
        await driver.bye()
    finally:
        await driver.close()
    return "it ended by itself"
