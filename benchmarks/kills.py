"""The recovery of killed runs: `kill -9` at random moments, then the same command again.

`python benchmarks/kills.py` does it for single deals, whole games and tables of many
groups.  What should come out is made once by a run that is left alone; then each run is killed at a
random moment between its start and its end, and started again, which goes on from the checkpoint
and must write the same bytes.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

RUNS = {
    "deals": "--policy random --by lap",
    "games": "--policy random --target 500",
    "groups": "--policy random --by contract --by sender_points --where place<5",
}
"""What is played, with a picture each."""

COMMAND = (sys.executable, "-m", "kqj_sim", "simulate", "--quiet")


def start(folder: Path, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a simulation that writes tables and a picture into a folder."""
    outputs = ("--out", str(folder / "tables.json"), "--plot", str(folder / "picture.svg"))
    return subprocess.Popen([*COMMAND, *arguments, *outputs])


def written(folder: Path) -> tuple[bytes, bytes]:
    """Return the tables and the picture."""
    return (folder / "tables.json").read_bytes(), (folder / "picture.svg").read_bytes()


def killed_and_resumed(
    arguments: Sequence[str], seconds: float, folder: Path, expected: tuple[bytes, bytes]
) -> str:
    """Kill a run after some seconds and let the same command end it.

    Returns:
        How far it had come, or that it was over.

    Raises:
        AssertionError: what the resumed run writes is not what is expected.
    """
    from kqj_sim.questions.simulate.checkpoint import read_checkpoint

    checkpoint = folder / "run.npz"
    saved = (*arguments, "--checkpoint", str(checkpoint))
    process = start(folder, saved)
    try:
        status = process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    finished = f"{read_checkpoint(checkpoint)[0].finished:,}" if checkpoint.exists() else "nothing"
    assert start(folder, saved).wait() == 0
    assert written(folder) == expected, f"killed after {seconds:.2f} s with {finished} saved"
    left = [path.name for path in folder.glob(".*")]
    assert not left, f"killed after {seconds:.2f} s: {left} left"
    return f"{finished} saved" if status else "it was over"


def kills(name: str, count: int, number: int, seed: int) -> None:
    """Kill a run of `RUNS` of so many deals (games) at so many moments; prints each."""
    unit = "--games" if name == "games" else "--deals"
    arguments = (*RUNS[name].split(), unit, str(count))
    moments = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        whole = Path(place)
        start(whole, (*RUNS[name].split(), unit, "1000")).wait()  # it is compiled then
        began = time.monotonic()
        assert start(whole, arguments).wait() == 0
        seconds, expected = time.monotonic() - began, written(whole)
    for kill in range(1, number + 1):
        moment = moments.uniform(0, seconds)
        with tempfile.TemporaryDirectory() as place:
            told = killed_and_resumed(arguments, moment, Path(place), expected)
        print(
            f"{name}, kill {kill}, after {moment:.2f} of {seconds:.2f} s: {told}; same", flush=True
        )


def main() -> None:
    """Read the options and kill."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=5, help="kills of each run")
    parser.add_argument("--deals", type=int, default=10_000_000, help="deals of a run")
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    options = parser.parse_args()
    for name in RUNS:
        count = options.deals // (20 if name == "games" else 1)
        kills(name, count, options.kills, options.seed)


if __name__ == "__main__":
    main()
