"""Messages of a session as the control plane makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from backslide.harness.models.protocol import Reply
from backslide.harness.settings import ModelInfo

Message = dict[str, Any]


def user_message(text: str, now: int) -> Message:
    """Return a user's message; `now` is in milliseconds."""
    return {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": now}


def assistant_message(reply: Reply, model: ModelInfo, now: int) -> Message:
    """Return what a model replied as a message; `responseModel` is there if another one answered than was asked."""
    message: Message = {
        "role": "assistant",
        "content": reply.content,
        "api": model.api,
        "provider": model.provider,
        "model": model.id,
        "usage": reply.usage,
        "stopReason": reply.stop_reason,
        "timestamp": now,
    }
    if reply.error_message is not None:
        message["errorMessage"] = reply.error_message
    if reply.model is not None and reply.model != model.id:
        message["responseModel"] = reply.model
    return message


def tool_result_message(call: dict[str, Any], text: str, *, is_error: bool, now: int) -> Message:
    """Return the result of a tool call."""
    return {
        "role": "toolResult",
        "toolCallId": call["id"],
        "toolName": call["name"],
        "content": [{"type": "text", "text": text}],
        "isError": is_error,
        "timestamp": now,
    }


def custom_message(custom_type: str, content: Any, *, display: bool, details: Any, now: int) -> Message:
    """Return an extension's message, which a model sees as a user's."""
    message: Message = {
        "role": "custom",
        "customType": custom_type,
        "content": [] if content is None else content,
        "display": display,
    }
    if details is not None:
        message["details"] = details
    message["timestamp"] = now
    return message


@dataclass(frozen=True, slots=True)
class BashRun:
    """A command that the user ran, and how it ended. With `exclude` no model sees it."""

    command: str
    output: str
    exit_code: int | None = None
    cancelled: bool = False
    truncated: bool = False
    full_output_path: str | None = None
    exclude: bool = False


def bash_message(run: BashRun, now: int) -> Message:
    """Return a command that the user ran as a message."""
    message: Message = {"role": "bashExecution", "command": run.command, "output": run.output}
    if run.exit_code is not None:
        message["exitCode"] = run.exit_code
    message |= {"cancelled": run.cancelled, "truncated": run.truncated}
    if run.full_output_path is not None:
        message["fullOutputPath"] = run.full_output_path
    message["timestamp"] = now
    if run.exclude:
        message["excludeFromContext"] = True
    return message
