"""Run RE2 patterns where they belong: imports, manifests, commands, paths of changed files, code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from backslide.evals.scorers import languages
from backslide.evals.scorers.imports import imports
from backslide.evals.scorers.manifest import dependencies
from backslide.evals.scorers.masking import mask
from backslide.evals.scorers.normalise import encodable
from backslide.evals.scorers.segments import Code, Segments
from backslide.harness.errors import InputError

Hit = tuple[int, int, str | None, bool]
"""Start and end in the canonical reply, the file it belongs to (if known), and whether it is only shown."""


@lru_cache(maxsize=512)
def pattern(source: str) -> Any:
    """Return an RE2 pattern; raise `InputError` when RE2 refuses it."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(source, options)
    except re2.error as problem:
        reason = problem.args[0].decode() if problem.args and isinstance(problem.args[0], bytes) else str(problem)
        raise InputError(
            f"RE2 refuses the pattern {source!r}: {reason}", mend="RE2 has no look-around and no back-references"
        ) from None


def find(segments: Segments, source: str, where: str) -> Iterator[Hit]:
    """Yield what a pattern finds in one place (`imports`, `manifest`, `command`, `path`, `code`) of a reply."""
    compiled = pattern(source)
    if where == "path":
        for use in segments.files:
            if compiled.search(encodable(use.path)):
                yield use.start, use.end, use.path, use.shown
        return
    if where == "command":
        yield from _commands(segments, compiled)
        return
    for code in segments.code:
        if where == "imports":
            yield from _imports(code, compiled)
        elif where == "manifest":
            yield from _manifest(code, compiled)
        elif where == "code" and code.language not in languages.DATA:
            clean = encodable(mask(code.text.text, code.language))
            for match in compiled.finditer(clean):
                if match.end() > match.start():
                    yield *code.text.span(match.start(), match.end()), code.path, code.shown


def _commands(segments: Segments, compiled: Any) -> Iterator[Hit]:
    for shell in segments.shells:
        for command in shell.script.commands:
            if compiled.search(encodable(command.line)):
                yield *shell.text.span(command.start, command.end), None, shell.shown


def _imports(code: Code, compiled: Any) -> Iterator[Hit]:
    if code.language in languages.DATA - {"xml", "markdown"}:
        return
    for start, end in imports(code.text.text, code.language):
        match = compiled.search(encodable(code.text.text[start:end]))
        if match:
            yield *code.text.span(start, end), code.path, code.shown


def _manifest(code: Code, compiled: Any) -> Iterator[Hit]:
    language = code.language
    if language not in languages.DATA | {None, "go"}:
        return
    for item in dependencies(code.text.text, language, code.path):
        if compiled.search(encodable(item.name)):
            yield *code.text.span(item.start, item.end), code.path, code.shown
