"""What a user installs: a wheel in an empty environment, run from another folder."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.long


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command and return its output."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def test_a_wheel_works_from_another_folder(tmp_path: Path) -> None:
    """`pip install .` of a copy without git; commands, corpus, prompts and ranks are all in the wheel."""
    source = tmp_path / "source"
    run("git", "clone", "--quiet", ROOT, source, cwd=tmp_path)
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", source, cwd=tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    assert "actor-not-mutex" in run(python, "-m", "backslide", "scenarios", "list", cwd=elsewhere)
    shown = run(
        tmp_path / "env" / "bin" / "backslide", "run", "--scenario", "no-moment", "--no-progress", cwd=elsewhere
    )
    assert "Relapse rate" in shown
    where = run(python, "-c", "import backslide; print(backslide.__file__)", cwd=elsewhere)
    assert str(tmp_path / "env") in where


def test_the_two_commands_on_a_fresh_clone(tmp_path: Path) -> None:
    """`make run` sets everything up by itself and prints the table."""
    clone = tmp_path / "clone"
    run("git", "clone", "--quiet", ROOT, clone, cwd=tmp_path)

    assert "Relapse rate" in run("make", "run", f"PYTHON={sys.executable}", cwd=clone)
