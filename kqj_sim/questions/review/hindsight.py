"""The cards of a round as they were: what each place gets on average, and how a round goes on.

The value of a position to a side is the score difference at the end if the reference player plays
on at every seat, with all cards as they are.  With two teams the last cards are valued exactly,
with the best play of all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from kqj_sim.cards import SUITS, Card, parse_card, parse_cards
from kqj_sim.core import block, rng
from kqj_sim.core.block import LANES
from kqj_sim.core.code_cache import keep, read_kept
from kqj_sim.core.deal import draw_exchanged_card
from kqj_sim.core.round import play_block
from kqj_sim.core.types import BoolArray, Float64Array, Int64Array
from kqj_sim.engines import get_engine
from kqj_sim.errors import InputError
from kqj_sim.games import KQJ
from kqj_sim.imposed import ImposedContract
from kqj_sim.policies.card_sets import encode_cards
from kqj_sim.policies.players import Player, get_default_player
from kqj_sim.positions.estimator import make_sampler
from kqj_sim.positions.hidden_cards import Holding
from kqj_sim.positions.measures import GameMeasure
from kqj_sim.positions.position import Position
from kqj_sim.positions.reader import read_round
from kqj_sim.positions.sampling import ActualHands, EstimatePlan, derive_keys
from kqj_sim.positions.search import Deadline
from kqj_sim.positions.solver import LEAST_MADE, Solver
from kqj_sim.questions.review.decisions import Decision, RecordedRound
from kqj_sim.questions.review.grading import GAMES, Grade, derive_seed
from kqj_sim.referee.base import PlayedTrick
from kqj_sim.rules import GameRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.workers import count_processors, map_in_threads
from kqj_sim.stats.intervals import Estimate

RANDOM_WORLDS = 32
"""Times that a round is played on where players choose at random, or cards are not known."""

AVERAGE_DEALS = 1 << 16
"""Deals that give the average of a place."""

_KEY_TRUMPS = 3
"""Hidden trumps that are named."""

_AVERAGE_SEED = 0x4B514A
"""Seed of these deals: the same for all reviews, so that their parts can be added."""


def compute_differences(scores: Float64Array, rules: GameRules) -> Float64Array:
    """Return each team's score minus the mean of the others', of scores (..., teams).

    Where low scores are good it is the opponents' minus the team's.
    """
    scores = rules.score_sign * scores
    others = (scores.sum(axis=-1, keepdims=True) - scores) / (scores.shape[-1] - 1)
    return np.asarray(scores - others)


def value_sides(
    scores: Float64Array, waits: BoolArray, rules: GameRules, games: Sequence[GameMeasure]
) -> Float64Array:
    """Return what rounds with these scores, (..., teams), are worth to each team.

    That is the score difference or, with `games`, the games won in 100; `waits` says whether a
    litigation gratuity waits, (...).
    """
    if not games:
        return compute_differences(scores, rules)
    return GAMES.scale * np.stack([game.look_up(scores, waits) for game in games], axis=-1)


# All cards of a recorded round, as the kernels take them.


def find_actual_hands(played: RecordedRound, seed: int, random: bool) -> ActualHands | None:
    """Return the cards of a round; None if some are not known.

    Args:
        seed: seed of keys, and of cards that nobody saw.
        random: whether the reference player chooses at random, so that several keys are needed.
    """
    record, rules = played.record, played.rules
    dealt, hands = (
        cards if cards is not None and all(cards) else None
        for cards in (record.dealt, record.hands)
    )
    if dealt is None:
        if hands is None:
            return None
        if rules.bidding != "take":
            dealt = hands
        elif record.calls and not record.imposed:
            return None
    count = RANDOM_WORLDS if random else 1
    first, nothing = _encode_by_place(played, dealt), np.zeros(rules.seats, np.int64)
    whole = None if record.sender is None else _encode_by_place(played, hands or dealt)
    if rules.bidding != "take" or dealt is None:
        return _repeat(first, nothing, whole, derive_keys(seed, 0, count))
    if whole is None:
        return _deal_further_cards(played, first, seed)
    return _divide_hands(played, first, whole, seed, count)


def _encode_by_place(
    played: RecordedRound, by_seat: Sequence[Sequence[str] | None] | None
) -> Int64Array:
    """Return the hands of the places as sets, int64 (places,); 0 if they are not known."""
    rules = played.rules
    hands = by_seat or [()] * rules.seats
    by_place = [hands[played.seat_of(place)] or () for place in range(rules.seats)]
    cards = [[parse_card(text, ranks=rules.ranks) for text in hand] for hand in by_place]
    return np.array([encode_cards(hand, rules.game) for hand in cards], dtype=np.int64)


class Held(NamedTuple):
    """A place that may have held hidden cards: the chance of it, and whether it did, if known."""

    place: int
    held_share: Estimate
    held: bool | None


def list_hidden(grade: Grade, confidence: float) -> Iterator[tuple[Holding, list[Held]]]:
    """Yield where hidden cards were thought to be, and were; none if that was not counted."""
    record, where = grade.decision.played.record, grade.whereabouts
    dealt = record.dealt if grade.decision.is_call else record.hands or record.dealt
    hands = _encode_by_place(grade.decision.played, dealt).tolist()
    if where is None:
        return
    for number, holding in enumerate(where.cards.holdings):
        cards = encode_cards(holding.cards, grade.decision.played.rules.game)
        yield (
            holding,
            [
                Held(
                    place,
                    where.estimate(at, number, confidence),
                    (hands[place] & cards).bit_count() >= holding.least if all(hands) else None,
                )
                for at, (place, *_) in enumerate(where.cards.groups[:-2])
            ],
        )


def list_key_cards(position: Position, contract: str | None) -> list[Card]:
    """Return the hidden cards that matter: the highest trumps, else the highest of each suit."""
    known = {*position.hand, *position.plays, position.upcard}
    hidden = {
        suit: [
            card
            for rank in position.referee.list_ranks(suit, contract)
            if (card := Card(rank, suit)) not in known
        ]
        for suit in SUITS
    }
    if contract in hidden:
        return hidden[contract][:_KEY_TRUMPS]
    return [card for cards in hidden.values() for card in cards[:1]]


def _repeat(
    first: Int64Array, further: Int64Array, hands: Int64Array | None, keys: Int64Array
) -> ActualHands:
    """Return the same hands with each key; `further` may have a row for each."""
    shape = len(keys), len(first)
    first, further = (np.broadcast_to(cards, shape).copy() for cards in (first, further))
    return ActualHands(
        first, further, None if hands is None else np.broadcast_to(hands, shape).copy(), keys
    )


def _deal_further_cards(played: RecordedRound, first: Int64Array, seed: int) -> ActualHands:
    """Return a round that was passed out, with several draws of the cards that nobody saw."""
    keys = derive_keys(seed, 0, RANDOM_WORLDS)
    left = sum((1 << 12) - 1 << 16 * suit for suit in range(4)) & ~_encode_upcard(played)
    for cards in first:
        left &= ~int(cards)
    further = np.zeros((len(keys), len(first)), dtype=np.int64)
    for number in range(len(keys)):
        random = np.random.default_rng([seed % 2**32, number])
        order = random.permutation(_list_bits(left)).tolist()
        for place in range(len(first)):
            size = 3 if place < len(first) - 1 else 2
            further[number, place] = sum(1 << order.pop() for _ in range(size))
    return _repeat(first, further, None, keys)


def _divide_hands(
    played: RecordedRound, first: Int64Array, hands: Int64Array, seed: int, count: int
) -> ActualHands:
    """Return a round that was taken, with the cards that each would have got otherwise.

    The Sender has given the dealer a card in place of the Return.  Which one is not recorded: it is
    one of the dealer's further cards, and the key of the draws must choose it again.
    """
    assert played.record.sender is not None
    sender, dealer = played.place_of(played.record.sender), len(first) - 1
    further = hands & ~first
    further[sender] &= ~_encode_upcard(played)
    if sender == dealer:
        return _repeat(first, further, hands, _list_keys(played, seed, count))
    exchangeable, kept = _list_bits(int(further[dealer])), _list_bits(int(further[sender]))
    worlds, keys = [], []
    for key in _list_keys(played, seed, 64 * count):
        number = int(draw_exchanged_card(key))
        for bit in exchangeable:
            if sorted([*kept, bit])[number] == bit:
                world = further.copy()
                world[sender] |= 1 << bit
                world[dealer] &= ~(1 << bit)
                worlds.append(world)
                keys.append(key)
                break
        if len(keys) == count:
            break
    further = np.array(worlds, dtype=np.int64).reshape(-1, len(first))
    return _repeat(first, further, hands, np.array(keys, dtype=np.int64))


def _encode_upcard(played: RecordedRound) -> int:
    return int(encode_cards([played.turned] if played.turned else []))


def _list_bits(cards: int) -> list[int]:
    return [bit for bit in range(64) if cards >> bit & 1]


def _list_keys(played: RecordedRound, seed: int, count: int) -> Int64Array:
    """Return keys of draws, first that with which the engine would have dealt the record."""
    own_seed = getattr(played.source, "seed", None)
    deal = getattr(played.source, "deal", None)
    keys = derive_keys(seed, 0, count)
    if own_seed is not None and deal is not None and 0 <= own_seed < 2**63 and 0 <= deal < 2**62:
        keys[0] = rng.derive_deal_key(own_seed, deal)
    return keys


# The best play with all cards open.

NODES = {2: 200, 3: 50}
"""By the number of teams the tricks begun in searches, for each deal of a decision, after which
earlier cards are not valued: nearly always the last six of each hand are, or the last four."""

_DECIDING = 3
"""As many times that are begun to find the card that decided the contract."""


class OpenHands(NamedTuple):
    """A finished round with all cards open, as far as it was solved; turns are numbered from 0.

    Attributes:
        values: by turn, the value of each legal card to the player's side.
        made: True if the contract was made.
        deciding: the last turn before which it was not yet so with the best play; None: there is
            none, or it is not known.
        is_known: False if it is not known.
    """

    values: dict[int, dict[str, float]]
    made: bool
    deciding: int | None
    is_known: bool


def solve_backwards(played: RecordedRound, turns: Container[int], deals: int) -> OpenHands | None:
    """Return a round with all cards open, some `turns` of it with values.

    It is solved from the last card on, until the search becomes too long: `NODES` for each of
    `deals`.  With three teams those who defend play together, so that only the cards of the
    contracting team have values.  None if the round has no contract, or is not over.
    """
    rules, score = played.rules, played.score
    is_over = len(played.record.tricks) == rules.tricks
    if rules.game != KQJ.name or score is None or not is_over:
        return None
    whole, solver, most = read_round(played.record), Solver(), NODES[rules.team_count] * deals
    solver.load(replace(whole, plays=()))
    for card in whole.plays:
        solver.play(card)
    values: dict[int, dict[str, float]] = {}
    made, deciding = score.result == "made", None
    for turn in reversed(range(len(whole.plays))):
        solver.take_back()
        if solver.nodes > (most if deciding is not None else _DECIDING * most):
            return OpenHands(values, made, deciding, deciding is not None)
        if len(solver.position.legal_cards) == 1:
            continue
        is_valued = rules.team_count == 2 or solver.is_contracting
        if turn in turns and is_valued and solver.nodes <= most:
            sign = 1 if solver.is_contracting else -1
            values[turn] = {str(card): sign * lead for card, lead in solver.rate_cards()}
        # Whoever gained by the result cannot have given it away.
        if deciding is None and solver.is_contracting != made:
            deciding = turn if solver.reaches(LEAST_MADE[rules.team_count]) != made else None
    return OpenHands(values, made, deciding, True)


# What a place gets on average.


_averages: dict[object, Float64Array] = {}


def estimate_average(
    rules: GameRules, reference: Player, pending: int, imposed: ImposedContract | None,
    deadline: Deadline | None = None, deals: int = AVERAGE_DEALS,
) -> Float64Array | None:  # fmt: skip
    """Return what each place gets on average if the reference player sits everywhere.

    It is float64 (2, places): means of the score difference of its side, and their standard errors.
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
        state[block.DEALER : block.DEALER + LANES] = rules.seats - 1
        state[block.PENDING : block.PENDING + LANES] = pending
        play_block(state, LANES, experiment.seed, core_rules, seating, no_log)
        if state[block.ILLEGAL : block.ILLEGAL + LANES].any():
            raise InputError(f"{reference.text} chose what is not allowed")

        def read_columns(name: str, count: int) -> Any:
            offsets = [game.column_offset(f"{name}_{number}") for number in range(count)]
            return np.stack([state[at : at + LANES] for at in offsets], axis=-1)

        scores = read_columns("score", rules.team_count).astype(np.float64)
        teams = read_columns("team_of_seat", rules.seats)
        return np.take_along_axis(compute_differences(scores, rules), teams, axis=-1)

    name = None
    if reference == get_default_player(rules.game):
        # The outcomes of a block tell other rules, players and weights.
        outcomes = play(block.allocate_block(), 0, LANES)
        text = repr((rules, reference.text, pending, imposed, deals, _AVERAGE_SEED))
        name = f"{hashlib.sha256(text.encode() + outcomes.tobytes()).hexdigest()[:32]}.average"
    sums = None
    if name is not None:
        with suppress(OSError, ValueError):
            sums = np.frombuffer(read_kept(name)).reshape(2, -1)
    if sums is None:
        sums = np.zeros((2, rules.seats))
        functions = [partial(play, block.allocate_block()) for _ in range(count_processors())]
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
    return _averages.setdefault(key, np.stack([mean, errors]))


class Continuation:
    """Continuations of a round; cards asked for before are not asked for again.

    Args:
        played: the round, of which all hands are known.
        reference: the player who plays on; of one who chooses at random a single way to go on.
        seed: seed of the draws of such a player.
    """

    def __init__(self, played: RecordedRound, reference: Player, seed: int) -> None:
        hands, ranks = played.record.hands or (), played.rules.ranks
        self._hands = [parse_cards(" ".join(hand or ()), ranks=ranks) for hand in hands]
        self._players = [reference] * played.rules.seats
        self._plan = EstimatePlan(seed=derive_seed(seed, played.line))
        self._chosen: dict[tuple[Card, ...], Card] = {}

    def list_tricks(self, decision: Decision, card: Card) -> list[PlayedTrick]:
        """Return the tricks from that of a decision on, if this card is played there."""
        position = self._play(decision.knowledge, card)
        while not position.is_over:
            if position.plays not in self._chosen:
                self._chosen[position.plays] = self._choose(position)
            position = self._play(position, self._chosen[position.plays])
        # Each trick is led by the winner of the one before; the last one has no cards.
        tricks = position.tricks[decision.trick - 1 :]
        return [PlayedTrick(*trick, winner) for trick, (winner, _) in pairwise(tricks)]

    def _play(self, position: Position, card: Card) -> Position:
        """Return the position of the player after this card, who sees their own hand."""
        plays = (*position.plays, card)
        unknown = replace(position, plays=plays, hands=((),) * len(self._hands))
        if unknown.is_over:
            return unknown
        hands = [hand if seat == unknown.seat else () for seat, hand in enumerate(self._hands)]
        return replace(unknown, hands=tuple(hands))

    def _choose(self, position: Position) -> Card:
        legal = position.legal_cards
        if len(legal) == 1:
            return legal[0]
        sampler = make_sampler(position, self._players, self._plan, 0)
        (text,) = sampler.ask(derive_keys(self._plan.seed, 0, 1))
        return position.referee.card_by_text[text]
