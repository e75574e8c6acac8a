"""The one shape of every outcome of a consultation, good or bad."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from backslide.harness.advisor.document import Kind
from backslide.harness.models.protocol import Measurement, StopReason, Usage, zero_usage


@dataclass(frozen=True)
class DeliveryInfo:
    """What was sent in one call: kind, text, its characters by origin, and how it relates to earlier deliveries.

    `after_failures` counts the failed deliveries right before, whose content this one covers again; `stacked` counts
    the earlier deliveries that the request sends along; `cause` tells why a mirror is full.
    """

    kind: Kind
    text: str
    characters: dict[str, int]
    up_to: str | None = None
    after_failures: int = 0
    stacked: int = 0
    cause: str = ""


@dataclass(frozen=True)
class AdvisorResult:
    """What a consultation came to.

    `turn` is the number of completed turns of the advisor's session, this one included if it completed; `usage` is the
    sum over `attempts`. `error` is None for a completed turn and otherwise says what happened; `text` may hold the
    beginning of a reply that was cut off. `measure` is that of the last request; None if none was sent.
    """

    text: str
    model: str
    effort: str
    session_id: str | None
    turn: int
    usage: Usage = field(default_factory=zero_usage)
    stop_reason: StopReason | None = None
    error: str | None = None
    attempts: int = 0
    delivery: DeliveryInfo | None = None
    measure: Measurement | None = None

    @property
    def completed(self) -> bool:
        """Return whether the advisor answered: a normal stop with text."""
        return self.error is None

    @property
    def cost(self) -> float:
        """Return the cost of the call in USD, as the provider's prices give it."""
        return float((self.usage.get("cost") or {}).get("total") or 0)

    def tool_text(self) -> str:
        """Return what the executor reads: the advice or the error, then model, effort, turn, tokens and cost."""
        lines = [self.text.strip()] if self.text.strip() else []
        if self.error is not None:
            lines.append(
                f"No advice was given: {self.error}" if not lines else f"The advice is incomplete: {self.error}"
            )
        lines.append(self.facts())
        return "\n\n".join(lines)

    def facts(self) -> str:
        """Return the line on how the advice was come by."""
        tokens = f"{_count(self.usage, 'input'):,} tokens in, {_count(self.usage, 'output'):,} out"
        tries = f", {self.attempts} requests" if self.attempts != 1 else ""
        turn = f", advisor turn {self.turn}" if self.completed else ""
        return f"({self.model}, effort {self.effort}{turn}{tries}, {tokens}, ${self.cost:.4f})"

    def document(self) -> dict[str, Any]:
        """Return the envelope as plain data, without the delivered text."""
        return {
            "text": self.text,
            "model": self.model,
            "effort": self.effort,
            "sessionId": self.session_id,
            "turn": self.turn,
            "usage": self.usage,
            "stopReason": self.stop_reason,
            "error": self.error,
            "attempts": self.attempts,
        }


def _count(usage: Usage, key: str) -> int:
    """Return the tokens of a kind; what was read from or written to a cache was input too."""
    keys = ("input", "cacheRead", "cacheWrite") if key == "input" else (key,)
    return sum(int(usage.get(name) or 0) for name in keys)
