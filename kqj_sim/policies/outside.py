"""Decisions made outside the engine: rounds are replayed up to the first that is open.

The policy of `make_policy` makes the choices that stand in its resource, in order.  Where they are
used up it notes the view of the open decision there, and goes on with any choice, as a block plays
its rounds to the end.
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core import block as b
from kqj_sim.core import round as core_round
from kqj_sim.core import types as t
from kqj_sim.core.cards import NO_TRUMP, PACK, lowest_bit, trailing_zeros
from kqj_sim.core.dispatch import RULE_OUT_BID
from kqj_sim.core.jit import int64_at, kernel, scalar
from kqj_sim.core.scoring import count_tricks, score_rounds
from kqj_sim.core.views import PASS, bid_code
from kqj_sim.policies.binding import OUTSIDE, VIEW_OF_DECISION
from kqj_sim.policies.registry import Policy

DECISIONS = tuple(VIEW_OF_DECISION)
TAKE, BID, _, _, CARD, _ = range(len(DECISIONS))

CARD_SETS = (
    "hand", "turned", "led", "trick", "master", "winning", "played", "won", "won_contracting",
)  # fmt: skip
NUMBERS = (
    "place", "lap", "turn", "lowest_amount", "highest_amount", "all_no_trump", "bidder", "amount",
    "contract", "capot", "stake", "raised", "trick_number", "position", "partner_is_master",
    "leader", "sender", "contracting", "team_count",
)  # fmt: skip
AMOUNTS = (3, 4, 7)
"""Indices in NUMBERS of those that observations have in tens."""
_FIELDS = ("decision", "legal", "players", "last_bids", *CARD_SETS, *NUMBERS)
_DECISION, _LEGAL, _PLAYERS, _LAST_BIDS = range(4)
_CARDS, _NUMBERS = 4, 4 + len(CARD_SETS)
_PLACE, _LAP, _LOWEST, _HIGHEST, _ALL_NO_TRUMP, _POSITION, _LEADER = (
    _NUMBERS + NUMBERS.index(name)
    for name in (
        "place", "lap", "lowest_amount", "highest_amount", "all_no_trump", "position", "leader",
    )
)  # fmt: skip

_VIEWS = b.LANES
CHOICES = b.LANES * (1 + len(_FIELDS))
"""Index of the choices in a resource, int64 (CHOICES + n * LANES,).  First it has for each lane the
index of the next choice, then for each lane the fields of the open decision, of which the first is
its index in DECISIONS, or -1, then row by row a choice of each lane."""
_OPEN, _NOTED = -3, -4
"""In place of a choice: it is open, and its view has not, or has, been noted."""

SUITS, CONTRACTS = 4, 6


def _make_choice(decision: str) -> FunctionType:
    """Return the function of a decision: `resource` is the address of the resource."""
    number, plays = DECISIONS.index(decision), decision == "card"
    fallback = PASS if decision in ("take", "bid") else 0
    known = inspect.get_annotations(VIEW_OF_DECISION[decision])
    lines = [
        f"    numbers[first + {at}] = {f'view.{name}' if name in known else 0}"
        for at, name in enumerate(_FIELDS)
    ]
    names: dict[str, Any] = {}
    exec("\n".join(["def note_view(view, numbers, first):", *lines]), names)
    note_view = scalar(names["note_view"])

    def choose(view: Any, resource: Any, lane: Any) -> Any:
        numbers = int64_at(resource)
        at = numbers[lane]
        choice = numbers[at]
        if choice >= PASS:
            numbers[lane] = at + b.LANES
            return choice
        if choice == _OPEN:
            numbers[at] = _NOTED
            first = _VIEWS + lane * len(_FIELDS)
            note_view(view, numbers, first)
            numbers[first] = number
        return lowest_bit(view.legal) if plays else fallback

    assert isinstance(choose, FunctionType)
    return choose


def make_policy(decisions: tuple[str, ...]) -> Policy:
    """Return a policy that makes some decisions by its resource."""
    choices = {decision: (_CHOICES[decision], OUTSIDE) for decision in decisions}
    return Policy("outside", "decides outside the engine", {}, __name__, True, choices=choices)


_CHOICES = {decision: _make_choice(decision) for decision in DECISIONS}


def measure(ranks: int, rules: t.Rules) -> tuple[int, int]:
    """Return the lengths of an observation, a multiple of eight, and of a mask."""
    features = SUITS * ranks * len(CARD_SETS) + len(DECISIONS) + len(NUMBERS) + 7 * rules.seats
    calls = 1 if SUITS * ranks < PACK.bit_count() else CONTRACTS
    if rules.auction:
        calls = 1 + 2 * CONTRACTS * ((rules.max_amount - rules.minimum_bid) // 10 + 1)
    return -(-(features - 1 - SUITS) // 8) * 8, SUITS * ranks + 1 + calls


@scalar
def _spread_bits(bits: int) -> int:
    """Return a number whose eight bytes are the lowest eight bits of another."""
    # Seven by a product, as numba leaves undefined what overflows.
    each = ((bits & 0x7F) * 0x0101010101010101) & 0x0040201008040201
    seven = ((each + 0x7F7F7F7F7F7F7F7F) >> 7) & 0x0101010101010101
    return seven | ((bits >> 7) & 1) << 56


@scalar
def _pack_suits(cards: t.CardSet, ranks: int) -> int:
    """Return a set of cards without the bits between the suits."""
    suit = (1 << ranks) - 1
    packed = cards & suit
    for number in range(1, SUITS):
        packed |= ((cards >> 16 * number) & suit) << ranks * number
    return packed


@kernel
def describe_decisions(
    resource: t.Int64Array, lanes: int, ranks: int, rules: t.Rules, first: int,
    found: t.Int64Array, words: t.Int64Array, observations: NDArray[np.int8], masks: t.BoolArray,
) -> int:  # fmt: skip
    """Write the open decisions of a block from an index on; return the index after the last.

    Args:
        resource: that of the policy.
        ranks: ranks of a suit.
        found: int64 (n, 3), filled with the lane, the index in DECISIONS and the player's place.
        words, observations: the same memory as int64 and as int8 (n, features), filled.
        masks: bool (n, actions), filled: True where an action is legal.
    """
    passes, set_words, seats = SUITS * ranks, SUITS * ranks // 8, rules.seats
    k = first
    for lane in range(lanes):
        view = resource[_VIEWS + lane * len(_FIELDS) : _VIEWS + (lane + 1) * len(_FIELDS)]
        decision, players = view[_DECISION], view[_PLAYERS]
        if decision < 0:
            continue
        own = view[_POSITION] if decision == CARD else view[_PLACE]
        place = b.wrap_seat(view[_LEADER] + own, seats) if decision == CARD else own
        found[k, 0], found[k, 1], found[k, 2] = lane, decision, place
        seen, mask = observations[k], masks[k]
        for number in range(len(CARD_SETS)):
            packed = _pack_suits(view[_CARDS + number], ranks)
            for word in range(set_words):
                words[k, number * set_words + word] = _spread_bits(packed >> 8 * word)
        at = SUITS * ranks * len(CARD_SETS)
        for number in range(len(DECISIONS)):
            seen[at + number] = decision == number
        at += len(DECISIONS)
        for number in range(len(NUMBERS)):
            value = view[_NUMBERS + number]
            seen[at + number] = min(value // 10 if number in AMOUNTS else value, 127)
        at += len(NUMBERS)
        other = own
        for _ in range(seats):
            bid = (view[_LAST_BIDS] >> 10 * other) & 1023
            seen[at], seen[at + 1] = bid >> 3, bid & 7
            at += 2
            other = b.wrap_seat(other + 1, seats)
        for _ in range(1, seats):
            other = b.wrap_seat(other + 1, seats)
            seen[at] = b.team_of(players, other) == b.team_of(players, own)
            voids = b.voids_of(players, other)
            for suit in range(SUITS):
                seen[at + 1 + suit] = (voids >> suit) & 1
            at += 1 + SUITS
        for unused in range(at, seen.shape[0]):
            seen[unused] = 0

        legal = _pack_suits(view[_LEGAL], ranks)
        for card in range(passes):
            mask[card] = (legal >> card) & 1 != 0
        for call in range(passes, mask.shape[0]):
            mask[call] = False
        if decision == TAKE:
            upcard_suit = trailing_zeros(view[_CARDS + 1]) >> 4
            for contract in range(CONTRACTS):
                named = contract < NO_TRUMP and (view[_LAP] == 2 or contract == upcard_suit)
                mask[passes + 1 + contract] = named or (
                    contract >= NO_TRUMP and view[_ALL_NO_TRUMP] != 0
                )
        elif decision == BID:
            contracts = CONTRACTS if view[_ALL_NO_TRUMP] != 0 else NO_TRUMP
            for amount in range(view[_LOWEST], view[_HIGHEST] + 1, 10):
                start = passes + 2 + 2 * CONTRACTS * ((amount - rules.minimum_bid) // 10)
                for bid in range(start, start + 2 * contracts):
                    mask[bid] = True
        elif decision != CARD:
            mask[passes + 1] = True
        mask[passes] = decision != CARD
        k += 1
    return k


@kernel
def convert_actions(
    found: t.Int64Array, actions: t.Int64Array, ranks: int, minimum_bid: int
) -> t.Int64Array:
    """Return legal actions as the choices of a policy; the other arguments as of the decisions."""
    choices = np.empty(actions.shape[0], np.int64)
    for k in range(actions.shape[0]):
        decision, action = found[k, 1], actions[k]
        named = action - SUITS * ranks - 1
        if decision == CARD:
            choices[k] = 1 << (16 * (action // ranks) + action % ranks)
        elif decision == TAKE:
            choices[k] = named
        elif decision == BID:
            bid = named - 1
            amount = minimum_bid + 10 * (bid // (2 * CONTRACTS))
            code = bid_code(amount, (bid >> 1) % CONTRACTS, bid & 1)
            choices[k] = PASS if named < 0 else code
        else:
            choices[k] = named + 1
    return choices


@kernel
def clear_choices(resource: t.Int64Array) -> None:
    """Let the policy make no choices, also in lanes without a deal, over which loops run."""
    for lane in range(b.LANES):
        resource[lane] = CHOICES + lane
        resource[_VIEWS + lane * len(_FIELDS)] = -1
        resource[CHOICES + lane] = _OPEN


@kernel
def set_choices(resource: t.Int64Array, lane: t.Lane, choices: t.Int64Array, made: int) -> None:
    """Let the policy make the first `made` choices in a lane that was cleared."""
    for number in range(made):
        resource[CHOICES + b.LANES * number + lane] = choices[number]
    resource[CHOICES + b.LANES * made + lane] = _OPEN


RESOURCE = RULE_OUT_BID * t.MAX_POLICIES
"""Index of the policy's resource in `core.types.Seating.resources` for `finish_rounds`: that of a
loop that no round asks."""


@kernel
def finish_rounds(
    state: t.Block, lanes: int, rules: t.Rules, seating: t.Seating, log: t.Int64Array
) -> int:
    """Do as `core.round.finish_rounds`, without columns, and stop when each round has an open
    decision."""
    played = core_round.begin_play(state, lanes, rules)
    numbers = int64_at(seating.resources[RESOURCE])
    for trick in range(b.TRICKS):
        over = 0
        for i in range(played):
            over += numbers[_VIEWS + state[b.ORIGINAL_LANE + i] * len(_FIELDS)] < 0
        if over == 0:
            return played
        core_round.play_tricks(state, played, rules, seating, trick, 0, trick + 1)
    count_tricks(state, played, rules)
    score_rounds(state, played, rules)
    return played


@kernel
def replay_rounds(
    state: t.Block, resource: t.Int64Array, choices: t.Int64Array, made: t.Int64Array, slots:
    t.Int64Array, index: t.Int64Array, seed: int, rules: t.Rules, seating: t.Seating,
    advance_address: t.Address, ranks: int, found: t.Int64Array, words:
    t.Int64Array, observations: NDArray[np.int8], masks: t.BoolArray,
) -> int:  # fmt: skip
    """Replay rounds up to their open decisions; return the number of these.

    Where there is none the round is over, and its slot is advanced.

    Args:
        resource: that of the policy, with room for one more choice than any round has.
        choices, made: int64 (episodes, room) and (episodes,), the choices and their numbers.
        slots: int64 (episodes, `core.round.SLOT_FIELDS`), the games (`core.round`).
        index: int64 (n,), the episodes to replay.
        found, words, observations, masks: of the open decisions (`describe_decisions`), but with
            the episode in place of the lane.
    """
    log = np.empty(0, np.int64)
    playing = np.empty((b.LANES, core_round.SLOT_FIELDS), np.int64)
    count = 0
    for first in range(0, index.shape[0], b.LANES):
        lanes = min(b.LANES, index.shape[0] - first)
        clear_choices(resource)
        for lane in range(lanes):
            episode = index[first + lane]
            playing[lane] = slots[episode]
            set_choices(resource, lane, choices[episode], made[episode])
        core_round.assign_rounds(state, playing, lanes)
        core_round.play_block(state, lanes, seed, rules, seating, log)
        core_round.call_advance(advance_address, (state, playing, lanes, rules))
        for i in range(lanes):
            lane = state[b.ORIGINAL_LANE + i]
            decision = resource[_VIEWS + lane * len(_FIELDS)]
            # Loops of cards run over some lanes that were passed out, too.
            if decision < 0 or (decision == CARD and state[b.SENDER + i] < 0):
                resource[_VIEWS + lane * len(_FIELDS)] = -1
                slots[index[first + lane]] = playing[lane]
        end = describe_decisions(
            resource, lanes, ranks, rules, count, found, words, observations,
            masks,
        )  # fmt: skip
        for k in range(count, end):
            found[k, 0] = index[first + found[k, 0]]
        count = end
    return count
