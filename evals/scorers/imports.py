"""Find the import statements of code, each with its span."""

from __future__ import annotations

import re
from collections.abc import Iterator

from backslide.evals.scorers.masking import mask

_PYTHON = re.compile(
    r"^[ \t>.]*(?:from[ \t]+[\w.]+[ \t]+import[ \t]+(?:\([^()]*\)?|[^\n]*)|import[ \t]+[^\n]*)|"
    r"__import__\([^()\n]*\)?|(?:importlib\.)?import_module\([^()\n]*\)?",
    re.MULTILINE,
)
_JS = re.compile(
    r"^[ \t]*(?:import|export)\b(?:[^;'\"`\n(]|\n(?=[ \t]*(?:[\w{},*$]|\}[ \t]*from)))*"
    r"(?:from[ \t]*)?['\"][^'\"\n]*['\"]?"
    r"|\bimport[ \t]*\([^()\n]*\)?|\brequire(?:\.resolve)?[ \t]*\([^()\n]*\)?|<script\b[^>]*>|@import[^\n;]*",
    re.MULTILINE,
)
_RUST = re.compile(
    r"^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?use[ \t]+[^;]{1,600};?|^[ \t]*extern[ \t]+crate[^;\n]*;?", re.MULTILINE
)
_GO = re.compile(r"^[ \t]*import[ \t]*(?:\([^()]*\)?|[^\n]*)|^[ \t]*(?:[\w.]+[ \t]+)?\"[\w./-]+\"[ \t]*$", re.MULTILINE)
_JAVA = re.compile(r"^[ \t]*import[ \t]+[^;\n]*;?", re.MULTILINE)
_C = re.compile(r"^[ \t]*#[ \t]*include[^\n]*", re.MULTILINE)
_RUBY = re.compile(r"^[ \t]*(?:require(?:_relative)?|gem|load)\b[^\n]*", re.MULTILINE)

_TABLES = {
    "python": (_PYTHON,),
    "javascript": (_JS,),
    "typescript": (_JS,),
    "tsx": (_JS,),
    "xml": (_JS,),
    "rust": (_RUST,),
    "go": (_GO,),
    "java": (_JAVA,),
    "kotlin": (_JAVA,),
    "scala": (_JAVA,),
    "c": (_C,),
    "cpp": (_C,),
    "ruby": (_RUBY,),
}


def imports(code: str, language: str | None) -> Iterator[tuple[int, int]]:
    """Yield the spans of import statements; with an unknown language, those of every language that could be meant."""
    clean = mask(code, language, strings=False)
    tables = _TABLES.get(language or "", (_PYTHON, _JS, _RUST, _JAVA, _C))
    for table in tables:
        for match in table.finditer(clean):
            if not _only_text(clean, match.start()):
                yield match.span()


def _only_text(code: str, at: int) -> bool:
    """Return whether an import stands inside a string on its line (a fixture, an error text), not counting sed
    scripts.
    """
    line_start = code.rfind("\n", 0, at) + 1
    before = code[line_start:at]
    if before.lstrip().startswith(("sed ", "perl ")):
        return False
    return before.count('"') % 2 == 1 or before.count("'") % 2 == 1
