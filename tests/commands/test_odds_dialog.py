"""The dialog of `kqj-sim odds` on a terminal."""

from __future__ import annotations

import os
import select
import shlex
import sys
import time

import pytest

from tests.command_line import ENVIRONMENT, PROGRAM, kill_at_end, run
from tests.commands.dialogs import FEW, commands_in, enter

HAND = "9h 8h Ah Ks 4d"


def test_a_round_from_the_first_call_to_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["", HAND, "7h", "3rd", "", "pass take", "Qd 9s 8c", "As 4s", "Ks 5s 6s 7s 4c 5c", ""]
    done = enter(monkeypatch, lines)
    assert done.stderr == ""
    assert "  ♠ K  ♥ A 9 8  ♦ 4\n" in done.stdout
    assert "  ♠ K 9  ♥ A 9 8  ♦ Q 4  ♣ 8\n" in done.stdout
    first, second, third = commands_in(done)
    assert first == ["kqj-sim", "odds", *HAND.split(), "--return", "7h", "--place", "3rd", *FEW[:4]]
    assert second[second.index("--heard") + 1] == "pass pass pass take"
    assert second[second.index("--played") + 1] == "As 4s"
    assert third[third.index("--played") + 1] == "As 4s Ks 5s 6s 7s 4c 5c"


def test_the_command_that_is_shown_gives_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    done = enter(monkeypatch, ["3 teams", "h: 98A s: K d: 4", "♥ 7", "", "pass", ""])
    (words,) = commands_in(done)
    assert words[words.index("--teams") + 1] == "3"
    again = run(*words[1:], "--threads", "1", "--quiet")
    assert again.exit_code == 0, again.output
    assert again.stdout in done.stdout


def test_an_auction_goes_on_until_everyone_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = "9h 8h Ah Kh Qh 5d 6c Ac"
    lines = ["auction", hand, "4th", "", "p p p"]
    done = enter(monkeypatch, lines)
    assert done.stdout.endswith("Everyone passed: the round is over.\n")
    assert "--bidding" in commands_in(done)[0]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["4 teams"], "'4' is no variant: write 2 or 3 teams"),
        (["", "9h 8h Ah Ks 2d"], "'2d' is not a card"),
        (["", "9h 8h Ah Ks"], "4 cards: you hold 5 or 8"),
        (["", HAND, "9h"], "9h is among your cards"),
        (["", HAND, "7h", "3"], "'3' can mean the 3rd or the 4th"),
        (["", ""], "enter your cards"),
        (["", HAND, ""], "enter the card turned up"),
        (["", HAND, "7h", "3rd", "", "pass take", "Qd 9s 8c", "As 4s", "Qh"], "Qh is not among"),
        (["", HAND, "7h", "middle"], "'middle' is not a place"),
        (["", HAND, "7h", "", "120 h"], "with taking there is no bid"),
        (["", HAND, "7h", "3rd", "pass"], "it is the 2nd's turn, not the 3rd's"),
        (["", HAND, "7h", "2nd", "take", "Qd"], "1 cards: give all 8, or the 3 that you got"),
        (["", HAND, "7h", "2nd", "take", "Qd 9s 8c", ""], "it is the opener's turn, not the 2nd's"),
    ],
)
def test_wrong_entries_are_one_line_and_asked_again(
    monkeypatch: pytest.MonkeyPatch, lines: list[str], told: str
) -> None:
    done = enter(monkeypatch, lines)
    asked = [line.split(":")[0] for line in done.stdout.splitlines() if ": " in line]
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert asked[-1].split(",")[0] == asked[-2].split(",")[0]


def test_u_goes_back_one_question(monkeypatch: pytest.MonkeyPatch) -> None:
    straight = enter(monkeypatch, ["3 teams", HAND, "7h", "3rd", "", ""])
    lines = [
        "u",
        "auction",
        "u",
        "3 teams",
        HAND,
        "9d",
        "u",
        "7h",
        "2nd",
        "u",
        "3rd",
        "",
        "u",
        "",
        "",
    ]
    back = enter(monkeypatch, lines)
    assert commands_in(back)[-1] == commands_in(straight)[-1]
    assert "This is the first question." in back.stdout


def test_a_question_mark_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    done = enter(monkeypatch, ["?", "", "?"])
    assert done.stdout.count("u goes back one question") == 2


def test_random_partners_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["random partners", HAND, "7h", "", "3rd", "opener dealer", "", ""]
    done = enter(monkeypatch, lines)
    assert "enter your place" in done.stderr
    (words,) = commands_in(done)
    assert words[words.index("--partners") + 1] == "random"
    assert words[words.index("--partners-at") + 1] == "opener dealer"


def test_lines_break_between_words_at_the_width_of_the_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = ["random partners", HAND, "7h", "3rd", "opener dealer", "", "nonsense", ""]
    done = enter(monkeypatch, lines)
    assert max(map(len, f"{done.stdout}{done.stderr}".splitlines())) <= 80
    _, _, asked = done.stdout.partition("The same question:\n")
    command = asked.partition("\n\n")[0].replace("\\\n", "")
    assert "'opener dealer'" in command
    assert run(*shlex.split(command)[1:], "--threads", "1", "--quiet").exit_code == 0


def test_options_are_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    given = ("--teams", "2", "--return", "7h", "--place", "opener")
    done = enter(monkeypatch, [HAND, "", ""], *given)
    assert "Variant" not in done.stdout
    assert "Return, such as" not in done.stdout
    assert "Your place" not in done.stdout
    assert "The same question:" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_on_a_real_terminal() -> None:
    """Questions come one by one, and Ctrl-D ends the dialog cleanly."""
    import pty
    import subprocess

    host, terminal = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, "odds", *FEW],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**ENVIRONMENT, "TERM": "dumb", "NO_COLOR": "1"},
    )
    os.close(terminal)
    lines = ["", HAND, "7h", "", "", "\x04"]
    shown, deadline = b"", time.monotonic() + 120
    with kill_at_end(process):
        while process.poll() is None and time.monotonic() < deadline:
            if select.select([host], [], [], 0.2)[0]:
                try:
                    shown += os.read(host, 65536)
                except OSError:  # the other end is closed
                    break
            elif lines and shown.endswith(b": "):
                line = lines.pop(0)
                os.write(host, line.encode() if line == "\x04" else f"{line}\n".encode())
        assert process.wait(timeout=10) == 0
    os.close(host)
    text = shown.decode()
    assert "Your cards, such as 9h 8h Ah Ks 4d: 9h 8h Ah Ks 4d\r\n" in text
    assert "♠ K  ♥ A 9 8  ♦ 4" in text
    assert "kqj-sim odds 9h 8h Ah Ks 4d --return 7h" in text
    assert "Traceback" not in text and "Error" not in text
