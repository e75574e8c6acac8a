"""Read a session file: bytes to records, with everything odd reported and nothing refused that is readable.

Rules of Pi 0.83.0 (control-plane semantics, "Session file"): bytes are UTF-8 with replacement characters
and split on LF only; lines that are blank, not JSON, or one of ``null 0 false ""`` are dropped; the first
line that remains must be the header, an object with ``type`` "session" and a text ``id``.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from backslide.harness import jsjson
from backslide.harness.errors import InputError
from backslide.harness.session.problems import Problem

Entry = dict[str, Any]

_MAX_LINE = 256 * 1024 * 1024
_MAX_JUNK_BEFORE_HEADER = 8 * 1024 * 1024
_MAX_JUNK_LINES_BEFORE_HEADER = 100_000
_SNIFF = 8192
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class SessionReport:
    """A session file as read: nothing migrated, nothing resolved."""

    path: Path
    records: list[Entry]
    """Every object line in file order, the header first, later header lines included."""
    lines: list[int]
    """Line number of each record."""
    problems: list[Problem]
    ends_with_newline: bool
    """Whether the next line may be appended as it is."""
    header_end: int
    """Offset in bytes of the first byte after the header's line."""

    @property
    def header(self) -> Entry:
        """The first record."""
        return self.records[0]

    @property
    def version(self) -> Any:
        """The header's version as written; None where it is absent (version 1)."""
        return self.header.get("version")


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector: parsing makes many objects, and each pass would visit all."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def read_session_file(path: Path) -> SessionReport:
    """Read a session file without changing it.

    Raises `InputError` if there is no such file, it is a folder, empty, binary, or does not start with a
    session header.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            return _read(path, file)
    except FileNotFoundError:
        raise InputError("there is no such session file", where=str(path)) from None
    except IsADirectoryError:
        raise InputError("this is a folder, not a session file", where=str(path)) from None
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror})", where=str(path)) from error


def _read(path: Path, file: BinaryIO) -> SessionReport:
    _refuse_obvious(path, file)
    records: list[Entry] = []
    lines: list[int] = []
    problems: list[Problem] = []
    offset = header_end = 0
    raw = b""
    for number, raw in _lines(path, file):
        offset += len(raw)
        record = _record(raw, number, problems)
        if record is None:
            if not records and (offset > _MAX_JUNK_BEFORE_HEADER or number > _MAX_JUNK_LINES_BEFORE_HEADER):
                raise _not_a_session(path, f"nothing readable in the first {number:,} lines")
            continue
        if not records:
            _check_header(path, record, number)
            header_end = offset
        elif record.get("type") == "session":
            problems.append(Problem(number, "extra-header", "a second session header; it is ignored"))
        records.append(record)
        lines.append(number)
    if not records:
        raise _not_a_session(path, "no line of it is a session header")
    ends_with_newline = raw.endswith(b"\n")
    if not ends_with_newline:
        _report_open_end(problems, lines, number)
    return SessionReport(path, records, lines, problems, ends_with_newline, header_end)


def _refuse_obvious(path: Path, file: BinaryIO) -> None:
    head = file.read(_SNIFF)
    file.seek(0)
    if not head:
        raise InputError("the file is empty", where=str(path), mend="a session file starts with a header line")
    if b"\0" in head.split(b"\n", 1)[0]:
        raise InputError("this is a binary file, not a session file", where=str(path))


def _lines(path: Path, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the lines with their numbers; the first one is bounded, since it may be anything."""
    number = 0
    limit = _MAX_JUNK_BEFORE_HEADER
    while raw := file.readline(limit):
        number += 1
        if len(raw) == limit and not raw.endswith(b"\n"):
            raise InputError(f"a line longer than {limit // 2**20} MiB", where=f"{path}:{number}")
        yield number, raw
        limit = _MAX_LINE


def _record(raw: bytes, number: int, problems: list[Problem]) -> Entry | None:
    """Return the object on a line, None for a line that Pi drops."""
    if number == 1 and raw.startswith(_BOM):
        problems.append(Problem(1, "bom", "the file starts with a byte-order mark; it is skipped"))
        raw = raw[len(_BOM) :]
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode(errors="replace")
        problems.append(Problem(number, "not-utf-8", "bytes that are not UTF-8 were replaced"))
    try:
        value = jsjson.parse(text)
    except ValueError:
        if jsjson.trim(text):
            problems.append(Problem(number, "junk-line", "not a JSON line; it is skipped"))
        return None
    if value.__class__ is dict:
        entry: Entry = value
        return entry
    if not value and not isinstance(value, list):
        problems.append(Problem(number, "junk-line", f"the line is only {text.strip()}; it is skipped"))
        return None
    # Pi keeps such a line as an entry without a type and an id; an empty object is exactly that.
    problems.append(Problem(number, "not-an-object", "the line is not an object; it counts as an entry of no type"))
    return {}


def _check_header(path: Path, record: Entry, number: int) -> None:
    if record.get("type") != "session":
        raise _not_a_session(path, f"line {number} is not a session header")
    if not isinstance(record.get("id"), str):
        raise _not_a_session(path, f"the session header in line {number} has no id")


def _not_a_session(path: Path, why: str) -> InputError:
    return InputError(f"not a session file: {why}", where=str(path))


def _report_open_end(problems: list[Problem], lines: list[int], number: int) -> None:
    """Report a last line without its line feed; if it was also unreadable, it is a torn write."""
    if lines[-1] == number:
        problems.append(Problem(number, "no-final-newline", "the last line does not end in a line feed"))
        return
    if problems and problems[-1] == Problem(number, "junk-line", "not a JSON line; it is skipped"):
        problems[-1] = Problem(number, "torn-line", "the last line is cut off; it is skipped")
