"""Surroundings of a command: closed streams, policies that print, matplotlib's settings, disks."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.command_line import (
    ENVIRONMENT,
    expect_error,
    run,
    run_in_shell,
    run_program,
    run_python,
)
from tests.policies.files import write_policy

FEW = ("simulate", "--deals", "200", "--policy", "random", "--quiet")
NOISY = """print("loaded")
@policy
def low(view):
    print("playing", view.legal)
    return lowest(view.legal)
"""


def test_policy_that_prints_does_not_write_among_results(tmp_path: Path) -> None:
    path = write_policy(tmp_path, NOISY)
    done = run("simulate", "--deals", "3", "--policy", path, "--format", "csv")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("table,")
    assert "loaded" not in done.stdout and "playing" not in done.stdout
    assert "loaded" in done.stderr and "playing" in done.stderr


@pytest.mark.slow
def test_settings_of_matplotlib_do_not_reach_pictures(tmp_path: Path) -> None:
    pictures = []
    for name, variables in (("plain", {}), ("foreign", {"MPLBACKEND": "foo"})):
        folder = tmp_path / name
        folder.mkdir()
        if variables:
            (folder / "matplotlibrc").write_text("axes.facecolor: red\nfont.size: 30\n")
        done = run_program(*FEW, "--plot", "p.svg", cwd=folder, variables=variables)
        assert (done.returncode, done.stderr) == (0, "")
        pictures.append((folder / "p.svg").read_bytes())
    assert pictures[0] == pictures[1]


REPLACED = """
import sys
from pathlib import Path
import kqj_sim
from kqj_sim.cli import main
from kqj_sim.runner import Runner

package, advance, playing = str(Path(kqj_sim.__file__).parent), Runner.advance, []

def note(*values):
    playing.append(True)
    return advance(*values)

def refuse(event, values):
    name = str(values[0]) if values else ""
    if playing and event == "open" and name.startswith(package):
        raise FileNotFoundError(name)

Runner.advance = note
sys.addaudithook(refuse)
main(sys.argv[1:])
"""
"""A program whose package cannot be read any more once it plays."""


@pytest.mark.parametrize(
    "arguments",
    [
        "simulate --deals 300 --policy random",
        "odds 9h 8h Ah Ks 4d --return 7h --deals 300 --out odds.html",
        *(
            pytest.param(words, marks=pytest.mark.slow)
            for words in (
                "simulate --deals 300 --policy random --out x.csv --plot x.png --by lap",
                "simulate --deals 300 --policy random --plot x.pdf --rows x.csv",
                "odds 9h 8h Ah Ks 4d --return 7h --deals 300",
                "compare random greedy --deals 100 --plot x.svg",
                "sweep points --vary take=20:30:10 --deals 50 --out x.parquet",
                "tune standard --parameters take --deals 20 --generations 2 --confirm 20",
                "report --out r --deals 50 --games 0 --chart-deals 0 --policy random",
                "review --policy random --deals 1 --samples 20",
                "review --policy random --deals 1 --samples 20 --out x.html",
            )
        ),
    ],
)
def test_package_that_is_replaced_meanwhile_costs_no_results(
    arguments: str, tmp_path: Path
) -> None:
    done = run_python("-c", REPLACED, *arguments.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "layout" not in done.stderr
    assert done.stdout or list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize(
    "arguments", ["check -", "show -", "review -", "records --from -", "odds --record -"]
)
def test_closed_stdin_is_one_line(arguments: str) -> None:
    done = run_in_shell(f"PROGRAM {arguments} <&-")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("Error: stdin: it is closed")


@pytest.mark.parametrize(
    ("variable", "told"),
    [
        ("NUMBA_DISABLE_JIT=1", "kqj_sim runs compiled code only: unset NUMBA_DISABLE_JIT"),
        ("NUMBA_NUM_THREADS=0", "numba cannot be loaded (Number of threads specified must be > 0)"),
        ("PYTHONPATH=", "numba cannot be loaded (half of it is missing)"),
    ],
)
def test_a_library_that_cannot_be_loaded_is_named(variable: str, told: str, tmp_path: Path) -> None:
    name, _, value = variable.partition("=")
    if name == "PYTHONPATH":
        (tmp_path / "numba").mkdir()
        (tmp_path / "numba" / "__init__.py").write_text("from . import core")
        (tmp_path / "numba" / "core.py").write_text("raise SystemError('half of it is missing.')")
        value = f"{tmp_path}{os.pathsep}{ENVIRONMENT['PYTHONPATH']}"
    done = run_program(*FEW, variables={name: value})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"Error: {told}") and done.stderr.count("\n") == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a limit of memory")
@pytest.mark.parametrize("megabytes", [60, 250])
def test_too_little_memory_is_one_line(megabytes: int) -> None:
    line = f"ulimit -v {megabytes << 10}; exec PROGRAM {' '.join(FEW)}"
    done = run_in_shell(line, env=ENVIRONMENT | {"OPENBLAS_NUM_THREADS": "1"})
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and last.startswith("Error: ") and "unexpected" not in last


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
@pytest.mark.parametrize("format", ["csv", "json", "parquet"])
def test_full_disk_does_not_cost_the_tables(
    format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*FEW, "--out", "/dev/full", "--format", format)
    assert done.exit_code == 1
    assert "/dev/full: cannot be written: No space" in done.stderr
    assert done.stdout == run(*FEW, "--format", "table" if format == "parquet" else format).stdout
    assert not [*tmp_path.iterdir()]


LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))\n" + (
    "from kqj_sim.cli import main\nmain()"
)
"""A program none of whose files may be larger."""


@pytest.mark.parametrize(
    ("arguments", "size", "found", "missing"),
    [
        (
            "tune standard --parameters take --deals 20 --generations 1 --confirm 20",
            1_000, "gain, on the same deals", "tuned.toml",
        ),
        (
            "report --out r --deals 100 --policy random --games 0 --chart-deals 0",
            10_000, "## How this report was made", "r",
        ),
        (
            "report --out r --deals 20000 --policy random --games 0 --chart-deals 0 --save-rows",
            250_000, "r/report.html", "r/rows.parquet",
        ),
    ],
    ids=["tune", "report", "rows of a report"],
)  # fmt: skip
def test_file_that_cannot_be_written_at_the_end_does_not_cost_the_results(
    arguments: str, size: int, found: str, missing: str, tmp_path: Path
) -> None:
    done = run_python("-c", LIMITED.format(size), *arguments.split(), cwd=tmp_path)
    assert done.returncode == 1
    assert found in done.stdout
    assert done.stderr.endswith(f"Error: {missing}: cannot be written: File too large\n")
    assert not (tmp_path / missing).exists()
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


@pytest.mark.parametrize("other", ["--rows", "--checkpoint"])
def test_two_outputs_of_one_file_are_refused(other: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.symlink_to("target.csv")
    beside = tmp_path / "." / "target.csv"
    assert "two outputs" in expect_error(run(*FEW, "--out", str(path), other, str(beside)))
    assert os.listdir(tmp_path) == ["x.csv"]


@pytest.mark.parametrize("out", ["out.json", "out.html", "out.csv"])
def test_review_without_rounds_leaves_the_old_file(out: str, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"game": "kqj"}\n')
    (tmp_path / out).write_text("precious")
    done = run("review", str(tmp_path / "bad.jsonl"), "--out", str(tmp_path / out))
    assert done.exit_code == 1
    assert (tmp_path / out).read_text() == "precious"
    assert sorted(os.listdir(tmp_path)) == ["bad.jsonl", out]
