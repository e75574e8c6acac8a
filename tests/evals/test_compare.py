from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from stored_runs import totals, trial, write_run

from backslide.evals.compare import (
    Comparison,
    Side,
    compare,
    compare_document,
    compare_runs,
    mcnemar,
    side_of,
)
from backslide.evals.loading import load_run
from backslide.evals.records import Trial
from backslide.harness.errors import InputError


def within_one_run(tmp_path: Path, trials: Sequence[Trial], **changes: Any) -> Comparison:
    """Naive against handoff inside one run."""
    run = load_run(write_run(tmp_path / "run", trials, **changes))
    return compare(Side(run, "naive"), Side(run, "handoff"))


def pair(turn: int, naive: dict[str, Any], handoff: dict[str, Any]) -> list[Trial]:
    return [trial(variant="naive", turn=turn, **naive), trial(variant="handoff", turn=turn, **handoff)]


RELAPSED: dict[str, Any] = {"relapse": True, "retention": "absent"}


def test_the_pairs_that_end_differently_are_shown_with_both_replies(tmp_path: Path) -> None:
    """Each difference has both ids, both deciding sentences and both sessions, and the verdict names the better side."""
    trials = pair(30, RELAPSED, {}) + pair(36, {}, {}) + pair(42, RELAPSED, RELAPSED)

    result = within_one_run(tmp_path, trials)

    (found,) = result.differing
    assert (result.verdict, found.turn) == ("b-better", 30)
    assert (found.a.outcome, found.b.outcome) == ("relapsed", "obeyed")
    assert "global mutex" in found.a.said
    assert "session actor" in found.b.said
    assert found.a.session.endswith("naive.s0.persist-next@30.jsonl")
    assert (result.relapse.pairs, result.relapse.only_a, result.relapse.only_b, result.relapse.both) == (
        3,
        1,
        0,
        1,
    )


def test_differences_are_b_minus_a(tmp_path: Path) -> None:
    """A negative difference means that B has less of it."""
    sessions = [totals(variant="naive", peak_tokens=100), totals(variant="handoff", peak_tokens=130)]

    result = within_one_run(tmp_path, pair(30, RELAPSED, {}), sessions=sessions)

    assert result.differences["relapses"] == -1
    assert result.differences["relapse_rate"] == -1.0
    assert result.differences["peak_payload_tokens"] == 30
    assert result.differences["over_restriction_rate"] is None


def test_over_restriction_counts_against_a_side(tmp_path: Path) -> None:
    """B forgets nothing but refuses what is allowed: neither side is better."""
    result = within_one_run(tmp_path, pair(30, RELAPSED, {}) + pair(36, {"over": False}, {"over": True}))

    assert result.verdict == "mixed"
    assert (result.over_restriction.only_a, result.over_restriction.only_b) == (0, 1)


def test_pairs_share_the_turn_and_not_the_cycle(tmp_path: Path) -> None:
    """Variants compact at different turns; the turn is what makes two trials a pair."""
    trials = [
        trial(variant="naive", turn=30, cycle=2, **RELAPSED),
        trial(variant="handoff", turn=30, cycle=1),
        trial(variant="handoff", turn=36, cycle=2, **RELAPSED),
    ]

    result = within_one_run(tmp_path, trials)

    assert result.relapse.pairs == 1
    assert (result.differing[0].a.cycle, result.differing[0].b.cycle) == (2, 1)


def test_a_pair_with_an_unanswered_trial_is_listed_apart(tmp_path: Path) -> None:
    """An overflow is neither better nor worse than a relapse."""
    result = within_one_run(tmp_path, pair(30, RELAPSED, {"unanswered": "overflow"}) + pair(36, {}, {}))

    assert result.verdict == "no-difference"
    assert result.differing == ()
    assert [difference.turn for difference in result.unpaired] == [30]


def test_the_exact_test_counts_discordant_pairs_only() -> None:
    """Worked by hand: 6 to 0 is 2/64, 5 to 1 is 14/64, nothing discordant is 1."""
    assert mcnemar(6, 0) == pytest.approx(2 / 64)
    assert mcnemar(5, 1) == pytest.approx(14 / 64)
    assert mcnemar(0, 0) == 1.0


def test_the_exact_test_is_left_out_with_several_seeds(tmp_path: Path) -> None:
    """Repeats are not independent, so the pairs are not either."""
    trials = pair(30, {"seed": 0}, {"seed": 0}) + pair(30, {"seed": 1}, {"seed": 1})

    assert within_one_run(tmp_path, trials).relapse.p is None


def test_live_models_get_no_verdict(tmp_path: Path) -> None:
    """One difference between two stochastic answers decides nothing."""
    result = within_one_run(tmp_path, pair(30, RELAPSED, {}), simulated=False, models={"executor": "openai:x"})

    assert (result.verdict, result.deterministic, result.relapse.p) == ("undecided", False, None)


def test_two_runs_are_compared_variant_by_variant(tmp_path: Path) -> None:
    """The variants that both have are matched by name; two single ones are matched whatever they are called."""
    a = load_run(write_run(tmp_path / "a", pair(30, RELAPSED, {})))
    b = load_run(write_run(tmp_path / "b", pair(30, {}, {})))
    single = load_run(write_run(tmp_path / "c", [trial(variant="mine", turn=30)]))
    other = load_run(write_run(tmp_path / "d", [trial(variant="theirs", turn=30)]))

    assert [c.verdict for c in compare_runs(a, b)] == ["b-better", "no-difference"]
    assert compare_runs(a, b)[0].name_a == "naive (a)"
    assert [c.name_b for c in compare_runs(single, other)] == ["theirs"]


@pytest.mark.parametrize(
    ("changes", "words"), [({"scorer_hash": "s2"}, "different scorers"), ({"scale": 2.0}, "different scales")]
)
def test_runs_measured_differently_are_refused(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    """Two rulers do not make one comparison."""
    a = load_run(write_run(tmp_path / "a", [trial()]))
    b = load_run(write_run(tmp_path / "b", [trial()], **changes))

    with pytest.raises(InputError, match=words):
        compare_runs(a, b)


def test_another_harness_is_noted_and_not_refused(tmp_path: Path) -> None:
    """Comparing two versions of the compaction code is what a maintainer does."""
    a = load_run(write_run(tmp_path / "a", [trial()]))
    b = load_run(write_run(tmp_path / "b", [trial()], harness_hash="h2"))

    assert "the harness differs" in compare_runs(a, b)[0].notes[0]


def test_sides_without_a_common_trial_are_an_input_error(tmp_path: Path) -> None:
    """Nothing in common is not "no difference"."""
    a = load_run(write_run(tmp_path / "a", [trial("one")]))
    b = load_run(write_run(tmp_path / "b", [trial("two")]))

    with pytest.raises(InputError, match="share no trial"):
        compare_runs(a, b)


def test_a_misspelt_variant_gets_the_nearest_name(tmp_path: Path) -> None:
    """The run's own variants are suggested."""
    run = load_run(write_run(tmp_path / "run", [trial(variant="handoff")]))

    with pytest.raises(InputError, match="did you mean 'handoff'"):
        side_of(run, "handof")


def test_the_document_carries_verdict_definitions_and_trials(tmp_path: Path) -> None:
    """Programs find the verdict at the top and the paths of the trials behind each difference."""
    document = json.loads(json.dumps(compare_document([within_one_run(tmp_path, pair(30, RELAPSED, {}))])))

    assert (document["schema"], document["verdict"]) == (1, "b-better")
    assert "relapse rate" in document["definitions"]
    first = document["comparisons"][0]
    assert first["differing"][0]["a"]["trial"] == "actor-not-mutex/naive/s0/persist-next@30"
    assert first["a"]["relapses"] == 1
