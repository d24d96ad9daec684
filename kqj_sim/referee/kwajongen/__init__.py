"""The rules of Kwajongen in plain Python."""

from kqj_sim.referee.kwajongen.rules import (
    PACK,
    KwajongenCalling,
    add_scores,
    card_points,
    find_next_dealer,
    find_trick_winner,
    is_decided,
    list_legal_cards,
    score_passed_out,
    score_round,
    score_totals,
)

__all__ = [
    "PACK",
    "KwajongenCalling",
    "add_scores",
    "card_points",
    "find_next_dealer",
    "find_trick_winner",
    "is_decided",
    "list_legal_cards",
    "score_passed_out",
    "score_round",
    "score_totals",
]
