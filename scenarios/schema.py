"""The published JSON Schema of the scenario format; `python -m backslide.scenarios.schema` writes it anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from backslide.scenarios.model import Scenario
from backslide.scenarios.schema_text import DESCRIPTIONS

FILE = Path(__file__).with_name("schema.json")
"""Where the published schema stands, as package data."""

COMMAND = "python -m backslide.scenarios.schema"


def scenario_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a scenario file, with a description for every field.

    The schema cannot say what crosses from one part to another (see `backslide.scenarios.checks`).
    """
    schema = Scenario.model_json_schema(by_alias=True)
    parts = {Scenario.__name__: schema, **schema["$defs"]}
    for part, definition in parts.items():
        for field, content in definition.get("properties", {}).items():
            content["description"] = DESCRIPTIONS[f"{part}.{field}"]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def schema_text() -> str:
    """Return the text of the published schema."""
    return json.dumps(scenario_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(schema_text(), encoding="utf-8")
