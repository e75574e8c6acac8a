"""From context messages to the ``messages`` of a chat-completions request.

Two steps, as in Pi 0.83.0 (control-plane semantics, "Context building"): `convert_to_llm` turns the
session's own roles into user messages; `to_openai_messages` turns those into the request's.

Most of the second step looks at one message and the model only (`wire_piece`), so a `Wire` keeps its result
by message. What depends on neighbours is done by `join_pieces`:

- assistants with stopReason error or aborted are left out;
- a tool call without a result before the next user or assistant message gets a synthetic error result there;
- images of a run of tool results follow the run in one user message;
- a tool call id that was renamed for this model is renamed in its results too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from backslide.harness import jsjson
from backslide.harness.jsjson import remove_lone_surrogates
from backslide.harness.roles import convert_to_llm, llm_message, shown
from backslide.harness.session.branch import id_key
from backslide.harness.settings import ModelInfo
from backslide.harness.wireids import wire_id

__all__ = [
    "Wire",
    "WirePiece",
    "blocks_of",
    "convert_to_llm",
    "join_pieces",
    "llm_message",
    "to_openai_messages",
    "wire_piece",
]

Message = dict[str, Any]

USER_IMAGE_OMITTED = "(image omitted: model does not support images)"
TOOL_IMAGE_OMITTED = "(tool image omitted: model does not support images)"
NO_RESULT = "No result provided"


@dataclass(frozen=True, slots=True)
class WirePiece:
    """What one message becomes by itself."""

    role: str
    """user, assistant or toolResult."""
    body: Message | None
    """The request message; None if the message alone sends nothing."""
    failed: bool = False
    """An assistant message that is never sent again."""
    calls: tuple[tuple[Any, Any], ...] = ()
    """The tool calls of an assistant: own id and id on the wire."""
    images: tuple[Message, ...] = ()
    """The images of a tool result, which travel in a user message of their own."""


class Wire:
    """The request messages for one model, converting each message object once.

    Messages must not change after they were first seen. Bodies are shared between payloads, so equal parts
    of two payloads are identical objects.
    """

    def __init__(self, model: ModelInfo) -> None:
        self.model = model
        self._pieces: dict[int, tuple[Message, WirePiece | None]] = {}

    def piece(self, message: Message) -> WirePiece | None:
        """Return what the message becomes alone, None for a role or bash run no model sees."""
        known = self._pieces.get(id(message))
        if known is None:
            # The message is kept beside its piece, so its id cannot name another object.
            known = self._pieces[id(message)] = (message, wire_piece(message, self.model))
        return known[1]

    def messages(self, messages: Iterable[Message]) -> list[Message]:
        """Return the request messages of a context."""
        return join_pieces(piece for message in messages if (piece := self.piece(message)) is not None)


def to_openai_messages(messages: Iterable[Message], model: ModelInfo) -> list[Message]:
    """Return the ``messages`` of a chat-completions request, without a system prompt.

    `messages` may hold the session's own roles; they are converted first.
    """
    return Wire(model).messages(messages)


def join_pieces(pieces: Iterable[WirePiece]) -> list[Message]:
    """Return the request messages of consecutive pieces, with all that depends on neighbours."""
    sent: list[Message] = []
    images: list[Message] = []
    open_calls: list[Any] = []
    answered: set[Any] = set()
    renamed: dict[Any, Any] = {}
    for piece in pieces:
        if piece.role == "toolResult":
            sent.append(_renamed_result(piece.body, renamed))
            answered.add(id_key(sent[-1].get("tool_call_id")))
            images += piece.images
            continue
        renamed.update((id_key(own), wire) for own, wire in piece.calls if own != wire)
        _answer(open_calls, answered, sent)
        if piece.failed:
            continue
        _send_images(images, sent)
        if piece.calls:
            open_calls = [wire for _, wire in piece.calls]
            answered = set()
        if piece.body is not None:
            sent.append(piece.body)
    _answer(open_calls, answered, sent)
    _send_images(images, sent)
    return sent


def _renamed_result(body: Message | None, renamed: Mapping[Any, Any]) -> Message:
    result = body or {}
    own = id_key(result.get("tool_call_id"))
    return {**result, "tool_call_id": renamed[own]} if own in renamed else result


def _answer(open_calls: list[Any], answered: set[Any], sent: list[Message]) -> None:
    sent += [
        {"role": "tool", "content": NO_RESULT, **_call_id(call_id)}
        for call_id in open_calls
        if id_key(call_id) not in answered
    ]
    open_calls.clear()


def _send_images(images: list[Message], sent: list[Message]) -> None:
    if images:
        lead = {"type": "text", "text": "Attached image(s) from tool result:"}
        sent.append({"role": "user", "content": [lead, *images]})
        images.clear()


def wire_piece(message: Message, model: ModelInfo) -> WirePiece | None:
    """Return what one message becomes for a model, looking at nothing else."""
    converted = llm_message(message)
    if converted is None:
        return None
    role = converted["role"]
    if role == "user":
        return WirePiece(role, _user_body(converted.get("content"), model))
    if role == "toolResult":
        return _result_piece(converted, model)
    return _assistant_piece(converted, model)


def _user_body(content: Any, model: ModelInfo) -> Message | None:
    if isinstance(content, str):
        return {"role": "user", "content": remove_lone_surrogates(content)}
    blocks = _without_images(blocks_of(content), USER_IMAGE_OMITTED, model)
    parts = [
        {"type": "text", "text": remove_lone_surrogates(_str(block, "text"))}
        if block.get("type") == "text"
        else _image(block)
        for block in blocks
    ]
    return {"role": "user", "content": parts} if parts else None


def _result_piece(message: Message, model: ModelInfo) -> WirePiece:
    content = message.get("content")
    # A text in place of blocks is not in the format; Pi sends nothing of it, so neither does this.
    blocks = _without_images([] if isinstance(content, str) else blocks_of(content), TOOL_IMAGE_OMITTED, model)
    text = "\n".join(_str(block, "text") for block in blocks if block.get("type") == "text")
    images = tuple(_image(block) for block in blocks if block.get("type") == "image")
    text = text or ("(see attached image)" if images else "(no tool output)")
    body = {"role": "tool", "content": remove_lone_surrogates(text)}
    if "toolCallId" in message:
        body["tool_call_id"] = message["toolCallId"]
    return WirePiece("toolResult", body, images=images)


def _assistant_piece(message: Message, model: ModelInfo) -> WirePiece:
    own = (message.get("provider"), message.get("api"), message.get("model"))
    same = own == (model.provider, model.api, model.id)
    blocks = _for_model(blocks_of(message.get("content")), same)
    calls = [block for block in blocks if block.get("type") == "toolCall"]
    ids = tuple((call.get("id"), call.get("id") if same else wire_id(call.get("id"), model)) for call in calls)
    failed = message.get("stopReason") in {"error", "aborted"}
    body: Message = {"role": "assistant", "content": None}
    text = "".join(
        remove_lone_surrogates(_str(block, "text"))
        for block in blocks
        if block.get("type") == "text" and jsjson.trim(_str(block, "text"))
    )
    if text:
        body["content"] = text
    thoughts = [block for block in blocks if block.get("type") == "thinking" and jsjson.trim(_str(block, "thinking"))]
    if thoughts and (signature := _str(thoughts[0], "thinkingSignature")):
        body[signature] = "\n".join(_str(block, "thinking") for block in thoughts)
    if calls:
        body["tool_calls"] = [_call(call, wire) for call, (_, wire) in zip(calls, ids, strict=True)]
        if same and (details := _reasoning_details(calls)):
            body["reasoning_details"] = details
    sends = bool(body["content"]) or bool(calls)
    return WirePiece("assistant", body if sends and not failed else None, failed, ids)


def _for_model(blocks: list[Message], same: bool) -> list[Message]:
    """Return an assistant's blocks as a model may see them: thinking of another model becomes text."""
    shown = []
    for block in blocks:
        if block.get("type") != "thinking":
            shown.append(block)
        elif block.get("redacted"):
            shown += [block] if same else []
        elif same and block.get("thinkingSignature"):
            shown.append(block)
        elif jsjson.trim(_str(block, "thinking")):
            shown.append(block if same else {"type": "text", "text": block["thinking"]})
    return shown


def _without_images(blocks: list[Message], note: str, model: ModelInfo) -> list[Message]:
    """Return the blocks with each run of images replaced by a note, if the model takes no images."""
    if "image" in model.input:
        return blocks
    kept: list[Message] = []
    after_note = False
    for block in blocks:
        if block.get("type") != "image":
            kept.append(block)
            after_note = block.get("text") == note
        elif not after_note:
            kept.append({"type": "text", "text": note})
            after_note = True
    return kept


def _call(call: Message, wire: Any) -> Message:
    """Return a call as it is sent; what it lacks is not sent."""
    function = {"name": call["name"]} if "name" in call else {}
    if "arguments" in call:
        function["arguments"] = jsjson.stringify(call["arguments"])
    return {**({"id": wire} if "id" in call else {}), "type": "function", "function": function}


def _reasoning_details(calls: list[Message]) -> list[Any]:
    details = []
    for call in calls:
        if signature := _str(call, "thoughtSignature"):
            try:
                details.append(jsjson.parse(signature))
            except ValueError:
                continue
    return [detail for detail in details if detail or isinstance(detail, dict | list)]


def _image(block: Message) -> Message:
    url = f"data:{shown(block.get('mimeType'))};base64,{shown(block.get('data'))}"
    return {"type": "image_url", "image_url": {"url": url}}


def _call_id(call_id: Any) -> Message:
    return {} if call_id is None else {"tool_call_id": call_id}


def blocks_of(content: Any) -> list[Message]:
    """Return the content's blocks; a text is one text block, and what is no object is left out."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _str(block: Mapping[str, Any], key: str) -> str:
    value = block.get(key)
    return value if isinstance(value, str) else ""
