"""The user's text as messages repeat it, and errors that name the place of what is wrong."""

from __future__ import annotations

import subprocess

import pytest

from kqj_sim.errors import InputError, RecordError, locate_errors
from kqj_sim.messages import (
    LONGEST_LINE,
    WIDTH,
    one_line,
    quote,
    shell_join,
    shorten,
    suggest,
    visible,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("take=45", "take=45"),
        ("a\nb\tc", r"a\nb\tc"),
        ("\x1b[31m\x00", r"\x1b[31m\x00"),
        ("name\udcff.txt", r"name\xff.txt"),
        ("\ud800", r"\ud800"),
        ("\u2028\u202e", r"\u2028\u202e"),
        ("♠ é", "♠ é"),
    ],
)
def test_visible_text_is_printable(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert shorten(text) == shown
    assert quote(text) == f"'{shown}'"


def test_short_values_are_repeated_whole() -> None:
    assert shorten("x" * WIDTH) == "x" * WIDTH
    assert shorten(45) == "45"


@pytest.mark.parametrize("character", ["x", " ", "\n", "\x01", "\udcff", "♠"])
def test_long_values_keep_both_ends(character: str) -> None:
    short = shorten(f"begin{character * 100_000}end")
    assert len(short) == WIDTH
    assert short.startswith("begin") and short.endswith("end") and "..." in short
    assert short.isprintable()


def test_escapes_count_as_they_are_shown() -> None:
    assert len(shorten("\x01" * WIDTH)) == WIDTH


@pytest.mark.parametrize("value", ["x" * 100_000, "x " * 50_000, "\n" * 9 + "\x1b" * 100_000])
def test_a_message_is_one_line_that_ends_as_it_did(value: str) -> None:
    line = one_line(f"--teams: '{value}' is wrong: write 2 or 3")
    assert len(line) <= LONGEST_LINE
    assert line.isprintable()
    assert line.startswith("--teams: '") and line.endswith("is wrong: write 2 or 3")


def test_a_shell_reads_the_words_of_a_command_line() -> None:
    words = ["printf", "%s|", "a b", "it's", "tab\t, line\n, 'quote' and \\", "byte \udcff"]
    line = shell_join(words)
    assert line.isprintable()
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True)
    expected = "".join(f"{word}|" for word in words[2:])
    assert done.stdout == expected.encode(errors="surrogateescape")


def test_suggestions_are_few_and_ignore_case() -> None:
    names = [f"defending_score_{number}" for number in range(20)]
    assert suggest("SCORE", names).count("score_") == 6
    assert suggest("zz", names) == ""
    assert suggest("Tke", ["take", "pass"]) == "did you mean take?"


@pytest.mark.parametrize("kind", [InputError, RecordError])
def test_a_located_error_keeps_its_kind_and_names_every_place(kind: type[InputError]) -> None:
    with (
        pytest.raises(kind, match=r"^file\.txt: line 3: no such card$") as raised,
        locate_errors("file.txt"),
        locate_errors("line 3"),
    ):
        raise kind("no such card")
    assert raised.type is kind


def test_other_errors_pass_unchanged() -> None:
    with pytest.raises(KeyError, match=r"^'seat'$"), locate_errors("--policy"):
        raise KeyError("seat")


def test_control_characters_of_a_message_are_visible() -> None:
    assert str(InputError("card \x1b[2J")) == r"card \x1b[2J"
