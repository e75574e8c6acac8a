"""Whole agent runs, compared with what the real Pi 0.83.0 did in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backslide.harness import jsjson
from backslide.harness.errors import InputError
from backslide.harness.replay import replay
from backslide.harness.replay_rows import classify_row, retry_loop_row
from backslide.harness.replay_script import load_script, parse_script

PI = Path(__file__).parents[1] / "data" / "pi"
RUNS = sorted(PI.glob("scenarios/*.scenario.json"))
NOT_COMPARED = {"promptChars"}
"""The length of a summarizer's prompt: its instructions are our own."""
DEVIATIONS: dict[tuple[str, str], str] = {}
"""Run and key path of what is done otherwise on purpose, and why. Nothing is."""


def differences(expected: Any, actual: Any, path: str = "") -> Iterator[str]:
    """The key paths at which two documents differ."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in expected.keys() | actual.keys():
            if key in NOT_COMPARED:
                continue
            if key in expected and key in actual:
                yield from differences(expected[key], actual[key], f"{path}.{key}")
            else:
                yield f"{path}.{key}"
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            yield f"{path}.length"
        for index, (one, other) in enumerate(zip(expected, actual, strict=False)):
            yield from differences(one, other, f"{path}[{index}]")
    elif expected != actual or isinstance(expected, bool) != isinstance(actual, bool):
        yield path


def test_all_runs_are_there() -> None:
    """An empty folder would agree with everything."""
    assert len(RUNS) == 81


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.name[:3])
def test_a_run_goes_as_it_went_with_pi(path: Path) -> None:
    """Events, requests, entries and what is left after each step are the same, in the same order."""
    expected = json.loads(path.with_name(path.name.replace("scenario", "expected")).read_text(encoding="utf-8"))
    number = path.name[:3]

    actual = json.loads(jsjson.stringify(replay(load_script(path))))

    assert set(differences(expected, actual)) == {where for run, where in DEVIATIONS if run == number}


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (PI / name).read_text(encoding="utf-8").split("\n") if line]


def test_failures_are_classified_as_pi_classifies_them() -> None:
    """Overflow, passing wording, and whether the agent asks again."""
    wrong = [
        row
        for row in rows("errors.jsonl")
        if classify_row(row) != {key: row[key] for key in ("isOverflow", "retryPattern", "agentRetries")}
    ]

    assert wrong == []


def test_the_summarizers_retries_go_as_they_went_with_pi() -> None:
    """Calls, what was told in which order, and the reply that came out."""
    wrong = [
        row
        for row in rows("retry_loop.jsonl")
        if retry_loop_row(row) != {key: row[key] for key in ("calls", "callbacks", "result")}
    ]

    assert wrong == []


def test_an_abort_at_an_announced_retry_ends_the_call() -> None:
    """No further call is made, and the reply is an aborted one without an error."""
    busy = {"stopReason": "error", "errorMessage": "503 busy"}
    row = {"policy": {"enabled": True, "maxRetries": 3, "baseDelayMs": 10}, "replies": [busy] * 4, "abortAtRetry": 2}

    assert retry_loop_row(row) == {
        "calls": 2,
        "callbacks": [
            ["scheduled", 1, 3, 10, "503 busy"],
            ["start"],
            ["scheduled", 2, 3, 20, "503 busy"],
            ["finished", False, 2, "503 busy"],
        ],
        "result": {"stopReason": "aborted", "errorMessage": None},
    }


def play(*steps: dict[str, Any], replies: Any = (), **run: Any) -> dict[str, Any]:
    """Replay a run written here."""
    return replay(parse_script({"steps": list(steps), "replies": list(replies), **run}))


def names(document: dict[str, Any], step: int = 0) -> list[str]:
    return [event[0] for event in document["trace"][step]["events"]]


def test_an_aborted_run_refuses_its_tools_and_asks_no_more() -> None:
    """The call at hand gets an error, the next one no result at all, the next request is aborted."""
    abort = {"on": "tool_execution_start", "call": "abort"}
    calls = [{"size": 2, "mark": "a"}, {"size": 2, "mark": "b"}]
    document = play(
        {"do": "prompt", "text": "go", "inject": [abort]}, replies=[{"text": "look", "tools": calls}, {"text": "no"}]
    )

    kinds = [(entry.get("role"), entry.get("text"), entry.get("stop")) for entry in document["entries"][2:]]
    assert kinds == [
        ("user", "go", None),
        ("assistant", "look", "toolUse"),
        ("toolResult", "Operation aborted", None),
        ("assistant", "no", "aborted"),
    ]


def test_a_fresh_session_without_replies_has_no_file() -> None:
    """Nothing is written before there is an assistant message."""
    document = play({"do": "bash", "command": "ls", "output": "a"})

    assert document["linesOnDisk"] == 0
    assert [entry["type"] for entry in document["entries"]] == ["model_change", "thinking_level_change", "message"]


def test_a_reasoning_model_brings_its_thinking_level() -> None:
    """A switch between models that reason and those that do not is noted where the level changes."""
    document = play({"do": "switchModel", "to": 2}, {"do": "switchModel", "to": 2}, model2={"reasoning": True})

    levels = [entry["level"] for entry in document["entries"] if entry["type"] == "thinking_level_change"]
    assert levels == ["off", "medium"]


@pytest.mark.parametrize(
    ("document", "where"),
    [
        ([], "the run"),
        ({}, "steps"),
        ({"steps": [{"do": "prmpt"}]}, r"steps\[0\].do.*'prompt'"),
        ({"steps": [{"do": "prompt"}]}, r"steps\[0\].text"),
        ({"steps": [{"do": "navigate", "entry": 1.5}]}, r"steps\[0\].entry"),
        ({"steps": [{"do": "switchModel", "to": 3}]}, r"steps\[0\].to"),
        ({"steps": [{"do": "prompt", "text": "x", "inject": [{"on": "agent_end", "call": "steeer"}]}]}, "'steer'"),
        ({"steps": [], "replies": [{"tools": [{"size": "x", "mark": "m"}]}]}, r"replies\[0\].tools\[0\].size"),
        ({"steps": [], "replies": [{"usage": 7}]}, r"replies\[0\].usage"),
        ({"steps": [], "replies": [{"usage": {"input": "many"}}]}, r"replies\[0\].usage.input"),
        ({"steps": [], "replies": [{"stop": "stopp"}]}, "'stop'"),
        ({"steps": [], "model": {"cost": {"input": "a"}}}, "model.cost.input"),
        ({"steps": [{"do": "navigate", "entry": float("inf")}]}, r"steps\[0\].entry"),
        ({"steps": [], "model": {"contextWindow": "big"}}, "model.contextWindow"),
        ({"steps": [], "settings": {"retry": {"maxRetries": "many"}}}, "retry.maxRetries"),
    ],
)
def test_a_wrong_field_is_named(document: Any, where: str) -> None:
    """One line says where it stands and what may have been meant."""
    with pytest.raises(InputError, match=where):
        parse_script(document)


@pytest.mark.parametrize(
    "row",
    [{"stopReason": "done"}, {"stopReason": "error", "errorMessage": 5}, {"stopReason": "stop", "usage": []}],
)
def test_a_wrong_row_is_refused(row: dict[str, Any]) -> None:
    """Nothing is guessed about it."""
    with pytest.raises(InputError):
        classify_row(row)
