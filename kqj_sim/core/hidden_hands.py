"""Worlds: hands of the other players that agree with what one player knows, drawn uniformly.

What is known of the hidden cards stands in one int64 array of `KNOWLEDGE_SIZE` numbers, per player
(by place or by position, as the caller likes): how many cards each holds, and which he cannot hold.
Who knows and plays himself is a player without hidden cards.

Where at most one player is bound by this, worlds are dealt directly.  Else a Markov chain goes from
world to world: two players at a time deal anew, uniformly, the cards that both may hold, and three
or more hand on a card in a circle.  Each of these keeps the uniform distribution.  Together they
reach every world: give each card an arrow from its owner in one world to its owner in the other,
and the arrows fall into circles, each of which leads to a world on its own; a circle through a
player who may hold every card can be taken in smaller steps.

What a player knows of the others' hands, from the plays and the Return, for `core.worlds`.

The plays tell of hands, since RULES.md section 5 obliges players to follow and to beat.  Hands only
lose cards, so what a player once did not have he never has.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core import rng
from kqj_sim.core.block import (
    HAND,
    LEADER,
    MUST_BEAT,
    PLAYED_CARDS,
    PLAYERS,
    SEATS,
    SENDER,
    STRIDE,
    TRICK_CARDS,
    TRICK_SET,
    TRICKS,
    TRUMPS,
    cell_index,
    history_offset,
    team_of,
)
from kqj_sim.core.cards import PACK, highest_bit, lowest_bit, popcount
from kqj_sim.core.deal import deposit
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.trick import read_upcard, suit_mask_of, winning_cards

HOLDER_COUNT = SEATS
"""Holders of hidden cards; in Kwajongen one of them stands for the cards that stay out."""
_GROUPS = (1 << HOLDER_COUNT) - 1
"""Groups of players, numbered by their bits; all six are none, since they have room for all."""
_GROUPS_WITH = tuple(sum(1 << g for g in range(_GROUPS) if g >> p & 1) for p in range(HOLDER_COUNT))
"""The groups with each player, a bit a group."""

UNSEEN = 0
"""All hidden cards."""
HAND_SIZES = 1
"""How many cards each player holds; 0 for who knows."""
EXCLUDED = HAND_SIZES + HOLDER_COUNT
"""Cards that each player cannot hold."""
_FREE = EXCLUDED + HOLDER_COUNT
"""Hidden cards that more than one player may hold."""
_BOUND = _FREE + 1
"""Players who cannot hold some of these, a bit a player."""
_FORCED = _BOUND + 1
"""Cards that a player alone can hold."""
_ROOM = _FORCED + HOLDER_COUNT
"""How many of the others each player holds."""
_LAYOUT = _ROOM + HOLDER_COUNT
"""The world in hand, without the fixed cards."""
_BEFORE = _LAYOUT + HOLDER_COUNT
_TIGHT = _BEFORE + HOLDER_COUNT
"""The groups without slack."""
_SLACK = _TIGHT + 1
"""The room of each group less the cards that must come to one of its players."""
KNOWLEDGE_SIZE = _SLACK + _GROUPS
"""Numbers of an array of what is known; those from `_FREE` on are the functions' own."""

_FEW_CARDS = 12
"""With no more hidden cards than this it is tried whether there are few worlds."""
_BURN_IN_SWEEPS = 12
"""Rounds of the chain before the first world."""
_THINNING_SWEEPS = 2
"""Rounds of the chain from one world to the next."""
_DRAWS_PER_STEP = 8
"""Draws that a step may use."""


@scalar
def draw_subset(cards: int, size: int, key: int, counter: int) -> int:
    """A uniformly random subset of a set; uses `size` draws from `counter` on, or fewer."""
    count = popcount(cards)
    smaller = min(size, count - size)
    left = cards
    for k in range(smaller):
        number = rng.scale_below(rng.draw(key, rng.HIDDEN_HAND + counter + k), count - k)
        left ^= deposit(1 << number, left)
    return left if smaller < size else cards ^ left


@block_loop
def _separate_forced_cards(knowledge: Any) -> None:
    """Set apart the cards that one player alone can hold, and note who is bound by the others."""
    unseen = knowledge[UNSEEN]
    free = unseen
    for player in range(HOLDER_COUNT):
        alone = unseen & ~knowledge[EXCLUDED + player]
        for other in range(HOLDER_COUNT):
            if other != player:
                alone &= knowledge[EXCLUDED + other] if knowledge[HAND_SIZES + other] > 0 else -1
        knowledge[_FORCED + player] = alone
        knowledge[_ROOM + player] = knowledge[HAND_SIZES + player] - popcount(alone)
        free &= ~alone
    knowledge[_FREE] = free
    bound = 0
    for player in range(HOLDER_COUNT):
        binds = knowledge[_ROOM + player] > 0 and knowledge[EXCLUDED + player] & free != 0
        bound |= 1 << player if binds else 0
    knowledge[_BOUND] = bound


@scalar
def _groups_holding(knowledge: Any, card: int) -> int:
    """The groups that have all players who may hold a card."""
    groups = -1
    for player in range(HOLDER_COUNT):
        groups &= _GROUPS_WITH[player] if knowledge[EXCLUDED + player] & card == 0 else -1
    return groups


@block_loop
def _reset_layout(knowledge: Any) -> bool:
    """Nobody has got a free card; whether any world agrees with what is known.

    Every group must have room for the cards that only its players may hold (Hall's theorem).
    """
    possible = True
    tight = 0
    for group in range(_GROUPS):
        only = knowledge[_FREE]
        room = 0
        for player in range(HOLDER_COUNT):
            within = (group >> player) & 1 != 0
            room += knowledge[_ROOM + player] if within else 0
            only &= -1 if within else knowledge[EXCLUDED + player]
        slack = room - popcount(only)
        knowledge[_SLACK + group] = slack
        tight |= 1 << group if slack == 0 else 0
        possible &= slack >= 0
    knowledge[_TIGHT] = tight
    nobodys = knowledge[_FREE]
    room = 0
    for player in range(HOLDER_COUNT):
        knowledge[_LAYOUT + player] = 0
        nobodys &= knowledge[EXCLUDED + player]
        room += knowledge[_ROOM + player]
    return possible and nobodys == 0 and room == popcount(knowledge[_FREE])


@scalar
def _can_assign(knowledge: Any, card: int, player: int) -> bool:
    """Whether the cards that are not yet given can still be, if a player gets a card."""
    short = knowledge[_TIGHT] & _GROUPS_WITH[player] & ~_groups_holding(knowledge, card)
    return (knowledge[EXCLUDED + player] & card) | short == 0


@block_loop
def _assign_card(knowledge: Any, card: int, player: int, times: int) -> None:
    """Give a player a card that fits, or with times = -1 take it back."""
    takes_room = _GROUPS_WITH[player] & ~_groups_holding(knowledge, card)
    tight = 0
    for group in range(_GROUPS):
        slack = knowledge[_SLACK + group] - times * ((takes_room >> group) & 1)
        knowledge[_SLACK + group] = slack
        tight |= 1 << group if slack == 0 else 0
    knowledge[_TIGHT] = tight
    knowledge[_LAYOUT + player] ^= card


@scalar
def _write_layout(knowledge: Any, layouts: Any, number: int) -> None:
    """Put the world in hand into its place."""
    for player in range(HOLDER_COUNT):
        layouts[cell_index(number * HOLDER_COUNT, player)] = (
            knowledge[_LAYOUT + player] | knowledge[_FORCED + player]
        )


@block_loop
def _enumerate_free_cards(knowledge: Any, limit: int, layouts: Any) -> int:
    """`enumerate_layouts` after `_separate_forced_cards`.

    The next card goes to the first player whom it fits, and back if everything was tried behind it.
    """
    if not _reset_layout(knowledge):
        return 0
    free = knowledge[_FREE]
    left = free
    card = lowest_bit(left)
    player = 0
    found = 0
    while True:
        if card == 0:
            if found == limit:
                return -1
            _write_layout(knowledge, layouts, found)
            found += 1
            player = HOLDER_COUNT
        while player < HOLDER_COUNT and not _can_assign(knowledge, card, player):
            player += 1
        if player < HOLDER_COUNT:
            _assign_card(knowledge, card, player, 1)
            left ^= card
            card = lowest_bit(left)
            player = 0
        elif left == free:
            return found
        else:
            card = highest_bit(free ^ left)
            player = 0
            while knowledge[_LAYOUT + player] & card == 0:
                player += 1
            _assign_card(knowledge, card, player, -1)
            left ^= card
            player += 1


@block_loop
def enumerate_layouts(knowledge: Any, limit: int, layouts: Any) -> int:
    """Write every world, if there are few.

    Args:
        knowledge: int64 (KNOWLEDGE_SIZE,): UNSEEN, HAND_SIZES and EXCLUDED.
        limit: the most worlds that are written.
        layouts: int64 (6 * limit,), filled with the hands of the players, a world after another.

    Returns:
        How many worlds there are, or -1 if more than `limit`; they are different.
    """
    _separate_forced_cards(knowledge)
    return _enumerate_free_cards(knowledge, limit, layouts)


@block_loop
def _deal_with_one_bound(knowledge: Any, key: int, counter: int) -> None:
    """A random world where at most one player is bound: he gets his cards first.

    Whatever he gets, the number of ways to deal the rest is the same.
    """
    bound = knowledge[_BOUND]
    player = 0 if bound == 0 else popcount(bound - 1)
    left = knowledge[_FREE]
    for turn in range(HOLDER_COUNT):
        may = left & ~knowledge[EXCLUDED + player]
        hand = draw_subset(may, knowledge[_ROOM + player], key, counter + _DRAWS_PER_STEP * turn)
        knowledge[_LAYOUT + player] = hand
        left ^= hand
        player = player + 1 if player + 1 < HOLDER_COUNT else 0


@block_loop
def _build_first_layout(knowledge: Any, key: int) -> None:
    """Some world: each card to the first player whom it fits, from a random one on."""
    _reset_layout(knowledge)
    left = knowledge[_FREE]
    counter = 0
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        player = rng.scale_below(rng.draw(key, rng.HIDDEN_HAND + counter), HOLDER_COUNT)
        while not _can_assign(knowledge, card, player):
            player = player + 1 if player + 1 < HOLDER_COUNT else 0
        _assign_card(knowledge, card, player, 1)
        counter += 1


@scalar
def _redeal_pair(knowledge: Any, one: int, other: int, key: int, counter: int) -> None:
    """Two players deal anew the cards that both may hold."""
    mine, his = knowledge[_LAYOUT + one], knowledge[_LAYOUT + other]
    both = (mine | his) & ~(knowledge[EXCLUDED + one] | knowledge[EXCLUDED + other])
    kept = mine & both
    if kept != 0 and kept != both:
        hand = draw_subset(both, popcount(kept), key, counter)
        knowledge[_LAYOUT + one] = (mine & ~both) | hand
        knowledge[_LAYOUT + other] = (his & ~both) | (both ^ hand)


@scalar
def _draw_one(cards: int, key: int, counter: int) -> int:
    """One of a set, drawn."""
    return deposit(
        1 << rng.scale_below(rng.draw(key, rng.HIDDEN_HAND + counter), popcount(cards)), cards
    )


@block_loop
def _pass_around(knowledge: Any, key: int, counter: int) -> None:
    """Three or more bound players in a random circle each hand on a card to the next.

    Each draws it from those that the next may hold.  The way back may be likelier or less likely
    than the way there, which the chance to take the step makes up for (Metropolis and Hastings).
    """
    left = knowledge[_BOUND]
    players = popcount(left)
    if players < 3:
        return
    for player in range(HOLDER_COUNT):
        knowledge[_BEFORE + player] = knowledge[_LAYOUT + player]
    length = 3 + rng.scale_below(rng.draw(key, rng.HIDDEN_HAND + counter), players - 2)
    ways, ways_back = 1, 1
    start = _draw_one(left, key, counter + 1)
    left ^= start
    first = popcount(start - 1)
    giver, giver_before = first, first
    for k in range(1, length + 1):
        receiver = first
        if k < length:
            taker = _draw_one(left, key, counter + 1 + k)
            left ^= taker
            receiver = popcount(taker - 1)
        may = knowledge[_BEFORE + giver] & ~knowledge[EXCLUDED + receiver]
        ways *= popcount(may)
        if ways == 0:
            break
        card = _draw_one(may, key, counter + _DRAWS_PER_STEP + k)
        knowledge[_LAYOUT + giver] ^= card
        knowledge[_LAYOUT + receiver] |= card
        if k > 1:
            ways_back *= popcount(knowledge[_LAYOUT + giver] & ~knowledge[EXCLUDED + giver_before])
        giver_before = giver
        giver = receiver
    ways_back *= popcount(knowledge[_LAYOUT + first] & ~knowledge[EXCLUDED + giver_before])
    chance = rng.to_fraction(rng.draw(key, rng.HIDDEN_HAND + counter + 2 * _DRAWS_PER_STEP - 1))
    if chance * ways_back >= ways:
        for player in range(HOLDER_COUNT):
            knowledge[_LAYOUT + player] = knowledge[_BEFORE + player]


@block_loop
def _run_chain(knowledge: Any, rounds: int, key: int, counter: int) -> int:
    """Rounds of the chain: all pairs of players, and a circle; the counter after them."""
    for _ in range(rounds):
        for one in range(HOLDER_COUNT - 1):
            for other in range(one + 1, HOLDER_COUNT):
                _redeal_pair(knowledge, one, other, key, counter)
                counter += _DRAWS_PER_STEP
        _pass_around(knowledge, key, counter)
        counter += 2 * _DRAWS_PER_STEP
    return counter


@block_loop
def sample_layouts(knowledge: Any, number: int, key: int, layouts: Any) -> int:
    """Draw worlds, each equally likely; if there are no more than `number`, write every one once.

    That is noticed where few cards are hidden.

    Args:
        knowledge: int64 (KNOWLEDGE_SIZE,): UNSEEN, HAND_SIZES and EXCLUDED.
        number: how many worlds are wanted.
        key: key of the draws; the same key gives the same worlds.
        layouts: int64 (6 * number,), filled with the hands of the players, a world after another.

    Returns:
        How many worlds were written; 0 if none agrees with what is known.
    """
    _separate_forced_cards(knowledge)
    if not _reset_layout(knowledge):
        return 0
    if popcount(knowledge[_FREE]) <= _FEW_CARDS:
        found = _enumerate_free_cards(knowledge, number, layouts)
        if found >= 0:
            return found
    bound = knowledge[_BOUND]
    if bound & (bound - 1) == 0:
        for world in range(number):
            _deal_with_one_bound(knowledge, key, world * HOLDER_COUNT * _DRAWS_PER_STEP)
            _write_layout(knowledge, layouts, world)
        return number
    _build_first_layout(knowledge, key)
    counter = _run_chain(knowledge, _BURN_IN_SWEEPS, key, HOLDER_COUNT * _DRAWS_PER_STEP)
    for world in range(number):
        _write_layout(knowledge, layouts, world)
        counter = _run_chain(knowledge, _THINNING_SWEEPS, key, counter)
    return number


@scalar
def exclude_by_trick(
    knowledge: Any, rows: Any, cards: int, stride: int, count: int, leader: int, players: int,
    trumps: int, climbing: int,
) -> None:  # fmt: skip
    """Add to EXCLUDED, by place, what a trick tells of those who played to it.

    A player who can follow must follow, who must beat and can must beat: so a follower whose card
    did not has none of the cards that he would have had to choose from.

    Args:
        knowledge: what is known.
        rows: the array that has the cards in the order played.
        cards, stride: index of the first card, and from a card to the next.
        count: how many cards were played.
        leader: place of the leader.
        players: teams of the places (`core.block.team_of`).
        trumps, climbing: as in `core.views.CardView`.
    """
    if count == 0:
        return
    master = rows[cell_index(cards, 0)]
    led = suit_mask_of(master)
    place = leader
    team = team_of(players, place)
    for k in range(1, count):
        place = place + 1 if place + 1 < SEATS else 0
        card = rows[cell_index(cards, k * stride)]
        own = team_of(players, place)
        winning = winning_cards(led, trumps, master)
        follows = card & led != 0
        if card & winning != 0:
            master = card
            team = own
        elif follows:
            knowledge[EXCLUDED + place] |= winning & led & climbing
        elif team != own:
            knowledge[EXCLUDED + place] |= winning
        if not follows:
            knowledge[EXCLUDED + place] |= led


@scalar
def assign_to_holder(knowledge: Any, player: int, cards: int) -> None:
    """Note that a player certainly holds cards: everybody else lacks them."""
    for other in range(HOLDER_COUNT):
        if other != player:
            knowledge[EXCLUDED + other] |= cards


@block_loop
def infer_knowledge(state: Any, lane: int, trick: int, position: int, knowledge: Any) -> None:
    """Fill UNSEEN, and HAND_SIZES and EXCLUDED by place, with what who is to play in a lane knows.

    The finished tricks must have been kept (`core.block.TRICK_HISTORY`).
    """
    leader = state[LEADER + lane]
    own = (leader + position) % SEATS
    hand = state[cell_index(HAND + position * STRIDE, lane)]
    on_table = state[TRICK_SET + lane] if position > 0 else 0
    unseen = PACK & ~(hand | state[PLAYED_CARDS + lane] | on_table)
    knowledge[UNSEEN] = unseen
    for place in range(SEATS):
        behind_leader = (place - leader) % SEATS
        knowledge[HAND_SIZES + place] = TRICKS - trick - (behind_leader < position)
        knowledge[EXCLUDED + place] = 0
    knowledge[HAND_SIZES + own] = 0
    knowledge[EXCLUDED + own] = -1
    players, trumps, climbing = state[PLAYERS + lane], state[TRUMPS + lane], state[MUST_BEAT + lane]
    for finished in range(trick):
        exclude_by_trick(
            knowledge, state, history_offset(finished, 1) + lane, STRIDE, SEATS,
            state[cell_index(history_offset(finished, 0), lane)], players, trumps, climbing,
        )  # fmt: skip
    exclude_by_trick(
        knowledge, state, TRICK_CARDS + lane, STRIDE, position, leader, players, trumps, climbing
    )
    assign_to_holder(knowledge, state[SENDER + lane], read_upcard(state, lane) & unseen)
