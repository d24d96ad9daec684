"""Checks of `kqj-sim check --replay` on a file of rounds that the engine played.

The file has the games of KQJ first, and at the end ten single rounds of some game.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.command_line import run


def forge(path: Path, line: int, **changes: object) -> None:
    """Change keys of the record on a line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[line - 1] = json.dumps({**json.loads(lines[line - 1]), **changes})
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def check_what_the_referee_cannot_find(
    played: Path, *, seats: int, always: str, never: str
) -> None:
    """Check that forged seeds, deals and players are found.

    Args:
        played: the file.
        seats: the seats of the single rounds.
        always: a policy for them that never passes.
        never: a policy for them that always passes.
    """
    count = len(played.read_text(encoding="utf-8").splitlines())
    done = run("check", "--replay", str(played))
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == (
        f"Records checked: {count}; no discrepancies\nPlayed again: {count}; all agree\n"
    )
    forge(played, 1, seed=2)
    forge(played, count, deal=77)
    last_but_one = json.loads(played.read_text(encoding="utf-8").splitlines()[count - 2])
    passed_out = last_but_one["result"] == "passed_out"
    forge(played, count - 1, players=[always if passed_out else never] * seats)
    assert run("check", str(played)).exit_code == 0
    done = run("check", "--replay", str(played))
    assert done.exit_code == 1
    told = [line.removeprefix(f"{played}:") for line in done.stdout.splitlines()]
    assert [line.split(":")[0] for line in told] == ["1", str(count - 1), str(count)]
    assert "seed 2, deal 0 and dealer" in told[0] and "other cards" in told[0]
    assert "the players named choose otherwise" in told[1]
    assert "deal 77" in told[2]
    assert done.stderr == (
        f"Records checked: {count}; discrepancies: 3\nPlayed again: {count}; 3 differ\n"
    )
    assert run("check", "--replay", "--quiet", str(played)).stderr == ""


def check_rounds_of_a_game(played: Path) -> None:
    """Check that rounds which do not follow from those before them are found."""
    for line, key in ((3, "score_before"), (4, "score_before"), (5, "round")):
        values = json.loads(played.read_text(encoding="utf-8").splitlines()[line - 1])
        value = values[key]
        forge(played, line, **{key: value + 1 if key == "round" else [20, 30]})
    plain, replayed = run("check", str(played)), run("check", "--replay", str(played))
    told = replayed.stdout.splitlines()
    assert plain.exit_code == replayed.exit_code == 1
    assert [line for line in told if "replay differs" not in line] == plain.stdout.splitlines()
    assert any(line.startswith(f"{played}:5: replay differs in round") for line in told)


def check_counts_of_what_is_not_played(played: Path, *, seats: int) -> None:
    """Check that rounds whose players are not known are counted by reason."""
    count = len(played.read_text(encoding="utf-8").splitlines())
    forge(played, 1, players=["nobody"] * 6)
    forge(played, 2, players=["nobody"] * 6)
    forge(played, count, players=["gone.py:bold"] * seats)
    done = run("check", "--replay", str(played), input="")
    # The rounds of the first game have other players on consecutive lines.
    assert {line.split(": ")[1] for line in done.stdout.splitlines()} == {"players"}
    told = done.stderr.splitlines()
    assert told[1] == f"Played again: {count - 3}; all agree"
    assert told[2].startswith("Not played again: 2: ") and "'nobody'" in told[2]
    assert told[3].startswith("Not played again: 1: ") and "gone.py" in told[3]
    played.write_text(
        "".join(f'{{"players": ["unknown {number}"]}}\n' for number in range(3)), encoding="utf-8"
    )
    done = run("check", "--replay", str(played))
    assert done.exit_code == 1
    assert done.stderr.splitlines()[1:] == [
        "Played again: 0", "Not played again: 3: the line is not a record",
    ]  # fmt: skip


def check_few_reasons_are_listed(played: Path, *, seats: int) -> None:
    """Check that of many reasons only some are listed."""
    count = len(played.read_text(encoding="utf-8").splitlines())
    for line in range(count - 9, count + 1):
        forge(played, line, players=[f"nobody{line}"] * seats)
    done = run("check", "--replay", str(played))
    assert done.exit_code == 0
    assert done.stderr.splitlines()[-1] == "Not played again: 5 for 5 other reasons"
