"""Units in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tiny import tiny, variant_file

from backslide.evals import workers
from backslide.evals.records import Trial
from backslide.evals.unit import UnitSpec
from backslide.evals.variants import resolve_variant
from backslide.evals.workers import Finished, Happening, Produced, Started, run_units
from backslide.harness.errors import InputError


@pytest.fixture
def specs(tmp_path: Path) -> list[UnitSpec]:
    """Four small units."""
    scenario = tiny(tmp_path, turns=4)
    variant = resolve_variant(variant_file(tmp_path))
    return [UnitSpec(scenario, variant, seed, ()) for seed in range(4)]


def finished(happenings: Iterator[Happening]) -> dict[int, Finished]:
    return {happening.index: happening for happening in happenings if isinstance(happening, Finished)}


@pytest.mark.parametrize("concurrency", [1, 2, 9])
def test_every_unit_starts_produces_and_finishes(concurrency: int, specs: list[UnitSpec]) -> None:
    """In that order for each of them; only the units that were asked for."""
    happenings = list(run_units(specs, [0, 2, 3], concurrency))

    for index in (0, 2, 3):
        own = [happening for happening in happenings if happening.index == index]
        assert isinstance(own[0], Started)
        assert isinstance(own[-1], Finished)
        assert all(isinstance(happening, Produced) for happening in own[1:-1])
        assert [h.record.id for h in own if isinstance(h, Produced) and isinstance(h.record, Trial)] == [
            f"tiny/handoff/s{index}/keep-report@3",
            f"tiny/handoff/s{index}/keep-report@4",
            f"tiny/handoff/s{index}/sort-rows@4",
        ]
    assert {happening.index for happening in happenings} == {0, 2, 3}
    assert multiprocessing.active_children() == []


def killed_at_first_trial(specs: list[UnitSpec], index: int) -> Iterator[Happening]:
    """Run with two processes and kill the one of a unit as soon as its first record has arrived."""
    iterator = run_units(specs, range(len(specs)), 2)
    pool: Any = None
    for happening in iterator:
        pool = pool or iterator.gi_frame.f_locals["pool"]  # type: ignore[attr-defined]
        if isinstance(happening, Produced) and happening.index == index:
            for worker in pool._workers:
                if worker.index == index and worker.process.is_alive():
                    os.kill(worker.process.pid, signal.SIGKILL)
        yield happening


def test_a_process_that_dies_fails_its_unit_alone(specs: list[UnitSpec], tmp_path: Path) -> None:
    """The others are done, the failed one says what happened, a new process takes over."""
    long = replace(specs[1], scenario=tiny(tmp_path, turns=40, name="long"))
    outcomes = finished(killed_at_first_trial([specs[0], long, specs[2], specs[3]], 1))

    assert outcomes[1] == Finished(1, None, "its process was ended by signal 9")
    assert all(outcomes[index].totals is not None for index in (0, 2, 3))
    assert multiprocessing.active_children() == []


def test_a_record_that_was_half_sent_fails_its_unit_alone(specs: list[UnitSpec]) -> None:
    """The pipe of a killed process may end in the middle of a message."""
    pool = workers._Pool(1)
    try:
        worker = pool._workers[0]
        os.kill(worker.process.pid, signal.SIGKILL)
        worker.process.join()

        class Torn:
            def recv(self) -> None:
                raise OSError("got end of file during message")

            def close(self) -> None:
                return

        worker.index, worker.pipe = 1, Torn()  # type: ignore[assignment]
        happenings = list(pool._receive(worker, specs, []))
    finally:
        pool.close()

    assert happenings == [Finished(1, None, "its process was ended by signal 9")]


def test_a_process_that_dies_between_two_units_fails_none(specs: list[UnitSpec]) -> None:
    """Its next unit goes to a new process."""
    pool = workers._Pool(1)
    try:
        worker = pool._workers[0]
        os.kill(worker.process.pid, signal.SIGKILL)
        worker.process.join()
        outcomes = finished(pool.run(specs, [0, 1]))
    finally:
        pool.close()

    assert [outcomes[index].error for index in (0, 1)] == [None, None]


@pytest.mark.parametrize("concurrency", [1, 2])
def test_an_expected_failure_is_the_units_result(concurrency: int, specs: list[UnitSpec], tmp_path: Path) -> None:
    """A file in the way of its sessions, in this process and in another."""
    (tmp_path / "file").write_text("")
    broken = replace(specs[0], sessions=tmp_path / "file" / "sessions")
    outcomes = finished(run_units([broken, specs[1]], [0, 1], concurrency))

    assert outcomes[0].totals is None
    assert "file/sessions" in (outcomes[0].error or "")
    assert outcomes[1].error is None


def test_a_process_that_ends_by_itself() -> None:
    """The exit status is part of the message."""
    assert workers._death(3) == "its process ended with exit status 3"
    assert workers._death(-15) == "its process was ended by signal 15"


def test_closing_ends_the_processes(specs: list[UnitSpec]) -> None:
    """Whoever stops listening leaves nobody working."""
    iterator = run_units(specs, [0, 1, 2, 3], 2)
    assert isinstance(next(iterator), Started)
    assert len(multiprocessing.active_children()) == 2
    iterator.close()

    assert multiprocessing.active_children() == []


def test_errors_of_ours_are_one_line(specs: list[UnitSpec], monkeypatch: pytest.MonkeyPatch) -> None:
    """What a unit reports can stand in a table."""

    async def drive(_spec: UnitSpec, _sink: object) -> None:
        raise InputError("two\nlines", where="here")

    monkeypatch.setattr(workers, "drive", drive)
    outcomes = finished(run_units(specs, [0], 1))

    assert outcomes[0].error == "here: two lines"
