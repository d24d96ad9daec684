"""The rules of Kwajongen in plain Python."""

from kqj_sim.referee.kwajongen.calling import KwajongenCalling
from kqj_sim.referee.kwajongen.cards import PACK, card_points
from kqj_sim.referee.kwajongen.play import find_trick_winner, list_legal_cards
from kqj_sim.referee.kwajongen.scoring import (
    add_scores,
    find_next_dealer,
    is_decided,
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
