"""Find transcripts whose labels no list knows, by their structure and by the labels that the payload used."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from backslide.evals.scorers.advisor.content import (
    defines,
    has_status,
    is_advice,
    is_call,
    is_in_person,
    is_output,
    is_report,
)
from backslide.evals.scorers.advisor.forms import Form, form_of
from backslide.evals.scorers.advisor.lines import Line, lines_of
from backslide.evals.scorers.advisor.markerdata import Role
from backslide.evals.scorers.advisor.occurrences import Occurrence

_QUESTIONS = frozenset({"Q", "A", "Question", "Answer", "问", "答", "问题", "回答"})
_EXPECTS = ("expect", "want", "should", "before", "after", "预期", "期望")


@dataclass(frozen=True)
class _Labelled:
    line: int
    form: Form
    content: str
    loose: str
    """The unlabelled line below, which may be what a call printed."""

    @property
    def role(self) -> Role:
        if is_call(self.content):
            return "call"
        if is_output(self.content):
            return "result"
        return "assistant" if is_report(self.content) else "unknown"


def unknown_occurrences(lines: Sequence[Line], known: set[int], payload: str = "") -> list[Occurrence]:
    """Return labels of unlisted words that structure shows to be a transcript's; `known` lines have a label already."""
    learned = payload_shapes(payload) if payload else frozenset()
    groups: dict[str, list[_Labelled]] = defaultdict(list)
    for index, line in enumerate(lines):
        form = form_of(line, colon=True)
        if form is None or index in known:
            continue
        content, loose = _contents(lines, index, form)
        groups[form.shape].append(_Labelled(index, form, content, loose))
    out = []
    for shape, group in groups.items():
        items = _without_strays(lines, shape, group)
        if _is_transcript(shape, items, learned):
            out += [
                Occurrence(item.line, "unknown", item.role, item.form.label, item.content, colon=True) for item in items
            ]
    return sorted(out, key=lambda item: item.line)


def _without_strays(lines: Sequence[Line], shape: str, items: list[_Labelled]) -> list[_Labelled]:
    """Return labels without those at the beginning that only chance gave a label's form: words of a sentence."""
    if shape not in {"colon", "capitals", "arrow"}:
        return items
    often = Counter(item.form.label for item in items)
    at = 0
    while at + 1 < len(items) and often[items[at].form.label] == 1 and lines[items[at].line + 1].gap:
        at += 1
    return items[at:]


def _contents(lines: Sequence[Line], index: int, form: Form) -> tuple[str, str]:
    below = lines[index + 1] if index + 1 < len(lines) else None
    follows = below.text if below and not below.hidden and below.gap <= 1 and form_of(below, colon=True) is None else ""
    return (form.content, follows) if form.content else (follows, "")


def _is_transcript(shape: str, items: list[_Labelled], learned: frozenset[str]) -> bool:
    acts = Counter(item.role for item in items)
    calls, results, reports = acts["call"], acts["result"], acts["assistant"]
    loose = sum(1 for item in items if item.role == "call" and item.loose and is_output(item.loose))
    labels = {item.form.label for item in items}
    if shape in learned and (calls or results or reports or len(items) >= 2):
        return True
    if len(items) < 2 or any(word in label.lower() for label in labels for word in _EXPECTS):
        return False
    if sum(1 for item in items if is_advice(item.content)) * 2 > len(items):
        return False
    repeated = len(labels) < len(items)
    if shape in {"colon", "capitals", "arrow"}:
        acted = calls >= 1 and results >= 1 and len(items) >= 3
        return repeated and len(labels) >= 2 and (acted or (shape == "colon" and _alternates(items)))
    if _is_named(shape) and len(labels) >= 2 and _is_talk(items):
        return True
    if shape == "enclosed []" and not calls:
        stated = sum(1 for item in items if item.role == "result" and has_status(item.content))
        return repeated and len(labels) >= 2 and len(items) >= 3 and stated >= 1 and (reports >= 1 or stated >= 2)
    if shape == "enclosed []":
        return len(labels) >= 2 and calls >= 1 and (results + loose >= 1 or reports >= 1)
    if shape.startswith("banner"):
        return (
            len(items) >= 2
            and (repeated or len(labels) >= 2)
            and (calls + results >= 1)
            and (calls or reports or repeated) != 0
        )
    return (
        (calls >= 1 and results + loose + reports >= 1)
        or calls >= 2
        or (results >= 1 and (len(items) >= 3 or reports >= 1))
    )


def _is_named(shape: str) -> bool:
    """Return whether a shape is nobody's way to write a list or a heading: a name between signs."""
    return shape.startswith(("sigil", "prompt", "emoji")) or (shape.startswith("enclosed") and shape != "enclosed []")


def _is_talk(items: list[_Labelled]) -> bool:
    """Return whether lines under names are somebody at work and what came of it, rather than advice."""
    told = sum(1 for item in items if item.role != "unknown" or is_in_person(item.content))
    advised = sum(1 for item in items if is_advice(item.content) or defines(item.content))
    return told >= 1 and told * 2 >= len(items) and advised * 3 <= len(items)


def _alternates(items: list[_Labelled]) -> bool:
    """Return whether two speakers take turns, one of them with what was done and what came out."""
    labels = {item.form.label for item in items}
    if len(items) < 3 or len(labels) != 2 or "Q" in labels or labels <= _QUESTIONS:
        return False
    said = {label: [item for item in items if item.form.label == label] for label in labels}
    works = any(
        any(is_report(item.content) for item in mine) and sum(1 for item in mine if item.role != "unknown") >= 2
        for mine in said.values()
    )
    return works and any(all(item.role == "unknown" for item in mine) for mine in said.values())


def payload_shapes(payload: str) -> frozenset[str]:
    """Return the shapes of the labels under which a payload shows what was said, called and printed.

    Signs and banners count when two lines have them. Words with a colon and names in square brackets are a brief's
    headings as well: they count only if calls and results stand under them.
    """
    groups: dict[str, list[_Labelled]] = defaultdict(list)
    lines = lines_of(payload)
    for index, line in enumerate(lines):
        form = form_of(line, colon=True)
        if form is not None:
            groups[form.shape].append(_Labelled(index, form, *_contents(lines, index, form)))
    return frozenset(shape for shape, items in groups.items() if _carries(shape, items))


def _carries(shape: str, items: list[_Labelled]) -> bool:
    if shape in {"colon", "capitals", "arrow", "enclosed []"}:
        roles = {item.role for item in items}
        return len(items) >= 3 and {"call", "result"} <= roles
    return len(items) >= 2
