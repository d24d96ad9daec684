"""Store what commands write, to show that a change of the code leaves every number as it was.

`python -m tests.outputs.outputs` prints the commands whose output differs from the one in `stored/`
and how, of those that the regular expression after it is found in, if there is one; with `--write`
it stores what they write now.  Of long outputs a hash is stored.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import sys
import tempfile
from contextlib import suppress
from difflib import unified_diff
from pathlib import Path

from click.testing import CliRunner

from kqj_sim.cli import main

FOLDER = Path(__file__).resolve().parent
STORED = FOLDER / "stored"
MAX_LINES, MAX_BYTES = 200, 20_000
"""Longer outputs are stored as a hash."""

# Pages, pictures and their Markdown hold wording; the numbers of a report are in its other files.
WORDING = {".html", ".svg", ".md"}


def list_commands() -> list[str]:
    """Return the commands of `commands.txt`, in order."""
    lines = (FOLDER / "commands.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def write_output(command: str) -> bytes:
    """Run a command and return its stdout and the data files that it writes.

    Raises:
        AssertionError: the command failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        arguments = [part.replace("{out}", folder) for part in shlex.split(command)]
        result = CliRunner().invoke(
            main, [*arguments, *list_quiet_options(arguments)], catch_exceptions=False
        )
        assert result.exit_code == 0, f"{command}: {result.stderr}"
        parts = [result.stdout_bytes]
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and path.suffix not in WORDING:
                parts += [path.relative_to(folder).as_posix().encode(), path.read_bytes()]
        text = b"\n".join(parts).replace(folder.encode(), b"{out}")
    # Two runs of a report differ in the time at which they were made.
    return re.sub(rb'"made": ?"[^"]*"', b'"made":""', text)


def list_quiet_options(arguments: list[str]) -> list[str]:
    """Return the option that keeps stderr empty, for the commands that have it."""
    return [] if arguments[0] in ("columns", "policies") else ["--quiet"]


def describe_output(command: str) -> str:
    """Return what a command writes, or its SHA-256 if that is long or no text."""
    output = write_output(command)
    if output.count(b"\n") < MAX_LINES and len(output) < MAX_BYTES:
        with suppress(UnicodeDecodeError):
            return output.decode()
    return f"sha256 {hashlib.sha256(output).hexdigest()[:16]}\n"


def locate_stored(command: str) -> Path:
    """Return the file with the stored output of a command."""
    return STORED / f"{re.sub('[^a-zA-Z0-9=.,+-]+', '_', command)}.txt"


def read_stored(command: str) -> str:
    """Return the stored output of a command, as `describe_output` returns it; empty if none is."""
    file = locate_stored(command)
    return file.read_bytes().decode() if file.exists() else ""


def compare_outputs() -> int:
    """Compare or store the outputs; return the exit status."""
    (*_, pattern) = ["", *(part for part in sys.argv[1:] if part != "--write")]
    chosen = [command for command in list_commands() if re.search(pattern, command)]
    now = {command: describe_output(command) for command in chosen}
    if "--write" in sys.argv:
        STORED.mkdir(exist_ok=True)
        for file in {*STORED.iterdir()} - {locate_stored(command) for command in list_commands()}:
            file.unlink()
        for command, output in now.items():
            locate_stored(command).write_bytes(output.encode())
        return 0
    differing = {
        command: output for command, output in now.items() if output != read_stored(command)
    }
    for command, output in differing.items():
        print(command)
        print(*unified_diff(read_stored(command).splitlines(), output.splitlines()), sep="\n")
    if not differing:
        print(f"{len(now)} commands write what they wrote before")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(compare_outputs())
