"""Functions that rule out bids: never the one that is made, nearly all others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kqj_sim.core.dispatch import BID
from kqj_sim.core.views import PASS, BidView
from kqj_sim.policies import learned, points, weights
from kqj_sim.policies.call_features import make_bid_turn
from tests.policies.asked import ask_learned
from tests.policies.call_questions import questions


def view_turns(count: int) -> list[BidView]:
    """Turns to bid with random hands and bids before them."""
    return [
        BidView(
            turn.hand, turn.place, turn.turn, turn.amount + 10 if turn.bidder >= 0 else 120,
            600 if number % 3 else turn.amount + 150, number % 2, turn.bidder, turn.amount,
            turn.contract, turn.last_bids, turn.players, turn.team_count, 0,
        )
        for number, (question, turn) in enumerate(questions(count))
        if question.kind == 0
    ]  # fmt: skip


def bid_of_points(view: BidView) -> int:
    """The bid of `points`."""
    return int(points.choose_bid(view, points.get_fitted(view.team_count)))


def bid_of_learned(view: BidView) -> int:
    """The bid of `learned`."""
    fixed = weights.load_for_play("learned", view.team_count, "auction")
    least = view.lowest_amount if view.bidder < 0 else 120
    limits = (least << 16 | view.highest_amount) << 1 | view.all_no_trump
    return ask_learned(BID, [make_bid_turn(view)], 0, fixed, limits)


def points_may_bid(view: BidView, bid: int) -> bool:
    """True if `points` may make a bid."""
    return bool(points.may_bid(view, bid, points.get_fitted(view.team_count), 0))


def learned_may_bid(view: BidView, bid: int) -> bool:
    """True if `learned` may make a bid."""
    fixed = weights.load_for_play("learned", view.team_count, "auction")
    return bool(learned.may_bid(view, bid, (), fixed.ctypes.data))


@pytest.mark.parametrize(
    ("choose", "may_bid"), [(bid_of_points, points_may_bid), (bid_of_learned, learned_may_bid)]
)
def test_only_bids_that_are_not_made_are_ruled_out(
    choose: Callable[[BidView], int], may_bid: Callable[[BidView, int], bool]
) -> None:
    bids = [(view, choose(view)) for view in view_turns(400)]
    made = [(view, bid) for view, bid in bids if bid != PASS]
    assert len(made) > 20
    assert all(may_bid(view, bid) for view, bid in made)
    others = [may_bid(view, bid) for view, _ in made for _, bid in made]
    assert sum(others) < 0.3 * len(others)
