"""Files that people saved: every usual encoding is read alike, and what has no end is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kqj_sim import text_files
from kqj_sim.text_files import open_lines, read_bytes, read_text
from tests.command_line import run

CONFIG = "deals = 200\npolicy = 'random'\n"
PLAYER = "policy = 'greedy'\n"
POLICY = (
    "from kqj_sim import lowest, policy\n@policy\ndef low(view):\n    return lowest(view.legal)\n"
)
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16")


@pytest.fixture(scope="module")
def record() -> str:
    return run("records", "--deals", "1", "--policy", "random").stdout


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_lines_are_the_same_in_every_encoding(encoding: str, newline: str, tmp_path: Path) -> None:
    text = newline.join(["", "♥ " * 5000, "ਊ", "last"])
    path = tmp_path / "file.txt"
    path.write_bytes(text.encode(encoding))
    with open_lines(path) as lines:
        assert b"".join(lines) == text.encode()
    assert read_text(path) == text


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("c.toml", CONFIG, ("simulate", "--quiet", "--config")),
        ("p.toml", PLAYER, ("simulate", "--quiet", "--deals", "200", "--policy")),
        ("p.py", POLICY, ("policies", "show")),
        ("r.jsonl", "", ("check",)),
        ("r.jsonl", "", ("show",)),
        ("r.jsonl", "", ("records", "--from")),
        ("r.jsonl", "", ("odds", "--deals", "100", "--quiet", "--at", "8.6", "--record")),
        ("r.txt", "", ("records", "--from")),
    ],
)  # fmt: skip
def test_commands_read_every_encoding(
    encoding: str, name: str, text: str, command: tuple[str, ...], record: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("r.jsonl").write_text(record)
    if name == "r.txt":
        text = run("records", "--from", "r.jsonl", "--format", "text").stdout
    Path(name).write_text(text or record, encoding="utf-8", newline="")
    expected = run(*command, name)
    assert expected.exit_code == 0, expected.output
    Path(name).write_text(text or record, encoding=encoding, newline="")
    done = run(*command, name)
    assert (done.exit_code, done.output) == (0, expected.output)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16-le", "utf-32"])
@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("c.toml", "# é\n" + CONFIG, ("simulate", "--config")),
        ("p.toml", "# é\n" + PLAYER, ("simulate", "--policy")),
        ("r.jsonl", '{"game": "é"}', ("check", "--quiet")),
        ("r.jsonl", '{"game": "é"}', ("show",)),
        ("r.jsonl", '{"game": "é"}', ("odds", "--record")),
        ("r.txt", "Round 1 # é", ("check", "--quiet")),
    ],
)
def test_another_encoding_is_one_line_with_the_right_one(
    encoding: str, name: str, text: str, command: tuple[str, ...], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(text.encode(encoding))
    done = run(*command, name)
    assert done.exit_code in (1, 2)
    assert "save the file as UTF-8" in done.output
    assert done.output.count("\n") == 1


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device")
@pytest.mark.parametrize(
    "command",
    [
        ("simulate", "--config"),
        ("check",),
        ("show",),
        ("review",),
        ("records", "--from"),
        ("odds", "--record"),
        ("simulate", "--deals", "10", "--policy", "random", "--checkpoint"),
    ],
)
def test_device_without_end_is_refused(command: tuple[str, ...]) -> None:
    done = run(*command, "/dev/zero")
    assert done.exit_code == 1, done.output
    assert "/dev/zero: a device, not a file" in done.stderr
    assert done.output.count("\n") == 1
    assert read_bytes(os.devnull) == b""


def test_bytes_of_a_file_and_of_a_line_have_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"123456789\n")
    assert read_bytes(path, 10) == b"123456789\n"
    with pytest.raises(OSError, match="more than"):
        read_bytes(path, 9)
    monkeypatch.setattr(text_files, "MAX_BYTES", 9)
    for encoding in ("utf-8", "utf-16"):
        path.write_text("123456789\n", encoding=encoding)
        with pytest.raises(OSError, match="a line has more than"), open_lines(path) as lines:
            list(lines)
