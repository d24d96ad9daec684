"""Kernels that only the page needs: Python asks the referee instead, or calls plain functions.

Those of estimates have `moments` as their first arguments: the members of a `WeightedMoments`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kqj_sim.core import block
from kqj_sim.core import types as t
from kqj_sim.core.auction import CODE, KIND, PLACE
from kqj_sim.core.bidding import LOG_COUNTER, LOG_OVERCOUNTER
from kqj_sim.core.call_odds import choose_calls
from kqj_sim.core.card_odds import CardTurn, choose_cards
from kqj_sim.core.cards import (
    ALL_TRUMPS,
    EACH_SUIT,
    NO_TRUMP,
    PACK,
    TOP_SUIT,
    TRUMP_JACK,
    TRUMP_KING,
    TRUMP_QUEEN,
    count_card_points,
    popcount,
    to_natural_order,
    to_strength_order,
)
from kqj_sim.core.deal import deal_first_cards, deal_further_cards
from kqj_sim.core.dispatch import BID, COUNTER, OVERCOUNTER, TAKE
from kqj_sim.core.jit import kernel, scalar
from kqj_sim.core.rng import derive_deal_key
from kqj_sim.core.round import complete_hands, play_block, start_deals
from kqj_sim.core.scoring import count_tricks, score_rounds
from kqj_sim.core.trick import (
    find_legal_cards,
    has_partner_as_master,
    read_hand,
    read_master,
    read_trick,
)
from kqj_sim.games.kqj import call_sampler, card_sampler
from kqj_sim.games.kqj.card_sampler import KqjCardSampler
from kqj_sim.output import card_reasons
from kqj_sim.policies.particles import OpponentModel
from kqj_sim.positions import open_hands
from kqj_sim.positions.measures import (
    ENDINGS,
    Measure,
    get_kqj_call_measures,
    get_kqj_card_measures,
)
from kqj_sim.positions.sampling import CERTAIN
from kqj_sim.rules import KqjRules
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE, Estimate
from kqj_sim.stats.moments import Objective, WeightedMoments

_find_reasons = scalar(card_reasons.find_reasons)
_QUARTERS = round(4 * card_sampler.POWER)


@kernel
def find_playable_cards(state: t.Block, position: int) -> t.CardSet:
    """Return the known cards that a position of lane 0 may play, natural coding."""
    return to_natural_order(find_legal_cards(state, 0, position), state[block.CONTRACT])


@kernel
def find_leader(state: t.Block) -> int:
    """Return the place that leads to the trick of lane 0."""
    return state[block.LEADER] % block.SEATS


@kernel
def order_by_strength(state: t.Block, cards: t.CardSet) -> t.CardSet:
    """Return cards by strength for the contract of lane 0."""
    return to_strength_order(cards, state[block.CONTRACT])


@scalar
def _count_points(state: t.Block, card: t.Card) -> int:
    planes = block.POINT_PLANES
    return count_card_points(
        card, state[planes], state[planes + block.STRIDE], state[planes + 2 * block.STRIDE],
        state[planes + 3 * block.STRIDE], state[planes + 4 * block.STRIDE],
    )  # fmt: skip


# Code kept on disk would not notice changes of `card_reasons.py`.
@kernel(cache=False)
def compare_cards(
    state: t.Block, position: int, better: t.CardSet, other: t.CardSet, points: t.Int64Array
) -> int:
    """Return the reasons (`Reason`) of a position of lane 0 for a card rather than another.

    Args:
        state, position: the turn to play.
        better, other: the cards, natural coding.
        points: int64 (1,), filled with the points of `better`, less those of `other`.
    """
    contract = state[block.CONTRACT]
    better, other = to_strength_order(better, contract), to_strength_order(other, contract)
    points[0] = _count_points(state, better) - _count_points(state, other)
    hand, trick = read_hand(state, 0, position), read_trick(state, 0, position)
    trumps = TOP_SUIT if contract < NO_TRUMP else (PACK if contract == ALL_TRUMPS else 0)
    return _find_reasons(
        better,
        other,
        points[0],
        hand,
        PACK & ~(hand | trick | state[block.PLAYED_CARDS]),
        trumps,
        trumps & (EACH_SUIT << TRUMP_KING),
        state[block.TRICK_CARDS] if position > 0 else 0,
        read_master(state, 0) if position > 0 else 0,
        position == block.SEATS - 1,
        position > 0 and has_partner_as_master(state, 0, position),
    )


@kernel
def play_round(
    state: t.Block, log: t.Int64Array, deal: int, rules: t.Rules, seating: t.Seating, cards:
    t.Int64Array, calls: t.Int64Array, plays: t.Int64Array,
) -> int:  # fmt: skip
    """Deal, call and play a round of seed 1, and list its cards and calls in natural coding.

    Args:
        state: a block.
        log: int64 (`core.bidding.LOG_SIZE`,).
        deal: its number.
        rules: the rules.
        seating: the players; it keeps the history.
        cards: int64 (13,), filled with the first five cards of each place, the Return, and the
            eight cards of each place; if nobody took these mean nothing.
        calls: int64 (`core.bidding.MAX_CALLS`, `core.auction.CALL_SIZE`), filled.
        plays: int64 (48,), filled with the cards in the order of play, if there is a contract.

    Returns:
        The number of calls.
    """
    start_deals(state, deal, 1)
    play_block(state, 1, 1, rules, seating, log)
    for place in range(block.SEATS):
        cards[place] = state[block.cell_index(block.FIRST_FIVE + place * block.STRIDE, 0)]
    cards[block.SEATS] = state[block.UPCARD]
    count = state[block.CALL_COUNT]
    for number in range(count):
        entry = log[number * block.STRIDE]
        kind, code = entry & 15, entry >> 8
        calls[number, PLACE] = (entry >> 4) & 15
        calls[number, KIND] = BID if rules.auction else TAKE
        calls[number, CODE] = code
        if kind in (LOG_COUNTER, LOG_OVERCOUNTER):
            calls[number, KIND] = COUNTER if kind == LOG_COUNTER else OVERCOUNTER
            calls[number, CODE] = 1
    contract = state[block.CONTRACT]
    for place in range(block.SEATS):
        hand = state[block.cell_index(block.DEALT + place * block.STRIDE, 0)]
        # Only play orders them by strength.
        cards[1 + block.SEATS + place] = hand if contract < 0 else to_natural_order(hand, contract)
    if contract >= 0:
        for number in range(block.SEATS * block.TRICKS):
            offset = block.history_offset(number // block.SEATS, 1 + number % block.SEATS)
            plays[number] = to_natural_order(state[block.cell_index(offset, 0)], contract)
    return int(count)


@kernel
def deal_round(
    state: t.Block, deal: int, seed: int, sender: int, rules: t.Rules, cards: t.Int64Array
) -> None:
    """Deal the cards of a round whose Sender is known.

    Args:
        state: a block.
        sender: place of the Sender, who takes the Return with taking; -1 if nobody is.
        cards: int64 (13,), filled as by `play_round`.
    """
    state[block.KEY] = derive_deal_key(seed, deal)
    state[block.SENDER] = sender
    deal_first_cards(state, 1)
    deal_further_cards(state, 1)
    complete_hands(state, 1, 1 - rules.auction)
    for place in range(block.SEATS):
        row = place * block.STRIDE
        cards[place] = state[block.cell_index(block.FIRST_FIVE + row, 0)]
        cards[1 + block.SEATS + place] = state[block.cell_index(block.DEALT + row, 0)]
    cards[block.SEATS] = state[block.UPCARD]


@kernel
def count_won_cards(state: t.Block, counted: t.Int64Array) -> None:
    """Fill int64 (6,) with the card points and the tricks won so far by three teams in lane 0."""
    first, second = state[block.WON_CARDS], state[block.WON_CARDS + block.STRIDE]
    third = state[block.PLAYED_CARDS] & ~(first | second)
    for team, cards in enumerate((first, second, third)):
        counted[team] = _count_points(state, cards)
        counted[3 + team] = popcount(cards) // block.SEATS


_RESULT, _PENDING_AFTER = map(block.column_offset, ("result", "pending_after"))
_CARD_POINTS, _TRICKS, _TOTAL, _GRATUITY, _SCORE = (
    block.column_offset(f"{name}_0")
    for name in ("card_points", "tricks", "total", "gratuity", "score")
)

SCORE_SIZE = 2 + 5 * 3 + 2 * block.SEATS
"""Numbers of a score: result, gratuity left; card points, tricks, totals, gratuities and scores of
three teams; and of each place the Queens of its KQ, and those of its KQJ, natural coding."""


@kernel
def score_round(state: t.Block, rules: t.Rules, scored: t.Int64Array) -> None:
    """Score the round to whose end `replay_plays` brought lane 0; fill int64 (SCORE_SIZE,)."""
    count_tricks(state, 1, rules)
    score_rounds(state, 1, rules)
    scored[0], scored[1] = state[_RESULT], state[_PENDING_AFTER]
    for team in range(3):
        row = team * block.STRIDE
        scored[2 + team] = state[block.cell_index(_CARD_POINTS + row, 0)]
        scored[5 + team] = state[block.cell_index(_TRICKS + row, 0)]
        scored[8 + team] = state[block.cell_index(_TOTAL + row, 0)]
        scored[11 + team] = state[block.cell_index(_GRATUITY + row, 0)]
        scored[14 + team] = state[block.cell_index(_SCORE + row, 0)]
    for place in range(block.SEATS):
        hand = state[block.cell_index(block.DEALT + place * block.STRIDE, 0)]
        later = hand & state[block.UPPER_PLAYED_EARLIER]
        queens = later & (hand >> 1) & state[block.MUST_BEAT] & (EACH_SUIT << TRUMP_QUEEN)
        with_jack = queens & ((later & (EACH_SUIT << TRUMP_JACK)) << 1)
        contract = state[block.CONTRACT]
        scored[17 + place] = to_natural_order(queens & ~with_jack, contract)
        scored[17 + block.SEATS + place] = to_natural_order(with_jack, contract)


def make_measure_kernel(name: str, measure: Measure) -> t.Kernel:
    """Return a kernel (outcomes, values) that fills a measure, float64 (options, n).

    Outcomes are int16 (options, n, OUTCOME_SIZE).
    """
    compute = scalar(measure)

    @kernel(cache=False)
    def compute_measure(outcomes: t.Int16Array, values: t.Float64Array) -> None:
        for option in range(outcomes.shape[0]):
            for deal in range(outcomes.shape[1]):
                values[option, deal] = compute(outcomes[option, deal])

    compute_measure.__name__ = f"measure_{name}"
    return compute_measure


@scalar
def _write(estimate: Estimate, found: t.Float64Array) -> None:
    """Write an estimate as its value and its bounds."""
    found[0], found[1], found[2] = estimate.value, estimate.low, estimate.high


@kernel(cache=False)
def estimate_measure(
    moments: WeightedMoments, measure: int, option: int, baseline: int, is_share: int,
    found: t.Float64Array,
) -> None:  # fmt: skip
    """Estimate a measure of an option, or its lead over a baseline if that is not negative."""
    if baseline >= 0:
        _write(moments.estimate_mean(measure, option, DEFAULT_CONFIDENCE, baseline), found)
    else:
        share = is_share != 0
        _write(moments.estimate_mean(measure, option, DEFAULT_CONFIDENCE, is_share=share), found)


@kernel(cache=False)
def rank_options(moments: WeightedMoments, measure: int, order: t.Int64Array) -> None:
    """Fill int64 (n,) with the first n options by falling mean of a measure."""
    order[:] = moments.ranking(Objective(measure, measure, len(order), 0.0))


@kernel(cache=False)
def is_certain(moments: WeightedMoments, value: int, share: int, bound: int, options: int) -> int:
    """Return 1 if the best option is certain to be so."""
    objective = Objective(value, share, options, float(bound))
    return int(moments.is_conclusive(moments.best(objective), objective, 0.0, CERTAIN))


@kernel(cache=False)
def find_possible(
    moments: WeightedMoments, value: int, share: int, bound: int, possible: t.Int64Array
) -> None:
    """Fill int64 (n,) with 1 for those of the first n options that may be the best, else 0."""
    objective = Objective(value, share, len(possible), float(bound))
    possible[:] = moments.find_possible(moments.best(objective), objective)


@kernel(cache=False)
def estimate_reach(
    moments: WeightedMoments, totals: t.Float64Array, squares: t.Float64Array, amount: int,
    found: t.Float64Array,
) -> None:  # fmt: skip
    """Estimate the chance to reach an amount (`call_sampler.estimate_reach`)."""
    _write(call_sampler.estimate_reach(moments, totals, squares, amount, DEFAULT_CONFIDENCE), found)


@kernel(cache=False)
def choose_amounts(
    moments: WeightedMoments, totals: t.Float64Array, squares: t.Float64Array, lowest: int,
    highest: int, amounts: t.Int64Array,
) -> int:  # fmt: skip
    """Fill the amounts that are tried out (`call_sampler.choose_amounts`); return their number."""
    found = call_sampler.choose_amounts(moments, totals, squares, lowest, highest)
    amounts[: len(found)] = found
    return len(found)


@kernel(cache=False)
def add_totals(
    outcomes: t.Int16Array, weights: t.Float64Array, lists: t.Int64Array, totals: t.Float64Array,
    squares: t.Float64Array,
) -> None:  # fmt: skip
    """Add the totals of outcomes (`call_sampler.add_totals`), whatever the ending."""
    options, size = totals.shape
    by_ending = np.zeros((options, ENDINGS, size))
    call_sampler.add_totals(outcomes, weights, lists, by_ending, squares)
    for option in range(options):
        for ending in range(ENDINGS):
            for total in range(size):
                totals[option, total] += by_ending[option, ending, total]


@kernel(cache=False)
def weigh_layouts(
    turn: CardTurn, layouts: t.Int64Array, model: OpponentModel, weights: t.Float64Array
) -> None:
    """Fill the weights of layouts by the plays (`plays.weigh_layouts`)."""
    weights[:] = card_sampler.weigh_layouts(turn, layouts, model, _QUARTERS)


@kernel(cache=False)
def weigh_errors(
    turn: CardTurn, layouts: t.Int64Array, weights: t.Float64Array, model: OpponentModel,
    sums: t.Float64Array,
) -> None:  # fmt: skip
    """Fill in by how much the cards played were errors (`card_sampler.weigh_errors`)."""
    sums[:] = card_sampler.weigh_errors(turn, layouts, weights, model)


@kernel(cache=False)
def choose_least_weight(weights: t.Float64Array, cost: t.Float64Array) -> None:
    """Replace the cost of a playout by the least weight (`plays.choose_least_weight`)."""
    cost[0] = card_sampler.choose_least_weight(weights, cost[0])


@kernel(cache=False)
def count_ways(
    turn: CardTurn, layouts: t.Int64Array, seed: int, rules: t.Rules, seating: t.Seating,
    ways: t.Float64Array,
) -> None:  # fmt: skip
    """Fill in how many ways layouts agree with the calls (`card_sampler.count_ways`)."""
    ways[:] = card_sampler.count_ways(turn, layouts, seed, rules, seating)


@kernel(cache=False)
def value_open_cards(
    space: t.Int64Array, table: t.Int64Array, state: t.Block, leads: t.Int64Array,
    levels: t.Int64Array, hands: t.Int64Array, teams: t.Int64Array, scoring: t.Int64Array,
    contract: int, plays: t.Int64Array, cards: t.Int64Array, most: int, values: t.Int64Array,
) -> int:  # fmt: skip
    """Fill twice the lead of the contracting side after each card, with all cards open.

    Seats are places.  See `positions.open_hands`.

    Args:
        space: int64 (WORKSPACE,), zeros; `table`: int64 (a power of two of ENTRY), zeros.
        state, leads: the block that `fill_leads` used, and what it filled.
        levels: twice the leads that there may be, ascending.
        hands, teams: int64 (6,), the eight cards of each place, and 0 for the contracting team.
        scoring: int64 (7,), that of `fill_leads`.
        plays, cards: the cards so far, and those to value, natural coding.
        most: after so many tricks begun in searches the rest is left out.

    Returns:
        The number of cards that are valued.
    """
    w = space.ctypes.data
    space[open_hands.TABLE] = table.ctypes.data
    space[open_hands.TABLE_SIZE] = len(table) // open_hands.ENTRY
    space[open_hands.BLOCK], space[open_hands.LEADS] = state.ctypes.data, leads.ctypes.data
    space[open_hands.THREE] = teams.max() == 2
    space[open_hands.EXACT] = teams.max() == 2 and scoring[3] > 0
    open_hands.load_deal(space, hands, teams, contract, scoring)
    turn = np.zeros(9, np.int64)
    turn[2] = PACK
    for card in plays:
        open_hands.play(w, turn, card)
    held, before = space[: open_hands.SIDES].copy(), turn.copy()
    for number in range(len(cards)):
        if space[open_hands.NODES] > most:
            return number
        open_hands.play(w, turn, cards[number])
        values[number] = levels[open_hands.find_lead(w, turn, levels, 0, len(levels) - 1)]
        space[: open_hands.SIDES], turn[:] = held, before
    return len(cards)


def list_examples(sampler: KqjCardSampler) -> Iterator[tuple[t.Kernel, tuple[Any, ...]]]:
    """Yield the kernels that are not compiled by answers, with arguments of the types they get."""
    moments, ints = WeightedMoments.zeros(1, 1), np.zeros(1, np.int64)
    one, two = np.zeros(1), np.zeros((1, 1))
    yield open_hands.fill_leads, (block.allocate_block(), np.zeros((3, 1, 1), np.int64), ints)
    space = (ints, ints, block.allocate_block(), np.zeros((3, 1, 1), np.int64))
    yield value_open_cards, (*space, *[ints] * 4, 0, ints, ints, 0, ints)
    outcomes, layouts = np.zeros((1, 1, 1), np.int16), np.zeros((1, block.SEATS), np.int64)
    assert sampler.play_model is not None
    yield estimate_measure, (moments, 0, 0, 0, 0, one)
    yield rank_options, (moments, 0, ints)
    yield is_certain, (moments, 0, 0, 0, 0)
    yield find_possible, (moments, 0, 0, 0, ints)
    yield estimate_reach, (moments, two, two, 0, one)
    yield choose_amounts, (moments, two, two, 0, 0, ints)
    yield add_totals, (outcomes, one, ints, two, np.zeros((1, 3, 1)))
    yield weigh_layouts, (sampler.turn, layouts, sampler.play_model.model, one)
    yield weigh_errors, (sampler.turn, layouts, one, sampler.play_model.model, one)
    yield choose_least_weight, (one, one)
    rules, seating = sampler._rules, sampler._seating
    yield count_ways, (sampler.turn, layouts, 0, rules, seating, one)
    yield choose_calls, (ints, ints, ints, rules, seating, ints)
    yield choose_cards, (sampler.turn, ints, rules, seating, ints)
    yield deal_round, (ints, 0, 0, 0, rules, ints)
    yield count_won_cards, (ints, ints)
    yield score_round, (ints, rules, ints)
    auction = KqjRules(bidding="auction")
    tables = get_kqj_call_measures(auction), get_kqj_card_measures(auction)
    for name, measure in {**tables[0].functions, **tables[1].functions}.items():
        yield make_measure_kernel(name, measure), (outcomes, two)
