"""Draw up the whole ledger: every row by drives of its own, side by side in processes."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

from backslide.evals.ledger.delivery_rows import identity_row, rebase_row, resend_row
from backslide.evals.ledger.forgery_row import forgery_row
from backslide.evals.ledger.guideline_rows import guideline_rows
from backslide.evals.ledger.model import ArtifactAnswer, Ledger, LedgerRow
from backslide.evals.ledger.open_question import artifact_answer
from backslide.evals.ledger.seed import row_ids
from backslide.evals.ledger.shown_rows import effort_row, errors_row, inventory_row, status_row
from backslide.scenarios import Scenario
from backslide.scenarios.library import resolve

LONG_SCALES = (6.0, 24.0)
"""Scales of noise and of windows at which a mirror of the long scenario has several hundred thousand characters."""


def _scenario(scenario_id: str) -> Scenario:
    return resolve([scenario_id], advisor=True)[0]


def _guidelines() -> list[LedgerRow]:
    return guideline_rows(_scenario("advisor-no-trigger-task"), _scenario("advisor-disagrees-with-user"))


def _forgery() -> list[LedgerRow]:
    return [forgery_row(_scenario("advisor-long-mirror"), *LONG_SCALES)]


def _rebase() -> list[LedgerRow]:
    return [rebase_row(_scenario("advisor-rebase-after-compaction"), _scenario("advisor-long-mirror"))]


def _identity() -> list[LedgerRow]:
    return [identity_row(_scenario("advisor-compacted-identity"))]


def _resend() -> list[LedgerRow]:
    return [resend_row(_scenario("advisor-provider-faults"))]


def _shown() -> list[LedgerRow]:
    faults, long = _scenario("advisor-provider-faults"), _scenario("advisor-long-mirror")
    return [effort_row(long), status_row(long), inventory_row(long), errors_row(faults)]


def _answer() -> ArtifactAnswer:
    return artifact_answer([scenario for scenario in resolve(advisor=True) if scenario.is_advisor])


# The longest first, so that the processes end together.
_PARTS: tuple[Callable[[], list[LedgerRow] | ArtifactAnswer], ...] = (
    _forgery,
    _rebase,
    _answer,
    _shown,
    _guidelines,
    _identity,
    _resend,
)


def draw_up(concurrency: int | None = None) -> Ledger:
    """Drive every defect with and without it and return the ledger; it is the same each time."""
    started = time.monotonic()
    workers = min(concurrency or os.cpu_count() or 1, len(_PARTS))
    if workers == 1:
        done = [part() for part in _PARTS]
    else:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            done = [future.result() for future in [pool.submit(part) for part in _PARTS]]
    rows = {row.id: row for part in done if isinstance(part, list) for row in part}
    answer = next(part for part in done if isinstance(part, ArtifactAnswer))
    return Ledger(tuple(rows[row_id] for row_id in row_ids()), answer, time.monotonic() - started)
