"""Messages that wait for an agent at work: steering (before the next request) and follow-ups (when it would stop)."""

from __future__ import annotations

from typing import Any

from backslide.harness.compaction.serialize import joined_text
from backslide.harness.settings import QueueMode

Message = dict[str, Any]


class MessageQueue:
    """Messages in the order in which they came; delivered one at a time or all at once."""

    def __init__(self, mode: QueueMode) -> None:
        self.mode: QueueMode = mode
        self._messages: list[Message] = []

    def __len__(self) -> int:
        return len(self._messages)

    def put(self, message: Message) -> None:
        """Append a message."""
        self._messages.append(message)

    def drain(self) -> list[Message]:
        """Take out what is due now."""
        if not self._messages:
            return []
        due = len(self._messages) if self.mode == "all" else 1
        taken, self._messages = self._messages[:due], self._messages[due:]
        return taken

    def clear(self) -> None:
        """Drop everything."""
        self._messages.clear()


class Queues:
    """Both queues, and the users' texts in them that a program shows as pending."""

    def __init__(self, steering_mode: QueueMode, follow_up_mode: QueueMode) -> None:
        self.steering = MessageQueue(steering_mode)
        self.follow_up = MessageQueue(follow_up_mode)
        self.steering_texts: list[str] = []
        self.follow_up_texts: list[str] = []

    def __bool__(self) -> bool:
        return bool(len(self.steering) or len(self.follow_up))

    def delivered(self, message: Message) -> bool:
        """Take a user message's text off the pending ones, steering first; tell whether it was among them."""
        if not (self.steering_texts or self.follow_up_texts):
            return False
        text = joined_text(message.get("content"), "")
        for texts in (self.steering_texts, self.follow_up_texts):
            if text and text in texts:
                texts.remove(text)
                return True
        return False

    def clear(self) -> tuple[list[str], list[str]]:
        """Drop everything and return the texts that were pending: steering, follow-ups."""
        dropped = self.steering_texts, self.follow_up_texts
        self.steering_texts, self.follow_up_texts = [], []
        self.steering.clear()
        self.follow_up.clear()
        return dropped
