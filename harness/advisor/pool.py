"""One advisor session per executor session, found again by the executor's session id."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from backslide.harness.advisor.session import AdvisorSession
from backslide.harness.errors import InputError
from backslide.harness.models.gateway import Gateway
from backslide.harness.payload.tokens import TokenCounter
from backslide.harness.session import FsyncPolicy, Session
from backslide.harness.session.clock import now_ms
from backslide.harness.session.writer import SessionFile

_USABLE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")


def advisor_session_id(executor_id: str) -> str:
    """Return the id of the advisor session that belongs to an executor session.

    An id that could not be part of a file name is replaced by its digest.
    """
    if not _USABLE.fullmatch(executor_id):
        executor_id = hashlib.sha256(executor_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return f"advisor-{executor_id}"


def advisor_path(folder: Path, executor_id: str) -> Path:
    """Return the file of the advisor session that belongs to an executor session."""
    return folder / f"{advisor_session_id(executor_id)}.jsonl"


class AdvisorPool:
    """The advisor sessions of a process.

    Resuming an executor session finds its advisor's file; a new session or a fork has another id, hence another
    advisor. Finding or creating one takes no await, so parallel first calls share one creation. With `folder` None the
    sessions live in memory.
    """

    def __init__(
        self,
        gateway: Gateway,
        counter: TokenCounter,
        folder: Path | None,
        *,
        now: Callable[[], int] | None = None,
        ids: Callable[[], str] | None = None,
        fsync: FsyncPolicy = "turn",
    ) -> None:
        self._gateway = gateway
        self._counter = counter
        self._folder = folder
        self._now = now or now_ms
        self._ids = ids
        self._fsync: FsyncPolicy = fsync
        self._sessions: dict[str, AdvisorSession] = {}

    @property
    def sessions(self) -> tuple[AdvisorSession, ...]:
        """Return the sessions in use, in the order of their first call."""
        return tuple(self._sessions.values())

    def session_for(self, executor: Session) -> AdvisorSession:
        """Return the executor's advisor session: the one in use, the one on disk, or a new one.

        Raises `InputError` if its file cannot be read or written.
        """
        executor_id = str(executor.header["id"])
        if (known := self.existing(executor)) is not None:
            return known
        return self._use(executor_id, self._create(executor_id, str(executor.header.get("cwd") or "")))

    def existing(self, executor: Session) -> AdvisorSession | None:
        """Return the executor's advisor session if there is one, in use or on disk; create nothing."""
        executor_id = str(executor.header["id"])
        known = self._sessions.get(executor_id)
        if known is None and self._folder is not None:
            path = advisor_path(self._folder, executor_id)
            if path.exists():
                known = self._use(executor_id, self._open(path))
        return known

    def close(self) -> None:
        """Close every session's file; a later call opens it again."""
        for own in self._sessions.values():
            own.session.close()

    def _use(self, executor_id: str, session: Session) -> AdvisorSession:
        own = AdvisorSession(session, self._gateway, self._counter, self._now)
        self._sessions[executor_id] = own
        return own

    def _open(self, path: Path) -> Session:
        return Session.open(path, ids=self._ids, now=self._now, fsync=self._fsync)

    def _create(self, executor_id: str, cwd: str) -> Session:
        session_id = advisor_session_id(executor_id)
        session = Session.create(None, cwd=cwd, session_id=session_id, ids=self._ids, now=self._now, fsync=self._fsync)
        if self._folder is None:
            return session
        path = advisor_path(self._folder, executor_id)
        # Other sessions get a file with their first reply. Here a question must be on disk before it is paid for.
        try:
            file = SessionFile(path, session.header, self._fsync)
            file.write_all([])
            file.close()
        except InputError:
            # Another process may have made it a moment ago.
            if not path.exists():
                raise
        return self._open(path)
