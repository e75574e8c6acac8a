"""Units in parallel: one process each, records handed back as they arise."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import repeat
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from typing import Any

from backslide.evals.plan import plan_turns
from backslide.evals.records import SessionTotals, Trial
from backslide.evals.unit import Record, UnitSpec, drive
from backslide.harness.errors import BackslideError
from backslide.scenarios import Scenario


@dataclass(frozen=True)
class Started:
    """A unit has begun."""

    index: int


@dataclass(frozen=True)
class Produced:
    """A unit has produced a record."""

    index: int
    record: Record


@dataclass(frozen=True)
class Finished:
    """A unit has ended: with totals, or with an error."""

    index: int
    totals: SessionTotals | None
    error: str | None


Happening = Started | Produced | Finished
Deliver = Callable[[int, Record], None]
"""Takes a record of a unit."""


def run_units(
    specs: Sequence[UnitSpec], indices: Sequence[int], concurrency: int, deliver: Deliver | None = None
) -> Generator[Happening, None, None]:
    """Drive the units of `indices` and yield what happens, each unit's records in order.

    With a concurrency of 1 everything runs in this process. A unit that fails, or whose process dies, ends with an
    error; the others go on. Closing the iterator ends the processes.

    A unit goes on after a trial only when the next happening is asked for, so that whoever stores what happens can
    lose no more than the trial in flight. An iterator cannot do so in this process: there records go to `deliver` as
    they arise if it is given, and are yielded at the end of their unit if not.
    """
    if concurrency <= 1 or len(indices) <= 1:
        for index in indices:
            yield Started(index)
            yield from _run_here(specs[index], index, deliver)
        return
    pool = _Pool(min(concurrency, len(indices)))
    try:
        yield from pool.run(specs, list(indices))
    finally:
        pool.close()


def _run_here(spec: UnitSpec, index: int, deliver: Deliver | None) -> Iterator[Happening]:
    records: list[Record] = []
    totals, error = _drive(spec, records.append if deliver is None else lambda record: deliver(index, record))
    yield from (Produced(index, record) for record in records)
    yield Finished(index, totals, error)


def _drive(spec: UnitSpec, sink: Any) -> tuple[SessionTotals | None, str | None]:
    """Drive one unit; an expected failure is its result, a defect of ours is raised."""
    try:
        return asyncio.run(drive(spec, sink)), None
    except BackslideError as error:
        return None, str(error)
    except OSError as error:
        return None, f"{type(error).__name__}: {error}"


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    index: int | None = None


class _Pool:
    """Worker processes that take one unit after the other."""

    def __init__(self, size: int) -> None:
        self._context = _context()
        self._workers = [self._start() for _ in range(size)]

    def run(self, specs: Sequence[UnitSpec], queue: list[int]) -> Iterator[Happening]:
        queue.reverse()
        for worker in self._workers:
            yield from self._next(worker, specs, queue)
        while any(worker.index is not None for worker in self._workers):
            ready = wait([worker.pipe for worker in self._workers if worker.index is not None])
            for worker in self._workers:
                if worker.pipe in ready and worker.index is not None:
                    yield from self._receive(worker, specs, queue)

    def close(self) -> None:
        for worker in self._workers:
            worker.pipe.close()
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join()

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def _next(self, worker: _Worker, specs: Sequence[UnitSpec], queue: list[int]) -> Iterator[Happening]:
        worker.index = queue.pop() if queue else None
        if worker.index is not None:
            try:
                worker.pipe.send((worker.index, specs[worker.index]))
            except OSError:
                # It died between two units, which is no failure of either.
                self._replace(worker)
                worker.pipe.send((worker.index, specs[worker.index]))
            yield Started(worker.index)

    def _replace(self, worker: _Worker) -> None:
        worker.pipe.close()
        worker.process.join()
        fresh = self._start()
        worker.process, worker.pipe = fresh.process, fresh.pipe

    def _receive(self, worker: _Worker, specs: Sequence[UnitSpec], queue: list[int]) -> Iterator[Happening]:
        try:
            happening: Happening = worker.pipe.recv()
        except (EOFError, OSError):
            # The end of the pipe, perhaps in the middle of a record.
            worker.process.join()
            assert worker.index is not None
            yield Finished(worker.index, None, _death(worker.process.exitcode))
            self._replace(worker)
            yield from self._next(worker, specs, queue)
            return
        yield happening
        if isinstance(happening, Produced) and isinstance(happening.record, Trial):
            with suppress(OSError):  # that it has died is found when the next record is awaited
                worker.pipe.send(None)
        if isinstance(happening, Finished):
            yield from self._next(worker, specs, queue)


def _death(status: int | None) -> str:
    if status is not None and status < 0:
        return f"its process was ended by signal {-status}"
    return f"its process ended with exit status {status}"


def _context() -> ForkServerContext | SpawnContext:
    """Return a way to start processes that does not copy the threads of a progress display."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["backslide.evals.warm"])
    return context


def warm_up() -> None:
    """Start loading what workers need, in a process beside this one. Call it early; nothing waits for it."""
    if _context().get_start_method() == "forkserver":
        from multiprocessing import forkserver

        forkserver.ensure_running()


def plan_all(scenarios: Sequence[Scenario], scale: float, concurrency: int) -> dict[str, tuple[int, ...]]:
    """Return the plan of each scenario, by id; planned side by side if there are several."""
    if concurrency <= 1 or len(scenarios) <= 1:
        return {scenario.id: plan_turns(scenario, scale) for scenario in scenarios}
    with ProcessPoolExecutor(min(concurrency, len(scenarios)), mp_context=_context()) as pool:
        plans = pool.map(plan_turns, scenarios, repeat(scale))
        return {scenario.id: plan for scenario, plan in zip(scenarios, plans, strict=True)}


def _serve(pipe: Connection) -> None:
    """Run units until the pipe closes. The parent decides about interrupts; without a parent there is nothing to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        index, spec = _talk(pipe.recv)
        totals, error = _drive(spec, lambda record, index=index: _hand_over(pipe, Produced(index, record)))
        _talk(pipe.send, Finished(index, totals, error))


def _hand_over(pipe: Connection, produced: Produced) -> None:
    """Send a record; a trial has been taken in when this returns."""
    _talk(pipe.send, produced)
    if isinstance(produced.record, Trial):
        _talk(pipe.recv)


def _talk(step: Callable[..., Any], *arguments: Any) -> Any:
    """Send or receive; end this process if the parent is gone."""
    try:
        return step(*arguments)
    except (EOFError, OSError):
        os._exit(0)
