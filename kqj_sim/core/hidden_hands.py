"""Knowledge of the others' hidden cards that plays give one player, and layouts that agree with it.

*Knowledge* is an int64 array of KNOWLEDGE_SIZE numbers: for each player, by place or by position,
the number of hidden cards and the cards that the player cannot hold.  The observer is a player
without hidden cards.  Plays restrict hands, since players must follow suit and beat (docs/rules.md,
section 5); hands only lose cards, so a card once excluded stays excluded.

A *layout* is one way to deal the hidden cards.  All layouts that agree with the knowledge are
equally likely.  If the knowledge restricts at most two players, layouts are dealt directly, the
cards of these two first.  Otherwise a Markov chain moves between them: two players at a time
redeal, uniformly, the cards that both may hold, and three or more pass on a card in a circle.
Every such step keeps the uniform distribution.  Together they reach every layout: draw an arrow for
each card from its holder in one layout to its holder in another; the arrows form circles, each of
which leads to a layout by itself, and a circle through an unrestricted player splits into smaller
steps.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from kqj_sim.core import block as b
from kqj_sim.core import rng
from kqj_sim.core import types as t
from kqj_sim.core.cards import PACK, highest_bit, lowest_bit, popcount, trailing_zeros
from kqj_sim.core.deal import deposit, draw_cards
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.trick import read_trick, read_upcard, suit_mask_of, winning_cards

HOLDER_COUNT = b.SEATS
"""Holders of hidden cards; in Kwajongen one of them stands for the cards that stay out."""

UNSEEN = 0
"""All hidden cards."""
HAND_SIZES = 1
"""Number of hidden cards of each player; 0 for the observer."""
EXCLUDED = HAND_SIZES + HOLDER_COUNT
"""Cards that each player cannot hold."""
PUBLIC_KNOWLEDGE_SIZE = EXCLUDED + HOLDER_COUNT
"""Entries that callers fill; the rest is scratch space."""


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
    master = rows[b.cell_index(start, 0)]
    led = suit_mask_of(master)
    place = leader
    team = b.team_of(players, place)
    for k in range(1, count):
        place = place + 1 if place + 1 < b.SEATS else 0
        card = rows[b.cell_index(start, k * stride)]
        own = b.team_of(players, place)
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
    leader = state[b.LEADER + lane]
    own = (leader + position) % b.SEATS
    hand = state[b.cell_index(b.HAND + position * b.STRIDE, lane)]
    on_table = read_trick(state, lane, position)
    unseen = PACK & ~(hand | state[b.PLAYED_CARDS + lane] | on_table)
    knowledge[UNSEEN] = unseen
    for place in range(b.SEATS):
        behind_leader = (place - leader) % b.SEATS
        knowledge[HAND_SIZES + place] = b.TRICKS - trick - (behind_leader < position)
        knowledge[EXCLUDED + place] = 0
    knowledge[HAND_SIZES + own] = 0
    knowledge[EXCLUDED + own] = -1
    players = state[b.PLAYERS + lane]
    trumps, must_beat = state[b.TRUMPS + lane], state[b.MUST_BEAT + lane]
    for finished in range(trick):
        exclude_by_trick(
            knowledge, state, b.history_offset(finished, 1) + lane, b.STRIDE, b.SEATS,
            state[b.cell_index(b.history_offset(finished, 0), lane)], players, trumps, must_beat,
        )  # fmt: skip
    exclude_by_trick(
        knowledge, state, b.TRICK_CARDS + lane, b.STRIDE, position, leader, players, trumps,
        must_beat,
    )  # fmt: skip
    assign_to_holder(knowledge, state[b.SENDER + lane], read_upcard(state, lane) & unseen)


BINOMIALS = np.array(
    [[comb(cards, size) for size in range(b.TRICKS + 1)] for cards in range(PACK.bit_count() + 1)],
    dtype=np.float64,
)
"""The number of hands of each size from a number of cards."""


@scalar
def count_ways(shared: int, both: int, own: int, size: int, others: int, others_size: int) -> Any:
    """Return in how many ways two players can be dealt their hands, `size` and `others_size` cards.

    `both` cards may be held by both, of which the first player gets `shared`; `own` and `others` by
    the first alone and by the second alone.
    """
    ways = BINOMIALS[both, shared] * BINOMIALS[own, size - shared]
    return ways * BINOMIALS[both - shared + others, others_size]


@scalar
def count_restricted(knowledge: t.Int64Array) -> int:
    """Return the number of players who cannot hold some hidden card."""
    count = 0
    for player in range(HOLDER_COUNT):
        binds = knowledge[HAND_SIZES + player] > 0
        binds &= knowledge[EXCLUDED + player] & knowledge[UNSEEN] != 0
        count += 1 if binds else 0
    return count


@scalar
def compute_allowed_share(knowledge: t.Int64Array) -> float:
    """Return the share of layouts that agree with the knowledge in all ways to deal hidden cards.

    At most two players are restricted (`count_restricted`).
    """
    unseen = knowledge[UNSEEN]
    one, other = -1, -1
    for player in range(HOLDER_COUNT):
        if knowledge[HAND_SIZES + player] > 0 and knowledge[EXCLUDED + player] & unseen != 0:
            one, other = player, one
    if one < 0:
        return 1.0
    count, size = popcount(unseen), knowledge[HAND_SIZES + one]
    may = unseen & ~knowledge[EXCLUDED + one]
    if other < 0:
        return BINOMIALS[popcount(may), size] / BINOMIALS[count, size]
    others_may, others_size = unseen & ~knowledge[EXCLUDED + other], knowledge[HAND_SIZES + other]
    both, own = popcount(may & others_may), popcount(may & ~others_may)
    others = popcount(others_may & ~may)
    ways = 0.0
    for shared in range(size + 1):
        ways += count_ways(shared, both, own, size, others, others_size)
    return ways / (BINOMIALS[count, size] * BINOMIALS[count - size, others_size])


def count_layouts(knowledge: t.Int64Array) -> float:
    """Return the number of layouts that agree with the knowledge, however many are restricted.

    Give each player a variable, and multiply for all hidden cards the sum of those who may hold it:
    the number is the coefficient with the sizes of the hands as exponents.
    """
    players = [player for player in range(HOLDER_COUNT) if knowledge[HAND_SIZES + player] > 0]
    ways = np.zeros([1 + knowledge[HAND_SIZES + player] for player in players])
    ways.flat[0] = 1
    for card in (1 << bit for bit in range(64) if int(knowledge[UNSEEN]) >> bit & 1):
        before, ways = ways, np.zeros_like(ways)
        for axis, player in enumerate(players):
            if not int(knowledge[EXCLUDED + player]) & card:
                # A view whose first axis is the player's.
                np.moveaxis(ways, axis, 0)[1:] += np.moveaxis(before, axis, 0)[:-1]
    return float(ways.flat[-1])


_GROUPS = (1 << HOLDER_COUNT) - 1
"""Groups of players, numbered by their bits, without that of all, which always has room."""
_GROUPS_WITH = tuple(sum(1 << g for g in range(_GROUPS) if g >> p & 1) for p in range(HOLDER_COUNT))
"""The groups that contain each player, one bit per group."""

_FREE = PUBLIC_KNOWLEDGE_SIZE
"""Hidden cards that more than one player may hold."""
_RESTRICTED = _FREE + 1
"""Restricted players, who cannot hold some free card; one bit per player."""
_FORCED = _RESTRICTED + 1
"""Cards that only this player can hold."""
_ROOM = _FORCED + HOLDER_COUNT
"""Number of free cards of each player."""
_LAYOUT = _ROOM + HOLDER_COUNT
"""Free cards of each player in the current layout."""
_BEFORE = _LAYOUT + HOLDER_COUNT
_TIGHT = _BEFORE + HOLDER_COUNT
"""Groups without slack, one bit per group."""
_SLACK = _TIGHT + 1
"""Room of each group minus the cards that only its players can hold."""
KNOWLEDGE_SIZE = _SLACK + _GROUPS

_FEW_CARDS = 12
"""The most free cards with which all layouts are counted before any is sampled, and with which the
chain starts anew for each."""
_BURN_IN_SWEEPS = 12
_THINNING_SWEEPS = 2
_FORGETTING_SWEEPS = 3
"""Sweeps of the chain after which a layout tells next to nothing of the one before."""
_DRAWS_PER_STEP = 8
"""The most draws of a step of the chain."""
_DRAWS_PER_LAYOUT = HOLDER_COUNT * _DRAWS_PER_STEP + 1
"""The most draws of a layout that is dealt directly: a step for each player, and how many of the
cards that both may hold the first of two restricted players gets."""


@scalar
def draw_subset(cards: t.CardSet, size: int, key: t.Key, counter: int) -> int:
    """Draw a uniformly random subset of a set; at most `size` draws from `counter` on are used."""
    count = popcount(cards)
    smaller = min(size, count - size)
    left = cards
    for k in range(smaller):
        number = rng.scale_below(rng.draw(key, rng.HIDDEN_HAND + counter + k), count - k)
        left ^= deposit(1 << number, left)
    return left if smaller < size else cards ^ left


@block_loop
def separate_forced_cards(knowledge: t.Int64Array) -> None:
    """Split the hidden cards into forced and free ones, and find the restricted players."""
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
    restricted = 0
    for player in range(HOLDER_COUNT):
        binds = knowledge[_ROOM + player] > 0 and knowledge[EXCLUDED + player] & free != 0
        restricted |= 1 << player if binds else 0
    knowledge[_RESTRICTED] = restricted


@scalar
def _groups_holding(knowledge: t.Int64Array, card: t.Card) -> int:
    """Return the groups that contain every player who may hold a card."""
    groups = -1
    for player in range(HOLDER_COUNT):
        groups &= _GROUPS_WITH[player] if knowledge[EXCLUDED + player] & card == 0 else -1
    return groups


@block_loop
def _reset_layout(knowledge: t.Int64Array) -> bool:
    """Take all free cards back, and return True if any layout agrees with the knowledge.

    By Hall's theorem one does if every group has room for the cards that only its players may hold.
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
def _can_assign(knowledge: t.Int64Array, card: t.Card, player: int) -> bool:
    """Return True if the unassigned cards can still be assigned once a player gets a card."""
    short = knowledge[_TIGHT] & _GROUPS_WITH[player] & ~_groups_holding(knowledge, card)
    return (knowledge[EXCLUDED + player] & card) | short == 0


@block_loop
def _assign_card(knowledge: t.Int64Array, card: t.Card, player: int, times: int) -> None:
    """Give a player a card that `_can_assign` allows, or with times = -1 take it back."""
    takes_room = _GROUPS_WITH[player] & ~_groups_holding(knowledge, card)
    tight = 0
    for group in range(_GROUPS):
        slack = knowledge[_SLACK + group] - times * ((takes_room >> group) & 1)
        knowledge[_SLACK + group] = slack
        tight |= 1 << group if slack == 0 else 0
    knowledge[_TIGHT] = tight
    knowledge[_LAYOUT + player] ^= card


@scalar
def read_hidden_hand(knowledge: t.Int64Array, player: int) -> int:
    """Return the hidden cards of a player in the current layout."""
    return knowledge[_LAYOUT + player] | knowledge[_FORCED + player]


@scalar
def write_layout(knowledge: t.Int64Array, layouts: t.Int64Array, number: int) -> None:
    """Write the current layout as number `number` of a list."""
    for player in range(HOLDER_COUNT):
        layouts[b.cell_index(number * HOLDER_COUNT, player)] = read_hidden_hand(knowledge, player)


@block_loop
def _enumerate_free_cards(knowledge: t.Int64Array, limit: int, layouts: t.Int64Array) -> int:
    """Enumerate layouts by backtracking, card by card, after `separate_forced_cards`."""
    if not _reset_layout(knowledge):
        return 0
    free = knowledge[_FREE]
    left = free
    card = lowest_bit(left)
    player = 0
    count = 0
    while True:
        if card == 0:
            if count == limit:
                return -1
            write_layout(knowledge, layouts, count)
            count += 1
            player = HOLDER_COUNT
        while player < HOLDER_COUNT and not _can_assign(knowledge, card, player):
            player += 1
        if player < HOLDER_COUNT:
            _assign_card(knowledge, card, player, 1)
            left ^= card
            card = lowest_bit(left)
            player = 0
        elif left == free:
            return count
        else:
            card = highest_bit(free ^ left)
            player = 0
            while knowledge[_LAYOUT + player] & card == 0:
                player += 1
            _assign_card(knowledge, card, player, -1)
            left ^= card
            player += 1


@block_loop
def enumerate_layouts(knowledge: t.Int64Array, limit: int, layouts: t.Int64Array) -> int:
    """Write all layouts, each once, if there are at most `limit`; return their number, else -1.

    Args:
        knowledge: int64 (KNOWLEDGE_SIZE,), with UNSEEN, HAND_SIZES and EXCLUDED filled.
        layouts: int64 (6 * limit,), filled with the hidden hands, one layout after another.
    """
    separate_forced_cards(knowledge)
    return _enumerate_free_cards(knowledge, limit, layouts)


@scalar
def _draw_first_of_two(
    knowledge: t.Int64Array, one: int, other: int, key: t.Key, counter: int
) -> int:
    """Draw the hand of the first of two restricted players, so that all layouts are equally likely.

    The number of cards that the other player may hold, too, is drawn by the number of layouts.
    """
    free = knowledge[_FREE]
    both = free & ~(knowledge[EXCLUDED + one] | knowledge[EXCLUDED + other])
    own = free & ~knowledge[EXCLUDED + one] & ~both
    others = popcount(free & ~knowledge[EXCLUDED + other] & ~both)
    size, others_size = knowledge[_ROOM + one], knowledge[_ROOM + other]
    total = 0.0
    for shared in range(size + 1):
        total += count_ways(shared, popcount(both), popcount(own), size, others, others_size)
    bits = rng.draw(key, rng.HIDDEN_HAND + counter + _DRAWS_PER_LAYOUT - 1)
    mark = rng.to_fraction(bits) * total
    passed, chosen = 0.0, 0
    for shared in range(size + 1):
        ways = count_ways(shared, popcount(both), popcount(own), size, others, others_size)
        chosen = shared if ways > 0.0 and mark >= passed else chosen
        passed += ways
    counter += _DRAWS_PER_STEP * one
    hand = draw_subset(both, chosen, key, counter)
    return hand | draw_subset(own, size - chosen, key, counter + chosen)


@scalar
def _can_deal_directly(knowledge: t.Int64Array) -> bool:
    """Return True if any layout agrees with knowledge that restricts at most two players.

    These and nobody else have to be looked at in Hall's theorem (`_reset_layout`).
    """
    free, room, restricted_room, held_by_restricted = knowledge[_FREE], 0, 0, 0
    possible = True
    for player in range(HOLDER_COUNT):
        own_room = knowledge[_ROOM + player]
        room += own_room
        possible &= own_room >= 0
        if (knowledge[_RESTRICTED] >> player) & 1 != 0:
            may = free & ~knowledge[EXCLUDED + player]
            possible &= popcount(may) >= own_room
            restricted_room += own_room
            held_by_restricted |= may
    return possible and popcount(held_by_restricted) >= restricted_room and room == popcount(free)


@block_loop
def _deal_directly(knowledge: t.Int64Array, wanted: int, key: t.Key, counter: int) -> None:
    """Deal a random layout where at most two players are restricted; these come first.

    Whatever cards they get, the rest can be dealt in the same number of ways.  With `wanted`, the
    bit of a player, they come next, and hands after theirs are not dealt.
    """
    restricted = knowledge[_RESTRICTED]
    left = knowledge[_FREE]
    waiting = (1 << HOLDER_COUNT) - 1
    while waiting != 0:
        following = waiting
        following = waiting & wanted if waiting & wanted != 0 else following
        following = waiting & restricted if waiting & restricted != 0 else following
        bit = lowest_bit(following)
        player = trailing_zeros(bit)
        if following == restricted and bit != restricted:
            other = trailing_zeros(restricted ^ bit)
            hand = _draw_first_of_two(knowledge, player, other, key, counter)
        else:
            may, room = left & ~knowledge[EXCLUDED + player], knowledge[_ROOM + player]
            hand = draw_subset(may, room, key, counter + _DRAWS_PER_STEP * player)
        knowledge[_LAYOUT + player] = hand
        left ^= hand
        waiting ^= bit
        waiting = 0 if bit == wanted else waiting


@block_loop
def build_first_layout(knowledge: t.Int64Array, key: t.Key) -> None:
    """Build some layout: each card goes to the first player who may get it, from a random one."""
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
def _redeal_pair(knowledge: t.Int64Array, one: int, other: int, key: t.Key, counter: int) -> None:
    """Redeal the cards that both of two players may hold."""
    first, second = knowledge[_LAYOUT + one], knowledge[_LAYOUT + other]
    both = (first | second) & ~(knowledge[EXCLUDED + one] | knowledge[EXCLUDED + other])
    kept = first & both
    if kept != 0 and kept != both:
        hand = draw_subset(both, popcount(kept), key, counter)
        knowledge[_LAYOUT + one] = (first & ~both) | hand
        knowledge[_LAYOUT + other] = (second & ~both) | (both ^ hand)


@scalar
def _draw_one(cards: t.CardSet, key: t.Key, counter: int) -> int:
    return deposit(
        1 << rng.scale_below(rng.draw(key, rng.HIDDEN_HAND + counter), popcount(cards)), cards
    )


@block_loop
def _pass_around(knowledge: t.Int64Array, key: t.Key, counter: int) -> None:
    """Let three or more restricted players pass on a card in a random circle.

    Each card is drawn from those that the next player may hold.  The probability of accepting the
    step makes up for the different probabilities of the step and its reverse (Metropolis-Hastings).
    """
    left = knowledge[_RESTRICTED]
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
def run_chain(knowledge: t.Int64Array, sweeps: int, key: t.Key, counter: int) -> int:
    """Run sweeps of the chain, each all pairs and a circle; return the next counter."""
    for _ in range(sweeps):
        for one in range(HOLDER_COUNT - 1):
            for other in range(one + 1, HOLDER_COUNT):
                _redeal_pair(knowledge, one, other, key, counter)
                counter += _DRAWS_PER_STEP
        _pass_around(knowledge, key, counter)
        counter += 2 * _DRAWS_PER_STEP
    return counter


@block_loop
def redeal_among_last(
    knowledge: t.Int64Array, layouts: t.Int64Array, number: int, first: int, sweeps: int, key: t.Key
) -> None:  # fmt: skip
    """Redeal one of the sampled layouts at random among the players from `first` on.

    Pairs of players redeal, so each way to deal their cards stays equally likely.
    """
    at = number * HOLDER_COUNT
    for player in range(first, HOLDER_COUNT):
        knowledge[_LAYOUT + player] = layouts[b.cell_index(at, player)] & knowledge[_FREE]
    counter = 0
    for _ in range(sweeps):
        for one in range(first, HOLDER_COUNT - 1):
            for other in range(one + 1, HOLDER_COUNT):
                _redeal_pair(knowledge, one, other, key, counter)
                counter += _DRAWS_PER_STEP
    for player in range(first, HOLDER_COUNT):
        layouts[b.cell_index(at, player)] = read_hidden_hand(knowledge, player)


@scalar
def _many_are_restricted(knowledge: t.Int64Array) -> bool:
    """Return True if more than two players are restricted."""
    return popcount(knowledge[_RESTRICTED]) > 2


@block_loop
def draw_first_layout(knowledge: t.Int64Array, key: t.Key) -> bool:
    """Draw a layout, each equally likely, which `read_hidden_hand` reads; False if none agrees.

    `knowledge` has UNSEEN, HAND_SIZES and EXCLUDED filled.  The same key gives the same layout.
    """
    separate_forced_cards(knowledge)
    if _many_are_restricted(knowledge):
        if not _reset_layout(knowledge):
            return False
        build_first_layout(knowledge, key)
        run_chain(knowledge, _BURN_IN_SWEEPS, key, HOLDER_COUNT * _DRAWS_PER_STEP)
        return True
    if not _can_deal_directly(knowledge):
        return False
    _deal_directly(knowledge, 0, key, 0)
    return True


@block_loop
def draw_next_hand(knowledge: t.Int64Array, player: int, key: t.Key) -> int:
    """Return a hand of a player in another layout, which hardly or not at all depends on the last.

    Of few cards the chain may move only by rare circles, so there it begins anew.

    Args:
        knowledge: int64 (KNOWLEDGE_SIZE,), with a layout of `draw_first_layout`, which is replaced;
            it is of no other use.
        key: key of the draws, another one for each hand.
    """
    if knowledge[_RESTRICTED] & ~(1 << player) == 0:
        may, room = knowledge[_FREE] & ~knowledge[EXCLUDED + player], knowledge[_ROOM + player]
        return knowledge[_FORCED + player] | draw_cards(may, room, key, rng.HIDDEN_HAND)
    if not _many_are_restricted(knowledge):
        _deal_directly(knowledge, 1 << player, key, 0)
    elif popcount(knowledge[_FREE]) <= _FEW_CARDS:
        draw_first_layout(knowledge, key)
    else:
        run_chain(knowledge, _FORGETTING_SWEEPS, key, 0)
    return read_hidden_hand(knowledge, player)


@block_loop
def sample_layouts(knowledge: t.Int64Array, number: int, key: t.Key, layouts: t.Int64Array) -> int:
    """Draw layouts, each equally likely; return how many, 0 if none agrees with the knowledge.

    If few cards are hidden and there are at most `number` layouts, each is written once instead.

    Args:
        knowledge: int64 (KNOWLEDGE_SIZE,), with UNSEEN, HAND_SIZES and EXCLUDED filled.
        layouts: int64 (6 * number,), filled with the hidden hands, one layout after another.
    """
    separate_forced_cards(knowledge)
    if not _reset_layout(knowledge):
        return 0
    if popcount(knowledge[_FREE]) <= _FEW_CARDS:
        count = _enumerate_free_cards(knowledge, number, layouts)
        if count >= 0:
            return count
    if not _many_are_restricted(knowledge):
        for index in range(number):
            _deal_directly(knowledge, 0, key, index * _DRAWS_PER_LAYOUT)
            write_layout(knowledge, layouts, index)
        return number
    build_first_layout(knowledge, key)
    counter = run_chain(knowledge, _BURN_IN_SWEEPS, key, HOLDER_COUNT * _DRAWS_PER_STEP)
    for index in range(number):
        write_layout(knowledge, layouts, index)
        counter = run_chain(knowledge, _THINNING_SWEEPS, key, counter)
    return number
