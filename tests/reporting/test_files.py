"""Files appear whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from kqj_sim.reporting.files import OutputFile


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


def test_missing_folder_is_told_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(OSError) as raised, OutputFile(tmp_path / "nowhere" / "out.csv"):
        pytest.fail("the file was opened")
    assert raised.value.filename == str(tmp_path / "nowhere" / "out.csv")
    assert "nowhere does not exist" in str(raised.value.strerror)


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
