"""The rules of KQJ in plain Python."""

from kqj_sim.referee.kqj.calling import Called, Calling, legal_calls
from kqj_sim.referee.kqj.cards import PACK, card_points
from kqj_sim.referee.kqj.play import legal_cards, trick_winner
from kqj_sim.referee.kqj.scoring import (
    add_scores,
    find_bonuses,
    is_decided,
    passed_out,
    score_round,
    settle,
)
from kqj_sim.referee.score import RoundScore
from kqj_sim.referee.trick import PlayedTrick

__all__ = [
    "PACK",
    "Called",
    "Calling",
    "PlayedTrick",
    "RoundScore",
    "add_scores",
    "card_points",
    "find_bonuses",
    "is_decided",
    "legal_calls",
    "legal_cards",
    "passed_out",
    "score_round",
    "settle",
    "trick_winner",
]
