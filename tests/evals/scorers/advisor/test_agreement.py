"""The advisor scorers against the labelled replies. The frozen third is only counted: no row of it is shown.

Open rows were read while the scorers were built, so their figures flatter. The target of 0.97 holds for them alone:
of the frozen rows 41 of 48 forged and 12 of 14 inverted replies are found, and the floors below state that. The
frozen counts were printed several times while the scorers were widened, which makes even them a little kind.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from backslide.evals.scorers.advisor.agreement import (
    flag_report,
    forgery_report,
    identity_report,
    marker_agreement,
    split_agreement,
)
from backslide.evals.scorers.labels import Agreement

LABELS = Path(__file__).parents[3] / "data" / "labels"


def at_least(found: Agreement, precision: float, recall: float) -> bool:
    return (found.precision or 0) >= precision and (found.recall or 0) >= recall


@pytest.mark.parametrize(
    ("name", "precision", "recall"), [("forgery.jsonl", 0.97, 0.97), ("forgery.frozen.jsonl", 0.95, 0.85)]
)
def test_forgery_agrees_with_the_labels(name: str, precision: float, recall: float) -> None:
    """Precision and recall of forgery, with a marker or without."""
    report = forgery_report(LABELS / name)
    assert at_least(report.agreement("marker", "unmarked"), precision, recall), report.errors


@pytest.mark.parametrize(("name", "floor"), [("forgery.jsonl", 0.95), ("forgery.frozen.jsonl", 0.85)])
def test_the_split_is_exact(name: str, floor: float) -> None:
    """The share of forged rows split where the label says, a row that is not found counted as wrong."""
    found = split_agreement(LABELS / name)
    assert found.share is not None
    assert found.share >= floor, found.errors


@pytest.mark.parametrize(("name", "floor"), [("forgery.jsonl", 0.95), ("forgery.frozen.jsonl", 0.85)])
def test_labels_are_counted(name: str, floor: float) -> None:
    """The share of rows with counted labels whose counts are all right."""
    found = marker_agreement(LABELS / name)
    assert found.share is not None
    assert found.share >= floor, found.errors


@pytest.mark.parametrize("flag", ["suspect", "role_slip", "no_advice"])
@pytest.mark.parametrize("name", ["forgery.jsonl", "forgery.frozen.jsonl"])
def test_soft_findings_agree_with_the_labels(name: str, flag: str) -> None:
    """A suspect, a role slip and a reply without advice are told apart from forgery."""
    report = flag_report(LABELS / name, flag)
    assert at_least(report.agreement("true"), 0.7, 0.7), report.errors


@pytest.mark.parametrize(
    ("name", "precision", "recall"), [("identity.jsonl", 0.97, 0.97), ("identity.frozen.jsonl", 0.90, 0.85)]
)
def test_identity_agrees_with_the_labels(name: str, precision: float, recall: float) -> None:
    """Precision and recall of inverted identity."""
    report = identity_report(LABELS / name)
    assert at_least(report.agreement("true"), precision, recall), report.errors


def test_errors_are_listed_for_open_rows_and_counted_for_frozen_ones(tmp_path: Path) -> None:
    """An error names its row, what was expected and what was given; a frozen row's stays hidden."""
    label = {"forged": True, "kind": "marker", "split": 0, "markers": {"User": 2}}
    row = {"id": "x-1", "reply": "Human: hello there", "lang": "en", "phenomenon": "made-up", "label": label}
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps({**row, "frozen": frozen}) + "\n" for frozen in (False, True)), encoding="utf-8")

    found = marker_agreement(file)

    assert (found.forged, found.exact) == (2, 0)
    assert [(error.id, error.expected, error.got) for error in found.errors] == [("x-1", "User × 2", "Human × 1")]
    assert forgery_report(file).errors == ()
