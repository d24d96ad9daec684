"""The commands with --game kwajongen, as a user has them."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from tests.command_line import run, run_json
from tests.games.kwajongen.shared import GOLDEN

GAME = ("--game", "kwajongen")
BOLD, SHY = "random:accept=0.7", "random:accept=0.2"


def test_largest_differences_are_shown_by_their_commands() -> None:
    found = run_json("compare", *GAME, BOLD, SHY, "--deals", "300")
    done = run(*shlex.split(found["commands"][0])[1:])
    assert done.exit_code == 0 and "Version 2" in done.stdout


def test_sweep_is_drawn(tmp_path: Path) -> None:
    plot = tmp_path / "sweep.svg"
    done = run(
        "sweep", "random", "--vary", "accept=0:1:0.5", *GAME, "--opponents", "random",
        "--deals", "200", "--plot", str(plot), "--format", "markdown",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "accept=0 is best; 0.5 is " in done.stdout
    assert "Rounds as caller, and won" in plot.read_text(encoding="utf-8")


def test_report_has_the_comparison_and_the_games_words(tmp_path: Path) -> None:
    done = run(
        "report", *GAME, "--policy", "random", "--deals", "2000", "--games", "30",
        "--compare", BOLD, "--compare", SHY, "--compare-deals", "100", "--out", str(tmp_path),
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert "compared" in [section["name"] for section in found["sections"]]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<p class="note">Kwajongen' in page and "games from 10 down" in page


def test_screens_of_odds_name_the_dealers_card_and_the_only_card() -> None:
    hand = ("odds", "Ah Kh 9s Ts", *GAME, "--return", "Jh", "--deals", "512", "--policy", "random")
    screen = " ".join(run(*hand).stdout.split())
    assert re.search(r"(Play|Pass): you win [\d.]+% of the rounds and (gain|lose) ", screen)
    assert "as the opener; the dealer shows J♥; nobody has called." in screen
    screen = run(
        "odds", "--record", str(GOLDEN[0]), "--line", "3", "--at", "4.4", "--ignore-calls"
    ).stdout
    assert re.match(r"Only [\dA-Z]+[♠♥♦♣] is legal\.\n", screen) and "the only layout" in screen
