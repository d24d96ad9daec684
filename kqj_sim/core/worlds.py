"""Worlds: hands of the other players that agree with what one player knows, drawn uniformly.

What is known of the hidden cards stands in one int64 array of `KNOWN` numbers, per player (by place
or by position, as the caller likes): how many cards each holds, and which he cannot hold.  Who
knows and plays himself is a player without hidden cards.

Where at most one player is bound by this, worlds are dealt directly.  Else a Markov chain goes from
world to world: two players at a time deal anew, uniformly, the cards that both may hold, and three
or more hand on a card in a circle.  Each of these keeps the uniform distribution.  Together they
reach every world: give each card an arrow from its owner in one world to its owner in the other,
and the arrows fall into circles, each of which leads to a world on its own; a circle through a
player who may hold every card can be taken in smaller steps.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core import rng
from kqj_sim.core.bits import highest_bit, lowest_bit, popcount
from kqj_sim.core.compile import scalar, stage
from kqj_sim.core.deal import deposit
from kqj_sim.core.state import SEATS, index

_GROUPS = (1 << SEATS) - 1
"""Groups of players, numbered by their bits; all six are none, since they have room for all."""
_WITH = tuple(sum(1 << g for g in range(_GROUPS) if g >> p & 1) for p in range(SEATS))
"""The groups with each player, a bit a group."""

UNSEEN = 0
"""All hidden cards."""
COUNTS = 1
"""How many cards each player holds; 0 for who knows."""
LACKS = COUNTS + SEATS
"""Cards that each player cannot hold."""
_FREE = LACKS + SEATS
"""Hidden cards that more than one player may hold."""
_BOUND = _FREE + 1
"""Players who cannot hold some of these, a bit a player."""
_FIXED = _BOUND + 1
"""Cards that a player alone can hold."""
_ROOM = _FIXED + SEATS
"""How many of the others each player holds."""
_HANDS = _ROOM + SEATS
"""The world in hand, without the fixed cards."""
_BEFORE = _HANDS + SEATS
_TIGHT = _BEFORE + SEATS
"""The groups without slack."""
_SLACK = _TIGHT + 1
"""The room of each group less the cards that must come to one of its players."""
KNOWN = _SLACK + _GROUPS
"""Numbers of an array of what is known; those from `_FREE` on are the functions' own."""

_FEW_CARDS = 12
"""With no more hidden cards than this it is tried whether there are few worlds."""
_FIRST_ROUNDS = 12
"""Rounds of the chain before the first world."""
_ROUNDS = 2
"""Rounds of the chain from one world to the next."""
_STEP = 8
"""Draws that a step may use."""


@scalar
def random_subset(cards: int, size: int, key: int, counter: int) -> int:
    """A uniformly random subset of a set; uses `size` draws from `counter` on, or fewer."""
    count = popcount(cards)
    smaller = min(size, count - size)
    left = cards
    for k in range(smaller):
        number = rng.below(rng.draw(key, rng.WORLD + counter + k), count - k)
        left ^= deposit(1 << number, left)
    return left if smaller < size else cards ^ left


@stage
def _simplify(known: Any) -> None:
    """Set apart the cards that one player alone can hold, and note who is bound by the others."""
    unseen = known[UNSEEN]
    free = unseen
    for player in range(SEATS):
        alone = unseen & ~known[LACKS + player]
        for other in range(SEATS):
            if other != player:
                alone &= known[LACKS + other] if known[COUNTS + other] > 0 else -1
        known[_FIXED + player] = alone
        known[_ROOM + player] = known[COUNTS + player] - popcount(alone)
        free &= ~alone
    known[_FREE] = free
    bound = 0
    for player in range(SEATS):
        binds = known[_ROOM + player] > 0 and known[LACKS + player] & free != 0
        bound |= 1 << player if binds else 0
    known[_BOUND] = bound


@scalar
def _groups_about(known: Any, card: int) -> int:
    """The groups that have all players who may hold a card."""
    groups = -1
    for player in range(SEATS):
        groups &= _WITH[player] if known[LACKS + player] & card == 0 else -1
    return groups


@stage
def _take_back(known: Any) -> bool:
    """Nobody has got a free card; whether any world agrees with what is known.

    Every group must have room for the cards that only its players may hold (Hall's theorem).
    """
    possible = True
    tight = 0
    for group in range(_GROUPS):
        only = known[_FREE]
        room = 0
        for player in range(SEATS):
            within = (group >> player) & 1 != 0
            room += known[_ROOM + player] if within else 0
            only &= -1 if within else known[LACKS + player]
        slack = room - popcount(only)
        known[_SLACK + group] = slack
        tight |= 1 << group if slack == 0 else 0
        possible &= slack >= 0
    known[_TIGHT] = tight
    nobodys = known[_FREE]
    room = 0
    for player in range(SEATS):
        known[_HANDS + player] = 0
        nobodys &= known[LACKS + player]
        room += known[_ROOM + player]
    return possible and nobodys == 0 and room == popcount(known[_FREE])


@scalar
def _fits(known: Any, card: int, player: int) -> bool:
    """Whether the cards that are not yet given can still be, if a player gets a card."""
    short = known[_TIGHT] & _WITH[player] & ~_groups_about(known, card)
    return (known[LACKS + player] & card) | short == 0


@stage
def _give(known: Any, card: int, player: int, times: int) -> None:
    """Give a player a card that fits, or with times = -1 take it back."""
    takes_room = _WITH[player] & ~_groups_about(known, card)
    tight = 0
    for group in range(_GROUPS):
        slack = known[_SLACK + group] - times * ((takes_room >> group) & 1)
        known[_SLACK + group] = slack
        tight |= 1 << group if slack == 0 else 0
    known[_TIGHT] = tight
    known[_HANDS + player] ^= card


@scalar
def _write(known: Any, worlds: Any, number: int) -> None:
    """Put the world in hand into its place."""
    for player in range(SEATS):
        worlds[index(number * SEATS, player)] = known[_HANDS + player] | known[_FIXED + player]


@stage
def _all_worlds(known: Any, limit: int, worlds: Any) -> int:
    """`all_worlds` after `_simplify`.

    The next card goes to the first player whom it fits, and back if everything was tried behind it.
    """
    if not _take_back(known):
        return 0
    free = known[_FREE]
    left = free
    card = lowest_bit(left)
    player = 0
    found = 0
    while True:
        if card == 0:
            if found == limit:
                return -1
            _write(known, worlds, found)
            found += 1
            player = SEATS
        while player < SEATS and not _fits(known, card, player):
            player += 1
        if player < SEATS:
            _give(known, card, player, 1)
            left ^= card
            card = lowest_bit(left)
            player = 0
        elif left == free:
            return found
        else:
            card = highest_bit(free ^ left)
            player = 0
            while known[_HANDS + player] & card == 0:
                player += 1
            _give(known, card, player, -1)
            left ^= card
            player += 1


@stage
def all_worlds(known: Any, limit: int, worlds: Any) -> int:
    """Write every world, if there are few.

    Args:
        known: int64 (KNOWN,): UNSEEN, COUNTS and LACKS.
        limit: the most worlds that are written.
        worlds: int64 (6 * limit,), filled with the hands of the players, a world after another.

    Returns:
        How many worlds there are, or -1 if more than `limit`; they are different.
    """
    _simplify(known)
    return _all_worlds(known, limit, worlds)


@stage
def _deal(known: Any, key: int, counter: int) -> None:
    """A random world where at most one player is bound: he gets his cards first.

    Whatever he gets, the number of ways to deal the rest is the same.
    """
    bound = known[_BOUND]
    player = 0 if bound == 0 else popcount(bound - 1)
    left = known[_FREE]
    for turn in range(SEATS):
        may = left & ~known[LACKS + player]
        hand = random_subset(may, known[_ROOM + player], key, counter + _STEP * turn)
        known[_HANDS + player] = hand
        left ^= hand
        player = player + 1 if player + 1 < SEATS else 0


@stage
def _start(known: Any, key: int) -> None:
    """Some world: each card to the first player whom it fits, from a random one on."""
    _take_back(known)
    left = known[_FREE]
    counter = 0
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        player = rng.below(rng.draw(key, rng.WORLD + counter), SEATS)
        while not _fits(known, card, player):
            player = player + 1 if player + 1 < SEATS else 0
        _give(known, card, player, 1)
        counter += 1


@scalar
def _share(known: Any, one: int, other: int, key: int, counter: int) -> None:
    """Two players deal anew the cards that both may hold."""
    mine, his = known[_HANDS + one], known[_HANDS + other]
    both = (mine | his) & ~(known[LACKS + one] | known[LACKS + other])
    kept = mine & both
    if kept != 0 and kept != both:
        hand = random_subset(both, popcount(kept), key, counter)
        known[_HANDS + one] = (mine & ~both) | hand
        known[_HANDS + other] = (his & ~both) | (both ^ hand)


@scalar
def _one_of(cards: int, key: int, counter: int) -> int:
    """One of a set, drawn."""
    return deposit(1 << rng.below(rng.draw(key, rng.WORLD + counter), popcount(cards)), cards)


@stage
def _hand_on(known: Any, key: int, counter: int) -> None:
    """Three or more bound players in a random circle each hand on a card to the next.

    Each draws it from those that the next may hold.  The way back may be likelier or less likely
    than the way there, which the chance to take the step makes up for (Metropolis and Hastings).
    """
    left = known[_BOUND]
    players = popcount(left)
    if players < 3:
        return
    for player in range(SEATS):
        known[_BEFORE + player] = known[_HANDS + player]
    length = 3 + rng.below(rng.draw(key, rng.WORLD + counter), players - 2)
    ways, ways_back = 1, 1
    start = _one_of(left, key, counter + 1)
    left ^= start
    first = popcount(start - 1)
    giver, giver_before = first, first
    for k in range(1, length + 1):
        receiver = first
        if k < length:
            taker = _one_of(left, key, counter + 1 + k)
            left ^= taker
            receiver = popcount(taker - 1)
        may = known[_BEFORE + giver] & ~known[LACKS + receiver]
        ways *= popcount(may)
        if ways == 0:
            break
        card = _one_of(may, key, counter + _STEP + k)
        known[_HANDS + giver] ^= card
        known[_HANDS + receiver] |= card
        if k > 1:
            ways_back *= popcount(known[_HANDS + giver] & ~known[LACKS + giver_before])
        giver_before = giver
        giver = receiver
    ways_back *= popcount(known[_HANDS + first] & ~known[LACKS + giver_before])
    chance = rng.fraction(rng.draw(key, rng.WORLD + counter + 2 * _STEP - 1))
    if chance * ways_back >= ways:
        for player in range(SEATS):
            known[_HANDS + player] = known[_BEFORE + player]


@stage
def _go_on(known: Any, rounds: int, key: int, counter: int) -> int:
    """Rounds of the chain: all pairs of players, and a circle; the counter after them."""
    for _ in range(rounds):
        for one in range(SEATS - 1):
            for other in range(one + 1, SEATS):
                _share(known, one, other, key, counter)
                counter += _STEP
        _hand_on(known, key, counter)
        counter += 2 * _STEP
    return counter


@stage
def sample_worlds(known: Any, number: int, key: int, worlds: Any) -> int:
    """Draw worlds, each equally likely; if there are no more than `number`, write every one once.

    That is noticed where few cards are hidden.

    Args:
        known: int64 (KNOWN,): UNSEEN, COUNTS and LACKS.
        number: how many worlds are wanted.
        key: key of the draws; the same key gives the same worlds.
        worlds: int64 (6 * number,), filled with the hands of the players, a world after another.

    Returns:
        How many worlds were written; 0 if none agrees with what is known.
    """
    _simplify(known)
    if not _take_back(known):
        return 0
    if popcount(known[_FREE]) <= _FEW_CARDS:
        found = _all_worlds(known, number, worlds)
        if found >= 0:
            return found
    bound = known[_BOUND]
    if bound & (bound - 1) == 0:
        for world in range(number):
            _deal(known, key, world * SEATS * _STEP)
            _write(known, worlds, world)
        return number
    _start(known, key)
    counter = _go_on(known, _FIRST_ROUNDS, key, SEATS * _STEP)
    for world in range(number):
        _write(known, worlds, world)
        counter = _go_on(known, _ROUNDS, key, counter)
    return number
