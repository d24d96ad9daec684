"""Compiled code on disk: quick to load, never in the way, and of several processes at once."""

from __future__ import annotations

import errno
import os
import random
import shutil
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
import platformdirs
import pytest
from numba import types

from kqj_sim.core import code_cache
from kqj_sim.core.jit import kernel
from kqj_sim.runner import Runner
from tests.command_line import run_program, run_python

SIGNATURE = types.int64(types.int64, types.int64)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache of a process that has not warned yet."""
    found = tmp_path / "cache" / "compiled-0123456789abcdef"
    monkeypatch.setattr(code_cache, "CACHE_FOLDER", found)
    monkeypatch.setattr(code_cache, "_warned", False)
    code_cache.note_use.cache_clear()
    yield found
    code_cache.note_use.cache_clear()


def add(one: int, other: int) -> int:
    """Return a sum; kept on disk."""
    return one + 10 * other


def run_kernel() -> tuple[int, bool]:
    """Compile or load `add` as a new process would; return a result, and True if it was loaded."""
    compiled = kernel(add)
    compiled.compile(SIGNATURE)
    return compiled(1, 2), bool(compiled.stats.cache_hits)


def flip(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_a_kernel_calls_one_that_was_loaded(folder: Path) -> None:
    run_kernel()
    loaded = kernel(add)
    loaded.compile(SIGNATURE)
    assert loaded.stats.cache_hits

    def add_twice(one: int, other: int) -> int:
        result: int = loaded(loaded(one, other), other)
        return result

    assert kernel(add_twice, cache=False)(1, 2) == 41


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "only a checksum": lambda content: content[:32],
    "zeros": lambda content: bytes(len(content)),
    "random": lambda content: random.Random(1).randbytes(len(content)),
    "longer": lambda content: content + b"\0",
}


def test_code_is_loaded_from_disk_without_a_word(folder: Path) -> None:
    assert run_kernel() == (21, False)
    assert run_kernel() == (21, True)
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_compiled_and_written_again(
    folder: Path, damage: Callable[[bytes], bytes]
) -> None:
    run_kernel()
    (path,) = folder.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    with pytest.warns(RuntimeWarning, match=f"{folder} cannot be loaded .a file is damaged"):
        assert run_kernel() == (21, False)
    assert run_kernel() == (21, True)


def test_no_flipped_bit_is_run(folder: Path) -> None:
    run_kernel()
    (path,) = folder.iterdir()
    content = path.read_bytes()
    compiled = kernel(add)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        draws = random.Random(2)
        for _ in range(500):
            path.write_bytes(flip(content, draws.randrange(8 * len(content))))
            assert compiled._cache.load_overload(SIGNATURE, compiled.targetctx) is None
    path.write_bytes(content)
    assert compiled._cache.load_overload(SIGNATURE, compiled.targetctx) is not None


def test_a_process_warns_once(folder: Path) -> None:
    run_kernel()
    (path,) = folder.iterdir()
    with pytest.warns(RuntimeWarning) as seen:
        for _ in range(3):
            path.write_bytes(b"")
            assert run_kernel() == (21, False)
    assert len(seen) == 1


REPLACEMENTS: dict[str, Callable[[Path], None]] = {"folder": Path.mkdir}
if os.name == "posix":
    REPLACEMENTS |= {
        "pipe": os.mkfifo,
        "/dev/zero": lambda path: path.symlink_to("/dev/zero"),
        "/dev/tty": lambda path: path.symlink_to("/dev/tty"),
    }


@pytest.mark.parametrize("replace", REPLACEMENTS.values(), ids=REPLACEMENTS)
def test_what_is_no_file_is_compiled(folder: Path, replace: Callable[[Path], None]) -> None:
    run_kernel()
    (path,) = folder.iterdir()
    path.unlink()
    replace(path)
    with pytest.warns(RuntimeWarning, match=f"{folder} cannot be loaded") as seen:
        assert run_kernel() == (21, False)
    assert len(seen) == 1
    assert run_kernel() == (21, not path.is_dir())


ACCESSES: dict[str, Callable[[Path], None]] = {
    "group": lambda folder: folder.chmod(0o770),
    "others": lambda folder: folder.chmod(0o777),
}
if os.name == "posix" and os.getuid() == 0:
    ACCESSES["owner"] = lambda folder: os.chown(folder, 1, -1)


@pytest.mark.skipif(os.name != "posix", reason="has no such permissions")
@pytest.mark.parametrize("allow", ACCESSES.values(), ids=ACCESSES)
def test_a_folder_that_others_may_write_is_not_used(
    folder: Path, allow: Callable[[Path], None]
) -> None:
    run_kernel()
    assert folder.stat().st_mode & 0o777 == 0o700
    (path,) = folder.iterdir()
    kept = path.stat().st_mtime_ns
    allow(folder)
    with pytest.warns(RuntimeWarning, match=f"{folder} .* .others may write there") as seen:
        assert run_kernel() == run_kernel() == (21, False)
    assert len(seen) == 1
    assert path.stat().st_mtime_ns == kept
    assert not code_cache.has_cached_kernels() and not code_cache.can_keep_code()


def test_without_a_home_folder_code_is_compiled(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any, **more: Any) -> Any:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr(platformdirs, "user_cache_dir", fail)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(code_cache, "CACHE_FOLDER", code_cache.locate_cache())
    with pytest.warns(RuntimeWarning, match="cannot be kept .there is no home folder") as seen:
        assert run_kernel() == run_kernel() == (21, False)
    assert len(seen) == 1
    assert not code_cache.has_cached_kernels() and not code_cache.can_keep_code()
    told: list[str] = []
    with Runner(tell=told.append):
        assert told == ["Compiling the engine: some seconds"]


@pytest.mark.parametrize(
    ("place", "name", "value"),
    [
        (llvmlite, "__version__", "0.0"),
        (numba.config, "OPT", 2),
        (numba.config, "BOUNDSCHECK", 1),
        (numba.config, "DEBUGINFO_DEFAULT", 1),
    ],
)
def test_other_libraries_and_settings_have_another_folder(
    monkeypatch: pytest.MonkeyPatch, place: Any, name: str, value: object
) -> None:
    before = code_cache.locate_cache()
    monkeypatch.setattr(place, name, value)
    assert code_cache.locate_cache() != before


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_disk_that_cannot_be_written_is_no_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    def fail(path: Path, content: bytes) -> int:
        with open(path, "wb") as file:
            file.write(content[: len(content) // 2])
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.warns(RuntimeWarning, match=f"{folder} .{os.strerror(error)}"):
        assert run_kernel() == (21, False)
    assert list(folder.iterdir()) == [], "an unfinished file is left"


def test_a_complete_cache_is_only_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_kernel()

    def fail(*arguments: Any, **more: Any) -> Any:
        raise OSError(errno.EROFS, "Read-only file system")

    for name in ("write_bytes", "mkdir", "replace", "unlink"):
        monkeypatch.setattr(Path, name, fail)
    assert run_kernel() == (21, True)


def test_a_file_of_another_signature_is_not_run(folder: Path) -> None:
    run_kernel()
    (path,) = folder.iterdir()
    content = path.read_bytes()
    other = kernel(add)
    other.compile(types.float64(types.float64, types.float64))
    (second,) = set(folder.iterdir()) - {path}
    second.write_bytes(content)
    again = kernel(add)
    again.compile(types.float64(types.float64, types.float64))
    assert again(0.5, 1.0) == 10.5 and not again.stats.cache_hits


def test_folders_that_no_version_uses_are_removed(folder: Path) -> None:
    def make(name: str, age: float) -> Path:
        path = folder.parent / name
        path.mkdir(parents=True)
        (path / "some.code").touch()
        os.utime(path, (time.time() - age,) * 2)
        return path

    # A clock that is years ahead makes all of them old: the last ones used are spared.
    ages = {letter: code_cache.UNUSED + 60 * at for at, letter in enumerate("bcdef")}
    first, second, *_ = [make(f"compiled-{each * 16}", age) for each, age in ages.items()]
    recent = make(f"compiled-{'a' * 16}", code_cache.UNUSED - 60)
    foreign = make("compiled-by-others", 2 * code_cache.UNUSED)
    run_kernel()
    assert {*folder.parent.iterdir()} == {folder, recent, first, second, foreign}
    # A folder that is used counts as used, also if nothing is written to it.
    os.utime(folder, (time.time() - code_cache.UNUSED,) * 2)
    code_cache.note_use.cache_clear()
    assert run_kernel() == (21, True)
    assert time.time() - folder.stat().st_mtime < code_cache.DAY


WORDS = ["simulate", "--policy", "random", "--deals", "300", "--format", "json"]


def run_command(cache: Path) -> tuple[str, list[str]]:
    """Run a command with a cache, which succeeds; return its output and its warnings."""
    done = run_program(*WORDS, variables={"NUMBA_CACHE_DIR": str(cache)}, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout, [line for line in done.stderr.splitlines() if "Compiling" not in line]


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A cache with all that a command needs, and what the command prints."""
    cache = tmp_path_factory.mktemp("complete")
    output, lines = run_command(cache)
    assert not lines
    return cache, output


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["empty", "random", "a file in its place"])
def test_a_command_with_a_damaged_cache_gives_the_same(
    complete: tuple[Path, str], tmp_path: Path, damage: str
) -> None:
    (cache, output), copy = complete, tmp_path / "copy"
    if damage in DAMAGES:
        for path in shutil.copytree(cache, copy).rglob("*.code"):
            path.write_bytes(DAMAGES[damage](path.read_bytes()))
    else:
        copy.touch()
    found, lines = run_command(copy)
    assert found == output
    assert len(lines) == 1 and lines[0].startswith("Warning: ") and str(copy) in lines[0]
    if damage in DAMAGES:
        assert run_command(copy) == (output, [])


SCRIPT = """
import sys
from kqj_sim.core.dispatch import TAKE
from kqj_sim.policies.binding import bind_policy
from kqj_sim.policies.registry import find_policy

policy = find_policy(sys.argv[1])
choice, arguments = policy.compile_decision("take")
loop = bind_policy(
    TAKE, choice, policy.tuple_type, arguments, policy.name, sole_policy=True, checked=False
)
for line in loop._library.get_llvm_str().splitlines():
    if line.startswith("define") and "3clocals" in line:
        print(line.partition("@")[2].partition("(")[0])
"""


PREPARATIONS_SCRIPT = f"""
from numba.core.base import BaseContext

prepare, count = BaseContext.refresh, 0

def refresh(context):
    global count
    count += 1
    prepare(context)

BaseContext.refresh = refresh
import kqj_sim.stats.tally
{SCRIPT}
loop.address
print("prepared", count, "times")
"""


def _run(script: str, cache: Path, policy: str) -> list[str]:
    """Run a script for a policy in a new process, and return its words."""
    variables = {"NUMBA_CACHE_DIR": str(cache)}
    return run_python("-c", script, policy, variables=variables, check=True).stdout.split()


@pytest.mark.slow
def test_functions_of_a_factory_have_a_symbol_of_their_own_in_each_process(tmp_path: Path) -> None:
    # The linker takes equal symbols for the same code: the second policy would call as the first.
    one, other = ({*_run(SCRIPT, tmp_path, policy)} for policy in ("points", "standard"))
    assert one and other and not one & other


@pytest.mark.slow
def test_numba_is_prepared_to_compile_only_where_something_is_not_on_disk(tmp_path: Path) -> None:
    # To prepare it takes a tenth of a second, which would be a sixth of the time of `odds`.
    first, second = (_run(PREPARATIONS_SCRIPT, tmp_path, "points")[-3:] for _ in range(2))
    assert first[0] == second[0] == "prepared"
    assert int(first[1]) > 0
    assert int(second[1]) == 0
