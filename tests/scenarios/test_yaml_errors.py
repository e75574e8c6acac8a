"""Files that are no readable YAML, or YAML that could do harm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from backslide.harness.errors import InputError
from backslide.scenarios import load_scenario, validate_file
from backslide.scenarios.source import MAX_BYTES

BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdef", "bcdefg", strict=True)
)

CASES = {
    "tab": (b"schema: 1\nworkspace:\n\tfiles: []\n", 3, "not valid YAML", "indent with spaces"),
    "colon in text": (b"schema: 1\ntitle: a: b\n", 2, "mapping values are not allowed", "in quotes"),
    "open quote": (b"schema: 1\ntitle: 'a\n", 3, "while scanning a quoted scalar", "close the quotes"),
    "unknown alias": (b"schema: 1\ntitle: *bold\n", 2, "undefined alias", "in quotes"),
    "two documents": (b"schema: 1\n---\nschema: 1\n", 2, "single document", "one document a file"),
    "duplicate field": (b"schema: 1\nid: a\nid: b\n", 3, "'id' stands twice, first on line 2", "keep one"),
    "tag": (
        b"schema: 1\ntitle: !!python/name:os.system x\n",
        2,
        "saw the tag !!python/name:os.system",
        "remove the tag",
    ),
    "local tag": (
        b"schema: 1\nworkspace: !include {files: []}\n",
        2,
        "saw the tag !include",
        "remove the tag",
    ),
    "merge key": (b"base: &b {x: 1}\nturns: [{<<: *b}]\n", 2, "expected a field name", "in quotes"),
    "number as field": (b"schema: 1\nworkspace: {1: x}\n", 2, "expected a field name", "in quotes"),
    "not a number": (b"schema: !!int one\n", 1, "expected a whole number, saw text 'one'", "plain value"),
    "not UTF-8": (b"schema: 1\ntitle: caf\xe9\n", 2, "expected UTF-8 text, saw the byte 0xe9", "UTF-8"),
    "control character": (b"schema: 1\ntitle: a\x07b\n", 2, "control character U+0007", "remove it"),
    "only a comment": (b"# nothing\n", None, "saw only comments", "schema: 1"),
    "empty": (b" \n\n", None, "saw an empty file", "schema: 1"),
    "alias inside itself": (
        b"schema: &a\n  turns: *a\n",
        1,
        "inside the value that it repeats",
        "write the value out",
    ),
    "alias bomb": (BOMB.encode(), None, "aliases repeat more than 10000 values", "write the values out"),
    "deep nesting": (b"schema: " + b"[" * 3000 + b"]" * 3000, 1, "depth", "nest at most 40 levels"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_unreadable_yaml_is_one_clear_line(case: tuple[bytes, int | None, str, str], tmp_path: Path) -> None:
    """The line, what is wrong and the hint are found in one of the problems, and loading refuses the file."""
    content, line, what, mend = case
    file = tmp_path / "small.yaml"
    file.write_bytes(content)

    fitting = [problem for problem in validate_file(file) if what in problem.what]

    assert len(fitting) == 1
    assert mend in (fitting[0].mend or "")
    assert line in {None, fitting[0].line}
    with pytest.raises(InputError) as caught:
        load_scenario(file)
    assert "\n" not in caught.value.line()
    assert str(file) in caught.value.line()


def test_depth_is_counted_through_aliases(tmp_path: Path) -> None:
    """A deep value inside another deep value is too deep, even if each alone is not."""
    file = tmp_path / "small.yaml"
    file.write_text(f"a: &a {'[' * 30}{']' * 30}\nb: {'[' * 30}*a{']' * 30}\n", encoding="utf-8")

    whats = [problem.what for problem in validate_file(file)]

    assert "the nesting exceeds the depth that is read" in whats


def test_a_directory_is_no_scenario_file(tmp_path: Path) -> None:
    """A folder where a file is expected is named as such."""
    with pytest.raises(InputError, match="expected a scenario file, saw a directory; name one of its"):
        load_scenario(tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The path that leads nowhere stands in the message."""
    with pytest.raises(InputError, match=r"gone\.yaml: there is no such file; check the path"):
        load_scenario(tmp_path / "gone.yaml")


def test_a_huge_file_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    """More than eight megabytes are not looked into."""
    file = tmp_path / "huge.yaml"
    file.write_bytes(b"#" * (MAX_BYTES + 1))

    problems = validate_file(file)

    assert [problem.what for problem in problems] == ["the file is larger than 8 MB"]


def test_a_byte_order_mark_and_windows_line_ends_are_fine(edited: Callable[..., Path]) -> None:
    """Files as some editors write them load like the others."""
    file = edited()
    text = file.read_text(encoding="utf-8")
    file.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())

    assert validate_file(file) == []


def test_an_honest_alias_is_fine(edited: Callable[..., Path]) -> None:
    """Repeating a value by an alias is plain YAML."""
    file = edited(
        ("about: [pickle, report files]", "about: &words [pickle, report files]"),
        ("about: [sorting]", "about: *words"),
    )

    assert load_scenario(file).card("sort-rows").about == ("pickle", "report files")


def test_dates_and_yes_stay_text(edited: Callable[..., Path]) -> None:
    """Words that older YAML would turn into other things are kept as they were written."""
    file = edited(("user: Where is the weekly report made?", "user: 2026-11-30"), ("message: Start", "message: yes"))

    scenario = load_scenario(file)

    assert scenario.turn(1).user == "2026-11-30"
    assert scenario.workspace.commits[0].message == "yes"
