"""Questions to a git repository, each answered by one read-only command with a time limit."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from backslide.harness.errors import InputError

_SECONDS = 10.0
_LARGEST_READ = 4_000_000


@dataclass
class Repository:
    """A working copy. Every answer is None where git fails or takes longer than ten seconds."""

    root: Path

    @classmethod
    def open(cls, path: Path) -> Repository:
        """Return the repository at a folder or above it; raise `InputError` if there is none or no git."""
        if not path.is_dir():
            raise InputError("is no folder", where=str(path), mend="give the root of a git repository as workspace")
        answer = _git(path, "rev-parse", "--show-toplevel")
        if answer is None or answer[0] != 0:
            raise InputError(
                "is no git repository", where=str(path), mend="give the root of a git repository as workspace"
            )
        return cls(Path(answer[1].strip()))

    def has_commit(self, name: str) -> bool | None:
        """Return whether a name is a commit's."""
        return self._holds("cat-file", "-e", f"{name}^{{commit}}")

    def has_tag(self, name: str) -> bool | None:
        """Return whether a tag exists, with or without the v before its number."""
        names = {name, f"v{name.removeprefix('v')}", name.removeprefix("v")}
        return any(self._holds("rev-parse", "--verify", "--quiet", f"refs/tags/{each}") for each in sorted(names))

    def is_pushed(self, name: str) -> bool | None:
        """Return whether a remote-tracking branch holds a commit. Without a remote nothing is pushed."""
        answer = _git(self.root, "branch", "--remotes", "--contains", name)
        return None if answer is None else answer[0] == 0 and bool(answer[1].strip())

    def changed_files(self) -> int | None:
        """Return the number of files that are changed or untracked."""
        answer = _git(self.root, "status", "--porcelain", "--untracked-files=all")
        return None if answer is None or answer[0] != 0 else len(answer[1].splitlines())

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Return the tracked and untracked files, ignored ones left out."""
        answer = _git(self.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        names = answer[1].split("\0") if answer is not None and answer[0] == 0 else []
        return tuple(sorted({name for name in names if name}))

    def find(self, named: str) -> str | None:
        """Return the file that a path or a bare file name means, None if none or several do."""
        if named in self.files:
            return named
        found = [name for name in self.files if name.endswith("/" + named.lstrip("./"))]
        return found[0] if len(found) == 1 else None

    def by_stem(self, word: str) -> str | None:
        """Return the one file whose name without its ending is a word."""
        found = [name for name in self.files if Path(name).stem.lower() == word.lower()]
        return found[0] if len(found) == 1 else None

    def size(self, name: str) -> int | None:
        """Return a file's size in bytes."""
        path = self._inside(name)
        return path.stat().st_size if path else None

    def lines(self, name: str) -> int | None:
        """Return the number of a file's lines."""
        data = self._read(name)
        return None if data is None else data.count(b"\n") + (not data.endswith(b"\n") and bool(data))

    def contains(self, name: str, text: str) -> bool:
        """Return whether a file has a text."""
        data = self._read(name)
        return data is not None and text.encode("utf-8", "replace") in data

    def _holds(self, *arguments: str) -> bool | None:
        answer = _git(self.root, *arguments)
        return None if answer is None else answer[0] == 0

    def _inside(self, name: str) -> Path | None:
        path = (self.root / name).resolve()
        return path if path.is_relative_to(self.root.resolve()) and path.is_file() else None

    def _read(self, name: str) -> bytes | None:
        path = self._inside(name)
        if path is None:
            return None
        with path.open("rb") as stream:
            return stream.read(_LARGEST_READ)


def _git(folder: Path, *arguments: str) -> tuple[int, str] | None:
    """Run git and return its status and output, None if it cannot be run in time."""
    settings = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_PAGER": "cat"}
    # A commit hook exports the index and the folder of its own repository, which is not the one asked about.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", "-C", str(folder), *arguments],
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            env=kept | settings,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.returncode, done.stdout.decode("utf-8", "replace")
