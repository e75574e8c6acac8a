"""Load, check and hash scenario files."""

from __future__ import annotations

import hashlib
import json
from importlib.resources.abc import Traversable
from pathlib import Path

from pydantic import ValidationError

from backslide.scenarios.checks import check_scenario
from backslide.scenarios.model import Scenario
from backslide.scenarios.problems import Finding, Problem, path_text, schema_findings
from backslide.scenarios.source import Document, UnreadableError, parse_source, read_source

_loaded: dict[tuple[str, bytes], Scenario] = {}


def load_scenario(path: str | Path | Traversable) -> Scenario:
    """Return the scenario of a file; raise `InputError` with its first problem.

    A file whose bytes were loaded before by this process is not parsed again.
    """
    file = Path(path) if isinstance(path, str) else path
    try:
        data = read_source(file)
    except UnreadableError as error:
        raise error.problem.error() from None
    key = (str(file), hashlib.sha256(data).digest())
    if key not in _loaded:
        scenario, problems = _examine(file, data)
        if scenario is None or problems:
            raise problems[0].error()
        _loaded[key] = scenario
    return _loaded[key]


def validate_file(path: str | Path | Traversable) -> list[Problem]:
    """Return everything that is wrong with a scenario file, in the order of its lines; empty if it is valid.

    What crosses from one part to another is looked at only when each part is valid by itself.
    """
    file = Path(path) if isinstance(path, str) else path
    try:
        data = read_source(file)
    except UnreadableError as error:
        return [error.problem]
    return _examine(file, data)[1]


def scenario_hash(source: str | Path | Traversable | Scenario) -> str:
    """Return the SHA-256 of a scenario's content as hex digits, for run manifests.

    Comments, layout, the order of fields, and fields written out at their default do not count; any other
    change does. Raises `InputError` if a file is not a valid scenario.
    """
    scenario = source if isinstance(source, Scenario) else load_scenario(source)
    content = scenario.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _examine(file: Path | Traversable, data: bytes) -> tuple[Scenario | None, list[Problem]]:
    try:
        document = parse_source(data, str(file))
    except UnreadableError as error:
        return None, [error.problem]
    scenario: Scenario | None = None
    try:
        scenario = Scenario.model_validate(document.data)
    except ValidationError as error:
        findings = schema_findings(error, Scenario)
    else:
        findings = check_scenario(scenario, file.name.removesuffix(".yaml"))
    problems = document.problems + [_placed(finding, document) for finding in findings]
    return scenario, sorted(problems, key=lambda problem: problem.line or 0)


def _placed(finding: Finding, document: Document) -> Problem:
    line = document.line(finding.path)
    return Problem(document.file, line, path_text(finding.path), finding.what, finding.mend)
