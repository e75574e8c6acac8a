from __future__ import annotations

import json
from pathlib import Path

import pytest

from backslide.app import execute
from backslide.scenarios import corpus_ids


def test_the_list_names_every_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    """For people, for programs and for shell loops."""
    assert execute(["scenarios", "list"]) == 0
    shown = capsys.readouterr().out
    assert execute(["scenarios", "list", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert execute(["scenarios", "list", "-q"]) == 0

    assert all(name in shown for name in corpus_ids())
    assert [item["id"] for item in document["scenarios"]] == corpus_ids()
    assert capsys.readouterr().out.split() == corpus_ids()


def test_a_scenarios_page_has_rules_and_probes(capsys: pytest.CaptureFixture[str]) -> None:
    """What was ruled out, where it was planted, when it was lifted and what is asked when."""
    assert execute(["scenarios", "show", "websocket-reversal"]) == 0

    page = capsys.readouterr().out
    for words in ("constraint no-websocket", "ruled out:", "lifted at turn", "every cycle"):
        assert words in page


def test_the_packaged_corpus_is_valid(capsys: pytest.CaptureFixture[str]) -> None:
    """Without files, the corpus itself is checked."""
    assert execute(["scenarios", "validate"]) == 0
    assert "valid" in capsys.readouterr().err


def test_a_broken_scenario_is_named_by_file_line_and_field(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2 with a line for each problem, in JSON as a list."""
    file = tmp_path / "broken.yaml"
    file.write_text("schema: 1\nid: broken\ntitel: Misspelt\n")

    assert execute(["scenarios", "validate", str(file)]) == 2
    captured = capsys.readouterr()
    assert execute(["scenarios", "validate", str(file), "--json"]) == 2
    document = json.loads(capsys.readouterr().out)

    assert f"{file}:3" in captured.err
    assert "title" in captured.err
    assert document["valid"] is False
    assert any(problem["line"] == 3 for problem in document["problems"])
