"""The speed of the engine beside its goals: python benchmarks/speed.py

Every time is the least of some repetitions, in two passes minutes apart, as a busy machine may be
slow for minutes; the spread is how much longer the median took.  It takes some eight minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import IO, Any

import click
import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import machine, processors, sheets
from benchmarks.results import Loops, Process, Reference, Results, Speed, Stage, Timing

PASSES, REPEATS, TOGETHER = 2, 3, 0.5
"""How often everything is gone through, how often something is timed at least each time, and for
how many seconds."""
SECONDS = 0.1
"""How long a repetition takes, at least about: other work on the machine leaves such gaps."""
DEALS = 1 << 17
GAMES = 1 << 13
"""What is played at a time: so much that two threads end together."""
SLOW = {"standard": 1 << 14, "network": 1 << 13, "pimc": 1 << 9}
"""Deals at a time where one of these calls or plays."""

QUIET = 0.3
"""Load below which nothing else is going on."""

RANDOM, GREEDY = "random:take=0.09", "random:take=0.09+greedy"
"""Random calls of which 67% of the deals are taken."""

DEFAULT = sheets.DEFAULT
LADDER = (RANDOM, GREEDY, "points+greedy", "standard", "network", DEFAULT, "pimc")
THREE, PARTNERS, AUCTION = {"teams": 3}, {"partners": "random"}, {"bidding": "auction"}
VARIANTS: tuple[tuple[str, dict[str, Any], bool, tuple[str, ...]], ...] = (
    ("two teams, taking", {}, False, LADDER),
    ("two teams, random partners, taking", PARTNERS, False, (RANDOM, GREEDY)),
    ("three teams, taking", THREE, False, (RANDOM, GREEDY, DEFAULT)),
    ("three teams, random partners, taking", THREE | PARTNERS, False, (RANDOM,)),
    ("two teams, auctions", AUCTION, False, ("random", "points+greedy", DEFAULT)),
    ("two teams, random partners, auctions", AUCTION | PARTNERS, False, ("random",)),
    ("three teams, auctions", AUCTION | THREE, False, ("random", DEFAULT)),
    ("three teams, random partners, auctions", AUCTION | THREE | PARTNERS, False, ("random",)),
    ("games to 1000, two teams, taking", {}, True, (RANDOM,)),
)
"""Name, rules, whole games, and the policies to measure."""


class Nothing:
    """A reducer that needs no column, so that rounds are played and scored only."""

    columns: frozenset[str] | None = frozenset()

    def add(self, rows: object) -> None:
        """Drop the rows."""

    def add_games(self, games: object) -> None:
        """Drop the games."""

    def merge(self, other: object) -> None:
        """Do nothing: there is nothing to merge."""


class Dropped(Nothing):
    """A reducer that needs all columns, and drops the rows."""

    columns = None


def run_process(caches: Sequence[str | None], *arguments: str) -> Process:
    """Run `kqj-sim` once per cache: a folder of compiled code, or None for the usual one."""
    script = str(Path(sys.executable).parent / "kqj-sim")
    seconds, peaks = [], []
    for folder in caches:
        variables = {**os.environ, "NUMBA_CACHE_DIR": folder} if folder else {**os.environ}
        # What pip installs has its bytecode; here the first run of each command writes it.
        variables.pop("PYTHONDONTWRITEBYTECODE", None)
        start = time.perf_counter()
        # Not waited for by subprocess: only wait4 gives the memory of this one process.
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
    """Measure start times and memory.

    They come first, while this process is small: a child's peak memory begins at its parent's.
    Memory excludes compiling, which only the first run does.
    """
    simulate = ("simulate", "--quiet", "--deals", "100000")
    many = ("simulate", "--quiet", "--policy", RANDOM, "--deals")
    start = ("simulate", "--quiet", "--policy", "random", "--deals", "1000")
    odds = ("odds", "9h", "8h", "Ah", "Ks", "4d", "--return", "7h", "--quiet")
    auction = (
        "odds", "9h", "8h", "Ah", "Kh", "Qh", "5d", "6c", "Ac", "--bidding", "auction",
        "--heard", "pass 120s pass", "--quiet",
    )  # fmt: skip
    with ExitStack() as stack:
        one, other, third, fourth = (
            stack.enter_context(tempfile.TemporaryDirectory()) for _ in range(4)
        )
        first = run_process([one, other], *simulate)
        odds_first = run_process([third, fourth], *odds)
        run_process([one], *start)
        run_process([third], *auction)
        return {
            "first": first,
            "odds_first": odds_first,
            "start": run_process([one] * 7, *start),
            "warm": run_process([one] * 7, *simulate),
            "warm_random": run_process([one] * 7, *simulate, "--policy", RANDOM),
            "odds": run_process([third] * 7, *odds),
            "odds_auction": run_process([third] * 5, *auction),
            "help": run_process([None] * 15, "--help"),
            "million": run_process([one] * 2, *many, "1000000"),
            "hundred_million": run_process([one], *many, "100000000"),
        }


def least_time(play: Callable[[int], int], unit: int) -> Timing:
    """Time a function that plays a multiple of `unit` deals (or games) and returns their number.

    The first time, which sets the number to play, does not count: it may compile.
    """
    play(unit)
    start = time.perf_counter()
    play(unit)
    count = unit * max(1, round(SECONDS / (time.perf_counter() - start)))
    found: list[float] = []
    begun = time.perf_counter()
    while len(found) < REPEATS or time.perf_counter() < begun + TOGETHER:
        start = time.perf_counter()
        deals = play(count)
        found.append((time.perf_counter() - start) / deals * 1e9)
    least = min(found)
    return Timing(least, median(found) / least - 1)


def measure_speeds() -> list[Speed]:
    """Measure every variant with every policy, in passes."""
    passes = [list(_measure_pass()) for _ in range(PASSES)]
    return [combine_speeds(same) for same in zip(*passes, strict=True)]


def combine_speeds(speeds: Sequence[Speed]) -> Speed:
    """Return the least times of several measurements of the same; spreads are from the mean of the
    medians."""
    found = {}
    for name in Speed.__struct_fields__:
        timings = [getattr(speed, name) for speed in speeds]
        if all(isinstance(timing, Timing) for timing in timings):
            least = min(timing.ns for timing in timings)
            middle = sum(timing.ns * (1 + timing.spread) for timing in timings) / len(timings)
            found[name] = Timing(least, middle / least - 1)
    return msgspec.structs.replace(speeds[0], **found)


def _measure_pass() -> Iterator[Speed]:
    from kqj_sim.rules import KqjRules
    from kqj_sim.simulation.experiment import Experiment

    for variant, rules, games, policies in VARIANTS:
        for policy in policies:
            experiment = Experiment(KqjRules.from_dict(rules), (policy,) * 6)
            yield measure_speed(variant, policy, experiment, games)


def measure_speed(variant: str, policy: str, experiment: Any, games: bool) -> Speed:
    """Measure one variant with one policy."""
    from kqj_sim.simulation.run import reduce_rows, simulate
    from kqj_sim.simulation.workers import count_processors
    from kqj_sim.stats.tally import Tally

    def sized(count: int) -> Any:
        return replace(experiment, games=count) if games else replace(experiment, deals=count)

    def engine(threads: int) -> Timing:
        return least_time(lambda count: reduce_rows(sized(count), Nothing, threads).deals, unit)

    def rows(threads: int) -> Timing:
        return least_time(lambda count: reduce_rows(sized(count), Dropped, threads).deals, unit)

    def tables(threads: int) -> Timing:
        def play(count: int) -> int:
            played = sized(count)
            return reduce_rows(played, lambda: Tally(played), threads).deals

        return least_time(play, unit)

    parts = policy.replace("+", " ").split()
    slow = [deals for name, deals in SLOW.items() if name in parts]
    unit = GAMES if games else min(slow, default=DEALS)
    taken = float(simulate(sized(unit)).column("taken").mean())
    threads = (1, 2) if count_processors() >= 2 else (1,)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"

        def parquet(threads: int) -> Timing:
            return least_time(lambda count: write_rows(sized(count), path, threads), unit)

        # What tables and rows add is not seen behind slow players.
        measures = (engine, tables) if slow else (engine, tables, parquet)
        found = {
            f"{measure.__name__}{f'_{number}' * (number > 1)}": measure(number)
            for measure in measures
            for number in threads
        }
        if not slow:
            found["rows"] = rows(1)
        return Speed(variant, policy, taken, **found)


def write_rows(experiment: Any, path: Path, threads: int) -> int:
    """Write the rows of an experiment; return their number."""
    from kqj_sim.output.rows import RowsFile
    from kqj_sim.output.screen import Run
    from kqj_sim.simulation.rows import list_row_columns
    from kqj_sim.simulation.run import iterate_row_chunks

    with RowsFile(path, list_row_columns(experiment)) as file:
        for rows in iterate_row_chunks(experiment, threads):
            file.write(rows)
        file.finish(Run.of("benchmark", experiment, file.count))
    return file.count


def measure_references() -> list[Reference]:
    """Measure the two-team rounds of RANDOM in plain Python, and in numba a deal at a time; and
    rounds of OpenSpiel if it is installed."""
    from benchmarks import open_spiel, reference, scalar

    found = []
    for name, play_rounds, rounds, unit in (
        ("plain Python", reference.play_rounds, 2_000, 300),
        ("numba, a deal at a time", scalar.play_rounds, 200_000, 10_000),
    ):

        def play(count: int, play_rounds: Any = play_rounds) -> int:
            play_rounds(count, 1, 0.09)
            return count

        taken = int(play_rounds(rounds, 1, 0.09)[0])
        found.append(Reference(name, least_time(play, unit), taken / rounds))
    if open_spiel.is_installed():
        for name, play_game in open_spiel.GAMES.items():
            found.append(Reference(name, least_time(play_game, 4_000), None))
    return found


def measure_stages() -> dict[str, list[Stage]]:
    """Measure the stages of two-team taking."""
    from benchmarks import stages

    return {"random": stages.measure(RANDOM), "greedy": stages.measure(GREEDY)}


def measure_vectors() -> list[Loops]:
    """Run `vectors.py`, in a process of its own, and return what it found."""
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
    """Measure the speed of kqj-sim; takes some eight minutes."""

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
        processors=told("processors", lambda: processors.measure((RANDOM, GREEDY), PASSES)),
        references=told("plain Python and numba", measure_references),
        stages=told("stages", measure_stages),
        speeds=told("speeds", measure_speeds),
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
