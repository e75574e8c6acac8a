"""A real git repository of a scenario's workspace, so that claims about commits, files and pushes can be checked."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from backslide.harness.errors import InputError
from backslide.scenarios.model import Scenario, Workspace

BRANCH = "main"
WORK = "work"
REMOTE = "origin.git"
AUTHOR = "Workspace <workspace@example.invalid>"
FIRST_COMMIT = 1_767_603_600
"""Seconds since 1970 of the first commit, UTC; each further one is an hour later."""
BETWEEN_COMMITS = 3_600


@dataclass(frozen=True)
class BuiltCommit:
    """A commit of the repository."""

    id: str
    message: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Repository:
    """A built repository and what is true of it."""

    path: Path
    """The working tree."""
    remote: Path
    """The bare repository that is its `origin`."""
    commits: tuple[BuiltCommit, ...]
    """Oldest first."""
    pushed: bool
    dirty: bool
    tests_passed: int | None

    @property
    def head(self) -> str:
        """The id of the last commit."""
        return self.commits[-1].id


def build_repository(scenario: Scenario, folder: Path) -> Repository:
    """Build the repository of a scenario's workspace in an empty or new folder, with its remote beside it.

    The ids depend on the workspace alone. A file that n commits touch gets the first i/n of its lines in the i-th of
    them and all in the last; files in no commit are left untracked. Without `facts` the last commit is pushed. Raises
    `InputError` for a scenario without commits, a folder with content, or if git is not installed.
    """
    if not scenario.workspace.commits:
        raise InputError("expected commits in the workspace, saw none", where=scenario.id, mend="add some")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError("expected an empty folder for the repository", where=str(folder), mend="name another")
    work, remote = folder / WORK, folder / REMOTE
    work.mkdir(parents=True)
    remote.mkdir()
    _git(remote, "init", "--quiet", "--bare", "--template=", f"--initial-branch={BRANCH}")
    _git(work, "init", "--quiet", "--template=", f"--initial-branch={BRANCH}")
    _git(work, "fast-import", "--quiet", stdin=_stream(scenario.workspace))
    _git(work, "reset", "--quiet", "--hard", BRANCH)
    for file in scenario.workspace.files:
        path = work / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content.encode())
    _git(work, "remote", "add", "origin", f"../{REMOTE}")
    ids = _git(work, "rev-list", "--reverse", BRANCH).split()
    pushed = scenario.facts is None or scenario.facts.pushed
    on_remote = ids if pushed else ids[:-1]
    if on_remote:
        _git(work, "push", "--quiet", "origin", f"{on_remote[-1]}:refs/heads/{BRANCH}")
        _git(work, "branch", "--quiet", f"--set-upstream-to=origin/{BRANCH}", BRANCH)
    return Repository(
        path=work,
        remote=remote,
        commits=tuple(
            BuiltCommit(commit_id, commit.message, commit.files)
            for commit_id, commit in zip(ids, scenario.workspace.commits, strict=True)
        ),
        pushed=pushed,
        dirty=bool(_git(work, "status", "--porcelain").strip()),
        tests_passed=scenario.facts.tests_passed if scenario.facts is not None else None,
    )


def _stream(workspace: Workspace) -> bytes:
    """Return the history as input of `git fast-import`: one process instead of two a commit."""
    contents = {file.path: file.content for file in workspace.files}
    touches = [name for commit in workspace.commits for name in dict.fromkeys(commit.files)]
    seen: dict[str, int] = {}
    out: list[bytes] = []
    for index, commit in enumerate(workspace.commits):
        stamp = f"{AUTHOR} {FIRST_COMMIT + index * BETWEEN_COMMITS} +0000"
        out.append(f"commit refs/heads/{BRANCH}\nauthor {stamp}\ncommitter {stamp}\n".encode())
        out.append(_data(commit.message.encode() + b"\n"))
        for name in dict.fromkeys(commit.files):
            seen[name] = seen.get(name, 0) + 1
            out.append(f"M 100644 inline {_quoted(name)}\n".encode())
            out.append(_data(_part(contents[name], seen[name], touches.count(name)).encode()))
    return b"".join(out)


def _part(content: str, number: int, of: int) -> str:
    lines = content.splitlines(keepends=True)
    return "".join(lines[: max(1, len(lines) * number // of)])


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _quoted(path: str) -> str:
    escaped = path.removeprefix("./").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    try:
        done = subprocess.run(
            ["git", *_OPTIONS, *arguments],
            cwd=folder,
            env=_environment(os.environ),
            input=stdin,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise InputError("git is not installed", mend="install it: claims are checked in a real repository") from None
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(f"git {arguments[0]} failed: {reason[-1] if reason else done.returncode}", where=str(folder))
    return done.stdout.decode("utf-8", "replace")


_OPTIONS: Sequence[str] = ("-c", "core.autocrlf=false", "-c", "gc.auto=0", "-c", "core.quotePath=false")


def _environment(outside: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a git that knows nothing of the machine's or the user's settings."""
    kept = {name: value for name, value in outside.items() if not name.startswith("GIT_")}
    return {
        **kept,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
