from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from stored_runs import trial, write_run

from backslide import __version__
from backslide.app import execute

HEAVY = (
    "tiktoken",
    "scipy",
    "pandas",
    "matplotlib",
    "ast_grep_py",
    "openai",
    "re2",
    "bashlex",
    "jsonschema",
    "pydantic",
    "numpy",
)
COMMANDS = (
    "run",
    "compare",
    "trial",
    "report",
    "baseline",
    "gate",
    "selfcheck",
    "score",
    "scenarios",
    "session",
    "version",
)


def test_help_names_every_command_and_imports_nothing_heavy() -> None:
    """The help answers at once, because what a command needs is imported when it runs."""
    code = (
        "import sys\n"
        "from backslide.app import execute\n"
        "status = execute(['--help'])\n"
        f"heavy = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "sys.stderr.write(','.join(heavy))\n"
        "sys.exit(status)\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stderr == ""
    assert all(f"  {command} " in done.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", [*COMMANDS, "score relapse", "scenarios show", "session inspect"])
def test_every_command_has_help_and_the_common_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """``--json``, ``-q`` and ``--no-progress`` are there wherever something is printed."""
    assert execute([*command.split(), "--help"]) == 0

    out = capsys.readouterr().out
    if command not in {"score", "scenarios", "session", "version"}:
        assert all(option in out for option in ("--json", "-q", "--no-progress"))


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    """Both spellings print it."""
    assert execute(["version"]) == execute(["--version"]) == 0
    assert capsys.readouterr().out == f"backslide {__version__}\n" * 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rum"], "see backslide --help"),
        (["run", "--seed", "3"], "see backslide run --help"),
        (["run", "--seeds", "many"], "see backslide run --help"),
        (["run", "--scale", "inf"], "not a finite number"),
        (["run", "--scale", "0"], "see backslide run --help"),
        (["gate", "runs/x"], "see backslide gate --help"),
        (["gate", "runs/x", "--baseline", "b", "--payload-growth", "inf"], "not a finite number"),
        (["score"], "see backslide score --help"),
        (["score", "relapse", "--nonsense"], "see backslide score relapse --help"),
        (["run", "--resume"], "--out DIR"),
        (["run", "--variant", "handof"], "did you mean 'handoff'"),
        (["run", "--scenario", "actor-not-mutexx"], "actor-not-mutex"),
        (["run", "--variant", "missing.md"], "missing.md"),
        (["trial", "nowhere", "id"], "no such run directory"),
        (["report", "nowhere"], "no such run directory"),
        (["session", "inspect", "nowhere.jsonl"], "nowhere.jsonl"),
        (["scenarios", "show", "no-momentt"], "no-moment"),
        (["compare", "handoff", "naivee"], "did you mean 'naive'"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What, where and how to mend it, on stderr, without a traceback, and nothing is written."""
    monkeypatch.chdir(tmp_path)

    status = execute(arguments)

    captured = capsys.readouterr()
    assert status == 2
    assert captured.err.startswith("backslide: ")
    assert captured.err.count("\n") == 1
    assert message in captured.err
    assert captured.out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_leaves_early_gets_no_traceback(tmp_path: Path) -> None:
    """``backslide trial … | head -1`` ends quietly."""
    run = write_run(tmp_path / "run", [trial(relapse=True, text="a global mutex\n" * 20_000)])
    command = f"{sys.executable} -m backslide trial {run} @30 --json | head -c 10"

    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)

    assert done.stdout == '{\n  "schem'
    assert done.stderr == ""


def test_no_color_and_a_pipe_give_plain_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal there is no escape sequence in the output."""
    run = write_run(tmp_path / "run", [trial(relapse=True)])

    assert execute(["trial", str(run), "@30"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_a_corrupt_run_is_named_by_file_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole command line refuses it the same way."""
    run = write_run(tmp_path / "run", [trial(), trial(turn=36)])
    (run / "trials.jsonl").write_text("{broken\n" + (run / "trials.jsonl").read_text())

    assert execute(["report", str(run)]) == 2
    assert "trials.jsonl:1" in capsys.readouterr().err


def test_json_is_one_document_on_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything else stays off stdout."""
    run = write_run(tmp_path / "run", [trial()])

    assert execute(["report", str(run), "--json"]) == 0

    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == 1
    assert [Path(file).name for file in document["reports"][0]["files"]] == ["report.md", "survival.png", "payload.png"]
