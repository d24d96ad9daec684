"""Luck and skill: the result of a round as a sum of parts.

The value of a position to a side is its score difference at the end if the reference player plays
on at every seat, with all cards as they are.  Along a round the value goes from that of the deal to
the result; only decisions that the reference player would have made otherwise change it.  So the
result is what the place gets on average, plus the value of the deal minus that average (luck), plus
all changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from kqj_sim.cards import parse_card
from kqj_sim.core import block as core_block
from kqj_sim.core import rng
from kqj_sim.core.block import LANES
from kqj_sim.core.code_cache import keep, read_kept
from kqj_sim.core.deal import draw_exchanged_card
from kqj_sim.core.round import play_block
from kqj_sim.core.types import Float64Array
from kqj_sim.engines import get_engine
from kqj_sim.errors import InputError
from kqj_sim.imposed import ImposedContract
from kqj_sim.policies.card_sets import encode_cards
from kqj_sim.policies.players import Player, get_default_player
from kqj_sim.positions.sampling import ActualHands, derive_keys
from kqj_sim.positions.search import Deadline
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.rules import GameRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.workers import count_processors, map_in_threads

RANDOM_WORLDS = 32
"""Times that a round is played on where players choose at random, or cards are not known."""

AVERAGE_DEALS = 1 << 16
"""Deals that give the average of a place."""

_AVERAGE_SEED = 0x4B514A
"""Seed of these deals: the same for all reviews, so that their parts can be added."""


def compute_differences(scores: Float64Array, rules: GameRules) -> Float64Array:
    """Return each team's score minus the mean of the others', of scores (..., teams).

    Where low scores are good it is the opponents' minus the team's.
    """
    scores = rules.score_sign * scores
    others = (scores.sum(axis=-1, keepdims=True) - scores) / (scores.shape[-1] - 1)
    return np.asarray(scores - others)


def find_actual_hands(played: RecordedRound, seed: int, random: bool) -> ActualHands | None:
    """Return the cards of a round as the kernels take them; None if some are not known.

    Args:
        played: the round.
        seed: seed of keys, and of cards that nobody saw.
        random: whether the reference player chooses at random, so that several keys are needed.
    """
    record, rules = played.record, played.rules
    if record.dealt is None or not all(record.dealt):
        if record.hands is None or not all(record.hands):
            return None
        dealt = record.hands if rules.bidding != "take" else None
    else:
        dealt = record.dealt
    if dealt is None and not (record.imposed or not record.calls):
        return None
    count = RANDOM_WORLDS if random else 1
    first = _encode_by_place(played, dealt) if dealt is not None else np.zeros(rules.seats, int)
    hands = None
    if record.sender is not None:
        whole = record.hands if record.hands is not None and all(record.hands) else record.dealt
        hands = _encode_by_place(played, whole)
    if rules.bidding != "take" or dealt is None:
        return _repeat(first, np.zeros(rules.seats, int), hands, derive_keys(seed, 0, count))
    if hands is None:
        return _deal_further_cards(played, first, seed)
    return _divide_hands(played, first, hands, seed, count)


def _encode_by_place(played: RecordedRound, by_seat: Sequence[Sequence[str] | None] | None) -> Any:
    """Return the hands of the places as sets, int64 (places,)."""
    assert by_seat is not None
    rules, game = played.rules, played.rules.game
    return np.array(
        [
            encode_cards(
                [parse_card(text, ranks=rules.ranks) for text in by_seat[played.seat_of(p)] or ()],
                game,
            )
            for p in range(rules.seats)
        ],
        dtype=np.int64,
    )


def _repeat(first: Any, further: Any, hands: Any, keys: Any) -> ActualHands:
    count = len(keys)
    return ActualHands(
        np.tile(np.asarray(first, dtype=np.int64), (count, 1)),
        np.tile(np.asarray(further, dtype=np.int64), (count, 1)),
        None if hands is None else np.tile(hands, (count, 1)),
        keys,
    )


def _deal_further_cards(played: RecordedRound, first: Any, seed: int) -> ActualHands:
    """Return a round that was passed out, with several draws of the cards that nobody saw."""
    keys = derive_keys(seed, 0, RANDOM_WORLDS)
    upcard = encode_cards([played.turned] if played.turned else [])
    pack = (1 << 12) - 1
    whole = sum(pack << 16 * suit for suit in range(4))
    left = whole & ~upcard
    for cards in first:
        left &= ~int(cards)
    bits = [bit for bit in range(64) if left >> bit & 1]
    further = np.zeros((len(keys), len(first)), dtype=np.int64)
    for number in range(len(keys)):
        order = np.random.default_rng([seed % 2**32, number]).permutation(bits).tolist()
        for place in range(len(first)):
            size = 3 if place < len(first) - 1 else 2
            further[number, place] = sum(1 << order.pop() for _ in range(size))
    return ActualHands(np.tile(first, (len(keys), 1)), further, None, keys)


def _divide_hands(
    played: RecordedRound, first: Any, hands: Any, seed: int, count: int
) -> ActualHands:
    """Return a round that was taken, with the cards that each would have got otherwise.

    The Sender has given the dealer a card in place of the Return.  Which one is not recorded: it is
    one of the dealer's further cards, and the key of the draws must choose it again.
    """
    upcard = encode_cards([played.turned] if played.turned else [])
    assert played.record.sender is not None
    sender, dealer = played.place_of(played.record.sender), len(first) - 1
    further = hands & ~first
    if sender == dealer:
        further[dealer] &= ~upcard
        return _repeat(first, further, hands, _list_keys(played, seed, count))
    further[sender] &= ~upcard
    given = [bit for bit in range(64) if int(further[dealer]) >> bit & 1]
    worlds, keys = [], []
    for key in _list_keys(played, seed, 64 * count):
        number = int(draw_exchanged_card(key))
        for bit in given:
            three = [*_list_bits(int(further[sender])), bit]
            if sorted(three)[number] == bit:
                each = further.copy()
                each[sender] |= 1 << bit
                each[dealer] &= ~(1 << bit)
                worlds.append(each)
                keys.append(key)
                break
        if len(keys) == count:
            break
    return ActualHands(
        np.tile(first, (len(keys), 1)),
        np.array(worlds, dtype=np.int64),
        np.tile(hands, (len(keys), 1)),
        np.array(keys, dtype=np.int64),
    )


def _list_bits(cards: int) -> list[int]:
    return [bit for bit in range(64) if cards >> bit & 1]


def _list_keys(played: RecordedRound, seed: int, count: int) -> Any:
    """Return keys of draws, first that with which the engine would have dealt the record."""
    own_seed = getattr(played.source, "seed", None)
    deal = getattr(played.source, "deal", None)
    keys = derive_keys(seed, 0, count)
    if own_seed is not None and deal is not None and 0 <= own_seed < 2**63 and 0 <= deal < 2**62:
        keys[0] = rng.derive_deal_key(own_seed, deal)
    return keys


@dataclass(frozen=True)
class Average:
    """The average value of each place: of the score difference of its side.

    Attributes:
        values: float64 (places,).
        errors: their standard errors.
        deals: number of deals.
    """

    values: Float64Array
    errors: Float64Array
    deals: int


_averages: dict[object, Average] = {}
"""The averages estimated so far."""


def estimate_average(
    rules: GameRules, reference: Player, pending: int, imposed: ImposedContract | None,
    deadline: Deadline | None = None, deals: int = AVERAGE_DEALS,
) -> Average | None:  # fmt: skip
    """Return what each place gets on average if the reference player sits everywhere.

    There is none if the deadline comes before: all rounds are measured by the same average.  That
    of the default player is kept on disk: it takes a fifth of the time of a round's review.
    """
    key = (rules, reference, pending, imposed, deals)
    if key in _averages:
        return _averages[key]
    experiment = Experiment(rules, reference, seed=_AVERAGE_SEED, imposed=imposed)
    game = get_engine(rules)
    core_rules, seating = experiment.compile_seating()
    no_log = np.empty(0, dtype=np.int64)

    def play(state: Any, first: int, count: int) -> Float64Array:
        game.start_deals(state, first, LANES)
        # The dealer in the last seat: seats are places.
        state[core_block.DEALER : core_block.DEALER + LANES] = rules.seats - 1
        state[core_block.PENDING : core_block.PENDING + LANES] = pending
        play_block(state, LANES, experiment.seed, core_rules, seating, no_log)
        if state[core_block.ILLEGAL : core_block.ILLEGAL + LANES].any():
            raise InputError(f"{reference.text} chose what is not allowed")

        def column(name: str) -> Any:
            at = game.column_offset(name)
            return state[at : at + LANES].copy()

        scores = np.stack([column(f"score_{team}") for team in range(rules.team_count)], axis=-1)
        differences = compute_differences(scores.astype(np.float64), rules)
        teams = np.stack([column(f"team_of_seat_{seat}") for seat in range(rules.seats)], axis=-1)
        return np.take_along_axis(differences, teams, axis=-1)

    name = None
    if reference == get_default_player(rules.game):
        # The outcomes of a block tell other rules, players and weights.
        block = play(core_block.allocate_block(), 0, LANES)
        text = repr((rules, reference.text, pending, imposed, deals, _AVERAGE_SEED))
        name = f"{hashlib.sha256(text.encode() + block.tobytes()).hexdigest()[:32]}.average"
    sums = None if name is None else _read_sums(name)
    if sums is None:
        sums = np.zeros((2, rules.seats))
        functions = [partial(play, core_block.allocate_block()) for _ in range(count_processors())]
        for values in map_in_threads(functions, 0, deals, LANES):
            if deadline is not None and deadline.has_passed:
                return None
            sums += values.sum(axis=0), (values**2).sum(axis=0)
        if name is not None:
            with suppress(OSError):
                keep(name, sums.tobytes())
    total, squares = sums
    mean = total / deals
    errors = np.sqrt((squares / deals - mean**2) / (deals - 1))
    return _averages.setdefault(key, Average(mean, errors, deals))


def _read_sums(name: str) -> Float64Array | None:
    """Return sums and squares of the places that an earlier process kept, (2, places)."""
    try:
        return np.frombuffer(read_kept(name)).reshape(2, -1)
    except (OSError, ValueError):
        return None
