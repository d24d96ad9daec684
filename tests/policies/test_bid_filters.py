"""Functions that rule out bids: never the one that is made, nearly all others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kqj_sim.core.views import PASS, BidView
from kqj_sim.policies import learned, points, weights
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


def call_points(function: Callable[..., Any], view: BidView, *bid: int) -> Any:
    """Ask `points`."""
    parameters = points.get_fitted(view.team_count)
    return function(view, *bid, parameters, *[0] * len(bid))


def call_learned(function: Callable[..., Any], view: BidView, *bid: int) -> Any:
    """Ask `learned`."""
    numbers = weights.load_for_play("learned", view.team_count, "auction")
    return function(view, *bid, (), numbers.ctypes.data)


@pytest.mark.parametrize(("policy", "call"), [(points, call_points), (learned, call_learned)])
def test_only_bids_that_are_not_made_are_ruled_out(policy: Any, call: Any) -> None:
    views = view_turns(400)
    bids = [(view, call(policy.choose_bid, view)) for view in views]
    made = [(view, bid) for view, bid in bids if bid != PASS]
    assert len(made) > 20
    assert all(call(policy.may_bid, view, bid) for view, bid in made)
    others = [call(policy.may_bid, view, bid) for view, _ in made for _, bid in made]
    assert sum(others) < 0.3 * len(others)
