"""The run directory: written record by record, read back with every defect named.

A record is one line, written by one unbuffered write and ended by its newline, so that a killed run leaves at
most one torn line at the end of a file. Reading drops that line and reports it; anything else that is corrupt
is refused by file name and line. Records are written as they arise; `RunWriter.arrange` puts them into the plan's
order.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from backslide.evals.arrangement import Span, Unit, in_order, json_object, rearranged, span_of, spans_of
from backslide.evals.record_files import holds_something, mend_tail, replace_file, unwritable
from backslide.evals.records import (
    SCHEMA,
    CompactionRecord,
    Manifest,
    PayloadRecord,
    Record,
    Trial,
)
from backslide.evals.redaction import hide_known_secrets, redact, redact_command, redact_text
from backslide.harness.errors import InputError

MANIFEST = "run.json"
TRIALS = "trials.jsonl"
PAYLOADS = "payloads.jsonl"
COMPACTIONS = "compactions.jsonl"
SESSIONS = "sessions"
REPORT = "report"

RECORD_FILES = (PAYLOADS, COMPACTIONS, TRIALS)
"""In the order in which they are forced to the disk: a trial comes last."""

Asked = tuple[Unit, str, int]
"""A probe of a unit after a turn."""

R = TypeVar("R", bound=Record)


class RunWriter:
    """Writes one run directory. A trial on disk implies that the records written before it are on disk too.

    With `resume` the directory must already hold a run; torn last lines are cut off, and `keep_only` removes
    the records of units that were not finished. Raises `InputError` if the directory cannot be written, if
    it holds a run and `resume` is false, or if a file of the run to resume is corrupt.
    """

    def __init__(self, path: Path, *, resume: bool = False) -> None:
        self.path = path
        self._files: dict[str, int] = {}
        self._spans: dict[str, list[Span]] = {name: [] for name in RECORD_FILES}
        if resume:
            self._reopen()
        else:
            self._create()

    @property
    def sessions(self) -> Path:
        """Return the folder for session files; it exists."""
        return self.path / SESSIONS

    def append_trial(self, trial: Trial) -> None:
        """Append one trial; it and everything appended before it is on disk when this returns."""
        if trial.error is not None:
            trial = trial.model_copy(update={"error": redact_text(trial.error)})
        self._force(PAYLOADS, COMPACTIONS)
        self._append(TRIALS, trial)
        self._force(TRIALS)

    def append_payload(self, payload: PayloadRecord) -> None:
        """Append one request's record."""
        self._append(PAYLOADS, payload)

    def append_compaction(self, compaction: CompactionRecord) -> None:
        """Append one compaction's record."""
        self._append(COMPACTIONS, compaction)

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace ``run.json`` as a whole: a reader sees the old document or the new one, never a part.

        What it counts as complete is on disk before it.
        """
        self._force(*RECORD_FILES)
        document = _redacted_manifest(manifest)
        text = hide_known_secrets(json.dumps(document, ensure_ascii=False, indent=2)) + "\n"
        replace_file(self.path / MANIFEST, text.encode("utf-8"))

    def asked(self) -> set[Asked]:
        """Return the trials that are stored with all their requests, so that they need not be asked again."""
        requests: dict[Asked, int] = {}
        for span in self._spans[PAYLOADS]:
            if span.probe is not None:
                key = (span.unit, span.probe, span.turn)
                requests[key] = requests.get(key, 0) + 1
        trials = {(span.unit, span.probe, span.turn): span.requests for span in self._spans[TRIALS] if span.probe}
        return {key for key, made in trials.items() if requests.get(key, 0) == made}

    def keep_only(self, units: Collection[Unit], trials: Collection[Asked] = ()) -> None:
        """Remove the records of every unit that is not in `units`, each file replaced as a whole.

        Of other units the `trials` stay, each with the requests that it made.
        """
        for name in RECORD_FILES:
            spans = [
                span
                for span in self._spans[name]
                if span.unit in units or (span.probe is not None and (span.unit, span.probe, span.turn) in trials)
            ]
            self._rewrite(name, spans)

    def arrange(self, order: Mapping[Unit, int]) -> None:
        """Put all records into the order of their units, each file replaced as a whole; in order it is left alone."""
        for name in RECORD_FILES:
            self._rewrite(name, in_order(self._spans[name], order))

    def _rewrite(self, name: str, spans: list[Span]) -> None:
        if spans == self._spans[name]:
            return
        target = self.path / name
        data, moved = rearranged(target.read_bytes(), spans)
        replace_file(target, data)
        os.close(self._files.pop(name))
        self._files[name] = os.open(target, os.O_WRONLY | os.O_APPEND)
        self._spans[name] = moved

    def _force(self, *names: str) -> None:
        for name in names:
            os.fsync(self._files[name])

    def close(self) -> None:
        """Flush everything to disk and close the files."""
        while self._files:
            _, descriptor = self._files.popitem()
            os.fsync(descriptor)
            os.close(descriptor)

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _create(self) -> None:
        # Empty files without a manifest are what a run leaves that was killed before it stored anything.
        if (self.path / MANIFEST).exists() or any(holds_something(self.path / name) for name in RECORD_FILES):
            raise InputError(
                "the folder already holds a run",
                where=str(self.path),
                mend="choose another --out, or continue it with --resume",
            )
        made: list[Path] = []
        try:
            (self.path / SESSIONS).mkdir(parents=True, exist_ok=True)
            for name in RECORD_FILES:
                flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
                self._files[name] = os.open(self.path / name, flags, 0o644)
                made.append(self.path / name)
        except OSError as error:
            for file in made:
                file.unlink()
            raise unwritable(self.path, error) from error

    def _reopen(self) -> None:
        if not (self.path / MANIFEST).is_file():
            raise InputError("holds no run to resume", where=str(self.path), mend="leave --resume out")
        try:
            for name in RECORD_FILES:
                descriptor = os.open(self.path / name, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
                self._files[name] = descriptor
                mend_tail(self.path / name, descriptor)
                self._spans[name] = spans_of((self.path / name).read_bytes(), str(self.path / name))
            self.sessions.mkdir(exist_ok=True)
            for folder in (self.path, self.sessions):
                for unfinished in folder.glob(".*.tmp"):
                    unfinished.unlink()
        except InputError:
            self.close()
            raise
        except OSError as error:
            self.close()
            raise unwritable(self.path, error) from error

    def _append(self, name: str, record: Record) -> None:
        line = hide_known_secrets(record.model_dump_json(by_alias=True)) + "\n"
        data = line.encode("utf-8")
        descriptor = self._files[name]
        before = os.fstat(descriptor).st_size
        try:
            written = os.write(descriptor, data)
            while written < len(data):
                written += os.write(descriptor, data[written:])
        except OSError as error:
            # A full disk must not leave the first half of a record in front of the next one.
            with suppress(OSError):
                os.ftruncate(descriptor, before)
            raise unwritable(self.path / name, error) from error
        self._spans[name].append(span_of(dict(record), before, before + len(data)))


class RunReader:
    """Reads one run directory. `problems` grows while the files are read, one sentence per dropped line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []
        self.manifest = _read_manifest(path)
        if self.manifest.ended is None:
            done, units = self.manifest.completed, self.manifest.units
            self.problems.append(f"{path / MANIFEST}: the run did not end ({done} of {units} units are complete)")

    def iter_trials(self) -> Iterator[Trial]:
        """Yield the trials in file order. Raises `InputError` at the first corrupt line."""
        yield from self._iter(TRIALS, Trial)

    def iter_payloads(self) -> Iterator[PayloadRecord]:
        """Yield the payload records in file order. Raises `InputError` at the first corrupt line."""
        yield from self._iter(PAYLOADS, PayloadRecord)

    def iter_compactions(self) -> Iterator[CompactionRecord]:
        """Yield the compaction records in file order. Raises `InputError` at the first corrupt line."""
        yield from self._iter(COMPACTIONS, CompactionRecord)

    def _iter(self, name: str, model: type[R]) -> Iterator[R]:
        file = self.path / name
        if not file.is_file():
            if self.manifest.completed:
                raise InputError(f"{name} is missing", where=str(self.path), mend="run it again")
            return
        try:
            with file.open("rb") as lines:
                for number, line in enumerate(lines, start=1):
                    if not line.endswith(b"\n") and json_object(line) is None:
                        self._report(f"{file}:{number}: torn last line dropped ({len(line)} bytes)")
                        return
                    yield _parse(line, model, f"{file}:{number}")
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror})", where=str(file)) from error

    def _report(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)


def is_run(path: Path) -> bool:
    """Return whether `path` is a folder that holds a run."""
    return (path / MANIFEST).is_file()


def _read_manifest(path: Path) -> Manifest:
    file = path / MANIFEST
    if not path.exists():
        raise InputError("no such run directory", where=str(path))
    if not path.is_dir():
        raise InputError("is a file, not a run directory", where=str(path), mend="give the folder that holds run.json")
    if not file.is_file():
        raise InputError("is not a run directory: it holds no run.json", where=str(path))
    try:
        return _parse(file.read_bytes(), Manifest, str(file))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(file)) from error


def _parse(line: bytes, model: type[R], where: str) -> R:
    document = json_object(line)
    if document is None:
        raise InputError("is not a JSON object", where=where, mend="the file is corrupt; run it again")
    schema = document.get("schema")
    if schema != SCHEMA:
        seen = "no schema number" if schema is None else f"schema {schema!r}"
        raise InputError(f"has {seen}; this version reads schema {SCHEMA}", where=where)
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise InputError(describe_validation(error), where=where, mend="the file is corrupt; run it again") from error


def describe_validation(error: ValidationError) -> str:
    """Return the first problem of a validation as ``field path: what was expected``."""
    first = error.errors(include_url=False)[0]
    path = ".".join(str(part) for part in first["loc"]) or "document"
    return f"{path}: {first['msg'][:1].lower()}{first['msg'][1:]}"


def _redacted_manifest(manifest: Manifest) -> Mapping[str, object]:
    document = manifest.model_dump(mode="json", by_alias=True)
    document["command"] = redact_command(manifest.command)
    for name in ("models", "variants", "machine", "failed"):
        document[name] = redact(document[name])
    return document
