"""The exact body of an OpenAI-compatible chat completion, and its size.

A message is converted, serialized and tokenized once in its life; a payload joins the pieces. So the work for a request
is the joining, and nothing grows with what came before the context.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any

from backslide.harness.compaction.strategies.base import SummaryRequest
from backslide.harness.models.protocol import Cause, Measurement, Request, Role
from backslide.harness.payload.tokens import MESSAGE_OVERHEAD, TOOL_OVERHEAD, TokenCounter
from backslide.harness.roles import BRANCH_CLOSE, BRANCH_LEAD_IN, COMPACTION_CLOSE, COMPACTION_LEAD_IN
from backslide.harness.settings import ModelInfo
from backslide.harness.wire import Wire

Body = dict[str, Any]

SUMMARY_ROLES = frozenset({"compactionSummary", "branchSummary"})


@dataclass(frozen=True, slots=True)
class Fragment:
    """One request message as bytes, with tokens and bytes by origin."""

    data: bytes
    tokens: int
    origins: tuple[tuple[str, int, int], ...]
    """(origin, tokens, bytes) for each kind of text in it."""


class Total:
    """The sum of fragments: their bytes in order, tokens, and both by origin."""

    __slots__ = ("composition", "data", "sizes", "tokens")

    def __init__(self) -> None:
        self.data: list[bytes] = []
        self.tokens = 0
        self.composition: dict[str, int] = {}
        self.sizes: dict[str, int] = {}

    def add(self, fragment: Fragment) -> None:
        """Append a message."""
        self.data.append(fragment.data)
        self.count(fragment)

    def count(self, fragment: Fragment) -> None:
        """Count a fragment that is no message."""
        self.tokens += fragment.tokens
        for origin, tokens, size in fragment.origins:
            self.composition[origin] = self.composition.get(origin, 0) + tokens
            self.sizes[origin] = self.sizes.get(origin, 0) + size

    def copy(self) -> Total:
        """Return an independent copy."""
        twin = Total()
        twin.data, twin.tokens = self.data.copy(), self.tokens
        twin.composition, twin.sizes = self.composition.copy(), self.sizes.copy()
        return twin


@dataclass
class Settled:
    """The sum over the first `length` messages of a list that grows.

    `last` is the last of them, `after` the user message behind it that settles them.
    """

    messages: list[dict[str, Any]]
    model: ModelInfo
    length: int
    last: dict[str, Any] | None
    after: dict[str, Any] | None
    total: Total

    def is_start_of(self, messages: list[dict[str, Any]], model: ModelInfo) -> bool:
        """Return whether `messages` is the same list, grown or as it was."""
        if messages is not self.messages or model != self.model:
            return False
        if self.length == 0:
            return True
        if len(messages) <= self.length:
            return False
        return messages[self.length - 1] is self.last and messages[self.length] is self.after


class PayloadBuilder:
    """Builds and measures the requests of one session."""

    def __init__(self, counter: TokenCounter, system_prompt: str) -> None:
        self.counter = counter
        self.system_prompt = system_prompt
        self._wires: dict[ModelInfo, Wire] = {}
        self._fragments: dict[int, tuple[Body, Fragment]] = {}
        self._tools: dict[int, tuple[list[dict[str, Any]], Fragment]] = {}
        self._system = self._fragment({"role": "system", "content": system_prompt}, "system")
        self._default_wire: Wire | None = None
        self._context: Settled | None = None

    def request(
        self,
        messages: list[dict[str, Any]],
        *,
        role: Role,
        cause: Cause,
        model: ModelInfo,
        tools: list[dict[str, Any]],
        max_output: int | None = None,
    ) -> Request:
        """Return the request that sends a context to `model`.

        Its output budget is `max_output` (0: none), by default the model's limit or what the window leaves; none where
        neither is known. A list that has only grown since the last request costs what it has grown by.
        """
        settled = self._settled(messages, model)
        total = settled.total.copy()
        for body in self._wire(model).messages(self._registered(messages[settled.length :], model)):
            total.add(self._sent(body))
        tool_fragment = self._tool_fragment(tools)
        budget = _budget(int(model.max_tokens), total, tool_fragment, model) if max_output is None else max_output
        return self._assemble(total, role, cause, model, budget, tool_fragment)

    def summary_request(self, summary: SummaryRequest, model: ModelInfo, *, max_output: int | None = None) -> Request:
        """Return a summarizer's request: its identity, one user message, no tools. `max_output` is as in `request`."""
        text = summary.text
        tokens = sum(self.counter.count(part) for part in summary.parts)
        data = _dump({"role": "user", "content": text})
        user = Fragment(data, tokens + MESSAGE_OVERHEAD, (("user", tokens, _text_bytes(text)),))
        system = self._fragment({"role": "system", "content": summary.system}, "system")
        total = _with(system)
        total.add(user)
        budget = _budget(summary.max_tokens, total, None, model) if max_output is None else max_output
        return self._assemble(total, "summarizer", "summarizer", model, budget, None)

    def message_tokens(self, message: dict[str, Any]) -> int:
        """Return the metered tokens of one context message; 0 if no model sees it."""
        if self._default_wire is None:
            return 0
        piece = self._default_wire.piece(message)
        if piece is None or piece.body is None:
            return 0
        return self._known(piece.body, _origin(message)).tokens

    def context_tokens(self, messages: Iterable[dict[str, Any]]) -> int:
        """Return the metered tokens of a context: its messages and the system prompt, without tools."""
        return self._system.tokens + sum(self.message_tokens(message) for message in messages)

    def set_model(self, model: ModelInfo) -> None:
        """Meter single messages as they are sent to `model`."""
        self._default_wire = self._wire(model)

    def _wire(self, model: ModelInfo) -> Wire:
        wire = self._wires.get(model)
        if wire is None:
            wire = self._wires[model] = Wire(model)
        return wire

    def _registered(self, messages: list[dict[str, Any]], model: ModelInfo) -> list[dict[str, Any]]:
        """Return `messages` after noting the origin of each one's request message."""
        wire = self._wire(model)
        for message in messages:
            piece = wire.piece(message)
            if piece is not None and piece.body is not None and id(piece.body) not in self._fragments:
                self._known(piece.body, _origin(message))
        return messages

    def _settled(self, messages: list[dict[str, Any]], model: ModelInfo) -> Settled:
        """Return the part of the context that later messages cannot change any more, brought up to date.

        Before a user message every call is answered and every image sent, so what stands before the last user message
        is settled.
        """
        wire = self._wire(model)
        known = self._context
        if known is None or not known.is_start_of(messages, model):
            known = self._context = Settled(messages, model, 0, None, None, _with(self._system))
        end = _last_user(messages, known.length)
        new = messages[known.length : end]
        if any(own != wire_id for message in new if (piece := wire.piece(message)) for own, wire_id in piece.calls):
            # A renamed call may be answered after the next user message, which only the whole context shows.
            return Settled(messages, model, 0, None, None, _with(self._system))
        for body in wire.messages(self._registered(new, model)):
            known.total.add(self._sent(body))
        known.length = end
        if end:
            known.last, known.after = messages[end - 1], messages[end]
        return known

    def _known(self, body: Body, origin: str) -> Fragment:
        known = self._fragments.get(id(body))
        if known is None:
            # The body is kept beside its fragment, so its id cannot name another object.
            known = self._fragments[id(body)] = (body, self._fragment(body, origin))
        return known[1]

    def _sent(self, body: Body) -> Fragment:
        """Return the fragment of a request message that `_registered` noted, or of one that neighbours gave rise to.

        The latter is made anew for each payload; to remember it would keep every copy.
        """
        known = self._fragments.get(id(body))
        return self._fragment(body, str(body.get("role"))) if known is None else known[1]

    def _fragment(self, body: Body, origin: str) -> Fragment:
        origins: list[tuple[str, int, int]] = []
        for kind, text in _texts(body, origin):
            if text:
                origins.append((kind, self.counter.count(text), _text_bytes(text)))
        return Fragment(_dump(body), sum(item[1] for item in origins) + MESSAGE_OVERHEAD, tuple(origins))

    def _tool_fragment(self, tools: list[dict[str, Any]]) -> Fragment | None:
        if not tools:
            return None
        known = self._tools.get(id(tools))
        if known is None:
            data = _dump(tools)
            tokens = self.counter.count(data.decode("utf-8", "replace"))
            fragment = Fragment(data, tokens + TOOL_OVERHEAD * len(tools), (("tools", tokens, len(data)),))
            known = self._tools[id(tools)] = (tools, fragment)
        return known[1]

    def _assemble(
        self, total: Total, role: Role, cause: Cause, model: ModelInfo, budget: int, tools: Fragment | None
    ) -> Request:
        joined = b",".join(total.data)
        messages = len(total.data)
        tail = b"]"
        if tools is not None:
            total.count(tools)
            tail = b'],"tools":' + tools.data
        body = b"%b%b%b%b}" % (
            _head(model.id),
            joined,
            tail,
            b',"max_completion_tokens":%d' % budget if budget else b"",
        )
        total.composition["overhead"] = total.tokens - sum(total.composition.values())
        total.sizes["structure"] = len(body) - sum(total.sizes.values())
        measure = Measurement(len(body), total.tokens, messages, total.composition, total.sizes)
        return Request(role, cause, body, measure, budget, int(model.context_window))


def _budget(wanted: int, total: Total, tools: Fragment | None, model: ModelInfo) -> int:
    """Return the output limit that fits `wanted` and what the window leaves, at least 1; 0 where neither is known."""
    limits = [wanted] if wanted > 0 else []
    window = int(model.context_window)
    if window:
        limits.append(window - total.tokens - (tools.tokens if tools is not None else 0))
    return max(1, min(limits)) if limits else 0


@lru_cache(maxsize=64)
def _head(model: str) -> bytes:
    return b'{"model":' + _dump(model) + b',"messages":['


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _dump(value: Any) -> bytes:
    return _encode(value).encode("utf-8", "replace")


def _text_bytes(text: str) -> int:
    """Return the bytes of a text inside a JSON string, without its quotes; half a surrogate pair is sent as one."""
    quoted = encode_basestring(text)
    return (len(quoted) if quoted.isascii() else len(quoted.encode("utf-8", "replace"))) - 2


def _unwrapped(text: str) -> list[str]:
    for lead, close in ((COMPACTION_LEAD_IN, COMPACTION_CLOSE), (BRANCH_LEAD_IN, BRANCH_CLOSE)):
        if text.startswith(lead) and text.endswith(close):
            return [lead, text[len(lead) : len(text) - len(close)], close]
    return [text]


def _with(fragment: Fragment) -> Total:
    total = Total()
    total.add(fragment)
    return total


def _last_user(messages: list[dict[str, Any]], floor: int) -> int:
    """Return the index of the last message of role user from `floor` on, or `floor`."""
    for index in range(len(messages) - 1, floor, -1):
        if messages[index].get("role") == "user":
            return index
    return floor


def _origin(message: dict[str, Any]) -> str:
    role = str(message.get("role"))
    return "summary" if role in SUMMARY_ROLES else role


def _texts(body: Body, origin: str) -> Iterable[tuple[str, str]]:
    """Yield the texts of a request message with their origins."""
    role = body.get("role")
    content = body.get("content")
    if role == "assistant":
        yield "assistant", content or ""
        for key, value in body.items():
            if key not in {"role", "content", "tool_calls", "reasoning_details"} and isinstance(value, str):
                yield "thinking", value
        for call in body.get("tool_calls") or []:
            function = call.get("function") or {}
            yield "tool_calls", str(function.get("name") or "")
            yield "tool_calls", str(function.get("arguments") or "")
        return
    kind = {"system": "system", "tool": "tool_results"}.get(str(role), "summary" if origin == "summary" else "user")
    if kind == "summary" and isinstance(content, list):
        # The summary itself is counted apart from its wrapper: it was counted when it was written.
        for part in content:
            for piece in _unwrapped(str(part.get("text") or "")):
                yield kind, piece
        return
    if isinstance(content, str):
        yield kind, content
        return
    for part in content or []:
        yield kind, str(part.get("text") or "") if part.get("type") == "text" else ""
