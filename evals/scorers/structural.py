"""Run ast-grep rules on added code, also on snippets that do not parse alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from backslide.evals.scorers import languages
from backslide.evals.scorers.normalise import encodable
from backslide.harness.errors import InputError

_LONGEST = 200_000
"""Characters of code that are parsed; a reply has never been longer."""

_WRAPPERS: dict[str, tuple[tuple[str, str], ...]] = {
    "rust": (("fn __f() {\n", "\n}"), ("impl __T {\n", "\n}")),
    "python": (("def __f():\n", "\n"), ("class __T:\n", "\n")),
    "typescript": (("async function __f() {\n", "\n}"), ("class __T {\n", "\n}"), ("const __x = {\n", "\n}")),
    "tsx": (("async function __f() {\n", "\n}"), ("class __T {\n", "\n}")),
    "javascript": (("async function __f() {\n", "\n}"), ("class __T {\n", "\n}")),
    "go": (("package p\nfunc f() {\n", "\n}"), ("package p\n", "\n"), ("package p\ntype t struct {\n", "\n}")),
    "java": (("class T {\n", "\n}"), ("class T { void f() {\n", "\n} }")),
    "c": (("void f(void) {\n", "\n}"),),
    "cpp": (("void f() {\n", "\n}"), ("class T {\n", "\n};")),
    "kotlin": (("fun f() {\n", "\n}"),),
    "csharp": (("class T {\n", "\n}"), ("class T { void F() {\n", "\n} }")),
}


def find(
    code: str, language: str, rule: dict[str, Any], needed: frozenset[str] = frozenset()
) -> Iterator[tuple[int, int]]:
    """Yield the spans that a rule matches in code of a language; `needed` are its `needles`.

    The code is tried as it is; where nothing matches and it has a syntax error, wrapped in a function or class,
    and at last line
    by line. Raise `InputError` when the rule is wrong or the grammar is unknown.
    """
    text = encodable(code[:_LONGEST])
    found, broken = _match(text, language, rule, 0)
    if not found and broken:
        for head, tail in _WRAPPERS.get(language, ()):
            body = _indented(text) if language == "python" else text
            offsets = None if body is text else _offsets(text)
            found, _ = _match(head + body + tail, language, rule, len(head))
            found = [_unindented(span, offsets) for span in found] if offsets else found
            found = [(start, end) for start, end in found if 0 <= start < end <= len(text)]
            if found:
                break
    if not found and broken:
        position = 0
        lines = text.splitlines(keepends=True)
        for line in lines if len(lines) <= 400 else ():
            bare = line.strip()
            if len(bare) > 3 and (not needed or any(word in bare for word in needed)):
                start = position + line.index(bare)
                matched, _ = _match(bare, language, rule, -start)
                found.extend(matched)
            position += len(line)
    yield from found


def needles(rule: dict[str, Any]) -> frozenset[str]:
    """Return words of which any match of a rule has to contain one; empty when nothing of the kind can be told.

    It spares most code the parser: a rule that is about ``Mutex`` cannot match code without the word.
    """
    found: list[frozenset[str]] = []
    for key, value in rule.items():
        if key in {"regex", "pattern"} and isinstance(value, str):
            found.append(_words(value))
        elif key in {"has", "inside", "follows", "precedes"} and isinstance(value, dict) and key == "has":
            found.append(needles(value))
        elif key == "any" and isinstance(value, list):
            parts = [needles(part) for part in value if isinstance(part, dict)]
            found.append(frozenset().union(*parts) if parts and all(parts) else frozenset())
        elif key == "all" and isinstance(value, list):
            found.extend(needles(part) for part in value if isinstance(part, dict))
    return next((words for words in sorted(found, key=len) if words), frozenset())


def _words(source: str) -> frozenset[str]:
    plain = re.sub(r"\(\?[imsx-]+[:)]", " ", source)
    if plain != source:
        return frozenset()
    plain = re.sub(r"\[[^\]]*\]", " ", re.sub(r"\\[A-Za-z]", " ", plain))
    plain = re.sub(r"\((?:[^()]|\([^()]*\))*\)[?*]", " ", plain)
    plain = re.sub(r"\w[?*]", " ", plain)
    branches = [re.findall(r"[A-Za-z_]{3,}", branch) for branch in re.split(r"\|", plain)]
    if not all(branches):
        return frozenset()
    return frozenset(max(words, key=len) for words in branches)


def check(language: str, rule: dict[str, Any]) -> None:
    """Raise `InputError` when a rule cannot be used for a language."""
    _match("", language, rule, 0)


def _match(code: str, language: str, rule: dict[str, Any], shift: int) -> tuple[list[tuple[int, int]], bool]:
    from ast_grep_py import SgRoot

    if language not in languages.FENCE_NAMES.values() or language in languages.DATA | {"sql", "diff"}:
        raise InputError(f"no grammar for {language!r}", mend="use a lexical detector for it")
    root = SgRoot(code, language).root()
    config: Any = {"rule": rule}
    try:
        nodes = root.find_all(config)
    except RuntimeError as problem:
        first = str(problem).split("Stack backtrace")[0]
        raise InputError(f"ast-grep refuses the rule: {first}", mend="see the ast-grep rule reference") from problem
    spans = [(node.range().start.index - shift, node.range().end.index - shift) for node in nodes]
    broken = bool(spans) is False and root.find(kind="ERROR") is not None
    return spans, broken


def _indented(text: str) -> str:
    return "".join("    " + line for line in text.splitlines(keepends=True))


def _offsets(text: str) -> list[tuple[int, int]]:
    """Return, for each line, its offset in the indented text and in the plain one."""
    out = []
    plain = 0
    for number, line in enumerate(text.splitlines(keepends=True)):
        out.append((plain + 4 * number, plain))
        plain += len(line)
    return out


def _unindented(span: tuple[int, int], offsets: list[tuple[int, int]]) -> tuple[int, int]:
    def back(offset: int) -> int:
        from bisect import bisect_right

        index = max(0, bisect_right(offsets, (offset, 1 << 60)) - 1)
        indented, plain = offsets[index]
        return plain + max(0, offset - indented - 4)

    return back(span[0]), back(span[1])
