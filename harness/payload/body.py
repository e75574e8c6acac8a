"""The exact body of an OpenAI-compatible chat completion, and its size.

A message is converted, serialized and tokenized once in its life; a payload joins the pieces. So the work for a request
is the joining, and nothing grows with what came before the context.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from backslide.harness.compaction.strategies.base import SummaryRequest
from backslide.harness.models.protocol import Cause, Measurement, Request, Role
from backslide.harness.payload.tokens import MESSAGE_OVERHEAD, TOOL_OVERHEAD, TokenCounter, utf8_length
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

    def request(
        self,
        messages: list[dict[str, Any]],
        *,
        role: Role,
        cause: Cause,
        model: ModelInfo,
        tools: list[dict[str, Any]],
    ) -> Request:
        """Return the request that sends a context to `model`.

        Its output budget is the model's limit, or what the window leaves.
        """
        fragments = [self._system, *self._message_fragments(messages, model)]
        return self._assemble(fragments, role, cause, model, int(model.max_tokens), self._tool_fragment(tools))

    def summary_request(self, summary: SummaryRequest, model: ModelInfo) -> Request:
        """Return a summarizer's request: its identity, one user message, no tools."""
        text = summary.text
        tokens = sum(self.counter.count(part) for part in summary.parts)
        data = _dump({"role": "user", "content": text})
        user = Fragment(data, tokens + MESSAGE_OVERHEAD, (("user", tokens, _text_bytes(text)),))
        system = self._fragment({"role": "system", "content": summary.system}, "system")
        return self._assemble([system, user], "summarizer", "summarizer", model, summary.max_tokens, None)

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

    def _message_fragments(self, messages: list[dict[str, Any]], model: ModelInfo) -> list[Fragment]:
        wire = self._wire(model)
        for message in messages:
            piece = wire.piece(message)
            if piece is not None and piece.body is not None and id(piece.body) not in self._fragments:
                self._known(piece.body, _origin(message))
        return [self._known(body, str(body.get("role"))) for body in wire.messages(messages)]

    def _known(self, body: Body, origin: str) -> Fragment:
        known = self._fragments.get(id(body))
        if known is None:
            # The body is kept beside its fragment, so its id cannot name another object.
            known = self._fragments[id(body)] = (body, self._fragment(body, origin))
        return known[1]

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
        self,
        fragments: list[Fragment],
        role: Role,
        cause: Cause,
        model: ModelInfo,
        wanted: int,
        tools: Fragment | None,
    ) -> Request:
        tokens = 0
        composition: dict[str, int] = {}
        sizes: dict[str, int] = {}
        for fragment in fragments if tools is None else [*fragments, tools]:
            tokens += fragment.tokens
            for origin, count, size in fragment.origins:
                composition[origin] = composition.get(origin, 0) + count
                sizes[origin] = sizes.get(origin, 0) + size
        window = int(model.context_window)
        budget = max(1, min(wanted, window - tokens)) if window else wanted
        head = _head(model.id)
        joined = b",".join([fragment.data for fragment in fragments])
        tail = b'],"tools":' + tools.data if tools is not None else b"]"
        body = b"%b%b%b,\"max_completion_tokens\":%d}" % (head, joined, tail, budget)
        composition["overhead"] = tokens - sum(composition.values())
        sizes["structure"] = len(body) - sum(sizes.values())
        measure = Measurement(len(body), tokens, len(fragments), composition, sizes)
        return Request(role, cause, body, measure, budget, window)


@lru_cache(maxsize=64)
def _head(model: str) -> bytes:
    return b'{"model":' + _dump(model) + b',"messages":['


def _dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _text_bytes(text: str) -> int:
    """Return the bytes of a text inside a JSON string, without its quotes."""
    return utf8_length(json.dumps(text, ensure_ascii=False)) - 2


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
    if isinstance(content, str):
        yield kind, content
        return
    for part in content or []:
        yield kind, str(part.get("text") or "") if part.get("type") == "text" else ""
