"""One method for each kind of entry that a program appends."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any

from backslide.harness import jsjson
from backslide.harness.errors import InputError

_LINE_BREAKS = re.compile(r"[\r\n]+")


def _present(**fields: Any) -> dict[str, Any]:
    """Return the fields that are not None; absent fields are not written."""
    return {key: value for key, value in fields.items() if value is not None}


class Appends(ABC):
    """The typed appends, all made of `append`. Each returns the new entry's id."""

    @abstractmethod
    def append(self, entry_type: str, **fields: Any) -> str:
        """Append an entry of any type below the leaf, move the leaf to it and return its id."""

    @abstractmethod
    def __contains__(self, entry_id: object) -> bool: ...

    @abstractmethod
    def move_to(self, entry_id: str | None) -> None:
        """Move the leaf, in memory only."""

    def append_message(self, message: dict[str, Any]) -> str:
        """Append a message of the role user, assistant, toolResult, bashExecution or custom."""
        return self.append("message", message=message)

    def append_compaction(
        self,
        *,
        summary: str,
        first_kept_entry_id: str,
        tokens_before: float,
        details: Any = None,
        usage: dict[str, Any] | None = None,
        from_hook: bool = False,
    ) -> str:
        """Append a compaction: from here on the summary stands for everything before the first kept entry."""
        return self.append(
            "compaction",
            summary=summary,
            firstKeptEntryId=first_kept_entry_id,
            tokensBefore=tokens_before,
            **_present(details=details, usage=usage),
            fromHook=from_hook,
        )

    def append_branch_summary(
        self,
        branch_from: str | None,
        *,
        summary: str,
        details: Any = None,
        usage: dict[str, Any] | None = None,
        from_hook: bool = False,
    ) -> str:
        """Move the leaf to `branch_from` (None: before the first entry) and append the left branch's summary.

        ``fromId`` is the new position, "root" for None.
        """
        self.move_to(branch_from)
        return self.append(
            "branch_summary",
            fromId="root" if branch_from is None else branch_from,
            summary=summary,
            **_present(details=details, usage=usage),
            fromHook=from_hook,
        )

    def append_model_change(self, provider: str, model_id: str) -> str:
        """Append the choice of another model."""
        return self.append("model_change", provider=provider, modelId=model_id)

    def append_thinking_level_change(self, thinking_level: str) -> str:
        """Append the choice of another thinking level."""
        return self.append("thinking_level_change", thinkingLevel=thinking_level)

    def append_custom(self, custom_type: str, data: Any = None) -> str:
        """Append state of an extension, which no model sees."""
        return self.append("custom", customType=custom_type, **_present(data=data))

    def append_custom_message(
        self,
        custom_type: str,
        content: str | list[dict[str, Any]],
        *,
        display: bool = True,
        details: Any = None,
    ) -> str:
        """Append a message of an extension, which the model sees as a user's."""
        return self.append(
            "custom_message",
            customType=custom_type,
            content=content,
            display=display,
            **_present(details=details),
        )

    def append_label(self, target_id: str, label: str | None) -> str:
        """Set the label of an entry (None or empty clears it). Raises `InputError` for an unknown id."""
        if target_id not in self:
            raise InputError(f"the session has no entry {target_id}")
        return self.append("label", targetId=target_id, **_present(label=label))

    def append_session_info(self, name: str) -> str:
        """Name the session; line breaks become spaces and an empty name clears it."""
        return self.append("session_info", name=jsjson.trim(_LINE_BREAKS.sub(" ", name)))
