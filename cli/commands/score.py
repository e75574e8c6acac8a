"""``backslide score``: one reply or text, or a batch of them, through a scorer."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backslide import options
from backslide.commands.score_advisor import evidence_line, evidence_row
from backslide.console import Output, print_json

if TYPE_CHECKING:
    from backslide.scenarios import Scenario

app = typer.Typer(rich_markup_mode=None, help="One reply or text through a scorer.")

EXIT_FOUND = 1

File = Annotated[str | None, typer.Argument(metavar="[FILE]", help="A text file; - is standard input.")]
Batch = Annotated[
    str | None, typer.Option("--batch", metavar="FILE.jsonl", help="One JSON object a line in, one out; - is stdin.")
]
Row = dict[str, Any]


@app.callback()
def score() -> None:
    """One reply or text through a scorer."""


@app.command("relapse")
def relapse(
    file: File = None,
    batch: Batch = None,
    scenario: Annotated[str | None, typer.Option("--scenario", metavar="ID", help="The scenario.")] = None,
    constraint: Annotated[str | None, typer.Option("--constraint", metavar="ID", help="Its rule, or none.")] = None,
    probe: Annotated[str | None, typer.Option("--probe", metavar="ID", help="The probe that was answered.")] = None,
    path: Annotated[str | None, typer.Option("--path", help="The file that a bare code block belongs to.")] = None,
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Say whether a reply uses or proposes what was ruled out.

    Exit status: 0 clean; 1 a relapse or an over-restriction; 2 bad input. With --batch 0 whatever it finds.
    """
    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    scenarios: dict[str, Scenario] = {}
    if batch is not None:
        _run_batch(batch, file, lambda row: _relapse_row(row, scenarios))
        return
    row: Row = {"id": file or "-", "reply": _read_text(file), "scenario": scenario, "constraint": constraint}
    row |= {name: value for name, value in (("probe", probe), ("path", path)) if value is not None}
    _required(row, "scenario", "constraint", flags=True)
    verdict = _relapse_row(row, scenarios)
    found = bool(verdict["relapse"] or verdict["over_restriction"])
    if json_:
        output.document({"schema": 1, **verdict})
    else:
        words = "relapse" if verdict["relapse"] else "over-restriction" if verdict["over_restriction"] else "clean"
        output.line(words if quiet else f"{words}: {verdict['class']}")
        _show_evidence(verdict, output)
    raise typer.Exit(EXIT_FOUND if found else 0)


@app.command("retention")
def retention(
    file: File = None,
    batch: Batch = None,
    constraint: Annotated[str | None, typer.Option("--constraint", metavar="TEXT", help="The rule in words.")] = None,
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Say whether a summary or payload still states a rule, given in words.

    Exit status: 0 kept; 1 weakened, changed or dropped; 2 bad input. With --batch 0 whatever it finds.
    """
    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    if batch is not None:
        _run_batch(batch, file, _retention_row)
        return
    row: Row = {"id": file or "-", "text": _read_text(file), "constraint": constraint}
    _required(row, "constraint", flags=True)
    verdict = _retention_row(row)
    if json_:
        output.document({"schema": 1, **verdict})
    else:
        unsure = " (unsure)" if verdict["unsure"] else ""
        output.line(verdict["retention"] if quiet else f"{verdict['retention']}{unsure}, score {verdict['score']:.2f}")
        _show_evidence(verdict, output)
    raise typer.Exit(0 if verdict["retention"] == "kept" else EXIT_FOUND)


@app.command("forgery")
def forgery(
    file: File = None,
    batch: Batch = None,
    payload: Annotated[
        str | None,
        typer.Option("--payload", metavar="FILE", help="What the advisor was sent: its lines are quotations."),
    ] = None,
    workspace: Annotated[
        str | None, typer.Option("--workspace", metavar="DIR", help="A git repository to check forged claims against.")
    ] = None,
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Say whether an advisor's reply writes the executor's transcript, and where that begins.

    Exit status: 0 advice (a suspect too); 1 forged; 2 bad input. With --batch 0 whatever it finds.
    """
    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    if batch is not None:
        _run_batch(batch, file, _forgery_row)
        return
    row: Row = {"id": file or "-", "reply": _read_text(file)}
    row |= {"payload": _read_text(payload)} if payload is not None else {}
    row |= {"workspace": workspace} if workspace is not None else {}
    verdict = _forgery_row(row)
    if json_:
        output.document({"schema": 1, **verdict})
    else:
        from backslide.commands.score_advisor import forgery_lines

        for line in forgery_lines(verdict, quiet=quiet):
            output.line(line)
    raise typer.Exit(EXIT_FOUND if verdict["forged"] else 0)


@app.command("identity")
def identity(
    file: File = None,
    batch: Batch = None,
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Say whether an advisor's reply speaks as the executor: asks for guidance, or claims its work.

    Exit status: 0 an advisor; 1 inverted; 2 bad input. With --batch 0 whatever it finds.
    """
    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    if batch is not None:
        _run_batch(batch, file, _identity_row)
        return
    verdict = _identity_row({"id": file or "-", "reply": _read_text(file)})
    if json_:
        output.document({"schema": 1, **verdict})
    else:
        output.line("inverted" if verdict["inverted"] else "clean")
        _show_evidence(verdict, output)
    raise typer.Exit(EXIT_FOUND if verdict["inverted"] else 0)


def _forgery_row(row: Row) -> Row:
    from backslide.commands.score_advisor import forgery_row

    _required(row, "reply")
    for name in ("payload", "workspace"):
        _optional(row, name)
    return forgery_row(row)


def _identity_row(row: Row) -> Row:
    from backslide.commands.score_advisor import identity_row

    _required(row, "reply")
    return identity_row(row)


def _relapse_row(row: Row, scenarios: dict[str, Scenario]) -> Row:
    from backslide.commands.scenarios import find_scenario
    from backslide.evals.scorers.relapse import score_relapse
    from backslide.evals.scorers.reply import ReplyText
    from backslide.harness.errors import InputError, nearest

    _required(row, "scenario", "constraint", "reply")
    scenario = scenarios.get(row["scenario"])
    if scenario is None:
        scenario = scenarios[row["scenario"]] = find_scenario(row["scenario"])
    for name, known in (
        ("constraint", ["none", *(rule.id for rule in scenario.constraints)]),
        ("probe", [item.id for item in scenario.probes]),
    ):
        value = row.get(name)
        if value is not None and value not in known:
            close = nearest(str(value), known)
            hint = f"did you mean '{close}'?" if close else f"it has {', '.join(known)}"
            raise InputError(f"the scenario {scenario.id} has no {name} {value!r}", mend=hint)
    verdict = score_relapse(
        scenario, row["constraint"], ReplyText(row["reply"]), probe=row.get("probe"), path=row.get("path")
    )
    return {
        "id": row["id"],
        "relapse": verdict.relapse,
        "class": verdict.cls,
        "over_restriction": verdict.over_restriction,
        "evidence": [evidence_row(item) for item in verdict.evidence],
    }


def _retention_row(row: Row) -> Row:
    from backslide.evals.scorers.retention import score_retention

    _required(row, "constraint", "text")
    verdict = score_retention(row["constraint"], row["text"])
    return {
        "id": row["id"],
        "retention": verdict.retention,
        "unsure": verdict.unsure,
        "score": verdict.score,
        "evidence": [evidence_row(item) for item in verdict.evidence],
    }


def _show_evidence(verdict: Row, output: Output) -> None:
    for item in verdict["evidence"]:
        if not output.quiet:
            output.line(evidence_line(item))


def _run_batch(batch: str, file: str | None, score_row: Callable[[Row], Row]) -> None:
    """Write one line for each input line, in order; a bad line stops with its number and why."""
    from backslide.harness.errors import InputError

    if file is not None:
        raise InputError("give a FILE or --batch FILE.jsonl, not both")
    for number, row in _rows(batch):
        try:
            result = score_row(row)
        except InputError as error:
            raise InputError(error.line(), where=f"{_place(batch)}:{number}") from error
        print_json(result, one_line=True)


def _rows(batch: str) -> Iterator[tuple[int, Row]]:
    from backslide.harness.errors import InputError

    for number, line in enumerate(_read_text(batch).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{_place(batch)}:{number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"is not JSON ({error})", where=where) from error
        if not isinstance(row, dict):
            raise InputError("is not a JSON object", where=where)
        if not isinstance(row.get("id"), str | int | float) or isinstance(row["id"], bool):
            raise InputError("has no id", where=where, mend="give every line a text or a number as id")
        yield number, row


def _required(row: Row, *names: str, flags: bool = False) -> None:
    from backslide.harness.errors import InputError

    for name in names:
        if not isinstance(row.get(name), str):
            missing = f"--{name}" if flags else f"the field '{name}'"
            raise InputError(f"{missing} is missing" if row.get(name) is None else f"{missing} must be text")
    for name in ("probe", "path"):
        _optional(row, name)


def _optional(row: Row, name: str) -> None:
    from backslide.harness.errors import InputError

    if row.get(name) is not None and not isinstance(row[name], str):
        raise InputError(f"the field '{name}' must be text")


def _read_text(file: str | None) -> str:
    from backslide.harness.errors import InputError

    if file is None:
        raise InputError("no text to score", mend="give a FILE, - for standard input, or --batch FILE.jsonl")
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=file) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputError("is not UTF-8 text", where=f"{_place(file)}:{line}") from error


def _place(file: str) -> str:
    return "standard input" if file == "-" else file
