"""The quantities of KQJ: its rounds, and what questions ask of them."""

from __future__ import annotations

from collections.abc import Mapping

from kqj_sim.stats.quantities import Quantity, list_distribution

_ROUNDS = {
    "share_of_deals": Quantity("share of all deals", "share"),
    "share_of_taken": Quantity("share of taken deals", "share"),
    "taken_share": Quantity("taken, share of all deals", "share"),
    "takes_share": Quantity("takes, share of the players asked", "share"),
    "opening_amount_mean": Quantity("first bid, mean", "amount"),
    "final_amount_mean": Quantity("last bid, mean", "amount"),
    "bids_mean": Quantity("bids, mean", "count"),
    "outbids_mean": Quantity("bids after the first, mean", "count"),
    "outbid_share": Quantity("first bid outbid, share of taken deals", "share"),
    "countered_share": Quantity("countered, share of taken deals", "share"),
    "overcountered_share": Quantity("overcountered, share of taken deals", "share"),
    "overcountered_share_of_countered": Quantity(
        "overcountered, share of countered deals", "share"
    ),
    "capot_announced_share": Quantity("Capot announced, share of taken deals", "share"),
    "announced_capot_made_share": Quantity(
        "contract made, share of deals with an announced Capot", "share"
    ),
    "unannounced_capot_share": Quantity(
        "all tricks won, share of taken deals without an announced Capot", "share"
    ),
    "made_share": Quantity("made, share of taken deals", "share"),
    "failed_share": Quantity("failed, share of taken deals", "share"),
    "litigation_share": Quantity("litigation, share of taken deals", "share"),
    **list_distribution("contracting_total", "points"),
    "last_trick_share": Quantity("last trick, share of taken deals", "share"),
    "capot_share": Quantity("Capot, share of taken deals", "share"),
    "kq_mean": Quantity("KQ, number per taken deal", "count"),
    "kq_share": Quantity("any KQ, share of taken deals", "share"),
    "kqj_mean": Quantity("KQJ, number per taken deal", "count"),
    "kqj_share": Quantity("any KQJ, share of taken deals", "share"),
    "low_team_share": Quantity(
        "a team with 20 card points or fewer, share of taken deals", "share"
    ),
    "low_teams_mean": Quantity(
        "teams with 20 card points or fewer, number per taken deal", "count"
    ),
    "trickless_team_share": Quantity("a team without a trick, share of taken deals", "share"),
    "trickless_teams_mean": Quantity("teams without a trick, number per taken deal", "count"),
    "gratuity_paid_share": Quantity("any gratuity paid, share of taken deals", "share"),
    "gratuity_paid_mean": Quantity("paid to all teams, mean per taken deal", "points"),
    "gratuity_waiting_share": Quantity(
        "gratuity waiting before the round, share of taken deals", "share"
    ),
    "gratuity_waiting_mean": Quantity("size of a waiting gratuity, mean", "points"),
    "gratuity_received_share": Quantity("gratuity received, share of taken deals", "share"),
    "gratuity_received_mean": Quantity("size of a received gratuity, mean", "points"),
    "gratuity_left_share": Quantity(
        "gratuity left for later rounds, share of taken deals", "share"
    ),
    "gratuity_left_mean": Quantity("size of a gratuity left for later rounds, mean", "points"),
    "contracting_score_mean": Quantity("contracting team, mean per taken deal", "points"),
    "defending_score_mean": Quantity("a defending team, mean per taken deal", "points"),
    "score_difference_mean": Quantity(
        "contracting team minus a defending team, mean per taken deal", "points"
    ),
    "team_difference_mean": Quantity("team 0 minus team 1, mean per deal", "points"),
    "score_mean": Quantity("score, mean per deal", "points"),
}

_TAKE_CHART = {
    "gain_mean": Quantity("gain by taking, mean", "points"),
    "taking_better_share": Quantity("taking scores more, share of deals", "share"),
    "passing_better_share": Quantity("passing scores more, share of deals", "share"),
}

_ODDS = {
    "value": Quantity("value", "points"),
    "lead": Quantity("less than the best", "points"),
    "own_countered_share": Quantity("countered", "share"),
    "value_if_not_countered": Quantity("value if not countered", "points"),
    "litigated_share": Quantity("litigation", "share"),
    "own_total_mean": Quantity("own total", "points"),
    "own_capot_share": Quantity("Capot", "share"),
    "own_kq_share": Quantity("KQ", "share"),
    "own_kqj_share": Quantity("KQJ", "share"),
    "reach_s_share": Quantity("♠", "share"),
    "reach_h_share": Quantity("♥", "share"),
    "reach_d_share": Quantity("♦", "share"),
    "reach_c_share": Quantity("♣", "share"),
    "reach_nt_share": Quantity("NT", "share"),
    "reach_at_share": Quantity("AT", "share"),
    "hands_tried_count": Quantity("hands tried", "count"),
}

_COMPARE = {
    "sender_share": Quantity("takes, share of rounds", "share"),
    "sender_made_share": Quantity("contracts made, share of those taken", "share"),
    "made_per_round": Quantity("won by contracts made", "points"),
    "failed_per_round": Quantity("lost in failed contracts", "points"),
    "defended_per_round": Quantity("won in defence", "points"),
    "bonuses_per_round": Quantity("bonus points", "points"),
    "score_per_round": Quantity("score", "points"),
}

QUANTITIES: Mapping[str, Quantity] = {**_ROUNDS, **_TAKE_CHART, **_ODDS, **_COMPARE}
"""The quantities of this game alone, by identifier."""
