"""The figures that the original ledger reports, kept as data beside what they are figures of."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any


@lru_cache(maxsize=1)
def _figures() -> dict[str, Any]:
    text = (files("backslide.evals.ledger") / "seed_figures.json").read_text(encoding="utf-8")
    figures: dict[str, Any] = json.loads(text)
    return figures


def row_ids() -> tuple[str, ...]:
    """Return the ids of the ledger's rows in order."""
    return tuple(_figures())


def seed_value(row_id: str) -> float | None:
    """Return the original's figure for a defect, None if it gives none."""
    figure = _figures()[row_id]
    return None if figure is None else float(figure["value"])
