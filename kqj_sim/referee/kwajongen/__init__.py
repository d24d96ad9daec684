"""The rules of Kwajongen in plain Python."""

from kqj_sim.referee.kwajongen.calling import Calling
from kqj_sim.referee.kwajongen.cards import PACK, card_points
from kqj_sim.referee.kwajongen.play import legal_cards, trick_winner
from kqj_sim.referee.kwajongen.scoring import (
    add_scores,
    is_decided,
    next_dealer,
    passed_out,
    score_round,
    settle,
)

__all__ = [
    "PACK",
    "Calling",
    "add_scores",
    "card_points",
    "is_decided",
    "legal_cards",
    "next_dealer",
    "passed_out",
    "score_round",
    "settle",
    "trick_winner",
]
