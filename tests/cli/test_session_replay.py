"""``backslide session replay`` and ``classify`` as a person and a program use them."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from backslide.app import execute

RUN: dict[str, Any] = {
    "steps": [{"do": "prompt", "text": "go"}, {"do": "compact"}],
    "replies": [{"error": "503 busy"}, {"text": "fine", "usage": "est"}],
}
ROW = {"stopReason": "error", "errorMessage": "503 busy", "usage": None, "contextWindow": 1000}


def run_file(tmp_path: Path, run: Any = RUN) -> str:
    path = tmp_path / "run.scenario.json"
    path.write_text(run if isinstance(run, str) else json.dumps(run), encoding="utf-8")
    return str(path)


def test_a_replay_tells_what_happened_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each event on a line, what failed, what is left, what was asked."""
    assert execute(["session", "replay", run_file(tmp_path)]) == 0

    out = capsys.readouterr().out
    assert out.index("message_end assistant error") < out.index("auto_retry_start 1 3 2000 503 busy")
    assert "failed: Nothing to compact (session too small)" in out
    assert "= 5 entries, context ua" in out
    assert "requests  2 turn" in out


def test_quiet_leaves_the_events_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The states remain."""
    assert execute(["session", "replay", run_file(tmp_path), "-q"]) == 0

    out = capsys.readouterr().out
    assert "agent_start" not in out
    assert "= 5 entries" in out


def test_a_replay_is_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Trace, requests, entries and the file's lines; another control plane may do otherwise."""
    assert execute(["session", "replay", run_file(tmp_path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document) == {"trace", "requests", "entries", "linesOnDisk"}
    assert document["linesOnDisk"] == 6

    assert execute(["session", "replay", run_file(tmp_path), "--json", "--control", "robust"]) == 0
    assert len(json.loads(capsys.readouterr().out)["requests"]) == 1


@pytest.mark.parametrize(
    ("run", "options", "words"),
    [
        ("{", [], "not JSON"),
        ({"steps": [{"do": "promt", "text": "x"}]}, [], "did you mean 'prompt'?"),
        (RUN, ["--control", "robst"], "did you mean 'robust'?"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], run: Any, options: list[str], words: str
) -> None:
    """What, where, and what may have been meant."""
    assert execute(["session", "replay", run_file(tmp_path, run), *options]) == 2

    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_a_missing_file_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback."""
    assert execute(["session", "replay", "/nowhere/run.json"]) == 2
    assert "/nowhere/run.json: the run cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("message", "verdict"),
    [("503 busy", "passing error"), ("prompt is too long", "overflow"), ("401 bad key", "final error")],
)
def test_one_message_is_classified(capsys: pytest.CaptureFixture[str], message: str, verdict: str) -> None:
    """And the words say what the agent would do."""
    assert execute(["session", "classify", message]) == 0
    assert capsys.readouterr().out.startswith(verdict)


def test_rows_are_classified_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line out for each line in; an id stays with its row."""
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({**ROW, "id": "a"}) + "\n\n" + json.dumps({**ROW, "errorMessage": "no"}) + "\n")
    assert execute(["session", "classify", "--batch", str(file)]) == 0

    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == {"id": "a", "isOverflow": False, "retryPattern": True, "agentRetries": True}
    assert second == {"isOverflow": False, "retryPattern": False, "agentRetries": False}


def test_retried_calls_come_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --retry-loop."""
    row = {"policy": None, "replies": [{"stopReason": "stop"}], "abortAtRetry": None}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(row).encode())))

    assert execute(["session", "classify", "--retry-loop", "--batch", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "calls": 1,
        "callbacks": [],
        "result": {"stopReason": "stop", "errorMessage": None},
    }


@pytest.mark.parametrize(
    ("line", "words"),
    [(b"{", "is not JSON"), (b"[]", "not a JSON object"), (b'{"stopReason":"x"}', "stopReason"), (b"\xff", "UTF-8")],
)
def test_a_bad_row_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], line: bytes, words: str) -> None:
    """By its number, after the rows before it."""
    file = tmp_path / "rows.jsonl"
    file.write_bytes(json.dumps(ROW).encode() + b"\n" + line + b"\n")

    assert execute(["session", "classify", "--batch", str(file)]) == 2
    error = capsys.readouterr().err
    assert f"{file}:2: " in error
    assert words in error


def test_there_must_be_something_to_classify(capsys: pytest.CaptureFixture[str]) -> None:
    """A message or rows, not both."""
    assert execute(["session", "classify"]) == 2
    assert execute(["session", "classify", "x", "--batch", "y"]) == 2
    assert "not both" in capsys.readouterr().err
