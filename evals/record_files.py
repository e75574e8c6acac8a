"""Record files on the disk: replaced as a whole, their torn ends mended."""

from __future__ import annotations

import os
from pathlib import Path

from backslide.evals.arrangement import json_object
from backslide.harness.errors import InputError


def mend_tail(path: Path, descriptor: int) -> None:
    """Cut a torn last line off, or end a whole one, so that the next record starts on a line of its own."""
    data = path.read_bytes()
    if not data or data.endswith(b"\n"):
        return
    start = data.rfind(b"\n") + 1
    if json_object(data[start:]) is None:
        os.ftruncate(descriptor, start)
    else:
        os.write(descriptor, b"\n")


def replace_file(path: Path, data: bytes) -> None:
    """Put `data` in the place of a file at once and on the disk. Raises `InputError` if it cannot be written."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> InputError:
    """Return the error for a file or folder of a run that cannot be written."""
    return InputError(f"cannot be written ({error.strerror})", where=str(path), mend="choose another --out")


def holds_something(path: Path) -> bool:
    """Return whether `path` is a file that is not empty."""
    return path.is_file() and path.stat().st_size > 0
