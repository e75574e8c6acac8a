"""Faults before the models: how they are written, which requests they hit, how a run rides them out."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rig import Scripted, said
from tiny import tiny, variant_file

from backslide.evals.fault_replies import role_of, spoil
from backslide.evals.faults import KINDS, PROFILES, FaultInjector, FaultProfile, FaultRule, load_faults
from backslide.evals.records import CompactionRecord, PayloadRecord, SessionTotals, Trial
from backslide.evals.runner import RunConfig, run
from backslide.evals.unit import GO_ON, Record, UnitSpec, drive
from backslide.evals.variants import resolve_variant
from backslide.harness.control.overflow import is_overflow
from backslide.harness.control.retry_patterns import is_retryable
from backslide.harness.errors import BackslideError, InputError
from backslide.harness.models.protocol import Measurement, Reply, Request, metered_usage

REQUEST = Request(
    "executor",
    "turn",
    json.dumps({"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "all of it"}]}).encode(),
    Measurement(10, 50, 2, {}, {}),
    100,
    1_000,
)


def driven(folder: Path, faults: str | None, strategy: str = "handoff") -> tuple[SessionTotals, list[Record]]:
    profile = load_faults(faults) if faults is not None else None
    unit = UnitSpec(tiny(folder), resolve_variant(variant_file(folder, strategy)), 0, (5, 8), faults=profile)
    records: list[Record] = []
    return asyncio.run(drive(unit, records.append)), records


def of(records: list[Record], kind: type[Any]) -> list[Any]:
    return [record for record in records if isinstance(record, kind)]


# ---------------------------------------------------------------- writing


@pytest.mark.parametrize(
    ("written", "rules"),
    [
        ("rate_limit@5", [FaultRule("rate_limit", turn=5)]),
        ("overflow%10", [FaultRule("overflow", every=10)]),
        ("server_error@3#2*4", [FaultRule("server_error", turn=3, request=2, times=4)]),
        ("summarizer_empty~2, overflow@1", [FaultRule("summarizer_empty", period=2), FaultRule("overflow", turn=1)]),
        ("rate_limit", list(PROFILES["rate_limit"])),
    ],
)
def test_an_inline_list_says_which_requests(written: str, rules: list[FaultRule]) -> None:
    """Kind, turn, request, period, times; a kind alone is its built-in profile."""
    assert list(load_faults(written).rules) == rules


@given(
    st.builds(
        FaultRule,
        st.sampled_from(KINDS),
        turn=st.none() | st.integers(1, 99),
        every=st.none() | st.integers(1, 99),
        request=st.integers(1, 9),
        period=st.none() | st.integers(1, 9),
        times=st.integers(2, 9),
    )
)
def test_a_profile_reads_what_it_writes(rule: FaultRule) -> None:
    """Its text, which stands in the manifest, gives the same profile."""
    profile = FaultProfile((rule,))

    assert load_faults(profile.text()) == profile


def test_a_file_holds_a_profile(tmp_path: Path) -> None:
    """One table a rule."""
    file = tmp_path / "bad-day.toml"
    file.write_text('[[fault]]\nkind = "overflow"\nturn = 4\n\n[[fault]]\nkind = "rate_limit"\n')

    assert load_faults(str(file)).rules == (FaultRule("overflow", turn=4), *PROFILES["rate_limit"])


@pytest.mark.parametrize("name", PROFILES)
def test_built_in_profiles_are_rules(name: str) -> None:
    """Each kind has one of its name."""
    assert load_faults(load_faults(name).text()) == load_faults(name)
    assert set(KINDS) <= set(PROFILES)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("rate_limt", "did you mean 'rate_limit'"),
        ("overflow@x", "is no fault"),
        ("overflow@0", "whole number from 1"),
        ("", "is no fault"),
        ("/nowhere.toml", "cannot be read"),
    ],
)
def test_a_wrong_profile_is_named(written: str, words: str) -> None:
    """With what may have been meant."""
    with pytest.raises(InputError, match=words):
        load_faults(written)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("x = 1", "fault"),
        ("[[fault]]\nkind = 'overflow'\ntrun = 4", "did you mean 'turn'"),
        ("[[fault]]\nkind = 'flod'", "fault 1: unknown fault"),
        ("[[fault]]\nkind = 'overflow'\nturn = 'four'", "whole number"),
        ("[[fault", "not TOML"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, content: str, words: str) -> None:
    """With the table and the field."""
    file = tmp_path / "faults.toml"
    file.write_text(content)
    with pytest.raises(InputError, match=words):
        load_faults(str(file))


# ---------------------------------------------------------------- hitting


def hits(written: str, turns: list[int]) -> list[tuple[int, int]]:
    """Turn and request of each hit, with so many executor requests in each turn."""
    injector = FaultInjector(load_faults(written))
    found = []
    for turn, requests in enumerate(turns, start=1):
        injector.begin(turn)
        found += [(turn, number) for number in range(1, requests + 1) if injector.due("executor")]
    return found


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("overflow@2", [(2, 1)]),
        ("overflow@2#2*2", [(2, 2), (2, 3)]),
        ("overflow%2", [(2, 1), (4, 1)]),
        ("overflow#5", [(2, 2)]),
        ("overflow~4", [(1, 1), (2, 2), (3, 3)]),
        ("overflow~4*2", [(1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (4, 1)]),
        ("summarizer_error~1", []),
    ],
)
def test_a_rule_hits_by_turn_or_by_request(written: str, expected: list[tuple[int, int]]) -> None:
    """Requests are counted in the turn where the rule names turns, else in the whole run."""
    assert hits(written, [3, 3, 3, 3])[: len(expected)] == expected
    assert len(hits(written, [3, 3, 3, 1])) == len(expected)


@pytest.mark.parametrize("kind", ["rate_limit", "server_error", "dropped_connection", "summarizer_error"])
def test_passing_failures_read_like_passing_failures(kind: Any) -> None:
    """The control plane knows them by their words."""
    reply = spoil(kind, REQUEST, None)
    message = {"stopReason": reply.stop_reason, "errorMessage": reply.error_message}

    assert is_retryable(message, REQUEST.context_window)


def test_the_other_kinds() -> None:
    """An overflow reads like one, an empty reply is none, a summary that does not shrink is its own input."""
    overflow = spoil("overflow", REQUEST, None)
    assert is_overflow({"stopReason": "error", "errorMessage": overflow.error_message}, 1_000)
    assert "1001 tokens" in str(overflow.error_message)
    assert spoil("empty_reply", REQUEST, None).content == []
    assert spoil("summarizer_not_shrinking", REQUEST, None).text == "all of it"
    own = Reply([{"type": "text", "text": "hi"}], usage=metered_usage(5, 5))
    silent = spoil("no_usage_reported", REQUEST, own)
    assert (silent.text, silent.usage["totalTokens"]) == ("hi", 0)


def test_a_wrapped_model_keeps_its_name() -> None:
    """And is asked only where nothing goes wrong."""
    inner = Scripted([said("one"), said("two")])
    model = FaultInjector(load_faults("server_error#2")).wrap(inner, "executor")
    replies = [asyncio.run(model.complete(REQUEST)) for _ in range(3)]

    assert [reply.stop_reason for reply in replies] == ["stop", "error", "stop"]
    assert len(inner.requests) == 2
    assert (model.name, model.simulated) == (inner.name, inner.simulated)


# ---------------------------------------------------------------- riding out


@pytest.mark.parametrize("strategy", ["handoff", "pi-0.83"])
@pytest.mark.parametrize("faults", PROFILES)
def test_a_scenario_comes_to_its_end_under_every_fault(tmp_path: Path, faults: str, strategy: str) -> None:
    """All turns are played and all probes asked; what goes wrong leaves its mark on the requests."""
    calm_totals, calm = driven(tmp_path, None, strategy)
    totals, records = driven(tmp_path, faults, strategy)

    assert totals.turns == calm_totals.turns
    assert {trial.turn for trial in of(records, Trial)} == {trial.turn for trial in of(calm, Trial)}
    assert totals.overflow_turn is None
    requests = of(records, PayloadRecord)
    changed = [record.stop_reason for record in requests] != [record.stop_reason for record in of(calm, PayloadRecord)]
    summaries = [record.summary for record in of(records, CompactionRecord)]
    assert changed or summaries != [record.summary for record in of(calm, CompactionRecord)]


def test_a_retried_request_is_recorded_as_one(tmp_path: Path) -> None:
    """The failure and the request that followed it, of turns and of summaries."""
    _, records = driven(tmp_path, "rate_limit@3,summarizer_error~2")

    causes = Counter((record.role, record.cause) for record in of(records, PayloadRecord) if record.probe is None)
    assert causes["executor", "retry"] == 1
    assert causes["summarizer", "retry"] == causes["summarizer", "summarizer"] > 0
    failed = [record for record in of(records, PayloadRecord) if record.stop_reason == "error"]
    assert [record.turn for record in failed if record.role == "executor"] == [3]


def test_probes_are_asked_without_faults(tmp_path: Path) -> None:
    """What is measured is what the main line has kept."""
    _, records = driven(tmp_path, "rate_limit%1")

    assert {record.stop_reason for record in of(records, PayloadRecord) if record.probe} == {"stop"}


def session_text(folder: Path, faults: str) -> str:
    """The main line's session file."""
    sessions = folder / "sessions"
    sessions.mkdir()
    unit = UnitSpec(tiny(folder), resolve_variant(variant_file(folder)), 0, (), sessions=sessions, probes=False)
    asyncio.run(drive(replace(unit, faults=load_faults(faults)), lambda _record: None))
    (file,) = sessions.iterdir()
    return file.read_text()


def test_an_empty_reply_is_followed_by_a_users_word(tmp_path: Path) -> None:
    """The script of the turn goes on; the word is in the session."""
    assert session_text(tmp_path, "empty_reply@3").count(GO_ON) == 1


def test_the_wait_for_a_retry_passes_on_the_units_clock(tmp_path: Path) -> None:
    """Two seconds, four, eight; nobody waits for them."""
    entries = [json.loads(line) for line in session_text(tmp_path, "rate_limit@3*3").splitlines()[1:]]
    times = [entry["message"]["timestamp"] for entry in entries if entry["type"] == "message"]
    gaps = [later - earlier for earlier, later in pairwise(times)]

    assert sorted(gaps)[-3:] == [2000 + wait for wait in (2000, 4000, 8000)]


def test_a_turn_that_never_ends_is_an_error(tmp_path: Path) -> None:
    """Rather than a session without what its script would have planted."""
    with pytest.raises(BackslideError, match="turn 3 did not come to its end under empty_reply"):
        driven(tmp_path, "empty_reply@3*99")


def test_a_run_repeats_exactly_under_faults(tmp_path: Path) -> None:
    """Nothing is left to chance."""

    def shown() -> list[str]:
        _, records = driven(tmp_path, "flaky")
        return [record.model_dump_json(exclude={"wall_ms"}) for record in records]

    assert shown() == shown()


class Silent:
    """Wants to know nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_args: None


def test_the_manifest_names_the_faults(tmp_path: Path) -> None:
    """Among the models, whose replies they stand before; another profile is another run."""
    config = RunConfig(
        scenarios=["actor-not-mutex"], variants=["trim"], concurrency=1, out=tmp_path / "run", faults="rate_limit"
    )
    outcome = run(config, Silent())

    assert outcome.manifest.models["faults"] == "script:rate_limit%5"
    with pytest.raises(InputError, match="another models"):
        run(replace(config, resume=True, faults="overflow"), Silent())


def test_kinds_belong_to_a_role() -> None:
    """The summarizer's are named so."""
    assert {role_of(kind) for kind in KINDS} == {"executor", "summarizer"}
