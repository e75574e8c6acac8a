from __future__ import annotations

from pathlib import Path

import pytest
from compactor_builders import module, program

from backslide.harness.compaction.external import load_compactor
from backslide.harness.errors import InputError

MODULE = """\
import json
class Sliding:
    def compact(self, messages, model):
        return messages[-4:]

class Stateful:
    def __init__(self, size=4): ...
    def open(self, system, keep):
        return self

class NeedsSize:
    def __init__(self, size): ...
    def compact(self, messages, model): ...

class Swapped:
    def compact(self, messages): ...

class OpensNothing:
    @staticmethod
    def open(system): ...

class Empty: ...

def three(messages, model, budget): ...
LIMIT = 7
"""


def refusal(spec: str) -> str:
    with pytest.raises(InputError) as caught:
        load_compactor(spec)
    return caught.value.line()


@pytest.mark.parametrize("name", ["Sliding", "Stateful"])
def test_classes_with_the_right_methods_are_found(tmp_path: Path, name: str) -> None:
    """A class with compact or with open will do, and is named after file and class."""
    assert load_compactor(module(tmp_path, MODULE, name)).label == f"mine.py:{name}"


@pytest.mark.parametrize(
    ("name", "line", "words"),
    [
        ("Slidding", None, "there is no class or function 'Slidding'; did you mean 'Sliding'?"),
        ("qqqq", None, "it defines Sliding, Stateful, NeedsSize, Swapped, OpensNothing, Empty, three"),
        ("LIMIT", None, "there is no class or function 'LIMIT'"),
        ("NeedsSize", 11, "NeedsSize takes (size), but it is called as NeedsSize(); give the constructor's"),
        ("Swapped", 16, "Swapped.compact takes (self, messages), but it is called as Swapped.compact(self, messages, model)"),
        ("OpensNothing", 19, "OpensNothing.open takes (system), but it is called as OpensNothing.open(system, keep)"),
        ("Empty", 22, "class Empty has neither open nor compact; give it compact(self, messages, model)"),
        ("three", 24, "three takes (messages, model, budget), but it is called as three(messages, model)"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said_with_its_line(
    tmp_path: Path, name: str, line: int | None, words: str
) -> None:
    """Unknown names and wrong parameters are found before anything runs."""
    said = refusal(module(tmp_path, MODULE, name))
    where = f"{tmp_path / 'mine.py'}:{line}: " if line else f"{tmp_path / 'mine.py'}: "

    assert said.startswith(where + words) or (said.startswith(where) and words in said), said


@pytest.mark.parametrize(
    ("code", "line", "words"),
    [
        ("import json\nimport no_such_module\n", 2, "ModuleNotFoundError: No module named 'no_such_module'"),
        ("x = 1\n\ndef compact(messages, model)\n    pass\n", 3, "SyntaxError: expected ':'"),
        ("import json\n\njson.loads('{')\n", 3, "JSONDecodeError: "),
        ("import sys\nsys.exit(4)\n", 2, "SystemExit: 4"),
    ],
)
def test_an_error_in_their_file_is_shown_with_their_line(tmp_path: Path, code: str, line: int, words: str) -> None:
    """Even where the error arose elsewhere, the line is that of the user's file."""
    said = refusal(module(tmp_path, code))

    assert said.startswith(f"{tmp_path / 'mine.py'}:{line}: cannot be imported ({words}"), said


def test_a_file_can_import_its_neighbours(tmp_path: Path) -> None:
    """Its folder is on the import path, and data classes work in it."""
    (tmp_path / "neighbour_of_mine.py").write_text("KEEP = 4\n", encoding="utf-8")
    code = """\
    from __future__ import annotations
    from dataclasses import dataclass
    from neighbour_of_mine import KEEP

    @dataclass
    class Sliding:
        keep: int = KEEP
        def compact(self, messages, model): return messages[-self.keep:]
    """

    assert load_compactor(module(tmp_path, code, "Sliding")).label == "mine.py:Sliding"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("handoff", "'handoff' is no compactor; write path.py:Class"),
        ("mine.txt:Class", "is no compactor"),
        ("mine.py:", "is no compactor"),
        ("cmd:", "no command after 'cmd:'"),
        ("cmd:  ", "no command after 'cmd:'"),
        ("cmd:node 'x", "the command line cannot be read (No closing quotation); close the quotes"),
        ("cmd:no-such-program-here --fast", "the program no-such-program-here was not found"),
        ("cmd:/no/such/program", "the program /no/such/program was not found; check the path"),
        ("/no/such/file.py:Class", "/no/such/file.py: there is no such file"),
    ],
)
def test_a_name_that_names_nothing_is_refused(spec: str, words: str) -> None:
    """Each way of naming no compactor has its own words."""
    assert words in refusal(spec)


def test_paths_that_are_no_programs_are_told_apart(tmp_path: Path) -> None:
    """A folder, a file that may not be run, and a Python file without a name in it."""
    spec = program(tmp_path)
    path = tmp_path / "program.py"

    assert spec.startswith("cmd:")
    assert f"{path} is not executable; chmod +x {path}, or name its interpreter" in refusal(f"cmd:{path}")
    assert f"{tmp_path} is a directory" in refusal(f"cmd:{tmp_path}")
    assert f"no class or function is named; write {path}:Class" in refusal(str(path))
    (tmp_path / "folder.py").mkdir()
    assert "is a directory; name a Python file in it" in refusal(f"{tmp_path / 'folder.py'}:Class")


def test_a_fingerprint_follows_the_code(tmp_path: Path) -> None:
    """Equal code has an equal hash; a changed file, name or argument has another."""
    code = "def compact(messages, model): return messages\n"
    first = load_compactor(module(tmp_path, code)).fingerprint
    again = load_compactor(module(tmp_path, code)).fingerprint
    changed = load_compactor(module(tmp_path, code + "# tuned\n")).fingerprint
    spec = program(tmp_path)
    programs = [load_compactor(spec).fingerprint, load_compactor(f"{spec} --fast").fingerprint]
    programs.append(load_compactor(program(tmp_path, bye="sys.exit(0)")).fingerprint)

    assert first == again
    assert len({first, changed, *programs}) == 5
