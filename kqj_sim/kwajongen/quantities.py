"""The quantities of Kwajongen: its rounds, and what questions ask of them."""

from __future__ import annotations

from collections.abc import Mapping

from kqj_sim.stats.quantities import Quantity, Unit, list_distribution

SCORE_UNIT: Unit = "change"
"""The unit of points in quantities that every game has."""

_ROUNDS = {
    "share_of_played": Quantity("share of played deals", "share"),
    "played_share": Quantity("played, share of all deals", "share"),
    "says_play_share": Quantity("says play, share of the players asked", "share"),
    "caller_share_of_deals": Quantity("caller, share of all deals", "share"),
    "caller_share_of_played": Quantity("caller, share of played deals", "share"),
    "caller_won_share": Quantity("won by the caller's team, share of played deals", "share"),
    "caller_lost_share": Quantity("won by the others, share of played deals", "share"),
    "caller_capot_share": Quantity("won by the caller's team, share of played deals", "share"),
    "others_capot_share": Quantity("won by the others, share of played deals", "share"),
    "either_capot_share": Quantity("won by either team, share of played deals", "share"),
    "raised_share": Quantity("raised, share of played deals", "share"),
    **list_distribution("card_points", "points"),
    "caller_change_mean": Quantity("caller's team, mean per played deal", "points"),
    "others_change_mean": Quantity("others, mean per played deal", "points"),
    "change_difference_mean": Quantity(
        "others minus caller's team, mean per played deal", "points"
    ),
    "team_change_difference_mean": Quantity("team 1 minus team 0, mean per deal", "points"),
    "score_change_mean": Quantity("change of the score, mean per deal", "points"),
}

_ODDS = {
    "value": Quantity("value", "change"),
    "lead": Quantity("less than the best", "change"),
    "tied_share": Quantity("tie", "share"),
    "own_points_mean": Quantity("own card points", "points"),
    "own_all_tricks_share": Quantity("all four tricks", "share"),
}

_COMPARE = {
    "caller_share": Quantity("is the caller, share of rounds", "share"),
    "caller_round_won_share": Quantity("won, share of rounds as caller", "share"),
    "caller_won_per_round": Quantity("won as caller", "change"),
    "caller_lost_per_round": Quantity("lost as caller", "change"),
    "against_caller_per_round": Quantity("won against callers", "change"),
    "score_reduction_per_round": Quantity("reduction of the score", "change"),
}

QUANTITIES: Mapping[str, Quantity] = {**_ROUNDS, **_ODDS, **_COMPARE}
"""The quantities of this game alone, by identifier."""
