"""The `backslide` command: every command's registration, and the one place where errors become exit statuses."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any

import typer

from backslide import __version__
from backslide.commands import (
    baseline,
    compactor,
    compare,
    gate,
    ledger,
    report,
    run,
    scenarios,
    score,
    selfcheck,
    session,
    trial,
)
from backslide.harness.errors import BackslideError

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
EXIT_PIPE_CLOSED = 141

# The only usage error that typer exports is this subclass of the one that all of them share.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name="backslide",
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status. `argv` stands in for the arguments of the process."""
    sys.exit(execute(sys.argv[1:] if argv is None else argv))


def execute(argv: Sequence[str]) -> int:
    """Run one command and return its exit status. Whatever a user can mend is one line on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _invoke(list(argv) or ["--help"])
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone (`| head`): the rest has nowhere to go, at interpreter exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_PIPE_CLOSED
    except BackslideError as error:
        return _fail(" ".join(str(error).split()))
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("backslide: interrupted\n")
        return EXIT_INTERRUPTED
    return status


def _invoke(argv: list[str]) -> int:
    # Not `main`, which would give an interruption and a closed pipe statuses of its own.
    command = typer.main.get_command(app)
    try:
        with command.make_context("backslide", argv) as context:
            command.invoke(context)
    except typer.Exit as stop:
        return int(stop.exit_code)
    except _UsageError as error:
        return _fail(_usage_line(error))
    return 0


def _usage_line(error: Any) -> str:
    context = error.ctx
    command = context.command_path if context is not None else "backslide"
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{message} (see {command} --help)"


def _fail(line: str) -> int:
    with suppress(BrokenPipeError):
        sys.stderr.write(f"backslide: {line}\n")
    return EXIT_USAGE


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"backslide {__version__}")
        raise typer.Exit


@app.callback()
def backslide(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Measure what a long coding session forgets."""
    del version


@app.command("version")
def show_version() -> None:
    """Print the version."""
    _print_version(True)


app.command()(run.run)
app.command()(compare.compare)
app.command()(trial.trial)
app.command()(report.report)
app.command()(baseline.baseline)
app.command()(gate.gate)
app.add_typer(score.app, name="score")
app.add_typer(scenarios.app, name="scenarios")
app.add_typer(session.app, name="session")
app.add_typer(compactor.app, name="compactor")
app.command()(selfcheck.selfcheck)
app.command()(ledger.ledger)
