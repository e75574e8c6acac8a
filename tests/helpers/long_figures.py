"""What tests marked long have measured, kept in benchmarks/LONG.md.

Nothing is written unless `make test-long` asks for it, so that a test run leaves the checkout as it is.
"""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = ROOT / "benchmarks" / "LONG.md"
HEAD = (
    "# Figures of the tests marked long\n\n"
    "Written by `make test-long`: each row is replaced when its test runs again.\n\n"
    "| What | Figure | Date | Commit | Command |\n"
    "| --- | --- | --- | --- | --- |\n"
)


def record(what: str, figure: str, command: str) -> None:
    """Put a figure into its row, if BACKSLIDE_RECORD is 1."""
    if os.environ.get("BACKSLIDE_RECORD") != "1":
        return
    rows = FILE.read_text(encoding="utf-8").splitlines()[6:] if FILE.exists() else []
    cells = (what, figure, f"{datetime.now(UTC):%Y-%m-%d}", commit(), f"`{command}`")
    kept = [row for row in rows if not row.startswith(f"| {what} |")]
    FILE.write_text(HEAD + "".join(f"{row}\n" for row in [*kept, f"| {' | '.join(cells)} |"]), encoding="utf-8")


def commit() -> str:
    """The commit that is checked out, with a + if files differ from it."""
    name = _git("rev-parse", "--short", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no")
    return f"{name}+" if changed else name


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "" if done.returncode == 0 else "unknown"
