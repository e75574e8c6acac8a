"""What is ruled out in a scenario: constraints, where they are planted, and the scorers' data about them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from backslide.scenarios.fields import Carrier, Id, Language, LexicalPlace, Line, Many, Part, Some, Speaker
from backslide.scenarios.globs import matches


class Scope(Part):
    """Where a constraint holds: everywhere, or in the files that `paths` match."""

    everywhere: bool = False
    paths: Many[Line] = ()
    except_paths: Many[Line] = Field(default=(), alias="except")
    note: Line | None = None

    def covers(self, path: str) -> bool:
        """Return whether the constraint holds for a file of the workspace."""
        inside = self.everywhere or matches(path, self.paths)
        return inside and not matches(path, self.except_paths)


class Approach(Part):
    """An approach in one line, and what people call it."""

    summary: Line
    names: Some[Line]


class Plant(Part):
    """A sentence of the session by which the constraint becomes known."""

    turn: int = Field(ge=1)
    speaker: Speaker
    carrier: Carrier
    text: Line


class Lift(Part):
    """The user's sentence by which the constraint ends."""

    turn: int = Field(ge=1)
    text: Line
    replaced_by: Id | None = None


class Recall(Part):
    """Words of the retention scorer: every group of `subject` must be met, each by any of its phrases."""

    subject: Some[Some[Line]]
    rejection: Some[Line]
    exact: Many[Line] = ()
    accepted: Many[Line] = ()


class StructuralDetector(Part):
    """An ast-grep rule that a relapse in code matches."""

    language: Language
    rule: dict[str, Any]
    why: Line
    paths: Many[Line] = ()
    except_paths: Many[Line] = ()


class LexicalDetector(Part):
    """An RE2 pattern that a relapse in imports, manifests, commands, paths or code matches."""

    pattern: Line
    where: LexicalPlace
    why: Line
    paths: Many[Line] = ()
    except_paths: Many[Line] = ()


class ProseDetector(Part):
    """The names by which a relapse in prose is recognised, with words that recommend.

    A compound is a name in parts: one phrase of each of its groups, close together in one clause. `ambiguous`
    names are ordinary words too. `weak` names only mention the approach. With `actions`, only these verbs take
    it up.
    """

    names: Some[Line]
    recommend: Many[Line] = ()
    accepted: Many[Line] = ()
    compounds: Many[Some[Some[Line]]] = ()
    ambiguous: Many[Line] = ()
    weak: Many[Line] = ()
    actions: Many[Line] = ()


class Detectors(Part):
    """Data of the relapse scorer, combined with *or*."""

    structural: Many[StructuralDetector] = ()
    lexical: Many[LexicalDetector] = ()
    prose: ProseDetector | None = None


class Constraint(Part):
    """A rule that the user set: what is ruled out, what was chosen, where it was said, if it ended."""

    id: Id
    statement: Line
    scope: Scope
    rejected: Approach
    accepted: Approach
    rationale: Line
    planted: Some[Plant]
    lifted: Lift | None = None
    recall: Recall | None = None
    detectors: Detectors | None = None

    @property
    def planted_turn(self) -> int:
        """The turn after which the rule is in force.

        That is the first plant's turn; a rule spread over several turns is whole with the last plant of
        carrier `spread`.
        """
        spread = [plant.turn for plant in self.planted if plant.carrier == "spread"]
        return max(spread) if spread else min(plant.turn for plant in self.planted)
