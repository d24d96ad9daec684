"""Choices depend only on what a player may know: hidden cards are exchanged, and the player is
asked again.

Cards that the player asked cannot see change hands: each keeps its number of cards, the shown card
stays with the dealer, and nobody gets a suit in which they are known to be void.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.core import block as rows
from kqj_sim.core.block import AUCTION_ROWS, LANES, STRIDE, voids_of
from kqj_sim.core.hidden_hands import EXCLUDED, HAND_SIZES, KNOWLEDGE_SIZE, UNSEEN
from kqj_sim.core.round import move_taken_first
from kqj_sim.games import find_game
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.games.kwajongen.cards import PACK, SEATS, TRICKS, to_strength_order
from kqj_sim.games.kwajongen.engine import DEALT_FOUR
from kqj_sim.games.kwajongen.odds import expand_suits, infer_during_play
from kqj_sim.policies.card_sets import split_cards
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import make_recording_block
from tests.games.kwajongen.kernels import ask_calls, ask_cards, finish_tricks, prepare_play

SEED = 21
Block = NDArray[np.int64]
RULES = KwajongenRules()


def lane(state: Block, offset: int) -> Block:
    return state[offset : offset + LANES]


def exchanged(hands: list[int], fixed: list[int], lacks: list[int], draw: random.Random) -> None:
    """Exchange hidden cards of five players (the last has what stays out), several times."""
    for _ in range(12):
        one, two = draw.sample(range(len(hands)), 2)
        from_one = [bit for bit in split_cards(hands[one] & ~fixed[one] & ~lacks[two])]
        from_two = [bit for bit in split_cards(hands[two] & ~fixed[two] & ~lacks[one])]
        if from_one and from_two:
            give, take = 1 << draw.choice(from_one), 1 << draw.choice(from_two)
            hands[one] ^= give | take
            hands[two] ^= give | take


@pytest.mark.slow
def test_a_call_hangs_on_nothing_but_the_view() -> None:
    draw = random.Random(1)
    for name in find_game("kwajongen").built_ins:
        block = make_recording_block(Experiment(RULES, (name,) * SEATS, seed=SEED))
        block.game.start_deals(block.state, 0, LANES)
        block.play(LANES)
        state, changed = block.state.copy(), 0
        for place in range(SEATS):
            other = state.copy()
            for i in range(LANES):
                hands = [int(state[DEALT_FOUR + k * STRIDE + i]) for k in range(SEATS)]
                hands.append(PACK & ~sum(hands))
                fixed = [0, 0, 0, int(state[rows.UPCARD + i]), 0]
                fixed[place] = hands[place]
                exchanged(hands, fixed, [0] * 5, draw)
                for k in range(SEATS):
                    changed += hands[k] != other[DEALT_FOUR + k * STRIDE + i]
                    other[DEALT_FOUR + k * STRIDE + i] = hands[k]
            for each in (state, other):
                ask_calls(each, LANES, block.core_rules, block.seating, place)
            assert (lane(state, rows.CALL) == lane(other, rows.CALL)).all(), name
        assert changed > SEATS * LANES


@pytest.mark.parametrize("name", ["random", "standard"])
def test_a_card_hangs_on_nothing_but_the_view(name: str) -> None:
    draw = random.Random(2)
    block = make_recording_block(
        Experiment(RULES, (f"random:accept=0.7+{name}",) * SEATS, seed=SEED)
    )
    block.game.start_deals(block.state, 0, LANES)
    block.play(LANES)
    state = block.state
    lanes = move_taken_first(state, LANES, AUCTION_ROWS)
    prepare_play(state, lanes)
    changed, known = 0, np.zeros(KNOWLEDGE_SIZE, np.int64)
    for trick in range(TRICKS - 1):
        for position in range(SEATS):
            other = state.copy()
            for i in range(lanes):
                changed += _exchange(state, other, i, trick, position, known, draw)
            for each in (state, other):
                ask_cards(each, lanes, block.core_rules, block.seating, trick, position)
            card = rows.TRICK_CARDS + position * STRIDE
            assert (lane(state, card)[:lanes] == lane(other, card)[:lanes]).all(), (trick, position)
        finish_tricks(state, lanes, block.core_rules, block.seating, trick)
    assert changed > 4 * lanes


def _exchange(
    state: Block, other: Block, i: int, trick: int, position: int, known: Block,
    draw: random.Random,
) -> bool:  # fmt: skip
    """Exchange what a position cannot see, in another block; and hold `infer_during_play`
    against it."""
    hands = [int(state[rows.HAND + k * STRIDE + i]) for k in range(SEATS)]
    on_table = [int(state[rows.TRICK_CARDS + k * STRIDE + i]) for k in range(position)]
    left = [hand & ~(on_table[k] if k < position else 0) for k, hand in enumerate(hands)]
    played = int(state[rows.PLAYED_CARDS + i]) | sum(on_table)
    hidden = PACK & ~(left[position] | played)
    everybody = sum(left)
    left.append(hidden & ~everybody)
    shown = int(to_strength_order(int(state[rows.UPCARD + i]), int(state[rows.CONTRACT + i])))
    players = int(state[rows.PLAYERS_BY_POSITION + i])
    lacks = [int(expand_suits(voids_of(players, k))) for k in range(SEATS)] + [0]
    for k in range(1, position):
        led, card = int(state[rows.LED + i]), on_table[k]
        if not card & led:
            lacks[k] |= led | (0 if card >> 48 else 0x3F << 48)
    dealer = (SEATS - 1 - int(state[rows.LEADER + i])) % SEATS
    fixed = [0] * 5
    fixed[dealer] = shown & left[dealer]
    fixed[position] = left[position]
    found = infer_during_play(state, i, trick, position, 1, known)
    assert found == (shown & left[dealer] if dealer != position else 0)
    assert known[UNSEEN] == hidden & ~found
    for k in range(SEATS):
        if k != position:
            holds = left[k].bit_count() - (k == dealer and found != 0)
            assert known[HAND_SIZES + k] == holds
            assert known[EXCLUDED + k] == lacks[k] and not left[k] & lacks[k]
    before = list(left)
    exchanged(left, fixed, lacks, draw)
    for k in range(SEATS):
        other[rows.HAND + k * STRIDE + i] = left[k] | (on_table[k] if k < position else 0)
    return left != before
