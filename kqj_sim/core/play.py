"""From the calls to the cards: who holds what, and eight tricks."""

from __future__ import annotations

from typing import Any

from kqj_sim.core import rng
from kqj_sim.core.asking import FOLLOW, LEAD, ask
from kqj_sim.core.bits import ALL_TRUMPS, NO_TRUMP, PACK, TOP_LANE, by_strength, lowest_bit
from kqj_sim.core.compile import scalar, stage
from kqj_sim.core.lanes import exchange, pair_lanes
from kqj_sim.core.points import ALL_TRUMPS_PLANES, NO_TRUMP_PLANES, SUIT_PLANES
from kqj_sim.core.rules import Rules
from kqj_sim.core.state import (
    AT_TABLE,
    AUCTION_ROWS,
    BEFORE,
    CARDS,
    CLIMBING,
    CONTRACT,
    DEALT,
    EXTRA,
    FIVE,
    GIVEN,
    HAND,
    KEY,
    LEADER,
    PLAYED,
    PLAYERS,
    POINTS,
    SCRATCH,
    SEATS,
    SENDER,
    SENDER_TEAM,
    STRIDE,
    TAKING_ROWS,
    TRICKS,
    TRUMPS,
    TURNED,
    WON,
    history,
    index,
    padded,
    team_of,
)
from kqj_sim.core.trick import after_trick, put_last_cards

_TAKEN = SCRATCH + 2 * STRIDE
"""1 where there is a Sender."""


@stage
def taken_first(state: Any, lanes: int, auction: int) -> int:
    """Exchange lanes so that those with a Sender come first; how many they are."""
    for i in range(lanes):
        state[_TAKEN + i] = 1 if state[SENDER + i] >= 0 else 0
    taken, pairs = pair_lanes(state, lanes, _TAKEN)
    exchange(state, pairs, 0, AUCTION_ROWS if auction else TAKING_ROWS)
    return taken


@scalar
def _one_of_three(cards: int, number: int) -> int:
    """The card with the number 0, 1 or 2 (from the lowest) of three."""
    cards = cards & (cards - 1) if number >= 1 else cards
    cards = cards & (cards - 1) if number >= 2 else cards
    return lowest_bit(cards)


@stage
def complete_hands(state: Any, lanes: int, sender_takes_return: int) -> None:
    """Give out the remaining cards: eight for each place in DEALT, natural coding.

    The Sender takes the Return; unless he is the dealer himself, he gives the dealer one random
    card of his three in its place.  In auctions (`sender_takes_return` 0) there is no Return: the
    card is one of the dealer's.
    """
    n = padded(lanes)
    for i in range(n):
        state[GIVEN + i] = state[TURNED + i]
    for place in range(SEATS - 1):
        hand = DEALT + place * STRIDE
        five = FIVE + place * STRIDE
        extra = EXTRA + place * STRIDE
        for i in range(n):
            three = state[index(extra, i)]
            turned_up = state[TURNED + i]
            number = rng.below(rng.draw(state[KEY + i], rng.DEAL + 18), 3)
            given = _one_of_three(three, number)
            takes = (state[SENDER + i] == place) & (sender_takes_return != 0)
            state[index(hand, i)] = state[index(five, i)] | three ^ (
                given | turned_up if takes else 0
            )
            state[GIVEN + i] = given if takes else state[GIVEN + i]
    for i in range(n):
        state[DEALT + (SEATS - 1) * STRIDE + i] = (
            state[FIVE + (SEATS - 1) * STRIDE + i]
            | state[EXTRA + (SEATS - 1) * STRIDE + i]
            | state[GIVEN + i]
        )


@stage
def prepare_play(state: Any, lanes: int) -> None:
    """Everything that the first trick needs, from DEALT, SENDER and CONTRACT."""
    n = padded(lanes)
    for i in range(n):
        contract = state[CONTRACT + i]
        all_trumps = contract == ALL_TRUMPS
        no_trump = contract == NO_TRUMP
        state[TRUMPS + i] = 0 if all_trumps or no_trump else TOP_LANE
        state[CLIMBING + i] = PACK if all_trumps else (0 if no_trump else TOP_LANE)
        state[PLAYED + i] = 0
        state[BEFORE + i] = 0
        state[WON + i] = 0
        state[WON + STRIDE + i] = 0
        state[LEADER + i] = 0
        players = state[PLAYERS + i]
        sender = state[SENDER + i]
        state[AT_TABLE + i] = players
        state[SENDER_TEAM + i] = team_of(players, sender if sender >= 0 else 0)
    for plane in range(5):
        suit, no_trump_plane = SUIT_PLANES[plane], NO_TRUMP_PLANES[plane]
        all_trumps_plane = ALL_TRUMPS_PLANES[plane]
        points = POINTS + plane * STRIDE
        for i in range(n):
            contract = state[CONTRACT + i]
            without_suit = all_trumps_plane if contract == ALL_TRUMPS else no_trump_plane
            state[index(points, i)] = without_suit if contract >= NO_TRUMP else suit
    for place in range(SEATS):
        dealt = DEALT + place * STRIDE
        held = HAND + place * STRIDE
        for i in range(n):
            contract = state[CONTRACT + i]
            hand = by_strength(state[index(dealt, i)], contract if contract >= 0 else 0)
            state[index(dealt, i)] = hand
            state[index(held, i)] = hand


@stage
def play_tricks(
    state: Any, lanes: int, rules: Rules, table: Any, first_trick: int, first_position: int
) -> None:
    """The tricks from a position of one on; the last is forced and always played whole."""
    position = first_position
    for trick in range(first_trick, TRICKS - 1):
        while position < SEATS:
            member = LEAD if position == 0 else FOLLOW
            ask(table, member, state, lanes, trick, position, rules.teams, 0)
            position += 1
        position = 0
        remember(state, lanes, table, trick)
        after_trick(state, lanes)
    put_last_cards(state, lanes)
    remember(state, lanes, table, TRICKS - 1)
    after_trick(state, lanes)


@scalar
def remember(state: Any, lanes: int, table: Any, trick: int) -> None:
    """Keep the leader and the cards of a trick, if that is wanted."""
    if table.memory != 0:
        for i in range(lanes):
            state[index(history(trick, 0), i)] = state[LEADER + i]
        for position in range(SEATS):
            for i in range(lanes):
                card = state[index(CARDS + position * STRIDE, i)]
                state[index(history(trick, 1 + position), i)] = card
