"""Every session file of tests/data/pi against what the real Pi makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from backslide.harness.control.overflow import is_overflow
from backslide.harness.control.retry_patterns import is_retryable, is_retryable_text
from backslide.harness.errors import InputError
from backslide.harness.inspection import inspect_session, load_settings

DATA = Path(__file__).parents[2] / "data" / "pi"
CASES = sorted(path.name.split(".")[0] for path in (DATA / "cases").glob("*.session.jsonl"))

OWN_TEXTS = {"instructionSha256_utf16le", "instructionChars", "promptChars", "systemPromptChars"}
"""Keys about texts that each program has of its own."""

DEVIATIONS = [
    ("089", ".stats", "Pi throws on an assistant message without usage; here it counts as nothing"),
    ("089", ".cacheWaste", "the same"),
    ("105", ".load", "Pi throws; the file without a header is refused in one line"),
    ("106", ".load", "the same for a text that is no session"),
    ("107", "", "Pi throws on a byte-order mark; it is skipped and reported, and the session is read"),
    ("108", ".load", "Pi throws; the header without an id is refused in one line"),
]
"""Where this project does something else, by case and key path, and why: only where Pi throws."""


def differences(expected: Any, actual: Any, path: str = "") -> list[tuple[str, Any, Any]]:
    """Return the paths at which two documents differ, with both values."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        keys = [key for key in {**expected, **actual} if key not in OWN_TEXTS]
        absent = "<absent>"
        return [
            found
            for key in keys
            for found in differences(expected.get(key, absent), actual.get(key, absent), f"{path}.{key}")
        ]
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        pairs = enumerate(zip(expected, actual, strict=True))
        return [found for at, (one, other) in pairs for found in differences(one, other, f"{path}[{at}]")]
    same = expected == actual and isinstance(expected, bool) == isinstance(actual, bool)
    return [] if same else [(path, expected, actual)]


def load_case(case: str) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    base = DATA / "cases"
    expected: dict[str, Any] = json.loads((base / f"{case}.expected.json").read_text(encoding="utf-8"))
    return base / f"{case}.session.jsonl", load_settings(base / f"{case}.settings.json"), expected


def deviates(case: str, path: str) -> bool:
    return any(case == listed and path.startswith(prefix) for listed, prefix, _ in DEVIATIONS)


def test_all_cases_are_there() -> None:
    """128 cases are compared."""
    assert len(CASES) == 128


@pytest.mark.parametrize("case", CASES)
def test_a_session_file_is_understood_as_pi_understands_it(case: str) -> None:
    """Tree, context, estimates, payload, cut, summaries, navigation, fork, usage and decisions agree."""
    path, settings, expected = load_case(case)
    if not expected["load"]["ok"] and deviates(case, ".load") and not deviates(case, ".leaf"):
        with pytest.raises(InputError) as refused:
            inspect_session(path, settings)
        assert "\n" not in str(refused.value)
        return

    actual = json.loads(json.dumps(inspect_session(path, settings)))

    assert [found for found in differences(expected, actual) if not deviates(case, found[0])] == []


@pytest.mark.parametrize(("case", "path"), [(case, path) for case, path, _ in DEVIATIONS])
def test_deviations_stand_only_where_pi_throws(case: str, path: str) -> None:
    """The table is no place for other differences."""
    _, _, expected = load_case(case)
    value = expected["load"] if path in {"", ".load"} else expected[path[1:]]

    assert "throws" in value


def test_inspecting_changes_no_file(tmp_path: Path) -> None:
    """Not even an old or a damaged one."""
    for case in ("094", "100", "103"):
        path, settings, _ = load_case(case)
        copy = tmp_path / path.name
        copy.write_bytes(path.read_bytes())

        inspect_session(copy, settings)

        assert path.read_bytes() == copy.read_bytes()
    assert len(list(tmp_path.iterdir())) == 3


def test_a_session_without_settings_is_inspected_with_defaults() -> None:
    """No oracle, no settings: Pi's defaults and a model with a window of 128,000 tokens."""
    path, _, _ = load_case("001")

    document = inspect_session(path)

    assert document["contextUsage"]["contextWindow"] == 128000
    assert document["compactionSettings"] == {"enabled": True, "reserveTokens": 16384, "keepRecentTokens": 20000}


@pytest.mark.parametrize("key", ["navigate", "fork"])
def test_an_unknown_target_is_said_in_its_place(key: str) -> None:
    """The rest of the inspection is still there."""
    path, settings, _ = load_case("001")
    settings["oracle"][key] = ["zz"] if key == "navigate" else "zz"

    document = inspect_session(path, settings)

    assert "no" in json.dumps(document[key])
    assert "error" in json.dumps(document[key])
    assert document["branch"]


def test_settings_that_are_no_object_are_refused(tmp_path: Path) -> None:
    """By name, in one line."""
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "torn.json").write_text("{")
    for name, says in (("list.json", "JSON object"), ("torn.json", "not JSON"), ("none.json", "cannot be read")):
        with pytest.raises(InputError, match=says):
            load_settings(tmp_path / name)


ERRORS = [json.loads(line) for line in (DATA / "errors.jsonl").read_bytes().split(b"\n") if line]


def test_failed_replies_are_classified_as_pi_classifies_them() -> None:
    """Overflow, transient wording, and whether the agent asks again, for every recorded row."""
    wrong = [
        row
        for row in ERRORS
        if (
            is_overflow(row, row["contextWindow"]),
            is_retryable_text(row),
            is_retryable(row, row["contextWindow"]),
        )
        != (row["isOverflow"], row["retryPattern"], row["agentRetries"])
    ]

    assert len(ERRORS) == 150
    assert wrong == []
