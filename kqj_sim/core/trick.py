"""The trick: legal cards, the view of the player to move, and who wins.

Hands are coded by strength, so one formula serves every contract: the cards that beat the master
are those of the suit led and the trumps above it.
"""

from __future__ import annotations

from kqj_sim.core import block as b
from kqj_sim.core import rng
from kqj_sim.core import types as t
from kqj_sim.core.cards import EACH_SUIT, PACK, select, to_strength_order, trailing_zeros
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.views import CardView


@scalar
def suit_mask_of(card: t.Card) -> t.SuitMask:
    """Return all cards of a card's suit."""
    # A carry out of the suit's twelve bits: few processors have vectors that count zeros.
    lowest = (card + PACK) >> 12 & EACH_SUIT
    return (lowest << 12) - lowest


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
    n = b.fill_vectors(lanes)
    # No loop over the positions: a row whose offset is a variable needs a check of addresses, and
    # LLVM accepts few of these in a vector loop.
    for i in range(n):
        c0 = state[b.TRICK_CARDS + i]
        c1 = state[b.TRICK_CARDS + b.STRIDE + i]
        c2 = state[b.TRICK_CARDS + 2 * b.STRIDE + i]
        c3 = state[b.TRICK_CARDS + 3 * b.STRIDE + i]
        c4 = state[b.TRICK_CARDS + 4 * b.STRIDE + i]
        c5 = state[b.TRICK_CARDS + 5 * b.STRIDE + i]
        led = state[b.LED + i]
        shift = state[b.MASTER_SHIFT + i]
        winner = shift & 7  # The low bits of nine times a position are the position.
        players = state[b.PLAYERS_BY_POSITION + i]

        cards = c0 | c1 | c2 | c3 | c4 | c5
        team = b.team_at(players, shift)
        state[b.WON_CARDS + i] |= cards if team == 0 else 0
        state[b.WON_CARDS + b.STRIDE + i] |= cards if team == 1 else 0
        played = state[b.PLAYED_CARDS + i] | cards
        state[b.PLAYED_CARDS + i] = played
        state[b.UPPER_PLAYED_EARLIER + i] |= (played >> 1) & ~played

        voids = _is_void(c1, led) << b.PLAYER_BITS
        voids |= _is_void(c2, led) << 2 * b.PLAYER_BITS
        voids |= _is_void(c3, led) << 3 * b.PLAYER_BITS
        voids |= _is_void(c4, led) << 4 * b.PLAYER_BITS
        voids |= _is_void(c5, led) << 5 * b.PLAYER_BITS
        players |= voids << (5 + (trailing_zeros(led) >> 4))
        state[b.PLAYERS_BY_POSITION + i] = b.rotate_players(players, shift)

        state[b.LEADER + i] = b.wrap_seat(state[b.LEADER + i] + winner, b.SEATS)

        # Hands without the cards, rotated by the three bits of `winner`.
        c0 ^= state[b.HAND + i]
        c1 ^= state[b.HAND + b.STRIDE + i]
        c2 ^= state[b.HAND + 2 * b.STRIDE + i]
        c3 ^= state[b.HAND + 3 * b.STRIDE + i]
        c4 ^= state[b.HAND + 4 * b.STRIDE + i]
        c5 ^= state[b.HAND + 5 * b.STRIDE + i]
        odd = winner & 1 != 0
        u = c1 if odd else c0
        v = c2 if odd else c1
        w = c3 if odd else c2
        x = c4 if odd else c3
        y = c5 if odd else c4
        z = c0 if odd else c5
        two = winner & 2 != 0
        four = winner & 4 != 0
        state[b.HAND + i] = y if four else (w if two else u)
        state[b.HAND + b.STRIDE + i] = z if four else (x if two else v)
        state[b.HAND + 2 * b.STRIDE + i] = u if four else (y if two else w)
        state[b.HAND + 3 * b.STRIDE + i] = v if four else (z if two else x)
        state[b.HAND + 4 * b.STRIDE + i] = w if four else (u if two else y)
        state[b.HAND + 5 * b.STRIDE + i] = x if four else (v if two else z)


@scalar
def _beat_master(master: t.Card, card: t.Card, led: t.SuitMask, trumps: t.CardSet) -> t.Card:
    """Return the master after one more card, 0 for none."""
    return card if card & winning_cards(led, trumps, master) != 0 else master


@block_loop
def play_last_trick(state: t.Block, lanes: int) -> None:
    """Play the last trick, in which nobody has a choice."""
    n = b.fill_vectors(lanes)
    for i in range(n):
        trumps = state[b.TRUMPS + i]
        c0 = state[b.HAND + i]
        c1 = state[b.HAND + b.STRIDE + i]
        c2 = state[b.HAND + 2 * b.STRIDE + i]
        c3 = state[b.HAND + 3 * b.STRIDE + i]
        c4 = state[b.HAND + 4 * b.STRIDE + i]
        c5 = state[b.HAND + 5 * b.STRIDE + i]
        led = suit_mask_of(c0)
        master = _beat_master(c0, c1, led, trumps)
        master = _beat_master(master, c2, led, trumps)
        master = _beat_master(master, c3, led, trumps)
        master = _beat_master(master, c4, led, trumps)
        master = _beat_master(master, c5, led, trumps)
        shift = b.PLAYER_BITS if master == c1 else 0
        shift = 2 * b.PLAYER_BITS if master == c2 else shift
        shift = 3 * b.PLAYER_BITS if master == c3 else shift
        shift = 4 * b.PLAYER_BITS if master == c4 else shift
        shift = 5 * b.PLAYER_BITS if master == c5 else shift
        state[b.MASTER_SHIFT + i] = shift
        state[b.LED + i] = led
        state[b.TRICK_CARDS + i] = c0
        state[b.TRICK_CARDS + b.STRIDE + i] = c1
        state[b.TRICK_CARDS + 2 * b.STRIDE + i] = c2
        state[b.TRICK_CARDS + 3 * b.STRIDE + i] = c3
        state[b.TRICK_CARDS + 4 * b.STRIDE + i] = c4
        state[b.TRICK_CARDS + 5 * b.STRIDE + i] = c5


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
        if state[b.AMOUNT + lane] > 0
        else to_strength_order(state[b.UPCARD + lane], state[b.CONTRACT + lane])
    )


@scalar
def read_trick(state: t.Block, lane: t.Lane, position: t.Position) -> t.CardSet:
    """Return the cards of the current trick before a position played."""
    # Not as a loop: views are read in vector code.
    cards = state[b.TRICK_CARDS + lane] if position > 0 else 0
    cards |= state[b.TRICK_CARDS + b.STRIDE + lane] if position > 1 else 0
    cards |= state[b.TRICK_CARDS + 2 * b.STRIDE + lane] if position > 2 else 0
    cards |= state[b.TRICK_CARDS + 3 * b.STRIDE + lane] if position > 3 else 0
    cards |= state[b.TRICK_CARDS + 4 * b.STRIDE + lane] if position > 4 else 0
    return cards


@scalar
def read_master(state: t.Block, lane: t.Lane) -> t.Card:
    """Return the master of the current trick; a card must have been played."""
    shift = state[b.MASTER_SHIFT + lane]
    master = state[b.TRICK_CARDS + lane]
    master = state[b.TRICK_CARDS + b.STRIDE + lane] if shift == b.PLAYER_BITS else master
    master = state[b.TRICK_CARDS + 2 * b.STRIDE + lane] if shift == 2 * b.PLAYER_BITS else master
    master = state[b.TRICK_CARDS + 3 * b.STRIDE + lane] if shift == 3 * b.PLAYER_BITS else master
    master = state[b.TRICK_CARDS + 4 * b.STRIDE + lane] if shift == 4 * b.PLAYER_BITS else master
    return master


@scalar
def card_view(
    state: t.Block, lane: t.Lane, hand: t.CardSet, legal: t.CardSet, trick: int, position:
    t.Position, led: t.SuitMask, winning: t.CardSet, master: t.Card, partner: t.Flag, cards:
    t.CardSet, upcard: t.Card, teams: int,
) -> CardView:  # fmt: skip
    """Return the view of a position; `led` to `cards` are of the trick so far."""
    players = state[b.PLAYERS_BY_POSITION + lane]
    leader = state[b.LEADER + lane]
    team = b.team_of(players, position)
    contracting = state[b.SENDER_TEAM + lane]
    played = state[b.PLAYED_CARDS + lane]
    won_0, won_1 = state[b.WON_CARDS + lane], state[b.WON_CARDS + b.STRIDE + lane]
    return CardView(
        hand,
        legal,
        trick,
        position,
        led,
        state[b.TRUMPS + lane],
        state[b.MUST_BEAT + lane],
        winning,
        master,
        partner,
        cards,
        played,
        _select_won_cards(team, played, won_0, won_1),
        _select_won_cards(contracting, played, won_0, won_1),
        upcard,
        state[b.POINT_PLANES + lane],
        state[b.POINT_PLANES + b.STRIDE + lane],
        state[b.POINT_PLANES + 2 * b.STRIDE + lane],
        state[b.POINT_PLANES + 3 * b.STRIDE + lane],
        state[b.POINT_PLANES + 4 * b.STRIDE + lane],
        players,
        leader,
        state[b.SENDER + lane],
        1 if contracting == team else 0,
        state[b.CONTRACT + lane],
        state[b.AMOUNT + lane],
        state[b.CAPOT + lane],
        state[b.STAKE + lane],
        teams,
        rng.draw_32_for_card(state[b.KEY + lane], trick, position),
    )


@scalar
def lead_view(state: t.Block, lane: t.Lane, trick: int, teams: int) -> CardView:
    """Return the view of the leader of a lane."""
    hand = state[b.HAND + lane]
    upcard = read_upcard(state, lane)
    return card_view(state, lane, hand, hand, trick, 0, 0, -1, 0, 0, 0, upcard, teams)


@scalar
def has_partner_as_master(state: t.Block, lane: t.Lane, position: t.Position) -> bool:
    """Return True if the master is a card of the team of a position of a lane."""
    players = state[b.PLAYERS_BY_POSITION + lane]
    return b.team_at(players, state[b.MASTER_SHIFT + lane]) == b.team_of(players, position)


@scalar
def find_following_cards(
    state: t.Block, lane: t.Lane, hand: t.CardSet, position: t.Position
) -> t.CardSet:
    """Return the cards that a following position (from 1) of a lane may play from a hand."""
    partner = has_partner_as_master(state, lane, position)
    return legal_cards(
        hand,
        state[b.LED + lane],
        state[b.MUST_BEAT_LED + lane],
        state[b.WINNING + lane],
        partner,
    )


@scalar
def follow_view(
    state: t.Block, lane: t.Lane, hand: t.CardSet, legal: t.CardSet, trick: int, position:
    t.Position, teams: int,
) -> CardView:  # fmt: skip
    """Return the view of a following position (from 1) of a lane, with its legal cards."""
    partner = has_partner_as_master(state, lane, position)
    return card_view(
        state, lane, hand, legal, trick, position, state[b.LED + lane], state[b.WINNING + lane],
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
    return state[b.cell_index(b.HAND + position * b.STRIDE, lane)]


@scalar
def update_trick(state: t.Block, lane: t.Lane, position: t.Position, card: t.Card) -> None:
    """Update the master of the trick by the card of a following position."""
    winning = state[b.WINNING + lane]
    wins = card & winning != 0
    state[b.WINNING + lane] = select(wins, winning & -(2 * card), winning)
    state[b.MASTER_SHIFT + lane] = select(
        wins, b.PLAYER_BITS * position, state[b.MASTER_SHIFT + lane]
    )


@scalar
def put_lead(state: t.Block, lane: t.Lane, card: t.Card) -> None:
    """Put the leader's card on the table."""
    led = suit_mask_of(card)
    state[b.TRICK_CARDS + lane] = card
    state[b.LED + lane] = led
    state[b.MUST_BEAT_LED + lane] = led & state[b.MUST_BEAT + lane]
    state[b.WINNING + lane] = winning_cards(led, state[b.TRUMPS + lane], card)
    state[b.MASTER_SHIFT + lane] = 0


@scalar
def put_card(state: t.Block, lane: t.Lane, position: t.Position, card: t.Card) -> None:
    """Put the card of any position on the table."""
    if position == 0:
        put_lead(state, lane, card)
    else:
        state[b.cell_index(b.TRICK_CARDS + position * b.STRIDE, lane)] = card
        update_trick(state, lane, position, card)
