from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from backslide.app import execute

LURE = "I will guard the table with a global mutex:\n\n```rust\nstatic TABLE: OnceLock<Mutex<Table>> = OnceLock::new();\n```\n"
CLEAN = "I send the write to the session actor over its channel; the global mutex stays ruled out."
RULE = ("--scenario", "actor-not-mutex", "--constraint", "no-global-mutex")


def batch(tmp_path: Path, *rows: dict[str, Any] | str) -> str:
    """A batch file with these rows; a text is written as it is."""
    file = tmp_path / "batch.jsonl"
    file.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return str(file)


def row(name: str | int, reply: str, **more: Any) -> dict[str, Any]:
    """One row of a relapse batch."""
    return {"id": name, "scenario": "actor-not-mutex", "constraint": "no-global-mutex", "reply": reply, **more}


def test_a_relapse_exits_1_and_shows_its_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The class, the span and the reason are printed; a clean reply exits 0."""
    (tmp_path / "lure.txt").write_text(LURE)
    (tmp_path / "clean.txt").write_text(CLEAN)

    assert execute(["score", "relapse", str(tmp_path / "lure.txt"), *RULE]) == 1
    assert capsys.readouterr().out.startswith("relapse: ")
    assert execute(["score", "relapse", str(tmp_path / "clean.txt"), *RULE, "-q"]) == 0
    assert capsys.readouterr().out == "clean\n"


def test_evidence_offsets_point_into_the_reply(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Programs can cut the evidence out of the reply, non-ASCII text before it or not."""
    reply = "好的。" + LURE

    assert execute(["score", "relapse", "--batch", batch(tmp_path, row(7, reply))]) == 0

    result = json.loads(capsys.readouterr().out)
    assert (result["id"], result["relapse"]) == (7, True)
    assert result["evidence"]
    assert all(reply[item["start"] : item["end"]] == item["text"] for item in result["evidence"])


def test_a_batch_answers_line_by_line_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One JSON line each, the ids kept, exit 0 whatever was found."""
    file = batch(
        tmp_path,
        row("a", LURE),
        row("b", CLEAN),
        {"id": "c", "scenario": "no-rule-control", "constraint": "none", "reply": "Done."},
    )

    assert execute(["score", "relapse", "--batch", file]) == 0

    results = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(item["id"], item["relapse"]) for item in results] == [("a", True), ("b", False), ("c", False)]
    assert [set(item) for item in results] == [{"id", "relapse", "class", "over_restriction", "evidence"}] * 3
    assert results[0]["over_restriction"] is None
    assert results[2]["over_restriction"] is False


def test_standard_input_is_a_file_called_dash(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """``-`` works for a batch as for a text."""
    data = json.dumps(row("a", CLEAN)).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    assert execute(["score", "relapse", "--batch", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == "a"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a JSON object"),
        ('{"reply": "x"}', "has no id"),
        ('{"id": true, "reply": "x"}', "has no id"),
        ('{"id": "x", "scenario": "actor-not-mutex", "reply": "x"}', "the field 'constraint' is missing"),
        ('{"id": "x", "scenario": "actor-not-mutex", "constraint": "none", "reply": 3}', "must be text"),
        ('{"id": "x", "scenario": "nowhere", "constraint": "none", "reply": "x"}', "nowhere"),
        ('{"id": "x", "scenario": "actor-not-mutex", "constraint": "no-global-mutx", "reply": "x"}', "no-global-mutex"),
        ('{"id": "x", "scenario": "actor-not-mutex", "constraint": "none", "reply": "x", "probe": "no"}', "no probe"),
    ],
)
def test_a_bad_line_stops_the_batch_with_its_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bad: str, message: str
) -> None:
    """What stands before it has been answered; the line and the reason are named; blank lines count and are skipped."""
    file = batch(tmp_path, row("a", CLEAN), "", bad, row("z", CLEAN))

    assert execute(["score", "relapse", "--batch", file]) == 2

    captured = capsys.readouterr()
    assert [json.loads(line)["id"] for line in captured.out.splitlines()] == ["a"]
    assert f"{file}:3: " in captured.err
    assert message in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["nowhere.txt", *RULE], ["x", "--batch", "y"]])
def test_a_missing_text_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """No file, a missing file, and two sources at once."""
    assert execute(["score", "relapse", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_retention_is_scored_on_a_rule_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No scenario is needed: kept exits 0, dropped exits 1, a batch exits 0 whatever it finds."""
    rule = "Do not use a global mutex for the session table"
    (tmp_path / "kept.md").write_text("Rejected: a global mutex around the session table (p99 412 ms).")
    (tmp_path / "dropped.md").write_text("The parser tests pass; next is the release.")

    assert execute(["score", "retention", str(tmp_path / "kept.md"), "--constraint", rule, "-q"]) == 0
    assert execute(["score", "retention", str(tmp_path / "dropped.md"), "--constraint", rule, "-q"]) == 1
    assert capsys.readouterr().out.split() == ["kept", "dropped"]

    file = batch(tmp_path, {"id": "x", "constraint": rule, "text": "The parser tests pass."})
    assert execute(["score", "retention", "--batch", file]) == 0
    result = json.loads(capsys.readouterr().out)
    assert set(result) == {"id", "retention", "unsure", "score", "evidence"}
    assert (result["id"], result["retention"]) == ("x", "dropped")
