"""The scenario format, schema 1, as frozen models.

Lists of the file are tuples here; `except`, `assistant`, `result` and `schema` are the fields
`except_paths`, `text`, `call_id` and `schema_version`. What crosses from one part to another is checked in
`backslide.scenarios.checks`, not here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from backslide.harness.errors import InputError, nearest
from backslide.scenarios.fields import (
    Id,
    Language,
    Line,
    Many,
    NoiseKind,
    Part,
    ProbeKind,
    Some,
    Text,
    ToolName,
)
from backslide.scenarios.rules import (
    Approach,
    Constraint,
    Detectors,
    LexicalDetector,
    Lift,
    Plant,
    ProseDetector,
    Recall,
    Scope,
    StructuralDetector,
)
from backslide.scenarios.tasks import Disagreement, Facts, Task, TaskCall, TaskStep

__all__ = [
    "ADVISOR_TAG",
    "Approach",
    "AssistantStep",
    "Card",
    "CardReply",
    "Commit",
    "Constraint",
    "Detectors",
    "Disagreement",
    "Facts",
    "LexicalDetector",
    "Lift",
    "LiftedReplies",
    "Noise",
    "Plant",
    "Probe",
    "ProseDetector",
    "Recall",
    "ReplyCall",
    "ResultStep",
    "Scenario",
    "Scope",
    "StructuralDetector",
    "Task",
    "TaskCall",
    "TaskStep",
    "ToolCall",
    "Turn",
    "Workspace",
    "WorkspaceFile",
]

ADVISOR_TAG = "advisor"
"""The tag of scenarios that `backslide ledger` drives; they may have no probes."""

NOISE_MIN = 100
"""Characters of the smallest noise block."""

NOISE_MAX = 200_000
"""Characters of the largest noise block that a file may ask for."""


class WorkspaceFile(Part):
    """A file of the code base, with its whole text."""

    path: Line
    content: str


class Commit(Part):
    """A commit of the code base, with the files that it adds or changes."""

    message: Line
    files: Some[Line]


class Workspace(Part):
    """The files and commits that exist, so that claims in a reply can be checked."""

    files: Many[WorkspaceFile] = ()
    commits: Many[Commit] = ()

    def file(self, path: str) -> WorkspaceFile | None:
        """Return the file at a path, or None."""
        return next((file for file in self.files if file.path == path.removeprefix("./")), None)


class ReplyCall(Part):
    """A tool call of a card's reply."""

    tool: ToolName
    args: dict[str, Any] = Field(default_factory=dict)


class ToolCall(ReplyCall):
    """A tool call of the script; its id is answered by a `ResultStep` of the same turn."""

    id: Line


class Noise(Part):
    """A recipe of generated tool output: `size` in characters, the same text for the same recipe."""

    kind: NoiseKind
    size: int = Field(ge=NOISE_MIN, le=NOISE_MAX)
    seed: int = Field(ge=0)
    about: Many[Line] = ()


class AssistantStep(Part):
    """A message of the executor; its text may be empty if it calls tools."""

    text: str = Field(alias="assistant")
    thinking: Text | None = None
    calls: Many[ToolCall] = ()


class ResultStep(Part):
    """What a tool answered: literal text, then noise, then a literal tail; nothing yet if the advisor answers live."""

    call_id: Line = Field(alias="result")
    text: str = ""
    noise: Noise | None = None
    tail: str = ""
    error: bool = False
    live: bool = False


def step_kind(data: object) -> str:
    """Return the tag of a step that is not validated yet; the likelier one if its first word is misspelt."""
    if isinstance(data, AssistantStep | ResultStep):
        return ASSISTANT_TAG if isinstance(data, AssistantStep) else RESULT_TAG
    if not isinstance(data, Mapping) or "assistant" in data:
        return ASSISTANT_TAG
    likely = [nearest(str(key), ("assistant", "result")) for key in data]
    return RESULT_TAG if "result" in likely else ASSISTANT_TAG


ASSISTANT_TAG = "<assistant step>"
RESULT_TAG = "<result step>"

Step = Annotated[
    Annotated[AssistantStep, Tag(ASSISTANT_TAG)] | Annotated[ResultStep, Tag(RESULT_TAG)],
    Discriminator(step_kind),
]


class Turn(Part):
    """One user message and everything until the next."""

    turn: int = Field(ge=1)
    user: Text
    steps: Some[Step]


class Probe(Part):
    """A request at which a forgetful executor would slip, or (kind `control`) at which no rule applies."""

    id: Id
    kind: ProbeKind
    constraint: Id | None
    at: Many[Annotated[int, Field(ge=1)]] = ()
    every_cycle: bool = False
    request: Line
    path: Line | None = None


class CardReply(Part):
    """A whole reply: words with code, and tool calls."""

    text: str
    calls: Many[ReplyCall] = ()


class LiftedReplies(Part):
    """The replies to a probe after its rule was lifted."""

    compliant: Some[CardReply]
    over_restrictive: Some[CardReply]


class Card(Part):
    """What the simulated executor would reply to one probe, with and without knowing the rule."""

    probe: Id
    about: Some[Line]
    lures: Many[CardReply] = ()
    compliant: Some[CardReply]
    over_restrictive: Many[CardReply] = ()
    lifted: LiftedReplies | None = None


class Scenario(Part):
    """A scripted coding session with constraints planted in it and probes that ask for them."""

    schema_version: Literal[1] = Field(alias="schema")
    id: Id
    title: Line
    story: Line
    language: Language
    speech: Some[Literal["en", "zh"]]
    tags: Many[Id] = ()
    system_prompt: Text | None = None
    workspace: Workspace = Workspace()
    constraints: Many[Constraint]
    probes: Many[Probe]
    turns: Some[Turn]
    cards: Many[Card]
    facts: Facts | None = None
    tasks: Many[Task] = ()
    faults: Annotated[Many[Any], Field(max_length=0)] = ()

    @property
    def is_advisor(self) -> bool:
        """Whether the scenario is about the advisor: driven by `backslide ledger`, not by `backslide run`."""
        return ADVISOR_TAG in self.tags

    def turn(self, number: int) -> Turn:
        """Return a turn by its number; raise `InputError` if the session is shorter."""
        if not 1 <= number <= len(self.turns):
            last = len(self.turns)
            raise InputError(f"there is no turn {number}", where=self.id, mend=f"turns are 1 to {last}")
        return self.turns[number - 1]

    def constraint(self, constraint_id: str) -> Constraint:
        """Return a constraint by its id; raise `InputError` if it is unknown."""
        for item in self.constraints:
            if item.id == constraint_id:
                return item
        raise self._unknown("constraint", constraint_id, (item.id for item in self.constraints))

    def probe(self, probe_id: str) -> Probe:
        """Return a probe by its id; raise `InputError` if it is unknown."""
        for item in self.probes:
            if item.id == probe_id:
                return item
        raise self._unknown("probe", probe_id, (item.id for item in self.probes))

    def card(self, probe_id: str) -> Card:
        """Return the card of a probe; raise `InputError` if there is none."""
        for item in self.cards:
            if item.probe == probe_id:
                return item
        raise self._unknown("card of probe", probe_id, (item.probe for item in self.cards))

    def is_active(self, constraint_id: str, turn: int) -> bool:
        """Return whether a constraint is in force after a turn has ended: planted, and not lifted yet."""
        rule = self.constraint(constraint_id)
        return rule.planted_turn <= turn and (rule.lifted is None or turn < rule.lifted.turn)

    def is_control(self, probe_id: str, turn: int) -> bool:
        """Return whether a probe is scored as a control after a turn: by its kind, or its rule is lifted."""
        probe = self.probe(probe_id)
        if probe.kind == "control" or probe.constraint is None:
            return True
        lifted = self.constraint(probe.constraint).lifted
        return lifted is not None and turn >= lifted.turn

    def _unknown(self, kind: str, name: str, known: Iterable[str]) -> InputError:
        names = list(known)
        close = nearest(name, names)
        mend = f"did you mean {close!r}?" if close else f"known: {', '.join(names) or 'none'}"
        return InputError(f"there is no {kind} {name!r}", where=self.id, mend=mend)
