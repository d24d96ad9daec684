"""The rules of KQJ in plain Python."""

from kqj_sim.referee.base import FinalContract
from kqj_sim.referee.kqj.calling import KqjCalling, list_legal_calls
from kqj_sim.referee.kqj.cards import PACK, card_points
from kqj_sim.referee.kqj.play import find_trick_winner, list_legal_cards
from kqj_sim.referee.kqj.scoring import (
    add_scores,
    find_bonuses,
    is_decided,
    score_passed_out,
    score_round,
    score_totals,
)
from kqj_sim.referee.trick import PlayedTrick, RoundScore

__all__ = [
    "PACK",
    "FinalContract",
    "KqjCalling",
    "PlayedTrick",
    "RoundScore",
    "add_scores",
    "card_points",
    "find_bonuses",
    "find_trick_winner",
    "is_decided",
    "list_legal_calls",
    "list_legal_cards",
    "score_passed_out",
    "score_round",
    "score_totals",
]
