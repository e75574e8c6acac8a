from __future__ import annotations

import math
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_runs import trial

from backslide.evals.records import Trial
from backslide.evals.survival import lives, survival_curve, survival_curves


def life(name: str, fate: str, *, variant: str = "naive", last: int = 3) -> list[Trial]:
    """Probes of one constraint, one a cycle; `fate` has a character each: o obeyed, r relapsed, u unanswered, c control."""
    return [
        trial(
            name,
            variant,
            turn=10 + cycle,
            cycle=cycle,
            relapse=mark == "r",
            unanswered="overflow" if mark == "u" else None,
            over=False if mark == "c" else None,
        )
        for cycle, mark in enumerate(fate[: last + 1])
    ]


def test_a_life_ends_at_its_first_relapse() -> None:
    """What happens after the first relapse does not matter: the constraint is dead."""
    (only,) = lives(life("a", "oror"), "naive", "behavioural")

    assert (only.cycle, only.died) == (1, True)


def test_a_session_that_ends_first_is_censored_at_its_last_answered_probe() -> None:
    """Unanswered probes and the control probes after a lift are no observation of a living rule."""
    (overflowed,) = lives(life("a", "oouu"), "naive", "behavioural")
    (lifted,) = lives(life("a", "oocc"), "naive", "behavioural")

    assert (overflowed.cycle, overflowed.died) == (1, False)
    assert (lifted.cycle, lifted.died) == (1, False)


def test_the_informational_life_ends_with_the_first_payload_that_does_not_state_the_rule() -> None:
    """Diluted is dead, whatever the executor did with it."""
    trials = [trial(cycle=1, retention="stated"), trial(turn=36, cycle=2, retention="diluted")]

    assert lives(trials, "naive", "informational")[0].died
    assert not lives(trials, "naive", "behavioural")[0].died


def test_survival_is_the_product_over_the_lives_at_risk() -> None:
    """Worked by hand: of four lives one dies at cycle 1, one is censored there, one of the two left dies at cycle 2."""
    trials = life("a", "or") + life("b", "oo") + life("c", "oor") + life("d", "oooo")

    curve = survival_curve(trials, "naive", "behavioural")

    assert [(p.cycle, p.at_risk, p.deaths) for p in curve.points] == [
        (0, 4, 0),
        (1, 4, 1),
        (2, 2, 1),
        (3, 1, 0),
    ]
    assert [p.survival for p in curve.points] == pytest.approx([1, 3 / 4, 3 / 4 * 1 / 2, 3 / 8])
    assert curve.half_life == 2
    assert curve.half_life_text == "2 cycles"
    assert curve.bound is None


def test_without_a_death_the_exact_bound_is_shown_instead_of_certainty() -> None:
    """Zero of fifty may still be 5.8 %; the band does not end at one."""
    trials = [item for n in range(50) for item in life(f"s{n}", "oo")]

    curve = survival_curve(trials, "naive", "behavioural")

    assert curve.half_life is None
    assert curve.half_life_text == "not reached"
    assert curve.bound == pytest.approx(0.058, abs=0.0005)
    assert [point.low for point in curve.points] == pytest.approx([1 - 0.058] * 2, abs=0.0005)


def test_the_half_life_is_reached_at_exactly_one_half() -> None:
    """One of two dead at cycle 1 is one half."""
    assert survival_curve(life("a", "or") + life("b", "ooo"), "naive", "behavioural").half_life == 1


def test_when_all_have_died_the_band_does_not_end_at_zero() -> None:
    """Two of two dead is no proof that nobody lives."""
    curve = survival_curve(life("a", "or") + life("b", "or"), "naive", "behavioural")

    assert curve.points[-1].survival == 0
    assert curve.points[-1].high == pytest.approx(1 - math.sqrt(0.05))


def test_a_variant_without_lives_has_an_empty_curve() -> None:
    """A run of control scenarios says nothing about decay."""
    curve = survival_curve(life("a", "cc"), "naive", "behavioural")

    assert (curve.lives, curve.points, curve.half_life_text) == (0, (), "no lives observed")


def test_variants_do_not_mix() -> None:
    """Each variant's curves count its own lives only."""
    trials = life("a", "or") + life("a", "oo", variant="handoff")

    curves = survival_curves(trials, ["naive", "handoff"])

    assert [(c.variant, c.death, c.deaths) for c in curves] == [
        ("naive", "behavioural", 1),
        ("naive", "informational", 0),
        ("handoff", "behavioural", 0),
        ("handoff", "informational", 0),
    ]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text("orouc", min_size=1, max_size=6), min_size=1, max_size=12))
def test_every_curve_falls_and_stays_inside_its_band(fates: list[str]) -> None:
    """Survival never rises, stands inside its band at every point, no number is undefined and nothing warns."""
    trials = [item for n, fate in enumerate(fates) for item in life(f"s{n}", fate, last=6)]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        curve = survival_curve(trials, "naive", "behavioural")

    values = [point.survival for point in curve.points]
    assert values == sorted(values, reverse=True)
    assert all(0 <= p.low <= p.survival + 1e-9 and p.survival <= p.high + 1e-9 <= 1 + 1e-9 for p in curve.points)
