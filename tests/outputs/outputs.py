"""Hash what commands write, to show that a change of the code leaves every number as it was.

`python -m tests.outputs.outputs` prints the commands whose output differs from `hashes.json`, of
those that the regular expression after it is found in, if there is one; with `--write` it stores
the hashes of what they write now.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import sys
import tempfile
from pathlib import Path

from click.testing import CliRunner

from kqj_sim.cli import main

FOLDER = Path(__file__).resolve().parent
HASHES = FOLDER / "hashes.json"

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


def hash_output(command: str) -> str:
    """Return the SHA-256 of everything that a command writes, as 16 hexadecimal digits."""
    return hashlib.sha256(write_output(command)).hexdigest()[:16]


def read_hashes() -> dict[str, str]:
    """Return the stored hashes by command."""
    hashes: dict[str, str] = json.loads(HASHES.read_text(encoding="utf-8"))
    return hashes


def compare_hashes() -> int:
    """Compare or store the hashes; return the exit status."""
    (*_, pattern) = ["", *(part for part in sys.argv[1:] if part != "--write")]
    chosen = [command for command in list_commands() if re.search(pattern, command)]
    now = {command: hash_output(command) for command in chosen}
    if "--write" in sys.argv:
        now = {each: now.get(each) or read_hashes()[each] for each in list_commands()}
        HASHES.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
        return 0
    stored = read_hashes()
    differing = [command for command in now if stored.get(command) != now[command]]
    print("\n".join(differing) or f"{len(now)} commands write what they wrote before")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(compare_hashes())
