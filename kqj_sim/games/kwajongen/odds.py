"""Hidden hands of Kwajongen that agree with a player's knowledge, and what comes of each option.

For `core.hidden_hands` the cards that stay out are the hand of a further holder, who may hold
anything.  During the calls holders are counted by place, during the play by position.  Every deal
is replayed to the player's turn, and played on, in the first lane of a block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kqj_sim.core import block as b
from kqj_sim.core import hidden_hands as hh
from kqj_sim.core import rng
from kqj_sim.core import types as t
from kqj_sim.core.cards import trailing_zeros
from kqj_sim.core.deal import draw_cards
from kqj_sim.core.jit import block_loop, kernel, scalar
from kqj_sim.core.trick import read_hand, read_trick
from kqj_sim.games.kwajongen import cards as k
from kqj_sim.games.kwajongen import engine

UNDEALT = k.SEATS
"""The number of the cards that stay out."""
DEALER_PLACE = k.SEATS - 1
_UNDEALT_COUNT = 24 - k.SEATS * k.TRICKS


@scalar
def expand_suits(voids: int) -> t.CardSet:
    """Return all cards of the suits whose bits are set."""
    spread = (voids & 1) | (voids & 2) << 15 | (voids & 4) << 30 | (voids & 8) << 45
    return spread * k.SUIT_MASK


@block_loop
def infer_during_play(
    state: t.Block, lane: t.Lane, trick: int, position: t.Position, must_trump: t.Flag,
    knowledge: t.Int64Array,
) -> int:  # fmt: skip
    """Fill the knowledge of the position to play, without the upcard, which all know.

    Returns:
        The upcard if the dealer still holds it and the position is not the dealer's, else 0.
    """
    hand = read_hand(state, lane, position)
    on_table = read_trick(state, lane, position)
    shown = engine.read_upcard(state, lane)
    unseen = k.PACK & ~(hand | state[b.PLAYED_CARDS + lane] | on_table)
    knowledge[hh.UNSEEN] = unseen & ~shown
    led = state[b.LED + lane]
    for player in range(hh.HOLDER_COUNT):
        knowledge[hh.HAND_SIZES + player] = 0
        knowledge[hh.EXCLUDED + player] = 0
    for player in range(k.SEATS):
        if player == position:
            knowledge[hh.EXCLUDED + player] = -1
            continue
        knowledge[hh.HAND_SIZES + player] = k.TRICKS - trick - (player < position)
        voids = b.voids_of(state[b.PLAYERS_BY_POSITION + lane], player)
        if 0 < player < position:
            card = state[b.cell_index(b.TRICK_CARDS + player * b.STRIDE, lane)]
            lacking = k.find_voids(card, led, must_trump)
            voids |= lacking << (trailing_zeros(led) >> 4)
        knowledge[hh.EXCLUDED + player] = expand_suits(voids)
    knowledge[hh.HAND_SIZES + UNDEALT] = _UNDEALT_COUNT
    shown &= unseen
    if shown != 0:
        knowledge[hh.HAND_SIZES + find_dealer_position(state, lane)] -= 1
    return shown


@scalar
def find_dealer_position(state: t.Block, lane: t.Lane) -> int:
    """Return the position of the dealer in the trick of a lane."""
    return (DEALER_PLACE - state[b.LEADER + lane]) % k.SEATS


OBSERVER_PLACE, OBSERVER_HAND, OBSERVED_UPCARD, OBSERVED_RAISED = range(4)
"""Fields of the observer: place, hand and upcard (natural coding), 1 if the round is raised."""
OBSERVER_SIZE = 4

RESULT, OWN_SCORE, OTHER_SCORE, OWN_POINTS, OWN_TRICKS, OWN_PLAYS = range(6)
"""Columns of an outcome; the scores are the changes as written down."""
OUTCOME_SIZE = 6

PASS_OPTION, PLAY_OPTION = range(2)
"""The options, in the order of the outcomes."""
OPTION_COUNT = 2

_DRAWS_PER_HAND = 2


@block_loop
def deal_hands(
    state: t.Block,
    seating: t.Seating,
    observer: t.Int64Array,
    hands: t.Int64Array,
    number: int,
    key: t.Key,
) -> None:
    """Deal hands, by place from index SEATS * `number` on, to players who have not called.

    The dealer sits in the last seat, so seats are places.
    """
    state[b.KEY] = key
    state[b.DEALER] = DEALER_PLACE
    state[b.PENDING] = observer[OBSERVED_RAISED]
    state[b.ILLEGAL] = 0
    state[b.UPCARD] = observer[OBSERVED_UPCARD]
    for place in range(k.SEATS):
        state[b.cell_index(engine.DEALT_FOUR + place * b.STRIDE, 0)] = hands[
            k.SEATS * number + place
        ]
    engine.begin_round(state, 0, seating)


@scalar
def write_outcome(state: t.Block, team: t.Team, outcome: t.Int16Array) -> None:
    """Write the outcome of a finished round for a team into int16 (OUTCOME_SIZE,)."""
    own, other = team * b.STRIDE, (1 - team) * b.STRIDE
    outcome[RESULT] = state[engine.RESULT_ROW]
    outcome[OWN_SCORE] = state[b.cell_index(engine.ROUND_SCORE, own)]
    outcome[OTHER_SCORE] = state[b.cell_index(engine.ROUND_SCORE, other)]
    outcome[OWN_POINTS] = state[b.cell_index(engine.CARD_POINTS, own)]
    outcome[OWN_TRICKS] = state[b.cell_index(engine.TRICKS_WON, own)]
    outcome[OWN_PLAYS] = 1 if state[engine.CALLING_TEAM] == team else 0


@scalar
def compute_call_chance(
    state: t.Block, rules: t.Rules, seating: t.Seating, first: t.Place, end: t.Place, caller:
    t.Place, error_rate: float,
) -> float:  # fmt: skip
    """Compute the chance that `caller` alone, of the places from `first` to before `end`, plays.

    An error is a pass or not, alike.
    """
    chance = 1.0
    for place in range(first, end):
        if chance > 0:
            engine.ask_call(state, 0, rules, seating, place)
            is_made = (state[b.CALL] == 1) == (place == caller)
            chance *= error_rate / 2 + (1 - error_rate if is_made else 0.0)
    return chance


@kernel
def sample_deals(
    first: int, seed: int, rules: t.Rules, seating: t.Seating, observer: t.Int64Array,
    match_calls: t.Flag, error_rate: float, hands: t.Int64Array, keys: t.Int64Array, weights:
    t.Float64Array,
) -> int:  # fmt: skip
    """Draw deals `first` to `first + LANES - 1`; return how many match, -1 after an illegal choice.

    Args:
        rules, seating: the players, by place.
        observer: int64 (OBSERVER_SIZE,).
        match_calls: 1 if the places before must pass with their cards, 0 if they may hold any.
        error_rate: the chance that a pass was an error.
        hands: int64 (SEATS * LANES,), filled with the hands of the deals that match.
        keys: int64 (LANES,), filled with their keys.
        weights: float64 (LANES,), filled with their weights.
    """
    own, upcard = observer[OBSERVER_PLACE], observer[OBSERVED_UPCARD]
    for lane in range(b.LANES):
        key = rng.derive_deal_key(seed, first + lane)
        keys[lane], weights[lane] = key, 1.0
        left = k.PACK & ~(observer[OBSERVER_HAND] | upcard)
        for place in range(k.SEATS):
            hand = observer[OBSERVER_HAND]
            if place != own:
                turned_up = upcard if place == DEALER_PLACE else 0
                size = k.TRICKS - 1 if place == DEALER_PLACE else k.TRICKS
                drawn = draw_cards(left, size, key, rng.DEAL + place * _DRAWS_PER_HAND)
                left ^= drawn
                hand = drawn | turned_up
            hands[k.SEATS * lane + place] = hand
    if match_calls == 0 or own == 0:
        return b.LANES
    state, kept = b.allocate_inner_block(), 0
    for lane in range(b.LANES):
        deal_hands(state, seating, observer, hands, lane, keys[lane])
        weight = compute_call_chance(state, rules, seating, 0, own, -1, error_rate)
        if state[b.ILLEGAL] != 0:
            return -1
        if weight > 0:
            keys[kept], weights[kept] = keys[lane], weight
            for place in range(k.SEATS):
                hands[k.SEATS * kept + place] = hands[k.SEATS * lane + place]
            kept += 1
    return kept


@kernel
def play_out_calls(
    rules: t.Rules, seating: t.Seating, observer: t.Int64Array, hands: t.Int64Array, keys:
    t.Int64Array, outcomes: t.Int16Array,
) -> bool:  # fmt: skip
    """Pass, and play, in each of the deals, and finish the rounds; False after an illegal choice.

    Args:
        observer: int64 (OBSERVER_SIZE,).
        hands: int64 (SEATS * n,), the hands of the deals, by place.
        keys: int64 (n,), their keys.
        outcomes: int16 (OPTION_COUNT, n, OUTCOME_SIZE), filled.
    """
    own, log = observer[OBSERVER_PLACE], np.empty(0, np.int64)
    state = b.allocate_inner_block()
    for option in range(OPTION_COUNT):
        for lane in range(keys.shape[0]):
            deal_hands(state, seating, observer, hands, lane, keys[lane])
            if option == PLAY_OPTION:
                state[b.SENDER] = own
            engine.run_calls(state, 0, rules, seating, log, own + 1, k.SEATS)
            engine.finish_round(state, 0, rules, seating)
            if state[b.ILLEGAL] != 0:
                return False
            write_outcome(state, own % 2, outcomes[option, lane])
    return True


class KwajongenCardTurn(NamedTuple):
    """A round in progress as the player to move sees it, by place.

    known: int64 (OBSERVER_SIZE,), the observer.
    dealt: int64 (4,), the cards known to have been dealt to each place, natural coding: those
        played, the observer's hand and the upcard.
    caller: the place that said play.
    must_match_calls: 1 if hidden hands must match the calls, 0 if they may be any.
    plays: int64 (n,), the cards played, by strength.
    cards: int64 (m,), the legal cards, by strength.
    """

    known: t.Int64Array
    dealt: t.Int64Array
    caller: t.Place
    must_match_calls: t.Flag
    plays: t.Int64Array
    cards: t.Int64Array


@block_loop
def replay_plays(
    state: t.Block, turn: KwajongenCardTurn, rules: t.Rules, seating: t.Seating, hands:
    t.Int64Array, number: int, key: t.Key,
) -> None:  # fmt: skip
    """Replay a deal, as of `deal_hands`, up to the turn."""
    deal_hands(state, seating, turn.known, hands, number, key)
    state[b.SENDER] = turn.caller
    engine.prepare_play(state, 0)
    for play in range(turn.plays.shape[0]):
        trick, position = play // k.SEATS, play % k.SEATS
        engine.put_card(state, 0, position, turn.plays[play])
        if position == k.SEATS - 1:
            engine.finish_trick(state, 0, rules, seating, trick)


@block_loop
def _infer_knowledge(
    turn: KwajongenCardTurn, rules: t.Rules, seating: t.Seating, knowledge: t.Int64Array
) -> int:
    """Fill the knowledge of the hidden cards, by position; return the leader's place."""
    state = b.allocate_inner_block()
    replay_plays(state, turn, rules, seating, turn.dealt, 0, 0)
    trick, position = turn.plays.shape[0] // k.SEATS, turn.plays.shape[0] % k.SEATS
    infer_during_play(state, 0, trick, position, rules.variant, knowledge)
    return int(state[b.LEADER])


@scalar
def _write_hands(
    turn: KwajongenCardTurn, layouts: t.Int64Array, layout: int, leader: t.Place, hands:
    t.Int64Array, number: int,
) -> None:  # fmt: skip
    """Write the hands of a layout by place, natural coding, all four cards of each."""
    trump = k.suit_of(turn.known[OBSERVED_UPCARD])
    for place in range(k.SEATS):
        held = k.to_natural_order(
            layouts[b.cell_index(layout * hh.HOLDER_COUNT, (place - leader) % k.SEATS)], trump
        )
        hands[b.cell_index(number * k.SEATS, place)] = held | turn.dealt[place]


@kernel
def list_hidden_hands(
    turn: KwajongenCardTurn, limit: int, rules: t.Rules, seating: t.Seating,
    hands: t.Int64Array,
) -> int:  # fmt: skip
    """Write every layout that agrees with the plays; return their number, -1 if above `limit`.

    `hands`, int64 (4 * limit,), gets the dealt hands by place, natural coding.
    """
    known, layouts = (
        np.empty(hh.KNOWLEDGE_SIZE, np.int64),
        np.empty(hh.HOLDER_COUNT * limit, np.int64),
    )
    leader = _infer_knowledge(turn, rules, seating, known)
    count = hh.enumerate_layouts(known, limit, layouts)
    for layout in range(count):
        _write_hands(turn, layouts, layout, leader, hands, layout)
    return count


@kernel
def draw_hidden_hands(
    turn: KwajongenCardTurn, first: int, seed: int, rules: t.Rules, seating: t.Seating,
    hands: t.Int64Array, keys: t.Int64Array,
) -> bool:  # fmt: skip
    """Draw layouts that agree with the plays, each equally likely; False if none agrees.

    Args:
        first, seed: the draws, `first` to `first + LANES - 1`.
        hands: int64 (4 * LANES,), filled with the dealt hands by place, natural coding.
        keys: int64 (LANES,), filled with the keys of the draws.
    """
    known, layout = np.empty(hh.KNOWLEDGE_SIZE, np.int64), np.empty(hh.HOLDER_COUNT, np.int64)
    leader = _infer_knowledge(turn, rules, seating, known)
    for lane in range(b.LANES):
        keys[lane] = rng.derive_deal_key(seed, first + lane)
        if hh.sample_layouts(known, 1, keys[lane], layout) == 0:
            return False
        _write_hands(turn, layout, 0, leader, hands, lane)
    return True


@kernel
def replay_calls(
    turn: KwajongenCardTurn, rules: t.Rules, seating: t.Seating, error_rate: float, hands:
    t.Int64Array, keys: t.Int64Array, chances: t.Float64Array,
) -> bool:  # fmt: skip
    """Compute the chances of the others' calls in some deals; False after an illegal choice.

    The deals are those of `draw_hidden_hands`; `chances`, float64 (n,), gets them, where each call
    is an error with the chance `error_rate`.
    """
    own, caller = turn.known[OBSERVER_PLACE], turn.caller
    state = b.allocate_inner_block()
    for lane in range(keys.shape[0]):
        deal_hands(state, seating, turn.known, hands, lane, keys[lane])
        chances[lane] = compute_call_chance(
            state, rules, seating, 0, min(own, caller + 1), caller, error_rate
        ) * compute_call_chance(state, rules, seating, own + 1, caller + 1, caller, error_rate)
        if state[b.ILLEGAL] != 0:
            return False
    return True


@kernel
def play_out_cards(
    turn: KwajongenCardTurn, rules: t.Rules, seating: t.Seating, hands: t.Int64Array, keys:
    t.Int64Array, outcomes: t.Int16Array,
) -> bool:  # fmt: skip
    """Play each legal card in each deal, and finish the rounds; False after an illegal choice.

    The deals are those of `draw_hidden_hands`; `outcomes` is int16 (n, cards, OUTCOME_SIZE).
    """
    trick, position = turn.plays.shape[0] // k.SEATS, turn.plays.shape[0] % k.SEATS
    state = b.allocate_inner_block()
    for lane in range(keys.shape[0]):
        for option in range(turn.cards.shape[0]):
            replay_plays(state, turn, rules, seating, hands, lane, keys[lane])
            engine.put_card(state, 0, position, turn.cards[option])
            engine.play_tricks(state, 0, rules, seating, trick, position + 1)
            engine.fill_columns(state, 0)
            if state[b.ILLEGAL] != 0:
                return False
            write_outcome(state, turn.known[OBSERVER_PLACE] % 2, outcomes[lane, option])
    return True


@kernel
def choose_cards(
    turn: KwajongenCardTurn, hands: t.Int64Array, keys: t.Int64Array, rules: t.Rules, seating:
    t.Seating, cards: t.Int64Array,
) -> bool:  # fmt: skip
    """Ask the player to move for a card, once for each key; False after an illegal choice.

    `hands` and `keys` are deals as of `draw_hidden_hands`; `cards`, int64 (n,), gets the cards, by
    strength.
    """
    state = b.allocate_inner_block()
    trick, position = turn.plays.shape[0] // k.SEATS, turn.plays.shape[0] % k.SEATS
    for number in range(keys.shape[0]):
        replay_plays(state, turn, rules, seating, hands, number, keys[number])
        engine.ask_card(state, 0, rules, seating, trick, position)
        cards[number] = state[b.cell_index(b.TRICK_CARDS + position * b.STRIDE, 0)]
        if state[b.ILLEGAL] != 0:
            return False
    return True


@kernel
def choose_calls(
    observer: t.Int64Array, hands: t.Int64Array, keys: t.Int64Array, rules: t.Rules, seating:
    t.Seating, answers: t.Int64Array,
) -> bool:  # fmt: skip
    """Ask a player whether they play, once for each key; False after an illegal choice.

    Arguments as for `play_out_calls`; `answers`, int64 (n,), gets 1 to play, else 0.
    """
    state = b.allocate_inner_block()
    for number in range(keys.shape[0]):
        deal_hands(state, seating, observer, hands, number, keys[number])
        engine.ask_call(state, 0, rules, seating, observer[OBSERVER_PLACE])
        answers[number] = state[b.CALL]
        if state[b.ILLEGAL] != 0:
            return False
    return True
