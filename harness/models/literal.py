"""The literal executor: follows a rule if its payload states it, else does what is most natural.

It reads the request body and nothing else, and knows its behaviour cards from the constructor: what an executor
would answer to a request, with and without a rule in mind. Whether there is a rule it must read for itself
(`reading`, `stance`): it shares no code and no word list with any scorer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from backslide.harness.errors import InputError, ModelError
from backslide.harness.models.blocks import Count, call_block, output_tokens, text_block
from backslide.harness.models.cards import BehaviourCard, CardReply
from backslide.harness.models.chance import number, share
from backslide.harness.models.protocol import Reply, Request, metered_usage
from backslide.harness.models.reading import message_text, read_payload
from backslide.harness.models.stance import Subject
from backslide.harness.models.text import is_chinese
from backslide.harness.models.window import overflow_reply

Message = Mapping[str, Any]
Opening = Callable[[Request], Reply | None]
"""May answer a request before the card does, for example to read a rules file first."""


class LiteralExecutor:
    """Answers the request of a behaviour card according to what its payload says about the card's subject.

    `noise` is the share of requests at which it misreads: it overlooks the ban, or sees one where there is none.
    Replies are given whole: a card's reply is never cut at the output limit.
    """

    name = "sim:literal"
    simulated = True

    def __init__(
        self,
        cards: Sequence[BehaviourCard],
        count: Count,
        seed: int = 0,
        noise: float = 0.0,
        opening: Opening | None = None,
    ) -> None:
        if not 0.0 <= noise <= 1.0:
            raise InputError(f"noise must be between 0 and 1, not {noise}", where="literal executor")
        self._count = count
        self._seed = seed
        self._noise = noise
        self._opening = opening
        # Longest request first: a request that contains another one is the more specific.
        self._cards = sorted(
            ((_squeeze(card.request), card, Subject(card.about)) for card in cards),
            key=lambda known: -len(known[0]),
        )
        for (request, card, _), (other, *_rest) in zip(self._cards, self._cards[1:], strict=False):
            if request == other:
                raise InputError("two behaviour cards answer the same request", where=repr(card.request[:60]))

    async def complete(self, request: Request) -> Reply:
        """Answer the last user message with a reply of its card.

        Raises `ModelError` if no card's request stands in the last user message.
        """
        if (refused := overflow_reply(request)) is not None:
            return refused
        messages = request.messages
        at, card, subject = self._find(messages)
        if self._called_before(messages[at + 1 :], card):
            return self._reply(request, [text_block(_closing(card))])
        if self._opening is not None and (reply := self._opening(request)) is not None:
            return reply
        banned = read_payload(_without_probe(messages, at, card), subject).banned
        if self._noise and share("misread", self._seed, request.body) < self._noise:
            banned = not banned
        return self._reply(request, self._content(card, self._variant(card, banned)))

    def _find(self, messages: Sequence[Message]) -> tuple[int, BehaviourCard, Subject]:
        at = max((index for index, message in enumerate(messages) if message.get("role") == "user"), default=-1)
        asked = _squeeze(message_text(messages[at])) if at >= 0 else ""
        for squeezed, card, subject in self._cards:
            if squeezed in asked:
                return at, card, subject
        raise ModelError(f"no behaviour card answers the last user message: {asked[:80]!r}")

    def _variant(self, card: BehaviourCard, banned: bool) -> CardReply:
        choices = card.choices(banned=banned)
        return choices[number("variant", card.request, self._seed) % len(choices)]

    def _content(self, card: BehaviourCard, reply: CardReply) -> list[dict[str, Any]]:
        content = [text_block(reply.text)] if reply.text.strip() else []
        prefix = self._call_prefix(card)
        for index, call in enumerate(reply.calls, start=1):
            content.append(call_block(f"{prefix}{index}", call["tool"], dict(call.get("args", {}))))
        return content

    def _call_prefix(self, card: BehaviourCard) -> str:
        return f"call_{number('call', card.request, self._seed):016x}_"

    def _called_before(self, after: Sequence[Message], card: BehaviourCard) -> bool:
        prefix = self._call_prefix(card)
        return any(str(message.get("tool_call_id", "")).startswith(prefix) for message in after)

    def _reply(self, request: Request, content: list[dict[str, Any]]) -> Reply:
        calls = any(block["type"] == "toolCall" for block in content)
        usage = metered_usage(request.measure.tokens, output_tokens(content, self._count))
        return Reply(content, "toolUse" if calls else "stop", usage)


def _without_probe(messages: Sequence[Message], at: int, card: BehaviourCard) -> list[Message]:
    """Return the messages with the card's request cut out of message `at`, and with whatever else stands there."""
    rest = _cut(message_text(messages[at]), card.request)
    return [*messages[:at], {"role": "user", "content": rest}, *messages[at + 1 :]]


def _cut(text: str, request: str) -> str:
    request = request.strip()
    start = text.rfind(request)
    if start < 0:
        # The white space differs; the request cannot be cut out of its own message with certainty.
        return ""
    return text[:start] + "\n\n" + text[start + len(request) :]


def _closing(card: BehaviourCard) -> str:
    return "改动就是上面这些。" if is_chinese(card.request) else "That is the whole change."


def _squeeze(text: str) -> str:
    return " ".join(text.split())
