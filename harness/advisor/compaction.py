"""Automatic compaction of an advisor's session: off by default, because it inverts the advisor's identity (I-7).

The summary template is the executor's. Where the session mirrors the executor's work, the summary states that work as
the reader's own task, and the advisor takes it on.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from backslide.harness.advisor.session import AdvisorSession
from backslide.harness.compaction.estimate import should_compact
from backslide.harness.compaction.strategies import make_strategy
from backslide.harness.compaction.strategies.base import (
    CompactionError,
    Strategy,
    StrategyContext,
    SummaryRequest,
)
from backslide.harness.errors import ModelError
from backslide.harness.models.gateway import Gateway
from backslide.harness.models.protocol import Reply
from backslide.harness.settings import CompactionSettings, ModelInfo


def _executor_strategy() -> Strategy:
    return make_strategy("pi-0.83")


@dataclass(frozen=True)
class AdvisorCompaction:
    """How an advisor's session is compacted where that is on: with an executor's strategy and prompt.

    `summarizer` is None for the advisor's own model.
    """

    strategy: Strategy = field(default_factory=_executor_strategy)
    settings: CompactionSettings = field(default_factory=CompactionSettings)
    summarizer: ModelInfo | None = None


async def compact_if_due(own: AdvisorSession, setup: AdvisorCompaction, gateway: Gateway, model: ModelInfo) -> bool:
    """Compact the session if its context is over the limit; return whether it was.

    A failure is noted in the session and changes nothing else.
    """
    session, payloads = own.session, own.payloads
    payloads.set_model(model)
    size = payloads.context_tokens(session.context().messages)
    if not setup.strategy.enabled or not should_compact(size, model.context_window, setup.settings):
        return False
    summarizer = setup.summarizer or model
    context = StrategyContext(
        settings=setup.settings,
        count=payloads.message_tokens,
        count_text=payloads.counter.count,
        window=int(summarizer.context_window),
        max_output=int(summarizer.max_tokens),
    )
    plan = setup.strategy.plan(session, context)
    if plan is None:
        return False

    async def ask(request: SummaryRequest) -> Reply:
        return await gateway.send(payloads.summary_request(request, summarizer))

    try:
        done = await setup.strategy.compact(plan, context, ask)
    except (CompactionError, ModelError) as error:
        session.append_custom("advisor-compaction-failed", {"error": str(error)})
        return False
    session.append_compaction(
        summary=done.summary,
        first_kept_entry_id=done.first_kept_entry_id,
        tokens_before=done.tokens_before,
        details=done.details,
        usage=done.usage,
    )
    session.sync()
    return True
