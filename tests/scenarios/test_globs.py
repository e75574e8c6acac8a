"""Path patterns of scopes and detectors."""

from __future__ import annotations

import pytest

from backslide.scenarios.globs import is_relative, matches


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("billing/**", "billing/api/pay.py", True),
        ("billing/**", "billing/pay.py", True),
        ("billing/**", "billing2/pay.py", False),
        ("billing/", "billing/pay.py", True),
        ("*.py", "pay.py", True),
        ("*.py", "billing/pay.py", False),
        ("**/*.py", "pay.py", True),
        ("**/*.py", "billing/api/pay.py", True),
        ("src/**/test.ts", "src/test.ts", True),
        ("src/**/test.ts", "src/a/b/test.ts", True),
        ("src/?.c", "src/a.c", True),
        ("src/?.c", "src/ab.c", False),
        ("a+b.(c)", "a+b.(c)", True),
        ("./package.json", "package.json", True),
        ("package.json", "./package.json", True),
    ],
)
def test_a_glob_matches_as_people_expect(glob: str, path: str, expected: bool) -> None:
    """One star stays in a folder, two cross folders, everything else is itself."""
    assert matches(path, [glob]) is expected


def test_no_globs_match_nothing() -> None:
    """An empty list of patterns covers no file."""
    assert not matches("a.py", [])


@pytest.mark.parametrize("path", ["/etc/passwd", "../a", "a/../b", "C:/a", "a\\b", "~/a"])
def test_paths_that_leave_the_workspace_are_not_relative(path: str) -> None:
    """Absolute paths, drives, home folders and climbing are told apart."""
    assert not is_relative(path)


@pytest.mark.parametrize("path", ["a/b.py", "./a", "a..b/c", "**/x", ".github/ci.yml"])
def test_paths_inside_the_workspace_are_relative(path: str) -> None:
    """Dots in names are no climbing."""
    assert is_relative(path)
