"""The results as tables: for a terminal, and in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks import machine
from benchmarks.results import Results, Timing

DEFAULT = "learned+network"
"""The default player."""

ENOUGH_MB = 400
"""A few hundred MB."""

PIPED_WIDTH = 160
"""Characters of a line where there is no terminal."""


@dataclass(frozen=True)
class Sheet:
    """A table; of the columns from `numbers` on the text is set to the right."""

    title: str
    header: tuple[str, ...]
    numbers: int
    rows: Sequence[tuple[str, ...]]
    note: str = ""


def make(results: Results) -> list[Sheet]:
    """Return all tables."""
    return [
        Sheet("Machine", ("what", "is"), 2, list(results.machine.items())),
        _goals(results),
        _speeds(results),
        _references(results),
        _stages(results),
        _processors(results),
        _processes(results),
        _vectors(results),
    ]


RANDOM_NS, GREEDY_NS = {True: 50, False: 120}, {True: 58, False: 110}
"""Goals for a deal of random and of greedy players, with AVX-512 and without."""


def _goals(results: Results) -> Sheet:
    """Tabulate measured times beside their goals."""
    random, greedy = results.speeds[:2]
    wide = machine.has_avx512()
    first, warm = results.processes["first"], results.processes["warm"]
    start, random_warm = results.processes["start"], results.processes["warm_random"]
    million, more = results.processes["million"], results.processes["hundred_million"]
    default = [speed for speed in results.speeds if speed.policy == DEFAULT][:1]
    rows = [
        _at_most("engine, random, ns a deal", random.engine.ns, RANDOM_NS[wide]),
        _at_most("engine, random calls and greedy cards, ns a deal", greedy.engine.ns,
                 GREEDY_NS[wide]),
        *(
            (f"the same with rows of all columns, {name}", _short(speed.rows.ns), "", "")
            for name, speed in (("random", random), ("greedy", greedy))
            if speed.rows is not None
        ),
        _at_most("simulate over engine, random", random.tables.ns / random.engine.ns, 2),
        _at_most("simulate over engine, greedy", greedy.tables.ns / greedy.engine.ns, 2),
    ]  # fmt: skip
    for narrow in results.processors[1:2]:
        rows.append(
            _at_most(f"the same with {narrow.name}, random", narrow.ns[0], RANDOM_NS[False])
        )
        greedy_ns = narrow.ns[1]
        rows.append(
            _at_most(f"the same with {narrow.name}, greedy cards", greedy_ns, GREEDY_NS[False])
        )
    for speed in default:
        rows.append(_at_most("engine, default player, µs a deal", speed.engine.ns / 1000, 7))
    for what, one, two in (
        ("engine, random", random.engine, random.engine_2),
        ("engine, greedy", greedy.engine, greedy.engine_2),
        ("simulate, random", random.tables, random.tables_2),
        ("simulate, greedy", greedy.tables, greedy.tables_2),
    ):
        if two is not None:
            rows.append(_at_least(f"two threads over one, {what}", one.ns / two.ns, 1.85))
    rows += [
        _at_most("first run ever of simulate, s", first.seconds, 8),
        _at_most("first run ever of odds, s", results.processes["odds_first"].seconds, 8),
        _at_most("warm simulate --deals 1000, random players, s", start.seconds, 0.45),
        _at_most("warm simulate --deals 100000, random players, s", random_warm.seconds, 0.7),
        _at_most("the same with the default player, s", warm.seconds, 0.7),
        _at_most("warm odds with 10,000 deals, s", results.processes["odds"].seconds, 0.6),
        _at_most("the same in an auction, s", results.processes["odds_auction"].seconds, 2),
        _at_most("--help, s", results.processes["help"].seconds, 0.1),
        _at_most("peak memory, a million deals, MB", million.peak_mb, ENOUGH_MB),
        _at_most("peak memory, a hundred million over one", more.peak_mb / million.peak_mb, 1.05),
    ]
    note = "For a processor with AVX-512." if wide else "For a processor without AVX-512."
    return Sheet("Goals", ("what", "measured", "goal", "met"), 1, rows, note)


def _at_most(what: str, value: float, goal: float) -> tuple[str, ...]:
    return what, _short(value), f"at most {goal:g}", "yes" if value <= goal else "NO"


def _at_least(what: str, value: float, goal: float) -> tuple[str, ...]:
    return what, _short(value), f"at least {goal:g}", "yes" if value >= goal else "NO"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _speeds(results: Results) -> Sheet:
    """Tabulate nanoseconds a deal."""
    header = (
        "variant", "policy", "taken", "engine", "deals a second", "2 threads",
        "rows", "tables", "over engine", "2 threads", "Parquet", "2 threads", "spread",
    )  # fmt: skip
    rows: list[tuple[str, ...]] = []
    for speed in results.speeds:
        timings = (
            speed.engine, speed.engine_2, speed.rows, speed.tables, speed.tables_2, speed.parquet,
            speed.parquet_2,
        )  # fmt: skip
        rows.append((
            speed.variant,
            speed.policy,
            f"{speed.taken:.0%}",
            _short(speed.engine.ns),
            f"{1e9 / speed.engine.ns:,.0f}",
            _faster(speed.engine, speed.engine_2),
            "" if speed.rows is None else _short(speed.rows.ns),
            _short(speed.tables.ns),
            f"{speed.tables.ns / speed.engine.ns:.2f}",
            _faster(speed.tables, speed.tables_2),
            "" if speed.parquet is None else _short(speed.parquet.ns),
            _faster(speed.parquet, speed.parquet_2),
            f"{max(timing.spread for timing in timings if timing is not None):.0%}",
        ))  # fmt: skip
    note = (
        "Engine: rounds are dealt, called, played and scored, bonuses and all. Rows: all columns "
        "are made too, and dropped. Tables: those that are needed are made and counted for all "
        "tables of simulate. Parquet: all are written. None has the start of the process or the "
        "compiling. Each is the least of some repetitions; spread: how much longer the median "
        "took, at most."
    )
    return Sheet("Nanoseconds a deal", header, 2, rows, note)


def _faster(one: Timing | None, two: Timing | None) -> str:
    return "" if one is None or two is None else f"x {one.ns / two.ns:.2f}"


def _references(results: Results) -> Sheet:
    """Tabulate straightforward code for the same work beside the engine."""
    engine = results.speeds[0]
    rows = [
        (each.name, "" if each.taken is None else f"{each.taken:.0%}", _short(each.timing.ns),
         f"{1e9 / each.timing.ns:,.0f}", f"{each.timing.ns / engine.engine.ns:,.0f}",
         f"{each.timing.spread:.0%}")
        for each in results.references
    ]  # fmt: skip
    header = ("written in", "taken", "ns a deal", "deals a second", "over engine", "spread")
    note = (
        f"Two teams, taking, {engine.policy} at every seat; one thread, in the same run. OpenSpiel "
        "has no game of this family: the nearest are Hearts and Spades (four players, 52 cards), "
        "here with its own random players; all of it runs in C++."
    )
    return Sheet("The same rounds in other code", header, 1, rows, note)


def _stages(results: Results) -> Sheet:
    """Tabulate the time of each stage."""
    header = ["stage"]
    for name in results.stages:
        header += [f"{name}, ns a deal", "share"]
    rows = []
    for number, stage in enumerate(next(iter(results.stages.values()))):
        row = [stage.name]
        for found in results.stages.values():
            total = sum(each.ns for each in found)
            row += [f"{found[number].ns:.1f}", f"{found[number].ns / total:.0%}"]
        rows.append(tuple(row))
    note = "Two teams, taking, one thread; of all deals, also of those that nobody takes."
    return Sheet("Stages", tuple(header), 1, rows, note)


def _processors(results: Results) -> Sheet:
    """Tabulate the engine compiled for lesser processors."""
    first = results.processors[0]
    rows = [
        (each.name, *(_short(ns) for ns in each.ns), "yes" if each.rows == first.rows else "NO")
        for each in results.processors
    ]
    note = "Two teams, taking, one thread."
    header = ("compiled for", "random, ns a deal", "greedy, ns a deal", "same rows")
    return Sheet("Processors", header, 1, rows, note)


def _processes(results: Results) -> Sheet:
    """Tabulate whole processes, from start to end."""
    names = {"first": " (first run ever)", "odds_first": " (first run ever)"}
    names |= dict.fromkeys(("start", "warm", "warm_random", "odds", "odds_auction"), " (warm)")
    header = ("command", "runs", "seconds", "spread", "peak MB")
    rows = [
        (
            process.command.replace(" --quiet", "") + names.get(name, ""),
            str(process.runs),
            f"{process.seconds:.3f}",
            f"{process.spread:.0%}" if process.runs > 1 else "",
            f"{process.peak_mb:.0f}",
        )
        for name, process in results.processes.items()
    ]
    return Sheet("Processes", header, 1, rows)


def _vectors(results: Results) -> Sheet:
    """Tabulate the loops that are vector code."""
    header = ("stage or policy", "vectorised loops", "numbers each", "register", "lost", "scalar")
    rows = [
        (
            loops.name,
            str(loops.vectorized),
            " ".join(str(width) for width in loops.widths),
            loops.register,
            "YES" if loops.lost else "no",
            "; ".join(loops.left),
        )
        for loops in results.vectors
    ]
    return Sheet("Vector instructions", header, 6, rows)


def to_markdown(title: str, command: str, sheets: list[Sheet]) -> str:
    """Return the tables in Markdown, with a title and the command that made them."""
    parts = [f"# {title}\n\nMade by `{command}`.\n"]
    for sheet in sheets:
        parts.append(f"## {sheet.title}\n\n{markdown_rows(sheet)}")
        if sheet.note:
            parts.append(f"{sheet.note}\n")
    return "\n".join(parts)


def markdown_rows(sheet: Sheet) -> str:
    """Return a table in Markdown, without its title and note."""
    rule = ["---" if at < sheet.numbers else "--:" for at in range(len(sheet.header))]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (sheet.header, rule, *sheet.rows))


def show(sheets: list[Sheet]) -> None:
    """Print the tables on the terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = PIPED_WIDTH
    for sheet in sheets:
        table = Table(title=sheet.title, title_justify="left", box=box.SIMPLE_HEAD)
        for at, name in enumerate(sheet.header):
            table.add_column(name, justify="left" if at < sheet.numbers else "right")
        for row in sheet.rows:
            styled = [f"[red]{cell}[/red]" if cell in ("NO", "YES") else cell for cell in row]
            table.add_row(*styled)
        console.print(table)
        if sheet.note:
            console.print(sheet.note)
