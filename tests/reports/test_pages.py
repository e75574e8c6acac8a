from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from stored_runs import compaction, fate, payload, trial, write_run

from backslide.evals.baseline import make_baseline
from backslide.evals.compare import Comparison, Side, compare
from backslide.evals.gate import check
from backslide.evals.loading import StoredRun, load_run
from backslide.harness.errors import InputError
from backslide.reports.compare import compare_report, verdict_words
from backslide.reports.gate import gate_report
from backslide.reports.trial import PlantedSentence, find_trial, trial_document, trial_report

PLANT = PlantedSentence(16, "user, said-once", "A global mutex is out: 40 ms at p99.")


def words(parts: Iterable[Any]) -> str:
    """The plain text of everything a page prints."""
    return "\n".join(getattr(part, "plain", "") for part in parts)


def forgotten(tmp_path: Path, **changes: Any) -> StoredRun:
    """A run with one relapse after a compaction that dropped the rule."""
    trials = [trial(relapse=True, retention="absent", **changes), trial(turn=36)]
    payloads = [payload(turn=30, cause="probe", probe="persist-next", tokens=5000)]
    return load_run(write_run(tmp_path / "run", trials, payloads=payloads, compactions=[compaction(fates=[fate()])]))


def test_a_trial_is_shown_from_plant_to_verdict(tmp_path: Path) -> None:
    """Plant, summarizer input around it, summary, payload composition, reply and verdict stand on one page, in order."""
    run = forgotten(tmp_path)

    page = words(trial_report(run, run.trials[0], [PLANT]))

    order = [
        "RELAPSED",
        "turn 16 (user, said-once)",
        "1 after turn 28",
        "dropped-by-summarizer",
        "[Tool result]: 12 matches",
        "The user works on the session registry",
        "5,000 tokens, 20,000 bytes",
        "tool_results 4,300 (86",
        "Let me wrap the table.",
        "recommended as the approach",
        "sessions/",
    ]
    places = [page.find(item) for item in order]
    assert -1 not in places
    assert places == sorted(places)


def test_a_plant_that_the_summarizer_was_not_shown_is_said_so(tmp_path: Path) -> None:
    """Whoever looks for the culprit sees that it was not the summarizer."""
    run = forgotten(tmp_path)
    unseen = PlantedSentence(17, "user, said-once", "Words that are in no request.")

    assert "turn 17's sentence is not in this request" in words(trial_report(run, run.trials[0], [unseen]))


def test_an_unanswered_trial_has_a_page_too(tmp_path: Path) -> None:
    """The reason stands where the reply would."""
    run = load_run(write_run(tmp_path / "run", [trial(unanswered="overflow", cycle=0)]))

    page = words(trial_report(run, run.trials[0], []))

    assert "UNANSWERED (overflow)" in page
    assert "not scored" not in page.split("Reply")[0]


def test_a_part_of_an_id_is_enough_if_it_is_unique(tmp_path: Path) -> None:
    """Ambiguous and unknown ids get candidates."""
    run = forgotten(tmp_path)

    assert find_trial(run, "@36").turn == 36
    with pytest.raises(InputError, match="fits 2 trials"):
        find_trial(run, "persist-next")
    with pytest.raises(InputError, match="did you mean 'actor-not-mutex/naive/s0/persist-next@30'"):
        find_trial(run, "actor-not-mutex/naive/s0/persist-nxt@30")


def test_the_trial_document_holds_the_records(tmp_path: Path) -> None:
    """Programs get the records as they are stored, under the names of the page."""
    run = forgotten(tmp_path)

    document = trial_document(run, run.trials[0], [PLANT])

    assert document["outcome"] == "relapsed"
    assert document["planted"][0]["turn"] == 16
    assert document["compactions"][0]["index"] == 1
    assert document["payload"]["tokens"] == 5000
    assert document["trial"]["schema"] == 1


def test_the_gate_page_ends_with_the_command_that_renews_the_baseline(tmp_path: Path) -> None:
    """A regression shows scenario, turn, payload, sentence and session; a plain pass needs no advice."""
    before = load_run(write_run(tmp_path / "before", [trial()]))
    after = load_run(write_run(tmp_path / "after", [trial(relapse=True, retention="absent")]))
    baseline = make_baseline(before)

    failed = words(gate_report(check(after, baseline), "b.json"))
    passed = words(gate_report(check(before, baseline), "b.json"))

    for item in (
        "REGRESSION: 1 finding",
        "turn 30",
        "“I will guard it with a global mutex.”",
        "5,000 tokens",
        "sessions/",
    ):
        assert item in failed
    assert failed.rstrip().endswith(f"backslide baseline {tmp_path / 'after'} -o b.json")
    assert "PASS" in passed
    assert "backslide baseline" not in passed


def comparison(tmp_path: Path, **changes: Any) -> Comparison:
    """Naive relapses where handoff does not."""
    trials = [trial(relapse=True, retention="absent"), trial(variant="handoff")]
    run = load_run(write_run(tmp_path / "run", trials, **changes))
    return compare(Side(run, "naive"), Side(run, "handoff"))


def test_a_comparison_claims_no_more_than_its_evidence(tmp_path: Path) -> None:
    """One discordant pair is certain for these scenarios and nothing beyond them."""
    text = verdict_words(comparison(tmp_path))

    assert text.startswith("handoff is better than naive on these scenarios.")
    assert "too few discordant pairs" in text


def test_live_models_get_counts_and_no_verdict(tmp_path: Path) -> None:
    """The plain form does not decide about answers that differ every time."""
    text = verdict_words(comparison(tmp_path, simulated=False, models={"executor": "openai:x"}))

    assert text.startswith("No verdict")


def test_the_comparison_page_shows_both_replies(tmp_path: Path) -> None:
    """Each differing pair has both sentences, both ids and both sessions."""
    page = words(compare_report(comparison(tmp_path), 120))

    assert "“I will guard it with a global mutex.”" in page
    assert "“I send the write to the session actor over its channel.”" in page
    assert page.count("sessions/") == 2
