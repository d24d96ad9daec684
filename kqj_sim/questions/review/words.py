"""Reviewed decisions in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kqj_sim.cards import Card, add_suit_signs, parse_card
from kqj_sim.output.grid import format_number
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


def describe_where(at: str) -> str:
    """Return where a decision is: `trick 3, card 2`, `call 4`."""
    first, *rest = at.split(".")
    if first == "c":
        return f"call {rest[0]}" + (" (no counter)" if len(rest) > 1 else "")
    return f"trick {first}, card {rest[0]}"


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
    grade = each.grade
    decision, played = grade.decision, each.review.played
    who = describe_player(played, decision.seat)
    where = describe_where(decision.at)
    where = f"Line {played.line}, {where}" if several else where[0].upper() + where[1:]
    loss = grade.loss.points.estimate(confidence)
    verb = "chose" if decision.is_call else "played"
    points = format_number(loss.value, loss.low, loss.high, "points")
    shown = "" if grade.mistake else " (not shown to be a mistake)"
    best = add_suit_signs(grade.best)
    text = f"{where}: {who} {verb} {add_suit_signs(decision.choice)}; {best} was worth {points} "
    text += f"points more{shown}"
    reason = explain_best(grade)
    return f"{text}: {reason}." if reason else f"{text}."


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
        lines.append(
            f"In {ignored} decision{'s' * (ignored != 1)} the reference player would hardly ever "
            "have called as the others did: hidden cards there are dealt regardless of the calls."
        )
    uncounted = sum(len(review.uncounted) for review in reviews)
    if uncounted:
        calls = "1 call was" if uncounted == 1 else f"{uncounted} calls were"
        lines.append(f"{calls} not graded, since {RARE_BIDS}.")
    ungraded = sum(len(review.ungraded) for review in reviews)
    if ungraded:
        decisions = "1 decision was" if ungraded == 1 else f"{ungraded} decisions were"
        lines.append(f"{decisions} not graded: {OUT_OF_TIME}.")
    skipped = sum(len(review.played.skipped) for review in reviews)
    if skipped:
        decisions = "1 decision was" if skipped == 1 else f"{skipped} decisions were"
        lines.append(f"{decisions} not graded, since cards are not known.")
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
        return ["it wins the trick" if last else "it beats the cards played so far"]
    if wins_chosen and not wins_better:
        return [f"it leaves the trick and keeps {add_suit_signs(str(chosen))}"]
    if wins_better:
        return []
    winner = find_winner(leader, cards, contract)
    points = _count_points(position, better) - _count_points(position, chosen)
    if position.teams[winner] == position.teams[position.seat] and points > 0:
        return [f"it gives {points} points more to your partner's trick"]
    if position.teams[winner] != position.teams[position.seat] and points < 0:
        return [f"it gives {-points} points less to the opponents' trick"]
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
                return ["it is the first card of KQ"]
            if chosen == queen and better not in (king, queen):
                return [f"it keeps {add_suit_signs(str(queen))} for KQ"]
    return []
