"""A session: the entry tree in memory, a leaf, and the file it is appended to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, Self

from backslide.harness.errors import InputError
from backslide.harness.session import clock
from backslide.harness.session.appends import Appends
from backslide.harness.session.book import EntryBook, is_assistant
from backslide.harness.session.branch import Branch, SessionContext, id_key
from backslide.harness.session.forking import forked_entries
from backslide.harness.session.migrate import CURRENT_VERSION, migrated, needs_migration
from backslide.harness.session.problems import Problem
from backslide.harness.session.reader import Entry, SessionReport, collector_paused, read_session_file
from backslide.harness.session.tree import TreeNode, build_tree, link_problems, path_to
from backslide.harness.session.writer import FsyncPolicy, SessionFile, path_taken


class _Current:
    """The type of `CURRENT`, "where the session stands"."""


CURRENT: Final = _Current()
"""Default of parameters that take an entry id or None."""


class Session(Appends):
    """The recorded conversation, a tree of entries (plain dicts, not to be changed) in a JSONL file.

    Appending makes a child of the leaf and moves the leaf to it; `move_to` moves it elsewhere, in memory
    only. After opening, the leaf is the last entry of the file. A created session has no file until it
    holds an assistant message; then everything is written at once, into a file that must not exist yet. The
    work of an append does not grow with the session.
    """

    def __init__(
        self,
        header: Entry,
        path: Path | None,
        *,
        ids: Callable[[], str] | None,
        now: Callable[[], int] | None,
        fsync: FsyncPolicy,
    ) -> None:
        self.header: Entry = header
        self.problems: list[Problem] = []
        """What the reader found, by line."""
        self._ids = ids or clock.short_id
        self._now = now or clock.now_ms
        self._fsync: FsyncPolicy = fsync
        self._book = EntryBook()
        self._branch = Branch()
        self._leaf: Entry | None = None
        self._file = None if path is None else SessionFile(path, header, fsync)
        self._read_only: str | None = None

    # ------------------------------------------------------------------ making

    @classmethod
    def create(
        cls,
        path: Path | None,
        *,
        cwd: str,
        session_id: str | None = None,
        ids: Callable[[], str] | None = None,
        now: Callable[[], int] | None = None,
        fsync: FsyncPolicy = "turn",
        parent_session: str | Path | None = None,
    ) -> Self:
        """Start an empty session; with `path` None it lives in memory only.

        `ids` makes entry ids (8 random hexadecimal digits by default), `now` is a clock in milliseconds.
        Raises `InputError` if the path is taken or the session id is not usable.
        """
        if path is not None and Path(path).exists():
            raise path_taken(path)
        moment = (now or clock.now_ms)()
        header: Entry = {
            "type": "session",
            "version": CURRENT_VERSION,
            "id": clock.new_session_id(moment) if session_id is None else clock.checked_session_id(session_id),
            "timestamp": clock.iso(moment),
            "cwd": cwd,
        }
        if parent_session is not None:
            header["parentSession"] = str(parent_session)
        return cls(header, None if path is None else Path(path), ids=ids, now=now, fsync=fsync)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        ids: Callable[[], str] | None = None,
        now: Callable[[], int] | None = None,
        fsync: FsyncPolicy = "turn",
    ) -> Self:
        """Read a session file; what is wrong with it but readable is in `problems`.

        Older versions are migrated in memory, and such a session refuses appends (see `migrate_file`). Raises
        `InputError` if the file is missing, empty, binary or not a session.
        """
        with collector_paused():
            return cls._opened(read_session_file(path), ids, now, fsync)

    @classmethod
    def _opened(
        cls,
        report: SessionReport,
        ids: Callable[[], str] | None,
        now: Callable[[], int] | None,
        fsync: FsyncPolicy,
    ) -> Self:
        records = migrated(report, ids or clock.short_id)
        session = cls(records[0], report.path, ids=ids, now=now, fsync=fsync)
        pairs = [
            (record, line)
            for record, line in zip(records, report.lines, strict=True)
            if record.get("type") != "session"
        ]
        session._load([record for record, _ in pairs])
        links = link_problems(session.entries, [line for _, line in pairs])
        session.problems = sorted(report.problems + links, key=lambda problem: problem.line)
        if needs_migration(report.version):
            version = report.version or 1
            session._read_only = f"the file is of version {version}"
            old = Problem(report.lines[0], "old-version", f"version {version}, migrated in memory")
            session.problems.insert(0, old)
        session._file = SessionFile.opened(report, fsync)
        return session

    def _load(self, entries: Iterable[Entry]) -> None:
        self._book = EntryBook(entries)
        self._stand_at(self.entries[-1] if self.entries else None)

    # ------------------------------------------------------------------ reading

    @property
    def path(self) -> Path | None:
        """The session's file, which need not exist yet; None for a session in memory."""
        return None if self._file is None else self._file.path

    @property
    def entries(self) -> list[Entry]:
        """Every entry in file order, all branches, without headers; the session's own list."""
        return self._book.entries

    @property
    def labels(self) -> dict[Any, str]:
        """Label by entry id; the last one in file order counts."""
        return self._book.labels

    @property
    def leaf_id(self) -> str | None:
        """Id of the leaf; None before the first entry, after `move_to(None)`, or if the leaf has no id."""
        return None if self._leaf is None else self._leaf.get("id")

    @property
    def name(self) -> str | None:
        """The session's name, from the last session_info in file order; None if none or empty."""
        return self._book.name

    @property
    def has_assistant(self) -> bool:
        """Whether there is an assistant message on any branch, so that the session has a file."""
        return self._book.has_assistant

    def entry(self, entry_id: str) -> Entry:
        """Return the entry with an id (the last of them). Raises `InputError` if there is none."""
        found = self._book.index.get(id_key(entry_id))
        if found is None:
            raise self._error(f"the session has no entry {entry_id}")
        return found

    def _error(self, what: str, mend: str | None = None) -> InputError:
        return InputError(what, where=str(self.path) if self.path else None, mend=mend)

    def __contains__(self, entry_id: object) -> bool:
        return id_key(entry_id) in self._book.index

    def view(self, leaf: str | _Current | None = CURRENT) -> Branch:
        """Return the path to `leaf` with what is known about it; that of the current leaf is live.

        None is the empty branch. Raises `InputError` for an unknown id.
        """
        if isinstance(leaf, _Current):
            return self._branch
        return Branch(path_to(None if leaf is None else self.entry(leaf), self._book.index))

    def branch(self, leaf: str | _Current | None = CURRENT) -> list[Entry]:
        """Return the entries from the root to `leaf`.

        The list of the current leaf is the session's own and grows with it: copy it to keep it. A leaf
        without an id (a last line that is no entry) has an empty branch, though its context is not empty.
        """
        if isinstance(leaf, _Current) and self._leaf is not None and self._leaf.get("id") is None:
            return []
        return self.view(leaf).entries

    def context(self) -> SessionContext:
        """Return the messages, thinking level and model at the leaf (Pi's ``buildSessionContext``)."""
        return self._branch.context()

    def context_entries(self) -> list[Entry]:
        """Return the entries that the context at the leaf is made of."""
        return self._branch.context_entries()

    def tree(self) -> list[TreeNode]:
        """Return the roots of the tree; children are sorted by timestamp."""
        return build_tree(self.entries, self.labels, self._book.label_times)

    def children(self, entry_id: str | None) -> list[Entry]:
        """Return the entries whose parent is `entry_id`, in file order; None gives the roots."""
        return [entry for entry in self._book.index.values() if entry.get("parentId") == entry_id]

    # ------------------------------------------------------------------ moving and writing

    def move_to(self, entry_id: str | None) -> None:
        """Move the leaf, in memory only; the next append branches there (None: a new root).

        Raises `InputError` for an unknown id.
        """
        self._stand_at(None if entry_id is None else self.entry(entry_id))

    def _stand_at(self, leaf: Entry | None) -> None:
        self._leaf = leaf
        self._branch = Branch(path_to(leaf, self._book.index))

    def append(self, entry_type: str, **fields: Any) -> str:
        """Append an entry of any type below the leaf, move the leaf to it and return its id.

        Fields are written in the order given, after type, id, parentId and timestamp. Raises `InputError`
        if the session was migrated in memory or the file cannot be written.
        """
        if self._read_only:
            raise self._error(f"{self._read_only} and cannot be appended to", mend="migrate the file first")
        entry: Entry = {
            "type": entry_type,
            "id": clock.fresh_id(self._ids, self._book.index),
            "parentId": self.leaf_id,
            "timestamp": clock.iso(self._now()),
            **fields,
        }
        self._add(entry)
        entry_id: str = entry["id"]
        return entry_id

    def _add(self, entry: Entry) -> None:
        """Write a finished entry and take it in as the new leaf; what cannot be written is not taken in."""
        self._persist(entry)
        self._book.add(entry)
        if self._leaf is not None and not entry["parentId"]:
            # Nothing can name a leaf without an id as its parent: a new branch starts here, as it does in the file.
            self._branch = Branch()
        self._leaf = entry
        self._branch.append(entry)

    def _persist(self, entry: Entry) -> None:
        if self._file is None:
            return
        if self._file.on_disk:
            self._file.append(entry)
        elif self.has_assistant or is_assistant(entry):
            self._file.write_all([*self.entries, entry])

    def flush(self) -> None:
        """Hand everything to the operating system; lines already are, so this only obeys the fsync policy."""
        self.sync()

    def sync(self) -> None:
        """Mark the end of a turn: force the file to the disk unless the policy is "never"."""
        if self._file is not None:
            self._file.sync()

    def close(self) -> None:
        """Sync and close the file. The session stays readable; a later append opens the file again."""
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------------ copies

    def fork(self, path: Path | None, leaf: str | _Current | None = CURRENT) -> Session:
        """Return a new session of the path to `leaf`, with its own id and file (None: in memory).

        Entry ids stay; see `forked_entries`. The new header names this session's file, and the new leaf is
        its last entry. Raises `InputError` for an unknown leaf, an empty branch or a path that is taken.
        """
        branch = self.branch(leaf)
        if not branch:
            raise self._error("there is no entry to fork from")
        twin = self._twin(path)
        book = self._book
        twin._load(forked_entries(branch, book.labels, book.label_times, self._ids))
        twin._write_all(None)
        return twin

    def copy_to(self, path: Path | None, *, ids: Callable[[], str] | None = None) -> Session:
        """Return a session with the same entries and leaf, its own id and its own file (None: in memory).

        Cheap: entries are shared and lines on disk are copied as they are. `ids` makes the copy's own entry
        ids.
        """
        twin = self._twin(path)
        twin._ids = ids or self._ids
        twin._book, twin._branch, twin._leaf = self._book.copy(), self._branch.copy(), self._leaf
        if twin._file is not None and self._file is not None and not self._read_only:
            twin._write_all(self._file.entry_lines())
        else:
            twin._write_all(None)
        return twin

    def _twin(self, path: Path | None) -> Session:
        return Session.create(
            path,
            cwd=str(self.header.get("cwd", "")),
            ids=self._ids,
            now=self._now,
            fsync=self._fsync,
            parent_session=self.path,
        )

    def _write_all(self, copied: bytes | None) -> None:
        """Create the file at once, if there is an assistant message to write."""
        if self._file is not None and self.has_assistant:
            self._file.write_all(self.entries, copied)
