"""Older session formats: version 1 (a plain list) and version 2 (role ``hookMessage``) to version 3.

`migrated` works on copies in memory; only `migrate_file` writes, and it keeps the original beside the new
file.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from backslide.harness import jsjson
from backslide.harness.errors import InputError
from backslide.harness.session.clock import fresh_id, short_id
from backslide.harness.session.reader import Entry, SessionReport, read_session_file

CURRENT_VERSION = 3


def needs_migration(version: Any) -> bool:
    """Tell whether a header's version is older than 3 (absent counts as 1)."""
    if isinstance(version, bool) or not isinstance(version, int | float):
        return version is None
    return version < CURRENT_VERSION


def migrated(report: SessionReport, ids: Callable[[], str] = short_id) -> list[Entry]:
    """Return the records in version 3, the header first; the report's own records stay as they are.

    Version 1 becomes a linear chain of fresh ids, and ``firstKeptEntryIndex``, which counts the header as 0,
    becomes the id of that record; an index of a header, out of range or pointing ahead names nothing.
    """
    if not needs_migration(report.version):
        return report.records
    records = [dict(record) for record in report.records]
    if report.version is None or report.version < 2:
        _chain(records, ids)
    for record in records:
        if record.get("type") == "session":
            record["version"] = CURRENT_VERSION
        elif record.get("type") == "message":
            _rename_hook(record)
    return records


def _chain(records: list[Entry], ids: Callable[[], str]) -> None:
    taken: set[str] = set()
    parent: str | None = None
    for position, record in enumerate(records):
        if record.get("type") == "session":
            continue
        record["id"] = fresh_id(ids, taken)
        taken.add(record["id"])
        record["parentId"] = parent
        parent = record["id"]
        index = record.get("firstKeptEntryIndex")
        if record.get("type") == "compaction" and isinstance(index, int | float):
            del record["firstKeptEntryIndex"]
            if index in range(position + 1) and records[int(index)].get("type") != "session":
                record["firstKeptEntryId"] = records[int(index)]["id"]


def _rename_hook(record: Entry) -> None:
    message = record.get("message")
    if isinstance(message, dict) and message.get("role") == "hookMessage":
        record["message"] = {**message, "role": "custom"}


def migrate_file(path: Path, *, ids: Callable[[], str] = short_id) -> Path:
    """Rewrite a session file of version 1 or 2 in version 3 and return the path of the backup.

    The original bytes stay in ``<name>.v1.bak`` (or ``.v2.bak``) beside it. Lines that are not readable are
    left out of the new file. Raises `InputError` if the file is current already or the backup exists.
    """
    path = Path(path)
    report = read_session_file(path)
    if not needs_migration(report.version):
        raise InputError(f"the file is of version {report.version} already", where=str(path))
    backup = path.with_name(f"{path.name}.v{report.version or 1}.bak")
    text = "".join(f"{jsjson.stringify(record)}\n" for record in migrated(report, ids))
    fresh = path.with_name(f"{path.name}.new")
    try:
        os.link(path, backup)
        with fresh.open("xb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except FileExistsError as error:
        raise InputError(f"{error.filename2 or error.filename} exists", where=str(path), mend="move it away") from None
    except OSError as error:
        raise InputError(f"the file cannot be migrated ({error.strerror})", where=str(path)) from error
    return backup
