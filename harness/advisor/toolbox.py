"""The `advisor` tool: what an executor sees of the advisor."""

from __future__ import annotations

from typing import Any

from backslide.harness.advisor.advisor import Advisor
from backslide.harness.advisor.brief import Brief
from backslide.harness.advisor.config import Delivery
from backslide.harness.advisor.envelope import AdvisorResult
from backslide.harness.advisor.transcript import ADVISOR_TOOL
from backslide.harness.control.tools import Toolbox, ToolResult
from backslide.harness.errors import InputError
from backslide.harness.session import Session

_BRIEF: dict[str, tuple[str, str]] = {
    "question": ("string", "The decision or problem on which you want advice, in one or a few sentences."),
    "context": ("string", "What somebody needs to know who has seen nothing of the session."),
    "options": ("array", "The approaches that you see, one each."),
    "evidence": ("array", "What can be checked: file and line, command and its outcome, measured figures."),
    "leaning": ("string", "What you would do without advice, and why."),
    "unsure": ("string", "What you do not know or have not checked."),
}


def advisor_tool(delivery: Delivery) -> dict[str, Any]:
    """Return the definition of the tool; it has the fields of a brief, or none where the host writes the payload."""
    if delivery == "brief":
        purpose = "Ask a second model for guidance. It sees nothing but your brief, and has no tools."
        properties = {name: _property(kind, text) for name, (kind, text) in _BRIEF.items()}
        required = ["question"]
    else:
        purpose = "Ask a second model for guidance. It is shown this session; it has no tools."
        properties, required = {}, []
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": ADVISOR_TOOL, "description": purpose, "parameters": schema}}


def _property(kind: str, text: str) -> dict[str, Any]:
    items = {"items": {"type": "string"}} if kind == "array" else {}
    return {"type": kind, **items, "description": text}


class AdvisorToolbox:
    """An executor's tools with the advisor among them; `results` keeps what its calls came to, oldest first."""

    def __init__(self, inner: Toolbox, advisor: Advisor, session: Session) -> None:
        self.results: list[AdvisorResult] = []
        self._inner = inner
        self._advisor = advisor
        self._session = session
        self._definitions = [*inner.definitions, advisor_tool(advisor.config.delivery)]

    @property
    def definitions(self) -> list[dict[str, Any]]:
        """Return the tool definitions; always the same list."""
        return self._definitions

    async def run(self, call: dict[str, Any]) -> ToolResult:
        """Run one call; whatever becomes of a consultation is a result that the executor reads."""
        if call.get("name") != ADVISOR_TOOL:
            return await self._inner.run(call)
        brief = None
        if self._advisor.config.delivery == "brief":
            arguments = call.get("arguments")
            try:
                brief = Brief.from_arguments(arguments if isinstance(arguments, dict) else {})
            except InputError as error:
                return ToolResult(f"No advice was asked for: {error}", is_error=True)
        result = await self._advisor.consult(self._session, brief, tools=self._definitions)
        self.results.append(result)
        return ToolResult(self._advisor.tool_text(result), is_error=not result.completed)
