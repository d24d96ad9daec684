"""The trick: what may be played, who is master, who wins.

Hands are coded by strength, so one formula serves every contract: the cards that would become
master are those of the suit led and the trumps above the master.

A turn to play: what the player sees in his lane of the block, and his card put on the table.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core import rng
from kqj_sim.core.block import (
    AMOUNT,
    CAPOT,
    CONTRACT,
    HAND,
    KEY,
    LEADER,
    LED,
    MASTER,
    MASTER_TEAM,
    MUST_BEAT,
    MUST_BEAT_LED,
    PLAYED_CARDS,
    PLAYER_BITS,
    PLAYERS_BY_POSITION,
    POINT_PLANES,
    SEATS,
    SENDER,
    SENDER_TEAM,
    STAKE,
    STRIDE,
    TRICK_CARDS,
    TRICK_SET,
    TRUMPS,
    UPCARD,
    UPPER_PLAYED_EARLIER,
    WON_CARDS,
    cell_index,
    fill_vectors,
    rotate_players,
    team_of,
    wrap_seat,
)
from kqj_sim.core.cards import SUIT_MASK, select, to_strength_order, trailing_zeros
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.views import CardView


@scalar
def suit_mask_of(card: int) -> int:
    """All twelve cards of a card's suit."""
    return SUIT_MASK << (trailing_zeros(card) & 48)


@scalar
def winning_cards(led: int, trumps: int, master: int) -> int:
    """The cards of the pack that would become master in place of `master`."""
    return (led | trumps) & -(2 * master)


@scalar
def legal_cards(hand: int, led: int, climb: int, winning: int, partner_is_master: bool) -> int:
    """The cards that may follow (RULES.md section 5).

    Args:
        hand: cards held.
        led: the lane of the suit led.
        climb: the same if one must beat in it (trump, or any suit at All-Trumps), else 0.
        winning: the cards of the pack that would become master.
        partner_is_master: whether the master is a partner's card.
    """
    following = hand & led
    better = hand & winning
    # Who cannot follow has no card in `climb` either.
    must = better if following == 0 and not partner_is_master else better & climb
    otherwise = following if following != 0 else hand
    return must if must != 0 else otherwise


@block_loop
def finish_trick(state: Any, lanes: int) -> None:
    """Give the trick to its winner and turn the positions so that he is the next leader."""
    n = fill_vectors(lanes)
    for i in range(n):
        a = state[TRICK_CARDS + i]
        b = state[TRICK_CARDS + STRIDE + i]
        c = state[TRICK_CARDS + 2 * STRIDE + i]
        d = state[TRICK_CARDS + 3 * STRIDE + i]
        e = state[TRICK_CARDS + 4 * STRIDE + i]
        f = state[TRICK_CARDS + 5 * STRIDE + i]
        master = state[MASTER + i]
        led = state[LED + i]
        winner = 1 if b == master else 0
        winner = 2 if c == master else winner
        winner = 3 if d == master else winner
        winner = 4 if e == master else winner
        winner = 5 if f == master else winner

        cards = state[TRICK_SET + i]
        team = state[MASTER_TEAM + i]
        state[WON_CARDS + i] |= cards if team == 0 else 0
        state[WON_CARDS + STRIDE + i] |= cards if team == 1 else 0
        played = state[PLAYED_CARDS + i] | cards
        state[PLAYED_CARDS + i] = played
        state[UPPER_PLAYED_EARLIER + i] |= (played >> 1) & ~played

        void = 1 << (5 + (trailing_zeros(led) >> 4))
        players = state[PLAYERS_BY_POSITION + i]
        players |= void << PLAYER_BITS if b & led == 0 else 0
        players |= void << 2 * PLAYER_BITS if c & led == 0 else 0
        players |= void << 3 * PLAYER_BITS if d & led == 0 else 0
        players |= void << 4 * PLAYER_BITS if e & led == 0 else 0
        players |= void << 5 * PLAYER_BITS if f & led == 0 else 0
        state[PLAYERS_BY_POSITION + i] = rotate_players(players, winner)

        state[LEADER + i] = wrap_seat(state[LEADER + i] + winner, SEATS)

        a ^= state[HAND + i]
        b ^= state[HAND + STRIDE + i]
        c ^= state[HAND + 2 * STRIDE + i]
        d ^= state[HAND + 3 * STRIDE + i]
        e ^= state[HAND + 4 * STRIDE + i]
        f ^= state[HAND + 5 * STRIDE + i]
        odd = winner & 1 != 0
        u = b if odd else a
        v = c if odd else b
        w = d if odd else c
        x = e if odd else d
        y = f if odd else e
        z = a if odd else f
        two = winner & 2 != 0
        four = winner & 4 != 0
        state[HAND + i] = y if four else (w if two else u)
        state[HAND + STRIDE + i] = z if four else (x if two else v)
        state[HAND + 2 * STRIDE + i] = u if four else (y if two else w)
        state[HAND + 3 * STRIDE + i] = v if four else (z if two else x)
        state[HAND + 4 * STRIDE + i] = w if four else (u if two else y)
        state[HAND + 5 * STRIDE + i] = x if four else (v if two else z)


@scalar
def _beat_master(master: int, card: int, led: int, trumps: int) -> int:
    """The master after one more card."""
    return card if card & winning_cards(led, trumps, master) != 0 else master


@block_loop
def play_last_trick(state: Any, lanes: int) -> None:
    """The cards of the last trick, in which nobody has a choice."""
    n = fill_vectors(lanes)
    for i in range(n):
        trumps = state[TRUMPS + i]
        a = state[HAND + i]
        b = state[HAND + STRIDE + i]
        c = state[HAND + 2 * STRIDE + i]
        d = state[HAND + 3 * STRIDE + i]
        e = state[HAND + 4 * STRIDE + i]
        f = state[HAND + 5 * STRIDE + i]
        led = suit_mask_of(a)
        master = _beat_master(a, b, led, trumps)
        master = _beat_master(master, c, led, trumps)
        master = _beat_master(master, d, led, trumps)
        master = _beat_master(master, e, led, trumps)
        master = _beat_master(master, f, led, trumps)
        players = state[PLAYERS_BY_POSITION + i]
        team = team_of(players, 0)
        team = team_of(players, 1) if master == b else team
        team = team_of(players, 2) if master == c else team
        team = team_of(players, 3) if master == d else team
        team = team_of(players, 4) if master == e else team
        team = team_of(players, 5) if master == f else team
        state[MASTER + i] = master
        state[MASTER_TEAM + i] = team
        state[LED + i] = led
        state[TRICK_SET + i] = a | b | c | d | e | f
        state[TRICK_CARDS + i] = a
        state[TRICK_CARDS + STRIDE + i] = b
        state[TRICK_CARDS + 2 * STRIDE + i] = c
        state[TRICK_CARDS + 3 * STRIDE + i] = d
        state[TRICK_CARDS + 4 * STRIDE + i] = e
        state[TRICK_CARDS + 5 * STRIDE + i] = f


@scalar
def _select_won_cards(team: int, played: int, won_0: int, won_1: int) -> int:
    """The cards won by a team."""
    won_2 = played & ~(won_0 | won_1)
    return (won_0 & -(team == 0)) | (won_1 & -(team == 1)) | (won_2 & -(team == 2))


@scalar
def read_upcard(state: Any, lane: int) -> int:
    """The Return of a lane by strength; 0 with auctions."""
    return (
        0
        if state[AMOUNT + lane] > 0
        else to_strength_order(state[UPCARD + lane], state[CONTRACT + lane])
    )


@scalar
def lead_view(state: Any, lane: int, trick: int, teams: int) -> CardView:
    """What the leader of a lane sees."""
    players = state[PLAYERS_BY_POSITION + lane]
    hand = state[HAND + lane]
    place = state[LEADER + lane]
    team = team_of(players, 0)
    contracting = state[SENDER_TEAM + lane]
    played, won, too = (
        state[PLAYED_CARDS + lane],
        state[WON_CARDS + lane],
        state[WON_CARDS + STRIDE + lane],
    )
    return CardView(
        hand,
        hand,
        trick,
        0,
        0,
        state[TRUMPS + lane],
        state[MUST_BEAT + lane],
        -1,
        0,
        0,
        0,
        played,
        _select_won_cards(team, played, won, too),
        _select_won_cards(contracting, played, won, too),
        read_upcard(state, lane),
        state[POINT_PLANES + lane],
        state[POINT_PLANES + STRIDE + lane],
        state[POINT_PLANES + 2 * STRIDE + lane],
        state[POINT_PLANES + 3 * STRIDE + lane],
        state[POINT_PLANES + 4 * STRIDE + lane],
        players,
        place,
        state[SENDER + lane],
        1 if contracting == team else 0,
        state[CONTRACT + lane],
        state[AMOUNT + lane],
        state[CAPOT + lane],
        state[STAKE + lane],
        teams,
        rng.draw_for_card(state[KEY + lane], trick, place),
    )


@scalar
def read_hand(state: Any, lane: int, position: int) -> int:
    """The cards in the hand of a position of a lane."""
    return state[cell_index(HAND + position * STRIDE, lane)]


@scalar
def follow_view(
    state: Any, lane: int, hand: int, trick: int, position: int, teams: int
) -> CardView:
    """What a following position (1 to 5) of a lane sees, who holds a hand."""
    players = state[PLAYERS_BY_POSITION + lane]
    leader = state[LEADER + lane]
    place = wrap_seat(leader + position, SEATS)
    led = state[LED + lane]
    trumps = state[TRUMPS + lane]
    master = state[MASTER + lane]
    team = team_of(players, position)
    winning = winning_cards(led, trumps, master)
    partner = state[MASTER_TEAM + lane] == team
    legal = legal_cards(hand, led, state[MUST_BEAT_LED + lane], winning, partner)
    contracting = state[SENDER_TEAM + lane]
    played, won, too = (
        state[PLAYED_CARDS + lane],
        state[WON_CARDS + lane],
        state[WON_CARDS + STRIDE + lane],
    )
    return CardView(
        hand,
        legal,
        trick,
        position,
        led,
        trumps,
        state[MUST_BEAT + lane],
        winning,
        master,
        1 if partner else 0,
        state[TRICK_SET + lane],
        played,
        _select_won_cards(team, played, won, too),
        _select_won_cards(contracting, played, won, too),
        read_upcard(state, lane),
        state[POINT_PLANES + lane],
        state[POINT_PLANES + STRIDE + lane],
        state[POINT_PLANES + 2 * STRIDE + lane],
        state[POINT_PLANES + 3 * STRIDE + lane],
        state[POINT_PLANES + 4 * STRIDE + lane],
        players,
        leader,
        state[SENDER + lane],
        1 if contracting == team else 0,
        state[CONTRACT + lane],
        state[AMOUNT + lane],
        state[CAPOT + lane],
        state[STAKE + lane],
        teams,
        rng.draw_for_card(state[KEY + lane], trick, place),
    )


@scalar
def find_legal_cards(state: Any, lane: int, trick: int, position: int, teams: int) -> int:
    """The cards that a position of a lane may play."""
    if position == 0:
        return lead_view(state, lane, trick, teams).legal
    return follow_view(state, lane, read_hand(state, lane, position), trick, position, teams).legal


@scalar
def put_lead(state: Any, lane: int, card: int) -> None:
    """Put the leader's card on the table."""
    led = suit_mask_of(card)
    state[TRICK_CARDS + lane] = card
    state[TRICK_SET + lane] = card
    state[LED + lane] = led
    state[MUST_BEAT_LED + lane] = led & state[MUST_BEAT + lane]
    state[MASTER + lane] = card
    state[MASTER_TEAM + lane] = team_of(state[PLAYERS_BY_POSITION + lane], 0)


@scalar
def put_follow(state: Any, lane: int, position: int, card: int) -> None:
    """Put the card of a following position (1 to 5) on the table."""
    state[cell_index(TRICK_CARDS + position * STRIDE, lane)] = card
    update_trick(state, lane, position, card)


@scalar
def update_trick(state: Any, lane: int, position: int, card: int) -> None:
    """What the card of a following position means for the trick."""
    master = state[MASTER + lane]
    wins = card & winning_cards(state[LED + lane], state[TRUMPS + lane], master) != 0
    team = team_of(state[PLAYERS_BY_POSITION + lane], position)
    state[TRICK_SET + lane] |= card
    state[MASTER + lane] = select(wins, card, master)
    state[MASTER_TEAM + lane] = select(wins, team, state[MASTER_TEAM + lane])
