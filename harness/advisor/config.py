"""How an advisor behaves: every variant is a field, and the defaults are the repaired behaviour.

The fields bring back, one by one, the defects of a measured ledger (I-1 … I-9, U-1, U-2); see each field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Self, get_args, get_type_hints

from backslide.harness.advisor.labels import MirrorLabels
from backslide.harness.errors import InputError, nearest

Delivery = Literal["brief", "mirror", "stateless"]
Evidence = Literal["claims", "artifacts"]
Inventory = Literal["session", "process-wide"]
Errors = Literal["result", "ui-only"]
StatusMode = Literal["on", "none"]
Switch = Literal["off", "on"]
MirrorSource = Literal["context-entries", "raw-branch"]
WatermarkWalk = Literal["raw-branch", "context-entries"]
FailedDelivery = Literal["repair", "resend"]
MirrorStateForm = Literal["watermark", "id-list"]


@dataclass(frozen=True)
class AdvisorConfig:
    """One configuration of the advisor."""

    delivery: Delivery = "brief"
    """What the advisor is sent: the executor's brief, the historical mirror of its transcript (I-9), or the stateless
    side call with the whole resolved context that both of them replaced."""
    guidelines: str = "default"
    """What the executor is told about the advisor: `default`, `upstream` (I-1 to I-4), or a Markdown file."""
    effort: str = "high"
    """Reasoning effort at the start; stands with its cost in every result (I-5)."""
    status: StatusMode = "on"
    """`none` takes away all observability (I-6)."""
    inventory: Inventory = "session"
    """Where a mirror's tool inventory comes from; `process-wide` shares it by tool names across sessions (U-1)."""
    errors: Errors = "result"
    """`ui-only` shows error texts through a user interface only, so that a run without one reads nothing (U-2)."""
    compaction: Switch = "off"
    """Whether the advisor's own session is compacted, with the executor's summary template (I-7)."""
    evidence: Evidence = "claims"
    """`artifacts` adds excerpts of real tool results, taken by the host, to a brief."""
    mirror_source: MirrorSource = "context-entries"
    """What a full mirror renders; `raw-branch` renders summarized entries too (I-8)."""
    watermark_walk: WatermarkWalk = "raw-branch"
    """Where the watermark is walked; on `context-entries` it shrinks with the summary and rebases for ever (I-8)."""
    strip_inflight: Switch = "off"
    """Whether the mirror leaves out the advisor call that is under way (I-9's second layer)."""
    failed_delivery: FailedDelivery = "repair"
    """`repair` takes a failed question out of the advisor's context; `resend` leaves it in and sends it all again."""
    mirror_state: MirrorStateForm = "watermark"
    """What is stored after each mirror call: one id, or the list of all that were delivered."""
    labels: MirrorLabels = field(default_factory=MirrorLabels)
    """The labels of the mirror's transcript."""
    field_limit: int = 6_000
    """Characters of one field of a brief."""
    entry_limit: int = 12_000
    """Characters of one mirrored entry."""
    result_limit: int = 8_000
    """Characters of one mirrored tool result."""
    artifact_limit: int = 1_500
    """Characters of one artifact."""
    artifacts: int = 4
    """Artifacts in a brief."""
    timeout_s: float | None = 600.0
    """Seconds until a request counts as failed; None waits for ever."""

    def __post_init__(self) -> None:
        for name, allowed in _choices().items():
            if getattr(self, name) not in allowed:
                raise InputError(
                    f"{name.replace('_', '-')} cannot be {getattr(self, name)!r}",
                    where="advisor",
                    mend=f"known are {', '.join(allowed)}",
                )
        for name in ("field_limit", "entry_limit", "result_limit", "artifact_limit"):
            if getattr(self, name) < 1:
                raise InputError(f"{name.replace('_', '-')} must be at least 1", where="advisor")
        if self.artifacts < 0 or (self.timeout_s is not None and self.timeout_s <= 0):
            raise InputError("artifacts must be at least 0 and timeout-s above 0", where="advisor")

    @classmethod
    def from_mapping(cls, document: Mapping[str, Any]) -> Self:
        """Return the configuration of a table with names such as ``mirror-source``.

        A name may have ``advisor-`` before it; `labels` may be a table of label texts. Raises `InputError` for an
        unknown name or a value that does not fit.
        """
        known = {item.name: item for item in fields(cls)}
        kinds = get_type_hints(cls)
        given: dict[str, Any] = {}
        for key, value in document.items():
            name = key.replace("-", "_").removeprefix("advisor_")
            if name not in known:
                near = nearest(name, known)
                mend = f"did you mean '{near.replace('_', '-')}'?" if near else None
                raise InputError(f"unknown setting '{key}'", where="advisor", mend=mend)
            if name == "labels":
                given[name] = MirrorLabels.from_mapping(value)
            elif name in {"strip_inflight", "compaction"} and isinstance(value, bool):
                given[name] = "on" if value else "off"
            else:
                given[name] = _fitting(key, value, kinds[name])
        return cls(**given)

    def with_changes(self, **changes: Any) -> Self:
        """Return a copy with some fields changed. Raises `InputError` for a value that is not allowed."""
        return replace(self, **changes)

    def document(self) -> dict[str, Any]:
        """Return the configuration as plain data, with the names that `from_mapping` reads."""
        plain: dict[str, Any] = {
            item.name.replace("_", "-"): getattr(self, item.name) for item in fields(self) if item.name != "labels"
        }
        return {**plain, "labels": self.labels.document()}


def _choices() -> dict[str, tuple[str, ...]]:
    kinds = get_type_hints(AdvisorConfig)
    return {name: get_args(kind) for name, kind in kinds.items() if getattr(kind, "__origin__", None) is Literal}


def _fitting(key: str, value: Any, kind: Any) -> Any:
    if getattr(kind, "__origin__", None) is Literal or kind is str:
        wanted: tuple[type, ...] = (str,)
    elif kind is int:
        wanted = (int,)
    else:
        wanted = (int, float, type(None))
    if not isinstance(value, wanted) or isinstance(value, bool):
        names = " or ".join(one.__name__ for one in wanted if one is not type(None))
        raise InputError(f"'{key}' must be {names}, not {value!r}", where="advisor")
    return value
