"""``backslide session``: what a session file holds and what a compaction would make of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

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
    import sys

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
