"""The real git repository of a scenario's workspace."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from backslide.harness.errors import InputError
from backslide.scenarios import Scenario, load_scenario
from backslide.scenarios.model import Facts
from backslide.scenarios.repository import Repository, build_repository

TWO_COMMITS = (
    "    - {message: Start, files: [report/weekly.py, README.md]}\n",
    "    - {message: Start, files: [report/weekly.py]}\n    - {message: Go on, files: [report/weekly.py]}\n",
)


def git(repository: Repository, *arguments: str, at: Path | None = None) -> str:
    """Ask git itself, as a reader who doubts the figures would."""
    command = ["git", *arguments]
    return subprocess.run(command, cwd=at or repository.path, check=True, capture_output=True, text=True).stdout


def with_facts(scenario: Scenario, *, pushed: bool, dirty: bool, tests_passed: int | None = None) -> Scenario:
    """Return the scenario with facts of its own."""
    facts = Facts(pushed=pushed, dirty=dirty, tests_passed=tests_passed)
    return scenario.model_copy(update={"facts": facts})


def test_commits_are_those_of_the_workspace(small: Scenario, tmp_path: Path) -> None:
    """Messages and files are as written, and the ids are what git says."""
    built = build_repository(small, tmp_path)

    assert [(commit.message, commit.files) for commit in built.commits] == [
        ("Start", ("report/weekly.py", "README.md"))
    ]
    assert git(built, "log", "--format=%H %s").split() == [built.head, "Start"]
    assert git(built, "show", "HEAD:report/weekly.py") == "def weekly():\n    return load()\n"
    assert (built.path / "README.md").read_text(encoding="utf-8") == "# Reports\n"


def test_the_same_workspace_has_the_same_ids(small: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the place, nor the user's settings, nor the clock's zone changes an id."""
    first = build_repository(small, tmp_path / "a")
    settings = tmp_path / "settings"
    settings.write_text('[user]\n\tname = "Somebody"\n[core]\n\tautocrlf = true\n', encoding="utf-8")
    for name, value in {
        "GIT_CONFIG_GLOBAL": str(settings),
        "GIT_AUTHOR_NAME": "Else",
        "GIT_DIR": os.devnull,
        "TZ": "Asia/Tokyo",
    }.items():
        monkeypatch.setenv(name, value)
    second = build_repository(small, tmp_path / "b")

    assert first.commits == second.commits


def test_another_content_has_another_id(small: Scenario, edited: Callable[..., Path], tmp_path: Path) -> None:
    """The ids are not numbers of ours: they follow from what is in the files."""
    other = load_scenario(edited((r'content: "# Reports\n"', r'content: "# Report\n"')))

    assert build_repository(small, tmp_path / "a").head != build_repository(other, tmp_path / "b").head


def test_each_commit_brings_a_further_part_of_a_file(edited: Callable[..., Path], tmp_path: Path) -> None:
    """A file that two commits touch has half of its lines in the first and all in the second."""
    scenario = load_scenario(edited(TWO_COMMITS))
    built = build_repository(scenario, tmp_path / "r")

    assert git(built, "show", f"{built.commits[0].id}:report/weekly.py") == "def weekly():\n"
    assert git(built, "show", f"{built.head}:report/weekly.py") == "def weekly():\n    return load()\n"


def test_what_is_not_pushed_is_not_on_the_remote(edited: Callable[..., Path], tmp_path: Path) -> None:
    """The remote has all commits, or all but the last."""
    scenario = load_scenario(edited(TWO_COMMITS))
    pushed = build_repository(with_facts(scenario, pushed=True, dirty=True), tmp_path / "a")
    ahead = build_repository(with_facts(scenario, pushed=False, dirty=True), tmp_path / "b")

    assert git(pushed, "rev-parse", "main", at=pushed.remote).strip() == pushed.head
    assert git(ahead, "rev-parse", "main", at=ahead.remote).strip() == ahead.commits[0].id
    assert git(ahead, "rev-list", "--count", "origin/main..main").strip() == "1"
    assert (pushed.pushed, ahead.pushed) == (True, False)


def test_a_single_commit_that_is_not_pushed_leaves_the_remote_empty(small: Scenario, tmp_path: Path) -> None:
    """There is nothing before it that could be there."""
    built = build_repository(with_facts(small, pushed=False, dirty=False, tests_passed=7), tmp_path)

    assert git(built, "branch", "--list", at=built.remote) == ""
    assert built.tests_passed == 7


def test_a_file_in_no_commit_makes_the_tree_dirty(small: Scenario, edited: Callable[..., Path], tmp_path: Path) -> None:
    """What git calls the state of the tree is what the repository says of it."""
    loose = load_scenario(edited(TWO_COMMITS))
    clean, dirty = build_repository(small, tmp_path / "a"), build_repository(loose, tmp_path / "b")

    assert (clean.dirty, git(clean, "status", "--porcelain")) == (False, "")
    assert (dirty.dirty, git(dirty, "status", "--porcelain")) == (True, "?? README.md\n")


def test_a_workspace_without_commits_is_refused(small: Scenario, tmp_path: Path) -> None:
    """There is no repository without a commit, and no folder is made for one."""
    workspace = small.workspace.model_copy(update={"commits": ()})

    with pytest.raises(InputError, match="expected commits in the workspace"):
        build_repository(small.model_copy(update={"workspace": workspace}), tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_a_folder_with_content_is_left_alone(small: Scenario, tmp_path: Path) -> None:
    """Nothing is built on top of somebody's files."""
    (tmp_path / "letter.txt").write_text("dear", encoding="utf-8")

    with pytest.raises(InputError, match="expected an empty folder"):
        build_repository(small, tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["letter.txt"]
