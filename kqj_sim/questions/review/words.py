"""Reviewed decisions in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kqj_sim.cards import parse_card
from kqj_sim.output.sentences import say
from kqj_sim.questions.odds.card_reasons import compare_cards
from kqj_sim.questions.review.cross_fitting import LARGE_LOSS
from kqj_sim.questions.review.reviewed_decisions import ReviewedDecision

if TYPE_CHECKING:
    from kqj_sim.questions.review.decisions import RecordedRound
    from kqj_sim.questions.review.grading import Grade
    from kqj_sim.questions.review.play_on import Continuation
    from kqj_sim.questions.review.rounds import RoundReview
    from kqj_sim.referee.trick import PlayedTrick

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
    reason, outcome = explain_best(each.grade), each.outcome
    return say(__name__, "mistake", each.grade, who, line, loss, reason, outcome, LARGE_LOSS)


def list_lines(each: ReviewedDecision, going_on: Continuation) -> list[list[PlayedTrick]] | None:
    """Return how the round goes on after the choice and after the best card.

    None for a call, if a card was not known, or if nothing was lost.
    """
    grade = each.grade
    if each.hindsight is None or grade.decision.is_call or not grade.matters:
        return None
    cards = grade.decision.knowledge.referee.card_by_text
    return [
        going_on.list_tricks(grade.decision, cards[name])
        for name in (grade.decision.choice, grade.best)
    ]


def write_lines(each: ReviewedDecision, going_on: Continuation) -> list[str]:
    """Return the cards that follow the choice and the best card, with the result of each."""
    lines, names, hindsight = list_lines(each, going_on), each.grade.names, each.hindsight
    if lines is None or hindsight is None:
        return []
    place = len(each.grade.decision.knowledge.tricks[-1][1])
    written = []
    for name, tricks in zip((each.grade.decision.choice, each.grade.best), lines, strict=True):
        following = [tricks[0].cards[place + 1 :], *(trick.cards for trick in tricks[1:])]
        value = float(hindsight.values[names.index(name), hindsight.team])
        written.append(say(__name__, "line", name, [each for each in following if each], value))
    return written


def explain_best(grade: Grade) -> str:
    """Return a clause on what the best option does that the choice does not; may be empty."""
    decision, best = grade.decision, grade.best
    if best == decision.choice:
        return ""
    if decision.is_call:
        options = {option.name: option for option in grade.options}
        return say(__name__, "better_call", options[best], options[decision.choice])
    ranks = decision.knowledge.rules.ranks
    better, chosen = (parse_card(text, ranks=ranks) for text in (best, decision.choice))
    reason = compare_cards(decision.knowledge, better, chosen)
    return f"it {reason}" if reason else ""


def list_remarks(reviews: Sequence[RoundReview], ignore_calls: bool) -> list[str]:
    """Return sentences on what was not graded as usual."""
    lines = []
    ignored = sum(grade.ignores_calls for review in reviews for grade in review.grades)
    if ignored and not ignore_calls:
        lines.append(say(__name__, "ignored_calls", ignored))
    for count, what, reason in (
        (sum(len(each.uncounted) for each in reviews), "call", f", since {RARE_BIDS}"),
        (sum(len(each.ungraded) for each in reviews), "decision", f": {OUT_OF_TIME}"),
    ):
        if count:
            lines.append(say(__name__, "not_graded", count, what, reason))
    skipped = [(each.played, one.seat) for each in reviews for one in each.played.skipped]
    if skipped:
        names = dict.fromkeys(describe_player(played, seat) for played, seat in skipped)
        several = len(reviews) > 1
        lines.append(say(__name__, "cards_missing", len(skipped), [*names], several))
    return lines
