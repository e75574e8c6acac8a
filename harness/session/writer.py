"""Append lines to a session file: created only once, never rewritten, each line flushed."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, Self

from backslide.harness import jsjson
from backslide.harness.errors import InputError
from backslide.harness.session.reader import Entry, SessionReport

FsyncPolicy = Literal["always", "turn", "never"]


class SessionFile:
    """The file of one session: nothing before the first `write_all`, then one line per entry."""

    def __init__(self, path: Path, header: Entry, fsync: FsyncPolicy) -> None:
        self.path = path
        self.on_disk = False
        """Whether the file holds the session, so that entries are appended one by one."""
        self._header = header
        self._header_end = 0
        self._writer = LineWriter(path, fsync=fsync, create=True)

    @classmethod
    def opened(cls, report: SessionReport, fsync: FsyncPolicy) -> Self:
        """Return the file that `report` was read from."""
        file = cls(report.path, report.header, fsync)
        file.on_disk = True
        file._header_end = report.header_end
        file._writer = LineWriter(report.path, fsync=fsync, create=False)
        return file

    def append(self, entry: Entry) -> None:
        """Append one entry. Raises `InputError` if the file cannot be written."""
        self._writer.write(_line(entry))

    def write_all(self, entries: Sequence[Entry], copied: bytes | None = None) -> None:
        """Create the file with the header and all entries, or the lines in `copied` that hold them.

        Raises `InputError` if the path is taken or cannot be written.
        """
        header = _line(self._header)
        lines = b"".join(map(_line, entries)) if copied is None else copied
        self._writer.write(header + lines)
        self._header_end = len(header)
        self.on_disk = True

    def entry_lines(self) -> bytes | None:
        """Return the file's lines after its header, the last one closed; None while there is no file."""
        if not self.on_disk:
            return None
        lines = self.path.read_bytes()[self._header_end :]
        return lines if lines.endswith(b"\n") or not lines else lines + b"\n"

    def sync(self) -> None:
        """Force what was written to the disk, unless the policy is "never"."""
        self._writer.sync()

    def close(self) -> None:
        """Sync and close; a later append opens the file again."""
        self._writer.close()


def path_taken(path: Path) -> InputError:
    """Return the error for a new session at a path where something is."""
    return InputError("the file exists already", where=str(path), mend="open it or choose another path")


def _line(record: Entry) -> bytes:
    return f"{jsjson.stringify(record)}\n".encode()


class LineWriter:
    """One session file open for appending; the operating system has each line as soon as it is written.

    ``fsync``: "always" forces every write to the disk, "turn" those before a `sync` or `close`, "never"
    none. A new file appears at its path with its first lines whole, or not at all. Appending to a file whose
    last line has no line feed, because its writer was killed or the disk was full, starts a new line first,
    so that nothing is glued to it.
    """

    def __init__(self, path: Path, *, fsync: FsyncPolicy, create: bool) -> None:
        self.path = path
        self._fsync = fsync
        self._create = create
        self._descriptor: int | None = None
        self._dirty = False

    def write(self, data: bytes) -> None:
        """Append whole lines. Raises `InputError` if the file cannot be written."""
        try:
            if self._create:
                self._descriptor = _created(self.path, data)
                self._create = False
            else:
                _write(self._opened(), data)
        except FileExistsError:
            raise path_taken(self.path) from None
        except OSError as error:
            self._forget()
            what = f"the session cannot be written ({error.strerror})"
            raise InputError(what, where=str(self.path)) from error
        self._dirty = True
        if self._fsync == "always":
            self._force()

    def sync(self) -> None:
        """Force what was written to the disk, unless the policy is "never"."""
        if self._fsync != "never":
            self._force()

    def close(self) -> None:
        """Sync and close; a later `write` opens the file again."""
        if self._descriptor is not None:
            self.sync()
            os.close(self._descriptor)
            self._descriptor = None

    def _force(self) -> None:
        if self._dirty and self._descriptor is not None:
            os.fsync(self._descriptor)
            self._dirty = False

    def _forget(self) -> None:
        """Close the file after half a line, perhaps, so that the next write looks at how it ends."""
        if self._descriptor is not None:
            with suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = None

    def _opened(self) -> int:
        if self._descriptor is None:
            descriptor = self._descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND)
            size = os.fstat(descriptor).st_size
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                os.write(descriptor, b"\n")
        return self._descriptor


_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES})
"""What file systems answer that know no hard links."""


def _created(path: Path, data: bytes) -> int:
    """Make a file that holds `data` and return it open for appending. Raises `FileExistsError` if the path is taken.

    It is written under another name and linked to its own when it is whole: a process killed meanwhile leaves nothing
    at the path that could be taken for a session.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL
    unfinished = path.with_name(f".{path.name[:200]}.{os.getpid()}.tmp")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, flags, 0o644)
    try:
        _write(descriptor, data)
        os.link(unfinished, path)
    except OSError as error:
        os.close(descriptor)
        if error.errno not in _NO_LINKS:
            raise
    else:
        return descriptor
    finally:
        unfinished.unlink(missing_ok=True)
    descriptor = os.open(path, flags, 0o644)
    _write(descriptor, data)
    return descriptor


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
