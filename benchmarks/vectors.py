"""Loops of the engine that LLVM turned into vector instructions, from its own remarks.

A stage that loses vectorisation still gives the right rows, but five times slower, and nothing
says so.  Therefore every stage and every simple policy is compiled here with LLVM's remarks on.

`python benchmarks/vectors.py` prints a list of `Loops` as JSON, with `lost` true where a stage has
fewer vector loops than it should; `benchmarks/speed.py` prints them as a table.
`python benchmarks/vectors.py apple-m1` compiles for a processor of ARM64 instead, by LLVM's name
for it; fewer loops pay with its vectors of two numbers, so that `lost` says nothing then.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.results import Loops

DECISIONS = {
    "random": ("take", "bid", "counter", "lead", "follow"),
    "greedy": ("lead", "follow"),
    "points": ("take", "bid", "overcounter"),
}
"""Policies, and their decisions that should be vector code; `standard` has loops over cards."""

VECTORISED = {
    "seat_players": 2, "deal_first_cards_by_instruction": 8,
    "deal_further_cards_by_instruction": 4, "deal_first_cards_by_planes": 15,
    "deal_further_cards_by_planes": 5, "reset_calls": 1,
    "complete_hands": 7, "prepare_play": 12, "finish_trick": 1, "play_last_trick": 1,
    "count_tricks": 2, "score_rounds": 1, "fill_call_columns": 7, "fill_play_columns": 2,
    "write_rows": 2, "random: take": 3,
    "random: bid": 1, "random: counter": 2, "random: lead": 1, "random: follow": 4,
    "greedy: lead": 1, "greedy: follow": 3,
    "points: take": 1, "points: bid": 1, "points: overcounter": 2,
}  # fmt: skip
"""Least number of vector loops of each stage, after unrolling."""

_DEPOSITS = {"call instruction cannot be vectorized"}
_LISTED = {
    "cannot identify array bounds",
    "value that could not be identified as reduction is used outside the loop",
}
SCALAR_BY_DESIGN = {
    "deal_first_cards_by_instruction": _DEPOSITS,
    "deal_further_cards_by_instruction": _DEPOSITS,
    "seat_players": {"cannot identify array bounds"},
    "random: counter": _LISTED,
    "points: overcounter": _LISTED,
}
"""Expected reasons why a loop stays scalar: `pdep` has no vector form, random partners are looked
up in one of two tables, and where few players may counter they are listed.  Stages that only move
lanes have none and are left out."""

REGISTERS = {"zmm": "%zmm", "ymm": "%ymm", "xmm": "%xmm", "neon": r"\bv\d+\.(2d|4s|8h|16b)"}
"""Vector registers of 512, 256 and 128 bits, those of ARM64 last, and what names them in code."""


def main() -> None:
    """Compile every stage with an empty cache and print what LLVM says about its loops."""
    with tempfile.TemporaryDirectory() as folder:
        # numba reads it at import, and LLVM takes its options before it compiles anything.
        os.environ["NUMBA_CACHE_DIR"] = folder
        import llvmlite.binding as llvm

        if len(sys.argv) > 1:
            os.environ |= {"NUMBA_CPU_NAME": sys.argv[1], "NUMBA_CPU_FEATURES": ""}
            llvm.initialize_all_targets()
            llvm.initialize_all_asmprinters()
            # What numba compiles for; its code is only looked at, not run.
            llvm.get_process_triple = lambda: "aarch64-unknown-linux-gnu"
        llvm.set_option("", "--pass-remarks=loop-vectorize")
        llvm.set_option("", "--pass-remarks-analysis=loop-vectorize")
        found = [*_stages(), *_policies()]
    sys.stdout.buffer.write(msgspec.json.encode(found))


def _stages() -> list[Loops]:
    from numba import typeof, types

    from kqj_sim.core import bidding, columns, deal, round, scoring, trick
    from kqj_sim.core.jit import has_instructions, kernel
    from kqj_sim.rules import KqjRules
    from kqj_sim.simulation.encode import encode_rules

    number = types.int64
    block = number[::1]
    rules = typeof(encode_rules(KqjRules()))
    stages: tuple[tuple[Any, tuple[Any, ...]], ...] = (
        (round.seat_players, (block, number, rules, number)),
        (deal.deal_first_cards_by_instruction, (block, number)),
        (deal.deal_further_cards_by_instruction, (block, number)),
        (deal.deal_first_cards_by_planes, (block, number)),
        (deal.deal_further_cards_by_planes, (block, number)),
        (bidding.reset_calls, (block, number)),
        (round.complete_hands, (block, number, number)),
        (round.prepare_play, (block, number)),
        (trick.finish_trick, (block, number)),
        (trick.play_last_trick, (block, number)),
        (scoring.count_tricks, (block, number, rules)),
        (scoring.score_rounds, (block, number, rules)),
        (columns.fill_call_columns, (block, number, rules)),
        (columns.fill_play_columns, (block, number, rules)),
        (columns.write_rows, (block, number, block, block, types.int16[::1], number)),
    )

    def compiled(stage: Any, signature: Any) -> Callable[[], str]:
        def make() -> str:
            # A stage of its own: what kernels are made of is optimised with the kernel.
            alone = kernel(stage.py_func, cache=False, no_cpython_wrapper=True)
            alone.compile(signature)
            assembly: str = alone.inspect_asm(alone.signatures[0])
            return assembly

        return make

    return [
        _loops(stage.__name__, compiled(stage, signature))
        for stage, signature in stages
        # Other processors have no code for it.
        if has_instructions("bmi2") or not stage.__name__.endswith("_by_instruction")
    ]


def _policies() -> list[Loops]:
    from kqj_sim.policies.binding import DECISION_OF_LOOP, LOOPS, bind_policy
    from kqj_sim.policies.registry import find_policy

    def compiled(member: int, name: str) -> Callable[[], str]:
        def make() -> str:
            policy = find_policy(name)
            choice, arguments = policy.compile_decision(DECISION_OF_LOOP[member])
            bound = bind_policy(
                member, choice, policy.tuple_type, arguments, policy.name,
                sole_policy=True, checked=False,
            )  # fmt: skip
            return str(bound._library.get_asm_str())

        return make

    members = {label: member for member, (label, _) in LOOPS.items()}
    return [
        _loops(f"{name}: {label}", compiled(members[label], name))
        for name, labels in DECISIONS.items()
        for label in labels
    ]


def _loops(name: str, make: Callable[[], str]) -> Loops:
    assembly, remarks = _remarks_of(make)
    widths = [int(width) for width in re.findall(r"vectorization width: (\d+)", remarks)]
    left = re.findall(r"loop not vectorized: ([^\n.]+)", remarks)
    unexpected = set(left) - SCALAR_BY_DESIGN.get(name, set())
    register = next(
        (name for name, pattern in REGISTERS.items() if re.search(pattern, assembly)), "none"
    )
    return Loops(
        name,
        len(widths),
        sorted(set(widths)),
        sorted(set(left)),
        register,
        lost=len(widths) < VECTORISED[name] or bool(unexpected),
    )


def _remarks_of(make: Callable[[], str]) -> tuple[str, str]:
    """Return the result of `make` and what LLVM wrote to stderr meanwhile."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            made = make()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        return made, file.read().decode(errors="replace")


if __name__ == "__main__":
    main()
