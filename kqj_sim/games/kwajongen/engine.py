"""Rounds of Kwajongen, one after another, in the block of KQJ's engine (docs/kwajongen_rules.md).

A round takes some hundred nanoseconds, so there are no loops over lanes as in KQJ: each function
plays in one lane.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kqj_sim.core import block as b
from kqj_sim.core import cards as c
from kqj_sim.core import dispatch, rng, round
from kqj_sim.core import trick as tr
from kqj_sim.core import types as t
from kqj_sim.core.bidding import log_call
from kqj_sim.core.deal import PAIRS, TRIPLES, count_subsets, deposit
from kqj_sim.core.jit import block_loop, kernel, scalar
from kqj_sim.core.views import AcceptView
from kqj_sim.engines import Engine
from kqj_sim.games.kwajongen import KWAJONGEN_COLUMNS, KwajongenRules
from kqj_sim.games.kwajongen import cards as k
from kqj_sim.simulation.recording import RecordingBlock

DEALT_FOUR = b.FIRST_FIVE
"""The four cards of each place, natural coding; the upcard is one of the dealer's."""

CARD = dispatch.LEAD
"""The group of a seating's entries for cards, led or not (`core.dispatch`)."""


@scalar
def read_upcard(state: t.Block, lane: t.Lane) -> t.Card:
    """Return the dealer's card that was turned up in a lane, by strength."""
    return k.to_strength_order(state[b.UPCARD + lane], state[b.CONTRACT + lane])


GROUP_SIZES = (2, 2, 2, 2, 2, 2, 1, 3)
"""Sizes of the groups of cards in the order drawn: two pairs a place, the upcard, the dealer's
other three."""
SUBSET_COUNTS = count_subsets(GROUP_SIZES, 24)

_PACKED_TEAMS = sum((seat % k.TEAMS) << b.PLAYER_BITS * seat for seat in range(k.SEATS))
_ALL_PLAYERS = (1 << k.SEATS * b.PLAYER_BITS) - 1


@scalar
def rotate_players(players: t.PackedPlayers, position: t.Position) -> t.PackedPlayers:
    """Return packed players counted from a position onwards."""
    shift = b.PLAYER_BITS * position
    turned = (players >> shift) | (players << (k.SEATS * b.PLAYER_BITS - shift))
    return turned & _ALL_PLAYERS


@scalar
def _draw_subset(key: int, group: int) -> np.uint64:
    """Return the number of the cards that a group gets of those that are left."""
    drawn = rng.draw(key, rng.DEAL + group)
    return np.uint64(rng.scale_below(drawn, SUBSET_COUNTS[group]))


@block_loop
def deal_cards(state: t.Block, lane: t.Lane) -> None:
    """Deal a round: DEALT_FOUR and UPCARD from KEY."""
    key, left = state[b.KEY + lane], k.PACK
    for place in range(k.SEATS - 1):
        two = deposit(PAIRS[_draw_subset(key, 2 * place)], left)
        left ^= two
        more = deposit(PAIRS[_draw_subset(key, 2 * place + 1)], left)
        left ^= more
        state[b.cell_index(DEALT_FOUR + place * b.STRIDE, lane)] = two | more
    card = deposit(1 << np.int64(_draw_subset(key, 6)), left)
    left ^= card
    state[b.UPCARD + lane] = card
    three = deposit(TRIPLES[_draw_subset(key, 7)], left)
    state[DEALT_FOUR + (k.SEATS - 1) * b.STRIDE + lane] = card | three


@block_loop
def begin_round(state: t.Block, lane: t.Lane, seating: t.Seating) -> None:
    """Seat the players of a dealt round, before the first call."""
    # The upcard's suit is the trump suit, whether a place accepts or not.
    state[b.CONTRACT + lane] = k.suit_of(state[b.UPCARD + lane])
    state[b.SENDER + lane] = -1
    state[b.AMOUNT + lane] = 0
    state[b.CAPOT + lane] = 0
    state[b.STAKE + lane] = 1
    state[b.CALL_COUNT + lane] = 0
    state[b.ORIGINAL_LANE + lane] = lane
    seats = _PACKED_TEAMS | round.pack_policies(seating.seats)
    state[b.PLAYERS + lane] = rotate_players(
        seats & _ALL_PLAYERS, (state[b.DEALER + lane] + 1) % k.SEATS
    )


@scalar
def _ask(
    seating: t.Seating, loop: int, state: t.Block, lane: t.Lane, first: int, second: int, rules:
    t.Rules, number: int,
) -> None:  # fmt: skip
    dispatch.call_loop(
        seating.loop_addresses[loop * t.MAX_POLICIES + number], state, lane, first, second,
        rules.teams, rules.variant, number, seating.parameters, seating.resources,
    )  # fmt: skip


def make_ask_accept(asking: dispatch.Asking) -> dispatch.AskLoop:
    """Return the function that asks a place of the calling."""
    choose, read_parameters, read_resource, _, checked = asking

    def ask_accept(
        block_pointer: t.Int64Pointer, lane: t.Lane, place: t.Place, unused: int, teams: int,
        must_trump: t.Flag, number: int, parameter_table: t.Float64Pointer, resources:
        t.Int64Pointer,
    ) -> None:  # fmt: skip
        state = dispatch.view_block(block_pointer)
        trump = state[b.CONTRACT + lane]
        hand = state[b.cell_index(DEALT_FOUR + place * b.STRIDE, lane)]
        view = AcceptView(
            k.to_strength_order(hand, trump), read_upcard(state, lane), k.TRUMP_SUIT, trump, place,
            state[b.PENDING + lane], state[b.PLAYERS + lane], teams,
            rng.draw_32(state[b.KEY + lane], rng.CALL + place),
        )  # fmt: skip
        values = read_parameters(dispatch.view_parameters(parameter_table), number)
        call = choose(view, values, read_resource(resources, number), lane)
        if checked:
            call = dispatch.check_choice(state, lane, call, call == 0 or call == 1, 0)
        state[b.CALL + lane] = 1 if call else 0

    return ask_accept


@block_loop
def ask_call(
    state: t.Block, lane: t.Lane, rules: t.Rules, seating: t.Seating, place: t.Place
) -> None:
    """Ask a place whether it plays: CALL is 1, or 0 for a pass."""
    _ask(
        seating,
        dispatch.ACCEPT,
        state,
        lane,
        place,
        0,
        rules,
        b.policy_of(state[b.PLAYERS + lane], place),
    )


LOG_PASS, LOG_PLAY = range(2)
"""Kinds of logged calls (`core.bidding.log_call`)."""


@block_loop
def run_calls(
    state: t.Block, lane: t.Lane, rules: t.Rules, seating: t.Seating, log: t.Int64Array,
    first_place:
    t.Place, end: t.Place,
) -> None:  # fmt: skip
    """Ask the places `first_place` to `end - 1` in turn, until one plays."""
    for place in range(first_place, end):
        if state[b.SENDER + lane] >= 0:
            break
        ask_call(state, lane, rules, seating, place)
        plays = state[b.CALL + lane] == 1
        if log.shape[0] > 0:
            log_call(state, log, lane, place, LOG_PLAY if plays else LOG_PASS, 0)
        if plays:
            state[b.SENDER + lane] = place


@scalar
def find_legal_cards(
    state: t.Block, lane: t.Lane, position: t.Position, must_trump: t.Flag
) -> t.CardSet:
    """Return the cards that a position of a lane may play."""
    hand = tr.read_hand(state, lane, position)
    return hand if position == 0 else k.legal_cards(hand, state[b.LED + lane], must_trump)


@scalar
def put_card(state: t.Block, lane: t.Lane, position: t.Position, card: t.Card) -> None:
    """Put the card of a position on the table."""
    state[b.cell_index(b.TRICK_CARDS + position * b.STRIDE, lane)] = card
    if position == 0:
        led = k.suit_mask_of(card)
        state[b.LED + lane] = led
        state[b.WINNING + lane] = tr.winning_cards(led, k.TRUMP_SUIT, card)
        state[b.MASTER_SHIFT + lane] = 0
    else:
        tr.update_trick(state, lane, position, card)


def make_ask_card(asking: dispatch.Asking) -> dispatch.AskLoop:
    """Return the function that asks a position of a trick."""
    choose, read_parameters, read_resource, _, checked = asking

    def ask_card(
        block_pointer: t.Int64Pointer, lane: t.Lane, trick: int, position: t.Position, teams: int,
        must_trump: t.Flag, number: int, parameter_table: t.Float64Pointer, resources:
        t.Int64Pointer,
    ) -> None:  # fmt: skip
        state = dispatch.view_block(block_pointer)
        legal = find_legal_cards(state, lane, position, must_trump)
        leads = position == 0
        partner = not leads and tr.has_partner_as_master(state, lane, position)
        view = tr.card_view(
            state, lane, tr.read_hand(state, lane, position), legal, trick, position,
            0 if leads else state[b.LED + lane],
            -1 if leads else state[b.WINNING + lane],
            0 if leads else tr.read_master(state, lane), 1 if partner else 0,
            tr.read_trick(state, lane, position), read_upcard(state, lane), teams,
        )  # fmt: skip
        values = read_parameters(dispatch.view_parameters(parameter_table), number)
        card = choose(view, values, read_resource(resources, number), lane)
        if checked:
            card = dispatch.check_card(state, lane, card, legal)
        put_card(state, lane, position, card)

    return ask_card


@block_loop
def ask_card(
    state: t.Block,
    lane: t.Lane,
    rules: t.Rules,
    seating: t.Seating,
    trick: int,
    position: t.Position,
) -> None:
    """Ask a position of a trick and put its card on the table."""
    number = b.policy_of(state[b.PLAYERS_BY_POSITION + lane], position)
    _ask(seating, CARD, state, lane, trick, position, rules, number)


@block_loop
def finish_trick(
    state: t.Block, lane: t.Lane, rules: t.Rules, seating: t.Seating, trick: int
) -> None:
    """Give the trick to its winner and turn the positions so that the winner leads next."""
    led = state[b.LED + lane]
    players = state[b.PLAYERS_BY_POSITION + lane]
    shift = state[b.MASTER_SHIFT + lane]
    if seating.keeps_history != 0:
        state[b.cell_index(b.history_offset(trick, 0), lane)] = state[b.LEADER + lane]
    cards = 0
    for position in range(k.SEATS):
        card = state[b.cell_index(b.TRICK_CARDS + position * b.STRIDE, lane)]
        cards |= card
        state[b.cell_index(b.HAND + position * b.STRIDE, lane)] ^= card
        if position > 0:
            voids = k.find_voids(card, led, rules.variant) << (5 + (c.trailing_zeros(led) >> 4))
            players |= voids << b.PLAYER_BITS * position
        if seating.keeps_history != 0:
            state[b.cell_index(b.history_offset(trick, 1 + position), lane)] = card
    state[b.PLAYED_CARDS + lane] |= cards
    state[b.cell_index(b.WON_CARDS + b.team_at(players, shift) * b.STRIDE, lane)] |= cards
    winner = shift // b.PLAYER_BITS
    state[b.LEADER + lane] = (state[b.LEADER + lane] + winner) % k.SEATS
    state[b.PLAYERS_BY_POSITION + lane] = rotate_players(players, winner)
    for _ in range(winner):
        leaders = state[b.HAND + lane]
        for position in range(k.SEATS - 1):
            state[b.cell_index(b.HAND + position * b.STRIDE, lane)] = tr.read_hand(
                state, lane, position + 1
            )
        state[b.HAND + (k.SEATS - 1) * b.STRIDE + lane] = leaders


POINTS_OF_RANK = (0, 0, 1, 2, 3, 4)
"""By rank, 9 T J Q K A, in every suit."""
CARD_POINT_PLANES = c.make_point_planes(*[POINTS_OF_RANK] * 4)


@block_loop
def prepare_play(state: t.Block, lane: t.Lane) -> None:
    """Fill the rows that the first trick needs, from DEALT_FOUR, SENDER and CONTRACT."""
    state[b.TRUMPS + lane] = k.TRUMP_SUIT
    state[b.MUST_BEAT + lane] = 0
    round.seat_at_first_trick(state, lane)
    for plane in range(c.PLANE_COUNT):
        state[b.cell_index(b.POINT_PLANES + plane * b.STRIDE, lane)] = CARD_POINT_PLANES[plane]
    for place in range(k.SEATS):
        natural = state[b.cell_index(DEALT_FOUR + place * b.STRIDE, lane)]
        cards = k.to_strength_order(natural, state[b.CONTRACT + lane])
        state[b.cell_index(b.DEALT + place * b.STRIDE, lane)] = cards
        state[b.cell_index(b.HAND + place * b.STRIDE, lane)] = cards


@block_loop
def play_tricks(
    state: t.Block, lane: t.Lane, rules: t.Rules, seating: t.Seating, first_trick: int,
    first_position: t.Position,
) -> None:  # fmt: skip
    """Play the tricks from a position of one on; in the last nobody has a choice."""
    position = first_position
    for trick in range(first_trick, k.TRICKS):
        while position < k.SEATS:
            if trick == k.TRICKS - 1:
                put_card(state, lane, position, tr.read_hand(state, lane, position))
            else:
                ask_card(state, lane, rules, seating, trick, position)
            position += 1
        position = 0
        finish_trick(state, lane, rules, seating, trick)


MADE, FAILED, TIE, PASSED_OUT = range(4)

_COLUMN_NUMBERS = {column.name: number for number, column in enumerate(KWAJONGEN_COLUMNS)}


def column_offset(name: str) -> t.RowOffset:
    """Return the offset of a column's row."""
    return b.COLUMN_ROWS + _COLUMN_NUMBERS[name] * b.STRIDE


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
def _count_trumps(state: t.Block, lane: t.Lane, place: t.Place) -> int:
    hand = state[b.cell_index(DEALT_FOUR + place * b.STRIDE, lane)]
    return c.popcount(k.to_strength_order(hand, state[b.CONTRACT + lane]) & k.TRUMP_SUIT)


@block_loop
def fill_columns(state: t.Block, lane: t.Lane) -> None:
    """Fill the columns of a round that was played or passed out."""
    dealer, sender, raised = state[b.DEALER + lane], state[b.SENDER + lane], state[b.PENDING + lane]
    taken = sender >= 0
    calling = state[b.SENDER_TEAM + lane] if taken else 0
    for team in range(k.TEAMS):
        won = state[b.cell_index(b.WON_CARDS + team * b.STRIDE, lane)] if taken else 0
        state[b.cell_index(CARD_POINTS + team * b.STRIDE, lane)] = k.count_card_points(won)
        state[b.cell_index(TRICKS_WON + team * b.STRIDE, lane)] = c.popcount(won) // k.SEATS
    own, other = calling * b.STRIDE + lane, (1 - calling) * b.STRIDE + lane
    own_points = state[b.cell_index(CARD_POINTS, own)]
    other_points = state[b.cell_index(CARD_POINTS, other)]
    own_tricks = state[b.cell_index(TRICKS_WON, own)]
    other_tricks = state[b.cell_index(TRICKS_WON, other)]
    own_score = k.score_change(own_points, other_points, own_tricks, True, raised) if taken else 0
    other_score = (
        k.score_change(other_points, own_points, other_tricks, False, raised) if taken else 0
    )
    state[b.cell_index(ROUND_SCORE, own)] = own_score
    state[b.cell_index(ROUND_SCORE, other)] = other_score
    result = FAILED * (own_points < other_points) + TIE * (own_points == other_points)
    state[RESULT_ROW + lane] = result if taken else PASSED_OUT
    state[CALLING_TEAM + lane] = calling if taken else -1
    state[_DEALER + lane] = dealer
    state[_TAKEN + lane] = 1 if taken else 0
    state[_PLACE + lane] = sender
    state[_SENDER + lane] = (sender + dealer + 1) % k.SEATS if taken else -1
    state[_TRUMP + lane] = state[b.CONTRACT + lane]
    state[_TURNED_RANK + lane] = c.trailing_zeros(state[b.UPCARD + lane]) & 15
    state[_OWN_POINTS + lane] = own_points
    state[_OTHER_POINTS + lane] = other_points
    state[_OWN_TRICKS + lane] = own_tricks
    state[_CAPOT_CONTRACTING + lane] = 1 if own_tricks == k.TRICKS else 0
    state[_CAPOT_DEFENDING + lane] = 1 if other_tricks == k.TRICKS else 0
    state[_RAISED + lane] = raised
    # After a round that nobody plays the next is raised.
    state[_PENDING_AFTER + lane] = 0 if taken else 1
    state[_SENDER_TRUMPS + lane] = _count_trumps(state, lane, sender) if taken else -1
    state[_DEALER_TRUMPS + lane] = _count_trumps(state, lane, k.SEATS - 1)
    state[_OWN_SCORE + lane] = own_score
    state[_OTHER_SCORE + lane] = other_score
    for seat in range(k.SEATS):
        team = b.team_of(state[b.PLAYERS + lane], (seat + k.SEATS - 1 - dealer) % k.SEATS)
        state[b.cell_index(_TEAM_OF_SEAT + seat * b.STRIDE, lane)] = team


@block_loop
def finish_round(state: t.Block, lane: t.Lane, rules: t.Rules, seating: t.Seating) -> None:
    """Play the round if a place accepted, and fill its columns."""
    if state[b.SENDER + lane] >= 0:
        prepare_play(state, lane)
        play_tricks(state, lane, rules, seating, 0, 0)
    fill_columns(state, lane)


@kernel
def play_rounds(
    state: t.Block, lanes: int, rules: t.Rules, seating: t.Seating, log: t.Int64Array
) -> int:
    """Deal, call, play and score: the only stage of a round (`core.round`)."""
    for lane in range(lanes):
        deal_cards(state, lane)
        begin_round(state, lane, seating)
        run_calls(state, lane, rules, seating, log, 0, k.SEATS)
        finish_round(state, lane, rules, seating)
    return lanes


@kernel
def advance(state: t.Block, slots: t.Int64Array, lanes: int, rules: t.Rules) -> None:
    """Update the games in the slots after a round: a played one moves the deal on."""
    for lane in range(lanes):
        taken = state[b.SENDER + lane] >= 0
        for team in range(k.TEAMS):
            slots[lane, round.SCORE + team] += state[
                b.cell_index(ROUND_SCORE + team * b.STRIDE, lane)
            ]
            if slots[lane, round.SCORE + team] <= rules.target:
                slots[lane, round.WINNER] = team
        slots[lane, round.PENDING_NEXT] = state[_PENDING_AFTER + lane]
        slots[lane, round.NEXT_DEALER] = (state[b.DEALER + lane] + taken) % k.SEATS
        slots[lane, round.PLAYED_ROUNDS] += taken
        slots[lane, round.ROUND] += 1


# Rounds of Kwajongen as records.


class KwajongenRecordingBlock(RecordingBlock):
    """A block of rounds of Kwajongen."""

    call_names = ("pass", "play")
    result_names = ("made", "failed", "tie", "passed_out")

    def _get_game_keys(self, lane: int, taken: bool, contract: int) -> dict[str, Any]:
        dealt = [self._format_cards(cards) for cards in self._read_places(b.FIRST_FIVE, lane)]
        return {
            "game": "kwajongen",
            "dealt": self._order_by_seat(dealt, lane),
            "turned": self._format_cards(self._read_row(b.UPCARD, lane))[0],
            "amount": None,
            "capot": False,
            "stake": 1,
            "bonuses": [],
            "totals": self._read_team_values("card_points", lane),
            "gratuities": [0] * self.experiment.rules.team_count,
            "pending_before": self._read_column("raised", lane),
        }


# Kwajongen in the engine: its rules as numbers, and the kernels that a round runs.


def _encode_rules(rules: KwajongenRules) -> t.Rules:
    return round.NO_RULES._replace(
        seats=rules.seats,
        start_score=rules.start_score,
        target=rules.target,
        variant=int(rules.void_rule == "must_trump"),
        teams=rules.team_count,
    )


ENGINE = Engine(
    KwajongenRules,
    k.PACK,
    _encode_rules,
    {
        dispatch.ACCEPT: ("kwajongen_accept", make_ask_accept),
        CARD: ("kwajongen_card", make_ask_card),
    },
    lambda rules, imposed: ([dispatch.ACCEPT, CARD], (play_rounds,)),
    lambda rules: (),
    advance,
)
