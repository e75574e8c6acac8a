"""Hand-made records and run directories for the tests of everything that reads a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from backslide.evals.records import (
    CompactionRecord,
    ConstraintFate,
    EvidenceRecord,
    Manifest,
    PayloadRecord,
    ReplyRecord,
    Retention,
    SessionTotals,
    SummarizerExchange,
    Trial,
    UnitFailure,
    VariantInfo,
    Verdict,
)
from backslide.evals.store import RunWriter

RELAPSE = "Let me wrap the table. I will guard it with a global mutex. Then every caller locks it."
COMPLIANT = "I send the write to the session actor over its channel."
REFUSAL = "I cannot use websockets here, they were ruled out."


def verdict(text: str = RELAPSE, *, relapse: bool = True, over: bool | None = None, cls: str = "proposed") -> Verdict:
    """A verdict whose evidence is "global mutex", or the whole text where those words are missing."""
    needle = "global mutex" if "global mutex" in text else text
    start = text.index(needle)
    evidence = EvidenceRecord(
        detector="prose", start=start, end=start + len(needle), text=needle, why="recommended as the approach"
    )
    return Verdict(cls=cls, relapse=relapse, over_restriction=over, evidence=[evidence])


def trial(
    scenario: str = "actor-not-mutex",
    variant: str = "naive",
    *,
    seed: int = 0,
    probe: str = "persist-next",
    turn: int = 30,
    cycle: int = 1,
    relapse: bool = False,
    over: bool | None = None,
    unanswered: str | None = None,
    retention: str = "stated",
    unseen: bool = False,
    text: str | None = None,
    **changes: Any,
) -> Trial:
    """One trial: obeyed unless `relapse`; a control trial where `over` is a bool; not answered for a reason."""
    control = over is not None
    text = text or (REFUSAL if over else RELAPSE if relapse else COMPLIANT)
    lost = retention in {"diluted", "absent"}
    values: dict[str, Any] = {
        "id": f"{scenario}/{variant}/s{seed}/{probe}@{turn}",
        "scenario": scenario,
        "variant": variant,
        "seed": seed,
        "probe": probe,
        "kind": "control" if control else "implement",
        "constraint": "no-global-mutex",
        "carriers": ["said-once"],
        "turn": turn,
        "cycle": cycle,
        "control": control,
        "lifted": control,
        "simulated": True,
        "status": "unanswered" if unanswered else "answered",
        "unanswered": unanswered,
        "reply": None if unanswered else ReplyRecord(text=text, calls=[], messages=1),
        "verdict": None
        if unanswered
        else verdict(text, relapse=relapse, over=over, cls="proposed" if relapse else "mentioned"),
        "retention": Retention(
            cls=retention,
            where=None if lost else "summary",
            text=None if lost else "Rejected: a global mutex.",
            lost_at_compaction=1 if lost else None,
            lost_at_turn=28 if lost else None,
            lost_step="trimmed-before-summarizer" if unseen else "dropped-by-summarizer" if lost else "none",
            lost_unseen=unseen,
        ),
        "stale": False,
        "payload_tokens": 5000,
        "payload_bytes": 20000,
        "requests": 1,
        "tokens_since_plant": 40000,
        "session": f"{scenario}.{variant}.s{seed}.{probe}@{turn}.jsonl",
        "wall_ms": 1.5,
    }
    return Trial(**{**values, **changes})


def payload(
    scenario: str = "actor-not-mutex",
    variant: str = "naive",
    *,
    turn: int = 1,
    tokens: int = 3000,
    **changes: Any,
) -> PayloadRecord:
    """One request of a main line, four bytes a token."""
    values: dict[str, Any] = {
        "scenario": scenario,
        "variant": variant,
        "seed": 0,
        "turn": turn,
        "cycle": 0,
        "role": "executor",
        "cause": "script",
        "probe": None,
        "model": "sim:script",
        "bytes": tokens * 4,
        "tokens": tokens,
        "messages": 9,
        "composition": {"system": 500, "user": 200, "tool_results": tokens - 700},
        "composition_bytes": {"system": 2000, "user": 800, "tool_results": tokens * 4 - 2800},
        "input_tokens": tokens,
        "output_tokens": 100,
        "cost": 0.0,
        "stop_reason": "stop",
    }
    return PayloadRecord(**{**values, **changes})


def fate(*, unseen: bool = False, after: str = "absent", constraint: str = "no-global-mutex") -> ConstraintFate:
    """What a compaction did to a rule that was stated before it."""
    step = "trimmed-before-summarizer" if unseen else "dropped-by-summarizer" if after == "absent" else "none"
    return ConstraintFate(
        constraint=constraint,
        carriers=["said-once"],
        before="stated",
        seen="absent" if unseen else "stated",
        summary=after,
        after=after,
        step=step,
        unseen=unseen,
    )


def compaction(
    scenario: str = "actor-not-mutex",
    variant: str = "naive",
    *,
    index: int = 1,
    turn: int = 28,
    fates: Sequence[ConstraintFate] = (),
    **changes: Any,
) -> CompactionRecord:
    """One compaction with one summarizer request."""
    values: dict[str, Any] = {
        "scenario": scenario,
        "variant": variant,
        "seed": 0,
        "index": index,
        "turn": turn,
        "reason": "threshold",
        "strategy": variant,
        "tokens_before": 12000,
        "tokens_after": 5000,
        "summary": "The user works on the session registry. Tests pass.",
        "exchanges": [
            SummarizerExchange(
                kind="initial",
                system="You summarize conversations.",
                text="[User]: A global mutex is out: 40 ms at p99.\n[Tool result]: 12 matches",
                reply="The user works on the session registry. Tests pass.",
                stop_reason="stop",
                input_tokens=8000,
                output_tokens=300,
            )
        ],
        "fates": list(fates),
    }
    return CompactionRecord(**{**values, **changes})


def totals(scenario: str = "actor-not-mutex", variant: str = "naive", **changes: Any) -> SessionTotals:
    """What one main line used."""
    values: dict[str, Any] = {
        "scenario": scenario,
        "variant": variant,
        "seed": 0,
        "turns": 44,
        "compactions": 3,
        "compaction_turns": [28, 34, 40],
        "requests": 90,
        "peak_tokens": 11900,
        "peak_bytes": 47000,
        "last_tokens": 7000,
        "total_input_tokens": 600000,
        "cost": 0.0,
        "overflow_turn": None,
    }
    return SessionTotals(**{**values, **changes})


def manifest(
    *,
    variants: Sequence[str] = ("naive",),
    scenarios: Iterable[str] = ("actor-not-mutex",),
    sessions: Sequence[SessionTotals] = (),
    failed: Sequence[UnitFailure] = (),
    **changes: Any,
) -> Manifest:
    """The manifest of a finished simulated run."""
    hashes = {scenario: f"hash-of-{scenario}" for scenario in scenarios}
    values: dict[str, Any] = {
        "id": "20261120-101500-ab12",
        "backslide": "0.1.0",
        "harness_hash": "h1",
        "system_hash": "y1",
        "scorer_hash": "s1",
        "command": ["backslide", "run"],
        "scenarios": hashes,
        "variants": [VariantInfo(name=name, hash=f"v-{name}", config={"strategy": name}) for name in variants],
        "seeds": [0],
        "models": {"executor": "sim:literal", "summarizer": "sim:section"},
        "simulated": True,
        "scale": 1.0,
        "plan": {scenario: [30, 36, 42] for scenario in hashes},
        "units": len(hashes) * len(variants),
        "started": "2026-11-20T10:15:00Z",
        "ended": "2026-11-20T10:15:09Z",
        "completed": len(hashes) * len(variants) - len(failed),
        "failed": list(failed),
        "sessions": list(sessions),
        "wall_s": 9.0,
        "machine": {"python": "3.11.7", "cpus": 2},
    }
    return Manifest(**{**values, **changes})


def write_run(
    path: Path,
    trials: Sequence[Trial] = (),
    *,
    payloads: Sequence[PayloadRecord] = (),
    compactions: Sequence[CompactionRecord] = (),
    sessions: Sequence[SessionTotals] | None = None,
    **changes: Any,
) -> Path:
    """Write a finished run with these records; variants and scenarios are those of the trials. Return its folder."""
    variants = list(dict.fromkeys(item.variant for item in trials)) or ["naive"]
    scenarios = list(dict.fromkeys(item.scenario for item in trials)) or ["actor-not-mutex"]
    if sessions is None:
        sessions = [totals(scenario, variant) for scenario in scenarios for variant in variants]
    settings = {"variants": variants, "scenarios": scenarios, "sessions": sessions, **changes}
    with RunWriter(path) as writer:
        writer.write_manifest(manifest(**settings))
        for record in payloads:
            writer.append_payload(record)
        for event in compactions:
            writer.append_compaction(event)
        for item in trials:
            writer.append_trial(item)
    return path
