"""``backslide scenarios``: the corpus, listed, shown and validated."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backslide import options
from backslide.console import Output

if TYPE_CHECKING:
    from backslide.scenarios import Problem, Scenario
    from backslide.scenarios.describe import Description

app = typer.Typer(rich_markup_mode=None, help="The corpus of scripted sessions.")

EXIT_INVALID = 2


@app.command("list")
def list_scenarios(
    tag: options.Tags = None,
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """List the scenarios of the corpus."""
    from dataclasses import asdict

    from backslide.scenarios import resolve

    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    chosen = resolve([], tag or [], advisor=True)
    if quiet and not json_:
        for scenario in chosen:
            output.line(scenario.id)
        return
    described = [_describe(scenario) for scenario in chosen]
    if json_:
        output.document({"schema": 1, "scenarios": [asdict(description) for description in described]})
        return
    from backslide.reports.corpus import corpus_list

    output.show(corpus_list(described, output.width))


@app.command("show")
def show_scenario(
    scenario: Annotated[str, typer.Argument(metavar="ID|FILE", help="A scenario id, or a scenario file.")],
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Show one scenario: its story, constraints, probes and size."""
    from dataclasses import asdict

    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    description = _describe(find_scenario(scenario))
    if json_:
        output.document({"schema": 1, **asdict(description)})
        return
    from backslide.reports.corpus import scenario_page

    output.show(scenario_page(description))


@app.command("validate")
def validate(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="Scenario files. Default: the whole packaged corpus."),
    ] = None,
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Check scenario files: every problem with file, line and field.

    Exit status: 0 valid; 2 not.
    """
    from dataclasses import asdict

    from backslide.scenarios import load_corpus, validate_file

    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    problems: list[Problem] = [problem for file in files or [] for problem in validate_file(file)]
    number = len(files) if files else len(load_corpus())
    if json_:
        output.document(
            {"schema": 1, "valid": not problems, "files": number, "problems": [asdict(p) for p in problems]}
        )
    else:
        for problem in problems:
            sys.stderr.write(f"{problem.error().line()}\n")
        if not problems:
            output.note(f"{number} {'scenario' if number == 1 else 'scenarios'} valid")
    raise typer.Exit(EXIT_INVALID if problems else 0)


def find_scenario(name: str) -> Scenario:
    """Return the scenario of an id, or of a file where `name` looks like a path. Raises `InputError` for neither."""
    from backslide.scenarios import load_scenario, resolve

    if name.endswith((".yaml", ".yml")) or "/" in name:
        return load_scenario(Path(name))
    return resolve([name], advisor=True)[0]


def _describe(scenario: Scenario) -> Description:
    from backslide.harness.payload.tokens import TokenCounter
    from backslide.scenarios.describe import describe

    return describe(scenario, TokenCounter().count)
