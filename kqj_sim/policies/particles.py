"""Sampled layouts of the hidden cards, weighed by the chance of the observed calls and cards.

The chance of a choice whose value lacks d to the best one is proportional to
1 / (1 + d / patience)**2.  For cards this predicts better than exponentials: people and policies
differ from any model, and still play a card now and then that it thinks bad.

A layout gives the hand of each player.  The round is replayed as all have seen it, and at every
turn of another player the weight of each layout is multiplied by the chance of the card played
from the hand held there.  Then layouts are resampled by their weights (a particle filter).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core import block as b
from kqj_sim.core import cards as c
from kqj_sim.core import rng
from kqj_sim.core import types as t
from kqj_sim.core.block import LANE_MULTIPLE, SEATS, TRICKS
from kqj_sim.core.dispatch import LEAD, call_value_cards
from kqj_sim.core.hidden_hands import draw_subset
from kqj_sim.core.jit import block_loop, kernel, scalar, stack_float32, stack_int64
from kqj_sim.core.playouts import copy_lanes
from kqj_sim.core.round import CARD_VALUES
from kqj_sim.core.trick import find_legal_cards, finish_trick, put_card
from kqj_sim.core.views import TakeView, last_bid_amount, last_bid_contract
from kqj_sim.core.weighted_layouts import HandLists
from kqj_sim.policies import points
from kqj_sim.policies.tools import normal_share

_OPENING_MARGIN, _RAISE_MARGIN = 0.5, 0.2
"""Standard deviations of a total by which bidders expect to exceed the lowest amount, or their bid
when others have bid before."""

CALL_SOFTNESS = 10.0
"""Points of count around a call's threshold within which some players make it and some do not."""

_OTHER_REASON_CHANCE = 0.05
"""Chance that a player bids for another reason than the count."""

_MAX_CHOICES = 7
"""A pass and the contracts."""


@scalar
def chance_of_choice(values: Any, choices: int, choice: int, patience: float) -> float:
    """Return the chance of one of some choices for a player who gives them these values."""
    best = values[0]
    for number in range(1, choices):
        best = max(best, values[number])
    total = 0.0
    for number in range(choices):
        lacking = 1.0 + (best - values[number]) / patience
        total += 1.0 / (lacking * lacking)
    lacking = 1.0 + (best - values[choice]) / patience
    return 1.0 / (lacking * lacking * total)


@scalar
def chance_of_bid(
    state: t.Block, lane: int, place: t.Place, hand: t.CardSet, rules: t.Rules
) -> float:
    """Return the chance that a place bids as it last did with eight cards; 1 if it did not bid."""
    last_bids = state[b.LAST_BIDS + lane]
    amount = last_bid_amount(last_bids, place)
    if amount == 0:
        return 1.0
    fitted = points.get_fitted(rules.teams)
    contract = last_bid_contract(last_bids, place)
    spare = _OPENING_MARGIN if amount <= rules.minimum_bid else _RAISE_MARGIN
    needed = amount + spare * fitted.spread
    needed -= points.base_total(contract, fitted)
    partners, _ = points.summarise_bids(last_bids, state[b.PLAYERS + lane], place, contract)
    needed -= fitted.named * partners
    needed /= fitted.per_count
    return normal_share((points.count_points(hand, contract, fitted) - needed) / CALL_SOFTNESS)


@scalar
def _chance_of_take(view: TakeView, taken: t.Contract) -> float:
    """Return the chance that a contract is taken, or with -1 that the player passes."""
    values = stack_float32(_MAX_CHOICES)
    fitted = points.get_fitted(view.team_count)
    values[0] = points.threshold_to_take(view, fitted)
    choices, chosen = 1, 0
    suit = c.trailing_zeros(view.turned) >> 4
    for contract in range(c.NO_TRUMP + 2 * view.all_no_trump):
        if view.lap == 2 or contract >= c.NO_TRUMP or contract == suit:
            values[choices] = points.count_to_take(view, contract, fitted)
            chosen = choices if contract == taken else chosen
            choices += 1
    return chance_of_choice(values, choices, chosen, 2.0 * CALL_SOFTNESS)


@scalar
def _chance_of_taking_calls(
    state: t.Block, lane: int, place: t.Place, hand: t.CardSet, rules: t.Rules, key: t.Key
) -> float:
    """Return the chance that a place passed, or took, as it did.

    It had five cards then: they are drawn from its eight, without the Return.
    """
    sender, last_lap = state[b.SENDER + lane], state[b.LAP + lane]
    if last_lap == 0 or (last_lap == 1 and place > sender):
        return 1.0
    upcard = state[b.UPCARD + lane]
    first = draw_subset(hand & ~upcard, 5, key, 8 * place)
    chance = 1.0
    for lap in range(1, last_lap + 1):
        if lap < last_lap or place <= sender:
            may_name = rules.all_no_trump == 1 or (rules.all_no_trump == 0 and lap == 2)
            view = TakeView(
                first, upcard, lap, place, 1 if may_name else 0, state[b.PLAYERS + lane],
                rules.teams, 0,
            )  # fmt: skip
            takes = lap == last_lap and place == sender
            chance *= _chance_of_take(view, state[b.CONTRACT + lane] if takes else -1)
    return chance


@scalar
def chance_of_calls(
    state: t.Block, lane: int, place: t.Place, hand: t.CardSet, rules: t.Rules, key: t.Key
) -> float:
    """Return the chance of a place's calls, all made, with eight cards in natural coding.

    Passes in auctions, and counters, do not count against a hand.  With an imposed contract nothing
    was called, and it is 1.  Whoever called, the count is that of `points`: of the questions of an
    auction a round in play has only the last bids.
    """
    if rules.auction != 0:
        return _OTHER_REASON_CHANCE + (1.0 - _OTHER_REASON_CHANCE) * chance_of_bid(
            state, lane, place, hand, rules
        )
    return _chance_of_taking_calls(state, lane, place, hand, rules, key)


class OpponentModel(NamedTuple):
    """The assumed play of the others: the policy whose values they go by, and how closely.

    A card is an error with a chance of its own, and then any legal one.
    """

    table: t.Seating
    patience: float
    rules: t.Rules
    error_rate: float


@scalar
def _copy_to_first_lead(state: t.Block, lane: int, block: t.Block) -> None:
    """Copy a lane at its first lead to lane 0 of another block, without the hands."""
    sources = stack_int64(LANE_MULTIPLE)
    sources[0] = lane
    copy_lanes(state, block, sources, 1)
    block[b.PLAYERS_BY_POSITION] = state[b.PLAYERS + lane]
    block[b.LEADER] = 0
    block[b.PLAYED_CARDS] = 0
    block[b.WON_CARDS] = 0
    block[b.WON_CARDS + b.STRIDE] = 0


@scalar
def _read_played_card(
    state: t.Block, lane: int, trick: int, number: int, position: t.Position
) -> int:
    """Return the card of a position in a trick, the trick on the table being `trick`."""
    row = (
        b.history_offset(number, 1 + position)
        if number < trick
        else b.TRICK_CARDS + position * b.STRIDE
    )
    return int(state[b.cell_index(row, lane)])


@scalar
def _chance_of_card(
    block: t.Block,
    trick: int,
    position: t.Position,
    hand: t.CardSet,
    card: t.Card,
    model: OpponentModel,
) -> float:
    """Return the chance that a position of lane 0 plays a card from a hand."""
    block[b.cell_index(b.HAND + position * b.STRIDE, 0)] = hand
    teams = model.rules.teams
    legal = find_legal_cards(block, 0, position)
    choices = c.popcount(legal)
    if choices == 1:
        return 1.0
    values = stack_float32(TRICKS)
    weights = model.table.resources[LEAD * t.MAX_POLICIES]
    call_value_cards(
        model.table.resume[CARD_VALUES], (block, 0, trick, position, teams, weights, values)
    )
    chosen = c.popcount(legal & (card - 1))
    chance = chance_of_choice(values, choices, chosen, model.patience)
    return model.error_rate / choices + (1.0 - model.error_rate) * chance


@scalar
def collect_played_cards(
    state: t.Block, lane: int, trick: int, position: t.Position, seats: int, played: Any
) -> None:
    """Write the cards that each place has played before the turn of a position to `played`."""
    for place in range(seats):
        played[place] = 0
    for number in range(trick + 1):
        leader = (
            state[b.cell_index(b.history_offset(number, 0), lane)]
            if number < trick
            else state[b.LEADER + lane]
        )
        for turn in range(seats if number < trick else position):
            played[(leader + turn) % seats] |= _read_played_card(state, lane, trick, number, turn)


class HandsByPlace(NamedTuple):
    """Hands of each place, in one of two arrangements: lists, or the layouts of a sample.

    Hand k of a place is `hands[first[place] + k * step]`, its chance `chances[target[place] + k]`.
    """

    hands: Any
    first: Any
    step: int
    counts: Any
    chances: Any
    target: Any


@scalar
def arrange_layouts(layouts: Any, count: int, weights: Any) -> HandsByPlace:
    """Return the hands of layouts, all of whose chances multiply the layout's weight."""
    first, counts = np.empty(b.SEATS, np.int64), np.empty(b.SEATS, np.int64)
    for place in range(b.SEATS):
        first[place] = place
        counts[place] = count
    return HandsByPlace(layouts, first, b.SEATS, counts, weights, np.zeros(b.SEATS, np.int64))


@scalar
def _arrange_lists(lists: HandLists) -> HandsByPlace:
    """Return the hands of lists, each with a chance of its own."""
    counts = np.empty(b.SEATS, np.int64)
    for place in range(b.SEATS):
        counts[place] = lists.starts[place + 1] - lists.starts[place]
    return HandsByPlace(lists.hands, lists.starts, 1, counts, lists.factors, lists.starts)


@block_loop
def weigh_by_calls(
    state: t.Block, lane: int, trick: int, position: t.Position, key: t.Key, model: OpponentModel,
    held: HandsByPlace,
) -> None:  # fmt: skip
    """Multiply the chances of hands by those of the others' calls.

    `state`, `lane`, `trick` and `position` are the turn of the player, whose own choices tell
    nothing.
    """
    own = (state[b.LEADER + lane] + position) % b.SEATS
    contract = state[b.CONTRACT + lane]
    played = stack_int64(SEATS)
    collect_played_cards(state, lane, trick, position, b.SEATS, played)
    for place in range(b.SEATS):
        for k in range(held.counts[place] if place != own else 0):
            cards = held.hands[held.first[place] + k * held.step] | played[place]
            chance = chance_of_calls(
                state, lane, place, c.to_natural_order(cards, contract), model.rules,
                rng.derive_deal_key(key, k),
            )  # fmt: skip
            held.chances[held.target[place] + k] *= chance


@block_loop
def weigh_by_cards(
    state: t.Block, lane: int, trick: int, position: t.Position, model: OpponentModel,
    block: t.Block, held: HandsByPlace,
) -> None:  # fmt: skip
    """Multiply the chances of hands by those of the cards that the others played.

    Arguments as for `weigh_by_calls`; the lanes of `block` are overwritten.
    """
    own = (state[b.LEADER + lane] + position) % b.SEATS
    played = stack_int64(SEATS)
    collect_played_cards(state, lane, trick, position, b.SEATS, played)
    _copy_to_first_lead(state, lane, block)
    for number in range(trick + 1):
        for turn in range(b.SEATS if number < trick else position):
            place = (block[b.LEADER] + turn) % b.SEATS
            card = _read_played_card(state, lane, trick, number, turn)
            for k in range(held.counts[place] if place != own else 0):
                hand = held.hands[held.first[place] + k * held.step] | played[place]
                chance = _chance_of_card(block, number, turn, hand, card, model)
                held.chances[held.target[place] + k] *= chance
            played[place] ^= card
            put_card(block, 0, turn, card)
        if number < trick:
            finish_trick(block, 1)


@block_loop
def _weigh_hands(
    state: t.Block, lane: int, trick: int, position: t.Position, key: t.Key, model: OpponentModel,
    block: t.Block, held: HandsByPlace, count: int,
) -> None:  # fmt: skip
    """Write all chances of hands, `count` of them, by the others' calls and cards.

    Their square root counts: players err alike where they err, so the cards played tell less than
    as many independent choices would.  Arguments as for `weigh_by_cards`.
    """
    for number in range(count):
        held.chances[number] = 1.0
    weigh_by_calls(state, lane, trick, position, key, model, held)
    weigh_by_cards(state, lane, trick, position, model, block, held)
    for number in range(count):
        held.chances[number] = np.sqrt(held.chances[number])


@block_loop
def weigh_lists(
    state: t.Block, lane: int, trick: int, position: t.Position, key: t.Key, model: OpponentModel,
    block: t.Block, lists: HandLists,
) -> None:  # fmt: skip
    """Fill the factors of lists of hands by the chance of the others' calls and cards.

    The weight of a layout is then what `weigh_layouts` gives it, but each hand is looked at once,
    however many layouts it is in.  Arguments as for `weigh_by_cards`.
    """
    held = _arrange_lists(lists)
    _weigh_hands(state, lane, trick, position, key, model, block, held, lists.starts[b.SEATS])


@block_loop
def weigh_layouts(
    state: t.Block, lane: int, trick: int, position: t.Position, key: t.Key, model: OpponentModel,
    block: t.Block, layouts: Any, count: int, weights: Any,
) -> None:  # fmt: skip
    """Write the weights of layouts by the others' calls and cards.

    Args:
        state, lane, trick, position, block: as for `weigh_by_cards`.
        layouts: int64, hands by place, one layout after another (`core.hidden_hands`).
        weights: float64, one per layout.
    """
    held = arrange_layouts(layouts, count, weights)
    _weigh_hands(state, lane, trick, position, key, model, block, held, count)


@block_loop
def weigh_place(
    state: t.Block, lane: int, trick: int, position: t.Position, key: t.Key, model: OpponentModel,
    block: t.Block, layouts: Any, place: t.Place, weights: Any,
) -> None:  # fmt: skip
    """Write the weights of layouts as `weigh_layouts`, by the calls and cards of one place."""
    count = len(weights)
    held = arrange_layouts(layouts, count, weights)
    for other in range(b.SEATS):
        held.counts[other] = count if other == place else 0
    _weigh_hands(state, lane, trick, position, key, model, block, held, count)


@kernel
def weigh_hands_by_cards(
    state: t.Block, trick: int, position: t.Position, model: OpponentModel, place: t.Place, hands:
    Any, weights: Any,
) -> None:  # fmt: skip
    """Multiply the weights of hands of a place by the chance of the cards that it played.

    What others hold does not change the chance of a play, so the weight of a layout is the product
    of those of its hands; late in a round these are few.

    Args:
        state, trick, position: a turn in lane 0, with the finished tricks kept.
        place: another place than that of the position.
        hands: int64 (n,), natural coding.
        weights: float64 (n,).
    """
    coded = np.empty_like(hands)
    zeros, counts = np.zeros(b.SEATS, np.int64), np.zeros(b.SEATS, np.int64)
    counts[place] = hands.shape[0]
    for number in range(hands.shape[0]):
        coded[number] = c.to_strength_order(hands[number], state[b.CONTRACT])
    held = HandsByPlace(coded, zeros, 1, counts, weights, zeros)
    weigh_by_cards(state, 0, trick, position, model, b.allocate_inner_block(), held)


@kernel
def weigh_card_errors(
    state: t.Block, trick: int, position: t.Position, model: OpponentModel, place: t.Place, hands:
    t.Int64Array, weights: t.Float64Array, sums: t.Float64Array,
) -> None:  # fmt: skip
    """Add, for each card of a place, the weights of hands with which it was an error.

    Arguments as for `weigh_hands_by_cards`.

    Args:
        weights: float64 (n,), by the cards as well.
        sums: float64 (plays,), one for each card played.
    """
    block = b.allocate_inner_block()
    meant = OpponentModel(model.table, model.patience, model.rules, 0.0)
    played = np.empty(b.SEATS, np.int64)
    collect_played_cards(state, 0, trick, position, b.SEATS, played)
    _copy_to_first_lead(state, 0, block)
    for play in range(sums.shape[0]):
        number, turn = play // b.SEATS, play % b.SEATS
        card = _read_played_card(state, 0, trick, number, turn)
        for k in range(hands.shape[0] if (block[b.LEADER] + turn) % b.SEATS == place else 0):
            hand = c.to_strength_order(hands[k], state[b.CONTRACT]) | played[place]
            chance = _chance_of_card(block, number, turn, hand, card, model)
            share = _chance_of_card(block, number, turn, hand, card, meant) / chance
            sums[play] += weights[k] * (1.0 - (1.0 - model.error_rate) * share)
        played[(block[b.LEADER] + turn) % b.SEATS] ^= card
        put_card(block, 0, turn, card)
        if turn == b.SEATS - 1:
            finish_trick(block, 1)


@scalar
def resample_layouts(weights: Any, count: int, wanted: int, fraction: float) -> None:
    """Resample layouts: replace each weight by the number of times the layout is drawn.

    Systematic resampling (Kitagawa 1996): `wanted` marks stand in even steps along the sum of the
    weights, the first at `fraction` of a step; each layout is drawn once for each mark within its
    weight.
    """
    total = 0.0
    for world in range(count):
        total += weights[world]
    passed = 0.0
    marks = 0
    for world in range(count):
        passed += weights[world]
        # All marks are within the weight of the last one, whatever the rounding.
        share = passed / total if world < count - 1 else 1.0
        reached = int(np.ceil(share * wanted - fraction))
        weights[world] = reached - marks
        marks = reached


@scalar
def scale_weights(weights: Any, count: int) -> None:
    """Scale weights so that they sum to their number."""
    total = 0.0
    for world in range(count):
        total += weights[world]
    for world in range(count):
        weights[world] *= count / total
