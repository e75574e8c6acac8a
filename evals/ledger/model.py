"""The rows of the ledger, as they stand in its JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SCHEMA = 1


@dataclass(frozen=True)
class LedgerRow:
    """One defect, measured with it and repaired.

    `caught`: the scorers found the defective side worse than the repaired one. `checked`: the defect is one of what is
    shown, and it is shown. `seed_value` is the figure that the original ledger reports for the defect, None if it
    reports none. `figures` are further measures of the same drives, by name.
    """

    id: str
    defect: str
    variant: str
    repaired: str
    measure: str
    with_defect: float | None
    repaired_value: float | None
    seed_value: float | None
    scenario: str
    caught: bool = False
    checked: bool = False
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Return whether the row is as it must be."""
        return self.caught or self.checked

    def to_json(self) -> dict[str, Any]:
        """Return the row of the document."""
        return {
            "id": self.id,
            "defect": self.defect,
            "variant": self.variant,
            "repaired": self.repaired,
            "measure": self.measure,
            "with_defect": self.with_defect,
            "repaired_value": self.repaired_value,
            "seed_value": self.seed_value,
            "caught": self.caught,
            "checked": self.checked,
            "scenario": self.scenario,
            "figures": dict(self.figures),
        }


@dataclass(frozen=True)
class ArtifactAnswer:
    """How often advice changed when excerpts of real tool results were added to the same briefs.

    `with_artifacts` counts the briefs that got any; `reworded` the replies that differ at all, `redirected` those whose
    recommendation, the first sentence, differs.
    """

    briefs: int
    with_artifacts: int
    reworded: int
    redirected: int

    def to_json(self) -> dict[str, Any]:
        """Return the answer of the document."""
        return {
            "briefs": self.briefs,
            "with_artifacts": self.with_artifacts,
            "reworded": self.reworded,
            "redirected": self.redirected,
        }


@dataclass(frozen=True)
class Ledger:
    """All rows, and the answer to the question that the original ledger left open."""

    rows: tuple[LedgerRow, ...]
    artifacts: ArtifactAnswer
    wall_s: float = 0.0

    @property
    def ok(self) -> bool:
        """Return whether every row is caught or checked."""
        return all(row.ok for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """Return the document."""
        return {
            "schema": SCHEMA,
            "simulated": True,
            "ok": self.ok,
            "rows": [row.to_json() for row in self.rows],
            "artifacts": self.artifacts.to_json(),
            "wall_s": round(self.wall_s, 2),
        }


def worse(with_defect: float | None, repaired: float | None) -> bool:
    """Return whether a measure of harm is larger with the defect; never where one side has no value."""
    return with_defect is not None and repaired is not None and with_defect > repaired
