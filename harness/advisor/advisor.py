"""The advisor of a process: consult it for an executor's session, switch its model, ask for its status."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from backslide.harness.advisor.artifacts import Artifact, Revision, collect_artifacts
from backslide.harness.advisor.brief import Brief
from backslide.harness.advisor.choice import Choice
from backslide.harness.advisor.compaction import AdvisorCompaction, compact_if_due
from backslide.harness.advisor.config import AdvisorConfig
from backslide.harness.advisor.document import Document
from backslide.harness.advisor.envelope import AdvisorResult
from backslide.harness.advisor.inventory import Definition
from backslide.harness.advisor.mirror import mirror_document
from backslide.harness.advisor.pool import AdvisorPool
from backslide.harness.advisor.session import AdvisorSession
from backslide.harness.advisor.side_call import SideCalls
from backslide.harness.advisor.state import STATE_TYPE, read_state, state_data
from backslide.harness.advisor.status import AdvisorStatus, status_of, status_of_calls
from backslide.harness.errors import InputError
from backslide.harness.models.gateway import Gateway
from backslide.harness.payload.tokens import TokenCounter
from backslide.harness.session import FsyncPolicy, Session
from backslide.harness.settings import ModelInfo


class Advisor:
    """Advises any number of executor sessions, each through a session of its own.

    `folder` holds the advisors' session files (None: in memory). `notify` shows an error text to a person, where there
    is a user interface. `revision` names the revision of a file for artifacts.
    """

    def __init__(
        self,
        gateway: Gateway,
        counter: TokenCounter,
        model: ModelInfo,
        config: AdvisorConfig | None = None,
        folder: Path | None = None,
        *,
        compaction: AdvisorCompaction | None = None,
        notify: Callable[[str], None] | None = None,
        revision: Revision | None = None,
        now: Callable[[], int] | None = None,
        ids: Callable[[], str] | None = None,
        fsync: FsyncPolicy = "turn",
    ) -> None:
        self.config = config or AdvisorConfig()
        self.choice = Choice(model, self.config.effort)
        self.pool = AdvisorPool(gateway, counter, folder, now=now, ids=ids, fsync=fsync)
        self._gateway = gateway
        self._side = SideCalls(gateway, counter, now)
        self._compaction = compaction or AdvisorCompaction()
        self._notify = notify
        self._revision = revision

    def switch(self, *, model: ModelInfo | None = None, effort: str | None = None) -> None:
        """Use another model or effort from the next call on; sessions go on, and a call under way keeps its own.

        Raises `InputError` for an effort that is no word.
        """
        self.choice = Choice(model or self.choice.model, self.choice.effort if effort is None else effort)

    async def consult(
        self, executor: Session, brief: Brief | None = None, *, tools: Sequence[Definition] = ()
    ) -> AdvisorResult:
        """Ask for advice on an executor's session and return the result, whatever becomes of the call.

        A brief is needed unless the delivery is the mirror or stateless; `tools` are the executor's, for the mirror's
        inventory. Failures come back as a result with an error; nothing is created or sent without a question.
        """
        choice = self.choice
        result = await self._consult(executor, brief, choice, tools)
        if result.error is not None and self._notify is not None:
            self._notify(result.error)
        return result

    async def _consult(
        self, executor: Session, brief: Brief | None, choice: Choice, tools: Sequence[Definition]
    ) -> AdvisorResult:
        if self.config.delivery == "stateless":
            return await self._side.consult(executor, choice, self.config, tools)
        if self.config.delivery == "brief" and brief is None:
            return _refused(choice, "the brief has no question; state what you want to know")
        try:
            own = self.pool.session_for(executor)
            async with own.turnstile():
                own.settle(self.config.failed_delivery)
                document = self._document(executor, brief, own, tools)
                make_room = self._compacting(own, choice) if self.config.compaction == "on" else None
                result = await own.put(document, choice, self.config.timeout_s, make_room)
                if result.completed:
                    await self._completed(own, document, choice)
                return result
        except InputError as error:
            return _refused(choice, str(error))

    def _document(
        self, executor: Session, brief: Brief | None, own: AdvisorSession, tools: Sequence[Definition]
    ) -> Document:
        config = self.config
        if config.delivery == "mirror" or brief is None:
            return mirror_document(executor.view(), read_state(own.session.branch()), config, tools)
        artifacts: tuple[Artifact, ...] = ()
        if config.evidence == "artifacts":
            wanted = "\n".join(brief.words())
            artifacts = collect_artifacts(
                executor.branch(),
                wanted,
                count=config.artifacts,
                limit=config.artifact_limit,
                revision=self._revision,
            )
        return brief.document(config.field_limit, artifacts)

    async def _completed(self, own: AdvisorSession, document: Document, choice: Choice) -> None:
        if document.kind != "brief":
            own.session.append_custom(STATE_TYPE, state_data(document, self.config.mirror_state))
            own.session.sync()
        if self.config.compaction == "on":
            await self._compacting(own, choice)()

    def _compacting(self, own: AdvisorSession, choice: Choice) -> Callable[[], Awaitable[bool]]:
        return lambda: compact_if_due(own, self._compaction, self._gateway, choice.model)

    def tool_text(self, result: AdvisorResult) -> str:
        """Return what the executor reads of a result; with `ui-only` errors it reads nothing of an error."""
        if result.error is not None and self.config.errors == "ui-only":
            return ""
        return result.tool_text()

    def abort(self, executor: Session) -> bool:
        """Stop the request that is under way for an executor's session; return whether there was one.

        The call comes back as an error result; calls that wait behind it go on.
        """
        own = self.pool.existing(executor)
        return own is not None and own.abort()

    def status(self, executor: Session | None = None) -> tuple[AdvisorStatus, ...]:
        """Return the status of one executor's advisor session, or of all in use; nothing with `status: none`."""
        if self.config.status == "none":
            return ()
        if self.config.delivery == "stateless":
            wanted = self._side.calls if executor is None else {str(executor.header["id"])}
            return tuple(status_of_calls(self._side.calls[key]) for key in wanted if key in self._side.calls)
        if executor is None:
            return tuple(map(status_of, self.pool.sessions))
        own = self.pool.existing(executor)
        return () if own is None else (status_of(own),)

    def close(self) -> None:
        """Close the advisors' files."""
        self.pool.close()


def _refused(choice: Choice, error: str) -> AdvisorResult:
    return AdvisorResult("", choice.model.id, choice.effort, None, 0, error=error)
