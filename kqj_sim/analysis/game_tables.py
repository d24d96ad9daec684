"""The tables of whole games: their length, who wins them, and with what scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis import intervals
from kqj_sim.analysis.source import deviation_notes, spread
from kqj_sim.analysis.table import Line, Table, make_table

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment
    from kqj_sim.rows import GameRows

_NOTE = "Numbers of games, not of deals; where and by do not concern them."


def measures(games: GameRows) -> dict[str, NDArray[np.int64]]:
    """What is counted of each game, by name, (games,) each."""
    counted = {
        "rounds": games.rounds,
        "played_rounds": games.played_rounds,
        "first_dealer_side_won": games.first_dealer_side_won,
        "winner": games.winner,
    }
    scores = {f"score_{number}": games.score[:, number] for number in range(games.score.shape[1])}
    return counted | scores


def tables(
    experiment: Experiment, counts: Mapping[str, Counter[int]], confidence: float
) -> list[Table]:
    """The tables of games, from the histogram of each of the measures."""
    rules = experiment.rules
    games = counts["rounds"].total()
    side = "first dealer" if rules.partners == "random" else "first dealer's team"
    won = intervals.share(counts["first_dealer_side_won"][1], games, confidence)
    overall: list[Line] = [
        ((), "games", "count", intervals.number(games)),
        ((), f"won by the {side}, share of games", "share", won),
    ]
    for name, text in (("rounds", "rounds"), ("played_rounds", "rounds played, not passed out")):
        for quantity, estimate in spread(counts[name], confidence):
            overall.append(((), f"{text}, {quantity}", "rounds", estimate))
    player = "seat" if rules.partners == "random" else "team"
    by_player: list[Line] = []
    for number in range(rules.score_count):
        share = intervals.share(counts["winner"][number], games, confidence)
        score = intervals.mean(counts[f"score_{number}"], confidence)
        by_player.append(((number,), "won, share of games", "share", share))
        by_player.append(((number,), "final score, mean", "points", score))
    note = " ".join([_NOTE, *deviation_notes(overall)])
    return [
        make_table("games", "Games", (), overall, note),
        make_table(f"games_by_{player}", f"Games, by {player}", (player,), by_player, _NOTE),
    ]


def lengths(counts: Mapping[str, Counter[int]], confidence: float) -> Table:
    """How many games last how many rounds."""
    games = counts["rounds"].total()
    lines: list[Line] = [
        ((rounds,), "share of games", "share", intervals.share(number, games, confidence))
        for rounds, number in sorted(counts["rounds"].items())
    ]
    return make_table("games_by_rounds", "Games, by their rounds", ("rounds",), lines, _NOTE)
