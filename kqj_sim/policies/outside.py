"""Decisions made outside the engine: rounds are replayed up to the first that is open.

The policy of `make_policy` makes choices in order, whose addresses its resource has.  At the first
that is `OPEN` it notes the view of the open decision there, and goes on with any choice, as a block
plays its rounds to the end.
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
_FIELDS = ("legal", "players", "last_bids", *CARD_SETS, *NUMBERS)
_LEGAL, _PLAYERS, _LAST_BIDS = range(3)
_CARDS, _NUMBERS = 3, 3 + len(CARD_SETS)
_PLACE, _LAP, _LOWEST, _HIGHEST, _ALL_NO_TRUMP, _POSITION, _LEADER = (
    _NUMBERS + NUMBERS.index(name)
    for name in (
        "place", "lap", "lowest_amount", "highest_amount", "all_no_trump", "position", "leader",
    )
)  # fmt: skip

_NOTED, _VIEWS = b.LANES, 2 * b.LANES
_STEP = _VIEWS + b.LANES * len(_FIELDS)
RESOURCE_SIZE = _STEP + 2
"""Numbers of a resource: for each lane the address of its next choice, then for each lane the open
decision's index in DECISIONS, or -1, then lane by lane the fields of the view there, then the bytes
from one choice of a lane to its next, and `OPEN`."""
OPEN = -3
"""In place of a choice: it has not been made."""

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
        choice = int64_at(numbers[lane])[0]
        if choice != OPEN:
            numbers[lane] += numbers[_STEP]
            return choice
        if numbers[_NOTED + lane] < 0:
            note_view(view, numbers, _VIEWS + lane * len(_FIELDS))
            numbers[_NOTED + lane] = number
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


_SPREAD = np.unpackbits(np.arange(256, dtype=np.uint8), bitorder="little").view(np.int64)
"""For each byte a number whose eight bytes are its bits."""


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
    suit_mask = (1 << ranks) - 1
    k = first
    for lane in range(lanes):
        view = resource[_VIEWS + lane * len(_FIELDS) : _VIEWS + (lane + 1) * len(_FIELDS)]
        decision, players = resource[_NOTED + lane], view[_PLAYERS]
        if decision < 0:
            continue
        own = view[_POSITION] if decision == CARD else view[_PLACE]
        place = b.wrap_seat(view[_LEADER] + own, seats) if decision == CARD else own
        found[k, 0], found[k, 1], found[k, 2] = lane, decision, place
        seen, mask = observations[k], masks[k]
        for number in range(len(CARD_SETS)):
            cards, packed = view[_CARDS + number], 0
            for suit in range(SUITS):
                packed |= ((cards >> 16 * suit) & suit_mask) << ranks * suit
            for word in range(set_words):
                words[k, number * set_words + word] = _SPREAD[(packed >> 8 * word) & 255]
        at = SUITS * ranks * len(CARD_SETS)
        for number in range(len(DECISIONS)):
            seen[at + number] = decision == number
        at += len(DECISIONS)
        for number in range(len(NUMBERS)):
            seen[at + number] = min(view[_NUMBERS + number], 127)
        for number in AMOUNTS:
            seen[at + number] = min(view[_NUMBERS + number] // 10, 127)
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
        seen[at:] = 0

        mask[:] = False
        legal = view[_LEGAL]
        while legal != 0:
            card = trailing_zeros(legal)
            mask[(card >> 4) * ranks + (card & 15)] = True
            legal &= legal - 1
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
                mask[start : start + 2 * contracts] = True
        elif decision != CARD:
            mask[passes + 1] = True
        mask[passes] = decision != CARD
        k += 1
    return k


@kernel
def convert_actions(
    found: t.Int64Array, masks: t.BoolArray, actions: t.Int64Array, ranks: int, minimum_bid: int
) -> tuple[t.Int64Array, int]:
    """Return actions as choices of the policy, and the index of the first not legal, or -1.

    The other arguments are those of the decisions (`describe_decisions`).
    """
    choices = np.empty(actions.shape[0], np.int64)
    for k in range(actions.shape[0]):
        decision, action = found[k, 1], actions[k]
        if not (0 <= action < masks.shape[1] and masks[k, action]):
            return choices, k
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
    return choices, -1


@kernel
def set_choices(resource: t.Int64Array, choices: t.Int64Array, index: t.Int64Array) -> None:
    """Let the policy make the choices of some episodes, int64 (n, episodes), each up to `OPEN`.

    Lane k is that of episode `index[k]`.  Loops run over lanes without an episode, too.
    """
    resource[_STEP], resource[_STEP + 1] = 8 * choices.shape[1], OPEN
    resource[:_NOTED] = resource.ctypes.data + 8 * (_STEP + 1)
    resource[_NOTED:_VIEWS] = -1
    for lane in range(index.shape[0]):
        resource[lane] = choices.ctypes.data + 8 * index[lane]


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
            over += numbers[_NOTED + state[b.ORIGINAL_LANE + i]] < 0
        if over == 0:
            return played
        core_round.play_tricks(state, played, rules, seating, trick, 0, trick + 1)
    count_tricks(state, played, rules)
    score_rounds(state, played, rules)
    return played


@kernel
def replay_rounds(
    state: t.Block, resource: t.Int64Array, choices: t.Int64Array, slots: t.Int64Array, index:
    t.Int64Array, seed: int, rules: t.Rules, seating: t.Seating, advance_address: t.Address,
    ranks: int, found: t.Int64Array, words: t.Int64Array, observations: NDArray[np.int8],
    masks: t.BoolArray,
) -> int:  # fmt: skip
    """Replay rounds up to their open decisions; return the number of these.

    Where there is none the round is over, and its slot is advanced.

    Args:
        resource: that of the policy.
        choices: int64 (n, episodes), those of each episode, with `OPEN` behind them.
        slots: int64 (episodes, `core.round.SLOT_FIELDS`), the games (`core.round`).
        index: int64 (n,), the episodes to replay.
        found, words, observations, masks: of the open decisions (`describe_decisions`), but with
            the episode in place of the lane, and the seat in place of the player's place.
    """
    log = np.empty(0, np.int64)
    playing = np.empty((b.LANES, core_round.SLOT_FIELDS), np.int64)
    count = 0
    for first in range(0, index.shape[0], b.LANES):
        lanes = min(b.LANES, index.shape[0] - first)
        episodes = index[first : first + lanes]
        set_choices(resource, choices, episodes)
        for lane in range(lanes):
            playing[lane] = slots[episodes[lane]]
        core_round.assign_rounds(state, playing, lanes)
        core_round.play_block(state, lanes, seed, rules, seating, log)
        core_round.call_advance(advance_address, (state, playing, lanes, rules))
        for i in range(lanes):
            lane = state[b.ORIGINAL_LANE + i]
            decision = resource[_NOTED + lane]
            # Loops of cards run over some lanes that were passed out, too.
            if decision < 0 or (decision == CARD and state[b.SENDER + i] < 0):
                resource[_NOTED + lane] = -1
                slots[episodes[lane]] = playing[lane]
        end = describe_decisions(
            resource, lanes, ranks, rules, count, found, words, observations, masks
        )
        for k in range(count, end):
            found[k, 0] = episode = episodes[found[k, 0]]
            found[k, 2] = (slots[episode, core_round.NEXT_DEALER] + 1 + found[k, 2]) % rules.seats
        count = end
    return count
