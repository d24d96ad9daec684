"""Wrong input of any kind, and what nobody foresaw: one short line, never a traceback."""

from __future__ import annotations

import errno
import io
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import Result

import kqj_sim
from kqj_sim.cli import main
from kqj_sim.commands.from_function import ValueType
from tests.command_line import find_commands, run, run_in_shell, run_json

LONGEST = 400
"""Characters of a line that is still read."""

LONG = "x" * 100_000
WRONG = {
    "long": LONG,
    "long with blanks": "a b " * 25_000,
    "long number": "9" * 100_000,
    "quotation marks": "'" * 100_000,
    "control characters": "\x1b[31m\r\n\x01\u2028\u202e",
    "long control characters": "\x01\n" * 50_000,
    "not UTF-8": "\udcff\udc80",
}
NUMBERS = ["", "nan", "-1", "1E+5000000", "1e-400", "1" * 5000, "0x10", "²", "="]

FEW_DEALS = {
    "simulate": ["--policy", "greedy", "--deals", "2"],
    "odds": ["9h 8h Ah Kh 5s", "--return", "7h", "--deals", "64", "--policy", "greedy"],
    "equity": ["--policy", "greedy", "--deals", "240"],
    "compare": ["greedy", "random", "--deals", "2"],
    "sweep": ["standard", "--vary", "take=30,40", "--deals", "2"],
    "tune": ["nothing", "--parameters", "take", "--save", "out.toml"],
    "report": ["--out", "report", "--policy", "nothing"],
    "records": ["--policy", "greedy", "--deals", "2"],
    "show": ["--policy", "greedy"],
    "solve": ["--policy", "greedy", "--at", "8.1"],
    "check": ["rounds.jsonl"],
    "review": ["rounds.jsonl", "--samples", "2"],
    "policies check": ["nothing"],
}
"""What else each command needs, so that a value that is accepted after all costs no time."""


def list_options() -> Iterator[Any]:
    """Yield each option, with the first of its commands; those with further ones are slow."""
    known: set[tuple[str, str, str | None]] = set()
    for words, command in find_commands().items():
        for option in command.params if not isinstance(command, click.Group) else ():
            kind = (option.opts[0], type(option.type).__name__, option.metavar)
            marks = [pytest.mark.slow] * (kind in known)
            known.add(kind)
            yield pytest.param(words, option, id=f"{words} {option.opts[0]}", marks=marks)


def check_line(done: Result, *, failed: bool = True) -> None:
    """Assert that a command that failed said so in one readable line."""
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    told = [line for line in done.stderr.split("\n") if line]
    if done.exit_code == 0:
        assert not failed
        return
    told = [line for line in told if not line.startswith(("Compiling", "Warning"))]
    assert len(told) == 1, told
    assert len(told[0]) < LONGEST, told
    assert told[0].isprintable()
    assert told[0].startswith("Error: ")
    assert "unexpected error" not in told[0], told


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("words", "option"), [*list_options()])
def test_wrong_values_are_told_in_one_short_line(words: str, option: click.Parameter) -> None:
    base = [*words.split(), *FEW_DEALS.get(words, [])]
    for kind, value in WRONG.items():
        # Names of files may be written so, and titles.
        may_be_right = not kind.startswith("long") or option.name == "title"
        if isinstance(option, click.Argument):
            check_line(run(*words.split(), value), failed=False)
        else:
            done = run(*base, f"{option.opts[0]}={value}")
            check_line(done, failed=not may_be_right)
    for value in NUMBERS if isinstance(option.type, ValueType) else ():
        check_line(run(*base, f"{option.opts[0]}={value}"), failed=False)


def test_unknown_options_and_commands_are_shortened() -> None:
    for value in WRONG.values():
        check_line(run(value))
        check_line(run("simulate", f"--{value}"))
        check_line(run("simulate", f"-{value}"))
        check_line(run("columns", value, value))


@pytest.mark.parametrize("value", [LONG, "\x1b[31m\n", "\udcff"])
def test_variables_are_shortened(value: str) -> None:
    check_line(run("columns", env={f"KQJ_SIM_{value}": "1"}))
    check_line(run("simulate", env={"KQJ_SIM_SIMULATE_TEAMS": value}))
    check_line(run("simulate", env={"KQJ_SIM_SIMULATE_QUIET": value}))


DEEP = "[" * 5000
CONFIGS = [
    f"deals = {DEEP}{']' * 5000}",
    "deals = 1" + "0" * 5000,
    "deals = 1979-05-27",
    f"{LONG} = 1",
    f"policy = '{LONG}'",
    f"deals = '{LONG}'",
    f"deals = ['{LONG}']",
    f"quiet = '{LONG}'",
    '"\\n\\u001b" = 1',
    'out = "a\\u0000b"',
    'policy = "a\\u0000.py"',
]


@pytest.mark.parametrize("text", CONFIGS, ids=range(len(CONFIGS)))
def test_wrong_configuration_is_one_short_line(text: str, folder: Path) -> None:
    (folder / "kqj.toml").write_text(text)
    check_line(run("simulate", "--config", "kqj.toml", "--out", "out.txt"))


def test_deep_configuration_is_told_as_such(folder: Path) -> None:
    (folder / "deep.toml").write_text(CONFIGS[0])
    assert "deep.toml is nested too deeply" in run("simulate", "--config", "deep.toml").stderr
    assert "deep.toml: it is nested too deeply" in run("simulate", "--policy", "deep.toml").stderr


POLICIES = [
    "policy = 1" + "0" * 5000,
    f"policy = '{LONG}'",
    f"{LONG} = 1",
    'policy = "a\\u0000.py"',
    f"policy = 'standard'\n[parameters]\n{LONG} = 1",
    f"policy = 'standard'\n[parameters]\ntake = '{LONG}'",
    "policy = 'standard'\n[parameters]\ntake = nan",
    f"policy = 'standard'\n[parameters]\ntake = {DEEP}{']' * 5000}",
]


@pytest.mark.parametrize("text", POLICIES, ids=range(len(POLICIES)))
def test_wrong_players_file_is_one_short_line(text: str, folder: Path) -> None:
    (folder / "bold.toml").write_text(text)
    check_line(run("simulate", "--policy", "bold.toml"))


@pytest.mark.parametrize(
    "level", ["0.9999999999999999", "99.9999999999%", "1e-300", "0", "1", "nan"]
)
@pytest.mark.parametrize("command", ["simulate", "odds", "compare", "sweep", "tune", "report"])
def test_a_level_that_no_interval_has_is_refused(command: str, level: str) -> None:
    done = run(command, *FEW_DEALS[command], f"--confidence={level}")
    assert done.exit_code == 2
    assert "between 0.01 and 0.999999, such as 0.95" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        "simulate --policy greedy --deals 200",
        "odds 9h 8h Ah Kh 5s --return 7h --policy greedy --deals 64",
        "compare greedy random --deals 100",
        "tune random+greedy --parameters take=0.1:0.9 --opponents greedy --deals 20 "
        "--generations 1 --candidates 4 --confirm 200",
        "review --policy greedy --reference greedy --deals 1 --samples 8 --seat opener",
    ],
    ids=lambda words: words.split()[0],
)
def test_the_extreme_levels_have_intervals_of_their_width(words: str) -> None:
    widths = []
    for level in ("0.01", "0.999999"):
        found = run_json(*words.split(), f"--confidence={level}", "--quiet")
        rows = [row for table in found["tables"] for row in table["rows"]]
        known = [row for row in rows if row["low"] is not None and row["high"] is not None]
        widths.append(sum(row["high"] - row["low"] for row in known))
    assert 0 < 5 * widths[0] < widths[1]


STRANGE = os.fsdecode(b"\xff")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_names_that_are_not_utf8_hold_results(folder: Path) -> None:
    for option, suffix in (("out", "csv"), ("rows", "csv"), ("plot", "svg"), ("checkpoint", "npz")):
        name = f"{STRANGE}{option}.{suffix}"
        done = run("simulate", "--policy", "greedy", "--deals", "50", f"--{option}={name}")
        assert done.exit_code == 0, done.stderr
        assert (folder / name).stat().st_size > 0
    rounds = f"{STRANGE}.jsonl"
    assert run("records", "--policy", "greedy", "--deals", "2", "--out", rounds).exit_code == 0
    assert run("check", rounds, "--quiet").exit_code == 0
    done = run("review", rounds, "--line", "1", "--samples", "20", "--out", "review.html")
    assert done.exit_code == 0, done.stderr
    page = (folder / "review.html").read_text(encoding="utf-8")
    assert r'<p class="note">\xff.jsonl; reference' in page
    (folder / rounds).write_text("[]\n")
    assert run("check", rounds, "--quiet").stdout.startswith(r"\xff.jsonl:1: ")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize(("words", "name", "told"), [
    (
        ("report", "--out", f"{STRANGE}r", "--config", f"{STRANGE}.toml", "--title", f"a{STRANGE}",
         "--policy", "greedy", "--deals", "20", "--games", "0", "--chart-deals", "0"),
        f"{STRANGE}r/report.md", r"--out $'\xffr'",
    ),
    (
        ("tune", "standard", "--parameters", "take", "--deals", "20", "--generations", "1",
         "--confirm", "20", "--opponents", "greedy", "--save", f"{STRANGE}2.toml"),
        f"{STRANGE}2.toml", "Made by: kqj-sim tune standard",
    ),
], ids=["report", "tune"])  # fmt: skip
def test_files_that_tell_their_command_can_have_names_that_are_not_utf8(
    words: tuple[str, ...], name: str, told: str, folder: Path
) -> None:
    (folder / f"{STRANGE}.toml").write_text("teams = 3")
    done = run(*words)
    assert done.exit_code == 0, done.stderr
    assert words[0] != "report" or done.stdout == "\\xffr/report.html\n"
    assert told in (folder / name).read_text(encoding="utf-8")


def test_policies_are_refused_in_files_that_are_not_utf8(folder: Path) -> None:
    for suffix in ("py", "toml"):
        done = run("simulate", "--policy", f"{STRANGE}.{suffix}")
        assert rf"'\xff.{suffix}': the name is not UTF-8: rename the file" in done.stderr


def _array(header: str, data: bytes = b"") -> bytes:
    """An array in numpy's format with this header."""
    text = f"{header:127}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def _packed(members: dict[str, bytes]) -> bytes:
    """A zip archive of these members."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return content.getvalue()


def test_damaged_checkpoints_are_one_line(folder: Path) -> None:
    arguments = ["simulate", "--policy", "greedy", "--deals", "50", "--quiet", "--checkpoint"]
    assert run(*arguments, "whole.npz").exit_code == 0
    whole = (folder / "whole.npz").read_bytes()
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = next(each for each in members if each != "about.npy")
    form = "{'descr': '<i8', 'fortran_order': False, 'shape': (%s,), }"
    damaged = [
        *(whole[:cut] for cut in (0, 1, 10, 100, len(whole) // 2, len(whole) - 1)),
        *(_packed({**members, name: members[name][:cut]}) for cut in (0, 5, 8, 10, 30, 60)),
        *(_packed({**members, "about.npy": members["about.npy"][:cut]}) for cut in (9, 50, 200)),
        _packed({**members, name: _array(form % 10**15)}),
        _packed({**members, name: _array(form % 10**30)}),
        _packed({**members, name: _array(form % -1)}),
        _packed({**members, name: _array(form % 3, bytes(24))}),
        _packed({**members, name: _array("(" * 100)}),
        _packed(
            {**members, name: _array("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}")}
        ),
        _packed({each: data for each, data in members.items() if each != name}),
    ]
    for content in damaged:
        (folder / "part.npz").write_bytes(content)
        done = run(*arguments, "part.npz")
        check_line(done)
        assert done.exit_code == 1
        assert "part.npz is no checkpoint" in done.stderr or "is damaged" in done.stderr


def unforeseen(monkeypatch: pytest.MonkeyPatch, error: BaseException, **settings: object) -> Result:
    """Run a command that raises an error that nobody foresaw."""

    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(main.commands["columns"], "callback", fail)
    return run("columns", **settings)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (KeyError("a mistake"), "unexpected KeyError: 'a mistake'"),
        (RecursionError("too deep"), "unexpected RecursionError: too deep"),
        (ModuleNotFoundError("No module named 'scipy'"), "No module named 'scipy'"),
        (ValueError(LONG), "unexpected ValueError: xxx"),
        (ValueError("\x1b[31m\nb"), r"ValueError: \x1b[31m b"),
        (AssertionError(), "unexpected AssertionError."),
        (EOFError(), "unexpected EOFError"),
    ],
)
def test_the_unforeseen_is_a_line_that_asks_for_a_report(
    error: Exception, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = unforeseen(monkeypatch, error)
    check_line(done)
    assert done.exit_code == 1
    assert told in done.stderr
    assert f"Please report it with the command and the version, kqj-sim {kqj_sim.__version__}" in (
        done.stderr
    )
    assert "KQJ_SIM_DEBUG=1 shows the traceback" in done.stderr


@pytest.mark.parametrize(
    ("error", "told", "status"),
    [
        (MemoryError(), "Error: out of memory: ask for fewer", 1),
        (MemoryError("Unable to allocate 8 PiB"), "(Unable to allocate 8 PiB)", 1),
        (OSError(errno.ENOSPC, "No space left on device"), "Error: No space left on device", 1),
        (OSError(errno.EACCES, "Permission denied", LONG), "xxx: Permission denied", 1),
        (RuntimeError("can't start new thread"), "out of memory (can't start new thread): ask", 1),
        (OSError("pyarrow's, without a number"), "pyarrow's, without a number", 1),
        (KeyboardInterrupt(), "Interrupted", 130),
    ],
)
def test_what_the_machine_refuses_is_told(
    error: BaseException, told: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = unforeseen(monkeypatch, error)
    assert told in done.stderr
    assert done.exit_code == status
    assert len(done.stderr) < LONGEST
    assert "Traceback" not in done.stderr


def test_debugging_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    done = unforeseen(monkeypatch, KeyError("a mistake"), env={"KQJ_SIM_DEBUG": "1"})
    assert done.exit_code == 1
    assert done.stderr.startswith("Traceback (most recent call last):\n")
    assert "in fail\n" in done.stderr
    assert "Traceback" not in unforeseen(monkeypatch, KeyError(), env={"KQJ_SIM_DEBUG": "0"}).stderr


def test_errors_in_worker_threads_are_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from kqj_sim.simulation.blocks import BlockPlayer

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("in a thread")

    monkeypatch.setattr(BlockPlayer, "play", fail, raising=True)
    done = run("simulate", "--policy", "greedy", "--deals", "100", "--threads", "2", "--quiet")
    check_line(done)
    assert "unexpected ZeroDivisionError: in a thread" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_one_line() -> None:
    done = run_in_shell("PROGRAM columns >/dev/full")
    assert (done.returncode, done.stderr) == (1, "Error: No space left on device\n")


@pytest.mark.skipif(os.name != "posix", reason="the shell's notation")
def test_closed_streams_are_no_error() -> None:
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        done = run_in_shell(f"PROGRAM columns {closed}")
        assert (done.returncode, done.stderr) == (0, "")
