"""Errors of the program: one line on stderr and an exit status."""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import NoReturn

import click

from kqj_sim.commands.stdout import write_line
from kqj_sim.errors import InputError, RecordError, RunError
from kqj_sim.messages import WIDTH, describe_error, one_line, quote, shorten, suggest_file
from kqj_sim.signals import get_exit_status
from kqj_sim.version import __version__

FAILED, WRONG_USAGE = 1, 2
ENVIRONMENT_PREFIX = "KQJ_SIM"
DEBUG = f"{ENVIRONMENT_PREFIX}_DEBUG"
"""The environment variable that shows tracebacks, unless it is empty or 0."""

_NO_FILE = os.strerror(errno.ENOENT)
_MISSING_FILE = re.compile(rf"'([^']+)': {re.escape(_NO_FILE)}$")
"""The end of Click's message about a file that an option names."""

_PATH_WIDTH = 100
"""Most characters of a file name in a message: its folder and its end identify it."""


def exit_with_error(error: BaseException, arguments: Sequence[str]) -> NoReturn:
    """Print an error as one line on stderr and exit the process with its status.

    `arguments` are the words of the command line, which Click repeats in its messages.
    """
    if isinstance(error, BrokenPipeError):
        _drop_output()
        sys.exit(FAILED)
    if isinstance(error, KeyboardInterrupt) or (
        isinstance(error, click.Abort) and not isinstance(error.__cause__, EOFError)
    ):
        _say("Interrupted")
        sys.exit(get_exit_status())
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        _say(error.format_message())
        sys.exit(WRONG_USAGE)
    if os.environ.get(DEBUG, "0") not in ("", "0"):
        _say("".join(traceback.format_exception(error)).rstrip())
    message, status = explain(error, arguments)
    _say(f"Error: {one_line(message)}")
    sys.exit(status)


def exit_interrupted(message: str) -> NoReturn:
    """Exit a command that was interrupted; `message` says how much it has finished."""
    write_line(f"Interrupted: {message}", err=True)
    click.get_current_context().exit(get_exit_status())


def show_warning(message: Warning | str, *details: object, **more: object) -> None:
    """Write a warning of Python to stderr, on one line, unless the command is quiet."""
    context = click.get_current_context(silent=True)
    if context is None or not context.params.get("quiet"):
        _say(f"Warning: {one_line(str(message))}")


def explain(error: BaseException, arguments: Sequence[str] = ()) -> tuple[str, int]:
    """Return what an error means to the user, and the exit status; arguments as above."""
    if isinstance(error, click.ClickException):
        message = error.format_message()
        missing = _MISSING_FILE.search(message)
        if missing is not None:
            message += suggest_file(missing[1])
        return _shorten_inputs(message, arguments), error.exit_code
    if isinstance(error, InputError):
        # Records come from files.
        return str(error), FAILED if isinstance(error, RecordError) else WRONG_USAGE
    if isinstance(error, RunError):
        return str(error), FAILED
    if isinstance(error, OSError) and (error.strerror or error.filename):
        reason = error.strerror or str(error)
        if error.filename is None or isinstance(error.filename, int):
            return reason, FAILED
        path = os.fsdecode(error.filename)
        hint = suggest_file(path) if reason == _NO_FILE else ""
        return f"{shorten(path, _PATH_WIDTH)}: {reason}{hint}", FAILED
    if isinstance(error, UnicodeEncodeError):
        around = error.object[max(0, error.start - 20) : error.start + 20]
        return (
            f"{quote(around)} has no {error.encoding} form: give names of files in UTF-8, and "
            "PYTHONIOENCODING=utf-8 if this came from the output"
        ), FAILED
    library = _find_broken_library(error)
    if library is not None:
        while error.__context__ is not None:
            error = error.__context__
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        return (
            f"{library} cannot be loaded ({shorten(reason, 120)}): it may be damaged, lack memory, "
            "or be set up wrongly by variables of the environment"
        ), FAILED
    if type(error) is ImportError and error.name is None:
        return str(error), FAILED  # One that the package raises itself.
    text = describe_error(error).partition(": ")[2]
    brief = shorten(" ".join(text.split()), 120)
    if isinstance(error, MemoryError) or brief == "can't start new thread":
        reason = f"out of memory{brief and f' ({brief})'}"
        return f"{reason}: ask for fewer deals, threads or groups at a time", FAILED
    if isinstance(error, click.Abort):
        error, brief = EOFError(), "a file or stream ended early"
    return (
        f"unexpected {type(error).__name__}{brief and f': {brief}'}.  Please report it with the "
        f"command and the version, kqj-sim {__version__}; {DEBUG}=1 shows the traceback"
    ), FAILED


def _find_broken_library(error: BaseException) -> str | None:
    """Return the library whose import failed; None if the error comes from elsewhere."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if frame.f_code.co_name == "<module>" and package not in ("__main__", "kqj_sim"):
            return package
    return None


def _shorten_inputs(message: str, arguments: Iterable[str]) -> str:
    """Return a message of Click with the user's long or unprintable words shortened."""
    inputs = {*arguments, *(argument.partition("=")[2] for argument in arguments)}
    for name, value in os.environ.items():
        if name.startswith(f"{ENVIRONMENT_PREFIX}_"):
            inputs |= {name, value}
    for text in sorted(inputs, key=len, reverse=True):
        if len(text) > WIDTH or not text.isprintable():
            message = message.replace(text, shorten(text))
    return message


def _say(text: str) -> None:
    """Flush stdout, then write a line to stderr unless it is closed."""
    _flush_output()
    with suppress(OSError, ValueError):
        write_line(text, err=True)


def _flush_output() -> None:
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _drop_output()


def _drop_output() -> None:
    """Discard the rest of stdout, which Python would otherwise try to write at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class HintingGroup(click.Group):
    """A group that says what lists its commands where there is none of a name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names; raise UsageError if there is none."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            if error.possibilities:
                raise
            hint = f"`{ctx.command_path}` lists the {self.name}"
            if ctx.parent is None:
                hint = "`kqj-sim help` lists the commands"
            raise click.UsageError(f"No such command {quote(args[0])}: {hint}") from None
