"""Executors that know the answer: the controls of the scorers.

`oracle` answers every probe with its compliant reply, `relapser` with the lure, `refuser` refuses everything, `nop`
answers nothing. What a scorer must say of each is known beforehand; a scorer that says something else is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, cast

from backslide.harness.errors import ModelError
from backslide.harness.models.blocks import call_block, output_tokens, text_block
from backslide.harness.models.cards import BehaviourCard, CardReply
from backslide.harness.models.protocol import Reply, Request, metered_usage
from backslide.harness.models.window import overflow_reply

ControlName = Literal["oracle", "relapser", "refuser", "nop"]
CONTROLS: tuple[ControlName, ...] = ("oracle", "relapser", "refuser", "nop")


class ControlExecutor:
    """Answers from the card alone, whatever the payload says."""

    simulated = True

    def __init__(self, name: ControlName, cards: Sequence[BehaviourCard], count: Callable[[str], int]) -> None:
        self.name = f"control:{name}"
        self._kind = name
        self._cards = cards
        self._count = count

    async def complete(self, request: Request) -> Reply:
        """Answer the probe in the last user message; close with a word once its calls have been answered."""
        if (refused := overflow_reply(request)) is not None:
            return refused
        if self._kind == "nop":
            return Reply([], "stop", metered_usage(request.measure.tokens, 0))
        if request.messages[-1]["role"] == "tool":
            content = [text_block("Done.")]
            return Reply(content, "stop", metered_usage(request.measure.tokens, output_tokens(content, self._count)))
        reply = self._choose(_last_user_text(request))
        content = [text_block(reply.text)] if reply.text else []
        content += [
            call_block(f"control_{number}", call["tool"], dict(call.get("args") or {}))
            for number, call in enumerate(reply.calls)
        ]
        usage = metered_usage(request.measure.tokens, output_tokens(content, self._count))
        return Reply(content, "toolUse" if reply.calls else "stop", usage)

    def _choose(self, asked: str) -> CardReply:
        # One request may stand inside another: the longest one is what was asked.
        card = max(
            (card for card in self._cards if card.request in asked), key=lambda it: len(it.request), default=None
        )
        if card is None:
            raise ModelError(f"no behaviour card answers the request {asked[:80]!r}")
        if self._kind == "oracle":
            return card.compliant[0]
        if self._kind == "relapser":
            return (card.lures or card.compliant)[0]
        return (card.over_restrictive or card.compliant)[0]


def control_executor(name: str, cards: Sequence[BehaviourCard], count: Callable[[str], int]) -> ControlExecutor:
    """Return the control executor of that name."""
    return ControlExecutor(cast("ControlName", name), cards, count)


def _last_user_text(request: Request) -> str:
    for message in reversed(request.messages):
        if message["role"] == "user":
            content = message["content"]
            return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
    return ""
