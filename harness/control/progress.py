"""When compacting is of no use: after two compactions in a row without progress there is an error instead of a third.

A compaction has made progress if the first reply after it is under the limit again. The provider's own figure decides,
or the metered size of what the compaction left where nothing is reported. So neither a kept tail that fills the window
by itself, nor a provider that counts more than we do, makes an endless row of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from backslide.harness.compaction.estimate import calculate_context_tokens, valid_usage
from backslide.harness.session import Message
from backslide.harness.settings import ModelInfo

MOST_IN_A_ROW = 2
"""So many compactions in a row may be without progress."""
GROWTH_SHARE = 0.1
"""Share of the window by which the context must change before another attempt: then something else would be kept."""


class Row:
    """The attempts in a row of one session that have made no progress."""

    def __init__(self) -> None:
        self.attempts = 0
        self._size = 0
        self._model: ModelInfo | None = None
        self._left: Sequence[Message] | None = None

    def is_blocked(self, size: Callable[[], int], model: ModelInfo) -> bool:
        """Tell whether another attempt would be in vain; `size` gives the metered tokens of the context now.

        A context that has changed by a tenth of the window since, and another model, are worth a new attempt.
        """
        if model != self._model:
            self.reset()
        if self.attempts < MOST_IN_A_ROW:
            return False
        return abs(size() - self._size) < GROWTH_SHARE * model.context_window

    def failed(self, size: int, model: ModelInfo) -> None:
        """Count an attempt that changed nothing; `size` is the context's in metered tokens."""
        self._count(size, model)
        self._left = None

    def compacted(self, size: int, model: ModelInfo, messages: Sequence[Message]) -> None:
        """Count a compaction that left `messages`, of `size` metered tokens; the next reply tells what it was worth."""
        self._count(size, model)
        self._left = messages

    def replied(self, message: Message, messages: Sequence[Message], is_over: Callable[[float], bool]) -> None:
        """End the row if a reply, which `messages` ends with, is the first after a compaction and under the limit."""
        if self._left is None or message.get("stopReason") in {"error", "aborted"}:
            return
        left, self._left = self._left, None
        # A context that is another list is one that the session has moved to.
        if left is not messages or not is_over(_reported(message) or self._size):
            self.reset()

    def reset(self) -> None:
        """Begin a new row."""
        self.attempts = 0
        self._left = None

    def _count(self, size: int, model: ModelInfo) -> None:
        if model != self._model:
            self.reset()
        self.attempts += 1
        self._size, self._model = size, model


def _reported(message: Mapping[str, Any]) -> float:
    """Return the tokens that a reply reports, 0 if it reports none."""
    usage = valid_usage(message)
    return calculate_context_tokens(usage) if usage is not None else 0
