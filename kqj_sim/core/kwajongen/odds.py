"""Hidden hands of Kwajongen that agree with a player's knowledge, and the outcomes of options.

For `core.hidden_hands` the cards that stay out are the hand of a further holder, who may hold
anything.  During the calls holders are counted by place, during the play by position.  An outcome
is found by replaying the round in every lane with sampled hands, and playing on from there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.bidding import reset_calls
from kqj_sim.core.block import (
    DEALER,
    HAND,
    ILLEGAL,
    KEY,
    LANES,
    LEADER,
    LED,
    OBLIGED_CARDS,
    ORIGINAL_LANE,
    PENDING,
    PLAYED_CARDS,
    PLAYERS_BY_POSITION,
    SENDER,
    STILL_CALLING,
    STRIDE,
    TRICK_CARDS,
    UPCARD,
    allocate_inner_block,
    cell_index,
    pad_lanes,
    voids_of,
)
from kqj_sim.core.cards import trailing_zeros
from kqj_sim.core.deal import draw_cards
from kqj_sim.core.hidden_hands import KNOWLEDGE_SIZE, enumerate_layouts, sample_layouts
from kqj_sim.core.jit import block_loop, kernel, scalar
from kqj_sim.core.knowledge import EXCLUDED, HAND_SIZES, HOLDER_COUNT, UNSEEN
from kqj_sim.core.kwajongen.cards import (
    DEALT_FOUR,
    PACK,
    SEATS,
    SUIT_MASK,
    TRICKS,
    KwajongenCoreRules,
    column_offset,
    suit_of,
    to_natural_order,
)
from kqj_sim.core.kwajongen.round import (
    finish_rounds,
    play_tricks,
    prepare_play,
    record_trick,
    run_accepting,
    seat_players,
    set_trumps,
)
from kqj_sim.core.kwajongen.scoring import fill_play_columns, score_rounds
from kqj_sim.core.kwajongen.trick import (
    find_voids,
    finish_trick,
    put_card,
    read_trick,
    read_upcard,
)
from kqj_sim.core.rules import Seating
from kqj_sim.core.types import (
    Block,
    CardSet,
    Flag,
    Int16Array,
    Int64Array,
    Lane,
    Place,
    Position,
    Team,
)

UNDEALT = SEATS
"""The number of the cards that stay out."""
DEALER_PLACE = SEATS - 1
"""The place of the dealer."""
_UNDEALT_COUNT = 24 - SEATS * TRICKS


@scalar
def expand_suits(voids: int) -> CardSet:
    """Return all cards of the suits whose bits are set."""
    spread = (voids & 1) | (voids & 2) << 15 | (voids & 4) << 30 | (voids & 8) << 45
    return spread * SUIT_MASK


@block_loop
def infer_during_play(
    state: Block, lane: Lane, trick: int, position: Position, knowledge: Int64Array
) -> int:
    """Fill the knowledge of the position to play, without the upcard, which all know.

    Returns:
        The upcard if the dealer still holds it and the position is not the dealer's, else 0.
    """
    hand = state[cell_index(HAND + position * STRIDE, lane)]
    on_table = read_trick(state, lane, position)
    shown = read_upcard(state, lane)
    unseen = PACK & ~(hand | state[PLAYED_CARDS + lane] | on_table)
    knowledge[UNSEEN] = unseen & ~shown
    led = state[LED + lane]
    for player in range(HOLDER_COUNT):
        knowledge[HAND_SIZES + player] = 0
        knowledge[EXCLUDED + player] = 0
    for player in range(SEATS):
        if player == position:
            knowledge[EXCLUDED + player] = -1
            continue
        knowledge[HAND_SIZES + player] = TRICKS - trick - (player < position)
        voids = voids_of(state[PLAYERS_BY_POSITION + lane], player)
        if 0 < player < position:
            card = state[cell_index(TRICK_CARDS + player * STRIDE, lane)]
            lacking = find_voids(card, led, state[OBLIGED_CARDS + lane])
            voids |= lacking << (trailing_zeros(led) >> 4)
        knowledge[EXCLUDED + player] = expand_suits(voids)
    knowledge[HAND_SIZES + UNDEALT] = _UNDEALT_COUNT
    shown &= unseen
    if shown != 0:
        knowledge[HAND_SIZES + find_dealer_position(state, lane)] -= 1
    return shown


@scalar
def find_dealer_position(state: Block, lane: Lane) -> int:
    """Return the position of the dealer in the trick of a lane."""
    return (DEALER_PLACE - state[LEADER + lane]) % SEATS


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
"""Draws for a hand."""

_RESULT = column_offset("result")
_SCORE = column_offset("score_0")
_CARD_POINTS = column_offset("card_points_0")
_TRICKS = column_offset("tricks_0")
_TEAM = column_offset("contracting_team")


@block_loop
def fill_deals(
    state: Block, lanes: int, seating: Seating, observer: Int64Array, hands: Int64Array,
    keys: Int64Array,
) -> None:  # fmt: skip
    """Fill a block with deals whose dealer sits in the last seat, so that seats are places."""
    for i in range(pad_lanes(lanes)):
        lane = min(i, lanes - 1)
        state[KEY + i] = keys[lane]
        state[DEALER + i] = DEALER_PLACE
        state[PENDING + i] = observer[OBSERVED_RAISED]
        state[ILLEGAL + i] = 0
        state[UPCARD + i] = observer[OBSERVED_UPCARD]
        for place in range(SEATS):
            state[cell_index(DEALT_FOUR + place * STRIDE, i)] = hands[SEATS * lane + place]
    seat_players(state, lanes, seating.seats)
    reset_calls(state, lanes)
    set_trumps(state, lanes)


@block_loop
def has_illegal_choice(state: Block, lanes: int) -> bool:
    """Return True if a policy made an illegal choice."""
    wrong = 0
    for i in range(lanes):
        wrong += state[ILLEGAL + i]
    return wrong != 0


@scalar
def write_outcome(state: Block, lane: Lane, team: Team, row: Int16Array) -> None:
    """Write the outcome of a finished round for a team into int16 (OUTCOME_SIZE,)."""
    row[RESULT] = state[_RESULT + lane]
    row[OWN_SCORE] = state[cell_index(_SCORE + team * STRIDE, lane)]
    row[OTHER_SCORE] = state[cell_index(_SCORE + (1 - team) * STRIDE, lane)]
    row[OWN_POINTS] = state[cell_index(_CARD_POINTS + team * STRIDE, lane)]
    row[OWN_TRICKS] = state[cell_index(_TRICKS + team * STRIDE, lane)]
    row[OWN_PLAYS] = 1 if state[_TEAM + lane] == team else 0


@kernel
def sample_deals(
    state: Block, first: int, seed: int, rules: KwajongenCoreRules, seating: Seating,
    observer: Int64Array, match_calls: Flag, hands: Int64Array, keys: Int64Array,
) -> int:  # fmt: skip
    """Draw the hidden cards of the deals `first` to `first + LANES - 1`; keep those that match.

    Args:
        state: a block.
        first, seed: the deals.
        rules, seating: the players, by place.
        observer: int64 (OBSERVER_SIZE,).
        match_calls: 1 if the places before must pass with their cards, 0 if they may hold any.
        hands: int64 (SEATS * LANES,), filled with the hands of the deals that are kept.
        keys: int64 (LANES,), filled with their keys.

    Returns:
        The number of deals kept; -1 if a policy made an illegal choice.
    """
    own, upcard = observer[OBSERVER_PLACE], observer[OBSERVED_UPCARD]
    for lane in range(LANES):
        key = rng.derive_deal_key(seed, first + lane)
        keys[lane] = key
        left = PACK & ~(observer[OBSERVER_HAND] | upcard)
        for place in range(SEATS):
            hand = observer[OBSERVER_HAND]
            if place != own:
                given = upcard if place == DEALER_PLACE else 0
                size = TRICKS - 1 if place == DEALER_PLACE else TRICKS
                drawn = draw_cards(left, size, key, rng.DEAL + place * _DRAWS_PER_HAND)
                left ^= drawn
                hand = drawn | given
            hands[SEATS * lane + place] = hand
    if match_calls == 0 or own == 0:
        return LANES
    fill_deals(state, LANES, seating, observer, hands, keys)
    run_accepting(state, LANES, rules, seating, np.empty(0, np.int64), 0, own)
    if has_illegal_choice(state, LANES):
        return -1
    kept = 0
    for lane in range(LANES):
        if state[SENDER + lane] < 0:
            keys[kept] = keys[lane]
            for place in range(SEATS):
                hands[SEATS * kept + place] = hands[SEATS * lane + place]
            kept += 1
    return kept


@kernel
def play_out_calls(
    state: Block, lanes: int, rules: KwajongenCoreRules, seating: Seating, observer: Int64Array,
    hands: Int64Array, keys: Int64Array, outcomes: Int16Array,
) -> bool:  # fmt: skip
    """Pass, and play, in each of the deals, and finish the rounds.

    Args:
        state: a block.
        lanes: deals, as `sample_deals` left them in `hands` and `keys`.
        rules, seating: the players, by place.
        observer: int64 (OBSERVER_SIZE,).
        hands, keys: the deals.
        outcomes: int16 (OPTION_COUNT, lanes, OUTCOME_SIZE), filled.

    Returns:
        False if a policy made an illegal choice.
    """
    own = observer[OBSERVER_PLACE]
    team = own % 2
    log = np.empty(0, np.int64)
    for option in range(OPTION_COUNT):
        fill_deals(state, lanes, seating, observer, hands, keys)
        for i in range(pad_lanes(lanes)):
            if option == PLAY_OPTION:
                state[SENDER + i] = own
                state[STILL_CALLING + i] = 0
        if option == PASS_OPTION:
            run_accepting(state, lanes, rules, seating, log, own + 1, SEATS)
        finish_rounds(state, lanes, rules, seating, log)
        if has_illegal_choice(state, lanes):
            return False
        for i in range(lanes):
            write_outcome(state, i, team, outcomes[option, state[ORIGINAL_LANE + i]])
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

    known: Int64Array
    dealt: Int64Array
    caller: Place
    must_match_calls: Flag
    plays: Int64Array
    cards: Int64Array


@block_loop
def replay_plays(
    state: Block, lanes: int, turn: KwajongenCardTurn, rules: KwajongenCoreRules,
    seating: Seating, hands: Int64Array, keys: Int64Array,
) -> None:  # fmt: skip
    """Replay the deals up to the turn."""
    fill_deals(state, lanes, seating, turn.known, hands, keys)
    for i in range(pad_lanes(lanes)):
        state[SENDER + i] = turn.caller
        state[STILL_CALLING + i] = 0
    prepare_play(state, lanes, rules)
    for number in range(turn.plays.shape[0]):
        trick, position = number // SEATS, number % SEATS
        for i in range(pad_lanes(lanes)):
            put_card(state, i, position, turn.plays[number])
        if position == SEATS - 1:
            record_trick(state, lanes, seating, trick)
            finish_trick(state, lanes)


@block_loop
def _infer_knowledge(
    state: Block, turn: KwajongenCardTurn, rules: KwajongenCoreRules, seating: Seating,
    knowledge: Int64Array,
) -> int:  # fmt: skip
    """Fill the knowledge of the hidden cards, by position; return the leader's place."""
    replay_plays(state, 1, turn, rules, seating, turn.dealt, np.zeros(1, np.int64))
    trick, position = turn.plays.shape[0] // SEATS, turn.plays.shape[0] % SEATS
    infer_during_play(state, 0, trick, position, knowledge)
    return int(state[LEADER])


@scalar
def _write_hands(
    turn: KwajongenCardTurn, layouts: Int64Array, layout: int, leader: Place, hands: Int64Array,
    number: int,
) -> None:  # fmt: skip
    """Write the hands of a layout by place, natural coding, all four cards of each."""
    trump = suit_of(turn.known[OBSERVED_UPCARD])
    for place in range(SEATS):
        held = to_natural_order(
            layouts[cell_index(layout * HOLDER_COUNT, (place - leader) % SEATS)], trump
        )
        hands[cell_index(number * SEATS, place)] = held | turn.dealt[place]


@kernel
def list_hidden_hands(
    turn: KwajongenCardTurn, limit: int, rules: KwajongenCoreRules, seating: Seating,
    hands: Int64Array,
) -> int:  # fmt: skip
    """Write every layout that agrees with the plays, if there are no more than `limit`.

    Args:
        turn: the round.
        limit: the greatest number of layouts.
        rules, seating: the rules and the players by place.
        hands: int64 (4 * limit,), filled with the dealt hands by place, natural coding.

    Returns:
        Their number, or -1 if more than `limit`.
    """
    known, layouts = np.empty(KNOWLEDGE_SIZE, np.int64), np.empty(HOLDER_COUNT * limit, np.int64)
    leader = _infer_knowledge(allocate_inner_block(), turn, rules, seating, known)
    found = enumerate_layouts(known, limit, layouts)
    for layout in range(found):
        _write_hands(turn, layouts, layout, leader, hands, layout)
    return found


@kernel
def draw_hidden_hands(
    turn: KwajongenCardTurn, first: int, seed: int, rules: KwajongenCoreRules, seating: Seating,
    hands: Int64Array, keys: Int64Array,
) -> bool:  # fmt: skip
    """Draw layouts that agree with the plays, each equally likely.

    Args:
        turn: the round.
        first, seed: the draws, `first` to `first + LANES - 1`.
        rules, seating: the rules and the players by place.
        hands: int64 (4 * LANES,), filled with the dealt hands by place, natural coding.
        keys: int64 (LANES,), filled with the keys of the draws.

    Returns:
        False if no layout agrees.
    """
    known, layout = np.empty(KNOWLEDGE_SIZE, np.int64), np.empty(HOLDER_COUNT, np.int64)
    leader = _infer_knowledge(allocate_inner_block(), turn, rules, seating, known)
    for lane in range(LANES):
        keys[lane] = rng.derive_deal_key(seed, first + lane)
        if sample_layouts(known, 1, keys[lane], layout) == 0:
            return False
        _write_hands(turn, layout, 0, leader, hands, lane)
    return True


@kernel
def replay_calls(
    state: Block, lanes: int, turn: KwajongenCardTurn, rules: KwajongenCoreRules,
    seating: Seating, hands: Int64Array, keys: Int64Array, matches: Int64Array,
) -> bool:  # fmt: skip
    """Mark the deals in which the others would have called as they did.

    Args:
        state: a block.
        lanes: deals, no more than LANES.
        turn, rules, seating: the round, the rules and the players by place.
        hands, keys: the deals, as filled by `draw_hidden_hands`.
        matches: int64 (lanes,), filled with 1 or 0.

    Returns:
        False if a policy made an illegal choice.
    """
    own, log = turn.known[OBSERVER_PLACE], np.empty(0, np.int64)
    fill_deals(state, lanes, seating, turn.known, hands, keys)
    run_accepting(state, lanes, rules, seating, log, 0, min(own, turn.caller + 1))
    run_accepting(state, lanes, rules, seating, log, own + 1, turn.caller + 1)
    sender = -1 if turn.caller == own else turn.caller
    for i in range(lanes):
        matches[i] = 1 if state[SENDER + i] == sender else 0
    return not has_illegal_choice(state, lanes)


@kernel
def play_out_cards(
    state: Block, lanes: int, turn: KwajongenCardTurn, rules: KwajongenCoreRules,
    seating: Seating, hands: Int64Array, keys: Int64Array, outcomes: Int16Array,
) -> bool:  # fmt: skip
    """Play each legal card in each of the deals, and finish the rounds.

    Args:
        state: a block.
        lanes: deals, no more than LANES.
        turn, rules, seating: the round, the rules and the players by place.
        hands, keys: the deals, as filled by `draw_hidden_hands`.
        outcomes: int16 (lanes, cards, OUTCOME_SIZE), filled.

    Returns:
        False if a policy made an illegal choice.
    """
    trick, position = turn.plays.shape[0] // SEATS, turn.plays.shape[0] % SEATS
    team = turn.known[OBSERVER_PLACE] % 2
    for option in range(turn.cards.shape[0]):
        replay_plays(state, lanes, turn, rules, seating, hands, keys)
        for i in range(pad_lanes(lanes)):
            put_card(state, i, position, turn.cards[option])
        play_tricks(state, lanes, rules, seating, trick, position + 1)
        score_rounds(state, lanes)
        fill_play_columns(state, lanes)
        if has_illegal_choice(state, lanes):
            return False
        for i in range(lanes):
            write_outcome(state, i, team, outcomes[i, option])
    return True
