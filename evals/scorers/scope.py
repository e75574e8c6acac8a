"""Does a rule hold for what a piece of a reply is about?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from backslide.evals.scorers.paths import mentions
from backslide.scenarios.globs import matches


@dataclass(frozen=True)
class Reach:
    """The files for which a rule or one of its detectors holds: `paths` (none: every file) without `except_paths`.

    `known` are the files of the workspace, by which a bare file name is located.
    """

    paths: tuple[str, ...] = ()
    except_paths: tuple[str, ...] = ()
    known: tuple[str, ...] = ()

    def locate(self, path: str | None) -> str | None:
        """Return where a file stands: a bare name by the workspace; None if it stands nowhere there, or in several
        folders.
        """
        if path is None or "/" in path:
            return path
        found = [known for known in self.known if known.rsplit("/", 1)[-1] == path]
        return found[0] if len(found) == 1 else None

    def covers(self, path: str | None) -> bool:
        """Return whether a file is within reach; an unknown file is.

        An absolute path, or one with the repository's folder in front, is within reach if any end of it is.
        """
        path = self.locate(path)
        if path is None:
            return True
        ends = _ends(path)
        if self.except_paths and any(matches(end, self.except_paths) for end in ends):
            return False
        return not self.paths or any(matches(end, self.paths) for end in ends)

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """Return the folders that the paths begin with, without wildcards: ``feedparse`` of ``feedparse/**``."""
        heads = [glob.removeprefix("./").split("*", 1)[0].rstrip("/") for glob in self.paths]
        return tuple(dict.fromkeys(head for head in heads if head))

    @cached_property
    def _inside(self) -> re.Pattern[str] | None:
        if not self.folders:
            return None
        names = "|".join(re.escape(folder).replace("/", r"[/.]") for folder in self.folders)
        return re.compile(rf"(?<![\w/.-])(?:{names})(?![\w-])")

    def spoken_of(self, text: str, at: int | None = None) -> bool | None:
        """Return whether words speak of files within reach (True), only of others (False), or of none (None).

        With `at`, the mention nearest to that offset decides when there are both.
        """
        if not self.paths and not self.except_paths:
            return None
        found: list[tuple[int, bool]] = [
            (start, self.covers(path)) for path, start, _ in mentions(text) if self.locate(path)
        ]
        if self._inside:
            found.extend((match.start(), True) for match in self._inside.finditer(text))
        found.sort()
        found.extend((match.start(), self.covers(match[1] + "/x")) for match in _FOLDER.finditer(text))
        if not found:
            return None
        if at is None:
            return any(inside for _, inside in found)
        low = max((match.end() for match in _BREAK.finditer(text, 0, at)), default=0)
        stop = _BREAK.search(text, at)
        high = stop.start() if stop else len(text)
        near = [item for item in found if low <= item[0] < high]
        before = [item for item in found if item[0] < at]
        return min(near or before[-1:] or found, key=lambda item: abs(item[0] - at))[1]


_BREAK = re.compile(r"[;；。！？]|[.!?](?=\s)")
_FOLDER = re.compile(
    r"\b(?:in|under|inside|into|within|below|on)\s+(?:the\s+)?[`'\"]?(tools|tests?|scripts?|examples?|"
    r"benchmarks?|docs|bench|ci)\b(?!/)"
)


def _ends(path: str) -> list[str]:
    plain = path.strip().strip("`'\"").removeprefix("./")
    plain = re.sub(r"^(?:\w+:)?[/\\]+", "", plain)
    parts = plain.split("/")
    ends = ["/".join(parts[index:]) for index in range(min(len(parts), 6))]
    if path.startswith(("/", "~")) or ":" in path:
        return ends + [end + "/" for end in ends[-1:] if "." not in end]
    first = [plain]
    if "." not in parts[-1]:
        first.append(plain.rstrip("/") + "/")
        first.append(plain.rstrip("/") + "/x")
    return first


def nearest_path(candidates: Sequence[str | None]) -> str | None:
    """Return the first path that is known."""
    return next((path for path in candidates if path), None)
