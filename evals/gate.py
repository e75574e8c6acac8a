"""The verdict on a deterministic run against a baseline.

Any new relapse, over-restriction, lost constraint or unseen loss is a regression, and so is a payload that
grew by more than the policy allows. A trial that is answered no more is one too; a unit that could not be
completed is neither pass nor fail. Runs of other scenarios, scorers or harness code cannot be compared, and
the verdict names what differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from backslide.evals.baseline import Baseline, TrialOutcome
from backslide.evals.changes import Change, loss_changes, payload_changes, trial_changes
from backslide.evals.loading import StoredRun, deterministic
from backslide.evals.records import SCHEMA

GateVerdict = Literal["pass", "regression", "incomplete", "incomparable"]

EXIT_STATUS: Mapping[GateVerdict, int] = {"pass": 0, "regression": 1, "incomplete": 4, "incomparable": 5}

DEFINITIONS = ("relapse", "over-restriction", "retention", "dropped unseen", "payload growth")


@dataclass(frozen=True)
class GatePolicy:
    """What the gate tolerates: `payload_growth` is the share by which a payload may exceed the baseline's."""

    payload_growth: float = 0.10


@dataclass(frozen=True)
class GateResult:
    """The verdict and everything behind it. `reasons` say why runs cannot be compared or what is missing."""

    verdict: GateVerdict
    run_dir: str
    baseline_run: str
    policy: GatePolicy
    simulated: bool
    checked: int = 0
    reasons: tuple[str, ...] = ()
    regressions: tuple[Change, ...] = ()
    improvements: tuple[Change, ...] = ()
    new_scenarios: tuple[str, ...] = ()
    removed_scenarios: tuple[str, ...] = ()
    new_variants: tuple[str, ...] = ()
    changed_variants: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """Return 0 for pass, 1 for regression, 4 for incomplete, 5 for incomparable."""
        return EXIT_STATUS[self.verdict]

    def to_json(self) -> dict[str, Any]:
        """Return the document of ``gate --json``."""
        return {
            "schema": SCHEMA,
            "definitions": list(DEFINITIONS),
            "exit_status": self.exit_status,
            **asdict(self),
        }


def check(run: StoredRun, baseline: Baseline, policy: GatePolicy | None = None) -> GateResult:
    """Return the verdict on `run`."""
    policy = policy or GatePolicy()
    manifest = run.manifest
    result = GateResult(
        verdict="pass",
        run_dir=str(run.path),
        baseline_run=baseline.run,
        policy=policy,
        simulated=manifest.simulated,
        new_scenarios=tuple(sorted(manifest.scenarios.keys() - baseline.scenarios.keys())),
        removed_scenarios=tuple(sorted(baseline.scenarios.keys() - manifest.scenarios.keys())),
        new_variants=tuple(name for name in run.variants if name not in baseline.variants),
        changed_variants=tuple(
            variant.name
            for variant in manifest.variants
            if baseline.variants.get(variant.name) not in {None, variant.hash}
        ),
    )
    differences = tuple(_incomparable(run, baseline))
    if differences:
        return replace(result, verdict="incomparable", reasons=differences)
    frozen = {item.id: item for item in baseline.trials if item.id.split("/")[0] in manifest.scenarios}
    changes = [
        *trial_changes(run, frozen),
        *loss_changes(run, baseline),
        *payload_changes(run, baseline, policy.payload_growth),
    ]
    worse = tuple(change for is_worse, change in changes if is_worse)
    better = tuple(change for is_worse, change in changes if not is_worse)
    missing = tuple(_missing(run, frozen))
    verdict: GateVerdict = "regression" if worse else "incomplete" if missing else "pass"
    return replace(
        result,
        verdict=verdict,
        checked=sum(trial.id in frozen for trial in run.trials),
        reasons=missing,
        regressions=worse,
        improvements=better,
    )


def _incomparable(run: StoredRun, baseline: Baseline) -> Iterator[str]:
    manifest = run.manifest
    if not deterministic(manifest):
        models = ", ".join(sorted(set(manifest.models.values())))
        yield f"the run used live models ({models}); this gate judges deterministic runs only"
    pairs = (
        ("scorer", baseline.scorer_hash, manifest.scorer_hash),
        ("harness", baseline.harness_hash, manifest.harness_hash),
    )
    for name, before, now in pairs:
        if before != now:
            yield f"the {name} differs: baseline {before[:12]}, run {now[:12]}"
    if baseline.scale != manifest.scale:
        yield f"the scale differs: baseline {baseline.scale:g}, run {manifest.scale:g}"
    if baseline.models != manifest.models:
        yield f"the models differ: baseline {_words(baseline.models)}, run {_words(manifest.models)}"
    common = baseline.scenarios.keys() & manifest.scenarios.keys()
    if not common:
        yield "no scenario of the baseline is in the run"
    for scenario in sorted(common):
        if baseline.scenarios[scenario] != manifest.scenarios[scenario]:
            yield f"the scenario {scenario} has changed since the baseline"
    for name in baseline.variants:
        if name not in run.variants:
            yield f"the variant {name} is missing from the run"


def _missing(run: StoredRun, frozen: Mapping[str, TrialOutcome]) -> Iterator[str]:
    """Yield what the baseline has and the run could not answer."""
    for failure in run.manifest.failed:
        yield f"{failure.scenario} under {failure.variant}, seed {failure.seed}: {failure.error}"
    completed = {trial.id for trial in run.trials if trial.unanswered != "error"}
    explained = tuple(f"{f.scenario}/{f.variant}/s{f.seed}/" for f in run.manifest.failed)
    absent = [trial for trial in frozen if trial not in completed and not trial.startswith(explained)]
    if absent:
        yield f"{len(absent)} trials of the baseline were not completed, first {absent[0]}"


def _words(names: Mapping[str, str]) -> str:
    return ", ".join(f"{role} {name}" for role, name in sorted(names.items()))
