"""The records of a run directory. Every document carries ``"schema": 1``.

::

    runs/<id>/run.json           Manifest
              trials.jsonl       Trial, one a line, in the plan's order
              payloads.jsonl     PayloadRecord, one a request
              compactions.jsonl  CompactionRecord, one a compaction
              sessions/          Pi session files, one a main line and one a probe

Times (`wall_ms`, `started`, `ended`) are the only fields that differ between two runs of the same thing.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA = 1

RelapseClass = Literal["used", "proposed", "mentioned", "absent"]
RetentionClass = Literal["verbatim", "stated", "diluted", "absent"]
LossStep = Literal[
    "none",
    "trimmed-before-summarizer",
    "dropped-by-summarizer",
    "dropped-at-update",
    "dropped-on-rebuild",
    "lifted",
]
UnansweredReason = Literal["overflow", "nop", "error"]


class Record(BaseModel):
    """Base of everything that is stored: frozen, closed, versioned."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class EvidenceRecord(Record):
    """Why a scorer decided: the detector, and the span ``reply[start:end] == text``."""

    detector: str
    start: int
    end: int
    text: str
    why: str


class ReplyRecord(Record):
    """What the executor answered to a probe.

    `text` is the canonical rendering that scorers read and that evidence offsets point into; `messages` counts the
    assistant messages it took.
    """

    text: str
    calls: list[dict[str, Any]]
    messages: int


class Verdict(Record):
    """The relapse scorer's verdict on one reply. `over_restriction` is None where a rule applies."""

    cls: Annotated[RelapseClass, Field(alias="class")]
    relapse: bool
    over_restriction: bool | None
    evidence: list[EvidenceRecord]

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Retention(Record):
    """The constraint's presence in the probe's payload, and where it was lost if it was.

    `where` tells what carries it (kept-raw, summary, file, advisor). `lost_at_compaction` is the 1-based number of
    the compaction after which the payload no longer stated it.
    """

    cls: Annotated[RetentionClass, Field(alias="class")]
    where: Literal["kept-raw", "summary", "file", "advisor"] | None
    mutated: bool = False
    inverted: bool = False
    text: str | None = None
    lost_at_compaction: int | None = None
    lost_at_turn: int | None = None
    lost_step: LossStep = "none"
    lost_unseen: bool = False

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Trial(Record):
    """One probe's answer under one variant and seed.

    `id` is ``scenario/variant/s<seed>/probe@turn``. `control` is true where no rule applies at that moment (no
    constraint, a lifted one, or a request out of its scope), so that only over-restriction is counted.
    `tokens_since_plant` is the payload tokens sent since the constraint was planted, the second clock of decay.
    """

    schema_: Annotated[int, Field(alias="schema")] = SCHEMA
    id: str
    scenario: str
    variant: str
    seed: int
    probe: str
    kind: Literal["implement", "ask", "lure", "control"]
    constraint: str | None
    carriers: list[str]
    turn: int
    cycle: int
    control: bool
    lifted: bool
    simulated: bool
    status: Literal["answered", "unanswered"]
    unanswered: UnansweredReason | None = None
    error: str | None = None
    reply: ReplyRecord | None
    verdict: Verdict | None
    retention: Retention | None
    stale: bool
    payload_tokens: int
    payload_bytes: int
    requests: int
    tokens_since_plant: int | None
    session: str
    wall_ms: float

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class PayloadRecord(Record):
    """One request: `bytes` of the exact body, metered `tokens`, composition by origin, and its cause.

    `turn` is the scripted turn it belongs to, `cycle` the number of compactions before it, `cost` USD.
    """

    schema_: Annotated[int, Field(alias="schema")] = SCHEMA
    scenario: str
    variant: str
    seed: int
    turn: int
    cycle: int
    role: Literal["executor", "summarizer", "advisor"]
    cause: Literal["script", "turn", "probe", "summarizer", "advisor", "retry"]
    probe: str | None
    model: str
    bytes: int
    tokens: int
    messages: int
    composition: dict[str, int]
    composition_bytes: dict[str, int]
    input_tokens: int
    output_tokens: int
    cost: float
    stop_reason: str

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class ConstraintFate(Record):
    """What one compaction did to one constraint: presence before, in the summarizer's input and output, after."""

    constraint: str
    carriers: list[str]
    before: RetentionClass
    seen: RetentionClass
    summary: RetentionClass
    after: RetentionClass
    step: LossStep
    unseen: bool


class SummarizerExchange(Record):
    """One summarizer request as it was sent, and its reply."""

    kind: str
    system: str
    text: str
    reply: str
    stop_reason: str
    input_tokens: int
    output_tokens: int


class CompactionRecord(Record):
    """One compaction of a main line. `index` is 1-based; `turn` is the scripted turn after which it ran."""

    schema_: Annotated[int, Field(alias="schema")] = SCHEMA
    scenario: str
    variant: str
    seed: int
    index: int
    turn: int
    reason: str
    strategy: str
    tokens_before: int
    tokens_after: int
    summary: str
    exchanges: list[SummarizerExchange]
    fates: list[ConstraintFate]

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class SessionTotals(Record):
    """What one main line used: compactions, requests and payloads, probes left out.

    `overflow_turn` is the scripted turn at which the first request was refused for its length, or None.
    """

    scenario: str
    variant: str
    seed: int
    turns: int
    compactions: int
    compaction_turns: list[int]
    requests: int
    peak_tokens: int
    peak_bytes: int
    last_tokens: int
    total_input_tokens: int
    cost: float
    overflow_turn: int | None


class UnitFailure(Record):
    """A scenario × variant × seed that could not be completed, and why; never counted as pass or fail."""

    scenario: str
    variant: str
    seed: int
    error: str


class VariantInfo(Record):
    """One variant as it ran: its resolved configuration and the hash over it (prompt texts included)."""

    name: str
    hash: str
    config: dict[str, Any]


class RuleSentence(Record):
    """A sentence of a scenario that sets a rule or lifts it: `carrier` is ``speaker, carrier``, or ``lifted``."""

    constraint: str
    turn: int
    carrier: str
    text: str


class Manifest(Record):
    """``run.json``: versions, hashes, models, plan and totals; written at the start, again at the end (`ended`)."""

    schema_: Annotated[int, Field(alias="schema")] = SCHEMA
    id: str
    backslide: str
    harness_hash: str
    """Over the part of the harness that measures: models and meter."""
    system_hash: str
    """Over the part that is measured: session, compaction, control, prompts."""
    scorer_hash: str
    command: list[str]
    scenarios: dict[str, str]
    rules: dict[str, list[RuleSentence]] = Field(default_factory=dict)
    """Scenario → the sentences that set and lift its rules, so that a trial can be read without the scenario."""
    variants: list[VariantInfo]
    seeds: list[int]
    models: dict[str, str]
    simulated: bool
    scale: float
    plan: dict[str, list[int]]
    """Scenario → the turns after which `every_cycle` probes are asked, the same for every variant."""
    units: int
    started: str
    ended: str | None
    completed: int
    failed: list[UnitFailure]
    sessions: list[SessionTotals]
    wall_s: float | None
    machine: dict[str, Any]

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
