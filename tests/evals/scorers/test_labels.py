"""The scorers against the labelled rows. The frozen third is only counted: no row of it is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from backslide.evals.scorers.labels import (
    Agreement,
    LabelReport,
    over_restriction_report,
    relapse_report,
    retention_report,
)
from backslide.harness.errors import InputError
from backslide.scenarios.library import load_corpus

LABELS = Path(__file__).parents[2] / "data" / "labels"


def counts(report: LabelReport) -> Agreement:
    return report.agreement("used", "proposed")


@pytest.mark.parametrize(("name", "floor"), [("relapse.jsonl", 0.97), ("relapse.frozen.jsonl", 0.90)])
def test_relapse_agrees_with_the_labels(name: str, floor: float) -> None:
    """Precision and recall of relapse over the rows."""
    found = counts(relapse_report(LABELS / name, load_corpus()))
    assert found.precision is not None
    assert found.recall is not None
    assert min(found.precision, found.recall) >= floor, found


@pytest.mark.parametrize(("name", "floor"), [("relapse.jsonl", 0.95), ("relapse.frozen.jsonl", 0.80)])
def test_over_restriction_agrees_with_the_labels(name: str, floor: float) -> None:
    """The share of rows without a rule that are judged as labelled."""
    assert over_restriction_report(LABELS / name, load_corpus()).accuracy >= floor


@pytest.mark.parametrize(("name", "floor"), [("retention.jsonl", 0.90), ("retention.frozen.jsonl", 0.68)])
def test_retention_agrees_with_the_labels(name: str, floor: float) -> None:
    """The share of rows whose one of five labels is given."""
    assert retention_report(LABELS / name).accuracy >= floor


def test_errors_name_the_row_and_its_phenomenon_but_never_a_frozen_one(tmp_path: Path) -> None:
    """Open rows that go wrong are listed; frozen ones are counted alone."""
    row = {"id": "x-1", "constraint": "No Kafka.", "text": "Tests pass.", "lang": "en", "phenomenon": "made-up", "label": "kept"}  # fmt: skip
    file = tmp_path / "rows.jsonl"
    file.write_text(
        "\n".join(json.dumps({**row, "frozen": frozen}) for frozen in (False, True)) + "\n", encoding="utf-8"
    )

    report = retention_report(file)

    assert report.confusion == {("kept", "dropped"): 2}
    assert [(error.id, error.phenomenon, error.expected, error.got) for error in report.errors] == [
        ("x-1", "made-up", "kept", "dropped")
    ]
    assert (report.by_language, report.by_phenomenon, report.accuracy) == ({"en": (0, 2)}, {"made-up": (0, 2)}, 0.0)


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    """A labels file that is broken says where."""
    file = tmp_path / "rows.jsonl"
    file.write_text("{}\nnot json\n", encoding="utf-8")
    with pytest.raises((InputError, KeyError)):
        retention_report(file)
