"""Carrying out compactions, and what happens to the active context then.

Whether one is called for is decided in `backslide.harness.control.decision`. Rules of Pi 0.83.0 (control-plane
semantics, section 5.5); where the robust profile differs is written in `backslide.harness.control.profile`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from backslide.harness.compaction.estimate import estimate_messages
from backslide.harness.compaction.strategies.base import (
    Ask,
    Compacted,
    CompactionError,
    NothingToCompactError,
    Strategy,
    StrategyContext,
)
from backslide.harness.control.abort import AbortSignal
from backslide.harness.control.decision import Decision, decide, reported_tokens
from backslide.harness.control.events import (
    CompactionEnd,
    CompactionEstimates,
    CompactionFailure,
    CompactionReason,
    CompactionSkipped,
    CompactionStart,
)
from backslide.harness.control.guard import Guard, GuardHost, quotes_of
from backslide.harness.control.refusal import SummaryRefusedError
from backslide.harness.control.summaries import SummaryHost, summarizer
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.session import Message, Session

FAILURE = {
    "threshold": "Auto-compaction failed: ",
    "overflow": "Context overflow recovery failed: ",
    "manual": "Compaction failed: ",
}
"""How Pi introduces an error, by reason."""
GAVE_UP = (
    "Context overflow recovery failed after one compact-and-retry attempt. Try reducing context or switching to a "
    "larger-context model."
)
CANCELLED = "Compaction cancelled"


class CompactorHost(SummaryHost, GuardHost, Protocol):
    """What the compactor needs of its agent."""

    session: Session
    payloads: PayloadBuilder
    messages: list[dict[str, Any]]

    def flush_soon(self) -> None:
        """Do what listeners have put off until a step is over."""
        ...

    def reply_failed(self, error: str) -> dict[str, Any]:
        """Add a failed reply that no model gave, and return it."""
        ...


class Compactor:
    """Decides and carries out the compactions of one agent."""

    def __init__(self, host: CompactorHost, strategy: Strategy) -> None:
        self._host = host
        self._strategy = strategy
        self._recovery_attempted = False
        self._signal: AbortSignal | None = None
        self._guard = None if host.control == "pi-0.83" else Guard(host, strategy)
        self._told: dict[str, Any] | None = None
        """The reply for which it was told last that compacting is of no use."""

    @property
    def strategy(self) -> Strategy:
        """The strategy that writes the summaries."""
        return self._strategy

    def user_spoke(self) -> None:
        """A user's message: overflow recovery may be tried again."""
        self._recovery_attempted = False

    def replied(self, message: dict[str, Any]) -> None:
        """An assistant message arrived; any but an error ends an overflow recovery."""
        if message.get("stopReason") != "error":
            self._recovery_attempted = False
        if self._guard is not None:
            self._guard.replied(message)

    def abort(self) -> None:
        """Stop the compaction that is under way; without one this does nothing."""
        if self._signal is not None:
            self._signal.abort()

    async def check(self, message: dict[str, Any], *, before_prompt: bool) -> bool:
        """Compact if `message` calls for it; return True if the failed request should be sent again then."""
        host = self._host
        if not self._strategy.enabled or (self._guard is not None and self._guard.is_behind(message)):
            return False
        decision = decide(
            message,
            messages=host.messages,
            branch=host.session.view(),
            model=host.model,
            settings=host.settings.compaction,
            after_run=not before_prompt,
            recovery_attempted=self._recovery_attempted,
            measure=reported_tokens if self._guard is None else self._guard.measured,
        )
        if decision is None:
            return False
        if decision.give_up:
            self._give_up()
            return False
        if self._guard is not None and self._guard.is_blocked:
            self._refuse(decision, message, self._guard.no_progress(), before_prompt=before_prompt)
            return False
        if decision.will_retry:
            self._recovery_attempted = True
            if host.messages and host.messages[-1].get("role") == "assistant":
                host.messages.pop()
        return await self._compact_by_itself(decision)

    async def compact_now(self, instructions: str | None = None) -> bool:
        """Compact on the user's word; return whether anything was compacted.

        Raises `CompactionError` if the summarizer failed, the compaction was aborted, or (as Pi does) if there is
        nothing to compact.
        """
        host = self._host
        context = self._context(instructions)
        plan = self._strategy.plan(host.session, context)
        if plan is None and not self._faithful:
            return False
        before = host.payloads.context_tokens(host.messages)
        signal = self._signal = AbortSignal()
        host.emit(CompactionStart("manual", host.messages))
        host.flush_soon()
        try:
            if plan is None:
                raise CompactionError(self._nothing())
            done = await self._strategy.compact(plan, context, self._asking("manual", signal))
            if signal.aborted:
                raise CompactionError(CANCELLED)
            done = self._accepted(done)
        except NothingToCompactError as error:
            host.emit(CompactionSkipped("manual", str(error)))
            return False
        except CompactionError as error:
            aborted = str(error) == CANCELLED if self._faithful else signal.aborted
            self._failed("manual", before, error, aborted=aborted)
            raise
        finally:
            self._signal = None
        if self._guard is not None:
            self._guard.row.reset()
        self._adopt(done, Decision("manual", will_retry=False), before)
        return True

    async def _compact_by_itself(self, decision: Decision) -> bool:
        host = self._host
        # What was put off at an earlier event is none of this compaction's.
        host.flush_soon()
        context = self._context(None)
        plan = self._strategy.plan(host.session, context)
        if plan is None:
            return False
        before = host.payloads.context_tokens(host.messages)
        signal = AbortSignal()
        if not self._faithful:
            self._signal = signal
        host.emit(CompactionStart(decision.reason, host.messages))
        # Pi can be stopped from here on only: an abort inside the event above is lost.
        self._signal = signal
        try:
            done = await self._strategy.compact(plan, context, self._asking(decision.reason, signal))
            if not signal.aborted:
                done = self._accepted(done)
        except NothingToCompactError as error:
            host.emit(CompactionSkipped(decision.reason, str(error)))
            return False
        except CompactionError as error:
            self._failed(decision.reason, before, error, aborted=signal.aborted and not self._faithful)
            if self._guard is not None and not signal.aborted:
                self._guard.failed(error, before)
            return False
        finally:
            self._signal = None
        if signal.aborted:
            self._failed(decision.reason, before, CompactionError(CANCELLED), aborted=True)
            return False
        self._adopt(done, decision, before)
        return decision.will_retry

    def _asking(self, reason: CompactionReason, signal: AbortSignal) -> Ask:
        """Return what the strategy asks the summarizer through."""
        ask = summarizer(self._host, "compaction", reason, signal)
        return ask if self._guard is None else self._guard.asking(ask)

    def _accepted(self, done: Compacted) -> Compacted:
        """Return the compaction that is written; Pi takes whatever it gets."""
        return done if self._guard is None else self._guard.accepted(done)

    def _adopt(self, done: Compacted, decision: Decision, before: int) -> None:
        """Append the compaction, rebuild the active context and tell of it."""
        host = self._host
        host.session.append_compaction(
            summary=done.summary,
            first_kept_entry_id=done.first_kept_entry_id,
            tokens_before=done.tokens_before,
            details=done.details,
            usage=done.usage,
        )
        host.messages = list(host.session.context().messages)
        if not self._faithful:
            self._drop_failed(drop_last_reply=decision.will_retry)
        estimates = CompactionEstimates(done.first_kept_entry_id, done.tokens_before, estimate_messages(host.messages))
        after = host.payloads.context_tokens(host.messages)
        if self._guard is not None and decision.reason != "manual":
            self._guard.compacted(after)
        host.emit(
            CompactionEnd(
                decision.reason,
                host.messages,
                done.summary,
                before,
                after,
                decision.will_retry,
                estimates=estimates,
                unverified_quotes=tuple(quotes_of(done.details)),
            )
        )
        if self._faithful and decision.will_retry and _is_failed(host.messages[-1:]):
            host.messages.pop()

    def _drop_failed(self, *, drop_last_reply: bool) -> None:
        """Take failed replies off the end of the context: they are history only.

        A reply that is to be asked for again has failed, whatever its stop reason.
        """
        messages = self._host.messages
        while messages and messages[-1].get("role") == "assistant":
            if not _is_failed(messages[-1:]) and not drop_last_reply:
                break
            messages.pop()
            drop_last_reply = False

    def _failed(self, reason: CompactionReason, size: int, error: CompactionError, *, aborted: bool) -> None:
        """Tell that nothing has changed, and why. `size` is the context's in metered tokens."""
        text = str(error)
        if self._faithful and not aborted:
            text = FAILURE[reason] + text
        fault = error.fault if isinstance(error, SummaryRefusedError) else None
        self._end_without_change(reason, size, text, aborted=aborted, failure=fault)

    def _give_up(self) -> None:
        size = self._host.payloads.context_tokens(self._host.messages)
        text = GAVE_UP if self._faithful else "the context still exceeds the window after a compaction"
        self._end_without_change("overflow", size, text, aborted=False)

    def _refuse(self, decision: Decision, message: Message, error: str, *, before_prompt: bool) -> None:
        """Tell once for a reply that compacting is of no use; where it had failed, that is the prompt's reply."""
        host = self._host
        if self._told is not message:
            self._told = message
            size = host.payloads.context_tokens(host.messages)
            self._end_without_change(decision.reason, size, error, aborted=False, failure="no-progress")
        if decision.will_retry and not before_prompt:
            if host.messages and host.messages[-1] is message:
                host.messages.pop()
            self._told = host.reply_failed(error)

    def _end_without_change(
        self,
        reason: CompactionReason,
        size: int,
        error: str,
        *,
        aborted: bool,
        failure: CompactionFailure | None = None,
    ) -> None:
        host = self._host
        host.emit(
            CompactionEnd(
                reason,
                host.messages,
                None,
                size,
                size,
                will_retry=False,
                error=error,
                aborted=aborted,
                failure=failure,
            )
        )

    def _nothing(self) -> str:
        branch = self._host.session.branch()
        compacted = bool(branch) and branch[-1].get("type") == "compaction"
        return "Already compacted" if compacted else "Nothing to compact (session too small)"

    @property
    def _faithful(self) -> bool:
        return self._host.control == "pi-0.83"

    def _context(self, instructions: str | None) -> StrategyContext:
        host = self._host
        return StrategyContext(
            settings=host.settings.compaction,
            count=host.payloads.message_tokens,
            count_text=host.payloads.counter.count,
            window=int(host.summarizer.context_window),
            max_output=int(host.summarizer.max_tokens),
            instructions=instructions,
        )


def _is_failed(messages: Sequence[Message]) -> bool:
    """Tell whether the last of some messages is a reply that failed."""
    return bool(messages) and messages[-1].get("role") == "assistant" and messages[-1].get("stopReason") == "error"
