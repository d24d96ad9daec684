"""Rounds of Kwajongen, one after another, in the block of KQJ's engine (docs/kwajongen_rules.md).

A round takes some hundred nanoseconds, so there are no loops over lanes as in KQJ: each function
plays in one lane.
"""

from __future__ import annotations

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.bidding import log_call
from kqj_sim.core.block import (
    AMOUNT,
    CALL,
    CALL_COUNT,
    CAPOT,
    COLUMN_ROWS,
    CONTRACT,
    DEALER,
    DEALT,
    FIRST_FIVE,
    HAND,
    KEY,
    LEADER,
    LED,
    MASTER_SHIFT,
    MUST_BEAT,
    ORIGINAL_LANE,
    PENDING,
    PLAYED_CARDS,
    PLAYER_BITS,
    PLAYERS,
    PLAYERS_BY_POSITION,
    POINT_PLANES,
    SENDER,
    SENDER_TEAM,
    STAKE,
    STRIDE,
    TRICK_CARDS,
    TRUMPS,
    UPCARD,
    WINNING,
    WON_CARDS,
    cell_index,
    history_offset,
    policy_of,
    team_at,
    team_of,
)
from kqj_sim.core.cards import (
    PLANE_COUNT,
    make_point_planes,
    popcount,
    trailing_zeros,
)
from kqj_sim.core.deal import PAIRS, TRIPLES, count_subsets, deposit
from kqj_sim.core.dispatch import (
    ACCEPT,
    LEAD,
    Asking,
    AskLoop,
    call_loop,
    check_card,
    check_choice,
    view_block,
    view_parameters,
)
from kqj_sim.core.jit import block_loop, kernel, scalar
from kqj_sim.core.play import seat_at_first_trick
from kqj_sim.core.round import (
    NEXT_DEALER,
    PENDING_NEXT,
    PLAYED_ROUNDS,
    ROUND,
    SCORE,
    WINNER,
    pack_policies,
)
from kqj_sim.core.rules import MAX_POLICIES, Rules, Seating
from kqj_sim.core.trick import (
    card_view,
    has_partner_as_master,
    read_hand,
    read_master,
    read_trick,
    update_trick,
    winning_cards,
)
from kqj_sim.core.types import (
    Block,
    Card,
    CardSet,
    Flag,
    Float64Pointer,
    Int64Array,
    Int64Pointer,
    Lane,
    PackedPlayers,
    Place,
    Position,
    RowOffset,
)
from kqj_sim.core.views import AcceptView
from kqj_sim.kwajongen.cards import (
    PACK,
    SEATS,
    TEAMS,
    TRICKS,
    TRUMP_SUIT,
    count_card_points,
    find_voids,
    legal_cards,
    score_change,
    suit_mask_of,
    suit_of,
    to_strength_order,
)
from kqj_sim.kwajongen.game import KWAJONGEN_COLUMNS

DEALT_FOUR = FIRST_FIVE
"""The four cards of each place, natural coding; the upcard is one of the dealer's."""

CARD = LEAD
"""The group of a seating's entries for cards, led or not (`core.dispatch`)."""


@scalar
def read_upcard(state: Block, lane: Lane) -> Card:
    """Return the dealer's card that was turned up in a lane, by strength."""
    return to_strength_order(state[UPCARD + lane], state[CONTRACT + lane])


GROUP_SIZES = (2, 2, 2, 2, 2, 2, 1, 3)
"""Sizes of the groups of cards in the order drawn: two pairs a place, the upcard, the dealer's
other three."""
SUBSET_COUNTS = count_subsets(GROUP_SIZES, 24)

_PACKED_TEAMS = sum((seat % TEAMS) << PLAYER_BITS * seat for seat in range(SEATS))
_ALL_PLAYERS = (1 << SEATS * PLAYER_BITS) - 1


@scalar
def rotate_players(players: PackedPlayers, position: Position) -> PackedPlayers:
    """Return packed players counted from a position onwards."""
    shift = PLAYER_BITS * position
    turned = (players >> shift) | (players << (SEATS * PLAYER_BITS - shift))
    return turned & _ALL_PLAYERS


@scalar
def _draw_subset(key: int, group: int) -> np.uint64:
    """Return the number of the cards that a group gets of those that are left."""
    drawn = rng.draw(key, rng.DEAL + group)
    return np.uint64(rng.scale_below(drawn, SUBSET_COUNTS[group]))


@block_loop
def deal_cards(state: Block, lane: Lane) -> None:
    """Deal a round: DEALT_FOUR and UPCARD from KEY."""
    key, left = state[KEY + lane], PACK
    for place in range(SEATS - 1):
        two = deposit(PAIRS[_draw_subset(key, 2 * place)], left)
        left ^= two
        more = deposit(PAIRS[_draw_subset(key, 2 * place + 1)], left)
        left ^= more
        state[cell_index(DEALT_FOUR + place * STRIDE, lane)] = two | more
    card = deposit(1 << np.int64(_draw_subset(key, 6)), left)
    left ^= card
    state[UPCARD + lane] = card
    three = deposit(TRIPLES[_draw_subset(key, 7)], left)
    state[DEALT_FOUR + (SEATS - 1) * STRIDE + lane] = card | three


@block_loop
def begin_round(state: Block, lane: Lane, seating: Seating) -> None:
    """Seat the players of a dealt round, before the first call."""
    # The upcard's suit is the trump suit, whether a place accepts or not.
    state[CONTRACT + lane] = suit_of(state[UPCARD + lane])
    state[SENDER + lane] = -1
    state[AMOUNT + lane] = 0
    state[CAPOT + lane] = 0
    state[STAKE + lane] = 1
    state[CALL_COUNT + lane] = 0
    state[ORIGINAL_LANE + lane] = lane
    seats = _PACKED_TEAMS | pack_policies(seating.seats)
    state[PLAYERS + lane] = rotate_players(seats & _ALL_PLAYERS, (state[DEALER + lane] + 1) % SEATS)


@scalar
def _ask(
    seating: Seating, loop: int, state: Block, lane: Lane, first: int, second: int, rules: Rules,
    number: int,
) -> None:  # fmt: skip
    """Ask a policy of the table, by its number, for a call or card in a lane."""
    call_loop(
        seating.loop_addresses[loop * MAX_POLICIES + number], state, lane, first, second,
        rules.teams, rules.variant, number, seating.parameters, seating.resources,
    )  # fmt: skip


def make_ask_accept(asking: Asking) -> AskLoop:
    """Return the function that asks a place of the calling."""
    choose, read_parameters, read_resource, _, checked = asking

    def ask_accept(
        block_pointer: Int64Pointer, lane: Lane, place: Place, unused: int, teams: int,
        must_trump: Flag, number: int, parameter_table: Float64Pointer, resources: Int64Pointer,
    ) -> None:  # fmt: skip
        """Ask a place whether it plays: CALL is 1, or 0 for a pass."""
        state = view_block(block_pointer)
        trump = state[CONTRACT + lane]
        hand = state[cell_index(DEALT_FOUR + place * STRIDE, lane)]
        view = AcceptView(
            to_strength_order(hand, trump), read_upcard(state, lane), TRUMP_SUIT, trump, place,
            state[PENDING + lane], state[PLAYERS + lane], teams,
            rng.draw_32(state[KEY + lane], rng.CALL + place),
        )  # fmt: skip
        values = read_parameters(view_parameters(parameter_table), number)
        call = choose(view, values, read_resource(resources, number))
        if checked:
            call = check_choice(state, lane, call, call == 0 or call == 1, 0)
        state[CALL + lane] = 1 if call else 0

    return ask_accept


@block_loop
def ask_call(state: Block, lane: Lane, rules: Rules, seating: Seating, place: Place) -> None:
    """Ask a place whether it plays: CALL is 1, or 0 for a pass."""
    _ask(seating, ACCEPT, state, lane, place, 0, rules, policy_of(state[PLAYERS + lane], place))


LOG_PASS, LOG_PLAY = range(2)
"""Kinds of logged calls (`core.bidding.log_call`)."""


@block_loop
def run_calls(
    state: Block, lane: Lane, rules: Rules, seating: Seating, log: Int64Array, first_place: Place,
    end: Place,
) -> None:  # fmt: skip
    """Ask the places `first_place` to `end - 1` in turn, until one plays."""
    for place in range(first_place, end):
        if state[SENDER + lane] >= 0:
            break
        ask_call(state, lane, rules, seating, place)
        plays = state[CALL + lane] == 1
        if log.shape[0] > 0:
            log_call(state, log, lane, place, LOG_PLAY if plays else LOG_PASS, 0)
        if plays:
            state[SENDER + lane] = place


@scalar
def find_legal_cards(state: Block, lane: Lane, position: Position, must_trump: Flag) -> CardSet:
    """Return the cards that a position of a lane may play."""
    hand = read_hand(state, lane, position)
    return hand if position == 0 else legal_cards(hand, state[LED + lane], must_trump)


@scalar
def put_card(state: Block, lane: Lane, position: Position, card: Card) -> None:
    """Put the card of a position on the table."""
    state[cell_index(TRICK_CARDS + position * STRIDE, lane)] = card
    if position == 0:
        led = suit_mask_of(card)
        state[LED + lane] = led
        state[WINNING + lane] = winning_cards(led, TRUMP_SUIT, card)
        state[MASTER_SHIFT + lane] = 0
    else:
        update_trick(state, lane, position, card)


def make_ask_card(asking: Asking) -> AskLoop:
    """Return the function that asks a position of a trick."""
    choose, read_parameters, read_resource, _, checked = asking

    def ask_card(
        block_pointer: Int64Pointer, lane: Lane, trick: int, position: Position, teams: int,
        must_trump: Flag, number: int, parameter_table: Float64Pointer, resources: Int64Pointer,
    ) -> None:  # fmt: skip
        """Ask a position of a trick and put its card on the table."""
        state = view_block(block_pointer)
        legal = find_legal_cards(state, lane, position, must_trump)
        leads = position == 0
        partner = not leads and has_partner_as_master(state, lane, position)
        view = card_view(
            state, lane, read_hand(state, lane, position), legal, trick, position,
            0 if leads else state[LED + lane],
            -1 if leads else state[WINNING + lane],
            0 if leads else read_master(state, lane),
            1 if partner else 0, read_trick(state, lane, position), read_upcard(state, lane), teams,
        )  # fmt: skip
        values = read_parameters(view_parameters(parameter_table), number)
        card = choose(view, values, read_resource(resources, number))
        if checked:
            card = check_card(state, lane, card, legal)
        put_card(state, lane, position, card)

    return ask_card


@block_loop
def ask_card(
    state: Block, lane: Lane, rules: Rules, seating: Seating, trick: int, position: Position
) -> None:
    """Ask a position of a trick and put its card on the table."""
    number = policy_of(state[PLAYERS_BY_POSITION + lane], position)
    _ask(seating, CARD, state, lane, trick, position, rules, number)


@block_loop
def finish_trick(state: Block, lane: Lane, rules: Rules, seating: Seating, trick: int) -> None:
    """Give the trick to its winner and turn the positions so that the winner leads next."""
    led = state[LED + lane]
    players = state[PLAYERS_BY_POSITION + lane]
    shift = state[MASTER_SHIFT + lane]
    if seating.keeps_history != 0:
        state[cell_index(history_offset(trick, 0), lane)] = state[LEADER + lane]
    cards = 0
    for position in range(SEATS):
        card = state[cell_index(TRICK_CARDS + position * STRIDE, lane)]
        cards |= card
        state[cell_index(HAND + position * STRIDE, lane)] ^= card
        if position > 0:
            voids = find_voids(card, led, rules.variant) << (5 + (trailing_zeros(led) >> 4))
            players |= voids << PLAYER_BITS * position
        if seating.keeps_history != 0:
            state[cell_index(history_offset(trick, 1 + position), lane)] = card
    state[PLAYED_CARDS + lane] |= cards
    state[cell_index(WON_CARDS + team_at(players, shift) * STRIDE, lane)] |= cards
    winner = shift // PLAYER_BITS
    state[LEADER + lane] = (state[LEADER + lane] + winner) % SEATS
    state[PLAYERS_BY_POSITION + lane] = rotate_players(players, winner)
    for _ in range(winner):
        leaders = state[HAND + lane]
        for position in range(SEATS - 1):
            state[cell_index(HAND + position * STRIDE, lane)] = read_hand(state, lane, position + 1)
        state[HAND + (SEATS - 1) * STRIDE + lane] = leaders


POINTS_OF_RANK = (0, 0, 1, 2, 3, 4)
"""By rank, 9 T J Q K A, in every suit."""
CARD_POINT_PLANES = make_point_planes(*[POINTS_OF_RANK] * 4)


@block_loop
def prepare_play(state: Block, lane: Lane) -> None:
    """Fill the rows that the first trick needs, from DEALT_FOUR, SENDER and CONTRACT."""
    state[TRUMPS + lane] = TRUMP_SUIT
    state[MUST_BEAT + lane] = 0
    seat_at_first_trick(state, lane)
    for plane in range(PLANE_COUNT):
        state[cell_index(POINT_PLANES + plane * STRIDE, lane)] = CARD_POINT_PLANES[plane]
    for place in range(SEATS):
        natural = state[cell_index(DEALT_FOUR + place * STRIDE, lane)]
        cards = to_strength_order(natural, state[CONTRACT + lane])
        state[cell_index(DEALT + place * STRIDE, lane)] = cards
        state[cell_index(HAND + place * STRIDE, lane)] = cards


@block_loop
def play_tricks(
    state: Block, lane: Lane, rules: Rules, seating: Seating, first_trick: int,
    first_position: Position,
) -> None:  # fmt: skip
    """Play the tricks from a position of one on; in the last nobody has a choice."""
    position = first_position
    for trick in range(first_trick, TRICKS):
        while position < SEATS:
            if trick == TRICKS - 1:
                put_card(state, lane, position, read_hand(state, lane, position))
            else:
                ask_card(state, lane, rules, seating, trick, position)
            position += 1
        position = 0
        finish_trick(state, lane, rules, seating, trick)


MADE, FAILED, TIE, PASSED_OUT = range(4)

_COLUMN_NUMBERS = {column.name: number for number, column in enumerate(KWAJONGEN_COLUMNS)}


def column_offset(name: str) -> RowOffset:
    """Return the offset of a column's row."""
    return COLUMN_ROWS + _COLUMN_NUMBERS[name] * STRIDE


RESULT_ROW = column_offset("result")
CARD_POINTS = column_offset("card_points_0")
TRICKS_WON = column_offset("tricks_0")
ROUND_SCORE = column_offset("score_0")
CALLING_TEAM = column_offset("contracting_team")
_DEALER = column_offset("dealer")
_TAKEN = column_offset("taken")
_PLACE = column_offset("place")
_SENDER = column_offset("sender")
_TRUMP = column_offset("trump")
_TURNED_RANK = column_offset("turned_rank")
_OWN_POINTS = column_offset("contracting_card_points")
_OTHER_POINTS = column_offset("defending_card_points")
_OWN_TRICKS = column_offset("contracting_tricks")
_CAPOT_CONTRACTING = column_offset("capot_contracting")
_CAPOT_DEFENDING = column_offset("capot_defending")
_RAISED = column_offset("raised")
_PENDING_AFTER = column_offset("pending_after")
_SENDER_TRUMPS = column_offset("sender_trumps")
_DEALER_TRUMPS = column_offset("dealer_trumps")
_OWN_SCORE = column_offset("contracting_score")
_OTHER_SCORE = column_offset("defending_score")
_TEAM_OF_SEAT = column_offset("team_of_seat_0")


@scalar
def _count_trumps(state: Block, lane: Lane, place: Place) -> int:
    """Return the number of trumps that were dealt to a place."""
    hand = state[cell_index(DEALT_FOUR + place * STRIDE, lane)]
    return popcount(to_strength_order(hand, state[CONTRACT + lane]) & TRUMP_SUIT)


@block_loop
def fill_columns(state: Block, lane: Lane) -> None:
    """Fill the columns of a round that was played or passed out."""
    dealer, sender, raised = state[DEALER + lane], state[SENDER + lane], state[PENDING + lane]
    taken = sender >= 0
    calling = state[SENDER_TEAM + lane] if taken else 0
    for team in range(TEAMS):
        won = state[cell_index(WON_CARDS + team * STRIDE, lane)] if taken else 0
        state[cell_index(CARD_POINTS + team * STRIDE, lane)] = count_card_points(won)
        state[cell_index(TRICKS_WON + team * STRIDE, lane)] = popcount(won) // SEATS
    own, other = calling * STRIDE + lane, (1 - calling) * STRIDE + lane
    own_points = state[cell_index(CARD_POINTS, own)]
    other_points = state[cell_index(CARD_POINTS, other)]
    own_tricks = state[cell_index(TRICKS_WON, own)]
    other_tricks = state[cell_index(TRICKS_WON, other)]
    own_score = score_change(own_points, other_points, own_tricks, True, raised) if taken else 0
    other_score = (
        score_change(other_points, own_points, other_tricks, False, raised) if taken else 0
    )
    state[cell_index(ROUND_SCORE, own)] = own_score
    state[cell_index(ROUND_SCORE, other)] = other_score
    result = FAILED * (own_points < other_points) + TIE * (own_points == other_points)
    state[RESULT_ROW + lane] = result if taken else PASSED_OUT
    state[CALLING_TEAM + lane] = calling if taken else -1
    state[_DEALER + lane] = dealer
    state[_TAKEN + lane] = 1 if taken else 0
    state[_PLACE + lane] = sender
    state[_SENDER + lane] = (sender + dealer + 1) % SEATS if taken else -1
    state[_TRUMP + lane] = state[CONTRACT + lane]
    state[_TURNED_RANK + lane] = trailing_zeros(state[UPCARD + lane]) & 15
    state[_OWN_POINTS + lane] = own_points
    state[_OTHER_POINTS + lane] = other_points
    state[_OWN_TRICKS + lane] = own_tricks
    state[_CAPOT_CONTRACTING + lane] = 1 if own_tricks == TRICKS else 0
    state[_CAPOT_DEFENDING + lane] = 1 if other_tricks == TRICKS else 0
    state[_RAISED + lane] = raised
    # After a round that nobody plays the next is raised.
    state[_PENDING_AFTER + lane] = 0 if taken else 1
    state[_SENDER_TRUMPS + lane] = _count_trumps(state, lane, sender) if taken else -1
    state[_DEALER_TRUMPS + lane] = _count_trumps(state, lane, SEATS - 1)
    state[_OWN_SCORE + lane] = own_score
    state[_OTHER_SCORE + lane] = other_score
    for seat in range(SEATS):
        team = team_of(state[PLAYERS + lane], (seat + SEATS - 1 - dealer) % SEATS)
        state[cell_index(_TEAM_OF_SEAT + seat * STRIDE, lane)] = team


@block_loop
def finish_round(state: Block, lane: Lane, rules: Rules, seating: Seating) -> None:
    """Play the round if a place accepted, and fill its columns."""
    if state[SENDER + lane] >= 0:
        prepare_play(state, lane)
        play_tricks(state, lane, rules, seating, 0, 0)
    fill_columns(state, lane)


@kernel
def play_rounds(state: Block, lanes: int, rules: Rules, seating: Seating, log: Int64Array) -> int:
    """Deal, call, play and score: the only stage of a round (`core.round`)."""
    for lane in range(lanes):
        deal_cards(state, lane)
        begin_round(state, lane, seating)
        run_calls(state, lane, rules, seating, log, 0, SEATS)
        finish_round(state, lane, rules, seating)
    return lanes


@kernel
def advance(state: Block, slots: Int64Array, lanes: int, rules: Rules) -> None:
    """Update the games in the slots after a round: a played one moves the deal on."""
    for lane in range(lanes):
        taken = state[SENDER + lane] >= 0
        for team in range(TEAMS):
            slots[lane, SCORE + team] += state[cell_index(ROUND_SCORE + team * STRIDE, lane)]
            if slots[lane, SCORE + team] <= rules.target:
                slots[lane, WINNER] = team
        slots[lane, PENDING_NEXT] = state[_PENDING_AFTER + lane]
        slots[lane, NEXT_DEALER] = (state[DEALER + lane] + taken) % SEATS
        slots[lane, PLAYED_ROUNDS] += taken
        slots[lane, ROUND] += 1
