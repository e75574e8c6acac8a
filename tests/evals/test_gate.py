from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from stored_runs import compaction, fate, totals, trial, write_run

from backslide.evals.baseline import make_baseline
from backslide.evals.gate import GatePolicy, GateResult, check
from backslide.evals.loading import load_run
from backslide.evals.records import Trial, UnitFailure


def gate(
    tmp_path: Path,
    before: Sequence[Trial],
    now: Sequence[Trial],
    *,
    before_changes: dict[str, Any] | None = None,
    policy: GatePolicy | None = None,
    **changes: Any,
) -> GateResult:
    """The verdict on a run with the trials `now` against a baseline of the trials `before`."""
    baseline = make_baseline(load_run(write_run(tmp_path / "before", before, **(before_changes or {}))))
    return check(load_run(write_run(tmp_path / "now", now, **changes)), baseline, policy)


def test_the_same_run_passes(tmp_path: Path) -> None:
    """Known relapses are in the baseline; they do not fail a change that leaves them alone."""
    trials = [trial(turn=30), trial(turn=36, relapse=True, retention="absent")]

    result = gate(tmp_path, trials, trials)

    assert (result.verdict, result.exit_status, result.checked) == ("pass", 0, 2)
    assert result.improvements == ()


def test_a_new_relapse_is_a_regression_with_its_sentence(tmp_path: Path) -> None:
    """The finding names scenario, turn, payload and sentence, so that nobody has to search for them."""
    result = gate(tmp_path, [trial()], [trial(relapse=True, retention="absent")])

    (found,) = result.regressions
    assert (result.verdict, result.exit_status) == ("regression", 1)
    assert (found.kind, found.before, found.now) == ("relapse", "obeyed", "relapsed")
    assert (found.scenario, found.turn, found.payload_tokens) == ("actor-not-mutex", 30, 5000)
    assert found.said == "I will guard it with a global mutex."
    assert "dropped by the summarizer" in str(found.where)
    assert str(found.session).endswith("persist-next@30.jsonl")


def test_a_rule_that_is_retained_and_newly_violated_fails(tmp_path: Path) -> None:
    """The payload still states the rule; the gate fails all the same."""
    result = gate(tmp_path, [trial()], [trial(relapse=True, retention="stated")])

    assert result.verdict == "regression"
    assert "still in the payload" in str(result.regressions[0].where)


def test_another_system_is_what_the_gate_is_for(tmp_path: Path) -> None:
    """Changed compaction code is compared; only a changed instrument makes two runs incomparable."""
    assert gate(tmp_path, [trial()], [trial()], system_hash="y2").verdict == "pass"
    assert gate(tmp_path / "2", [trial()], [trial(relapse=True)], system_hash="y2").verdict == "regression"


def test_a_constraint_lost_from_the_payload_is_a_regression_before_it_is_a_relapse(tmp_path: Path) -> None:
    """The executor was lucky this time; the information is gone nevertheless."""
    result = gate(tmp_path, [trial()], [trial(retention="diluted")])

    assert [(c.kind, c.before, c.now) for c in result.regressions] == [("lost-constraint", "stated", "diluted")]


def test_a_new_over_restriction_is_a_regression(tmp_path: Path) -> None:
    """A summarizer that forbids everything must not pass."""
    result = gate(tmp_path, [trial(over=False)], [trial(over=True)])

    assert [c.kind for c in result.regressions] == ["over-restriction"]


def test_a_trial_that_overflows_now_is_a_regression(tmp_path: Path) -> None:
    """An answer that is no longer given is not a pass."""
    result = gate(tmp_path, [trial()], [trial(unanswered="overflow")])

    assert [(c.kind, c.now) for c in result.regressions] == [("unanswered", "unanswered (overflow)")]


def test_a_new_unseen_loss_is_a_regression_even_if_no_probe_noticed(tmp_path: Path) -> None:
    """No prompt can repair what the summarizer was not shown."""
    result = gate(tmp_path, [trial()], [trial()], compactions=[compaction(fates=[fate(unseen=True)])])

    (found,) = result.regressions
    assert (found.kind, found.constraint) == ("unseen-loss", "no-global-mutex")
    assert "compaction 1" in found.now


@pytest.mark.parametrize(
    ("peak", "total", "kinds"), [(110, 100, []), (111, 100, ["payload-peak"]), (100, 120, ["payload-total"])]
)
def test_payloads_may_grow_by_ten_percent(tmp_path: Path, peak: int, total: int, kinds: list[str]) -> None:
    """Exactly ten percent passes; more fails, in the peak and in the total."""
    result = gate(
        tmp_path,
        [trial()],
        [trial()],
        before_changes={"sessions": [totals(peak_tokens=100, total_input_tokens=100)]},
        sessions=[totals(peak_tokens=peak, total_input_tokens=total)],
    )

    assert [c.kind for c in result.regressions] == kinds


def test_the_payload_limit_is_the_policys(tmp_path: Path) -> None:
    """A policy of fifty percent lets forty pass."""
    result = gate(
        tmp_path,
        [trial()],
        [trial()],
        before_changes={"sessions": [totals(peak_tokens=100)]},
        sessions=[totals(peak_tokens=140)],
        policy=GatePolicy(payload_growth=0.5),
    )

    assert result.verdict == "pass"


def test_improvements_are_reported(tmp_path: Path) -> None:
    """What got better is said, so that the baseline can be renewed."""
    before = [trial(turn=30, relapse=True, retention="absent"), trial(turn=36, retention="absent")]

    result = gate(tmp_path, before, [trial(turn=30), trial(turn=36)])

    assert result.verdict == "pass"
    assert [(c.kind, c.now) for c in result.improvements] == [
        ("relapse", "obeyed"),
        ("lost-constraint", "stated"),
    ]


def test_new_and_removed_scenarios_are_reported_and_do_not_fail(tmp_path: Path) -> None:
    """A relapse of a scenario that the baseline does not know is no regression."""
    before = [trial("kept"), trial("removed")]
    now = [trial("kept"), trial("new", relapse=True, retention="absent")]

    result = gate(tmp_path, before, now, compactions=[compaction("new", fates=[fate(unseen=True)])])

    assert result.verdict == "pass"
    assert (result.new_scenarios, result.removed_scenarios, result.checked) == (("new",), ("removed",), 1)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scorer_hash": "s2"}, "the scorer differs"),
        ({"harness_hash": "h2"}, "the harness differs"),
        ({"scale": 2.0}, "the scale differs"),
        ({"scenarios": ["another"]}, "no scenario of the baseline"),
        ({"variants": ["handoff"]}, "variant naive is missing"),
        ({"simulated": False, "models": {"executor": "openai:gpt"}}, "live models"),
        ({"models": {"executor": "sim:other"}}, "models differ"),
    ],
)
def test_runs_that_cannot_be_compared_say_why(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    """The verdict is neither pass nor fail, and names what differs."""
    result = gate(tmp_path, [trial()], [trial(relapse=True)], **changes)

    assert (result.verdict, result.exit_status) == ("incomparable", 5)
    assert any(words in reason for reason in result.reasons)
    assert result.regressions == ()


def test_a_changed_scenario_is_named(tmp_path: Path) -> None:
    """The same id with another hash is another scenario."""
    baseline = make_baseline(load_run(write_run(tmp_path / "before", [trial()])))
    changed = baseline.model_copy(update={"scenarios": {"actor-not-mutex": "another hash"}})

    result = check(load_run(tmp_path / "before"), changed)

    assert result.reasons == ("the scenario actor-not-mutex has changed since the baseline",)


def test_a_changed_variant_is_what_the_gate_is_for(tmp_path: Path) -> None:
    """Another prompt under the same name is compared, and reported as changed."""
    baseline = make_baseline(load_run(write_run(tmp_path / "before", [trial()])))
    changed = baseline.model_copy(update={"variants": {"naive": "another prompt"}})

    result = check(load_run(tmp_path / "before"), changed)

    assert (result.verdict, result.changed_variants) == ("pass", ("naive",))


def test_units_that_could_not_be_completed_are_neither_pass_nor_fail(tmp_path: Path) -> None:
    """An outage is never a regression, and never a pass."""
    failure = UnitFailure(scenario="b", variant="naive", seed=0, error="connection refused")

    result = gate(tmp_path, [trial("a"), trial("b")], [trial("a")], failed=[failure], scenarios=["a", "b"])

    assert (result.verdict, result.exit_status) == ("incomplete", 4)
    assert result.reasons == ("b under naive, seed 0: connection refused",)


def test_trials_that_vanished_are_reported(tmp_path: Path) -> None:
    """A probe that was not asked is not a pass."""
    result = gate(tmp_path, [trial(turn=30), trial(turn=36)], [trial(turn=30)])

    assert result.verdict == "incomplete"
    assert "persist-next@36" in result.reasons[0]


def test_a_trial_that_an_outage_ended_is_neither_pass_nor_fail(tmp_path: Path) -> None:
    """The unit went on, one of its probes could not be completed."""
    result = gate(tmp_path, [trial(turn=30)], [trial(turn=30, unanswered="error", error="timeout")])

    assert (result.verdict, result.regressions) == ("incomplete", ())


def test_a_new_variant_is_reported_and_not_judged(tmp_path: Path) -> None:
    """Nobody knows yet what it should do."""
    now = [trial(), trial(variant="mine", relapse=True, retention="absent")]

    result = gate(tmp_path, [trial()], now, compactions=[compaction(variant="mine", fates=[fate(unseen=True)])])

    assert (result.verdict, result.new_variants) == ("pass", ("mine",))


def test_a_regression_outweighs_what_is_missing(tmp_path: Path) -> None:
    """A certain failure is not hidden behind an outage elsewhere."""
    result = gate(tmp_path, [trial(turn=30), trial(turn=36)], [trial(turn=30, relapse=True)])

    assert result.verdict == "regression"


def test_the_document_is_plain_json(tmp_path: Path) -> None:
    """Programs read the verdict, the definitions' names and the paths of the trials."""
    document = json.loads(json.dumps(gate(tmp_path, [trial()], [trial(relapse=True)]).to_json()))

    assert (document["schema"], document["verdict"], document["exit_status"]) == (1, "regression", 1)
    assert "relapse" in document["definitions"]
    assert document["regressions"][0]["session"].startswith(str(tmp_path))
