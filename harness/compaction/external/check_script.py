"""The conversation that the conformance check plays, and the summarizer that it plays it with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

from backslide.harness.compaction.strategies.base import StrategyContext, SummaryRequest
from backslide.harness.compaction.strategies.record import content_text
from backslide.harness.models.protocol import Reply, metered_usage
from backslide.harness.session import Session
from backslide.harness.settings import CompactionSettings

TURNS = 40
REJECTION_TURN = 6
REJECTION = "Do not use a message queue for the importer: we tried one in spring and lost orders."
RESULT_LINES = 30
HUGE_CHARS = 2_000_000


def user_sentence(turn: int) -> str:
    """Return what the user says in a turn; every fourth turn is in Chinese."""
    if turn == REJECTION_TURN:
        return REJECTION
    if turn % 4 == 0:
        return f"第 {turn} 轮：请检查导入器的第 {turn} 个模块，不要改动公共接口。"
    return f"Look at module {turn} of the importer and tell me whether it closes its files."


def turn_messages(turn: int, *, finished: bool = True) -> list[dict[str, Any]]:
    """Return one turn as session messages: request, call, result and, if it is finished, a reply."""
    call = {"type": "toolCall", "id": f"call{turn}", "name": "read", "arguments": {"path": f"importer/模块{turn}.py"}}
    output = "\n".join(f"{line:4}  row_{turn}_{line} = convert(row, {line * turn})" for line in range(RESULT_LINES))
    messages = [
        {"role": "user", "content": [{"type": "text", "text": user_sentence(turn)}]},
        _assistant([{"type": "text", "text": "I read the module."}, call], "toolUse"),
        {
            "role": "toolResult",
            "toolCallId": call["id"],
            "toolName": "read",
            "content": [{"type": "text", "text": output}],
            "isError": False,
        },
    ]
    if finished:
        closing = f"模块 {turn} 没有问题。" if turn % 4 == 0 else f"Module {turn} closes its files."
        messages.append(_assistant([{"type": "text", "text": closing}], "stop"))
    return messages


def _assistant(content: list[dict[str, Any]], stop: str) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "provider": "check", "model": "check", "stopReason": stop}


def new_session() -> Session:
    """Return an empty session in memory whose ids and clock are the same each time."""
    ids, ticks = count(1), count(1_767_225_600_000, 1000)
    return Session.create(None, cwd="/", session_id="check", ids=lambda: f"{next(ids):08x}", now=lambda: next(ticks))


def add_turns(session: Session, first: int, last: int, *, finished: bool = True) -> None:
    """Append turns; `finished` False leaves the last one without its reply."""
    for turn in range(first, last + 1):
        for message in turn_messages(turn, finished=finished or turn < last):
            session.append_message(message)


def script_context() -> StrategyContext:
    """Return sizes that ask for a compaction to a tenth, counted in characters: no tokenizer is needed."""

    def tokens(text: str) -> int:
        return -(-len(text) // 4)

    def message_tokens(message: dict[str, Any]) -> int:
        return tokens(content_text(message.get("content")) or str(message.get("summary") or ""))

    return StrategyContext(
        settings=CompactionSettings(keep_recent_tokens=2000, keep_recent_turns=3, summary_tokens=2000),
        count=message_tokens,
        count_text=tokens,
        window=200_000,
        max_output=4000,
    )


class PerfectSummarizer:
    """Repeats every sentence of the user's that it is shown, and remembers what it was asked.

    `before` is awaited before each answer; `error` makes every answer an error.
    """

    def __init__(self, *, error: str | None = None, before: Callable[[], Awaitable[object]] | None = None) -> None:
        self.asked: list[SummaryRequest] = []
        self._error = error
        self._before = before

    async def __call__(self, request: SummaryRequest) -> Reply:
        """Answer."""
        self.asked.append(request)
        if self._before is not None:
            await self._before()
        if self._error is not None:
            return Reply([], "error", error_message=self._error)
        shown = f"{request.system}\n{request.text}"
        sentences = [sentence for turn in range(1, TURNS + 1) if (sentence := user_sentence(turn)) in shown]
        text = "\n".join(sentences) or "Nothing was said."
        return Reply([{"type": "text", "text": text}], usage=metered_usage(len(shown) // 4, len(text) // 4))
