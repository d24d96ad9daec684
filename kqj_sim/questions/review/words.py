"""Reviewed decisions in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kqj_sim.cards import Card, parse_card
from kqj_sim.output.sentences import say
from kqj_sim.positions.position import Position
from kqj_sim.questions.review.decisions import CALL_KINDS
from kqj_sim.questions.review.tables import ReviewedDecision

if TYPE_CHECKING:
    from kqj_sim.questions.review.decisions import RecordedRound
    from kqj_sim.questions.review.grading import Grade
    from kqj_sim.questions.review.rounds import RoundReview

RARE_BIDS = "the reference player would hardly ever have bid as the others did"
"""Why a call is not graded."""

OUT_OF_TIME = "out of time"
"""Why a decision is not graded that the limit of time left no deals for."""


def describe_player(played: RecordedRound, seat: int) -> str:
    """Return a player as a noun: `Cem`, `the opener`, `the 3rd`."""
    return played.seat_names.describe_noun(seat).removesuffix(" to speak")


def write_mistake(each: ReviewedDecision, confidence: float, several: bool) -> str:
    """Return a sentence on what a decision lost.

    Args:
        each: the decision.
        confidence: of the interval.
        several: whether there are other rounds, so that its line is named.
    """
    played, line = each.review.played, each.review.played.line if several else 0
    who = describe_player(played, each.grade.decision.seat)
    loss = each.grade.loss.points.estimate(confidence)
    return say(__name__, "mistake", each.grade, who, line, loss, explain_best(each.grade))


def explain_best(grade: Grade) -> str:
    """Return a clause on what the best option does that the choice does not; may be empty."""
    position, best = grade.decision.knowledge, grade.best
    if grade.decision.kind in CALL_KINDS:
        return ""
    if best == grade.decision.choice:
        return ""
    ranks = position.rules.ranks
    better, chosen = (parse_card(text, ranks=ranks) for text in (best, grade.decision.choice))
    clauses = [*_compare_in_trick(position, better, chosen), *_compare_kq(position, better, chosen)]
    return " and ".join(clauses[:2])


def list_remarks(reviews: Sequence[RoundReview], ignore_calls: bool) -> list[str]:
    """Return sentences on what was not graded as usual."""
    lines = []
    ignored = sum(grade.ignores_calls for review in reviews for grade in review.grades)
    if ignored and not ignore_calls:
        lines.append(say(__name__, "ignored_calls", ignored))
    for count, what, reason in (
        (sum(len(each.uncounted) for each in reviews), "call", f", since {RARE_BIDS}"),
        (sum(len(each.ungraded) for each in reviews), "decision", f": {OUT_OF_TIME}"),
        (
            sum(len(each.played.skipped) for each in reviews),
            "decision",
            ", since cards are not known",
        ),
    ):
        if count:
            lines.append(say(__name__, "not_graded", count, what, reason))
    return lines


def _compare_in_trick(position: Position, better: Card, chosen: Card) -> list[str]:
    """Return what one card does in the trick that the other does not."""
    leader, cards = position.tricks[-1]
    if not cards:
        return []
    seats, contract = position.rules.seats, position.contract.contract
    find_winner = position.referee.find_trick_winner
    last = len(cards) == seats - 1
    wins_better, wins_chosen = (
        find_winner(leader, (*cards, card), contract) == position.seat for card in (better, chosen)
    )
    if wins_better and not wins_chosen:
        return [say(__name__, "wins_trick", last)]
    if wins_chosen and not wins_better:
        return [say(__name__, "leaves_trick", str(chosen))]
    if wins_better:
        return []
    winner = find_winner(leader, cards, contract)
    points = _count_points(position, better) - _count_points(position, chosen)
    is_partner = position.teams[winner] == position.teams[position.seat]
    if points > 0 if is_partner else points < 0:
        return [say(__name__, "gives_points", points, is_partner)]
    return []


def _count_points(position: Position, card: Card) -> int:
    return position.referee.card_points(card, position.contract.contract)


def _compare_kq(position: Position, better: Card, chosen: Card) -> list[str]:
    """Return what a card does for KQ and KQJ of trump: these need the King before the Queen."""
    contract = position.contract.contract
    if not position.rules.scores_kq or contract == "NT":
        return []
    trumps = "shdc" if contract == "AT" else contract
    for suit in trumps:
        king, queen = Card("K", suit), Card("Q", suit)
        if {king, queen} <= set(position.hand):
            if better == king and chosen != king:
                return [say(__name__, "begins_kq")]
            if chosen == queen and better not in (king, queen):
                return [say(__name__, "keeps_queen", str(queen))]
    return []
