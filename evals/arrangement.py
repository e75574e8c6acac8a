"""Where the records of a file belong: which unit, turn and probe each line is of, and the plan's order of lines.

Records are written as they arise, so that a killed run loses none; units that run side by side interleave. Because the
span of every record is known, a file is put into the plan's order by copying bytes, without parsing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backslide.harness.errors import InputError

Unit = tuple[str, str, int]
"""Scenario, variant, seed."""


@dataclass(frozen=True, slots=True)
class Span:
    """One record's bytes in its file, its line feed included, and what the record is about."""

    unit: Unit
    turn: int
    probe: str | None
    """The probe of a trial or of a request that it made; None for the main line."""
    start: int
    end: int
    requests: int | None = None
    """How many requests a trial made; None for other records."""


def span_of(document: Mapping[str, Any], start: int, end: int) -> Span:
    """Return the span of a record that stands between two offsets in bytes."""
    unit = (str(document.get("scenario")), str(document.get("variant")), int(document.get("seed", -1)))
    return Span(unit, int(document.get("turn", 0)), document.get("probe"), start, end, document.get("requests"))


def spans_of(data: bytes, where: str) -> list[Span]:
    """Return the spans of all lines of a record file. Raises `InputError` with the line's number for a corrupt one."""
    spans: list[Span] = []
    start = 0
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        document = json_object(line)
        if document is None:
            mend = "the file is corrupt; run it again"
            raise InputError("is not a JSON object", where=f"{where}:{number}", mend=mend)
        spans.append(span_of(document, start, start + len(line)))
        start += len(line)
    return spans


def in_order(spans: Sequence[Span], order: Mapping[Unit, int]) -> list[Span]:
    """Return the spans by unit and turn, at each turn the main line before its probes; others stay as they came.

    A unit that is not in `order` comes last.
    """
    return sorted(spans, key=lambda span: (order.get(span.unit, len(order)), span.turn, span.probe is not None))


def rearranged(data: bytes, spans: Sequence[Span]) -> tuple[bytes, list[Span]]:
    """Return the bytes of `spans` one after the other, and where each is then."""
    moved: list[Span] = []
    start = 0
    for span in spans:
        end = start + span.end - span.start
        moved.append(Span(span.unit, span.turn, span.probe, start, end, span.requests))
        start = end
    return b"".join(data[span.start : span.end] for span in spans), moved


def json_object(data: bytes) -> dict[str, Any] | None:
    """Return the JSON object in `data`, None if it holds anything else."""
    try:
        document = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None
