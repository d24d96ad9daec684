"""The trick: legal cards, the view of the player to move, and who wins.

Hands are coded by strength, so one formula serves every contract: the cards that beat the master
are those of the suit led and the trumps above it.
"""

from __future__ import annotations

from kqj_sim.core import rng
from kqj_sim.core import types as t
from kqj_sim.core.block import (
    AMOUNT,
    CAPOT,
    CONTRACT,
    HAND,
    KEY,
    LEADER,
    LED,
    MASTER_SHIFT,
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
    TRUMPS,
    UPCARD,
    UPPER_PLAYED_EARLIER,
    WINNING,
    WON_CARDS,
    cell_index,
    fill_vectors,
    rotate_players,
    team_at,
    team_of,
    wrap_seat,
)
from kqj_sim.core.cards import SUIT_MASK, select, to_strength_order, trailing_zeros
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.views import CardView


@scalar
def suit_mask_of(card: t.Card) -> t.SuitMask:
    """Return all cards of a card's suit."""
    return SUIT_MASK << (trailing_zeros(card) & 48)


@scalar
def winning_cards(led: t.SuitMask, trumps: t.CardSet, master: t.Card) -> t.CardSet:
    """Return the cards of the pack that would become master in place of `master`."""
    return (led | trumps) & -(2 * master)


@scalar
def legal_cards(
    hand: t.CardSet,
    led: t.SuitMask,
    must_beat: t.SuitMask,
    winning: t.CardSet,
    partner_is_master: bool,
) -> t.CardSet:
    """Return the cards that may follow (docs/rules.md, section 5).

    `must_beat` is the suit led if one must beat in it (trump, or any suit at All-Trumps), else 0;
    `winning` are the cards of the pack that would become master.
    """
    following = hand & led
    better = hand & winning
    # A player who cannot follow has no card in `must_beat` either.
    must = better if following == 0 and not partner_is_master else better & must_beat
    otherwise = following if following != 0 else hand
    return must if must != 0 else otherwise


@scalar
def _is_void(card: t.Card, led: t.SuitMask) -> t.Flag:
    """Return 1 if a follower who plays a card lacks the suit led."""
    return 1 if card & led == 0 else 0


@block_loop
def finish_trick(state: t.Block, lanes: int) -> None:
    """Give the trick to its winner and turn the positions so that the winner leads next."""
    n = fill_vectors(lanes)
    for i in range(n):
        a = state[TRICK_CARDS + i]
        b = state[TRICK_CARDS + STRIDE + i]
        c = state[TRICK_CARDS + 2 * STRIDE + i]
        d = state[TRICK_CARDS + 3 * STRIDE + i]
        e = state[TRICK_CARDS + 4 * STRIDE + i]
        f = state[TRICK_CARDS + 5 * STRIDE + i]
        led = state[LED + i]
        shift = state[MASTER_SHIFT + i]
        winner = shift & 7  # The low bits of nine times a position are the position.
        players = state[PLAYERS_BY_POSITION + i]

        cards = a | b | c | d | e | f
        team = team_at(players, shift)
        state[WON_CARDS + i] |= cards if team == 0 else 0
        state[WON_CARDS + STRIDE + i] |= cards if team == 1 else 0
        played = state[PLAYED_CARDS + i] | cards
        state[PLAYED_CARDS + i] = played
        state[UPPER_PLAYED_EARLIER + i] |= (played >> 1) & ~played

        voids = _is_void(b, led) << PLAYER_BITS
        voids |= _is_void(c, led) << 2 * PLAYER_BITS
        voids |= _is_void(d, led) << 3 * PLAYER_BITS
        voids |= _is_void(e, led) << 4 * PLAYER_BITS
        voids |= _is_void(f, led) << 5 * PLAYER_BITS
        players |= voids << (5 + (trailing_zeros(led) >> 4))
        state[PLAYERS_BY_POSITION + i] = rotate_players(players, shift)

        state[LEADER + i] = wrap_seat(state[LEADER + i] + winner, SEATS)

        # Rotate the hands by the three bits of `winner`.
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
def _beat_master(master: t.Card, card: t.Card, led: t.SuitMask, trumps: t.CardSet) -> t.Card:
    """Return the master after one more card, 0 for none."""
    return card if card & winning_cards(led, trumps, master) != 0 else master


@block_loop
def play_last_trick(state: t.Block, lanes: int) -> None:
    """Play the last trick, in which nobody has a choice."""
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
        shift = PLAYER_BITS if master == b else 0
        shift = 2 * PLAYER_BITS if master == c else shift
        shift = 3 * PLAYER_BITS if master == d else shift
        shift = 4 * PLAYER_BITS if master == e else shift
        shift = 5 * PLAYER_BITS if master == f else shift
        state[MASTER_SHIFT + i] = shift
        state[LED + i] = led
        state[TRICK_CARDS + i] = a
        state[TRICK_CARDS + STRIDE + i] = b
        state[TRICK_CARDS + 2 * STRIDE + i] = c
        state[TRICK_CARDS + 3 * STRIDE + i] = d
        state[TRICK_CARDS + 4 * STRIDE + i] = e
        state[TRICK_CARDS + 5 * STRIDE + i] = f


@scalar
def _select_won_cards(
    team: t.Team, played: t.CardSet, won_0: t.CardSet, won_1: t.CardSet
) -> t.CardSet:
    """Return the cards won by a team; what neither team 0 nor 1 has won is team 2's."""
    won_2 = played & ~(won_0 | won_1)
    return (won_0 & -(team == 0)) | (won_1 & -(team == 1)) | (won_2 & -(team == 2))


@scalar
def read_upcard(state: t.Block, lane: t.Lane) -> t.Card:
    """Return the Return of a lane by strength; 0 with auctions."""
    return (
        0
        if state[AMOUNT + lane] > 0
        else to_strength_order(state[UPCARD + lane], state[CONTRACT + lane])
    )


@scalar
def read_trick(state: t.Block, lane: t.Lane, position: t.Position) -> t.CardSet:
    """Return the cards of the current trick before a position played."""
    # Not as a loop: views are read in vector code.
    cards = state[TRICK_CARDS + lane] if position > 0 else 0
    cards |= state[TRICK_CARDS + STRIDE + lane] if position > 1 else 0
    cards |= state[TRICK_CARDS + 2 * STRIDE + lane] if position > 2 else 0
    cards |= state[TRICK_CARDS + 3 * STRIDE + lane] if position > 3 else 0
    cards |= state[TRICK_CARDS + 4 * STRIDE + lane] if position > 4 else 0
    return cards


@scalar
def read_master(state: t.Block, lane: t.Lane) -> t.Card:
    """Return the master of the current trick; a card must have been played."""
    shift = state[MASTER_SHIFT + lane]
    master = state[TRICK_CARDS + lane]
    master = state[TRICK_CARDS + STRIDE + lane] if shift == PLAYER_BITS else master
    master = state[TRICK_CARDS + 2 * STRIDE + lane] if shift == 2 * PLAYER_BITS else master
    master = state[TRICK_CARDS + 3 * STRIDE + lane] if shift == 3 * PLAYER_BITS else master
    master = state[TRICK_CARDS + 4 * STRIDE + lane] if shift == 4 * PLAYER_BITS else master
    return master


@scalar
def card_view(
    state: t.Block, lane: t.Lane, hand: t.CardSet, legal: t.CardSet, trick: int, position:
    t.Position, led: t.SuitMask, winning: t.CardSet, master: t.Card, partner: t.Flag, cards:
    t.CardSet, upcard: t.Card, teams: int,
) -> CardView:  # fmt: skip
    """Return the view of a position; `led` to `cards` are of the trick so far."""
    players = state[PLAYERS_BY_POSITION + lane]
    leader = state[LEADER + lane]
    team = team_of(players, position)
    contracting = state[SENDER_TEAM + lane]
    played = state[PLAYED_CARDS + lane]
    won_0, won_1 = state[WON_CARDS + lane], state[WON_CARDS + STRIDE + lane]
    return CardView(
        hand,
        legal,
        trick,
        position,
        led,
        state[TRUMPS + lane],
        state[MUST_BEAT + lane],
        winning,
        master,
        partner,
        cards,
        played,
        _select_won_cards(team, played, won_0, won_1),
        _select_won_cards(contracting, played, won_0, won_1),
        upcard,
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
        rng.draw_32_for_card(state[KEY + lane], trick, position),
    )


@scalar
def lead_view(state: t.Block, lane: t.Lane, trick: int, teams: int) -> CardView:
    """Return the view of the leader of a lane."""
    hand = state[HAND + lane]
    upcard = read_upcard(state, lane)
    return card_view(state, lane, hand, hand, trick, 0, 0, -1, 0, 0, 0, upcard, teams)


@scalar
def has_partner_as_master(state: t.Block, lane: t.Lane, position: t.Position) -> bool:
    """Return True if the master is a card of the team of a position of a lane."""
    players = state[PLAYERS_BY_POSITION + lane]
    return team_at(players, state[MASTER_SHIFT + lane]) == team_of(players, position)


@scalar
def find_following_cards(
    state: t.Block, lane: t.Lane, hand: t.CardSet, position: t.Position
) -> t.CardSet:
    """Return the cards that a following position (from 1) of a lane may play from a hand."""
    partner = has_partner_as_master(state, lane, position)
    return legal_cards(
        hand, state[LED + lane], state[MUST_BEAT_LED + lane], state[WINNING + lane], partner
    )


@scalar
def follow_view(
    state: t.Block, lane: t.Lane, hand: t.CardSet, legal: t.CardSet, trick: int, position:
    t.Position, teams: int,
) -> CardView:  # fmt: skip
    """Return the view of a following position (from 1) of a lane, with its legal cards."""
    partner = has_partner_as_master(state, lane, position)
    return card_view(
        state, lane, hand, legal, trick, position, state[LED + lane], state[WINNING + lane],
        read_master(state, lane), 1 if partner else 0, read_trick(state, lane, position),
        read_upcard(state, lane), teams,
    )  # fmt: skip


@scalar
def find_legal_cards(state: t.Block, lane: t.Lane, position: t.Position) -> t.CardSet:
    """Return the cards that a position of a lane may play."""
    hand = read_hand(state, lane, position)
    return hand if position == 0 else find_following_cards(state, lane, hand, position)


@scalar
def read_hand(state: t.Block, lane: t.Lane, position: t.Position) -> t.CardSet:
    """Return the cards in the hand of a position of a lane."""
    return state[cell_index(HAND + position * STRIDE, lane)]


@scalar
def update_trick(state: t.Block, lane: t.Lane, position: t.Position, card: t.Card) -> None:
    """Update the master of the trick by the card of a following position."""
    winning = state[WINNING + lane]
    wins = card & winning != 0
    state[WINNING + lane] = select(wins, winning & -(2 * card), winning)
    state[MASTER_SHIFT + lane] = select(wins, PLAYER_BITS * position, state[MASTER_SHIFT + lane])


@scalar
def put_lead(state: t.Block, lane: t.Lane, card: t.Card) -> None:
    """Put the leader's card on the table."""
    led = suit_mask_of(card)
    state[TRICK_CARDS + lane] = card
    state[LED + lane] = led
    state[MUST_BEAT_LED + lane] = led & state[MUST_BEAT + lane]
    state[WINNING + lane] = winning_cards(led, state[TRUMPS + lane], card)
    state[MASTER_SHIFT + lane] = 0


@scalar
def put_card(state: t.Block, lane: t.Lane, position: t.Position, card: t.Card) -> None:
    """Put the card of any position on the table."""
    if position == 0:
        put_lead(state, lane, card)
    else:
        state[cell_index(TRICK_CARDS + position * STRIDE, lane)] = card
        update_trick(state, lane, position, card)
