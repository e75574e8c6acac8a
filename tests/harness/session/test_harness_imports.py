from __future__ import annotations

import ast
from importlib.resources import files
from pathlib import Path

FORBIDDEN = {"scenarios", "evals", "reports", "commands", "app"}


def imported_names(source: str) -> set[str]:
    """Every module that a source imports, at its top or inside a function."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_the_harness_imports_nothing_from_the_other_rooms() -> None:
    """It is a session library of its own: no scenarios, scoring, reports or commands."""
    root = Path(str(files("backslide.harness")))
    sources = sorted(root.rglob("*.py"))
    offences = [
        (path.relative_to(root).as_posix(), name)
        for path in sources
        for name in imported_names(path.read_text(encoding="utf-8"))
        if name.startswith("backslide.") and name.split(".")[1] in FORBIDDEN
    ]

    assert len(sources) > 20
    assert offences == []


def test_relative_and_nested_imports_are_seen() -> None:
    """The check reads functions too."""
    assert "backslide.evals.store" in imported_names("def f():\n    from backslide.evals import store\n")
