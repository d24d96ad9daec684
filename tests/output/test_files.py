"""Files and folders of files appear whole or not at all, and overwrite nothing unasked."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import stat
import sys
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from kqj_sim.errors import InputError
from kqj_sim.output import files
from kqj_sim.output.files import OutputFile, OutputFolder
from tests.command_line import run_in_shell


def test_file_appears_on_success_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    with OutputFile(path) as stream:
        stream.write(b"whole")
        assert not path.exists()
    assert path.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [path]


def test_failure_and_nothing_written_leave_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), OutputFile(path) as stream:
        stream.write(b"half")
        raise KeyboardInterrupt
    with OutputFile(path), OutputFile(tmp_path / "new.csv"):
        pass  # Nothing is written.
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
    mounted = MOUNTED.format(python=sys.executable)
    done = run_in_shell(f"unshare -rm sh -c {shlex.quote(mounted)}", cwd=tmp_path)
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


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_new_folder_appears_with_all_its_files_and_nothing_beside_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever ends the program leaves all of them or none."""
    monkeypatch.setattr(shutil, "copyfileobj", lambda *_: pytest.fail("file by file"))
    out = tmp_path / "out"
    with OutputFolder(out) as folder:
        folder.write("page.html", b"page")
        folder.write("tables/one.csv", b"one")
        assert not out.exists()
    assert names(tmp_path) == ["out", "out/page.html", "out/tables", "out/tables/one.csv"]
    assert (out / "tables" / "one.csv").read_bytes() == b"one"
    assert stat.S_IMODE((out / "tables").stat().st_mode) & 0o555 == 0o555


@pytest.mark.parametrize("before", [None, [], ["page.html"]], ids=["new", "empty", "full"])
def test_failure_leaves_a_folder_as_it_was(before: list[str] | None, tmp_path: Path) -> None:
    out = tmp_path / "out"
    if before is not None:
        out.mkdir()
    for name in before or ():
        (out / name).write_text("old")
    there = names(tmp_path)
    with pytest.raises(KeyboardInterrupt), OutputFolder(out, force=bool(before)) as folder:
        folder.write("page.html", b"half")
        raise KeyboardInterrupt
    assert names(tmp_path) == there
    assert not before or (out / "page.html").read_text() == "old"


def test_force_replaces_files_of_the_same_names_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("mine")
    (tmp_path / "page.html").write_text("old")
    with OutputFolder(tmp_path, force=True) as folder:
        folder.write("page.html", b"new")
    assert names(tmp_path) == ["diary.txt", "page.html"]
    assert (tmp_path / "diary.txt").read_text() == "mine"
    assert (tmp_path / "page.html").read_text() == "new"


def test_refused_and_other_folders_lose_nothing(tmp_path: Path) -> None:
    """Only what this program left is removed, and only where it may write."""
    (tmp_path / ".mybackup.part").mkdir()
    for name in (".mybackup.part/file", ".download.part", "x"):
        (tmp_path / name).write_text("mine")
    beside = names(tmp_path)
    with pytest.raises(InputError, match="is not empty"), OutputFolder(tmp_path):
        pytest.fail("the folder was opened")
    with OutputFolder(tmp_path, force=True) as folder:
        folder.write("page.html", b"new")
    assert names(tmp_path) == sorted([*beside, "page.html"])


def test_files_replace_others_when_all_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("old")
    (tmp_path / "z.html").mkdir()
    with (
        pytest.raises(OSError, match="cannot be written"),
        OutputFolder(tmp_path, force=True) as folder,
    ):
        for name in ("a.html", "tables/one.csv", "z.html"):
            folder.write(name, b"new")
    assert (tmp_path / "a.html").read_text() == "old"
    assert names(tmp_path) == ["a.html", "z.html"]


def test_file_that_came_up_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="already exists"), OutputFolder(tmp_path) as folder:
        folder.write("page.html", b"new")
        (tmp_path / "page.html").write_text("mine")
    assert (tmp_path / "page.html").read_text() == "mine"
    assert names(tmp_path) == ["page.html"]


def test_path_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OSError, match="not a folder"), OutputFolder(tmp_path / "file", force=True):
        pytest.fail("the file was opened")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folder_without_permission_raises(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OSError, match="cannot be written"), OutputFolder(tmp_path):
        pytest.fail("the folder was opened")


def test_full_disk_raises_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, content: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))

    out = tmp_path / "out"
    with pytest.raises(OSError) as raised, OutputFolder(out) as folder:
        monkeypatch.setattr(Path, "write_bytes", full)
        folder.write("page.html", b"new")
    assert raised.value.filename == str(out / "page.html")
    assert "No space left" in str(raised.value.strerror)
    assert names(tmp_path) == []
