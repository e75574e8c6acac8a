"""Find the dependencies that a manifest, or a fragment of one, names."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Dependency:
    """A dependency: its name, and where the name stands."""

    name: str
    start: int
    end: int


_SECTIONS = frozenset(
    {
        "dependencies",
        "devDependencies",
        "peerDependencies",
        "optionalDependencies",
        "resolutions",
        "overrides",
        "bundledDependencies",
    }
)
_JSON_PAIR = re.compile(r'"(?P<name>@?[\w./-]+)"\s*:\s*"(?P<version>[^"\n]*)"')
_VERSION = re.compile(r"^(?:[~^<>=v]*\s*\d|\*|latest$|next$|workspace:|npm:|git\+|file:|link:|github:|x$)")
_TOML_PAIR = re.compile(
    r"^[ \t]*\"?(?P<name>[\w.-]+)\"?[ \t]*=[ \t]*(?P<value>\"[^\"\n]*\"|\{[^\n]*|'[^'\n]*')", re.MULTILINE
)
_TOML_TABLE = re.compile(
    r"^[ \t]*\[(?:[\w.'\"-]*\.)?(?:dev-|build-)?dependencies\.(?P<name>[\w-]+)\][ \t]*$", re.MULTILINE
)
_REQUIREMENT = re.compile(
    r"^[ \t]*(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[\w, -]+\])?[ \t]*(?:(?:[<>=!~]=?=?|@)[^\n]*)?$", re.MULTILINE
)
_QUOTED_REQUIREMENT = re.compile(
    r"[\"'](?P<name>[A-Za-z0-9][\w.-]*)(?:\[[\w, -]+\])?[ \t]*(?:[<>=!~]=?|@)[^\"'\n]*[\"']|"
    r"^[ \t]*[\"'](?P<alone>[A-Za-z0-9][\w.-]*)[\"'],?[ \t]*$",
    re.MULTILINE,
)
_IMAGE = re.compile(r"^[ \t-]*(?:image:[ \t]*|FROM[ \t]+)[\"']?(?P<name>[\w./-]+)", re.MULTILINE)
_GO_REQUIRE = re.compile(r"^[ \t]*(?:require[ \t]+)?(?P<name>[\w-]+\.[\w.-]+/[\w./-]+)[ \t]+v\d", re.MULTILINE)
_XML_ARTIFACT = re.compile(r"<artifactId>(?P<name>[\w.-]+)</artifactId>")


def dependencies(text: str, language: str | None, path: str | None) -> Iterator[Dependency]:
    """Yield the dependencies of a manifest text.

    A whole file is read by its parser, which tells dependencies from other pairs; what does not parse is read line
    by line.
    """
    name = (path or "").rsplit("/", 1)[-1].lower()
    if language == "json" or name == "package.json" or (language is None and '"dependencies"' in text):
        yield from _json(text)
    elif language == "toml" or name.endswith(".toml"):
        yield from _toml(text)
    elif language == "requirements" or (name.endswith(".txt") and "requirements" in name):
        yield from _matches(_REQUIREMENT, re.sub(r"#[^\n]*", lambda match: " " * len(match.group()), text))
    elif language in {"yaml", "dockerfile"}:
        yield from _matches(_IMAGE, text)
    elif language == "go" or name == "go.mod":
        yield from _matches(_GO_REQUIRE, text)
    elif language == "xml":
        yield from _matches(_XML_ARTIFACT, text)
    elif language is None:
        yield from _json(text)
        yield from _toml(text)
        yield from _matches(_GO_REQUIRE, text)
        yield from _matches(_IMAGE, text)
        if all(re.match(r"\s*(?:[\w.-]+(?:\[[\w,]+\])?\s*[<>=!~]=.*|#.*)?$", line) for line in text.splitlines()[:40]):
            yield from _matches(_REQUIREMENT, text)


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[Dependency]:
    for match in pattern.finditer(text):
        group = "name" if match["name"] else "alone"
        yield Dependency(match[group], match.start(group), match.end(group))


def _json(text: str) -> Iterator[Dependency]:
    allowed: set[str] | None = None
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = None
    if isinstance(parsed, dict) and (_SECTIONS & parsed.keys() or "name" in parsed or "scripts" in parsed):
        allowed = {key for section in _SECTIONS if isinstance(parsed.get(section), dict) for key in parsed[section]}
    for match in _JSON_PAIR.finditer(text):
        if allowed is not None:
            if match["name"] not in allowed:
                continue
        elif not _VERSION.match(match["version"]):
            continue
        yield Dependency(match["name"], match.start("name"), match.end("name"))


def _toml(text: str) -> Iterator[Dependency]:
    try:
        parsed: dict[str, object] | None = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        parsed = None
    metadata = {
        "name",
        "version",
        "edition",
        "requires-python",
        "description",
        "license",
        "readme",
        "authors",
        "build-backend",
        "resolver",
    }
    keys = None if parsed is None else _tables(parsed)
    for match in _TOML_PAIR.finditer(text):
        if match["name"] in metadata or (keys is not None and keys and match["name"] not in keys):
            continue
        yield Dependency(match["name"], match.start("name"), match.end("name"))
    yield from _matches(_TOML_TABLE, text)
    for match in _QUOTED_REQUIREMENT.finditer(text):
        group = "name" if match["name"] else "alone"
        yield Dependency(match[group], match.start(group), match.end(group))


def _tables(parsed: dict[str, object], depth: int = 0) -> set[str]:
    """Return the keys of every table whose name ends in dependencies, at any depth."""
    out: set[str] = set()
    for key, value in parsed.items():
        if isinstance(value, dict) and depth < 8:
            if key.endswith("dependencies"):
                out |= set(value)
            out |= _tables(value, depth + 1)
    return out
