"""The calibration of `kqj-sim equity`: chances to win the game against whole games.

    python benchmarks/games.py --games 100000 >> benchmarks/CALIBRATION.md

Before each round of each game the table tells the chance of each side to win it; the end of the
game shows whether it does.  Chances are grouped by tenths.  Rounds of a game share its end, so that
the standard error of a group is that of the sums by game.
"""

from __future__ import annotations

import math
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kqj_sim.core.types import BoolArray, Float64Array, Int64Array
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import Rows
from kqj_sim.simulation.run import play_same_deals
from kqj_sim.stats.equity import Equity, EquityTable, load_rounds

CLASSES = 10
CHUNK_GAMES = 1000


class Predictions(NamedTuple):
    """The chances before each round of some games, of each side, and whether it won; (n,)."""

    game: Int64Array
    chance: Float64Array
    won: BoolArray


def predict(sides: list[Equity], played: tuple[Rows, ...]) -> Predictions:
    """Predict the games of the rows of one experiment, which are whole games in order."""
    (rows,) = played
    assert rows.game is not None and rows.finished_games is not None
    games = rows.finished_games
    scores = np.stack([rows.column(f"score_{side.team}") for side in sides], axis=1)
    number = np.searchsorted(games.game, rows.game)
    first = np.searchsorted(number, np.arange(len(games)))
    before = np.cumsum(scores, axis=0, dtype=np.int64) - scores
    before -= before[first][number]
    dealer, pending = rows.column("dealer"), rows.column("pending_before") > 0
    chance = np.empty((len(sides), len(rows)))
    for side in sides:
        for seat in range(SEATS):
            at = dealer == seat
            chance[side.team, at] = side.look_up(before[at], seat, pending[at])
    won = games.winner[number] == np.arange(len(sides))[:, np.newaxis]
    return Predictions(np.tile(rows.game, len(sides)), chance.reshape(-1), won.reshape(-1))


def format_classes(parts: list[Predictions]) -> str:
    """Return the rows of the table of a variant."""
    game, chance, won = (np.concatenate(column) for column in zip(*parts, strict=True))
    group = np.minimum((chance * CLASSES).astype(int), CLASSES - 1)
    text = ""
    for tenth in range(CLASSES):
        at = group == tenth
        count = int(at.sum())
        if count == 0:
            continue
        _, of = np.unique(game[at], return_inverse=True)
        apart = np.bincount(of, won[at] - chance[at])
        error = math.sqrt(float((apart**2).sum())) / count
        text += (
            f"| {10 * tenth} to {10 * tenth + 10}% | {count:,} | {len(apart):,} "
            f"| {100 * chance[at].mean():.2f}% | {100 * won[at].mean():.2f}% "
            f"| {100 * apart.sum() / count:+.2f} ±{100 * error:.2f} |\n"
        )
    return text


@click.command()
@click.option("--games", default=100_000, show_default=True, help="Games of each variant.")
@click.option("--seed", default=2, show_default=True, help="Seed: another than that of the table.")
def main(games: int, seed: int) -> None:
    """Compare the chances to win a game with whole games."""
    click.echo(
        "\n## Calibration of the chance to win the game\n\n"
        f"Made by `python benchmarks/games.py --games {games} --seed {seed}`: the chance of each "
        "side before each round,\nby `kqj-sim equity`, against the end of the game, by tenths. "
        "*Apart* is the difference in percentage points, with its\nstandard error."
    )
    for teams in (2, 3):
        for bidding in ("take", "auction"):
            rules = KqjRules(teams=teams, bidding=bidding)
            counted = load_rounds(Experiment(rules))
            assert counted is not None
            table = EquityTable(Experiment(rules), counted)
            sides = [Equity(table, team, [0] * teams) for team in range(teams)]
            names = {"dealer", "pending_before", *(f"score_{team}" for team in range(teams))}
            parts = play_same_deals(
                [Experiment(rules, games=games, seed=seed)],
                partial(predict, sides),
                chunk=CHUNK_GAMES, columns=frozenset(names),
            )  # fmt: skip
            title = ", ".join(rules.describe_variant()[::2]).capitalize()
            click.echo(
                f"\n### {title}: games\n\n| chance | rounds | games | mean chance | won | apart |\n"
                f"| --- | --: | --: | --: | --: | --: |\n{format_classes([*parts])}",
                nl=False,
            )


if __name__ == "__main__":
    main()
