"""ISSUES.md is kept true: each entry is complete, and what it calls fixed names a source file and a test that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
STATUSES = {"open", "fixed", "undecided", "by design"}
FIELDS = {"Status", "Evidence", "Cause", "Repair", "Source", "Guard"}


def entries() -> dict[str, dict[str, str]]:
    """Return the ledger's entries: id → field → text."""
    text = (ROOT / "ISSUES.md").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = {}
    for block in re.split(r"(?m)^## (?=B-\d+\b)", text)[1:]:
        issue = block.split(" ", 1)[0]
        assert issue not in found, f"{issue} stands twice"
        found[issue] = dict(re.findall(r"(?m)^\*\*(\w+):\*\* (.+(?:\n(?!\*\*|\n).+)*)", block))
    return found


ENTRIES = entries()


def test_the_ledger_has_entries() -> None:
    """A ledger without entries would make every check below pass for nothing."""
    assert ENTRIES


@pytest.mark.parametrize("issue", ENTRIES)
def test_each_entry_is_complete(issue: str) -> None:
    """Every entry states status, evidence, cause and repair, and a status of the list."""
    fields = ENTRIES[issue]

    assert {"Status", "Evidence", "Cause", "Repair"} <= set(fields) <= FIELDS
    assert re.split(r"[ ,(.]{1,2}(?=\()|[,.]", fields["Status"])[0].strip() in STATUSES
    assert "`" in fields["Evidence"], "the evidence names the command that shows it"


@pytest.mark.parametrize("issue", [issue for issue in ENTRIES if ENTRIES[issue]["Status"].startswith("fixed")])
def test_a_fixed_entry_names_its_source_and_its_guard(issue: str) -> None:
    """What is fixed names an existing source file, and a test function that exists in the file it names."""
    fields = ENTRIES[issue]
    sources = re.findall(r"`([^`]+)`", fields["Source"])
    guards = re.findall(r"`([^`]+)::(\w+)`", fields["Guard"])

    assert sources
    assert guards
    for source in sources:
        assert (ROOT / source).is_file(), source
    for file, test in guards:
        assert test in _functions(ROOT / file), f"{file} has no test {test}"


def _functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
