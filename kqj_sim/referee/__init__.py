"""The referee: the rules of KQJ in plain Python, slow and plain enough to be seen right.

It shares nothing with the compiled core, which is held against it.
"""

from kqj_sim.referee.calling import Called, Calling, legal_calls
from kqj_sim.referee.cards import PACK, card_points
from kqj_sim.referee.check import check_record, check_records
from kqj_sim.referee.play import PlayedTrick, legal_cards, trick_winner
from kqj_sim.referee.scoring import (
    RoundScore,
    add_scores,
    find_bonuses,
    is_decided,
    passed_out,
    score_round,
    settle,
)

__all__ = [
    "PACK",
    "Called",
    "Calling",
    "PlayedTrick",
    "RoundScore",
    "add_scores",
    "card_points",
    "check_record",
    "check_records",
    "find_bonuses",
    "is_decided",
    "legal_calls",
    "legal_cards",
    "passed_out",
    "score_round",
    "settle",
    "trick_winner",
]
