"""Read a YAML file safely, and know on which line each of its values stands.

Only plain data comes out: mappings with text keys, lists, text, numbers, truth values and null. Tags, merge
keys and aliases that multiply are refused. Dates stay text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path as FilePath

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from backslide.scenarios.problems import Path, Problem, path_text, seen

MAX_BYTES = 8 * 1024 * 1024
MAX_DEPTH = 40
MAX_REPEATS = 10_000
"""Values that aliases may repeat in one file."""


class UnreadableError(Exception):
    """The file holds no YAML document that could be looked into; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.what)


@dataclass(frozen=True)
class Document:
    """A file's plain data, what is wrong with it as YAML, and its node tree for line numbers."""

    file: str
    data: object
    root: Node
    problems: list[Problem] = field(default_factory=list)

    def line(self, path: Path) -> int:
        """Return the line, from 1, of the value at a path, or of the last part of the path that exists."""
        node, line = self.root, self.root.start_mark.line
        for piece in path:
            step = _child(node, piece)
            if step is None:
                break
            node, line = step
        return int(line) + 1


def read_source(file: Traversable | FilePath) -> bytes:
    """Return a file's bytes; raise `UnreadableError` for what is no file, is empty or is too large."""
    name = str(file)

    def refuse(what: str, mend: str) -> UnreadableError:
        return UnreadableError(Problem(name, None, "", what, mend))

    too_large = refuse(f"the file is larger than {MAX_BYTES // 2**20} MB", "use noise for bulk")

    if file.is_dir():
        raise refuse("expected a scenario file, saw a directory", "name one of its .yaml files")
    try:
        if isinstance(file, FilePath) and file.stat().st_size > MAX_BYTES:
            raise too_large
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise refuse("there is no such file", "check the path") from None
    except OSError as error:
        raise refuse(f"the file cannot be read: {error.strerror or error}", "check its permissions") from None
    if len(data) > MAX_BYTES:
        raise too_large
    if not data.strip():
        raise refuse("expected a scenario, saw an empty file", "start with `schema: 1`")
    return data


def parse_source(data: bytes, name: str) -> Document:
    """Return the document in a file's bytes; raise `UnreadableError` if they are no single YAML document."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"expected UTF-8 text, saw the byte 0x{data[error.start]:02x}"
        raise UnreadableError(Problem(name, line, "", what, "save the file as UTF-8")) from None
    yaml = YAML(typ="safe")  # the C parser if ruamel.yaml has one, else its own
    yaml.max_depth = MAX_DEPTH
    try:
        root = yaml.compose(text)
    except YAMLError as error:
        raise UnreadableError(_yaml_problem(error, text, name)) from None
    if root is None:
        what = "expected a scenario, saw only comments"
        raise UnreadableError(Problem(name, None, "", what, "start with `schema: 1`"))
    builder = _Builder(name)
    return Document(name, builder.value(root, ()), root, builder.problems)


class _Builder:
    """Turns nodes into plain data and notes what has no place in it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.problems: list[Problem] = []
        self._open: set[int] = set()
        self._met: set[int] = set()
        self._repeats = 0

    def value(self, node: Node, path: Path) -> object:
        """Return a node's plain value."""
        if isinstance(node, ScalarNode):
            return self._scalar(node, path)
        if self._is_alias_trap(node, path):
            return None
        if len(path) > MAX_DEPTH:  # the C parser has no limit of its own
            self._note(node, path, "the nesting exceeds the depth that is read", f"nest at most {MAX_DEPTH} levels")
            return None
        self._open.add(id(node))
        try:
            if isinstance(node, SequenceNode):
                self._expect_tag(node, "seq", path)
                return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
            self._expect_tag(node, "map", path)
            return self._mapping(node, path)
        finally:
            self._open.discard(id(node))

    def _mapping(self, node: Node, path: Path) -> dict[str, object]:
        result: dict[str, object] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, ScalarNode) or key_node.tag not in _TEXT_TAGS:
                what = f"expected a field name, saw {seen(key_node.value)}"
                self.problems.append(Problem(self.name, line, path_text(path), what, "put the name in quotes"))
                continue
            key = str(key_node.value)
            if key in result:
                what = f"the field {key!r} stands twice, first on line {lines[key]}"
                self.problems.append(Problem(self.name, line, path_text((*path, key)), what, "keep one of them"))
                continue
            lines[key] = line
            result[key] = self.value(value_node, (*path, key))
        return result

    def _scalar(self, node: ScalarNode, path: Path) -> object:
        text = str(node.value)
        if node.tag in _TEXT_TAGS:
            return text
        convert = _CONVERT.get(str(node.tag))
        if convert is None:
            self._expect_tag(node, "str", path)
            return text
        try:
            return convert(text)
        except (ValueError, KeyError):
            what = f"expected {_KIND[str(node.tag)]}, saw {seen(text)}"
            self._note(node, path, what, "write a plain value, or put it in quotes")
            return None

    def _expect_tag(self, node: Node, kind: str, path: Path) -> None:
        if node.tag != f"{_TAG}{kind}":
            tag = str(node.tag).replace(_TAG, "!!")
            self._note(node, path, f"expected plain data, saw the tag {tag}", "remove the tag")

    def _is_alias_trap(self, node: Node, path: Path) -> bool:
        if id(node) in self._open:
            self._note(node, path, "an alias stands inside the value that it repeats", "write the value out")
            return True
        if id(node) in self._met:
            self._repeats += 1
            if self._repeats == MAX_REPEATS:
                self._note(node, path, f"aliases repeat more than {MAX_REPEATS} values", "write the values out")
            return self._repeats >= MAX_REPEATS
        self._met.add(id(node))
        return False

    def _note(self, node: Node, path: Path, what: str, mend: str) -> None:
        self.problems.append(Problem(self.name, node.start_mark.line + 1, path_text(path), what, mend))


_TAG = "tag:yaml.org,2002:"
_TEXT_TAGS = frozenset({f"{_TAG}str", f"{_TAG}timestamp", f"{_TAG}value"})
_BOOLS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_KIND = {f"{_TAG}int": "a whole number", f"{_TAG}float": "a number", f"{_TAG}bool": "true or false"}


def _int(text: str) -> int:
    digits = text.replace("_", "")
    prefix = digits.lstrip("+-")[:2].lower()
    return int(digits, {"0x": 16, "0o": 8, "0b": 2}.get(prefix, 10))


def _float(text: str) -> float:
    return float(text.replace("_", "").replace(".inf", "inf").replace(".nan", "nan"))


_CONVERT: dict[str, Callable[[str], object]] = {
    f"{_TAG}null": lambda _: None,
    f"{_TAG}bool": lambda text: _BOOLS[text.lower()],
    f"{_TAG}int": _int,
    f"{_TAG}float": _float,
}


def _child(node: Node, piece: str | int) -> tuple[Node, int] | None:
    if isinstance(node, MappingNode) and isinstance(piece, str):
        for key, value in node.value:
            if key.value == piece:
                return value, key.start_mark.line
    if isinstance(node, SequenceNode) and isinstance(piece, int) and piece < len(node.value):
        item = node.value[piece]
        return item, item.start_mark.line
    return None


def _yaml_problem(error: YAMLError, text: str, name: str) -> Problem:
    if isinstance(error, ReaderError):
        at = text.count("\n", 0, error.position) + 1
        code = ord(text[error.position]) if error.position < len(text) else 0
        return Problem(name, at, "", f"expected text, saw the control character U+{code:04X}", "remove it")
    if not isinstance(error, MarkedYAMLError):
        return Problem(name, None, "", f"not valid YAML: {error}", "mend the YAML")
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark is not None else None
    what = " ".join(part for part in (error.context, error.problem) if part)
    # The C parser does not say which character it means.
    if "cannot start any token" in what and mark is not None and text[mark.index : mark.index + 1] == "\t":
        what = what.replace("character that", r"character '\t' that")
    return Problem(name, line, "", f"not valid YAML: {what}", _yaml_mend(what))


def _yaml_mend(what: str) -> str:
    hints = {
        r"'\t'": "indent with spaces, tabs are not allowed",
        "mapping values are not allowed": "put text that contains ': ' in quotes, or mend the indentation",
        "undefined alias": "put text that starts with * in quotes",
        "single document": "keep one document a file",
        "quoted scalar": "close the quotes",
        "maximum depth": f"nest at most {MAX_DEPTH} levels",
        "cannot start any token": "put text that starts with this character in quotes",
    }
    return next((hint for sign, hint in hints.items() if sign in what), "mend the YAML on or before this line")
