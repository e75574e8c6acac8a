"""Text derived from another text, with the way back to the offsets of the original."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Mapped:
    """A text and, for runs of its characters, where they stand in the text it was made from.

    `local` and `origin` are parallel and ascending in `local`: the run that starts at ``local[i]`` stands at
    ``origin[i]`` in
    the parent, character by character. `parent` is the text those offsets refer to, if it is itself derived.
    """

    text: str
    local: tuple[int, ...]
    origin: tuple[int, ...]
    parent: Mapped | None = None

    def at(self, index: int) -> int:
        """Return the offset in the original text of the character at `index`."""
        piece = bisect_right(self.local, index) - 1
        offset = self.origin[piece] + index - self.local[piece] if piece >= 0 else index
        return self.parent.at(offset) if self.parent else offset

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span in the original text of ``text[start:end]``; an empty span stays empty."""
        if end <= start:
            first = self.at(start)
            return first, first
        return self.at(start), self.at(end - 1) + 1

    def cut(self, start: int, end: int) -> Mapped:
        """Return ``text[start:end]`` as a text derived from this one."""
        return Mapped(self.text[start:end], (0,), (start,), self)


def whole(text: str, offset: int = 0) -> Mapped:
    """Return a text that stands in its original at `offset`."""
    return Mapped(text, (0,), (offset,))


def pieces(source: Mapped, spans: Iterable[tuple[int, int]]) -> Mapped:
    """Return the concatenation of some spans of `source`, in order."""
    return replaced(source, ((start, end, None) for start, end in spans))


def replaced(source: Mapped, parts: Iterable[tuple[int, int, str | None]]) -> Mapped:
    """Return the concatenation of parts ``(start, end, text)``, where a text of None copies ``source.text[start:end]``.

    A replacing text maps each of its characters to `start`.
    """
    out: list[str] = []
    local: list[int] = []
    origin: list[int] = []
    length = 0
    for start, end, text in parts:
        if text is None:
            copied = source.text[start:end]
            if copied:
                local.append(length)
                origin.append(start)
                out.append(copied)
                length += len(copied)
            continue
        for char in text:
            local.append(length)
            origin.append(start)
            out.append(char)
            length += 1
    return Mapped("".join(out), tuple(local), tuple(origin), source)
