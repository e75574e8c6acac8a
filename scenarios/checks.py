"""Checks that cross from one part of a scenario to another, which the models alone cannot make.

Every check yields `Finding`s with the path, what was expected and seen, and how to mend it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from backslide.scenarios.check_cards import check_cards
from backslide.scenarios.check_tasks import check_advisor
from backslide.scenarios.check_turns import SPEAKERS, check_turns, spoken
from backslide.scenarios.globs import is_relative
from backslide.scenarios.model import Constraint, Probe, Scenario
from backslide.scenarios.problems import Finding, Path, did_you_mean


def check_scenario(scenario: Scenario, file_stem: str | None = None) -> list[Finding]:
    """Return all findings about a scenario whose parts are valid; `file_stem` is its file's bare name."""
    found: list[Finding] = []
    if file_stem is not None and scenario.id != file_stem:
        what = f"expected the file's name {file_stem!r}, saw {scenario.id!r}"
        found.append(Finding(("id",), what, "rename the file or change the id"))
    found += _duplicates("constraints", "constraint", (rule.id for rule in scenario.constraints))
    found += _duplicates("probes", "probe", (probe.id for probe in scenario.probes))
    found += _duplicates("cards", "card of probe", (card.probe for card in scenario.cards), name="probe")
    found += _duplicates("probes", "request", (probe.request for probe in scenario.probes), name="request")
    found += _workspace(scenario)
    found += check_turns(scenario.turns)
    for index, rule in enumerate(scenario.constraints):
        found += _scope(rule, ("constraints", index))
        found += _plants(scenario, rule, ("constraints", index))
        found += _lift(scenario, rule, ("constraints", index))
        found += _detectors(rule, ("constraints", index, "detectors"))
    for index, probe in enumerate(scenario.probes):
        found += _probe(scenario, probe, ("probes", index))
    found += check_cards(scenario)
    found += check_advisor(scenario)
    return found


def _duplicates(field: str, kind: str, names: Iterable[str], *, name: str = "id") -> Iterator[Finding]:
    first: dict[str, int] = {}
    for index, value in enumerate(names):
        if value in first:
            what = f"the {kind} {value!r} stands twice, first at {field}[{first[value]}]"
            yield Finding((field, index, name), what, f"give each its own {name}")
        first.setdefault(value, index)


def _workspace(scenario: Scenario) -> Iterator[Finding]:
    paths: set[str] = set()
    for index, file in enumerate(scenario.workspace.files):
        path: Path = ("workspace", "files", index, "path")
        yield from _relative(file.path, path)
        if file.path in paths:
            yield Finding(path, f"the file {file.path!r} stands twice", "keep one of them")
        paths.add(file.path)
    for index, commit in enumerate(scenario.workspace.commits):
        for position, name in enumerate(commit.files):
            if name not in paths:
                path = ("workspace", "commits", index, "files", position)
                what = f"expected a file of the workspace, saw {name!r}"
                yield Finding(path, what, did_you_mean(name, sorted(paths)))


def _relative(path: str, where: Path) -> Iterator[Finding]:
    if not is_relative(path):
        what = f"expected a path inside the workspace, saw {path!r}"
        yield Finding(where, what, "write it relative, with / and without ..")


def _globs(globs: Iterable[str], where: Path) -> Iterator[Finding]:
    for index, glob in enumerate(globs):
        yield from _relative(glob, (*where, index))


def _scope(rule: Constraint, where: Path) -> Iterator[Finding]:
    scope = rule.scope
    if scope.everywhere and scope.paths:
        what = "expected either `everywhere: true` or `paths`, saw both"
        yield Finding((*where, "scope"), what, "keep one of them")
    if not scope.everywhere and not scope.paths:
        what = "expected `everywhere: true` or `paths`, saw neither"
        yield Finding((*where, "scope"), what, "say where the rule holds")
    yield from _globs(scope.paths, (*where, "scope", "paths"))
    yield from _globs(scope.except_paths, (*where, "scope", "except"))


def _plants(scenario: Scenario, rule: Constraint, where: Path) -> Iterator[Finding]:
    for index, plant in enumerate(rule.planted):
        path = (*where, "planted", index)
        if plant.turn > len(scenario.turns):
            yield _no_turn(scenario, plant.turn, (*path, "turn"))
            continue
        turn = scenario.turns[plant.turn - 1]
        if any(plant.text in text for text in spoken(turn, plant.speaker)):
            continue
        what = f"expected a sentence of turn {plant.turn} by the {plant.speaker}, saw {plant.text!r}"
        yield Finding((*path, "text"), what, _where_else(scenario, plant.text))


def _where_else(scenario: Scenario, text: str) -> str:
    """Say where a sentence stands that is not where it was looked for."""
    said = [
        (words, turn.turn, speaker)
        for turn in scenario.turns
        for speaker in SPEAKERS
        for words in spoken(turn, speaker)
    ]
    for words, number, speaker in said:
        if text in words:
            return f"it stands in turn {number} by the {speaker}"
    flat = " ".join(text.split())
    for words, number, speaker in said:
        if flat in " ".join(words.split()):
            return f"turn {number} has it with other blanks or line breaks ({speaker}), copy it exactly"
    return "copy the sentence exactly as it stands in the turn"


def _lift(scenario: Scenario, rule: Constraint, where: Path) -> Iterator[Finding]:
    if rule.lifted is None:
        return
    lift, path = rule.lifted, (*where, "lifted")
    if lift.turn > len(scenario.turns):
        yield _no_turn(scenario, lift.turn, (*path, "turn"))
    elif lift.turn <= max(plant.turn for plant in rule.planted):
        last = max(plant.turn for plant in rule.planted)
        yield Finding(
            (*path, "turn"),
            f"expected a turn after the plant in turn {last}, saw {lift.turn}",
            "lift it later",
        )
    elif lift.text not in scenario.turns[lift.turn - 1].user:
        what = f"expected a sentence of the user in turn {lift.turn}, saw {lift.text!r}"
        yield Finding((*path, "text"), what, _where_else(scenario, lift.text))
    others = [other.id for other in scenario.constraints if other.id != rule.id]
    if lift.replaced_by is not None and lift.replaced_by not in others:
        what = f"expected another constraint's id, saw {lift.replaced_by!r}"
        yield Finding((*path, "replaced_by"), what, did_you_mean(lift.replaced_by, others))


def _no_turn(scenario: Scenario, number: int, path: Path) -> Finding:
    last = len(scenario.turns)
    return Finding(path, f"expected a turn from 1 to {last}, saw {number}", "name a turn of this session")


def _detectors(rule: Constraint, where: Path) -> Iterator[Finding]:
    if rule.detectors is None:
        return
    for index, structural in enumerate(rule.detectors.structural):
        path = (*where, "structural", index)
        yield from _globs(structural.paths, (*path, "paths"))
        yield from _globs(structural.except_paths, (*path, "except_paths"))
        if not structural.rule:
            yield Finding((*path, "rule"), "expected an ast-grep rule, saw an empty mapping", "write the rule")
    for index, lexical in enumerate(rule.detectors.lexical):
        path = (*where, "lexical", index)
        yield from _globs(lexical.paths, (*path, "paths"))
        yield from _globs(lexical.except_paths, (*path, "except_paths"))
        problem = _re2_problem(lexical.pattern)
        if problem:
            what = f"expected an RE2 pattern, saw {lexical.pattern!r} ({problem})"
            yield Finding((*path, "pattern"), what, "RE2 has no look-around and no back-references")


def _re2_problem(pattern: str) -> str | None:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else "invalid"
        return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    return None


def _probe(scenario: Scenario, probe: Probe, where: Path) -> Iterator[Finding]:
    rules = {rule.id: rule for rule in scenario.constraints}
    rule = rules.get(probe.constraint) if probe.constraint is not None else None
    if probe.constraint is not None and rule is None:
        what = f"expected a constraint of this file or null, saw {probe.constraint!r}"
        yield Finding((*where, "constraint"), what, did_you_mean(probe.constraint, rules))
    if probe.constraint is None and probe.kind != "control":
        what = f"expected a constraint for a probe of kind {probe.kind}, saw nothing"
        yield Finding((*where, "constraint"), what, "name the rule at stake, or make it `kind: control`")
    if not probe.at and not probe.every_cycle:
        what = "expected `at` turns or `every_cycle: true`, saw neither"
        yield Finding(where, what, "say when the probe is asked")
    if probe.path is not None:
        yield from _relative(probe.path, (*where, "path"))
    for index, turn in enumerate(probe.at):
        path = (*where, "at", index)
        if turn in probe.at[:index]:
            yield Finding(path, f"the turn {turn} stands twice", "keep one of them")
        elif turn > len(scenario.turns):
            yield _no_turn(scenario, turn, path)
        elif rule is not None and turn < rule.planted_turn:
            what = f"expected a turn from {rule.planted_turn}, where {rule.id!r} is planted, saw {turn}"
            yield Finding(path, what, "ask the probe after the plant")
