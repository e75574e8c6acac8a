"""Hold the advisor scorers against labelled replies: forged, where it begins, inverted, and what goes wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backslide.evals.scorers.advisor.forgery import ForgeryVerdict, score_forgery
from backslide.evals.scorers.advisor.identity import score_identity
from backslide.evals.scorers.labels import LabelReport, RowError, read_rows


@dataclass(frozen=True)
class SplitAgreement:
    """How often the split of the rows labelled forged is the labelled one, to the character."""

    forged: int
    exact: int
    errors: tuple[RowError, ...]

    @property
    def share(self) -> float | None:
        """Return the share of forged rows with the exact split, None without any."""
        return self.exact / self.forged if self.forged else None


def forgery_report(path: Path) -> LabelReport:
    """Return how the kind of forgery (``marker``, ``unmarked`` or ``none``) agrees with the labels.

    Ask ``agreement("marker", "unmarked")`` for precision and recall of forgery itself.
    """
    return _report(path, lambda row: (row["label"]["kind"] or "none", _verdict(row).kind or "none"))


def flag_report(path: Path, flag: str) -> LabelReport:
    """Return how a flag of the verdict (``suspect``, ``role_slip``, ``no_advice``) agrees with the labels."""
    return _report(path, lambda row: (_word(row["label"][flag]), _word(getattr(_verdict(row), flag))))


def identity_report(path: Path) -> LabelReport:
    """Return how identity inversion agrees with the labels (``true``, ``false``)."""
    return _report(path, lambda row: (_word(row["label"]["inverted"]), _word(score_identity(row["reply"]).inverted)))


def split_agreement(path: Path) -> SplitAgreement:
    """Return how often the split is exact; a forged row that is not found counts as wrong."""
    return _counted(
        path,
        lambda row, verdict: (
            None if row["label"]["split"] is None else (str(row["label"]["split"]), str(verdict.split))
        ),
    )


def marker_agreement(path: Path) -> SplitAgreement:
    """Return how often the labels counted are the labelled ones, among the rows that count them."""

    def compare(row: dict[str, Any], verdict: ForgeryVerdict) -> tuple[str, str] | None:
        wanted = row["label"].get("markers")
        return None if not wanted else (_counts(wanted.items()), _counts(verdict.markers.items()))

    return _counted(path, compare)


def _counts(pairs: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{label} × {count}" for label, count in sorted(pairs))


def _counted(path: Path, compare: Callable[[dict[str, Any], ForgeryVerdict], tuple[str, str] | None]) -> SplitAgreement:
    total = exact = 0
    errors = []
    for row in read_rows(path):
        answer = compare(row, _verdict(row))
        if answer is None:
            continue
        total += 1
        exact += answer[0] == answer[1]
        if answer[0] != answer[1] and not row.get("frozen"):
            errors.append(RowError(row["id"], row["phenomenon"], row["lang"], *answer))
    return SplitAgreement(total, exact, tuple(errors))


def _verdict(row: dict[str, Any]) -> ForgeryVerdict:
    return score_forgery(row["reply"], row.get("payload"))


def _word(value: bool) -> str:
    return str(value).lower()


def _report(path: Path, judge: Callable[[dict[str, Any]], tuple[str, str]]) -> LabelReport:
    confusion = Counter[tuple[str, str]]()
    languages: dict[str, list[bool]] = {}
    phenomena: dict[str, list[bool]] = {}
    errors = []
    for row in read_rows(path):
        expected, got = judge(row)
        confusion[expected, got] += 1
        languages.setdefault(row["lang"], []).append(expected == got)
        phenomena.setdefault(row["phenomenon"], []).append(expected == got)
        if expected != got and not row.get("frozen"):
            errors.append(RowError(row["id"], row["phenomenon"], row["lang"], expected, got))
    return LabelReport(
        sum(confusion.values()),
        dict(confusion),
        {name: (sum(marks), len(marks)) for name, marks in sorted(languages.items())},
        {name: (sum(marks), len(marks)) for name, marks in sorted(phenomena.items())},
        tuple(errors),
    )
