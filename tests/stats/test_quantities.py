"""Identifiers of quantities, and their headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from kqj_sim.games import GAMES, find_game
from kqj_sim.questions.report.play import play_take_chart
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import reduce_rows
from kqj_sim.stats.quantities import QUANTITIES, find_quantity, list_quantities
from kqj_sim.stats.tables import Table
from kqj_sim.stats.tally import Tally
from tests.command_line import run_json
from tests.games.every import SHARED
from tests.variants import OTHER_GAMES

FEW = ("--deals", "40")

RULES: dict[str, GameRules] = {
    "two teams": KqjRules(),
    "three teams, random partners": KqjRules(teams=3, partners="random"),
    "auctions": KqjRules(bidding="auction"),
    "auctions with litigation": KqjRules(
        teams=3, partners="random", bidding="auction", must_outscore=True
    ),
    **OTHER_GAMES,
}


def make_tables(rules: GameRules) -> Iterator[Table]:
    players = ("random",) * rules.seats
    for games in (None, 2):
        played = Experiment(rules, players, deals=20, games=games)
        yield from reduce_rows(played, partial(Tally, played, detail=True), 1).result.tables()
    if isinstance(rules, KqjRules) and rules.bidding == "take":
        yield from play_take_chart(Experiment(rules, players), 20, 0.95, Runner()).tables()


COMMANDS = {
    "compare": ("compare", "random", "greedy", *FEW),
    "compare three": ("compare", "random", "greedy", "standard", *FEW),
    "compare games": ("compare", "random", "greedy", "--games", "2"),
    "sweep": ("sweep", "standard", "--vary", "take=30,40", *FEW),
    "odds after calls": (
        "odds", "9h", "8h", "Ah", "Ks", "4d", "--return", "7h", "--place", "3rd",
        "--heard", "pass pass", *FEW,
    ),
    "odds of auctions": (
        "odds", "9h", "8h", "Ah", "Ks", "4d", "7h", "6c", "5c", "--bidding", "auction", *FEW,
    ),
    "tune": (
        "tune", "standard", "--parameters", "take=0:80", "--generations", "2", "--confirm", "40",
        "--save", "{folder}/tuned.toml", *FEW,
    ),
}  # fmt: skip
"""Command lines of each command whose tables are not those of rounds."""
OF_GAMES = {
    f"{words[0]} of {game} {number}": (*words, "--game", game, *FEW)
    for game, shared in SHARED.items()
    for number, words in enumerate(
        [("odds", *shared.HAND), ("odds", *shared.CARDS_PLAYED), ("compare", "random", "standard")]
    )
}


@pytest.mark.parametrize(
    "words", [*COMMANDS.values(), *OF_GAMES.values()], ids=[*COMMANDS, *OF_GAMES]
)
def test_commands_write_identifiers_with_headings(words: tuple[str, ...], tmp_path: Path) -> None:
    answer = run_json(*(word.replace("{folder}", str(tmp_path)) for word in words))
    assert answer["tables"]
    for table in answer["tables"]:
        for quantity in {row["quantity"] for row in table["rows"]}:
            assert re.fullmatch("[a-z][a-z0-9]*(_[a-z0-9]+)*", quantity), (table["name"], quantity)
            assert quantity in list_quantities(answer["game"]), (table["name"], quantity)


@pytest.mark.parametrize("variant", RULES)
def test_every_quantity_has_an_identifier_and_its_own_heading(variant: str) -> None:
    for table in make_tables(RULES[variant]):
        assert re.fullmatch("[a-z][a-z0-9_]*", table.name)
        for quantity in table.quantities:
            assert re.fullmatch("[a-z][a-z0-9]*(_[a-z0-9]+)*", quantity), (table.name, quantity)
        headings = {find_quantity(name, table.game).heading for name in table.quantities}
        assert len(headings) == len(table.quantities), table.name


@pytest.mark.parametrize("game", GAMES)
def test_no_quantity_is_described_twice_and_identifiers_of_shares_say_so(game: str) -> None:
    own = find_game(game).quantities()
    assert not own.keys() & QUANTITIES.keys()
    for name, quantity in list_quantities(game).items():
        assert ("share" in name.split("_")) == (quantity.unit == "share"), name
