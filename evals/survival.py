"""How long a constraint lives, in compaction cycles: Kaplan-Meier curves over the lives of one variant.

A life is one constraint in one scenario and seed. It ends at the first relapse (`behavioural`) or at the
first payload that no longer states the constraint (`informational`); a session that ends first, or a rule
that is lifted, is right-censored at its last answered probe.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from backslide.evals.evidence import outcome, retained
from backslide.evals.records import Trial

Death = Literal["behavioural", "informational"]

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Life:
    """One constraint's life: the cycle at which it died, or the last one at which it was still seen alive."""

    scenario: str
    constraint: str
    seed: int
    cycle: int
    died: bool


@dataclass(frozen=True)
class CurvePoint:
    """Survival after one cycle with its confidence band; `at_risk` lives were under observation there."""

    cycle: int
    survival: float
    low: float
    high: float
    at_risk: int
    deaths: int


@dataclass(frozen=True)
class SurvivalCurve:
    """One variant's curve. `half_life` is the first cycle with survival at or below one half, or None.

    `bound` is set when nobody died: the highest share of deaths that the exact binomial test still allows.
    """

    variant: str
    death: Death
    lives: int
    deaths: int
    points: tuple[CurvePoint, ...]
    half_life: int | None
    bound: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the curve as plain data."""
        document = asdict(self)
        document["points"] = list(document["points"])
        return document

    @property
    def half_life_text(self) -> str:
        """Return the half-life in words."""
        if self.half_life is not None:
            return f"{self.half_life} {'cycle' if self.half_life == 1 else 'cycles'}"
        return "not reached" if self.lives else "no lives observed"


def lives(trials: Iterable[Trial], variant: str, death: Death) -> list[Life]:
    """Return the lives of `variant`'s constraints. Control and unanswered trials show nothing."""
    seen: dict[tuple[str, str, int], list[Trial]] = defaultdict(list)
    for trial in trials:
        if trial.variant == variant and _tells(trial, death) and trial.constraint is not None:
            seen[trial.scenario, trial.constraint, trial.seed].append(trial)
    result = []
    for (scenario, constraint, seed), own in seen.items():
        deaths = [trial.cycle for trial in own if _dead(trial, death)]
        cycle = min(deaths) if deaths else max(trial.cycle for trial in own)
        result.append(Life(scenario, constraint, seed, cycle, bool(deaths)))
    return result


def survival_curve(trials: Iterable[Trial], variant: str, death: Death) -> SurvivalCurve:
    """Return the Kaplan-Meier curve of `variant` with a 95 % band (log-log).

    Where the band is undefined because nobody or everybody has died so far, the exact binomial bound over the
    lives at risk stands in: a curve never ends at certainty.
    """
    observed = lives(trials, variant, death)
    deaths = sum(life.died for life in observed)
    points = _points(observed) if observed else ()
    return SurvivalCurve(
        variant=variant,
        death=death,
        lives=len(observed),
        deaths=deaths,
        points=points,
        half_life=next((point.cycle for point in points if point.survival <= 0.5), None),
        bound=_most(0, len(observed)) if observed and not deaths else None,
    )


def survival_curves(trials: Sequence[Trial], variants: Iterable[str]) -> list[SurvivalCurve]:
    """Return both curves of every variant, the behavioural one first."""
    deaths: tuple[Death, Death] = ("behavioural", "informational")
    return [survival_curve(trials, variant, death) for variant in variants for death in deaths]


def _tells(trial: Trial, death: Death) -> bool:
    if trial.control or outcome(trial) == "unanswered":
        return False
    return death == "behavioural" or trial.retention is not None


def _dead(trial: Trial, death: Death) -> bool:
    return outcome(trial) == "relapsed" if death == "behavioural" else not retained(trial)


def _points(observed: Sequence[Life]) -> tuple[CurvePoint, ...]:
    from scipy.stats import CensoredData, ecdf

    dead = [life.cycle for life in observed if life.died]
    censored = [life.cycle for life in observed if not life.died]
    curve = ecdf(CensoredData(uncensored=dead, right=censored)).sf
    with warnings.catch_warnings():
        # scipy warns where the band is undefined; those points get the exact bound below.
        warnings.simplefilter("ignore", RuntimeWarning)
        band: Any = curve.confidence_interval(confidence_level=CONFIDENCE, method="log-log")
    points: list[CurvePoint] = []
    for position, cycle in enumerate(int(value) for value in curve.quantiles):
        at_risk = sum(life.cycle >= cycle for life in observed)
        survival = float(curve.probabilities[position])
        low, high = float(band.low.probabilities[position]), float(band.high.probabilities[position])
        if survival >= 1.0:
            low, high = 1.0 - _most(0, at_risk), 1.0
        elif survival <= 0.0:
            before = points[-1].high if points else 1.0
            low, high = 0.0, min(before, _most(0, at_risk))
        points.append(CurvePoint(cycle, survival, low, high, at_risk, dead.count(cycle)))
    if points[0].cycle > 0:
        points.insert(0, CurvePoint(0, 1.0, 1.0 - _most(0, len(observed)), 1.0, len(observed), 0))
    return tuple(points)


def _most(events: int, of: int) -> float:
    """Return the one-sided 95 % upper bound of a share: 0 of 50 may still be 5.8 %."""
    from scipy.stats import binomtest

    return float(binomtest(events, of, alternative="less").proportion_ci(CONFIDENCE, method="exact").high)
