"""Folders of files appear when all are written, and overwrite nothing unasked."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path

import pytest

from kqj_sim.errors import InputError
from kqj_sim.output.files import OutputFolder


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_files_appear_on_success_and_nothing_beside_them(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with OutputFolder(out) as folder:
        folder.write("page.html", b"page")
        folder.write("tables/one.csv", b"one")
        assert not (out / "page.html").exists()
    assert names(out) == ["page.html", "tables", "tables/one.csv"]
    assert (out / "tables" / "one.csv").read_bytes() == b"one"
    assert stat.S_IMODE((out / "tables").stat().st_mode) & 0o555 == 0o555


def test_failure_leaves_no_folder_that_was_not_there(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), OutputFolder(tmp_path / "out") as folder:
        folder.write("page.html", b"half")
        raise KeyboardInterrupt
    assert names(tmp_path) == []


def test_failure_leaves_an_empty_folder_empty(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), OutputFolder(tmp_path) as folder:
        folder.write("page.html", b"half")
        raise KeyboardInterrupt
    assert tmp_path.is_dir()
    assert names(tmp_path) == []


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


def test_new_folder_appears_with_all_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever ends the program leaves all of them or none."""
    monkeypatch.setattr(shutil, "copyfileobj", lambda *_: pytest.fail("file by file"))
    with OutputFolder(tmp_path / "out") as folder:
        folder.write("page.html", b"page")
        folder.write("tables/one.csv", b"one")
        assert not (tmp_path / "out").exists()
    assert names(tmp_path / "out") == ["page.html", "tables", "tables/one.csv"]


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


def test_failure_with_force_leaves_the_old_files(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("old")
    with pytest.raises(KeyboardInterrupt), OutputFolder(tmp_path, force=True) as folder:
        folder.write("page.html", b"new")
        raise KeyboardInterrupt
    assert (tmp_path / "page.html").read_text() == "old"
    assert names(tmp_path) == ["page.html"]


def test_file_that_came_up_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="is there already"), OutputFolder(tmp_path) as folder:
        folder.write("page.html", b"new")
        (tmp_path / "page.html").write_text("mine")
    assert (tmp_path / "page.html").read_text() == "mine"
    assert names(tmp_path) == ["page.html"]


def test_path_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OSError, match="no folder"), OutputFolder(tmp_path / "file", force=True):
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
