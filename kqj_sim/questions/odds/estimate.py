"""Estimates of every call, or card, in deals that agree with what the player knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kqj_sim.output.grid import format_number
from kqj_sim.places import SeatNames
from kqj_sim.plan import check_range
from kqj_sim.policies.players import Player, PlayerLike, seat_players
from kqj_sim.positions.estimator import (
    CallOdds,
    EstimatePlan,
    Odds,
    count_choosing_deals,
    estimate_options,
)
from kqj_sim.positions.kqj_calls import KqjCallSampler
from kqj_sim.positions.kwajongen import KwajongenCallSampler
from kqj_sim.positions.position import Position
from kqj_sim.questions.odds.cards import estimate_cards
from kqj_sim.questions.odds.words import describe_option
from kqj_sim.rules import MAX_TOTAL
from kqj_sim.runner import Runner


def estimate_position(
    position: Position,
    players: Sequence[Player],
    people: SeatNames | None,
    runner: Runner,
    **settings: Any,
) -> Odds:
    """Estimate the options of a position; show the progress.

    Args:
        position: what the player knows.
        players: the player of each seat or, for a call, of each place.
        people: names of the people at the table; None if nobody is named.
        runner: shows the progress, and has the threads.
        settings: other fields of `EstimatePlan`.

    Raises:
        InputError: as for `estimate_calls` and `estimate_cards`.
    """
    deals = EstimatePlan(**settings).max_deals
    choosing = count_choosing_deals(deals)
    finished, shown = 0, ""

    def show_answer(odds: Odds) -> None:
        nonlocal finished, shown
        shown = describe_option(odds, odds.best).name
        now = odds.deals
        if odds.choosing_deals > 0:
            # A choice that ended early leaves out the rest of its deals.
            now += choosing
            chance = odds.estimate("win_share", odds.best)
            shown += f": wins {format_number(*chance[:3], 'share')}"
        runner.advance(now - finished, shown)
        finished = now

    def show_search(hands: int) -> None:
        runner.advance(0, shown or f"searching for hands that agree: {hands:,} tried")

    with runner.start("deals", choosing + deals, polls=False):
        settings |= {"threads": runner.workers, "progress": show_answer, "searching": show_search}
        if position.question == "card":
            odds: Odds = estimate_cards(position, players, **settings)
        else:
            odds = estimate_calls(position, players, **settings)
    odds.people = people
    if people is not None:
        odds.stop_text = people.name_in(odds.stop_text)
    return odds


def estimate_calls(
    situation: Position,
    policies: PlayerLike | Sequence[PlayerLike] | None = None,
    **settings: Any,
) -> CallOdds:
    """Estimate the outcome of each call in a situation, as `KqjCallOdds` or `KwajongenCallOdds`.

    Args:
        situation: what the player knows.
        policies: one player for every place, or one for each place; the default player unless
            given.
        settings: see `EstimatePlan`.

    Raises:
        InputError: a number is out of range; a policy cannot be used, or chooses what is not
            allowed.
        ImpossibleBiddingError: the players would hardly ever have called as observed.
    """
    asked = EstimatePlan(**settings)
    seated = seat_players(policies, situation.rules)
    situation = situation.rotate_to_places()
    if situation.question == "accept":
        both = KwajongenCallSampler(situation, seated, asked)
        candidates = both.make_odds(asked)
        return estimate_options(both, both.make_odds(asked), asked, (both, candidates))
    check_range("pending", situation.pending, 0, MAX_TOTAL)
    sampler, chooser = KqjCallSampler(situation, seated, asked).choose_options(asked)
    choosing = (chooser, chooser.make_odds(asked))
    return estimate_options(sampler, sampler.make_odds(asked), asked, choosing)
