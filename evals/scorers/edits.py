"""Read what programs and sed scripts write: file names and added text."""

from __future__ import annotations

import re

from backslide.evals.scorers.mapped import Mapped
from backslide.evals.scorers.shell import FileUse

_PYTHON_WRITE = re.compile(
    r"""open\(\s*['"](?P<a>[^'"]+)['"]\s*,\s*(?:mode\s*=\s*)?['"][rb]*[wax+][^'"]*['"]|
    Path\(\s*['"](?P<b>[^'"]+)['"]\s*\)\s*\.\s*(?:write_text|write_bytes|unlink|rename|replace|
    touch)\b
      |(?:writeFileSync|writeFile|appendFileSync)\(\s*['"](?P<c>[^'"]+)['"]|
      (?P<v>\b\w+)\s*=\s*(?:pathlib\.)?Path\(\s*['"](?P<d>[^'"]+)['"]\s*\)""",
    re.VERBOSE,
)


def program_writes(code: Mapped) -> list[FileUse]:
    """Return the files that a Python or Node program writes by name; spans refer to ``code.text``."""
    out: list[FileUse] = []
    variables: dict[str, tuple[str, int, int]] = {}
    for match in _PYTHON_WRITE.finditer(code.text):
        if match["v"]:
            variables[match["v"]] = (match["d"], match.start("d"), match.end("d"))
            continue
        group = next(name for name in ("a", "b", "c") if match[name])
        out.append(FileUse(match[group], "write", match.start(group), match.end(group)))
    for variable, (path, start, end) in variables.items():
        if re.search(rf"\b{re.escape(variable)}\.(?:write_text|write_bytes|unlink|rename|open\(\s*['\"]w)", code.text):
            out.append(FileUse(path, "write", start, end))
    return out


_SED_INSERT = re.compile(r"(?:(?<=['\" ])|(?<=/))(?:\d+|\$)?[iac]\\?(?:\s+|\n)(?P<text>[^'\n]+)")


_SED_REPLACE = re.compile(
    r"(?<=['\" ;])s(?P<mark>[/|#,@])(?:\\.|(?!(?P=mark)).)*(?P=mark)(?P<new>(?:\\.|(?!(?P=mark)).)*)(?P=mark)?"
)


def sed_added(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the spans of what a sed or perl command adds: inserted lines and replacements."""
    spans: list[tuple[int, int]] = []
    for pattern, group in ((_SED_INSERT, "text"), (_SED_REPLACE, "new")):
        spans.extend(match.span(group) for match in pattern.finditer(text, start, end))
    return sorted(spans)
