"""What is wrong with a scenario file: where, what was expected, what was seen, how to mend it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from backslide.harness.errors import InputError, nearest

Path = tuple[str | int, ...]
"""The way to a value from the top of the file: field names and list positions, from 0."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong at a path, before file and line are known."""

    path: Path
    what: str
    mend: str | None = None


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a scenario file; `line` counts from 1, None if no line is to blame."""

    file: str
    line: int | None
    path: str
    what: str
    mend: str | None = None

    def error(self) -> InputError:
        """Return the problem as an error of one line."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return InputError(self.what, where=f"{place}: {self.path}" if self.path else place, mend=self.mend)


def path_text(path: Path) -> str:
    """Write a path as people do: `turns[3].steps[1].calls[0].tool`, positions from 0."""
    text = ""
    for piece in path:
        text += f"[{piece}]" if isinstance(piece, int) else f".{piece}"
    return text.removeprefix(".")


def schema_findings(error: ValidationError, model: type[BaseModel]) -> list[Finding]:
    """Explain what pydantic found, each thing once and in the words of the format."""
    details = error.errors(include_url=False)
    paths = [_path(detail["loc"]) for detail in details]
    located = list(zip(details, paths, strict=True))
    unknown = [path for detail, path in located if detail["type"] == "extra_forbidden"]
    misspelt = {path: nearest(str(path[-1]), _fields_at(model, path[:-1])) for path in unknown}
    meant = {(*path[:-1], name) for path, name in misspelt.items() if name}
    found: list[Finding] = []
    for detail, path in located:
        if detail["type"] == "missing" and path in meant:
            continue
        if detail["type"] == "too_short" and any(_is_below(other, path) for other in paths):
            continue  # pydantic counts the items that failed as absent
        if detail["type"] == "extra_forbidden":
            close = misspelt[path]
            names = ", ".join(_fields_at(model, path[:-1]))
            mend = f"did you mean {close!r}?" if close else f"the fields here are {names}"
            found.append(Finding(path, f"unknown field {str(path[-1])!r}", mend))
        else:
            found.append(_explain(detail, path))
    return found


def seen(value: object) -> str:
    """Describe a value in a few words."""
    if value is None:
        return "nothing"
    if isinstance(value, str):
        short = value if len(value) <= 60 else f"{value[:57]}…"
        return f"text {short!r}" if value.strip() else "blank text"
    if isinstance(value, bool):
        return f"the truth value {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {str(value)[:40]}"
    if isinstance(value, Mapping):
        keys = ", ".join(str(key) for key in list(value)[:4])
        return f"a mapping with {keys}" if keys else "an empty mapping"
    if isinstance(value, Sequence):
        return f"a list of {len(value)}" if value else "an empty list"
    return f"a {type(value).__name__}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest the nearest known name, or list the known ones."""
    names = list(known)
    close = nearest(name, names)
    return f"did you mean {close!r}?" if close else f"known: {', '.join(names) or 'none'}"


_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


def _explain(detail: ErrorDetails, path: Path) -> Finding:
    kind, value, context = detail["type"], detail["input"], detail.get("ctx", {})
    saw = seen(value)
    if kind == "missing":
        return Finding(path, f"field {str(path[-1])!r} is missing, saw {saw}", f"add {str(path[-1])!r}")
    if kind in _EXPECTED:
        return Finding(path, f"expected {_EXPECTED[kind]}, saw {saw}", _retype(kind, value))
    if kind == "literal_error":
        words = re.findall(r"'([^']*)'", str(context["expected"]))
        mend = did_you_mean(value, words) if isinstance(value, str) and words else None
        return Finding(path, f"expected {context['expected']}, saw {saw}", mend)
    if kind == "string_pattern_mismatch":
        if context["pattern"] == r"\S":
            return Finding(path, f"expected words, saw {saw}", "write the text or leave the field out")
        return Finding(path, f"expected a name like `lower-case-words`, saw {saw}", _kebab(value))
    if kind == "too_short":
        return Finding(path, f"expected at least {context['min_length']} item, saw {saw}", "add an item")
    if kind == "too_long":
        return Finding(path, f"expected an empty list (reserved for later), saw {saw}", "leave it out")
    if kind == "greater_than_equal":
        return Finding(path, f"expected a number of at least {context['ge']}, saw {saw}", "raise it")
    if kind == "less_than_equal":
        return Finding(path, f"expected a number of at most {context['le']}, saw {saw}", "lower it")
    return Finding(path, f"{detail['msg']}, saw {saw}")


def _retype(kind: str, value: object) -> str | None:
    if kind == "string_type" and isinstance(value, bool | int | float):
        return "put it in quotes"
    if kind in {"tuple_type", "list_type"} and isinstance(value, str):
        return "write it as [item, item]"
    return "give it a value or leave the field out" if value is None else None


def _kebab(value: object) -> str | None:
    name = re.sub(r"[^a-z0-9]+", "-", str(value).lower()).strip("-")
    return f"did you mean {name!r}?" if name and name != value else None


def _is_below(path: Path, top: Path) -> bool:
    return len(path) > len(top) and path[: len(top)] == top


def _path(loc: tuple[int | str, ...]) -> Path:
    # A tagged union puts its tag, written <like this>, into pydantic's location.
    return tuple(piece for piece in loc if not (isinstance(piece, str) and piece.startswith("<")))


def _fields_at(model: type[BaseModel], path: Path) -> list[str]:
    """List the field names of the part at a path, as the file spells them."""
    parts: list[type[BaseModel]] = [model]
    for piece in path:
        if isinstance(piece, str):
            parts = [inner for part in parts for inner in _parts_of_field(part, piece)]
    return [info.alias or name for part in parts for name, info in part.model_fields.items()]


def _parts_of_field(part: type[BaseModel], name: str) -> list[type[BaseModel]]:
    for attribute, info in part.model_fields.items():
        if name == (info.alias or attribute):
            return _parts_in(info.annotation)
    return []


def _parts_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [part for argument in get_args(annotation) for part in _parts_in(argument)]
