"""Mixed lines for `kqj-sim serve`: timed, killed in the middle, compared with the commands.

Lines ask about records, also for partial answers, cancel the line before, or are wrong.  Some of
the records to check have another dealer.  A second session is killed after half of the answers, and
a third asks the rest: together they must answer as the first.

    python benchmarks/serve.py 10000
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
    '{"id": %d, "ask": "odds", "record": %s, "at": "c.1", "deals": 200}': 3,
    '{"id": %d, "ask": "odds", "record": %s, "at": "c.1", "deals": 2000, "partial": 0}': 3,
    '{"id": %d, "ask": "review", "records": %s, "samples": 20}': 1,
    '{"id": %d, "ask": "ods", "record": %s}': 5,
    "%d nonsense %s": 5,
    '{"cancel": %d, "record": %s}': 10,
}
"""Lines, with a number and a record, and how many of a hundred."""
COMMANDS = {
    "solve": "solve FILE --at 6.1 --format json",
    "odds": "odds --record FILE --at c.1 --deals 200 --format json",
    "review": "review FILE --samples 20 --format json",
    "check": "check FILE",
}


def ask(lines: list[str], answers: int = -1) -> dict[Any, Any]:
    """Return the answers by id, partial ones too; kill the program after a number of them."""
    Path("lines").write_text("\n".join(lines))
    found: dict[Any, Any] = {}
    with (
        open("lines", "rb") as stdin,
        subprocess.Popen([*PROGRAM, "serve"], stdin=stdin, stdout=subprocess.PIPE) as program,
    ):
        for line in program.stdout or ():
            answer = json.loads(line)
            if "partial" in answer:
                found.setdefault("partial", []).append(answer["id"])
                continue
            found[answer["id"]] = answer.get("answer", answer.get("error"))
            if len(found) == answers:
                program.kill()
    return found


def run(name: str, record: str) -> Any:
    """Return what the command, or the function without one, answers about a record in a file."""
    Path("FILE").write_text(record)
    if name == "choose":
        return kqj.choose(record="FILE", at="c.1")
    command = [*PROGRAM, *COMMANDS[name].split()]
    out = subprocess.run(command, check=name != "check", capture_output=True, text=True).stdout
    if name == "check":
        found = [line.removeprefix("FILE:").split(": ", 1) for line in out.splitlines()]
        return [{"line": int(line), "discrepancy": text} for line, text in found]
    return json.loads(out.replace('"file": "FILE"', '"file": null'))


def main() -> None:
    """Print how long the lines take, and how many answers are equal."""
    draw = random.Random(1)
    records = [to_json(each) for each in kqj.records(deals=60, policy="greedy")]
    about = draw.choices(records, k=int(sys.argv[1]))
    asked = draw.choices([*LINES], [*LINES.values()], k=len(about))
    for number, line in enumerate(asked):
        if '"check"' in line:
            about[number] = about[number].replace('"dealer":1,', '"dealer":2,')
    numbers = [number - ("cancel" in line) for number, line in enumerate(asked)]
    lines = [line % (n, record) for line, n, record in zip(asked, numbers, about, strict=True)]
    start = time.monotonic()
    whole = ask(lines)
    seconds, partial = time.monotonic() - start, whole.pop("partial", [])
    print(f"{len(lines):,} lines, {len(whole):,} answers: {seconds:.0f} s")
    print(f"{len(partial):,} partial answers to {len({*partial}):,} of them")
    begun = ask(lines, len(whole) // 2)
    begun.pop("partial", None)
    rest = ask([line for number, line in enumerate(lines) if number not in begun])
    rest.pop("partial", None)
    again = {**rest, **begun}
    both = [number for number in whole if whole[number] and again.get(number)]
    equal = sum(whole[number] == again[number] for number in both)
    print(f"{len(begun):,} answers, killed, {len(rest):,} more: {equal:,} of {len(both):,} equal")
    for name in (*COMMANDS, "choose"):
        asking = [n for n in both if n is not None and f'"{name}"' in asked[n]]
        limit = 25 if name in ("check", "choose") else 5
        few = [n for n in asking if "partial" not in asked[n]][:limit]
        answers = [whole[n]["discrepancies"] if name == "check" else whole[n] for n in few]
        equal = sum(run(name, about[n]) == answer for n, answer in zip(few, answers, strict=True))
        print(f"{name}: {equal} of {len(few)} answers are those of the command, or function")


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
