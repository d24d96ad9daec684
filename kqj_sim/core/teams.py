"""Who sits where: teams and policies of the places."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core import rng
from kqj_sim.core.compile import stage
from kqj_sim.core.rules import Rules
from kqj_sim.core.state import ABOUT, DEALER, KEY, PLAYERS, SEATS, padded, turned


def _packed(teams: tuple[int, ...]) -> int:
    return sum(team << ABOUT * seat for seat, team in enumerate(teams))


def _splits(teams: int) -> NDArray[np.int64]:
    """All splits of the seats into equal teams with numbers, packed: 20 or 90."""
    sizes = [seat % teams for seat in range(SEATS)]
    return np.array(sorted({_packed(split) for split in permutations(sizes)}), dtype=np.int64)


TWO_TEAMS, THREE_TEAMS = (_packed(tuple(seat % n for seat in range(SEATS))) for n in (2, 3))
TWO_TEAM_SPLITS, THREE_TEAM_SPLITS = _splits(2), _splits(3)


@stage
def seat_players(state: Any, lanes: int, rules: Rules, policy_of_seat: int) -> None:
    """Fill PLAYERS: the team and the policy of each place, from the seats and the dealer."""
    policies = 0
    for seat in range(SEATS):
        policies |= ((policy_of_seat >> 4 * seat) & 7) << (ABOUT * seat + 2)
    n = padded(lanes)
    if rules.random_partners:
        splits = TWO_TEAM_SPLITS if rules.teams == 2 else THREE_TEAM_SPLITS
        for i in range(n):
            number = rng.below(rng.draw(state[KEY + i], rng.TEAMS), splits.shape[0])
            state[PLAYERS + i] = splits[number]
    else:
        fixed = TWO_TEAMS if rules.teams == 2 else THREE_TEAMS
        for i in range(n):
            state[PLAYERS + i] = fixed
    for i in range(n):
        opener = state[DEALER + i] + 1
        opener = 0 if opener == SEATS else opener
        state[PLAYERS + i] = turned(state[PLAYERS + i] | policies, opener)
