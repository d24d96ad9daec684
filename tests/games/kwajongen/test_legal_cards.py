"""The cards that a player may choose from, against the referee's: no fewer, and no more.

That what is played is legal would hold, too, if players were offered only some of it.
"""

from __future__ import annotations

import pytest

from kqj_sim.core import block as rows
from kqj_sim.core.block import AUCTION_ROWS, HAND, LANES, STRIDE
from kqj_sim.core.jit import kernel
from kqj_sim.core.round import move_taken_first
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.games.kwajongen.cards import SEATS, TRICKS
from kqj_sim.games.kwajongen.engine import find_legal_cards
from kqj_sim.games.kwajongen.referee import KwajongenReferee
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import make_recording_block
from tests.games.kwajongen.coding import cards_of
from tests.games.kwajongen.kernels import ask_cards, finish_tricks, prepare_play

TRUMP = "s"
"""Of cards by strength one does not see which suit it is."""


@kernel(cache=False)
def offer_cards(state, lane, position, must_trump):  # type: ignore[no-untyped-def]
    return find_legal_cards(state, lane, position, must_trump)


@pytest.mark.parametrize("void_rule", ["must_trump", "free"])
def test_players_are_offered_all_that_is_legal_and_nothing_else(void_rule: str) -> None:
    rules = KwajongenRules.from_dict({"void_rule": void_rule})
    block = make_recording_block(Experiment(rules, ("random:accept=0.7",) * SEATS, seed=3))
    state = block.state
    block.game.start_deals(state, 0, LANES)
    block.play(LANES)
    lanes = move_taken_first(state, LANES, AUCTION_ROWS)
    prepare_play(state, lanes)
    tables: list[list[int]] = [[] for _ in range(lanes)]
    sizes = set()
    for trick in range(TRICKS - 1):
        for position in range(SEATS):
            for lane, table in enumerate(tables):
                hand = cards_of(int(state[HAND + position * STRIDE + lane]), TRUMP)
                played = [card for each in table for card in cards_of(each, TRUMP)]
                right = KwajongenReferee(rules).list_legal_cards(hand, played, 0, (), TRUMP)
                offered = offer_cards(state, lane, position, block.core_rules.variant)
                assert cards_of(int(offered), TRUMP) == right
                sizes.add((len(hand), len(right)))
            ask_cards(state, lanes, block.core_rules, block.seating, trick, position)
            for lane, table in enumerate(tables):
                table.append(int(state[rows.TRICK_CARDS + position * STRIDE + lane]))
        tables = [[] for _ in range(lanes)]
        finish_tricks(state, lanes, block.core_rules, block.seating, trick)
    assert {(4, 1), (4, 2), (4, 3), (4, 4), (2, 1), (2, 2)} <= sizes
