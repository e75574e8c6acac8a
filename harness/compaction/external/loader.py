"""From what a user writes after ``--compactor`` to a compactor."""

from __future__ import annotations

from pathlib import Path

from backslide.harness.compaction.external.driver import Source
from backslide.harness.compaction.external.program import find_program
from backslide.harness.compaction.external.pyfile import find
from backslide.harness.compaction.external.pythonic import PythonSource
from backslide.harness.errors import InputError

PROGRAM_PREFIX = "cmd:"
MEND = "write path.py:Class, path.py:function or cmd:'program arguments'"


def load_compactor(spec: str) -> Source:
    """Return the compactor that `spec` names: ``path.py:Class``, ``path.py:function`` or ``cmd:'program arguments'``.

    A Python file is imported once to see whether it can be, a program is looked for but not started. Raises
    `InputError` with file and line for what is wrong.
    """
    if spec.startswith(PROGRAM_PREFIX):
        return find_program(spec.removeprefix(PROGRAM_PREFIX))
    file, colon, name = spec.rpartition(":")
    if not colon and spec.endswith(".py"):
        raise InputError("no class or function is named", where=spec, mend=f"write {spec}:Class or {spec}:function")
    if not file.endswith(".py") or not name.isidentifier():
        raise InputError(f"'{spec}' is no compactor", where="compactor", mend=MEND)
    find(Path(file), name)
    return PythonSource(Path(file), name)
