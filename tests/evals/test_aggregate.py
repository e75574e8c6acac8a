from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_runs import compaction, fate, manifest, totals, trial

from backslide.evals.aggregate import run_document, summarize_run, summarize_variant, worst_failures
from backslide.evals.evidence import outcome, sentence, shorten, whereabouts
from backslide.evals.records import Trial, UnitFailure

ANY_TRIAL = st.builds(
    trial,
    turn=st.integers(1, 60),
    cycle=st.integers(0, 6),
    relapse=st.booleans(),
    over=st.sampled_from([None, True, False]),
    unanswered=st.sampled_from([None, None, "overflow", "nop", "error"]),
    retention=st.sampled_from(["verbatim", "stated", "diluted", "absent"]),
)


def test_relapse_rate_leaves_control_and_unanswered_trials_out() -> None:
    """One relapse in two answered probes is one half, whatever the control and the unanswered trials did."""
    trials = [
        trial(turn=30, relapse=True),
        trial(turn=36),
        trial(turn=42, unanswered="overflow"),
        trial(probe="control", over=False),
        trial(probe="lifted", over=True),
    ]

    summary = summarize_variant("naive", trials, [], [])

    assert (summary.relapses, summary.answered, summary.relapse_rate) == (1, 2, 0.5)
    assert (summary.over_restrictions, summary.answered_controls, summary.over_restriction_rate) == (
        1,
        2,
        0.5,
    )
    assert summary.unanswered == {"overflow": 1, "nop": 0, "error": 0}
    assert (summary.trials, summary.probes, summary.controls) == (5, 3, 2)


def test_a_rate_without_answers_is_unknown() -> None:
    """Nothing observed is not zero."""
    summary = summarize_variant("naive", [trial(unanswered="nop")], [], [])

    assert summary.relapse_rate is None
    assert summary.over_restriction_rate is None
    assert summary.cost_usd is None


def test_cycles_from_three_on_are_counted_together() -> None:
    """The table ends at "3 and more"."""
    trials = [trial(turn=turn, cycle=cycle, relapse=cycle > 1) for turn, cycle in enumerate([0, 1, 2, 3, 4, 7])]

    summary = summarize_variant("naive", trials, [], [])

    assert [(c.cycle, c.answered, c.relapses) for c in summary.by_cycle] == [
        (0, 1, 0),
        (1, 1, 0),
        (2, 1, 1),
        (3, 3, 3),
    ]


def test_what_no_summarizer_saw_is_counted_by_carrier() -> None:
    """Each constraint lost unseen at a compaction counts once, and once for its carrier; what was seen and left out does not."""
    compactions = [
        compaction(index=1, fates=[fate(unseen=True), fate(after="stated", constraint="other")]),
        compaction(index=2, fates=[fate(unseen=True, constraint="other")]),
        compaction(index=3, fates=[fate()]),
        compaction(variant="trim", fates=[fate(unseen=True)]),
    ]

    summary = summarize_variant("naive", [], compactions, [])

    assert summary.dropped_unseen == 2
    assert summary.dropped_unseen_by_carrier == {"said-once": 2}


def test_payloads_are_those_of_the_main_lines() -> None:
    """The peak is the highest of all sessions, totals are sums; another variant's sessions do not count."""
    sessions = [
        totals("a", peak_tokens=900, peak_bytes=4000, total_input_tokens=10, requests=2, compactions=1),
        totals(
            "b",
            peak_tokens=800,
            peak_bytes=5000,
            total_input_tokens=20,
            requests=3,
            compactions=0,
            overflow_turn=40,
        ),
        totals("a", "trim", peak_tokens=99999),
    ]

    summary = summarize_variant("naive", [], [], sessions)

    assert (summary.peak_payload_tokens, summary.peak_payload_bytes) == (900, 5000)
    assert (summary.total_input_tokens, summary.requests, summary.compactions) == (30, 5, 1)
    assert (summary.sessions, summary.overflowed_sessions) == (2, 1)


def test_retained_yet_violated_is_its_own_cell() -> None:
    """A rule that stands in the payload and is broken, and one that is gone and obeyed, are both counted apart."""
    trials = [
        trial(turn=1, relapse=True, retention="stated"),
        trial(turn=2, relapse=True, retention="absent"),
        trial(turn=3, relapse=False, retention="diluted"),
    ]

    summary = summarize_variant("naive", trials, [], [])

    assert summary.retained_yet_violated == 1
    assert summary.lost_yet_obeyed == 1
    assert summary.retention == {"verbatim": 0, "stated": 1, "diluted": 1, "absent": 1}


@settings(deadline=None, max_examples=60)
@given(st.lists(ANY_TRIAL, max_size=25))
def test_every_trial_is_counted_exactly_once(trials: list[Trial]) -> None:
    """Answered and unanswered probes and controls add up to the trials, and every rate is a share."""
    summary = summarize_variant("naive", trials, [], [])

    assert summary.trials == summary.probes + summary.controls
    assert summary.probes == summary.answered + sum(summary.unanswered.values())
    assert summary.controls == summary.answered_controls + sum(summary.unanswered_controls.values())
    assert summary.answered == sum(c.answered for c in summary.by_cycle) == sum(summary.retention.values())
    assert summary.relapses == sum(c.relapses for c in summary.by_cycle) == summary.used + summary.proposed
    assert summary.relapse_rate is None or 0 <= summary.relapse_rate <= 1


def test_the_run_document_has_the_fields_of_the_contract() -> None:
    """Programs that read ``run --json`` find the documented names, one entry a variant in the manifest's order."""
    failure = UnitFailure(scenario="a", variant="trim", seed=0, error="boom")
    run = manifest(variants=["naive", "trim"], failed=[failure])

    document = run_document("runs/x", run, summarize_run(run, [trial()], []))

    assert {"schema", "run_dir", "simulated", "completed", "failed", "wall_s", "variants"} <= set(document)
    assert (document["completed"], document["failed"]) == (1, 1)
    assert [entry["variant"] for entry in document["variants"]] == ["naive", "trim"]
    contract = (
        "variant trials probes relapses relapse_rate over_restrictions over_restriction_rate stale retention dropped_unseen "
        "advisor_replies forged suspect inverted answered unanswered by_cycle compactions peak_payload_tokens "
        "peak_payload_bytes total_input_tokens requests cost_usd"
    )
    assert set(contract.split()) <= set(document["variants"][0])
    assert document["variants"][0]["by_cycle"][1] == {"cycle": 1, "answered": 1, "relapses": 0}


def test_the_worst_failures_lead_with_what_was_retained_yet_violated() -> None:
    """Then comes what no summarizer saw, then other relapses, then over-restriction; success is never shown."""
    plain = trial(turn=1, relapse=True, retention="absent")
    unseen = trial(turn=2, relapse=True, retention="absent", unseen=True)
    retained = trial(turn=3, relapse=True, retention="stated")
    refused = trial(turn=4, over=True)
    shuffled = [plain, unseen, retained, refused, trial(turn=5), trial(turn=6, over=False)]
    random.Random(7).shuffle(shuffled)

    assert [item.turn for item in worst_failures(shuffled)] == [3, 2, 1, 4]


def test_the_worst_failures_are_varied_over_scenarios() -> None:
    """Twenty failures of one scenario do not hide the one of another."""
    many = [trial("a", turn=turn, relapse=True, retention="absent") for turn in range(20)]
    few = [trial("b", turn=50, relapse=True, retention="absent")]

    assert [item.scenario for item in worst_failures(many + few, limit=2)] == ["a", "b"]


def test_the_sentence_is_the_one_that_decided() -> None:
    """The evidence's sentence is quoted, not the reply's first one, and a cut keeps the evidence in view."""
    relapsed = trial(relapse=True)

    assert sentence(relapsed) == "I will guard it with a global mutex."
    assert "global mutex" in sentence(relapsed, width=20)


def test_the_sentence_of_a_refusal_is_the_refusal() -> None:
    """That the approach is named further up does not decide an over-restriction."""
    text = "You mention websockets. I will not use them."
    base = trial(over=True, text=text)
    assert base.verdict is not None
    named = base.verdict.evidence[0].model_copy(update={"start": 12, "end": 22, "text": "websockets"})
    refused = named.model_copy(
        update={"detector": "over-restriction", "start": 24, "end": len(text), "text": text[24:]}
    )
    changed = base.model_copy(update={"verdict": base.verdict.model_copy(update={"evidence": [named, refused]})})

    assert sentence(changed) == "I will not use them."


@settings(deadline=None, max_examples=80)
@given(text=st.text(min_size=1, max_size=200), data=st.data(), width=st.integers(10, 80))
def test_a_quoted_sentence_is_one_line_within_its_width(text: str, data: st.DataObject, width: int) -> None:
    """Whatever the model wrote, the quotation fits on one line of the width that was asked for."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    base = trial(relapse=True)
    assert base.verdict is not None
    evidence = base.verdict.evidence[0].model_copy(update={"start": start, "end": end, "text": text[start:end]})
    reply = base.reply.model_copy(update={"text": text}) if base.reply else None
    changed = base.model_copy(
        update={"reply": reply, "verdict": base.verdict.model_copy(update={"evidence": [evidence]})}
    )

    quoted = sentence(changed, width)

    assert len(quoted) <= width
    assert len(quoted.splitlines()) <= 1


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (trial(retention="absent"), "dropped by the summarizer, turn 28"),
        (trial(retention="absent", unseen=True), "before the summarizer saw it"),
        (trial(retention="stated"), "still in the payload, stated (summary)"),
        (trial(over=True), "lifted"),
    ],
)
def test_whereabouts_name_the_step_at_which_a_rule_was_lost(item: Trial, words: str) -> None:
    """The words say what a reader needs in order to mend it: which step, which compaction, which turn."""
    assert words in whereabouts(item)


def test_outcomes_tell_probes_from_controls() -> None:
    """A control trial cannot relapse and a probe cannot be over-restricted."""
    assert [outcome(t) for t in (trial(), trial(relapse=True), trial(over=False), trial(over=True))] == [
        "obeyed",
        "relapsed",
        "allowed",
        "over-restricted",
    ]
    assert outcome(trial(unanswered="overflow")) == "unanswered"


def test_shortening_marks_the_cut() -> None:
    """A cut line ends with an ellipsis and is exactly as wide as allowed or less."""
    assert shorten("a  b\nc", 10) == "a b c"
    assert shorten("abcdefghijkl", 5) == "abcd…"
