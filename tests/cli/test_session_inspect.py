from __future__ import annotations

import json
from pathlib import Path

import pytest

from backslide.app import execute
from backslide.harness.session import Session


def session_file(tmp_path: Path) -> Path:
    """A session of one turn."""
    session = Session.create(tmp_path / "session.jsonl", cwd="/srv/work")
    session.append_message({"role": "user", "content": "Split the drain.", "timestamp": 1})
    session.append_message(
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "Done."}],
            "provider": "p",
            "model": "m",
            "stopReason": "stop",
            "timestamp": 2,
            "usage": {"input": 900, "output": 10, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 910},
        }
    )
    session.close()
    return tmp_path / "session.jsonl"


def test_the_gist_of_a_session_is_a_few_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Entries, branch, context, tokens in use, and what a compaction would do."""
    assert execute(["session", "inspect", str(session_file(tmp_path))]) == 0

    out = capsys.readouterr().out
    for words in ("2 entries (2 message)", "2 messages", "910 tokens", "nothing to compact"):
        assert words in out


def test_the_document_is_json_and_the_file_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Inspecting never writes, a torn last line or not."""
    file = session_file(tmp_path)
    with file.open("a") as torn:
        torn.write('{"type":"mess')
    before = file.read_bytes()

    assert execute(["session", "inspect", str(file), "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["load"]["entries"] == 2
    assert file.read_bytes() == before


def test_settings_change_the_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The settings file is Pi's."""
    settings = tmp_path / "settings.json"
    settings.write_text('{"compaction": {"reserveTokens": 1234}}')

    assert execute(["session", "inspect", str(session_file(tmp_path)), "--settings", str(settings), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["compactionSettings"]["reserveTokens"] == 1234


@pytest.mark.parametrize("kind", ["folder", "empty", "binary", "prose"])
def test_what_is_no_session_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    """Each gets exit 2 and a line with its name."""
    file = tmp_path / "x.jsonl"
    if kind == "folder":
        file.mkdir()
    else:
        file.write_bytes({"empty": b"", "binary": bytes(range(256)) * 8, "prose": b"hello\n"}[kind])

    assert execute(["session", "inspect", str(file)]) == 2

    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert str(file) in captured.err
