"""The value of a call if nobody counters the player's side."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from kqj_sim.core import call_odds as core
from kqj_sim.games.kqj.call_sampler import KqjCallSampler
from kqj_sim.notation.typed import read_typed_position
from kqj_sim.policies.players import seat_players
from kqj_sim.positions.odds import Playouts
from kqj_sim.positions.sampling import EstimatePlan
from kqj_sim.rules import KqjRules

QUIET, LOUD = "random:bid=0.3,counter=0+greedy", "random:bid=0.3,counter=0.5+greedy"
"""Players who differ in counters alone: a draw decides each call, whatever was drawn for others."""


def play(rules: KqjRules, opponents: str) -> Playouts:
    """A block of deals with these opponents of the opener, whose own side never counters.

    With three teams the opponents never bid, since they would counter each other, too.
    """
    situation = read_typed_position("9h 8h Ah Kh Qh 5d 6c Ac", rules)
    if rules.teams == 3:
        opponents = opponents.replace("bid=0.3", "bid=0")
    specs = [QUIET if team == 0 else opponents for team in situation.teams]
    sampler = KqjCallSampler(situation, seat_players(specs, rules), EstimatePlan(seed=3))
    return play_first_block(sampler)


def play_first_block(sampler: KqjCallSampler) -> Playouts:
    return sampler.play_chunk(sampler.start_search(None, None), 0, 256)


@pytest.mark.slow
@pytest.mark.parametrize("teams", [2, 3])
@pytest.mark.parametrize("timing", ["any", "turn"])
def test_without_counters_deals_end_as_with_opponents_who_never_counter(
    timing: Literal["any", "turn"], teams: Literal[2, 3]
) -> None:
    """The same deals with opponents who do not counter are the slow twin."""
    rules = KqjRules(bidding="auction", counter_timing=timing, teams=teams)
    loud, quiet = play(rules, LOUD).outcomes, play(rules, QUIET).outcomes
    countered = loud[..., core.OWN_COUNTERED] != 0
    assert countered.mean() > 0.5
    assert not quiet[..., core.OWN_COUNTERED].any()
    assert not np.array_equal(loud[..., core.OWN_SCORE], quiet[..., core.OWN_SCORE])
    without, lead = core.UNCOUNTERED_DOUBLE_LEAD, core.DOUBLE_LEAD
    assert np.array_equal(loud[..., without], quiet[..., lead])
    # Where nobody counters the player's side, nothing is played again.
    assert np.array_equal(loud[~countered][:, without], loud[~countered][:, lead])


@pytest.mark.parametrize("teams", [2, 3])
def test_calls_played_out_together_end_as_each_alone(teams: Literal[2, 3]) -> None:
    """A deal is played once for all calls after which the contract is the same."""
    rules = KqjRules(bidding="auction", teams=teams)
    situation = read_typed_position("9h 8h Ah Kh Qh 5d 6c Ac", rules)
    players = seat_players("standard", rules)
    sampler = KqjCallSampler(situation, players, EstimatePlan(seed=3))
    together = play_first_block(sampler).outcomes
    assert len(together) > 3
    for option, outcome in zip(sampler.options, together, strict=True):
        alone = play_first_block(sampler.with_options([option]))
        assert np.array_equal(outcome, alone.outcomes[0])
    # Some deals end alike after several calls, and some do not.
    same = (together[1:] == together[0]).all(axis=-1)
    assert same.any()
    assert not same.all()
