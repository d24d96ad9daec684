"""Records of strangers: none runs code, and no text of one is obeyed by a terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import kqj_sim as kqj
from tests.command_line import run

PACKAGE = Path(kqj.__file__).parent
CODE = """\
from pathlib import Path
from kqj_sim import lowest, policy

(Path(__file__).parent / "ran").touch()

@policy("x")
def choose_card(view):
    return lowest(view.legal)
"""
FILES = {
    "evil.py": CODE,
    "points:take=1.py": CODE,
    "evil.toml": 'policy = "evil.py:x"\n',
    "kind.py": CODE.replace("ran", "ran kindly"),
    "greedy+kind.py": CODE,
    "kind.py:x/evil.py": CODE,
}
PLAYERS = ("points+evil.py:x", "evil.toml", "points:take=1.py", "points+points:take=1.py")

CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SIGNS = "\x1b]52;c;aGk=\x07\x9b31m\x7f\u202e\u2066<b>Ann"

REVIEW = ("review", "FILE", "--samples", "2")
READERS = (
    ("show", "FILE"),
    ("check", "FILE"),
    ("check", "FILE", "--replay"),
    ("check", "FILE", "--replay", "--allow", "kind.py"),
    REVIEW,
    ("records", "--from", "FILE"),
    ("records", "--from", "FILE", "--format", "text"),
    ("odds", "--record", "FILE", "--at", "7.1", "--deals", "100"),
    ("odds", "--record", "FILE", "--at", "c.1", "--deals", "100"),
)
"""Commands that only read a round."""
WRITERS = (
    ("show", "FILE", "--color", "always"),
    (*REVIEW, "--seat", "opener", "--format", "markdown"),
    (*REVIEW, "--seat", "opener", "--format", "csv", "--by", "player"),
    (*REVIEW, "--seat", "opener", "--format", "html"),
)
"""Further formats."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a stranger, in which the user stands."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _forge(**changes: object) -> str:
    """Return the JSON of a played round with other values."""
    record = json.loads(kqj.show(deal=3, policy="standard").to_json())
    return json.dumps(record | changes) + "\n"


def _read(words: tuple[str, ...], path: str) -> str:
    """Run a command on a file; return all that it printed."""
    result = run(*[path if word == "FILE" else word for word in words])
    assert result.exit_code in (0, 1, 2)
    assert "unexpected" not in result.output
    return result.output


@pytest.mark.parametrize(
    ("words", "player"),
    [
        *((words, player) for words in READERS for player in PLAYERS if words != REVIEW),
        (REVIEW, PLAYERS[0]),
        *(pytest.param(REVIEW, player, marks=pytest.mark.slow) for player in PLAYERS[1:]),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_no_record_runs_code(folder: Path, player: str, words: tuple[str, ...]) -> None:
    Path("round.jsonl").write_text(_forge(players=[player] * 6), encoding="utf-8")
    output = _read(words, "round.jsonl")
    assert not (folder / "ran").exists()
    if words[0] == "odds":
        assert "which is not built in" in output and f"--policy {player}" in output


@pytest.mark.parametrize(
    "player", [PLAYERS[0], *(pytest.param(each, marks=pytest.mark.slow) for each in PLAYERS[1:])]
)
def test_no_typed_round_runs_code(folder: Path, player: str) -> None:
    text = "".join(kqj_format(_forge()))
    text = re.sub(r"(?m)^Policies:.*$", f'Policies: all "{player}"', text)
    assert player in text
    Path("round.txt").write_text(text, encoding="utf-8")
    for words in READERS:
        _read(words, "round.txt")
        assert not (folder / "ran").exists(), words


def kqj_format(line: str) -> list[str]:
    from kqj_sim.notation.write import format_records
    from kqj_sim.record import from_json

    return list(format_records([from_json(line)]))


def test_no_function_runs_code(folder: Path) -> None:
    player = PLAYERS[0]
    path = folder / "round.jsonl"
    path.write_text(_forge(players=[player] * 6), encoding="utf-8")
    assert kqj.check(path).ok
    kqj.review(path, samples=2)
    with pytest.raises(kqj.InputError, match="which is not built in"):
        kqj.odds(record=path, at="7.1", deals=100)
    assert not (folder / "ran").exists()


def test_an_option_that_names_the_file_runs_it(folder: Path) -> None:
    Path("round.jsonl").write_text(_forge(players=["evil.py:x"] * 6), encoding="utf-8")
    words = ("odds", "--record", "FILE", "--at", "7.1", "--deals", "100", "--policy", "evil.py:x")
    assert "evil.py:x" in _read(words, "round.jsonl")
    assert (folder / "ran").exists()


@pytest.mark.parametrize(
    ("player", "runs"),
    [
        ("kind.py:x", True),
        ("./kind.py:x", True),
        ("greedy+kind.py:x", True),
        ("kind.py:x+greedy", True),
        ("kind.py:x/evil.py", True),
        ("kind.py:x/../kind.py:x", True),
        ("../{folder}/evil.py:x", False),
        ("{path}/evil.py:x", False),
        ("//localhost/share/kind.py:x", False),
        ("evil.toml", False),
    ],
)
def test_a_replay_runs_files_that_its_options_name(folder: Path, player: str, runs: bool) -> None:
    player = player.format(folder=folder.name, path=folder)
    Path("round.jsonl").write_text(_forge(players=[player] * 6), encoding="utf-8")
    output = _read(("check", "FILE", "--replay", "--allow", "kind.py"), "round.jsonl")
    assert (folder / "ran kindly").exists() is runs, output
    assert not (folder / "ran").exists()
    assert ("Not played again: 1: the record names " in output) is not runs


@pytest.mark.parametrize(
    "changes",
    [
        {"players": [SIGNS] * 6},
        {"players": [f"{SIGNS}.py:x"] * 6},
        {"contract": SIGNS},
        {"turned": SIGNS},
        {"dealt": [[SIGNS] * 5] * 6},
        {"rules": {SIGNS: SIGNS}},
        {"result": SIGNS},
        {SIGNS: 1, "game": SIGNS},
        {"calls": [{"seat": 0, "call": "take", "contract": SIGNS}]},
        {"bonuses": [{"bonus": "kq", "team": 0, "points": 20, "seat": 0, "suit": SIGNS}]},
    ],
    ids=lambda changes: "+".join(changes).encode("ascii", "replace").decode()[-10:],
)
def test_no_text_of_a_record_is_obeyed_by_a_terminal(
    folder: Path, changes: dict[str, object]
) -> None:
    Path("round.jsonl").write_text(_forge(**changes), encoding="utf-8")
    for words in (*READERS, *(WRITERS if changes == {"players": [SIGNS] * 6} else ())):
        output = re.sub("\x1b\\[[0-9;]*m", "", _read(words, "round.jsonl"))
        assert not CONTROLS.search(output), (words, output)
        if "<html" in output or "markdown" in words:
            assert "<b>Ann" not in output


def test_names_of_files_and_of_players_files_are_cleaned(folder: Path) -> None:
    name = "a\x1b]52\x07\x9b.jsonl"
    Path(name).write_text(_forge(), encoding="utf-8")
    for words in (READERS[0], REVIEW, READERS[3]):
        output = re.sub("\x1b\\[[0-9;]*m", "", _read(words, name))
        assert not CONTROLS.search(output), words
    Path("named.toml").write_text(f'policy = "greedy"\nname = {json.dumps(SIGNS)}\n'.replace(
        "\\u007f", ""), encoding="utf-8")  # fmt: skip
    for format in ("table", "json", "csv", "markdown"):
        output = _read(
            ("compare", "named.toml", "random", "--deals", "200", "--format", format), ""
        )
        assert "Ann" in output and not CONTROLS.search(output)


def test_commands_write_in_one_place() -> None:
    """`write_line` cleans its text, and `output` writes clean text: nothing else may print."""
    printing = re.compile(r"\bclick\.(?:secho|echo)\(|(?<![\w.>])print\(")
    for path in (PACKAGE / "commands").glob("*.py"):
        if path.name not in ("stdout.py", "output.py"):
            assert not printing.search(path.read_text(encoding="utf-8")), path.name


def test_escaped_json_says_the_same() -> None:
    record = kqj.show(deal=3, policy="standard").record
    from msgspec.structs import replace

    from kqj_sim.record import from_json, to_json

    forged = replace(record, players=[SIGNS + "é♥\U000e0001"] * 6)
    text = to_json(forged)
    assert from_json(text) == forged
    assert not CONTROLS.search(text) and "é♥" in text
