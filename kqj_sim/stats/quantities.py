"""Quantities in tables: the identifiers, headings and units.

Tables, CSV, JSON and Parquet name a quantity by its identifier; screens and pages by its heading.
What follows the comma in a heading says of what: a table whose headings all end alike says it once.
What one game alone has is in a list of that game.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from kqj_sim.games import find_game

Unit: TypeAlias = Literal["share", "points", "count", "amount", "rounds", "change"]
"""The unit of a number; a `change` is one of a score of a few points, shown in hundredths."""


class Quantity(NamedTuple):
    """A quantity of tables: its heading, and the unit of its numbers."""

    heading: str
    unit: Unit


_DISTRIBUTION = {
    "mean": "mean",
    "standard_deviation": "standard deviation",
    "quantile_05": "5% quantile",
    "quantile_25": "25% quantile",
    "median": "median",
    "quantile_75": "75% quantile",
    "quantile_95": "95% quantile",
}


def list_distribution(name: str, unit: Unit, heading: str = "") -> dict[str, Quantity]:
    """Return the quantities that describe a distribution, by identifier."""
    words = f"{heading}, " if heading else ""
    return {
        f"{name}_{end}": Quantity(f"{words}{text}", unit) for end, text in _DISTRIBUTION.items()
    }


QUANTITIES: Mapping[str, Quantity] = {
    # Of rounds and games.
    "passed_out_share": Quantity("passed out, share of all deals", "share"),
    "share_of_games": Quantity("share of games", "share"),
    "games_count": Quantity("games", "count"),
    "first_dealer_won_share": Quantity("won by the first dealer's side, share of games", "share"),
    **list_distribution("rounds", "rounds", "rounds"),
    **list_distribution("played_rounds", "rounds", "rounds not passed out"),
    "won_share": Quantity("won, share of games", "share"),
    "final_score_mean": Quantity("final score, mean", "points"),
    # Of `odds`.
    "game_share": Quantity("wins the game", "share"),
    "game_lead_share": Quantity("less than the best, games", "share"),
    "win_share": Quantity("wins", "share"),
    "own_made_share": Quantity("own contract made", "share"),
    "own_contract_share": Quantity("own side plays", "share"),
    "contract_made_share": Quantity("contract made", "share"),
    "passed_share": Quantity("passed out", "share"),
    "agreeing_share": Quantity("call like this", "share"),
    "held_share": Quantity("holds it", "share"),
    "held": Quantity("held it", "count"),
    # Of `solve`.
    "amount_made": Quantity("highest amount made", "amount"),
    "net_gain_mean": Quantity("gained by the Sender's side, net, points a deal", "points"),
    "distance_mean": Quantity("result off the best play, points a deal", "points"),
    "off_best_share": Quantity("result off the best play", "share"),
    "makeable_share": Quantity("contract could be made", "share"),
    # Of `compare`.
    "lead_per_round": Quantity("lead, points a round", "points"),
    "lead_share": Quantity("lead, share of the games", "share"),
    "mean_lead_per_round": Quantity("mean lead, points a round", "points"),
    "mean_lead_share": Quantity("mean lead, share of the games", "share"),
    "relative_efficiency": Quantity("relative efficiency", "count"),
    "passed_out_round_share": Quantity("passed out, share of rounds", "share"),
    "differing_deal_share": Quantity("deals in which a call or card differs", "share"),
    "differing_game_share": Quantity("games in which they differ", "share"),
    "lead_in_differing_per_round": Quantity(
        "lead of the first in these deals, points a round", "points"
    ),
    "lead_in_differing_share": Quantity("lead of the first in these games", "share"),
    # Of `sweep` and `tune`.
    "lead_over_opponents_per_round": Quantity("lead over the opponents, points a round", "points"),
    "lead_over_best_other_per_round": Quantity(
        "lead over the best other, points a round", "points"
    ),
    "loss_to_best_per_round": Quantity("less than the best, points a round", "points"),
    "start_lead_per_round": Quantity("start, lead over the opponents", "points"),
    "found_lead_per_round": Quantity("result, lead over the opponents", "points"),
    "gain_per_round": Quantity("gain, on the same deals", "points"),
    "change_share": Quantity("change, share of the range", "share"),
    "candidates_mean_per_round": Quantity("mean of the candidates", "points"),
    "candidates_best_per_round": Quantity("best candidate", "points"),
    # Of `review`.
    "loss_points": Quantity("points lost", "points"),
    "loss_win_share": Quantity("chance lost", "share"),
    "loss_points_per_round": Quantity("lost, points a round", "points"),
    "loss_win_share_per_round": Quantity("lost, chance to win", "share"),
    "loss_points_per_decision": Quantity("lost, points a decision", "points"),
    "loss_games": Quantity("games lost in 100", "points"),
    "loss_games_per_round": Quantity("lost, games in 100 a round", "points"),
    "loss_games_per_decision": Quantity("lost, games in 100 a decision", "points"),
    "hindsight_loss_games": Quantity("in hindsight, games in 100", "points"),
    "hindsight_loss_games_per_round": Quantity("in hindsight, games in 100 a round", "points"),
    "hindsight_loss_points": Quantity("in hindsight, points", "points"),
    "hindsight_loss_points_per_round": Quantity("in hindsight, points a round", "points"),
    "large_loss_share": Quantity("lost 30 or more", "share"),
    "loss_share": Quantity("of the whole", "share"),
    "mistake_share": Quantity("mistake", "share"),
    "lucky_share": Quantity("lucky", "share"),
    "bad_luck_share": Quantity("bad luck", "share"),
    "fine_share": Quantity("fine", "share"),
    "lucky": Quantity("lucky", "count"),
    "bad_luck": Quantity("bad luck", "count"),
    "decisions": Quantity("decisions", "count"),
    "decisions_per_round": Quantity("decisions a round", "count"),
    "mistakes": Quantity("mistakes", "count"),
    "mistakes_per_round": Quantity("mistakes a round", "count"),
    "accuracy_share": Quantity("accuracy", "share"),
    "result": Quantity("result", "points"),
    "result_mean": Quantity("result", "points"),
    "average": Quantity("average", "points"),
    "deal_luck": Quantity("deal", "points"),
    "deal_luck_mean": Quantity("luck of the deal", "points"),
    "own_decisions": Quantity("own decisions", "points"),
    "own_decisions_mean": Quantity("own decisions", "points"),
    "own_luck": Quantity("own luck", "points"),
    "others_decisions": Quantity("others", "points"),
    "others_decisions_mean": Quantity("others' decisions", "points"),
    "remainder": Quantity("rest", "points"),
    "adjusted_mean": Quantity("without luck", "points"),
    "luck_mean": Quantity("luck", "points"),
    "rounds": Quantity("rounds", "count"),
    "rank": Quantity("rank", "count"),
    "rated_loss_points_per_round": Quantity("lost without luck, points a round", "points"),
    "rated_loss_games_per_round": Quantity("lost without luck, games in 100 a round", "points"),
}
"""The quantities that every game has, by identifier."""


@cache
def list_quantities(game: str) -> Mapping[str, Quantity]:
    """Return the quantities of a game's tables by identifier."""
    own, score_unit = find_game(game).quantities(), find_game(game).score_unit
    shared = {
        name: quantity._replace(unit=score_unit) if quantity.unit == "points" else quantity
        for name, quantity in QUANTITIES.items()
    }
    return {**shared, **own}


def find_quantity(name: str, game: str) -> Quantity:
    """Return a quantity of a game's tables by its identifier; raise KeyError if it has none."""
    return list_quantities(game)[name]
