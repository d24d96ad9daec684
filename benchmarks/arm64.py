"""The engine on ARM64, by emulation: its bytes, its vector loops and its instructions a deal.

`python benchmarks/arm64.py FOLDER` needs a Debian with `qemu-user` and `gcc`.  It unpacks Debian's
Python for ARM64 and the wheels of `constraints.txt` into the folder, plays the same deals on this
processor and emulated, and compares rows and tables.  Then it counts instructions, on
ARM64 and on x86-64 with AVX2, since time says nothing.  Nothing is installed.

Compiling under emulation takes minutes for each player; a later call finds it in the folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

EXPERIMENTS: tuple[tuple[str, ...], ...] = (
    ("--policy", "random"),
    ("--policy", "random+greedy", "--teams", "3"),
    ("--policy", "random", "--bidding", "auction"),
    (),
    ("--teams", "3", "--bidding", "auction"),
)
"""Arguments of `kqj-sim simulate` whose output is compared; no --policy: the default players."""

DEALS = 5000
COUNTED = 1 << 14
"""Deals compared, and deals whose instructions are counted."""

DIFFERENT = "DIFFERENT"

MARK = 0x4B514A
"""A process number that no process has."""

COUNTER = f"""
#include <stdint.h>
#include <stdio.h>
typedef uint64_t id_t_;
int qemu_plugin_version = 1;
void qemu_plugin_register_vcpu_tb_trans_cb(id_t_, void (*)(id_t_, void *));
void qemu_plugin_register_vcpu_syscall_cb(id_t_, void (*)(id_t_, unsigned, int64_t, uint64_t,
    uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t));
void qemu_plugin_register_vcpu_tb_exec_cb(void *, void (*)(unsigned, void *), int, void *);
uintptr_t qemu_plugin_tb_n_insns(void *);
static uint64_t counted;
static void run(unsigned cpu, void *n) {{
    __atomic_fetch_add(&counted, (uintptr_t)n, __ATOMIC_RELAXED);
}}
static void translate(id_t_ id, void *block) {{
    qemu_plugin_register_vcpu_tb_exec_cb(block, run, 0, (void *)qemu_plugin_tb_n_insns(block));
}}
static void call(id_t_ id, unsigned cpu, int64_t number, uint64_t first, uint64_t b, uint64_t c,
                 uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h) {{
    if (first == {MARK}) fprintf(stderr, "counted %lu\\n", counted);
}}
int qemu_plugin_install(id_t_ id, const void *info, int argc, char **argv) {{
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_vcpu_syscall_cb(id, call);
    return 0;
}}
"""
"""A plugin of qemu that prints the instructions so far when a system call has MARK as its first
argument.  Debian has no header for plugins; these functions are those that it needs."""


def main(folder: Path) -> None:
    """Prepare what is missing in a folder, compare, list and count."""
    folder = folder.absolute()
    if not (folder / "site").exists():
        prepare(folder)
    emulated = ["qemu-aarch64", "-L", str(folder / "root"), str(folder / "root/usr/bin/python3")]
    arm = {"PYTHONPATH": f"{ROOT}:{folder / 'site'}", "NUMBA_CACHE_DIR": str(folder / "cache")}
    different = 0
    for number, arguments in enumerate(EXPERIMENTS):
        here, there = folder / f"x86-64-{number}", folder / f"arm64-{number}"
        simulate([sys.executable], {}, arguments, here)
        simulate(emulated, arm, arguments, there)
        found = [compare(Path(f"{here}{end}"), Path(f"{there}{end}")) for end in (".csv", ".json")]
        different += DIFFERENT in found
        name = " ".join(arguments) or "default players"
        print(f"{name}: rows {found[0]}, tables {found[1]}", flush=True)

    if not (folder / "counter.so").exists():
        (folder / "counter.c").write_text(COUNTER)
        run(["gcc", "-O2", "-shared", "-fPIC", "-o", f"{folder}/counter.so", f"{folder}/counter.c"])
    from benchmarks.processors import PATHS

    counting = ["-plugin", f"{folder}/counter.so"]
    me = [str(Path(__file__).resolve()), "count"]
    wide = {**dict(PATHS)["AVX2"], "NUMBA_CACHE_DIR": str(folder / "cache-x86-64")}
    run([sys.executable, *me], wide)  # Compiled without emulation, found with it.
    native = ["qemu-x86_64", *counting, "-cpu", "max", os.path.realpath(sys.executable), *me]
    print("x86-64 with AVX2, instructions a deal:", read_counts(native, {**wide, **own_path()}))
    run([*emulated, *me], arm)
    print(
        "ARM64, instructions a deal:",
        read_counts([emulated[0], *counting, *emulated[1:], *me], arm),
    )

    loops = run([sys.executable, str(ROOT / "benchmarks/vectors.py"), "generic"]).stdout
    for each in msgspec.json.decode(loops):
        print(f"{each['name']}: {each['vectorized']} loops {each['register']}; {each['left']}")
    sys.exit(different > 0)


def prepare(folder: Path) -> None:
    """Download and unpack Python for ARM64 and the packages that the project needs."""
    apt = folder / "apt"
    for each in ("lists/partial", "archives/partial"):
        (apt / each).mkdir(parents=True, exist_ok=True)
    (apt / "status").touch()
    settings = {
        "APT::Architecture": "arm64", "APT::Architectures": "arm64", "APT::Sandbox::User": "",
        "Dir::State::status": apt / "status", "Dir::State::lists": apt / "lists",
        "Dir::Cache": apt,
    }  # fmt: skip
    options = [text for name, value in settings.items() for text in ("-o", f"{name}={value}")]
    run(["apt-get", *options, "update"])
    wanted = ["--no-install-recommends", "install", "python3", "libstdc++6"]
    run(["apt-get", *options, "-y", "--download-only", *wanted])
    for package in (apt / "archives").glob("*.deb"):
        run(["dpkg-deb", "-x", str(package), str(folder / "root")])
    version = (folder / "root/usr/bin/python3").readlink().name.removeprefix("python")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    platforms = ("manylinux_2_28", "manylinux_2_27", "manylinux2014")
    run([
        sys.executable, "-m", "pip", "install", "--only-binary=:all:", "--python-version", version,
        *(f"--platform={each}_aarch64" for each in platforms), "-c", str(ROOT / "constraints.txt"),
        "--target", str(folder / "site"), *project["dependencies"],
    ])  # fmt: skip


def compare(here: Path, there: Path) -> str:
    """Return in what two files agree."""
    texts = [path.read_text() for path in (here, there)]
    if texts[0] == texts[1]:
        return "the same bytes"
    # Libraries of C differ in the last bit of cube roots, which an interval of a standard deviation
    # needs.
    rounded = {
        re.sub(r"-?\d+\.\d+", lambda found: f"{float(found[0]):.13g}", text) for text in texts
    }
    return "the same to 13 digits" if len(rounded) == 1 else DIFFERENT


def simulate(
    python: list[str], variables: dict[str, str], arguments: tuple[str, ...], out: Path
) -> None:
    """Write the tables and the rows of an experiment to files."""
    run([
        *python, "-m", "kqj_sim", "simulate", "--quiet", "--deals", str(DEALS), "--seed", "3",
        "--tables", "all", "--out", f"{out}.json", "--rows", f"{out}.csv", *arguments,
    ], variables)  # fmt: skip


def run(
    command: list[str], variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command with further variables, at low priority; end if it fails."""
    environment = {**os.environ, **(variables or {})}
    # Python under emulation reads its own bytecode much faster.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    made = subprocess.run(
        ["nice", *command], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if made.returncode:
        sys.exit(f"{' '.join(command)}:\n{made.stderr}")
    return made


def own_path() -> dict[str, str]:
    """Return the variable with which this environment's interpreter finds its packages."""
    return {"PYTHONPATH": os.pathsep.join([str(ROOT), *(path for path in sys.path if path)])}


def read_counts(command: list[str], variables: dict[str, str]) -> str:
    """Return the instructions a deal that a command reports, by policy."""
    from benchmarks.speed import DEFAULT, GREEDY, RANDOM

    written = run(command, variables).stderr.splitlines()
    marks = [int(line.split()[1]) for line in written if line.startswith("counted ")]
    found = []
    for policy, at in zip((RANDOM, GREEDY, DEFAULT), range(0, len(marks), 3), strict=True):
        start, few, many = marks[at : at + 3]
        found.append(f"{policy} {(many - few - (few - start)) / COUNTED:,.0f}")
    return ", ".join(found)


def count() -> None:
    """Play COUNTED and twice as many deals with each policy, marks before, between and after."""
    from benchmarks.speed import DEFAULT, GREEDY, RANDOM, Nothing
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.simulation.run import reduce_rows

    for policy in (RANDOM, GREEDY, DEFAULT):
        experiment = Experiment(players=(policy,) * 6, deals=COUNTED)
        nothing: Any = Nothing
        reduce_rows(experiment, nothing, 1)
        mark()
        for times in (1, 2):
            reduce_rows(replace(experiment, deals=times * COUNTED), nothing, 1)
            mark()


def mark() -> None:
    """Make a system call at which the plugin of qemu prints its count."""
    with suppress(ProcessLookupError):
        os.getpgid(MARK)


if __name__ == "__main__":
    count() if sys.argv[1] == "count" else main(Path(sys.argv[1]))
