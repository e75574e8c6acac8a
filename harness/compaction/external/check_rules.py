"""The rules of a conformance check's main run, and which of them an error breaks."""

from __future__ import annotations

from dataclasses import dataclass

from backslide.harness.compaction.external.errors import CompactorError, Fault, NothingToCompactError
from backslide.harness.compaction.external.protocol import PROTOCOL_VERSION
from backslide.harness.compaction.strategies.base import Compacted, CompactionError


@dataclass(frozen=True)
class CheckResult:
    """The verdict on one rule. `required` False: worth knowing, but not a rule of the protocol."""

    name: str
    ok: bool
    detail: str
    required: bool = True


@dataclass(frozen=True)
class Rule:
    """A rule of the main run: the faults that break it. Rules of a later stage imply those of earlier ones."""

    name: str
    stage: int
    faults: frozenset[Fault]
    holds: str


RULES = (
    Rule("version", 1, frozenset({"start", "version"}), f"it starts and speaks version {PROTOCOL_VERSION}"),
    Rule(
        "messages",
        2,
        frozenset({"json", "utf8", "shape", "flood", "requests", "closed", "exit", "raised", "refused", "gave-up"}),
        "all it wrote has the protocol's form",
    ),
    Rule("ids", 2, frozenset({"id"}), "every answer repeats the id of its request"),
    Rule("time", 2, frozenset({"timeout"}), "it answered within its time limits"),
    Rule("raw", 3, frozenset({"raw", "empty"}), "raw messages are word for word those it was given"),
    Rule("tool results", 3, frozenset({"orphan"}), "no tool result without its call"),
    Rule("last user", 3, frozenset({"last-user"}), "the last user message is kept, in an unfinished turn too"),
    Rule("shrinks", 3, frozenset({"larger"}), "both compactions made the conversation smaller"),
)


@dataclass
class MainRun:
    """The main run: two compactions, or the error that ended it."""

    compactions: list[Compacted]
    sizes: list[tuple[int, int]]
    survives: list[bool]
    asked: list[str]
    error: CompactionError | None = None


def stage_of(error: CompactionError) -> int:
    """Return how far a compactor came that ended with an error: 1 started, 2 talked, 3 returned."""
    return next((rule.stage for rule in RULES if _breaks(rule, error)), 2)


def _breaks(rule: Rule, error: CompactionError) -> bool:
    if isinstance(error, CompactorError):
        return error.fault in rule.faults
    # It left 40 turns as they were, or did not come through with a perfect summarizer.
    return rule.name == ("shrinks" if isinstance(error, NothingToCompactError) else "messages")


def judge(main: MainRun) -> list[CheckResult]:
    """Return a verdict for each rule; rules of a later stage than that of the error were not reached."""
    results = []
    for rule in RULES:
        if main.error is None:
            detail = rule.holds
            if rule.name == "shrinks":
                detail = ", then ".join(f"{before:,} → {after:,} tokens" for before, after in main.sizes)
            results.append(CheckResult(rule.name, True, detail))
        elif _breaks(rule, main.error):
            results.append(CheckResult(rule.name, False, str(main.error)))
        elif rule.stage < stage_of(main.error):
            results.append(CheckResult(rule.name, True, rule.holds))
        else:
            results.append(CheckResult(rule.name, False, "not reached"))
    return results
