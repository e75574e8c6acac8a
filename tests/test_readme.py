"""Every command of the README works as it stands there, and its table is the one that the command prints."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TIMINGS = re.compile(r"^Run .*$|^Records: .*$", re.MULTILINE)


def shell_lines() -> list[str]:
    """Return the lines of the README's shell blocks, without comments."""
    lines = [line for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) for line in block.splitlines()]
    return [re.sub(r"\s+#.*$", "", line) for line in lines if line.strip()]


def environment() -> dict[str, str]:
    """Return an environment in which `backslide` and `python` are the ones under test."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the variant file and the compactor that the README shows."""
    path = tmp_path_factory.mktemp("readme")
    toml = re.search(r"```toml\n(.*?)```", README, re.DOTALL)
    assert toml is not None
    (path / "tight.toml").write_text(toml[1], encoding="utf-8")
    python = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert python is not None
    (path / "mine.py").write_text(python[1], encoding="utf-8")
    return path


def test_the_commands_run_one_after_the_other(folder: Path) -> None:
    """A newcomer who types them in order meets no error: 0, or 1 where a scorer finds something."""
    commands = [line for line in shell_lines() if not line.startswith("make ")]

    assert sum("backslide " in command for command in commands) >= 12
    for command in commands:
        done = subprocess.run(
            command, shell=True, cwd=folder, env=environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        assert "Traceback" not in done.stderr


def test_the_table_is_what_the_command_prints(tmp_path: Path) -> None:
    """The README shows the output of `backslide run`, apart from run id and time.

    To update it: COLUMNS=100 NO_COLOR=1 backslide run --no-progress, and paste.
    """
    shown = re.search(r"<!-- table: backslide run -->\n```text\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    command = ["backslide", "run", "--no-progress", "--out", str(tmp_path / "run")]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True)

    table = done.stdout.split("\nRelapse: ", 1)[0]
    assert _plain(table) == _plain(shown[1])


@pytest.mark.parametrize("target", ["run", "test"])
def test_make_targets_call_what_they_promise(target: str) -> None:
    """`make run` is `backslide run`, `make test` is pytest on everything that is not marked long."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(rf"^{target}:.*\n\t(.*)$", makefile, re.MULTILINE)

    assert recipe is not None
    words = shlex.split(recipe[1])
    assert words[:2] == {"run": ["$(BIN)/backslide", "run"], "test": ["$(BIN)/python", "-m"]}[target]


def test_the_links_lead_somewhere() -> None:
    """Every relative link of the README names a file of the project."""
    links = re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", README)

    assert links
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []


def _plain(text: str) -> list[str]:
    return [line.rstrip() for line in TIMINGS.sub("", text).strip().splitlines()]
