"""The estimate of every call, or card, with the progress shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kqj_sim.output.grid import format_number
from kqj_sim.places import SeatNames
from kqj_sim.policies.players import Player
from kqj_sim.positions.odds import Odds
from kqj_sim.positions.plan import EstimatePlan, count_choosing_deals
from kqj_sim.positions.position import Position
from kqj_sim.positions.samplers import estimate_position
from kqj_sim.questions.odds.words import name_option
from kqj_sim.runner import Runner


def estimate_with_progress(
    position: Position,
    players: Sequence[Player],
    people: SeatNames | None,
    runner: Runner,
    **settings: Any,
) -> Odds:
    """Estimate the options of a position, and show how far that is.

    Args:
        position: what the player knows.
        players: the player of each seat or, for a call, of each place.
        people: names of the people at the table; None if nobody is named.
        runner: shows the progress, and has the threads.
        settings: other fields of `EstimatePlan`.

    Raises:
        InputError: as for `estimate_position`.
    """
    deals = EstimatePlan(**settings).max_deals
    choosing = count_choosing_deals(deals)
    finished, shown = 0, ""

    def show_answer(odds: Odds) -> None:
        nonlocal finished, shown
        shown = name_option(odds, odds.best)
        now = odds.deals
        if odds.choosing_deals > 0:
            # A choice that ended early leaves out the rest of its deals.
            now += choosing
            chance = odds.estimate("win_share", odds.best)
            shown += f": wins {format_number(chance, 'share')}"
        runner.advance(now - finished, shown)
        finished = now

    def show_search(hands: int) -> None:
        runner.advance(0, shown or f"searching for hands that agree: {hands:,} tried")

    with runner.start("deals", choosing + deals, polls=False):
        settings |= {"threads": runner.workers, "progress": show_answer, "searching": show_search}
        odds = estimate_position(position, players, **settings)
    odds.people = people
    if people is not None:
        odds.stop_text = people.name_in(odds.stop_text)
    return odds
