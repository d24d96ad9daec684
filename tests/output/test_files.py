"""Files appear whole or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from kqj_sim.errors import InputError
from kqj_sim.output import files
from kqj_sim.output.files import OutputFile, OutputFolder
from tests.command_line import ENVIRONMENT


def test_file_appears_on_success_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    with OutputFile(path) as stream:
        stream.write(b"whole")
        assert not path.exists()
    assert path.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [path]


def test_failure_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), OutputFile(path) as stream:
        stream.write(b"half")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_path_of_a_folder_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="cannot be written"), OutputFile(tmp_path):
        pytest.fail("the folder was opened")
    assert list(tmp_path.iterdir()) == []


def test_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with OutputFile(path) as stream:
        stream.write(b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_device_is_written_and_stays(tmp_path: Path) -> None:
    with OutputFile(os.devnull) as stream:
        stream.write(b"gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_nothing_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(b"precious")
    with OutputFile(path), OutputFile(tmp_path / "new.csv"):
        pass
    assert path.read_bytes() == b"precious"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("exists", [True, False])
def test_symbolic_link_is_followed(exists: bool, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "t.json", tmp_path / "t.json"
    if exists:
        target.write_bytes(b"old")
    link.symlink_to("elsewhere/t.json")
    with OutputFile(link) as stream:
        stream.write(b"new")
    assert link.is_symlink() and not target.is_symlink()
    assert target.read_bytes() == b"new"


def test_circle_of_links_is_an_error(tmp_path: Path) -> None:
    link = tmp_path / "t.json"
    link.symlink_to(link)
    with pytest.raises(OSError, match="cannot be written"), OutputFile(link):
        pytest.fail("the link was opened")
    assert link.is_symlink()


def test_other_hard_link_keeps_the_old_content(tmp_path: Path) -> None:
    """Written into, the file would be half a file for a moment, and on a full disk for good."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"a longer old text")
    other.hardlink_to(one)
    with OutputFile(one) as stream:
        stream.write(b"new")
    assert (one.read_bytes(), other.read_bytes()) == (b"new", b"a longer old text")
    assert sorted(tmp_path.iterdir()) == [one, other]


MOUNTED = """mount --bind a.json b.json && exec '{python}' -c "
from kqj_sim.output.files import OutputFile
with OutputFile('b.json') as stream:
    stream.write(b'new')
"
"""


def test_file_that_is_mounted_by_itself_is_refused_before(tmp_path: Path) -> None:
    """It cannot be replaced, and half of it would be left where it is written into."""
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text("old")
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", MOUNTED.format(python=sys.executable)],
        cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "Traceback" not in done.stderr and done.returncode:
        pytest.skip("no mounts here")
    assert "cannot be written: it is mounted by itself" in done.stderr
    assert sorted(path.read_text() for path in tmp_path.iterdir()) == ["old", "old"]


@pytest.mark.parametrize("name", ["漢" * 80 + ".json", "n" * 250 + ".json"])
def test_longest_names_are_written(name: str, tmp_path: Path) -> None:
    with OutputFile(tmp_path / name) as stream:
        stream.write(b"new")
    assert os.listdir(tmp_path) == [name]


def test_file_that_another_run_removes_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other run, of the same target, takes it for one that a killed run left."""
    path = tmp_path / "out.csv"
    others = [path, path]

    def lock_late(handle: int, operation: int) -> None:
        if operation == LOCK_EX and others:
            files.TemporaryPath(others.pop()).remove()
        flock(handle, operation)

    monkeypatch.setattr(files, "flock", lock_late)
    with OutputFile(path) as stream:
        stream.write(b"this run")
    assert not others
    assert path.read_bytes() == b"this run"
    assert os.listdir(tmp_path) == ["out.csv"]


@pytest.mark.parametrize("exists", [True, False])
def test_two_outputs_of_one_target_are_refused(exists: bool, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    (tmp_path / "link.csv").symlink_to(path)
    (tmp_path / "sub").mkdir()
    names = [path, tmp_path / "link.csv", tmp_path / "sub" / ".." / "out.csv"]
    if exists:
        path.write_bytes(b"old")
        (tmp_path / "hard.csv").hardlink_to(path)
        names.insert(0, tmp_path / "hard.csv")
    for name in names:
        with OutputFile(path) as stream:
            with pytest.raises(InputError, match="two outputs"), OutputFile(name):
                pytest.fail("the target was opened twice")
            stream.write(b"new")
        assert path.read_bytes() == b"new"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_full_disk_names_the_path() -> None:
    for size in (1, 1 << 20):
        with (
            pytest.raises(OSError, match="cannot be written") as raised,
            OutputFile("/dev/full") as stream,
        ):
            stream.write(b"x" * size)
        assert raised.value.filename == "/dev/full"


def test_named_pipe_is_written(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with OutputFile(path) as stream:
        stream.write(b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_folder_follows_links_of_the_files_it_replaces(tmp_path: Path) -> None:
    target = tmp_path / "target.csv"
    target.write_bytes(b"old")
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / "tables.csv").symlink_to(target)
    with OutputFolder(folder, force=True) as output:
        output.write("tables.csv", b"new")
    assert (folder / "tables.csv").is_symlink()
    assert target.read_bytes() == b"new"
