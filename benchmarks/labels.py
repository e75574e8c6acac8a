"""Print how the scorers agree with the labelled replies, open and frozen rows apart.

    python benchmarks/labels.py [--errors]

Frozen rows are counted and never shown.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from tabulate import tabulate

from backslide.evals.scorers.advisor.agreement import forgery_report, identity_report
from backslide.evals.scorers.labels import LabelReport, over_restriction_report, relapse_report, retention_report
from backslide.scenarios import load_corpus

LABELS = Path(__file__).resolve().parents[1] / "tests" / "data" / "labels"


def percent(value: float | None) -> str:
    """Return a share in percent, a dash for none."""
    return "–" if value is None else f"{value:.1%}"


def row(name: str, rows: str, report: LabelReport, *positive: str) -> list[str]:
    """Return a table row: counts, precision and recall of `positive` if there are any, and accuracy."""
    if not positive:
        return [name, rows, str(report.rows), "", "", "", "", "–", "–", percent(report.accuracy)]
    found = report.agreement(*positive)
    counts = [str(count) for count in (found.tp, found.fp, found.fn, found.tn)]
    return [
        name,
        rows,
        str(report.rows),
        *counts,
        percent(found.precision),
        percent(found.recall),
        percent(report.accuracy),
    ]


def main() -> None:
    """Score all labelled rows and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--errors", action="store_true", help="list the open rows that are wrong")
    options = parser.parse_args()
    corpus = load_corpus()
    scorers: list[tuple[str, str, Callable[[Path], LabelReport], tuple[str, ...]]] = [
        ("relapse", "relapse", lambda path: relapse_report(path, corpus), ("used", "proposed")),
        ("over-restriction", "relapse", lambda path: over_restriction_report(path, corpus), ("true",)),
        ("retention, free text", "retention", retention_report, ()),
        ("forgery", "forgery", forgery_report, ("marker", "unmarked")),
        ("identity inversion", "identity", identity_report, ("true",)),
    ]
    table: list[list[str]] = []
    errors: list[str] = []
    for name, file, report_of, positive in scorers:
        for rows, suffix in (("open", ""), ("frozen", ".frozen")):
            report = report_of(LABELS / f"{file}{suffix}.jsonl")
            table.append(row(name, rows, report, *positive))
            errors += [f"{name}: {e.id} ({e.phenomenon}): {e.expected}, scored {e.got}" for e in report.errors]
    head = ["scorer", "rows", "n", "tp", "fp", "fn", "tn", "precision", "recall", "all classes"]
    print(tabulate(table, headers=head, disable_numparse=True))
    if options.errors:
        print("\n" + "\n".join(errors))


if __name__ == "__main__":
    main()
