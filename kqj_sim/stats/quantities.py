"""Identifiers of the quantities in tables, and the headings that people read.

Tables, CSV, JSON and Parquet name a quantity by its identifier; screens and pages by its heading.
What follows the comma in a heading says of what: a table whose headings all end alike says it once.
"""

from __future__ import annotations

from collections.abc import Mapping

_DISTRIBUTION = {
    "mean": "mean",
    "standard_deviation": "standard deviation",
    "quantile_05": "5% quantile",
    "quantile_25": "25% quantile",
    "median": "median",
    "quantile_75": "75% quantile",
    "quantile_95": "95% quantile",
}


def _label_distribution(name: str, heading: str = "") -> dict[str, str]:
    """Return the headings of the numbers that describe a distribution."""
    words = f"{heading}, " if heading else ""
    return {f"{name}_{end}": f"{words}{text}" for end, text in _DISTRIBUTION.items()}


_SHARES = {
    "share_of_deals": "share of all deals",
    "share_of_taken": "share of taken deals",
    "share_of_played": "share of played deals",
    "share_of_games": "share of games",
}

_KQJ_ROUNDS = {
    "taken_share": "taken, share of all deals",
    "passed_out_share": "passed out, share of all deals",
    "takes_share": "takes, share of the players asked",
    "opening_amount_mean": "first bid, mean",
    "final_amount_mean": "last bid, mean",
    "bids_mean": "bids, mean",
    "outbids_mean": "bids after the first, mean",
    "outbid_share": "first bid outbid, share of taken deals",
    "countered_share": "countered, share of taken deals",
    "overcountered_share": "overcountered, share of taken deals",
    "overcountered_share_of_countered": "overcountered, share of countered deals",
    "capot_announced_share": "Capot announced, share of taken deals",
    "announced_capot_made_share": "contract made, share of deals with an announced Capot",
    "unannounced_capot_share": "all tricks won, share of taken deals without an announced Capot",
    "made_share": "made, share of taken deals",
    "failed_share": "failed, share of taken deals",
    "litigation_share": "litigation, share of taken deals",
    **_label_distribution("contracting_total"),
    "last_trick_share": "last trick, share of taken deals",
    "capot_share": "Capot, share of taken deals",
    "kq_mean": "KQ, number per taken deal",
    "kq_share": "any KQ, share of taken deals",
    "kqj_mean": "KQJ, number per taken deal",
    "kqj_share": "any KQJ, share of taken deals",
    "low_team_share": "a team with 20 card points or fewer, share of taken deals",
    "low_teams_mean": "teams with 20 card points or fewer, number per taken deal",
    "trickless_team_share": "a team without a trick, share of taken deals",
    "trickless_teams_mean": "teams without a trick, number per taken deal",
    "gratuity_paid_share": "any gratuity paid, share of taken deals",
    "gratuity_paid_mean": "paid to all teams, mean per taken deal",
    "gratuity_waiting_share": "gratuity waiting before the round, share of taken deals",
    "gratuity_waiting_mean": "size of a waiting gratuity, mean",
    "gratuity_received_share": "gratuity received, share of taken deals",
    "gratuity_received_mean": "size of a received gratuity, mean",
    "gratuity_left_share": "gratuity left for later rounds, share of taken deals",
    "gratuity_left_mean": "size of a gratuity left for later rounds, mean",
    "contracting_score_mean": "contracting team, mean per taken deal",
    "defending_score_mean": "a defending team, mean per taken deal",
    "score_difference_mean": "contracting team minus a defending team, mean per taken deal",
    "team_difference_mean": "team 0 minus team 1, mean per deal",
    "score_mean": "score, mean per deal",
}

_KWAJONGEN_ROUNDS = {
    "played_share": "played, share of all deals",
    "says_play_share": "says play, share of the players asked",
    "caller_share_of_deals": "caller, share of all deals",
    "caller_share_of_played": "caller, share of played deals",
    "caller_won_share": "won by the caller's team, share of played deals",
    "caller_lost_share": "won by the others, share of played deals",
    "tied_share": "tied, share of played deals",
    "caller_capot_share": "won by the caller's team, share of played deals",
    "others_capot_share": "won by the others, share of played deals",
    "either_capot_share": "won by either team, share of played deals",
    "raised_share": "raised, share of played deals",
    **_label_distribution("card_points"),
    "caller_change_mean": "caller's team, mean per played deal",
    "others_change_mean": "others, mean per played deal",
    "change_difference_mean": "others minus caller's team, mean per played deal",
    "team_change_difference_mean": "team 1 minus team 0, mean per deal",
    "score_change_mean": "change of the score, mean per deal",
}

_GAMES = {
    "games_count": "games",
    "first_dealer_won_share": "won by the first dealer's side, share of games",
    **_label_distribution("rounds", "rounds"),
    **_label_distribution("played_rounds", "rounds not passed out"),
    "won_share": "won, share of games",
    "final_score_mean": "final score, mean",
}

_TAKE_CHART = {
    "gain_mean": "gain by taking, mean",
    "taking_better_share": "taking scores more, share of deals",
    "passing_better_share": "passing scores more, share of deals",
}

_ODDS = {
    "value": "value",
    "lead": "less than the best",
    "win_share": "wins",
    "own_countered_share": "countered",
    "value_if_not_countered": "value if not countered",
    "own_made_share": "own contract made",
    "own_contract_share": "own side plays",
    "contract_made_share": "contract made",
    "litigated_share": "litigation",
    "tied_share": "tie",
    "passed_share": "passed out",
    "own_total_mean": "own total",
    "own_capot_share": "Capot",
    "own_kq_share": "KQ",
    "own_kqj_share": "KQJ",
    "own_points_mean": "own card points",
    "own_all_tricks_share": "all four tricks",
    "reach_s_share": "♠",
    "reach_h_share": "♥",
    "reach_d_share": "♦",
    "reach_c_share": "♣",
    "reach_nt_share": "NT",
    "reach_at_share": "AT",
    "hands_tried_count": "hands tried",
    "agreeing_share": "call like this",
}

_COMPARE = {
    "lead_per_round": "lead, points a round",
    "lead_share": "lead, share of the games",
    "mean_lead_per_round": "mean lead over the others, points a round",
    "mean_lead_share": "mean lead over the others, share of the games",
    "relative_efficiency": "relative efficiency",
    "sender_share": "takes, share of rounds",
    "sender_made_share": "contracts made, share of those taken",
    "made_per_round": "won by contracts made",
    "failed_per_round": "lost in failed contracts",
    "defended_per_round": "won in defence",
    "bonuses_per_round": "bonus points",
    "score_per_round": "score",
    "caller_share": "is the caller, share of rounds",
    "caller_round_won_share": "won, share of rounds as caller",
    "caller_won_per_round": "won as caller",
    "caller_lost_per_round": "lost as caller",
    "against_caller_per_round": "won against callers",
    "score_reduction_per_round": "reduction of the score",
    "passed_out_round_share": "passed out, share of rounds",
    "differing_deal_share": "deals in which a call or card differs",
    "differing_game_share": "games in which they differ",
    "lead_in_differing_per_round": "lead of the first in these deals, points a round",
    "lead_in_differing_share": "lead of the first in these games",
}

_SWEEP_AND_TUNE = {
    "lead_over_opponents_per_round": "lead over the opponents, points a round",
    "lead_over_best_other_per_round": "lead over the best other, points a round",
    "loss_to_best_per_round": "less than the best, points a round",
    "start_lead_per_round": "start, lead over the opponents",
    "found_lead_per_round": "result, lead over the opponents",
    "gain_per_round": "gain, on the same deals",
    "change_share": "change, share of the range",
    "candidates_mean_per_round": "mean of the candidates",
    "candidates_best_per_round": "best candidate",
}

_REVIEW = {
    "loss_points": "lost, points",
    "loss_win_share": "lost, chance to win",
    "loss_points_per_round": "lost, points a round",
    "loss_win_share_per_round": "lost, chance to win",
    "loss_points_per_decision": "lost, points a decision",
    "hindsight_loss_points": "in hindsight, points",
    "hindsight_loss_points_per_round": "in hindsight, points a round",
    "decisions": "decisions",
    "decisions_per_round": "decisions a round",
    "mistakes": "mistakes",
    "mistakes_per_round": "mistakes a round",
    "accuracy_share": "accuracy",
    "result": "result",
    "result_mean": "result",
    "average": "average",
    "deal_luck": "luck of the deal",
    "own_decisions": "own decisions",
    "own_decisions_mean": "own decisions",
    "own_luck": "luck of own decisions",
    "others_decisions": "others' decisions",
    "others_decisions_mean": "others' decisions",
    "remainder": "remainder",
    "adjusted_mean": "without luck",
    "luck_mean": "luck",
    "rounds": "rounds",
    "own_decisions_difference_mean": "difference, points a round",
    "differences_shown": "shown",
}

LABELS: Mapping[str, str] = {
    **_SHARES,
    **_KQJ_ROUNDS,
    **_KWAJONGEN_ROUNDS,
    **_GAMES,
    **_TAKE_CHART,
    **_ODDS,
    **_COMPARE,
    **_SWEEP_AND_TUNE,
    **_REVIEW,
}
"""Headings by identifier."""


def get_label(quantity: str) -> str:
    """Return the heading of a quantity."""
    return LABELS.get(quantity, quantity)
