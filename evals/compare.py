"""Two variants side by side: totals, and the paired trials that end differently.

A pair shares scenario, constraint, probe, turn and seed; the number of compactions so far may differ, since
variants compact at different turns. A pair of which one trial was not answered says nothing and is listed
apart. In a deterministic run with one seed the exact McNemar test over the discordant pairs goes with the
verdict; for live models this plain form counts and draws no conclusion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from backslide.evals.aggregate import VariantSummary, summarize_variant
from backslide.evals.evidence import Outcome, failed, outcome, sentence, whereabouts
from backslide.evals.loading import StoredRun, deterministic
from backslide.evals.records import SCHEMA, Trial
from backslide.harness.errors import InputError, nearest

CompareVerdict = Literal["a-better", "b-better", "mixed", "no-difference", "undecided"]

DEFINITIONS = ("relapse rate", "over-restriction rate", "retention", "dropped unseen", "payload growth")

MEASURES = (
    "relapses",
    "relapse_rate",
    "over_restrictions",
    "over_restriction_rate",
    "stale",
    "dropped_unseen",
    "compactions",
    "peak_payload_tokens",
    "total_input_tokens",
    "requests",
)

PairKey = tuple[str, str | None, str, int, int]


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a variant as a run has it."""

    run: StoredRun
    variant: str

    @property
    def trials(self) -> list[Trial]:
        """Return the variant's trials."""
        return [trial for trial in self.run.trials if trial.variant == self.variant]

    @property
    def summary(self) -> VariantSummary:
        """Return the variant's totals."""
        run = self.run
        return summarize_variant(self.variant, run.trials, run.compactions, run.manifest.sessions)


@dataclass(frozen=True)
class TrialView:
    """One trial of a pair: its id, what became of it, the deciding sentence, where the rule stood."""

    trial: str
    outcome: Outcome
    cycle: int
    said: str
    where: str
    session: str


@dataclass(frozen=True)
class PairDifference:
    """One pair that ends differently."""

    scenario: str
    constraint: str | None
    probe: str
    turn: int
    seed: int
    a: TrialView
    b: TrialView


@dataclass(frozen=True)
class PairCount:
    """Paired outcomes of one kind. `p` is the exact McNemar test, None where it does not apply."""

    pairs: int
    only_a: int
    only_b: int
    both: int
    p: float | None


@dataclass(frozen=True)
class Comparison:
    """Side A against side B. `differences` are B minus A, None where a side has no value."""

    name_a: str
    name_b: str
    run_a: str
    run_b: str
    verdict: CompareVerdict
    simulated: bool
    deterministic: bool
    a: VariantSummary
    b: VariantSummary
    differences: dict[str, float | None]
    relapse: PairCount
    over_restriction: PairCount
    differing: tuple[PairDifference, ...]
    unpaired: tuple[PairDifference, ...]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return one entry of ``comparisons`` in ``compare --json``."""
        return {**asdict(self), "a": self.a.to_json(), "b": self.b.to_json()}


def compare(a: Side, b: Side) -> Comparison:
    """Compare two variants. Raises `InputError` for runs whose scorers, scales or scenarios rule that out."""
    notes = tuple(_comparability(a.run, b.run))
    changed = _changed_scenarios(a.run, b.run)
    left = {_key(trial): trial for trial in a.trials if trial.scenario not in changed}
    right = {_key(trial): trial for trial in b.trials if trial.scenario not in changed}
    pairs = [(left[key], right[key]) for key in left if key in right]
    if not pairs:
        raise InputError(
            f"'{a.variant}' and '{b.variant}' share no trial", mend="run both on the same scenarios and seeds"
        )
    answered = [pair for pair in pairs if not any(outcome(trial) == "unanswered" for trial in pair)]
    exact = deterministic(a.run.manifest) and deterministic(b.run.manifest)
    one_seed = exact and len({trial.seed for pair in pairs for trial in pair}) == 1
    relapse = _count([pair for pair in answered if not pair[0].control], test=one_seed)
    over_restriction = _count([pair for pair in answered if pair[0].control], test=one_seed)
    name_a, name_b = _names(a, b)
    summary_a, summary_b = a.summary, b.summary
    return Comparison(
        name_a=name_a,
        name_b=name_b,
        run_a=str(a.run.path),
        run_b=str(b.run.path),
        verdict=_verdict(relapse, over_restriction) if exact else "undecided",
        simulated=a.run.manifest.simulated or b.run.manifest.simulated,
        deterministic=exact,
        a=summary_a,
        b=summary_b,
        differences={name: _difference(getattr(summary_a, name), getattr(summary_b, name)) for name in MEASURES},
        relapse=relapse,
        over_restriction=over_restriction,
        differing=tuple(_view(a, b, *pair) for pair in answered if failed(pair[0]) != failed(pair[1])),
        unpaired=tuple(_view(a, b, *pair) for pair in pairs if _one_silent(*pair)),
        notes=notes,
    )


def compare_runs(a: StoredRun, b: StoredRun, variants: Sequence[str] = ()) -> list[Comparison]:
    """Compare two runs variant by variant: those named, else those that both have, or the only one of each.

    Raises `InputError` if no variant can be matched.
    """
    if len(a.variants) == len(b.variants) == 1 and not variants:
        return [compare(Side(a, a.variants[0]), Side(b, b.variants[0]))]
    names = list(variants) or [name for name in a.variants if name in b.variants]
    if not names:
        raise InputError(
            f"the runs have no variant in common ({', '.join(a.variants)}; {', '.join(b.variants)})",
            mend="run both with the same --variant",
        )
    return [compare(side_of(a, name), side_of(b, name)) for name in names]


def side_of(run: StoredRun, variant: str) -> Side:
    """Return the side `variant` of `run`. Raises `InputError` for a variant that the run does not have."""
    if variant not in run.variants:
        close = nearest(variant, run.variants)
        hint = f"did you mean '{close}'?" if close else f"it has {', '.join(run.variants)}"
        raise InputError(f"the run has no variant '{variant}'", where=str(run.path), mend=hint)
    return Side(run, variant)


def compare_document(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """Return the document of ``compare --json``; `verdict` is the common one, `mixed` where they differ."""
    verdicts = {comparison.verdict for comparison in comparisons}
    return {
        "schema": SCHEMA,
        "verdict": verdicts.pop() if len(verdicts) == 1 else "mixed",
        "definitions": list(DEFINITIONS),
        "comparisons": [comparison.to_json() for comparison in comparisons],
    }


def _comparability(a: StoredRun, b: StoredRun) -> Iterator[str]:
    one, other = a.manifest, b.manifest
    if one.scorer_hash != other.scorer_hash:
        raise InputError(
            f"scored by different scorers ({one.scorer_hash[:12]}, {other.scorer_hash[:12]})",
            where=f"{a.path}, {b.path}",
            mend="run both with the same version",
        )
    if one.scale != other.scale:
        raise InputError(f"run at different scales ({one.scale:g}, {other.scale:g})", where=f"{a.path}, {b.path}")
    if one.harness_hash != other.harness_hash:
        hashes = f"A {one.harness_hash[:12]}, B {other.harness_hash[:12]}"
        yield f"the harness differs ({hashes}): it may explain differences"
    if one.models != other.models:
        yield "the models differ: they may explain differences"
    for scenario in sorted(_changed_scenarios(a, b)):
        yield f"left out: the scenario {scenario} is not the same in both runs"


def _changed_scenarios(a: StoredRun, b: StoredRun) -> set[str]:
    one, other = a.manifest.scenarios, b.manifest.scenarios
    return {name for name in one.keys() & other.keys() if one[name] != other[name]}


def _count(pairs: Sequence[tuple[Trial, Trial]], *, test: bool) -> PairCount:
    only_a = sum(failed(a) and not failed(b) for a, b in pairs)
    only_b = sum(failed(b) and not failed(a) for a, b in pairs)
    both = sum(failed(a) and failed(b) for a, b in pairs)
    return PairCount(len(pairs), only_a, only_b, both, mcnemar(only_a, only_b) if test and pairs else None)


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the two-sided exact McNemar p value over the discordant pairs; 1 where there is none."""
    from scipy.stats import binomtest

    discordant = only_a + only_b
    return float(binomtest(only_a, discordant, 0.5).pvalue) if discordant else 1.0


def _verdict(relapse: PairCount, over_restriction: PairCount) -> CompareVerdict:
    only_a = relapse.only_a + over_restriction.only_a
    only_b = relapse.only_b + over_restriction.only_b
    if only_a and only_b:
        return "mixed"
    if only_a:
        return "b-better"
    return "a-better" if only_b else "no-difference"


def _one_silent(a: Trial, b: Trial) -> bool:
    return (outcome(a) == "unanswered") != (outcome(b) == "unanswered")


def _difference(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else b - a


def _names(a: Side, b: Side) -> tuple[str, str]:
    if a.variant != b.variant:
        return a.variant, b.variant
    return f"{a.variant} ({a.run.path.name})", f"{b.variant} ({b.run.path.name})"


def _key(trial: Trial) -> PairKey:
    return trial.scenario, trial.constraint, trial.probe, trial.turn, trial.seed


def _view(a: Side, b: Side, one: Trial, other: Trial) -> PairDifference:
    return PairDifference(
        scenario=one.scenario,
        constraint=one.constraint,
        probe=one.probe,
        turn=one.turn,
        seed=one.seed,
        a=_trial_view(a, one),
        b=_trial_view(b, other),
    )


def _trial_view(side: Side, trial: Trial) -> TrialView:
    return TrialView(
        trial=trial.id,
        outcome=outcome(trial),
        cycle=trial.cycle,
        said=sentence(trial),
        where=whereabouts(trial),
        session=side.run.session(trial),
    )
