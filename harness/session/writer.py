"""Append lines to a session file: created only once, never rewritten, each line flushed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from backslide.harness.errors import InputError

FsyncPolicy = Literal["always", "turn", "never"]


class LineWriter:
    """One session file open for appending; the operating system has each line as soon as it is written.

    ``fsync``: "always" forces every write to the disk, "turn" those before a `sync` or `close`, "never" none.
    Appending to a file whose last line has no line feed starts a new line first, so that nothing is glued to it.
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
            descriptor = self._opened()
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
        except FileExistsError:
            raise InputError(
                "the session file exists already", where=str(self.path), mend="open it or choose another path"
            ) from None
        except OSError as error:
            raise InputError(f"the session cannot be written ({error.strerror})", where=str(self.path)) from error
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

    def _opened(self) -> int:
        if self._descriptor is not None:
            return self._descriptor
        if self._create:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL
        else:
            flags = os.O_RDWR | os.O_APPEND
        descriptor = os.open(self.path, flags, 0o644)
        self._descriptor = descriptor
        self._create = False
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            os.write(descriptor, b"\n")
        return descriptor
