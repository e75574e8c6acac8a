"""Believable bulk of tool output, generated from a seed.

The same recipe gives the same bytes on every platform and Python version (see `dice`). A block is exactly as
long as asked for and ends with a whole line. It holds no prose that forbids, negates or recommends anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from backslide.scenarios.dice import Dice
from backslide.scenarios.model import NOISE_MIN, Noise
from backslide.scenarios.noise_dialect import Dialect
from backslide.scenarios.noise_dialects import dialect_of
from backslide.scenarios.noise_json import json_text
from backslide.scenarios.noise_words import Lexicon

_LAST = 24
"""Characters that are kept for the last line, which is made to fit."""


def noise_text(noise: Noise, language: str, scale: float = 1.0) -> str:
    """Return a recipe's text in a code language, `scale` times as long, without a line break at its end."""
    size = max(NOISE_MIN, round(noise.size * scale))
    return generate(noise.kind, size, noise.seed, tuple(noise.about), language)


@lru_cache(maxsize=2048)
def generate(kind: str, size: int, seed: int, about: tuple[str, ...], language: str) -> str:
    """Return `size` characters of noise of one kind; a longer block begins like a shorter one."""
    dice = Dice(kind, seed, language, *about)
    lexicon = Lexicon(dice, about)
    if kind == "json":
        return json_text(lexicon, size)
    dialect, ending = dialect_of(language)
    block = _Block(lexicon, dialect, ending)
    sources: dict[str, tuple[Callable[[], Iterator[str]], str]] = {
        "grep": (block.grep, "-- "),
        "stacktrace": (block.stacktrace, "note: "),
        "cat": (block.cat, f"{dialect.comment} "),
        "buildlog": (block.buildlog, "note: "),
        "testlog": (block.testlog, "info: "),
    }
    lines, prefix = sources[kind]
    return _fit(lines(), size, lambda width: prefix + lexicon.phrase(width - len(prefix)))


def _fit(lines: Iterator[str], size: int, last: Callable[[int], str]) -> str:
    """Take lines while they fit, then one of exactly the length that is left."""
    taken: list[str] = []
    used = 0
    for line in lines:
        rest = size - used - len(line) - 1
        if rest < _LAST:
            break
        taken.append(line)
        used += len(line) + 1
    taken.append(last(size - used))
    return "\n".join(taken)


class _Block:
    """Endless lines of each kind for one lexicon and dialect."""

    def __init__(self, lexicon: Lexicon, dialect: Dialect, ending: str) -> None:
        self.lexicon = lexicon
        self.dice = lexicon.dice
        self.dialect = dialect
        self.ending = ending
        # Statements that stand by themselves: they open no block and belong to none.
        self._whole = [line for line in dialect.statements if line[0] not in " \t" and line[-1] not in "{:"]

    def grep(self) -> Iterator[str]:
        """Hits as `path:line:code`, several a file, line numbers rising."""
        while True:
            path, number = self._path(), 0
            for _ in range(self.dice.between(1, 6)):
                number += self.dice.between(3, 90)
                indent = " " * self.dice.pick((0, 4, 4, 8))
                code = self._fill(self.dice.pick(self.dialect.statements)).strip()
                yield f"{path}:{number}:{indent}{code}"

    def stacktrace(self) -> Iterator[str]:
        """Failures with their frames."""
        while True:
            date = f"2026-0{self.dice.between(1, 9)}-1{self.dice.between(0, 9)}"
            yield f"{date}T{self._clock()} {self._fill('~n ~p')}"
            for line in self.dice.some(self.dialect.failure, self.dice.between(1, 2)):
                yield self._fill(line)
            for _ in range(self.dice.between(4, 11)):
                yield from self._fill(self.dialect.frame).split("\n")

    def cat(self) -> Iterator[str]:
        """One source file."""
        yield self._fill(f"{self.dialect.comment} ~p")
        for head in self.dialect.heads:
            yield self._fill(head)
        while True:
            yield ""
            yield from self._definition(self.dice.pick(self.dialect.blocks))
            if self.dice.chance(0.3):
                yield self._fill(f"{self.dialect.comment} ~p, ~p")

    def buildlog(self) -> Iterator[str]:
        """Progress of a build, with some warnings."""
        while True:
            template = self.dialect.warning if self.dice.chance(0.2) else self.dice.pick(self.dialect.build)
            yield from self._fill(template).split("\n")

    def testlog(self) -> Iterator[str]:
        """Passing tests, some with captured output, and a total now and then."""
        while True:
            path = self._path(self.dialect.tests)
            for _ in range(self.dice.between(3, 14)):
                yield self._fill(self.dialect.test_pass, test_path=path)
                if self.dice.chance(0.12):
                    yield self._fill("    captured: ~n=~b ~n=~h ~p")
            yield self._fill(self.dialect.test_end)

    def _definition(self, template: str) -> Iterator[str]:
        for line in template.rstrip("\n").split("\n"):
            if line.strip() == "~~":
                indent = line[: len(line) - 2]
                for statement in self.dice.some(self._whole, self.dice.between(1, 4)):
                    yield self._fill(indent + statement)
            else:
                yield self._fill(line)

    def _fill(self, template: str, test_path: str = "") -> str:
        paths = re.sub(r"~P", lambda _: self._path(), template)
        return self.lexicon.fill(paths.replace("~T", test_path))

    def _path(self, folder: str | None = None) -> str:
        top = folder or self.dice.pick(self.dialect.folders)
        name = self.lexicon.pascal() if self.ending in {"java", "tsx", "cs", "kt"} else self.lexicon.noun()
        if self.dice.chance(0.4) and name.islower():
            name = f"{name}_{self.lexicon.noun()}"
        return f"{top}/{self.lexicon.noun()}/{name}.{self.ending}"

    def _clock(self) -> str:
        hour, minute, second = self.dice.between(8, 19), self.dice.between(0, 59), self.dice.between(0, 59)
        return f"{hour:02}:{minute:02}:{second:02}.{self.dice.between(0, 999):03}Z"
