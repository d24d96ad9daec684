"""Knowledge of the others' hidden cards: what the plays tell one player.

Knowledge is an int64 array of `core.hidden_hands.KNOWLEDGE_SIZE` numbers: for each player, by place
or by position, the number of hidden cards and the cards that the player cannot hold.  The observer
is a player without hidden cards.  Plays restrict hands, since players must follow suit and beat
(docs/rules.md, section 5); hands only lose cards, so a card once excluded stays excluded.
"""

from __future__ import annotations

from kqj_sim.core import block
from kqj_sim.core import types as t
from kqj_sim.core.block import SEATS, STRIDE, TRICKS, cell_index, history_offset, team_of
from kqj_sim.core.cards import PACK
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.trick import read_trick, read_upcard, suit_mask_of, winning_cards

HOLDER_COUNT = SEATS
"""Holders of hidden cards; in Kwajongen one of them stands for the cards that stay out."""

UNSEEN = 0
"""All hidden cards."""
HAND_SIZES = 1
"""Number of hidden cards of each player; 0 for the observer."""
EXCLUDED = HAND_SIZES + HOLDER_COUNT
"""Cards that each player cannot hold."""
PUBLIC_KNOWLEDGE_SIZE = EXCLUDED + HOLDER_COUNT
"""Entries that callers fill; the rest is scratch space of `core.hidden_hands`."""


@scalar
def exclude_by_trick(
    knowledge: t.Int64Array, rows: t.Int64Array, start: int, stride: int, count: int, leader:
    t.Place, players: t.PackedPlayers, trumps: t.CardSet, must_beat: t.CardSet,
) -> None:  # fmt: skip
    """Exclude, by place, the cards that a trick shows its players not to hold.

    Players must follow suit, and beat, if they can: a follower who did not has none of the cards
    that would have done so.

    Args:
        knowledge: the knowledge, of which EXCLUDED is updated.
        rows: array with the cards in the order played.
        start, stride: index of the first card, and distance from one card to the next.
        players: teams of the places (`core.block.team_of`).
        trumps, must_beat: rows TRUMPS and MUST_BEAT of the block.
    """
    if count == 0:
        return
    master = rows[cell_index(start, 0)]
    led = suit_mask_of(master)
    place = leader
    team = team_of(players, place)
    for k in range(1, count):
        place = place + 1 if place + 1 < SEATS else 0
        card = rows[cell_index(start, k * stride)]
        own = team_of(players, place)
        winning = winning_cards(led, trumps, master)
        follows = card & led != 0
        if card & winning != 0:
            master = card
            team = own
        elif follows:
            knowledge[EXCLUDED + place] |= winning & led & must_beat
        elif team != own:
            knowledge[EXCLUDED + place] |= winning
        if not follows:
            knowledge[EXCLUDED + place] |= led


@scalar
def assign_to_holder(knowledge: t.Int64Array, player: int, cards: t.CardSet) -> None:
    """Exclude cards that a player certainly holds for all other players."""
    for other in range(HOLDER_COUNT):
        if other != player:
            knowledge[EXCLUDED + other] |= cards


@block_loop
def infer_knowledge(
    state: t.Block, lane: t.Lane, trick: int, position: t.Position, knowledge: t.Int64Array
) -> None:
    """Fill in, by place, what the player to play in a lane knows.

    The block must hold the finished tricks (`core.block.TRICK_HISTORY`).
    """
    leader = state[block.LEADER + lane]
    own = (leader + position) % SEATS
    hand = state[cell_index(block.HAND + position * STRIDE, lane)]
    on_table = read_trick(state, lane, position)
    unseen = PACK & ~(hand | state[block.PLAYED_CARDS + lane] | on_table)
    knowledge[UNSEEN] = unseen
    for place in range(SEATS):
        behind_leader = (place - leader) % SEATS
        knowledge[HAND_SIZES + place] = TRICKS - trick - (behind_leader < position)
        knowledge[EXCLUDED + place] = 0
    knowledge[HAND_SIZES + own] = 0
    knowledge[EXCLUDED + own] = -1
    players = state[block.PLAYERS + lane]
    trumps, must_beat = state[block.TRUMPS + lane], state[block.MUST_BEAT + lane]
    for finished in range(trick):
        exclude_by_trick(
            knowledge, state, history_offset(finished, 1) + lane, STRIDE, SEATS,
            state[cell_index(history_offset(finished, 0), lane)], players, trumps, must_beat,
        )  # fmt: skip
    exclude_by_trick(
        knowledge,
        state,
        block.TRICK_CARDS + lane,
        STRIDE,
        position,
        leader,
        players,
        trumps,
        must_beat,
    )
    assign_to_holder(knowledge, state[block.SENDER + lane], read_upcard(state, lane) & unseen)
