"""Somebody else's compactor as a compaction strategy of ours."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from backslide.harness.compaction.external.conversation import Conversation, Head, read_conversation
from backslide.harness.compaction.external.desk import Desk
from backslide.harness.compaction.external.driver import Driver, Source
from backslide.harness.compaction.external.errors import CompactorError, NothingToCompactError
from backslide.harness.compaction.external.loader import load_compactor
from backslide.harness.compaction.external.mapping import Mapped, map_messages
from backslide.harness.compaction.external.outcome import Reader, settled, user_words
from backslide.harness.compaction.external.protocol import Keep, Limits, Outcome, Piece, Record
from backslide.harness.compaction.strategies.base import Ask, Compacted, CompactionError, Plan, StrategyContext
from backslide.harness.session import Entry, Session
from backslide.harness.settings import CompactionSettings


@dataclass
class _Open:
    """An open session of the compactor and what it has been told."""

    driver: Driver
    head: Head | None
    """The compaction that stood at the head of the context when it was last told something."""
    ids: list[str] = field(default_factory=list)
    """The messages of the context that it knows of, in order."""
    known: dict[str, Piece] = field(default_factory=dict)
    """All it was ever given, by id."""
    held: list[Piece] = field(default_factory=list)
    """What stands for the conversation in its hands: its last outcome and what it was given since."""

    def continued_by(self, conversation: Conversation) -> bool:
        """Return whether the context is what it knows of, grown at its end or not at all."""
        return conversation.head == self.head and conversation.ids[: len(self.ids)] == self.ids

    async def tell(self, conversation: Conversation, *, continued: bool) -> None:
        """Hand over what the compactor has not been told: all of it, or what is newer."""
        fresh = conversation.after_head[len(self.ids) :] if continued else conversation.pieces
        if fresh:
            await self.driver.extend(fresh)
        self.known.update((str(piece.id), piece) for piece in fresh)
        self.held += fresh
        self.ids = conversation.ids

    def settle(self, outcome: Outcome, mapped: Mapped) -> None:
        """Note what the context will be once the control plane has written the compaction."""
        self.driver.settle(outcome.messages)
        self.held = list(outcome.messages)
        self.head = mapped.summary, mapped.first_kept_entry_id
        self.ids = [str(piece.id) for piece in mapped.kept]


class ExternalStrategy:
    """One compactor in one driven session; make one for each, and close it.

    The compactor's session lives as long as the context only grows. When it does not (another branch, a compaction that
    was not written as returned, an error), it is closed and a new one is given the whole context.
    """

    enabled = True
    judges_replies = True
    """What a summarizer's reply is worth is for the compactor to tell; it may have asked for anything."""

    def __init__(self, source: Source, *, name: str | None = None, system: str = "", limits: Limits | None = None):
        self.name = name or source.label
        self.last: Record | None = None
        """The last compaction: its messages, and what the summarizer was shown and wrote."""
        self._source = source
        self._system = system
        self._limits = limits or Limits()
        self._pieces: dict[int, tuple[Entry, Piece | None]] = {}
        self._open: _Open | None = None
        self._failures = 0
        self._last_error = ""

    def plan(self, session: Session, context: StrategyContext) -> Plan | None:
        """Return a plan unless nothing is newer than the last compaction; where the tail begins is not known yet."""
        branch = session.view()
        conversation = read_conversation(branch, context.count_text, self._pieces)
        if not conversation.keepable:
            return None
        entries = branch.context_entries()
        tokens = sum(context.count(message) for entry in entries for message in branch.messages_of(entry))
        return Plan(conversation.keepable[-1], tokens, conversation)

    async def compact(self, plan: Plan, context: StrategyContext, ask: Ask) -> Compacted:
        """Have the compactor compact.

        Raises `NothingToCompactError` if it leaves all as it is, `CompactorError` if it misbehaves or reports an error,
        `SummarizerError` if its request to the summarizer failed and it did not handle that.
        """
        if self._failures >= self._limits.failures:
            raise CompactorError(
                "gave-up", f"{self._source.label} failed {self._failures} times in a row, at last: {self._last_error}"
            )
        conversation: Conversation = plan.state
        done: Compacted | None = None
        unchanged = False
        try:
            done = await self._compact(conversation, plan.tokens_before, context, ask)
        except NothingToCompactError:
            unchanged = True
            raise
        except CompactorError as error:
            if error.fault != "refused":
                self._failures += 1
                self._last_error = str(error)
            raise
        finally:
            # After an error or a cancellation nobody knows what the compactor thinks it has done.
            if done is None and not unchanged:
                await self._drop()
            else:
                self._failures = 0
        return done

    async def _compact(
        self, conversation: Conversation, tokens_before: int, context: StrategyContext, ask: Ask
    ) -> Compacted:
        continued = self._open is not None and self._open.driver.usable and self._open.continued_by(conversation)
        if not continued:
            await self._drop()
            # Known before it is started, so that whatever happens it is ended.
            self._open = _Open(self._source.driver(self._limits), conversation.head)
            await self._open.driver.open(self._system, _keep(context.settings))
        opened = self._open
        assert opened is not None, "a session was just opened"
        driver = opened.driver
        await opened.tell(conversation, continued=continued)
        update = conversation.head is not None
        desk = Desk(ask, context, label=driver.label, update=update, limits=self._limits)
        try:
            outcome = await self._outcome(opened, desk, context)
        except NothingToCompactError:
            self.last = Record("no-op", tuple(opened.held), tuple(desk.exchanges))
            raise
        except CompactionError as error:
            self.last = Record("error", (), tuple(desk.exchanges), str(error))
            raise
        self.last = Record(outcome.status, outcome.messages, tuple(desk.exchanges))
        mapped = map_messages(outcome.messages, conversation.keepable)
        details = self._details(outcome, mapped, opened, requests=len(desk.exchanges), continued=continued)
        opened.settle(outcome, mapped)
        return Compacted(mapped.summary, mapped.first_kept_entry_id, tokens_before, details, desk.usage)

    async def _outcome(self, opened: _Open, desk: Desk, context: StrategyContext) -> Outcome:
        """Return what the compactor made of the conversation, if a conversation can go on with it."""
        driver = opened.driver
        returned = await driver.compact(desk)
        if desk.broken is not None:
            raise desk.broken
        outcome = Reader(driver.label, opened.known, context.count_text).read(returned)
        outcome = settled(outcome, opened.held, driver.label, summarizes_all=driver.summarizes_all)
        if outcome.status == "error":
            raise CompactorError("refused", f"{driver.label} reported an error: {outcome.error}")
        if outcome.status == "no-op":
            raise NothingToCompactError(f"{driver.label} left the conversation as it is")
        return outcome

    def _details(
        self, outcome: Outcome, mapped: Mapped, opened: _Open, *, requests: int, continued: bool
    ) -> dict[str, Any]:
        """Return what the compaction entry says of how it came about."""
        kept = {piece.id for piece in outcome.messages if piece.kind == "raw"}
        return {
            "strategy": "external",
            "compactor": self._source.label,
            "status": outcome.status,
            "dropped": sum(piece.kind == "raw" and piece.id not in kept for piece in opened.held),
            **mapped.details(),
            "lastUser": user_words(outcome, opened.held),
            "requests": requests,
            "session": "continued" if continued else "opened",
        }

    async def _drop(self) -> None:
        opened, self._open = self._open, None
        if opened is not None:
            opened.driver.kill()
            await opened.driver.close()

    async def aclose(self) -> None:
        """Say goodbye to the compactor and end it. Never raises for what it does at its end."""
        opened, self._open = self._open, None
        if opened is not None:
            try:
                if opened.driver.usable:
                    await opened.driver.bye()
            except CompactorError:
                # The work is done; that it does not end by itself is for the conformance check to tell.
                opened.driver.kill()
            finally:
                await opened.driver.close()

    def close(self) -> None:
        """End the compactor at once, without an event loop."""
        opened, self._open = self._open, None
        if opened is not None:
            opened.driver.kill()


def external_strategy(
    spec: str, *, name: str | None = None, system: str = "", limits: Limits | None = None
) -> ExternalStrategy:
    """Return a strategy for one session from ``path.py:Class``, ``path.py:function`` or ``cmd:'program arguments'``.

    `name` stands in records, `system` is the executor's system prompt. Raises `InputError` if there is no such
    compactor.
    """
    return ExternalStrategy(load_compactor(spec), name=name, system=system, limits=limits)


def _keep(settings: CompactionSettings) -> Keep:
    tokens = settings.keep_recent_tokens
    return Keep(int(tokens) if math.isfinite(tokens) else None, settings.keep_recent_turns)
