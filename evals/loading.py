"""A stored run in memory, for everything that judges or renders one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from backslide.evals.aggregate import VariantSummary, summarize_run
from backslide.evals.records import CompactionRecord, Manifest, PayloadRecord, Trial
from backslide.evals.store import SESSIONS, RunReader


@dataclass(frozen=True)
class StoredRun:
    """A run's manifest, trials and compactions; payloads are read when asked for.

    `problems` are the reader's.
    """

    path: Path
    manifest: Manifest
    trials: tuple[Trial, ...]
    compactions: tuple[CompactionRecord, ...]
    problems: tuple[str, ...]

    @cached_property
    def summaries(self) -> tuple[VariantSummary, ...]:
        """Return one summary a variant, in the manifest's order."""
        return tuple(summarize_run(self.manifest, self.trials, self.compactions))

    @property
    def variants(self) -> tuple[str, ...]:
        """Return the names of the variants, in the manifest's order."""
        return tuple(variant.name for variant in self.manifest.variants)

    def payloads(self) -> Iterator[PayloadRecord]:
        """Yield the payload records from disk."""
        yield from RunReader(self.path).iter_payloads()

    def session(self, trial: Trial) -> str:
        """Return the path of the session file of a trial, or an empty text if none was kept."""
        return str(self.path / SESSIONS / trial.session) if trial.session else ""


def load_run(path: Path) -> StoredRun:
    """Read the run directory `path`. Raises `InputError` if it is none, or at the first corrupt line."""
    reader = RunReader(path)
    trials = tuple(reader.iter_trials())
    compactions = tuple(reader.iter_compactions())
    return StoredRun(path, reader.manifest, trials, compactions, tuple(reader.problems))


def deterministic(manifest: Manifest) -> bool:
    """Return whether the run would repeat exactly: simulated models or recorded replies only."""
    return manifest.simulated or all(
        name.partition(":")[0] in {"sim", "script", "cassette"} for name in manifest.models.values()
    )
