"""``backslide session``: what a session file holds, and what the control plane makes of scripted runs and failures."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from backslide import options
from backslide.console import Output

app = typer.Typer(rich_markup_mode=None, help="Session files.")


@app.callback()
def session() -> None:
    """Session files."""


@app.command("inspect")
def inspect(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Pi session file (JSONL).")],
    settings: Annotated[
        Path | None, typer.Option("--settings", metavar="FILE", help="Pi settings as JSON. Default: Pi's own defaults.")
    ] = None,
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Show branch, context, cut point and usage of a session file; the file is never written."""
    from backslide.harness import jsjson
    from backslide.harness.inspection import inspect_session, load_settings
    from backslide.harness.session import read_session_file

    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    document = inspect_session(file, load_settings(settings) if settings is not None else {})
    if json_:
        # The values follow JavaScript's rules for numbers and lone surrogates, so its writer is the one to use.
        sys.stdout.write(f"{jsjson.stringify(document)}\n")
        return
    for problem in read_session_file(file).problems:
        output.note(f"{file}:{problem.line}: {problem.message}")
    for line in session_lines(document):
        output.line(line)


def session_lines(document: dict[str, Any]) -> list[str]:
    """Return the gist of an inspection, one fact a line."""
    load, context, usage = document["load"], document["context"], document["contextUsage"] or {}
    kinds = ", ".join(f"{number} {kind}" for kind, number in (load.get("typeCounts") or {}).items())
    lines = [
        f"format      version {load.get('rawVersion') or 1}, {load['entries']} entries ({kinds})",
        f"branch      {len(document['branch'])} entries to leaf {document['leaf']}",
        f"context     {len(context['messages'])} messages, thinking {context['thinkingLevel']}",
    ]
    tokens, window = usage.get("tokens"), usage.get("contextWindow")
    known = "unknown until the next reply" if tokens is None else f"{tokens:,} tokens of {window:,}"
    lines.append(f"used        {known}")
    prepared = document["prepare"]
    if prepared is None:
        lines.append("compaction  nothing to compact")
    elif "throws" in prepared:
        lines.append(f"compaction  not possible: {prepared.get('jsMessage', prepared['throws'])}")
    else:
        due = "due now" if document["shouldCompact"] else "not due yet"
        older = len(prepared["messagesToSummarize"]) + len(prepared["turnPrefixMessages"])
        split = ", in the middle of a turn" if prepared["isSplitTurn"] else ""
        lines.append(
            f"compaction  {due}; it would summarize {older} messages and keep {prepared['firstKeptEntryId']} on{split}"
        )
    totals = (document["stats"] or {}).get("tokens")
    if totals:
        spent = ", ".join(f"{name} {number:,}" for name, number in totals.items())
        lines.append(f"spent       {spent} tokens; {document['stats'].get('cost', 0):.4f} USD")
    return lines


@app.command("replay")
def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scripted run (JSON).")],
    control: Annotated[
        str, typer.Option("--control", metavar="PROFILE", help="Control plane: pi-0.83 or robust.")
    ] = "pi-0.83",
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Play a scripted agent run through the control plane: retries, compactions, queues, aborts, in order.

    Nothing is sent anywhere and no wait is waited.
    """
    from backslide.harness import jsjson
    from backslide.harness.replay import replay as play
    from backslide.harness.replay_script import load_script

    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    document = play(load_script(file), _profile(control))
    if json_:
        sys.stdout.write(f"{jsjson.stringify(document)}\n")
        return
    for line in replay_lines(document, brief=quiet):
        output.line(line)


def _profile(name: str) -> Literal["pi-0.83", "robust"]:
    from backslide.harness.control.profile import CONTROL_PROFILES
    from backslide.harness.errors import InputError, nearest

    for profile in CONTROL_PROFILES:
        if name == profile:
            return profile
    close = nearest(name, CONTROL_PROFILES)
    hint = f"did you mean '{close}'?" if close else f"known are {', '.join(CONTROL_PROFILES)}"
    raise InputError(f"unknown control plane '{name}'", where="--control", mend=hint)


def replay_lines(document: dict[str, Any], *, brief: bool = False) -> list[str]:
    """Return a replay for a person: each step's events one a line (not if `brief`) and what is left after it."""
    lines = []
    for number, row in enumerate(document["trace"], start=1):
        lines.append(f"{number} {row['step']}")
        if not brief:
            lines += [f"    {_event_line(event)}" for event in row["events"]]
        if "error" in row:
            lines.append(f"    failed: {row['error']}")
        lines.append(f"    {_after_line(row['after'])}")
    kinds = Counter(request["kind"] for request in document["requests"])
    asked = ", ".join(f"{number} {kind}" for kind, number in kinds.items()) or "none"
    lines += [f"requests  {asked}", f"file      {document['linesOnDisk']} lines"]
    return lines


def _event_line(event: list[Any]) -> str:
    name, *details = event
    shown = " ".join(_detail(detail) for detail in details if detail is not None)
    return f"{name} {shown}".rstrip()


def _detail(detail: Any) -> str:
    if isinstance(detail, dict):
        told = {key: value for key, value in detail.items() if value not in (None, False)}
        result = told.pop("result", None) or {}
        return ", ".join(f"{key} {value}" if value is not True else key for key, value in {**told, **result}.items())
    return "yes" if detail is True else "no" if detail is False else str(detail)


def _after_line(after: dict[str, Any]) -> str:
    usage = after["contextUsage"] or {}
    tokens = usage.get("tokens")
    size = "unknown" if tokens is None else f"{tokens:,}"
    window = f" of {usage['contextWindow']:,}" if usage else ""
    spent = after["tokens"]["total"]
    cost = after["cost"] or 0
    return (
        f"= {after['entries']} entries, context {after['state'] or 'empty'}, {size}{window} tokens; "
        f"spent {'unknown' if spent is None else f'{spent:,}'} tokens, {cost:.4f} USD"
    )


@app.command("classify")
def classify(
    message: Annotated[str | None, typer.Argument(metavar="[MESSAGE]", help="A provider's error message.")] = None,
    batch: Annotated[
        str | None, typer.Option("--batch", metavar="FILE.jsonl", help="One reply a line, one verdict out; - is stdin.")
    ] = None,
    retry_loop: Annotated[
        bool, typer.Option("--retry-loop", help="Lines of --batch are summarizer calls to retry.")
    ] = False,
    window: Annotated[int, typer.Option("--window", min=0, help="Context window in tokens; 0: unknown.")] = 0,
    json_: options.Json = False,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Say whether a failed reply is an overflow, a passing error, or neither: what the agent would do about it."""
    from backslide.harness.errors import InputError
    from backslide.harness.replay_rows import classify_row

    output = Output(json=json_, quiet=quiet, no_progress=no_progress)
    if batch is not None:
        if message is not None:
            raise InputError("give a MESSAGE or --batch FILE.jsonl, not both")
        _classify_batch(batch, retry_loop=retry_loop)
        return
    if message is None or retry_loop:
        raise InputError("nothing to classify", mend="give a MESSAGE, or rows with --batch FILE.jsonl")
    verdict = classify_row({"stopReason": "error", "errorMessage": message, "contextWindow": window})
    if json_:
        output.document({"schema": 1, **verdict})
        return
    output.line(_verdict_line(verdict))


def _verdict_line(verdict: dict[str, Any]) -> str:
    if verdict["isOverflow"]:
        return "overflow: the session is compacted and the request sent again once"
    if verdict["agentRetries"]:
        return "passing error: the request is sent again after a wait"
    return "final error: the request is not sent again"


def _classify_batch(batch: str, *, retry_loop: bool) -> None:
    """Write one line for each row, in order; a bad line stops with its number and why."""
    from backslide.harness import jsjson
    from backslide.harness.errors import InputError
    from backslide.harness.replay_rows import classify_row, retry_loop_row

    judge = retry_loop_row if retry_loop else classify_row
    for where, row in _rows(batch):
        try:
            verdict = judge(row)
        except InputError as error:
            raise InputError(error.what, where=where, mend=error.mend) from error
        own = {"id": row["id"]} if "id" in row else {}
        sys.stdout.write(f"{jsjson.stringify({**own, **verdict})}\n")


def _rows(batch: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each row of a file with its place."""
    from backslide.harness import jsjson
    from backslide.harness.errors import InputError

    place = "standard input" if batch == "-" else batch
    try:
        data = sys.stdin.buffer.read() if batch == "-" else Path(batch).read_bytes()
        lines = data.decode("utf-8").split("\n")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=place) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputError("is not UTF-8 text", where=f"{place}:{line}") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{place}:{number}"
        try:
            row = jsjson.parse(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"is not JSON ({error})", where=where) from None
        if not isinstance(row, dict):
            raise InputError("is not a JSON object", where=where)
        yield where, row
