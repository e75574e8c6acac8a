"""What an advisor's session knows of how far the executor's transcript has been delivered.

Stored after each completed mirror call as a custom entry: one id (27 bytes), or the list of all ids, which grows with
every call and is kept to show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from backslide.harness.advisor.calls import completes, delivery_of
from backslide.harness.advisor.config import MirrorStateForm
from backslide.harness.advisor.document import Document
from backslide.harness.session import Entry

STATE_TYPE = "mirror-state"


@dataclass(frozen=True)
class MirrorState:
    """The id of the last executor entry that was delivered; None if there is a state that names none."""

    watermark: str | None


def state_data(document: Document, form: MirrorStateForm) -> dict[str, Any]:
    """Return what is stored after `document` was delivered and answered."""
    return {"deliveredIds": list(document.covered)} if form == "id-list" else {"watermark": document.up_to}


def read_state(branch: Sequence[Entry]) -> MirrorState | None:
    """Return the newest state on the branch of an advisor's session, None before the first completed mirror call.

    A session that ended between an answer and its state entry has the state in the question that was answered: what
    was delivered is not delivered again.
    """
    answered = False
    for entry in reversed(branch):
        if entry.get("type") == "custom" and entry.get("customType") == STATE_TYPE:
            return _parsed(entry.get("data"))
        message = entry.get("message") if entry.get("type") == "message" else None
        if not isinstance(message, dict):
            continue
        if message.get("role") == "assistant":
            answered = answered or completes(message)
        elif (delivery := delivery_of(message)) is not None and delivery.get("kind") != "nudge":
            if answered and "upTo" in delivery:
                return MirrorState(delivery["upTo"])
            answered = False
    return None


def _parsed(data: Any) -> MirrorState:
    if not isinstance(data, dict):
        return MirrorState(None)
    if isinstance(data.get("watermark"), str):
        return MirrorState(data["watermark"])
    listed = data.get("deliveredIds")
    last = listed[-1] if isinstance(listed, list) and listed else None
    return MirrorState(last if isinstance(last, str) else None)
