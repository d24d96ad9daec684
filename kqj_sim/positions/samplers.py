"""The sampler of a position, and the estimate of its options: calls or cards, in either game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kqj_sim.games import find_game
from kqj_sim.policies.players import Player, PlayerLike, seat_players
from kqj_sim.positions.estimator import estimate_options
from kqj_sim.positions.odds import Odds
from kqj_sim.positions.plan import EstimatePlan
from kqj_sim.positions.position import Position
from kqj_sim.positions.sampling import GameSamplers, Sampler

MAX_LISTED_LAYOUTS = 20_000
"""With no more distributions of the hidden cards than this all are played out."""


def make_sampler(
    position: Position,
    players: Sequence[Player],
    plan: EstimatePlan,
    max_layouts: int = MAX_LISTED_LAYOUTS,
) -> Sampler:
    """Return the sampler of what a player knows.

    Args:
        position: what they know.
        players: the assumed player of each seat or, for a call, of each place.
        plan: seed, and whether hidden cards agree with calls and plays.
        max_layouts: during the play distributions of the hidden cards are listed if they are no
            more than this.

    Raises:
        InputError: a policy's function does not compile.
    """
    kinds: GameSamplers = find_game(position.rules.game).part("samplers")
    if position.question == "card":
        return kinds.cards(position, players, plan, max_layouts)
    return kinds.calls(position.rotate_to_places(), players, plan)


def estimate_position(
    position: Position,
    policies: PlayerLike | Sequence[PlayerLike] | None = None,
    max_layouts: int = MAX_LISTED_LAYOUTS,
    **settings: Any,
) -> Odds:
    """Estimate the outcome of each option of a player.

    Args:
        position: what they know.
        policies: one player for everybody, or one for each seat or, for a call, each place; the
            default player unless given.
        max_layouts: as of `make_sampler`.
        settings: see `EstimatePlan`; nothing depends on the seed if the answer is exact.

    Raises:
        ImpossibleBiddingError: the players would hardly ever have called as observed.
        InputError: a number is out of range; no hidden hands agree with the plays; a policy cannot
            be used, or chooses what is not allowed.
    """
    plan = EstimatePlan(**settings)
    players = seat_players(policies, position.rules)
    return estimate_options(make_sampler(position, players, plan, max_layouts), plan)
