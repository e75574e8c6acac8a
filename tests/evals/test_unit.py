"""One scenario driven under one variant: main line, probes, records."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rig import Scripted, call, calling, failed, said
from tiny import tiny, variant_file

from backslide.evals import probing
from backslide.evals.probing import MAX_ASSISTANT_MESSAGES, cards_at
from backslide.evals.records import CompactionRecord, PayloadRecord, SessionTotals, Trial
from backslide.evals.unit import Record, UnitSpec, drive
from backslide.evals.variants import resolve_variant
from backslide.harness.models.protocol import Reply, Request
from backslide.harness.session import Session

PLAN = (5, 8)


def spec(folder: Path, strategy: str = "handoff", **changes: Any) -> UnitSpec:
    options = {key: changes.pop(key) for key in ("turns", "noise", "lifted") if key in changes}
    unit = UnitSpec(tiny(folder, **options), resolve_variant(variant_file(folder, strategy)), 0, PLAN)
    return replace(unit, **changes)


def driven(unit: UnitSpec) -> tuple[SessionTotals, list[Record]]:
    records: list[Record] = []
    return asyncio.run(drive(unit, records.append)), records


def trials(records: list[Record]) -> list[Trial]:
    return [record for record in records if isinstance(record, Trial)]


def payloads(records: list[Record]) -> list[PayloadRecord]:
    return [record for record in records if isinstance(record, PayloadRecord)]


def compactions(records: list[Record]) -> list[CompactionRecord]:
    return [record for record in records if isinstance(record, CompactionRecord)]


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Scripted]]:
    """Let probes be answered by a script; each probe starts it anew."""

    def install(*replies: Reply | Callable[[Request], Reply]) -> list[Scripted]:
        made: list[Scripted] = []

        def make(*_args: Any) -> Scripted:
            made.append(Scripted(list(replies)))
            return made[-1]

        monkeypatch.setattr(probing, "make_executor", make)
        return made

    return install


def test_trials_come_in_the_order_of_the_plan(tmp_path: Path) -> None:
    """Ids, turns, cycles and kinds; a control probe has no constraint to retain."""
    _, records = driven(spec(tmp_path))

    assert [trial.id for trial in trials(records)] == [
        "tiny/handoff/s0/keep-report@3",
        "tiny/handoff/s0/keep-report@5",
        "tiny/handoff/s0/keep-report@8",
        "tiny/handoff/s0/keep-report@12",
        "tiny/handoff/s0/sort-rows@12",
    ]
    first, *_, last = trials(records)
    assert (first.turn, first.cycle, first.control, first.status) == (3, 0, False, "answered")
    assert (last.control, last.retention, last.constraint) == (True, None, None)
    assert all(trial.simulated for trial in trials(records))


def test_cycles_count_the_compactions_so_far(tmp_path: Path) -> None:
    """At a probe, in payloads and in the totals."""
    totals, records = driven(spec(tmp_path))
    done = totals.compaction_turns

    assert len(done) == totals.compactions == len(compactions(records)) >= 3
    assert [c.turn for c in compactions(records)] == done
    assert [c.index for c in compactions(records)] == list(range(1, len(done) + 1))
    for trial in trials(records):
        assert trial.cycle == sum(turn <= trial.turn for turn in done)


def test_the_first_seeds_story_in_small(tmp_path: Path) -> None:
    """The hand-over keeps the rule; a trimmed session loses it unseen, and its executor relapses."""
    _, kept = driven(spec(tmp_path, "handoff"))
    _, lost = driven(spec(tmp_path, "trim"))
    last_kept, last_lost = (next(t for t in trials(r) if t.id.endswith("keep-report@12")) for r in (kept, lost))

    assert last_kept.verdict is not None
    assert last_kept.retention is not None
    assert (last_kept.verdict.relapse, last_kept.retention.where) == (False, "summary")
    assert last_lost.verdict is not None
    assert last_lost.retention is not None
    assert (last_lost.verdict.relapse, last_lost.retention.cls) == (True, "absent")
    assert (last_lost.retention.lost_unseen, last_lost.retention.lost_at_compaction) == (True, 1)


@pytest.mark.parametrize("strategy", ["handoff", "naive", "trim", "no-compaction", "pi-0.83"])
def test_probes_leave_the_main_line_untouched(strategy: str, tmp_path: Path) -> None:
    """The main session file is the same byte for byte with and without probes, and so are its totals and requests."""
    with_probes, without = tmp_path / "with", tmp_path / "without"
    with_probes.mkdir()
    without.mkdir()
    asked, records = driven(spec(tmp_path, strategy, sessions=with_probes))
    alone, bare = driven(spec(tmp_path, strategy, sessions=without, probes=False))
    name = f"tiny.{strategy}.s0.jsonl"

    assert trials(records) != []
    assert [path.name for path in without.iterdir()] == [name]
    assert (with_probes / name).read_bytes() == (without / name).read_bytes()
    assert asked == alone
    assert [p for p in payloads(records) if p.probe is None] == payloads(bare)


def test_a_probe_is_asked_on_a_copy_of_its_own(tmp_path: Path) -> None:
    """Its file holds the main line so far, then the request and the reply; a reader opens it without complaint."""
    _, records = driven(spec(tmp_path, sessions=tmp_path))
    trial = trials(records)[1]
    main = [json.loads(line) for line in (tmp_path / "tiny.handoff.s0.jsonl").read_text().splitlines()]
    copy = Session.open(tmp_path / trial.session)

    assert trial.session == "tiny.handoff.s0.keep-report@5.jsonl"
    assert copy.problems == []
    assert copy.header["parentSession"].endswith("tiny.handoff.s0.jsonl")
    own = [entry for entry in copy.entries if entry not in main]
    assert [entry["message"]["role"] for entry in own] == ["user", "assistant"]
    assert own[0]["message"]["content"][0]["text"].startswith("Write the function")
    assert copy.entries[: -len(own)] == main[1 : len(copy.entries) - len(own) + 1]


def test_probes_are_not_compacted_and_not_counted(tmp_path: Path) -> None:
    """Their requests are recorded with their cause, outside the totals of the session."""
    totals, records = driven(spec(tmp_path))
    probes = [p for p in payloads(records) if p.cause == "probe"]
    main = [p for p in payloads(records) if p.cause != "probe"]

    assert {p.probe for p in probes} == {"keep-report", "sort-rows"}
    assert all(p.probe is None for p in main)
    assert totals.requests == len(main)
    assert totals.total_input_tokens == sum(p.tokens for p in main)
    assert totals.peak_tokens == max(p.tokens for p in main if p.role == "executor")
    assert {p.cause for p in main} == {"script", "summarizer"}


def test_payload_records_add_up(tmp_path: Path) -> None:
    """Tokens and bytes by origin, in every record."""
    _, records = driven(spec(tmp_path))

    for payload in payloads(records):
        assert sum(payload.composition.values()) == payload.tokens
        assert sum(payload.composition_bytes.values()) == payload.bytes
    first = next(trial for trial in trials(records) if trial.turn == 5)
    asked = next(p for p in payloads(records) if p.probe == "keep-report" and p.turn == 5)
    assert (first.payload_tokens, first.payload_bytes) == (asked.tokens, asked.bytes)


def test_a_compaction_record_shows_what_the_summarizer_saw(tmp_path: Path) -> None:
    """Input, reply and fates of the planted rules; the second one is an update of the first."""
    _, records = driven(spec(tmp_path))
    first, second, *_ = compactions(records)

    (seen,) = first.exchanges
    assert "Pickle is out" in seen.text
    assert seen.reply.strip() == first.summary.strip()
    assert f"<previous-summary>\n{first.summary.strip()[:40]}" in second.exchanges[0].text
    assert [fate.constraint for fate in first.fates] == ["no-pickle"]
    assert first.tokens_after < first.tokens_before
    assert first.reason == "threshold"


def test_overflow_without_compaction_is_an_expected_end(tmp_path: Path) -> None:
    """Nothing is played after it; probes from then on are unanswered for that reason, and have no verdict."""
    totals, records = driven(spec(tmp_path, "no-compaction"))
    after = [trial for trial in trials(records) if totals.overflow_turn and trial.turn >= totals.overflow_turn]

    assert totals.overflow_turn == 5
    assert {(t.status, t.unanswered, t.verdict, t.retention, t.requests) for t in after} == {
        ("unanswered", "overflow", None, None, 0)
    }
    assert len(after) == 4
    assert max(p.turn for p in payloads(records)) == 5


def test_a_probe_that_overflows_alone(tmp_path: Path, answering: Callable[..., list[Scripted]]) -> None:
    """The main line goes on; the trial says why there is no answer."""
    answering(failed("prompt is too long: 9 tokens > 8 maximum"))
    totals, records = driven(spec(tmp_path))

    assert totals.overflow_turn is None
    assert {(t.unanswered, t.error) for t in trials(records)} == {("overflow", None)}


def test_a_probe_that_fails_says_how(tmp_path: Path, answering: Callable[..., list[Scripted]]) -> None:
    """Neither pass nor fail."""
    answering(failed("401 invalid key"))
    _, records = driven(spec(tmp_path))

    assert {(t.status, t.unanswered, t.error, t.verdict) for t in trials(records)} == {
        ("unanswered", "error", "401 invalid key", None)
    }


def test_an_empty_answer_is_none(tmp_path: Path, answering: Callable[..., list[Scripted]]) -> None:
    """Retention is scored all the same: it needs no answer."""
    answering(Reply([], "stop"))
    _, records = driven(spec(tmp_path))

    assert {t.unanswered for t in trials(records)} == {"nop"}
    assert trials(records)[0].retention is not None


def test_a_probe_may_read_and_ends_after_six_messages(tmp_path: Path, answering: Callable[..., list[Scripted]]) -> None:
    """Its tools answer from the workspace; whoever goes on for ever is cut off."""
    made = answering(*(calling(call(f"r{number}", "read", path="report/weekly.py")) for number in range(20)))
    _, records = driven(spec(tmp_path, turns=4))

    assert {len(model.requests) for model in made} == {MAX_ASSISTANT_MESSAGES} == {6}
    trial = trials(records)[0]
    assert trial.reply is not None
    assert (trial.requests, trial.reply.messages, len(trial.reply.calls)) == (6, 6, 6)
    assert '"content":"def weekly():\\n    return load()"' in made[0].requests[1].body.decode()


def test_the_answer_is_the_probes_own(tmp_path: Path, answering: Callable[..., list[Scripted]]) -> None:
    """After an overflow that was recovered, no word of the main line counts as the probe's reply."""
    answering(said("MY ANSWER"))
    unit = spec(tmp_path, noise=4000)
    small = replace(unit.variant, compaction=replace(unit.variant.compaction, window=3600, reserve_tokens=1))
    totals, records = driven(replace(unit, variant=small))

    assert totals.overflow_turn is None
    assert "overflow" in {c.reason for c in compactions(records)}
    assert {t.reply.text.strip() for t in trials(records) if t.reply} == {"MY ANSWER"}


def test_two_drives_are_equal_apart_from_times(tmp_path: Path) -> None:
    """Records, order and the main line's file."""
    runs = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        totals, records = driven(spec(tmp_path, sessions=tmp_path / name))
        plain = [r.model_copy(update={"wall_ms": 0}) if isinstance(r, Trial) else r for r in records]
        runs.append((totals, plain, (tmp_path / name / "tiny.handoff.s0.jsonl").read_bytes()))

    assert runs[0] == runs[1]


def test_sessions_of_a_broken_off_run_are_replaced(tmp_path: Path) -> None:
    """A file that is in the way from before does not stop the unit."""
    (tmp_path / "tiny.handoff.s0.jsonl").write_text("half a ses")
    driven(spec(tmp_path, sessions=tmp_path))

    assert Session.open(tmp_path / "tiny.handoff.s0.jsonl").problems == []


@pytest.mark.parametrize("name", ["my prompt", "提示", "..", "a b.c"])
def test_a_variant_may_have_any_name(name: str, tmp_path: Path) -> None:
    """Its files stay in the folder of the sessions."""
    unit = spec(tmp_path, turns=4)
    sessions = tmp_path / "run" / "sessions"
    sessions.mkdir(parents=True)
    _, records = driven(replace(unit, variant=replace(unit.variant, name=name), sessions=sessions))

    assert trials(records)[0].variant == name
    assert len(list(sessions.iterdir())) == 4
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["sessions"]


def test_the_card_is_true_at_its_moment(tmp_path: Path) -> None:
    """Before the lift the lure is on it; after it the rule is a thing of the past."""
    scenario = tiny(tmp_path, lifted=True)
    before, after = cards_at(scenario, 9)[0], cards_at(scenario, 10)[0]

    assert (before.control, after.control) == (False, True)
    assert before.lures[0].text.startswith("I will use pickle")
    assert after.lures == ()
    assert after.compliant[0].text == "pickle.dump(report, file)"
    assert after.over_restrictive[0].text.startswith("Pickle is ruled out")


def test_nobody_is_refused_a_lifted_rule_under_the_hand_over(tmp_path: Path) -> None:
    """The lifting sentence survives every compaction after it."""
    _, records = driven(spec(tmp_path, turns=20, lifted=True))
    last = next(t for t in trials(records) if t.id.endswith("keep-report@20"))

    assert (last.lifted, last.control) == (True, True)
    assert last.verdict is not None
    assert last.verdict.over_restriction is False
    assert not last.stale


@pytest.mark.parametrize(
    ("executor", "relapses", "answered"), [("oracle", 0, True), ("relapser", 4, True), ("nop", 0, False)]
)
def test_controls_get_the_scores_they_were_made_for(
    executor: str, relapses: int, answered: bool, tmp_path: Path
) -> None:
    """Over the whole drive."""
    _, records = driven(spec(tmp_path, executor=executor))

    assert sum(bool(t.verdict and t.verdict.relapse) for t in trials(records)) == relapses
    assert {t.status == "answered" for t in trials(records)} == {answered}
