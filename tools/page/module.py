"""The engine as a WebAssembly module, from the LLVM code that numba makes of its kernels.

`capture` compiles the kernels as ever and keeps the text of every module before LLVM optimises it;
`link` makes one module for WebAssembly of these.  Sizes are 64 bits wide in that text, but
structures are addressed by their types, so LLVM lays them out for 32-bit pointers itself.

Everything here uses internals of numba 0.68: with another series the build may break, and nothing
else.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kqj_sim.web.make import TABLES, list_players

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent

QUESTIONS = (
    ("2-take", {"hand": "9h 8h Ah Ks 4d", "return_card": "7h", "place": 3, "lap": 2}),
    ("2-auction", {"hand": "9h 8h Ah Kh Qh 5d 6c Ac", "heard": "pass 120s pass"}),
    (
        "2-take",
        {
            "hand": "7h Ks 4d Qd 9s 8c Tc Jc", "return_card": "9h", "heard": "take",
            "played": "As",
        },
    ),
)  # fmt: skip
"""Questions whose answers compile all that answers need."""

ENVIRONMENT = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "PYTHONHASHSEED": "0"}
"""No instruction of one processor, and the same order of everything in each build."""

_TRIPLE = "wasm32-unknown-unknown"
_FEATURES = "+simd128,+bulk-memory,+bulk-memory-opt,+nontrapping-fptoint,+sign-ext,+mutable-globals"
_RUNTIME = {
    "NRT_MemInfo_alloc_aligned", "NRT_MemInfo_alloc_safe_aligned", "NRT_MemInfo_call_dtor",
    "NRT_MemInfo_new_varsize_dtor", "numba_attempt_nocopy_reshape",
    "memset", "memcpy", "memmove", "lgamma", "expm1", "log1p",
}  # fmt: skip
"""Functions of `runtime.c` and `math.zig`, and those that LLVM makes instructions of."""

_INSTRUCTIONS = "".join(
    f"define double @{name}(double %x) alwaysinline {{\n"
    f"  %r = call double @llvm.{name}.f64(double %x)\n  ret double %r\n}}\n"
    f"declare double @llvm.{name}.f64(double)\n"
    for name in ("ceil", "floor", "sqrt")
)


@dataclass
class Captured:
    """Code and data of the engine.

    Attributes:
        texts: LLVM modules, unoptimised.
        symbols: names of functions by their addresses in this process.
        functions: names of the functions that are called by address, in the order of their numbers.
        entries: names of the C functions around kernels, by the kernel's name.
        tables: rules and seatings of each table, as `describe` gives them.
    """

    texts: list[str] = field(default_factory=list)
    symbols: dict[int, str] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)
    entries: dict[str, str] = field(default_factory=dict)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)


def build_engine(folder: Path) -> None:
    """Write `engine.wasm` and `tables.json` into a folder, by a process of its own.

    numba reads its settings when it is imported, and the kernels must not be found on disk.
    """
    folder = folder.resolve()
    with tempfile.TemporaryDirectory() as cache:
        settings = {
            **ENVIRONMENT,
            "NUMBA_CACHE_DIR": cache,
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        subprocess.run(
            [sys.executable, "-m", "tools.page.module", str(folder)], cwd=ROOT, check=True,
            env={**os.environ, **settings},
        )  # fmt: skip


def capture() -> Captured:
    """Compile the engine and return its code, in a process with `ENVIRONMENT`."""
    from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary

    captured = Captured()
    add_module, find_function = CPUCodeLibrary.add_ir_module, JITCodeLibrary.get_pointer_to_function

    def add_ir_module(library: Any, module: Any) -> Any:
        captured.texts.append(str(module))
        return add_module(library, module)

    def get_pointer_to_function(library: Any, name: str) -> Any:
        address = find_function(library, name)
        captured.symbols[address] = name
        return address

    CPUCodeLibrary.add_ir_module = add_ir_module
    JITCodeLibrary.get_pointer_to_function = get_pointer_to_function
    _compile_all(captured)
    return captured


def _compile_all(captured: Captured) -> None:
    """Compile what the page calls, and describe its tables."""
    import numpy as np
    from numba import typeof

    from kqj_sim.core import auction, call_odds, card_odds, observed_calls, rng, weighted_draws
    from kqj_sim.core.block import allocate_block
    from kqj_sim.games.kqj.card_sampler import KqjCardSampler
    from kqj_sim.policies import weights
    from kqj_sim.policies.players import seat_players
    from kqj_sim.positions.estimator import estimate_position
    from kqj_sim.positions.sampling import EstimatePlan, derive_keys
    from kqj_sim.questions.odds.position import parse_typed_position
    from kqj_sim.simulation import encode
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.stats import equity
    from tools.page import kernels
    from tools.page.functions import register_functions

    # What another process compiles is not captured.
    encode.has_free_processor = lambda: False
    for name, rules in TABLES.items():
        size, places = 0, {}
        for policy in list_players(rules):
            numbers = weights.load_for_play(policy, rules.teams, rules.bidding)
            places[numbers.ctypes.data] = 1 + size
            size += numbers.nbytes
        captured.tables[name] = {
            key: describe(part, captured, places) for key, part in make_table(rules).items()
        }
    for name, typed in QUESTIONS:
        position = parse_typed_position(TABLES[name], typed)
        estimate_position(position, None, 1, deals=1, threads=1)
    # Used where few distributions of the hidden cards are left.
    derive_keys(1, 0, 1)
    register_functions()
    sampler = KqjCardSampler(position, seat_players(None, position.rules), EstimatePlan())
    for kernel, arguments in kernels.list_examples(sampler):
        kernel.compile(tuple(map(typeof, arguments)))
        captured.entries[kernel.__name__] = _compile_entry(kernel)
    kernels.find_playable_cards(allocate_block(), 0)
    kernels.find_leader(allocate_block())
    kernels.order_by_strength(allocate_block(), 1)
    kernels.compare_cards(allocate_block(), 0, 1, 2, np.zeros(1, np.int64))
    play_round(TABLES["2-take"], 0)
    experiment = Experiment(TABLES["2-take"], deals=1)
    counted = equity.load_rounds(experiment)
    assert counted is not None
    equity.Equity(equity.EquityTable(experiment, counted), 0, (990, 990))
    for kernel in (
        auction.replay_calls, auction.list_calls, auction.write_contract_option,
        observed_calls.estimate_errors, call_odds.begin_deals, call_odds.draw_callers,
        call_odds.deal_remaining, call_odds.play_out_calls, card_odds.replay_plays,
        card_odds.list_layouts,
        card_odds.draw_hidden_hands, card_odds.play_out_cards, weighted_draws.thin_draws,
        weighted_draws.add_weighted, weighted_draws.add_holdings, rng.fill_keys,
        kernels.find_playable_cards, kernels.find_leader, kernels.order_by_strength,
        kernels.compare_cards,
        kernels.play_round, equity.solve,
    ):  # fmt: skip
        captured.entries[kernel.__name__] = _compile_entry(kernel)


def make_table(rules: Any) -> dict[str, Any]:
    """Return the rules and seatings that the kernels get at a table of default players."""
    from kqj_sim.games.kqj.card_sampler import PlayModel
    from kqj_sim.policies.players import seat_players
    from kqj_sim.simulation.encode import encode_rules, encode_seating, without_counters

    players = seat_players(None, rules)
    calls = encode_seating(rules, players, None, "calls")
    return {
        "rules": encode_rules(rules),
        "calls": calls,
        "uncountered": without_counters(rules, calls),
        "cards": encode_seating(rules, players, None, "rollouts"),
        "plays": PlayModel(rules).model,
    }


def play_round(rules: Any, deal: int) -> tuple[Any, ...]:
    """Return the cards, calls and plays of a deal, as the kernel `play_round` fills them."""
    import numpy as np

    from kqj_sim.core.auction import CALL_SIZE
    from kqj_sim.core.bidding import LOG_SIZE, MAX_CALLS
    from kqj_sim.core.block import allocate_block
    from tools.page import kernels

    table = make_table(rules)
    log, calls = np.zeros(LOG_SIZE, np.int64), np.zeros((MAX_CALLS, CALL_SIZE), np.int64)
    cards, plays = np.zeros(13, np.int64), np.zeros(48, np.int64)
    seating = table["cards"]._replace(keeps_history=1)
    kernels.play_round(allocate_block(), log, deal, table["rules"], seating, cards, calls, plays)
    return cards, calls, plays


def describe(part: Any, captured: Captured, places: dict[int, int]) -> Any:
    """Return an argument of kernels as JSON, with numbers for functions and weights.

    That of weights is 1 more than the bytes before them, by `places` of their address.

    Numbers are themselves, tuples lists.  Arrays have a kind: functions, weights, floats, integers.
    """
    import numpy as np

    from kqj_sim.core.types import Seating

    if isinstance(part, Seating):
        kinds = {"loop_addresses": "functions", "stages": "functions", "resume": "functions"}
        kinds["resources"] = "weights"
        found = []
        for name, value in part._asdict().items():
            if kinds.get(name) == "functions":
                numbers = [_number(captured, int(address)) for address in value]
                found.append({"functions": numbers})
            elif kinds.get(name) == "weights":
                found.append({"weights": [places.get(int(address), 0) for address in value]})
            else:
                found.append(describe(value, captured, places))
        return found
    if isinstance(part, tuple):
        return [describe(each, captured, places) for each in part]
    if isinstance(part, np.ndarray):
        return {"floats" if part.dtype.kind == "f" else "integers": part.tolist()}
    return {"floats": [part]} if isinstance(part, float) else int(part)


def _number(captured: Captured, address: int) -> int:
    """Return the number of a function by its address; -1 for none."""
    if address == 0:
        return -1
    name = captured.symbols[address]
    if name not in captured.functions:
        captured.functions.append(name)
    return captured.functions.index(name)


def _compile_entry(kernel: Any) -> str:
    """Compile a C function around a kernel and return its name.

    Its one argument points to int64: of an array the address and the shape, of a float its address,
    a whole number itself, and of a tuple these of its members.
    """
    from numba import carray, types

    from kqj_sim.core.jit import compile_cfunc, float32_at, float64_at, int16_at, int64_at

    (signature,) = kernel.signatures
    at = {
        types.int64: "int64_at", types.float64: "float64_at", types.float32: "float32_at",
        types.int16: "int16_at",
    }  # fmt: skip
    names: dict[str, Any] = {
        "carray": carray, "kernel": kernel, "int64_at": int64_at, "float64_at": float64_at,
        "float32_at": float32_at, "int16_at": int16_at,
    }  # fmt: skip
    used = 0

    def take(count: int) -> int:
        nonlocal used
        used += count
        return used - count

    def express(kind: Any) -> str:
        if isinstance(kind, types.Array):
            start = take(1 + kind.ndim)
            shape = ", ".join(f"a[{start + 1 + axis}]" for axis in range(kind.ndim))
            return f"carray({at[kind.dtype]}(a[{start}]), ({shape},))"
        if isinstance(kind, types.BaseNamedTuple):
            names[kind.instance_class.__name__] = kind.instance_class
            members = ", ".join(map(express, kind.types))
            return f"{kind.instance_class.__name__}({members})"
        if isinstance(kind, types.Float):
            return f"float64_at(a[{take(1)}])[0]"
        return f"a[{take(1)}]"

    call = f"kernel({', '.join(map(express, signature))})"
    result = kernel.overloads[signature].signature.return_type
    body = f"{call}\n    return 0" if result == types.none else f"return int({call})"
    exec(f"def entry(a):\n    {body}\n", names)
    pointer = types.CPointer(types.int64)
    compiled = compile_cfunc(types.int64(pointer), names["entry"], cache=False)
    return str(compiled.native_name)


def link(captured: Captured) -> bytes:
    """Return the WebAssembly module of captured code."""
    import llvmlite.binding as llvm
    from numba.core import cgutils

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(_TRIPLE).create_target_machine(
        cpu="generic", features=_FEATURES, opt=3, reloc="static"
    )
    head = f'target triple = "{_TRIPLE}"\ntarget datalayout = "{target.target_data}"\n'
    numbers: dict[str, int] = {}
    parts = (_retarget(text, head, numbers) for text in captured.texts)
    whole = llvm.parse_assembly(cgutils.normalize_ir_text(next(parts)))
    for part in parts:
        whole.link_in(llvm.parse_assembly(cgutils.normalize_ir_text(part)))
    addresses = _write_address_table(captured.functions)
    whole.link_in(llvm.parse_assembly(head + addresses + _INSTRUCTIONS))
    for name, symbol in captured.entries.items():
        whole.get_function(symbol).name = name
    whole.link_in(llvm.parse_assembly(head + "\n".join(_write_stubs(whole))))
    for each in (*whole.functions, *whole.global_variables):
        if not each.is_declaration and each.name not in {"address_of", *captured.entries}:
            each.linkage = "internal"
    whole.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(whole, builder)
    # An address of this process would be a constant here.
    assert not re.search(r"inttoptr \(i64 \d{9,}", str(whole))
    module = _run_linker(target.emit_object(whole), ["address_of", *captured.entries])
    assert not any(path.encode() in module for path in (str(ROOT), sys.prefix)), "a folder's name"
    return module


def _retarget(text: str, head: str, numbers: dict[str, int]) -> str:
    """Return a module for WebAssembly.

    Args:
        text: the module.
        head: its target.
        numbers: replace the random parts of names by numbers, the same in all modules.
    """
    from kqj_sim.core.simd_int16 import DOT_NAME

    def rename(found: re.Match[str]) -> str:
        return f"_24{numbers.setdefault(found[1], len(numbers)):032x}"

    text = re.sub(r"_24([0-9a-f]{32})", rename, text)
    text = re.sub(r"target triple = .*|target datalayout = .*", "", text)
    # Modules have the same functions for errors.
    text = re.sub(r'^define external (?=.*@"__excinfo)', "define linkonce_odr ", text, flags=re.M)
    # Only Python would read the texts of errors, which name files by their folders.
    pattern = r'^(@"\.const\.picklebuf[^=]*= internal constant \{.*?\}) .*'
    text = re.sub(pattern, r"\1 zeroinitializer", text, flags=re.M)
    # WebAssembly has no common symbols.
    text = text.replace(" = common global", " = linkonce global")
    name, vector = re.escape(DOT_NAME), "<8 x i16>"
    pattern = (
        rf'(define linkonce_odr <4 x i32> @"{name}"\({vector} (%\S+), {vector} (%[^)]+)\)[^{{]*\{{)'
        r".*?\n\}"
    )
    instruction = "<4 x i32> @llvm.wasm.dot"
    dot = rf"\1\n  %r = call {instruction}({vector} \2, {vector} \3)\n  ret <4 x i32> %r\n}}"
    text, count = re.subn(pattern, dot, text, flags=re.S)
    assert count or DOT_NAME not in text
    return head + text + (f"\ndeclare {instruction}({vector}, {vector})\n" if count else "")


def _write_address_table(functions: list[str]) -> str:
    """Return a function that gives the address of each function by its number."""
    lines = [f'declare void @"{name}"()' for name in functions]
    cases = " ".join(f"i64 {number}, label %c{number}" for number in range(len(functions)))
    lines += ["define i64 @address_of(i64 %n) {", f"  switch i64 %n, label %none [{cases}]"]
    lines += ["none:", "  ret i64 0"]
    for number, name in enumerate(functions):
        lines += [f"c{number}:", f'  ret i64 ptrtoint (ptr @"{name}" to i64)']
    return "\n".join([*lines, "}", ""])


def _write_stubs(module: Any) -> Iterator[str]:
    """Yield functions that trap for those of Python and numba, which only errors would call."""
    yield "declare void @llvm.trap()"
    for function in module.functions:
        name = function.name
        if function.is_declaration and not name.startswith("llvm.") and name not in _RUNTIME:
            declared = re.sub(r"\s*#\d+", "", str(function).strip().splitlines()[-1])
            body = "  call void @llvm.trap()\n  unreachable\n}"
            yield f"{declared.replace('declare', 'define', 1)} {{\n{body}"


def _run_linker(engine: bytes, exported: list[str]) -> bytes:
    """Link the engine's object file with the runtime."""
    zig = [sys.executable, "-m", "ziglang"]
    with tempfile.TemporaryDirectory() as folder:
        settings = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": folder, "ZIG_LOCAL_CACHE_DIR": folder}
        Path(folder, "engine.o").write_bytes(engine)
        features = "generic+simd128+bulk_memory"
        for command in (
            ["cc", "-target", "wasm32-freestanding", f"-mcpu={features}", "-O2", "-c",
             str(FOLDER / "runtime.c"), "-o", "runtime.o"],
            ["build-exe", "-target", "wasm32-freestanding", f"-mcpu={features}", "-OReleaseSmall",
             "-fno-entry", "-fstrip", "--gc-sections", "--stack", "1048576", "--export-table",
             *(f"--export={name}" for name in exported), "engine.o", "runtime.o",
             str(FOLDER / "math.zig"), "-femit-bin=engine.wasm"],
        ):  # fmt: skip
            subprocess.run([*zig, *command], cwd=folder, check=True, env=settings)
        return Path(folder, "engine.wasm").read_bytes()


def main(folder: Path) -> None:
    """Write the files of `build_engine`."""
    captured = capture()
    (folder / "engine.wasm").write_bytes(link(captured))
    tables = json.dumps(captured.tables, separators=(",", ":"))
    (folder / "tables.json").write_text(tables, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
