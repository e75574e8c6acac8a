"""The entry tree: index by id, paths that always end, children in order, problems of the links."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backslide.harness.session.branch import id_key
from backslide.harness.session.clock import parse_ms
from backslide.harness.session.problems import Problem
from backslide.harness.session.reader import Entry

Index = dict[Any, Entry]

_ABSENT = object()


@dataclass(slots=True, eq=False)
class TreeNode:
    """An entry with its children, oldest first, and the label set on it."""

    entry: Entry
    children: list[TreeNode] = field(default_factory=list)
    label: str | None = None
    label_timestamp: str | None = None


def build_index(entries: Iterable[Entry]) -> Index:
    """Return the entries by id; a duplicate id names the later entry."""
    return {id_key(entry.get("id")): entry for entry in entries}


def path_to(leaf: Entry | None, index: Mapping[Any, Entry]) -> list[Entry]:
    """Return the path from the root to `leaf`; a cycle of parents ends the walk where it would repeat."""
    path: list[Entry] = []
    longest = len(index) + 1  # the leaf alone may be missing from the index
    current = leaf
    while current is not None:
        if len(path) == longest:
            path = _without_repeats(path)
            break
        path.append(current)
        parent = current.get("parentId")
        current = index.get(id_key(parent)) if parent else None
    path.reverse()
    return path


def _without_repeats(walk: list[Entry]) -> list[Entry]:
    """Return the part of an endless walk before it enters an entry again."""
    seen: set[int] = set()
    for position, entry in enumerate(walk):
        if id(entry) in seen:
            return walk[:position]
        seen.add(id(entry))
    return walk


def link_problems(entries: Sequence[Entry], lines: Sequence[int]) -> list[Problem]:
    """Report missing and duplicate ids, parents that do not exist and cycles of parents, by line."""
    problems: list[Problem] = []
    first_line: dict[Any, int] = {}
    unsettled: list[int] = []
    for position, entry in enumerate(entries):
        entry_id = entry.get("id")
        parent = entry.get("parentId")
        if parent and id_key(parent) not in first_line:
            unsettled.append(position)
        if entry_id.__class__ is str and entry_id not in first_line:
            first_line[entry_id] = lines[position]
        elif isinstance(entry_id, str):
            where = first_line[entry_id]
            problems.append(Problem(lines[position], "duplicate-id", f"id {entry_id} stands in line {where} already"))
            unsettled.append(position)
        elif entry:  # a line that is not an object has been reported already
            problems.append(Problem(lines[position], "missing-id", "an entry without a text id"))
            first_line.setdefault(id_key(entry_id), lines[position])
    dangling = [position for position in unsettled if _dangles(entries[position], first_line)]
    problems += [
        Problem(
            lines[position],
            "dangling-parent",
            f"parent {entries[position]['parentId']} does not exist; the branch starts here",
        )
        for position in dangling
    ]
    # A cycle needs a link that points ahead, or a duplicate that moved an id to a later line.
    if len(unsettled) > len(dangling):
        problems += _cycles(entries, lines)
    return problems


def _dangles(entry: Entry, known: Mapping[Any, int]) -> bool:
    parent = entry.get("parentId")
    return bool(parent) and id_key(parent) not in known


def _cycles(entries: Sequence[Entry], lines: Sequence[int]) -> list[Problem]:
    """Report every entry from which no way leads up to a root: it is in no tree, though its branch can be asked for."""
    index = build_index(entries)
    ends: dict[int, bool] = {}
    """By identity of the entry: whether its walk up ends."""
    own_ancestors: set[int] = set()
    for entry in entries:
        walk: list[int] = []
        on_walk: dict[int, int] = {}
        current: Entry | None = entry
        while current is not None and id(current) not in ends and id(current) not in on_walk:
            on_walk[id(current)] = len(walk)
            walk.append(id(current))
            parent = current.get("parentId")
            current = index.get(id_key(parent)) if parent else None
        if current is not None and id(current) in on_walk:
            own_ancestors.update(walk[on_walk[id(current)] :])
            ended = False
        else:
            ended = current is None or ends[id(current)]
        ends.update(dict.fromkeys(walk, ended))
    return [
        Problem(
            line,
            "parent-cycle",
            f"entry {entry.get('id')} {'is its own ancestor' if id(entry) in own_ancestors else 'hangs below a cycle'}",
        )
        for entry, line in zip(entries, lines, strict=True)
        if not ends[id(entry)]
    ]


def build_tree(entries: Sequence[Entry], labels: Mapping[Any, str], label_times: Mapping[Any, Any]) -> list[TreeNode]:
    """Return the roots: entries without a parent, with an unknown one, or with themselves as parent.

    Children are sorted by timestamp, stably. Entries that share an id share the node of the last of them.
    """
    nodes: dict[Any, TreeNode] = {}
    for entry in entries:
        key = id_key(entry.get("id"))
        nodes[key] = TreeNode(entry, label=labels.get(key), label_timestamp=label_times.get(key))
    roots: list[TreeNode] = []
    for entry in entries:
        own = entry.get("id", _ABSENT)
        parent = entry.get("parentId", _ABSENT)
        node = nodes[id_key(entry.get("id"))]
        above = None if parent is None or parent == own else nodes.get(id_key(entry.get("parentId")))
        (roots if above is None else above.children).append(node)
    for node in nodes.values():
        if len(node.children) > 1:
            node.children.sort(key=functools.cmp_to_key(_by_time))
    return roots


def _by_time(one: TreeNode, other: TreeNode) -> int:
    """Compare as a subtraction of times does in a JavaScript sort: what is not a time is equal to all."""
    difference = parse_ms(one.entry.get("timestamp", "")) - parse_ms(other.entry.get("timestamp", ""))
    return int(difference > 0) - int(difference < 0)
