"""The session's own message roles as messages that a model knows.

Rules of Pi 0.83.0 (control-plane semantics, "convertToLlm").
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from backslide.harness import jsjson

Message = dict[str, Any]

COMPACTION_LEAD_IN = (
    "The conversation history before this point was compacted into the following summary:\n\n<summary>\n"
)
COMPACTION_CLOSE = "\n</summary>"
BRANCH_LEAD_IN = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"
BRANCH_CLOSE = "</summary>"


def convert_to_llm(messages: Iterable[Message]) -> list[Message]:
    """Return the messages with the session's own roles as user messages; unknown roles are dropped."""
    return [converted for message in messages if (converted := llm_message(message)) is not None]


def llm_message(message: Message) -> Message | None:
    """Return one message as a user, assistant or toolResult message, None if no model sees it."""
    role = message.get("role")
    if role in {"user", "assistant", "toolResult"}:
        return message
    if role == "bashExecution":
        return None if message.get("excludeFromContext") else _user(message, bashshown(message))
    if role == "custom":
        content = message.get("content")
        return _user(message, content) if isinstance(content, str) else {**_user(message, ""), "content": content}
    if role == "branchSummary":
        return _user(message, BRANCH_LEAD_IN + shown(message.get("summary")) + BRANCH_CLOSE)
    if role == "compactionSummary":
        return _user(message, COMPACTION_LEAD_IN + shown(message.get("summary")) + COMPACTION_CLOSE)
    return None


def _user(source: Message, text: str) -> Message:
    return {
        "role": "user",
        "content": [{"type": "text", "text": text}],
        "timestamp": source.get("timestamp"),
    }


def bashshown(message: Message) -> str:
    """Return the text of a command that the user ran: the command, its output, how it ended."""
    output = message.get("output")
    parts = [f"Ran `{shown(message.get('command'))}`\n" + (f"```\n{output}\n```" if output else "(no output)")]
    code = message.get("exitCode")
    if message.get("cancelled"):
        parts.append("(command cancelled)")
    elif code is not None and code != 0:
        parts.append(f"Command exited with code {shown(code)}")
    if message.get("truncated") and message.get("fullOutputPath"):
        parts.append(f"[Output truncated. Full output: {message['fullOutputPath']}]")
    return "\n\n".join(parts)


def shown(value: Any) -> str:
    """Return a value inside a template text as JavaScript shows it; what is absent reads "undefined"."""
    if isinstance(value, str):
        return value
    return "undefined" if value is None else jsjson.stringify(value)
