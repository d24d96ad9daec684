"""How fast the engine is, beside the speed it should have: python benchmarks/speed.py

Every time is the least of some repetitions; the spread is how much longer the median took.  Run it
on a quiet machine.  The first run on a machine takes longer: it compiles everything once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import IO, Any

import click
import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import machine, sheets
from benchmarks.results import Loops, Process, Reference, Results, Speed, Timing

REPEATS = 5
SECONDS = 0.15
"""How long a repetition takes, at least about."""
CHUNKS = 8
"""Chunks are played by the multiple of this, so that two threads have as much to do."""

QUIET = 0.3
"""Load below which nothing else is going on."""

RANDOM, GREEDY = "random:take=0.09", "random:take=0.09+greedy"
"""Random calls of which 67% of the deals are taken."""

VARIANTS: tuple[tuple[str, dict[str, Any], bool, tuple[str, ...]], ...] = (
    ("two teams, taking", {}, False, (RANDOM, GREEDY, "standard", "standard+greedy")),
    ("three teams, taking", {"teams": 3}, False, (RANDOM, "standard")),
    ("random partners, taking", {"partners": "random"}, False, (RANDOM,)),
    ("two teams, auctions", {"bidding": "auction"}, False, ("random", "standard")),
    (
        "three teams, random partners, auctions",
        {"teams": 3, "partners": "random", "bidding": "auction"},
        False,
        ("standard",),
    ),
    ("games to 1000, two teams, taking", {}, True, (RANDOM, "standard")),
)
"""Name, rules, whole games, and the policies to measure."""


class Nothing:
    """A summary that drops the rows."""

    def add(self, rows: object) -> None:
        """Drop the rows."""

    def add_games(self, games: object) -> None:
        """Drop the games."""

    def merge(self, other: object) -> None:
        """There is nothing to merge."""


def run_process(caches: Sequence[str | None], *arguments: str) -> Process:
    """Run `kqj-sim` once a cache: a folder of compiled code, or None for the usual one."""
    script = str(Path(sys.executable).parent / "kqj-sim")
    seconds, peaks = [], []
    for folder in caches:
        variables = {**os.environ, "NUMBA_CACHE_DIR": folder} if folder else os.environ
        start = time.perf_counter()
        # Not waited for by subprocess: wait4 alone tells the memory of this one process.
        process = subprocess.Popen([script, *arguments], stdout=subprocess.DEVNULL, env=variables)
        _, status, usage = os.wait4(process.pid, 0)
        seconds.append(time.perf_counter() - start)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise click.ClickException(f"kqj-sim {' '.join(arguments)} failed")
        peaks.append(usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3))
    least = min(seconds)
    command = " ".join(["kqj-sim", *arguments])
    return Process(command, len(seconds), least, median(seconds) / least - 1, max(peaks))


def measure_processes() -> dict[str, Process]:
    """Starts and memory.

    They come first, while this process is small: a child's peak memory begins at its parent's.
    The memory is that without compiling, which the first run tells.
    """
    simulate = ("simulate", "--quiet", "--deals", "100000")
    many = ("simulate", "--quiet", "--policy", RANDOM, "--deals")
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        first = run_process([one, other], *simulate)
        run_process([one], *many, "1000")
        return {
            "first": first,
            "warm": run_process([one] * 7, *simulate),
            "help": run_process([None] * 15, "--help"),
            "million": run_process([one] * 2, *many, "1000000"),
            "ten_million": run_process([one] * 2, *many, "10000000"),
        }


def least_time(play: Callable[[int], int], unit: int) -> Timing:
    """Time what plays a multiple of `unit` deals (or games) and returns how many deals it played.

    The first time, which tells how many to play, does not count: it may compile.
    """
    play(unit)
    start = time.perf_counter()
    play(unit)
    count = unit * max(1, round(SECONDS / (time.perf_counter() - start)))
    found = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        deals = play(count)
        found.append((time.perf_counter() - start) / deals * 1e9)
    least = min(found)
    return Timing(least, median(found) / least - 1)


def measure_speeds() -> Iterator[Speed]:
    """Every variant with every policy, one after the other."""
    from kqj_sim.rules import KqjRules
    from kqj_sim.simulation import Experiment

    for variant, rules, games, policies in VARIANTS:
        for policy in policies:
            experiment = Experiment(KqjRules.from_dict(rules), (policy,) * 6)
            yield measure_speed(variant, policy, experiment, games)


def measure_speed(variant: str, policy: str, experiment: Any, games: bool) -> Speed:
    """One variant with one policy."""
    from kqj_sim.analysis import Tally
    from kqj_sim.simulation import CHUNK, GAMES_CHUNK, default_threads, fold, simulate

    def sized(count: int) -> Any:
        return replace(experiment, games=count) if games else replace(experiment, deals=count)

    def engine(threads: int) -> Timing:
        return least_time(lambda count: fold(sized(count), Nothing, threads).deals, unit)

    def tables(threads: int) -> Timing:
        def play(count: int) -> int:
            played = sized(count)
            return fold(played, lambda: Tally(played), threads).deals

        return least_time(play, unit)

    unit = CHUNKS * (GAMES_CHUNK if games else CHUNK)
    taken = float(simulate(sized(unit)).column("taken").mean())
    two = default_threads() >= 2
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        return Speed(
            variant,
            policy,
            taken,
            engine(1),
            engine(2) if two else None,
            tables(1),
            tables(2) if two else None,
            least_time(lambda count: write_rows(sized(count), path), unit),
        )


def write_rows(experiment: Any, path: Path) -> int:
    """Write the rows of an experiment, on one thread; how many there were."""
    from kqj_sim.reporting.report import Run
    from kqj_sim.reporting.rows import RowsFile
    from kqj_sim.simulation import row_chunks

    with RowsFile(path) as file:
        for rows in row_chunks(experiment, threads=1):
            file.write(rows)
        rules, policies = experiment.rules, experiment.policies
        file.finish(Run("benchmark", rules, policies, experiment.seed, 0, file.count))
    return file.count


def measure_reference() -> Reference:
    """Plain Python, the two-team rounds of RANDOM."""
    from benchmarks.reference import play_rounds

    def play(count: int) -> int:
        play_rounds(count, seed=1, take=0.09)
        return count

    rounds = 2_000
    taken, _ = play_rounds(rounds, seed=1, take=0.09)
    return Reference(least_time(play, 300), taken / rounds)


def measure_vectors() -> list[Loops]:
    """What the compiler tells about the loops, in a process of its own."""
    script = Path(__file__).with_name("vectors.py")
    made = subprocess.run([sys.executable, str(script)], capture_output=True, check=True)
    return msgspec.json.decode(made.stdout, type=list[Loops])


@click.command()
@click.option(
    "--format",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    show_default=True,
    help="How to write the results.",
)
def main(format: str) -> None:
    """Measure the speed of kqj-sim; takes some two minutes on a quiet machine."""

    def told(what: str, measured: Callable[[], Any]) -> Any:
        if sys.stderr.isatty():
            click.echo(f"measuring {what} ...", err=True)
        return measured()

    load = machine.load()
    if load > QUIET:
        click.echo(f"The machine is busy (load {load:.1f}): the times will be too long", err=True)
    results = Results(
        processes=told("starts and memory", measure_processes),
        vectors=told("vectorisation", measure_vectors),
        machine={**machine.describe(), "load before": f"{load:.2f}"},
        reference=told("plain Python", measure_reference),
        speeds=told("speeds", lambda: list(measure_speeds())),
    )
    _write(results, format, sys.stdout.buffer)
    for loops in results.vectors:
        if loops.lost:
            reason = "; ".join(loops.left) or "no loop is vectorised"
            click.echo(f"Warning: {loops.name} lost its vector instructions: {reason}", err=True)


def _write(results: Results, format: str, stream: IO[bytes]) -> None:
    if format == "json":
        stream.write(msgspec.json.format(msgspec.json.encode(results)) + b"\n")
    elif format == "markdown":
        command = "python benchmarks/speed.py --format markdown"
        stream.write(sheets.to_markdown("Speed", command, sheets.make(results)).encode())
    else:
        sheets.show(sheets.make(results))


if __name__ == "__main__":
    main()
