"""Fields that are wrong by themselves: missing, misspelt, of another type, out of range."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from backslide.harness.errors import InputError
from backslide.scenarios import load_scenario, validate_file


class Case(NamedTuple):
    """An edit of the small scenario, and what has to be said about it; `at` begins the line that is to blame."""

    old: str
    new: str
    at: str
    path: str
    what: str
    mend: str


CASES = {
    "misspelt field": Case(
        "title: A small", "titel: A small", "titel:", "titel", "unknown field 'titel'", "did you mean 'title'?"
    ),
    "misspelt step": Case(
        "- assistant: Agreed", "- asistant: Agreed", "- asistant:", "turns[1].steps[0].asistant",
        "unknown field 'asistant'", "did you mean 'assistant'?",
    ),
    "misspelt result": Case(
        "- result: t1b", "- reslt: t1b", "- reslt:", "turns[0].steps[2].reslt",
        "unknown field 'reslt'", "did you mean 'result'?",
    ),
    "unlike any field": Case(
        "every_cycle: true\n    request: Sort", "zzz: true\n    request: Sort", "zzz:", "probes[1].zzz",
        "unknown field 'zzz'", "the fields here are id, kind, constraint, at, every_cycle, request, path",
    ),
    "missing field": Case(
        "    rationale: Two versions of Python could not read each other's files.\n", "", "- id: no-pickle",
        "constraints[0].rationale", "field 'rationale' is missing", "add 'rationale'",
    ),
    "number for text": Case(
        "user: Where is the weekly report made?", "user: 12", "user: 12", "turns[0].user",
        "expected text, saw the number 12", "put it in quotes",
    ),
    "text for number": Case(
        "- turn: 3\n", "- turn: three\n", "turn: three", "turns[2].turn",
        "expected a whole number, saw text 'three'", "",
    ),
    "text for truth value": Case(
        "error: true", "error: maybe", "error: maybe", "turns[2].steps[1].error",
        "expected true or false, saw text 'maybe'", "",
    ),
    "text for list": Case(
        "tags: [python, small]", "tags: python", "tags:", "tags",
        "expected a list, saw text 'python'", "write it as [item, item]",
    ),
    "list for mapping": Case(
        "    rejected:\n      summary: pickle files\n      names: [pickle, pkl]\n", "    rejected: [pickle]\n",
        "rejected:", "constraints[0].rejected", "expected a mapping, saw a list of 1", "",
    ),
    "nothing for text": Case(
        "title: A small session about a report", "title:", "title:", "title",
        "expected text, saw nothing", "give it a value or leave the field out",
    ),
    "blank text": Case(
        "statement: Reports are not kept as pickle files.", 'statement: "  "', "statement:",
        "constraints[0].statement", "expected words, saw blank text", "write the text",
    ),
    "empty list": Case(
        "names: [JSON lines]", "names: []", "names: []", "constraints[0].accepted.names",
        "expected at least 1 item, saw an empty list", "add an item",
    ),
    "name with capitals": Case(
        "id: no-pickle", "id: No Pickle", "id: No", "constraints[0].id",
        "expected a name like `lower-case-words`, saw text 'No Pickle'", "did you mean 'no-pickle'?",
    ),
    "unknown tool": Case(
        "tool: grep", "tool: greb", "tool: greb", "turns[0].steps[0].calls[0].tool",
        "expected 'read', 'grep', 'bash', 'edit', 'write' or 'advisor', saw text 'greb'", "did you mean 'grep'?",
    ),
    "unknown carrier": Case(
        "carrier: said-once", "carrier: said-onse", "carrier:", "constraints[0].planted[0].carrier",
        "saw text 'said-onse'", "did you mean 'said-once'?",
    ),
    "unknown noise": Case(
        "kind: buildlog", "kind: buidlog", "noise: {kind: buidlog", "turns[2].steps[1].noise.kind",
        "saw text 'buidlog'", "did you mean 'buildlog'?",
    ),
    "noise too small": Case(
        "size: 400", "size: 4", "noise: {kind: buildlog", "turns[2].steps[1].noise.size",
        "expected a number of at least 100, saw the number 4", "raise it",
    ),
    "noise too large": Case(
        "size: 400", "size: 4000000", "noise: {kind: buildlog", "turns[2].steps[1].noise.size",
        "expected a number of at most 200000, saw the number 4000000", "lower it",
    ),
    "later schema": Case("schema: 1", "schema: 2", "schema:", "schema", "expected 1, saw the number 2", ""),
    "reserved faults": Case(
        "tags: [python, small]", "faults: [overflow]", "faults:", "faults",
        "expected an empty list (reserved for later), saw a list of 1", "leave it out",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_wrong_field_is_reported_once_with_its_place(
    case: Case, edited: Callable[..., Path], first_line: Callable[[Path, str], int]
) -> None:
    """Line, path, what was expected and seen, and the hint all stand in the only problem."""
    file = edited((case.old, case.new))

    problems = validate_file(file)

    assert [problem.path for problem in problems] == [case.path]
    assert problems[0].line == first_line(file, case.at)
    assert case.what in problems[0].what
    assert case.mend in (problems[0].mend or "")


def test_loading_raises_the_first_problem_in_one_line(edited: Callable[..., Path]) -> None:
    """The message of the error names file, line, path, what is wrong and how to mend it."""
    file = edited(("tool: grep", "tool: greb"), ("title: A small", "titel: A small"))

    with pytest.raises(InputError) as caught:
        load_scenario(file)

    assert caught.value.line() == f"{file}:3: titel: unknown field 'titel'; did you mean 'title'?"


def test_validation_returns_all_problems_in_the_order_of_lines(edited: Callable[..., Path]) -> None:
    """Several wrong fields are all reported, from the top of the file down."""
    file = edited(("size: 400", "size: 4"), ("carrier: said-once", "carrier: once"), ("schema: 1", "schema: 7"))

    problems = validate_file(file)

    assert [problem.path for problem in problems] == [
        "schema",
        "constraints[0].planted[0].carrier",
        "turns[2].steps[1].noise.size",
    ]
    assert [problem.line for problem in problems] == sorted(problem.line or 0 for problem in problems)


def test_a_file_that_is_a_list_is_no_scenario(tmp_path: Path) -> None:
    """The top of the file has to be a mapping."""
    file = tmp_path / "small.yaml"
    file.write_text("- schema: 1\n", encoding="utf-8")

    problems = validate_file(file)

    assert [(problem.line, problem.path) for problem in problems] == [(1, "")]
    assert problems[0].what == "expected a mapping, saw a list of 1"
