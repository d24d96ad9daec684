"""The results of the benchmarks as data."""

from __future__ import annotations

import msgspec


class Timing(msgspec.Struct, frozen=True):
    """Nanoseconds a deal: the least of the repetitions, and the median above it as a share."""

    ns: float
    spread: float


class Speed(msgspec.Struct, frozen=True):
    """The times of a variant with a policy; None: not measured.

    Attributes:
        variant, policy: what is played.
        taken: share of the deals that are taken.
        engine: rounds dealt, called, played and scored, on one thread; `engine_2` on two.
        rows: the rows of all columns made too, and dropped.
        tables: the rows counted for all tables of `simulate`; `tables_2` on two threads.
        parquet: the rows written to a Parquet file, on one thread; `parquet_2` on two.
    """

    variant: str
    policy: str
    taken: float
    engine: Timing
    tables: Timing
    engine_2: Timing | None = None
    tables_2: Timing | None = None
    rows: Timing | None = None
    parquet: Timing | None = None
    parquet_2: Timing | None = None


class Process(msgspec.Struct, frozen=True):
    """A `kqj-sim` process: least seconds of some runs, and the most memory, in MB."""

    command: str
    runs: int
    seconds: float
    spread: float
    peak_mb: float


class Reference(msgspec.Struct, frozen=True):
    """The rounds of RANDOM in straightforward code, or of another game in another engine, and the
    share that is taken; None for another game."""

    name: str
    timing: Timing
    taken: float | None


class Stage(msgspec.Struct, frozen=True):
    """Nanoseconds a deal that a stage of the rounds takes."""

    name: str
    ns: float


class Processor(msgspec.Struct, frozen=True):
    """Nanoseconds a deal on a processor, for RANDOM and GREEDY, and a hash of the rows."""

    name: str
    ns: list[float]
    rows: str


class Loops(msgspec.Struct, frozen=True):
    """The loops of a stage, and how many of them are vector code.

    Attributes:
        name: the stage, or the policy and the question.
        vectorized: loops, after unrolling, that became vector instructions.
        widths: numbers an instruction, of each of them.
        left: reasons for which loops were left scalar.
        register: the widest vector register in the code, "zmm" (512 bits), "ymm", "xmm", "neon"
            (128 bits, of ARM64) or "none".
        lost: True if a loop that should be is not vectorised.
    """

    name: str
    vectorized: int
    widths: list[int]
    left: list[str]
    register: str
    lost: bool


class Results(msgspec.Struct, frozen=True):
    """Everything that was measured."""

    machine: dict[str, str]
    processes: dict[str, Process]
    speeds: list[Speed]
    references: list[Reference]
    stages: dict[str, list[Stage]]
    processors: list[Processor]
    vectors: list[Loops]
