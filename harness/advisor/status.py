"""What can be known about an advisor's session from outside."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from backslide.harness import jsjson
from backslide.harness.advisor.calls import Call
from backslide.harness.advisor.session import AdvisorSession

SIZE_LABEL = "size of the stored history, not tokens or cost"


@dataclass(frozen=True)
class AdvisorStatus:
    """The state of one advisor session.

    `turns` are completed; every other call is in one of the counts beside it. `repeated` counts the deliveries that
    covered again what a failed one had sent. `stored_bytes` is the size of the history, not tokens or cost.
    """

    session_id: str | None
    path: str | None
    turns: int
    stored_bytes: int
    calls: int
    failed: int = 0
    aborted: int = 0
    empty: int = 0
    cut_off: int = 0
    unanswered: int = 0
    in_flight: bool = False
    repeated: int = 0
    compactions: int = 0
    last_error: str | None = None
    tools: int = 0

    def line(self) -> str:
        """Return the status as one line for people."""
        kinds = (
            ("failed", self.failed),
            ("aborted", self.aborted),
            ("empty", self.empty),
            ("cut off", self.cut_off),
            ("unanswered", self.unanswered),
            ("sent again after a failure", self.repeated),
        )
        others = "".join(f", {count} {name}" for name, count in kinds if count)
        flight = ", one under way" if self.in_flight else ""
        squeezed = f", compacted {self.compactions}x" if self.compactions else ""
        error = f"; last error: {self.last_error}" if self.last_error else ""
        return (
            f"{self.session_id or 'no session (stateless)'}: {self.turns} turns{others}{flight}, {self.tools} tools, "
            f"{self.stored_bytes:,} bytes ({SIZE_LABEL}){squeezed}{error}"
        )

    def document(self) -> dict[str, Any]:
        """Return the status as plain data; the size carries its label."""
        return {
            "sessionId": self.session_id,
            "path": self.path,
            "turns": self.turns,
            "tools": self.tools,
            "calls": self.calls,
            "failed": self.failed,
            "aborted": self.aborted,
            "empty": self.empty,
            "cutOff": self.cut_off,
            "unanswered": self.unanswered,
            "inFlight": self.in_flight,
            "repeated": self.repeated,
            "compactions": self.compactions,
            "lastError": self.last_error,
            "storedBytes": {"value": self.stored_bytes, "meaning": SIZE_LABEL},
        }


def status_of(own: AdvisorSession) -> AdvisorStatus:
    """Return the status of a session."""
    session = own.session
    compactions = sum(entry.get("type") == "compaction" for entry in session.entries)
    return status_of_calls(
        own.calls,
        session_id=own.id,
        path=str(session.path) if session.path else None,
        stored_bytes=_stored_bytes(own),
        in_flight=own.in_flight,
        compactions=compactions,
    )


def status_of_calls(
    calls: list[Call],
    *,
    session_id: str | None = None,
    path: str | None = None,
    stored_bytes: int = 0,
    in_flight: bool = False,
    compactions: int = 0,
) -> AdvisorStatus:
    """Return the status of a number of calls."""
    ended = calls[:-1] if in_flight and calls else calls
    counts = Counter(call.outcome for call in ended)
    return AdvisorStatus(
        session_id=session_id,
        path=path,
        turns=counts["completed"],
        stored_bytes=stored_bytes,
        calls=len(calls),
        failed=counts["failed"],
        aborted=counts["aborted"],
        empty=counts["empty"],
        cut_off=counts["cut-off"],
        unanswered=counts["unanswered"],
        in_flight=in_flight,
        repeated=sum(call.after_failures > 0 for call in calls),
        compactions=compactions,
        last_error=next((call.error for call in reversed(ended) if call.error), None),
    )


def _stored_bytes(own: AdvisorSession) -> int:
    path = own.session.path
    if path is not None and path.exists():
        return path.stat().st_size
    records = [own.session.header, *own.session.entries]
    return sum(len(jsjson.stringify(record).encode("utf-8", "replace")) + 1 for record in records)
