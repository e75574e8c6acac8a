"""The published JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from backslide.scenarios.schema import COMMAND, FILE, scenario_schema, schema_text
from backslide.scenarios.schema_text import DESCRIPTIONS


def published() -> dict[str, Any]:
    """Read the schema as a user of the package would."""
    schema: dict[str, Any] = json.loads(files("backslide.scenarios").joinpath("schema.json").read_text("utf-8"))
    return schema


def errors(file: Path) -> list[str]:
    """Say where a file breaks the published schema."""
    validator = jsonschema.Draft202012Validator(published())
    return [error.json_path for error in validator.iter_errors(YAML(typ="safe").load(file))]


def test_the_published_schema_is_current() -> None:
    """The file in the package is what the models say now."""
    assert FILE.read_text(encoding="utf-8") == schema_text(), f"write it anew with: {COMMAND}"


def test_the_published_schema_is_a_schema() -> None:
    """It is valid JSON Schema, draft 2020-12."""
    jsonschema.Draft202012Validator.check_schema(published())


def test_every_field_is_described_and_nothing_else() -> None:
    """Each field has a sentence of its own, and no sentence describes a field that is gone."""
    schema = scenario_schema()
    parts = {"Scenario": schema, **schema["$defs"]}

    fields = {f"{part}.{field}" for part, body in parts.items() for field in body.get("properties", {})}

    assert fields == set(DESCRIPTIONS)
    assert all(text.endswith(".") for text in DESCRIPTIONS.values())


def test_a_valid_file_meets_the_schema(edited: Callable[..., Path]) -> None:
    """What the reader takes, an editor with the schema takes too."""
    assert errors(edited()) == []


@pytest.mark.parametrize(
    ("old", "new", "at"),
    [
        ("title: A small", "titel: A small", "$"),
        ("kind: buildlog", "kind: buidlog", "$.turns[2].steps[1]"),
        ("id: no-pickle", "id: No Pickle", "$.constraints[0].id"),
        ("names: [JSON lines]", "names: []", "$.constraints[0].accepted.names"),
    ],
)
def test_a_wrong_field_breaks_the_schema(old: str, new: str, at: str, edited: Callable[..., Path]) -> None:
    """What the reader refuses by itself, an editor with the schema marks too."""
    assert at in errors(edited((old, new)))
