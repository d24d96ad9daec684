"""10,000 mixed lines for `kqj-sim serve`: timed, killed in the middle, compared with the commands.

Lines ask about records, cancel the line before, or are wrong.  A second session is killed after
half of the answers, and a third asks the rest: together they must answer as the first.
"""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import kqj_sim as kqj
from kqj_sim.record import to_json

PROGRAM = [sys.executable, "-m", "kqj_sim"]
LINES = {
    '{"id": %d, "ask": "choose", "record": %s, "at": "c.1"}': 45,
    '{"id": %d, "ask": "check", "records": %s}': 20,
    '{"id": %d, "ask": "solve", "file": %s, "at": "6.1"}': 8,
    '{"id": %d, "ask": "odds", "record": %s, "at": "c.1", "deals": 200}': 6,
    '{"id": %d, "ask": "review", "records": %s, "samples": 20}': 1,
    '{"id": %d, "ask": "ods", "record": %s}': 5,
    "%d nonsense %s": 5,
    '{"cancel": %d, "record": %s}': 10,
}
"""Lines, with a number and a record, and how many of a hundred."""
COMMANDS = (
    "solve FILE --at 6.1",
    "odds --record FILE --at c.1 --deals 200",
    "review FILE --samples 20",
)


def ask(lines: list[str], answers: int = -1) -> dict[Any, Any]:
    """Return the answers by id; kill the program after a number of them."""
    Path("lines").write_text("\n".join(lines))
    found: dict[Any, Any] = {}
    with (
        open("lines", "rb") as stdin,
        subprocess.Popen([*PROGRAM, "serve"], stdin=stdin, stdout=subprocess.PIPE) as program,
    ):
        for line in program.stdout or ():
            answer = json.loads(line)
            found[answer["id"]] = answer.get("answer", answer.get("error"))
            if len(found) == answers:
                program.kill()
    return found


def run(command: str, record: str) -> Any:
    """Return what a command writes about a record, as if it came without a file."""
    Path("FILE").write_text(record)
    out = subprocess.check_output([*PROGRAM, *command.split(), "--format", "json"], text=True)
    return json.loads(out.replace('"file": "FILE"', '"file": null'))


def main() -> None:
    """Print how long the lines take, and how many answers are equal."""
    draw = random.Random(1)
    records = [to_json(each) for each in kqj.records(deals=60, policy="greedy")]
    about = draw.choices(records, k=10_000)
    asked = draw.choices([*LINES], [*LINES.values()], k=len(about))
    numbers = [number - ("cancel" in line) for number, line in enumerate(asked)]
    lines = [line % (n, record) for line, n, record in zip(asked, numbers, about, strict=True)]
    start = time.monotonic()
    whole = ask(lines)
    print(f"{len(lines):,} lines, {len(whole):,} answers: {time.monotonic() - start:.0f} s")
    begun = ask(lines, len(whole) // 2)
    rest = ask([line for number, line in enumerate(lines) if number not in begun])
    again = {**rest, **begun}
    both = [number for number in whole if whole[number] and again.get(number)]
    equal = sum(whole[number] == again[number] for number in both)
    print(f"{len(begun):,} answers, killed, {len(rest):,} more: {equal:,} of {len(both):,} equal")
    for command in COMMANDS:
        name = command.split()[0]
        few = [n for n in both if n is not None and f'"{name}"' in asked[n]][:5]
        equal = sum(run(command, about[n]) == whole[n] for n in few)
        print(f"{name}: {equal} of {len(few)} answers are those of the command")


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
