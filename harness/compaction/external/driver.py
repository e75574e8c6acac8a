"""What the strategy needs of a compactor, wherever it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from backslide.harness.compaction.external.desk import Desk
from backslide.harness.compaction.external.protocol import Keep, Limits, Piece


class Driver(Protocol):
    """One session of a compactor. Every method raises `CompactorError` where the compactor misbehaves."""

    label: str
    """What error messages call it."""

    @property
    def usable(self) -> bool:
        """Return whether the session can be gone on with from here."""
        ...

    @property
    def summarizes_all(self) -> bool:
        """Return whether it has said that it replaces everything, the last user message included."""
        ...

    async def open(self, system: str, keep: Keep) -> None:
        """Start it and begin a conversation."""
        ...

    async def extend(self, pieces: Sequence[Piece]) -> None:
        """Hand it newer messages."""
        ...

    async def compact(self, desk: Desk) -> Any:
        """Return what it answers, as it is."""
        ...

    def settle(self, pieces: Sequence[Piece]) -> None:
        """Tell a stateless one's driver what stands for the conversation after a compaction."""
        ...

    async def bye(self) -> None:
        """Let it end by itself. Raises `CompactorError` if it does not, or ends with a failure."""
        ...

    async def close(self) -> None:
        """End it at once."""
        ...

    def kill(self) -> None:
        """End it at once, without an event loop."""
        ...


class Source(Protocol):
    """A compactor that was found: what sessions are made of."""

    @property
    def label(self) -> str:
        """Return the name for people."""
        ...

    @property
    def fingerprint(self) -> str:
        """Return a hash over what is known to change its behaviour."""
        ...

    def driver(self, limits: Limits) -> Driver:
        """Return a session that is not open yet."""
        ...
