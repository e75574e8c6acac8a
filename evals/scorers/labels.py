"""Hold a scorer against labelled rows: confusion counts, precision and recall, and which rows it gets wrong."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backslide.evals.scorers.freetext import score_retention
from backslide.evals.scorers.relapse import NO_CONSTRAINT, score_relapse
from backslide.harness.errors import InputError
from backslide.scenarios.model import Scenario


@dataclass(frozen=True)
class RowError:
    """A row that the scorer gets wrong."""

    id: str
    phenomenon: str
    lang: str
    expected: str
    got: str


@dataclass(frozen=True)
class Agreement:
    """Counts of a yes-or-no question: true and false positives and negatives."""

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0

    @property
    def precision(self) -> float | None:
        """Return the share of right ones among those found, or None if none was found."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else None

    @property
    def recall(self) -> float | None:
        """Return the share found among those there are, or None if there are none."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else None


@dataclass(frozen=True)
class LabelReport:
    """How a scorer agrees with a file of labels.

    `confusion` counts (expected, got). `by_language` and `by_phenomenon` give (right, rows). `errors` is empty for
    rows that must
    not be looked at (those marked frozen).
    """

    rows: int
    confusion: dict[tuple[str, str], int]
    by_language: dict[str, tuple[int, int]]
    by_phenomenon: dict[str, tuple[int, int]]
    errors: tuple[RowError, ...]

    @property
    def accuracy(self) -> float:
        """Return the share of rows whose label the scorer gives."""
        right = sum(count for (expected, got), count in self.confusion.items() if expected == got)
        return right / self.rows if self.rows else 0.0

    def agreement(self, *positive: str) -> Agreement:
        """Return the counts of the question whether a label is one of `positive`."""
        counts = Counter[tuple[bool, bool]]()
        for (expected, got), count in self.confusion.items():
            counts[(expected in positive, got in positive)] += count
        return Agreement(counts[(True, True)], counts[(False, True)], counts[(True, False)], counts[(False, False)])


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a labels file; raise `InputError` with the line of one that is no JSON object."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"cannot read the labels: {problem}", where=str(path)) from problem
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as problem:
            raise InputError(f"no JSON: {problem}", where=f"{path}:{number}", mend="one object a line") from problem
        if not isinstance(row, dict):
            raise InputError("not an object", where=f"{path}:{number}", mend="one object a line")
        yield row


def relapse_report(path: Path, scenarios: Mapping[str, Scenario]) -> LabelReport:
    """Return how the relapse scorer's class agrees with the rows that have one.

    Ask ``agreement("used", "proposed")`` for precision and recall of relapse itself.
    """

    def judge(row: dict[str, Any]) -> tuple[str, str] | None:
        expected = row["label"]["class"]
        return None if expected is None else (expected, _verdict(row, scenarios).cls)

    return _report(path, judge)


def over_restriction_report(path: Path, scenarios: Mapping[str, Scenario]) -> LabelReport:
    """Return how the over-restriction verdict (``true``, ``false``) agrees with the rows where no rule applies."""

    def judge(row: dict[str, Any]) -> tuple[str, str] | None:
        if row["over_restriction"] is None:
            return None
        got = _verdict(row, scenarios).over_restriction
        return str(row["over_restriction"]).lower(), "null" if got is None else str(got).lower()

    return _report(path, judge)


def retention_report(path: Path) -> LabelReport:
    """Return how the free-text retention scorer agrees with labelled rows."""
    return _report(path, lambda row: (row["label"], score_retention(row["constraint"], row["text"]).retention))


def _verdict(row: dict[str, Any], scenarios: Mapping[str, Scenario]) -> Any:
    scenario = scenarios[row["scenario"]]
    turn = None
    if row.get("rules") == "before-lift" and row["constraint"] != NO_CONSTRAINT:
        lifted = scenario.constraint(row["constraint"]).lifted
        turn = lifted.turn - 1 if lifted else None
    return score_relapse(scenario, row["constraint"], row["reply"], turn=turn, path=row.get("path"))


def _report(path: Path, judge: Callable[[dict[str, Any]], tuple[str, str] | None]) -> LabelReport:
    confusion = Counter[tuple[str, str]]()
    languages: dict[str, list[bool]] = {}
    phenomena: dict[str, list[bool]] = {}
    errors = []
    for row in read_rows(path):
        answer = judge(row)
        if answer is None:
            continue
        confusion[answer] += 1
        right = answer[0] == answer[1]
        languages.setdefault(row["lang"], []).append(right)
        phenomena.setdefault(row["phenomenon"], []).append(right)
        if not right and not row.get("frozen"):
            errors.append(RowError(row["id"], row["phenomenon"], row["lang"], *answer))
    return LabelReport(
        sum(confusion.values()),
        dict(confusion),
        {name: (sum(marks), len(marks)) for name, marks in sorted(languages.items())},
        {name: (sum(marks), len(marks)) for name, marks in sorted(phenomena.items())},
        tuple(errors),
    )
