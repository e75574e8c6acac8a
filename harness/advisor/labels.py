"""The labels under which a mirror shows the executor's conversation as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from backslide.harness.errors import InputError, nearest


@dataclass(frozen=True)
class MirrorLabels:
    """What stands before each block; ``{tool}`` in `tool_result` is the tool's name."""

    inventory: str = "[Executor tools]:"
    summary: str = "[Summary]:"
    user: str = "[User]:"
    thinking: str = "[Assistant thinking]:"
    assistant: str = "[Assistant]:"
    tool_calls: str = "[Assistant tool calls]:"
    tool_result: str = "[Tool result ({tool})]:"

    def __post_init__(self) -> None:
        for name, text in asdict(self).items():
            if not text.strip() or "\n" in text:
                raise InputError(f"the label '{name}' must be one line of text", where="advisor labels")

    @classmethod
    def from_mapping(cls, document: Any) -> Self:
        """Return the labels of a table; absent ones keep their default. Raises `InputError` for an unknown name."""
        if not isinstance(document, Mapping):
            raise InputError(f"labels must be a table, not {document!r}", where="advisor labels")
        known = [item.name for item in fields(cls)]
        given: dict[str, str] = {}
        for key, value in document.items():
            name = str(key).replace("-", "_")
            if name not in known:
                near = nearest(name, known)
                raise InputError(
                    f"unknown label '{key}'", where="advisor labels", mend=f"did you mean '{near}'?" if near else None
                )
            if not isinstance(value, str):
                raise InputError(f"the label '{key}' must be a text, not {value!r}", where="advisor labels")
            given[name] = value
        return cls(**given)

    def document(self) -> dict[str, str]:
        """Return the labels as plain data."""
        return asdict(self)

    def result(self, tool: str) -> str:
        """Return the label of a tool's result."""
        return self.tool_result.replace("{tool}", tool)
