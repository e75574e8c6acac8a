"""Cue lists compiled so that most texts are dismissed quickly.

A long alternation is tried branch by branch at every character. Branches that begin at a word are put behind one word
boundary, and branches in Chinese are tried on texts that have other than ASCII characters only.
"""

from __future__ import annotations

import re


class Cue:
    """A list of expressions, written as one alternation over lower-case text."""

    def __init__(self, alternation: str) -> None:
        words: list[str] = []
        others: list[str] = []
        chinese: list[str] = []
        for branch in branches(alternation):
            if not branch.isascii():
                chinese.append(branch)
            elif branch.startswith(r"\b"):
                words.append(branch[2:])
            else:
                others.append(branch)
        ascii_only = [rf"\b(?:{'|'.join(words)})"] if words else []
        self._ascii = re.compile("|".join(ascii_only + others) or r"(?!)")
        self._chinese = re.compile("|".join(chinese) or r"(?!)")

    def search(self, text: str) -> bool:
        """Return whether any of the expressions is found in `text`."""
        if self._ascii.search(text) is not None:
            return True
        return not text.isascii() and self._chinese.search(text) is not None

    def count(self, text: str) -> int:
        """Return how many places of `text` match."""
        found = sum(1 for _ in self._ascii.finditer(text))
        return found if text.isascii() else found + sum(1 for _ in self._chinese.finditer(text))


def branches(alternation: str) -> list[str]:
    """Split an expression at the bars that stand in no group and no character class."""
    found = [""]
    depth = 0
    in_class = False
    escaped = False
    for sign in alternation:
        if escaped:
            escaped = False
        elif sign == "\\":
            escaped = True
        elif in_class:
            in_class = sign != "]"
        elif sign == "[":
            in_class = True
        elif sign in "()":
            depth += 1 if sign == "(" else -1
        elif sign == "|" and depth == 0:
            found.append("")
            continue
        found[-1] += sign
    return [branch for branch in found if branch]
