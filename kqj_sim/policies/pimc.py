"""`pimc`: perfect-information Monte Carlo: play every card on in worlds that agree with all seen.

Worlds are sampled layouts of the hidden cards (`core.hidden_hands`).  In each of them every
candidate card is played on to the end of the round by another policy, which sees only what its
players would.  The value of the round is averaged over the worlds, the same ones for all
candidates, and another policy's values, the *prior*, are added as if they had been found in so many
worlds: a few worlds alone choose worse than a good policy without any.  Worlds are added in stages,
while the best card is in doubt (`race`).  They may be drawn by the chance of the others' calls and
cards in them (`sampling`).  Late tricks gain most for their time, so the search may begin at a
trick, before which the prior's card is played.

The deals of a block are at the same turn, so worlds and candidates of all of them fill the lanes of
an inner block side by side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import carray

from kqj_sim.core import block as b
from kqj_sim.core import cards as c
from kqj_sim.core import hidden_hands as hh
from kqj_sim.core import rng
from kqj_sim.core import types as t
from kqj_sim.core import weighted_layouts as wl
from kqj_sim.core.dispatch import LEAD, call_value_cards, unpack_rules, unpack_seating
from kqj_sim.core.jit import block_loop, int64_at, scalar, stack_float32
from kqj_sim.core.playouts import PlayoutQueue, compute_utility, new_playout_queue, play_out_queue
from kqj_sim.core.round import CARD_VALUES
from kqj_sim.core.trick import find_legal_cards, put_card
from kqj_sim.policies import particles
from kqj_sim.policies.binding import parameter_offset
from kqj_sim.policies.parameters import NO_POLICY, flag, named, number, whole
from kqj_sim.policies.particles import OpponentModel
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import best_card, nth_card

# Layouts of the hidden cards for a turn, drawn by the chance of the observed calls and cards.
#
# With few hidden cards they are drawn from all layouts (`core.weighted_layouts`). With more, hands
# are fixed player after player by sequential Monte Carlo (Doucet, de Freitas and Gordon 2001): of
# a sample of layouts, those are kept in which the first player's hand explains that player's
# choices, the other hands are dealt anew in each, then the second player's hands are weighed, and
# so on. So few of the sample go lost to hands that do not fit one another.

_EXACT_FROM = b.TRICKS - 3
"""First trick from which layouts are drawn by the weights of all."""
_REDEALS = 2
"""Times that the pairs of the players whose hands are not yet fixed redeal."""


class LayoutSampler(NamedTuple):
    """Scratch space for `draw_likely_layouts`.

    Attributes:
        known: int64 (KNOWLEDGE_SIZE,), what the player knows.
        layouts: int64 (6 * n,), the layouts sampled.
        before: int64 (6 * n,), those before they were resampled.
        weights: float64 (n,), their weights.
    """

    known: t.Int64Array
    lists: wl.HandLists
    layouts: t.Int64Array
    before: t.Int64Array
    weights: t.Float64Array


@scalar
def new_layout_sampler(sampled: int) -> LayoutSampler:
    """Return the space for samples of a size."""
    return LayoutSampler(
        np.empty(hh.KNOWLEDGE_SIZE, np.int64),
        wl.new_hand_lists(),
        np.empty(b.SEATS * sampled, np.int64),
        np.empty(b.SEATS * sampled, np.int64),
        np.empty(sampled),
    )


@block_loop
def draw_likely_layouts(
    state: t.Block, lane: t.Lane, trick: int, position: t.Position, key: t.Key, model:
    OpponentModel, block: t.Block, sampler: LayoutSampler, wanted: int, layouts: Any, at: int,
    weights: Any,
) -> int:  # fmt: skip
    """Draw layouts by the chance of the others' calls and cards; return how many, below 0 if all.

    Args:
        block: an inner block, overwritten.
        sampler: space for the sample, from which with many hidden cards the layouts are drawn.
        layouts: filled with the hidden hands, one layout after another, from number `at` on.
        weights: filled likewise with the layouts' weights: the number of times each is drawn,
            `wanted` in all, or the weights of all layouts if there are no more than `wanted`.
    """
    known, lists = sampler.known, sampler.lists
    fraction = rng.to_fraction(rng.draw(key, rng.CARD))
    hh.infer_knowledge(state, lane, trick, position, known)
    written, written_weights = layouts[at * b.SEATS :], weights[at:]
    if trick >= _EXACT_FROM and wl.list_hands(known, lists):
        particles.weigh_lists(state, lane, trick, position, key, model, block, lists)
        count = wl.weigh_all_layouts(known, lists, wanted, written, written_weights)
        if count >= 0:
            return -count
        return wl.draw_weighted_layouts(known, lists, wanted, fraction, written, written_weights)
    sample, sampled = sampler.layouts, len(sampler.weights)
    count = hh.sample_layouts(known, sampled, key, sample)
    if count < sampled:
        particles.weigh_layouts(
            state, lane, trick, position, key, model, block, sample, count, sampler.weights
        )
    else:
        weigh_player_by_player(state, lane, trick, position, key, model, block, sampler)
    complete = count < sampled and count <= wanted
    if complete:
        particles.scale_weights(sampler.weights, count)
    else:
        particles.resample_layouts(sampler.weights, count, wanted, fraction)
    kept = 0
    for layout in range(count):
        if sampler.weights[layout] > 0.0:
            _copy_layout(sample, layout, written, kept)
            written_weights[kept] = sampler.weights[layout]
            kept += 1
    return -kept if complete else kept


@scalar
def _copy_layout(layouts: Any, layout: int, target: Any, target_number: int) -> None:
    for place in range(b.SEATS):
        target[target_number * b.SEATS + place] = layouts[layout * b.SEATS + place]


@block_loop
def weigh_player_by_player(
    state: t.Block, lane: t.Lane, trick: int, position: t.Position, key: t.Key, model:
    OpponentModel, block: t.Block, sampler: LayoutSampler,
) -> None:  # fmt: skip
    """Resample a uniform sample of layouts by one player's hands after the other's.

    The weights are left to count for the last player.
    """
    own = (state[b.LEADER + lane] + position) % b.SEATS
    last = b.SEATS - 2 if own == b.SEATS - 1 else b.SEATS - 1
    layouts, weights, count = sampler.layouts, sampler.weights, len(sampler.weights)
    for place in range(last + 1):
        if place == own:
            continue
        particles.weigh_place(
            state, lane, trick, position, key, model, block, layouts, place, weights
        )
        if place == last:
            break
        stage_key = rng.derive_deal_key(key, -1 - place)
        fraction = rng.to_fraction(rng.draw(stage_key, rng.CARD))
        particles.resample_layouts(weights, count, count, fraction)
        sampler.before[:] = layouts
        drawn = 0
        for layout in range(count):
            for _ in range(int(weights[layout])):
                _copy_layout(sampler.before, layout, layouts, drawn)
                hh.redeal_among_last(
                    sampler.known, layouts, drawn, place + 1, _REDEALS,
                    rng.derive_deal_key(stage_key, drawn),
                )  # fmt: skip
                drawn += 1


# A race of candidate cards over common worlds: worlds are added only while the best is in doubt.
#
# After each stage a card is dropped if the leading card is ahead of it by some standard errors of
# their paired differences (Maron and Moore 1994, "Hoeffding races"). A prior counts as so many
# worlds, both in the lead and in its standard error.

MAX_CARDS = b.TRICKS
_PAIRS = MAX_CARDS * MAX_CARDS


class Race(NamedTuple):
    """The candidates of each lane of a block, by number, and sums over the worlds tried.

    Attributes:
        running: int64 (LANES,), the numbers still in doubt, one bit each.
        worlds: float64 (LANES,), sum of the worlds' weights.
        squares: float64 (LANES,), sum of their squares.
        sums: float64 (LANES * MAX_CARDS,), weighted sums of the values.
        products: float64 (LANES * MAX_CARDS**2,), weighted sums of products of two values.
        priors: float64 (LANES * MAX_CARDS,), the prior's values.
    """

    running: t.Int64Array
    worlds: t.Float64Array
    squares: t.Float64Array
    sums: t.Float64Array
    products: t.Float64Array
    priors: t.Float64Array


@scalar
def new_race() -> Race:
    """Return a race that nobody runs in."""
    return Race(
        np.zeros(b.LANES, np.int64),
        np.zeros(b.LANES),
        np.zeros(b.LANES),
        np.zeros(b.LANES * MAX_CARDS),
        np.zeros(b.LANES * _PAIRS),
        np.zeros(b.LANES * MAX_CARDS),
    )


@scalar
def is_running(race: Race, lane: t.Lane, which: int) -> bool:
    """Return True if a candidate is still in doubt."""
    return (race.running[lane] >> which) & 1 != 0


@scalar
def in_doubt(race: Race, lane: t.Lane) -> bool:
    """Return True if more than one candidate is left."""
    running = race.running[lane]
    return running & (running - 1) != 0


@scalar
def add_world(race: Race, lane: t.Lane, values: Any, first: int, weight: float) -> None:
    """Add a world in which the running candidates have some values, in order from `first` on."""
    race.worlds[lane] += weight
    race.squares[lane] += weight * weight
    at = first
    for one in range(MAX_CARDS):
        if is_running(race, lane, one):
            weighted = weight * values[at]
            race.sums[lane * MAX_CARDS + one] += weighted
            other_at = first
            for other in range(one + 1):
                if is_running(race, lane, other):
                    pair = lane * _PAIRS + one * MAX_CARDS + other
                    race.products[pair] += weighted * values[other_at]
                    other_at += 1
            at += 1


@scalar
def find_leader(race: Race, lane: t.Lane, prior_worlds: float) -> int:
    """Return the number of the running candidate of the greatest value, of equal ones the first."""
    best, best_value = -1, 0.0
    for which in range(MAX_CARDS):
        at = lane * MAX_CARDS + which
        value = race.sums[at] + prior_worlds * race.priors[at]
        if is_running(race, lane, which) and (best < 0 or value > best_value):
            best, best_value = which, value
    return best


@scalar
def drop_beaten(race: Race, lane: t.Lane, prior_worlds: float, margin: float) -> None:
    """Drop the candidates that the leader is ahead of by `margin` standard errors.

    The standard error is that of the mean of weighted differences; worlds without weight, and the
    prior's, count as if they differed as much.  A card that is behind by the same in every world is
    dropped at any margin.
    """
    leader = find_leader(race, lane, prior_worlds)
    worlds = race.worlds[lane]
    if worlds <= 0.0:
        return
    effective = worlds * worlds / race.squares[lane]
    start, pairs = lane * MAX_CARDS, lane * _PAIRS
    dropped = 0
    for which in range(MAX_CARDS):
        if which == leader or not is_running(race, lane, which):
            continue
        difference = race.sums[start + leader] - race.sums[start + which]
        mean = difference / worlds
        prior_difference = race.priors[start + leader] - race.priors[start + which]
        lead = (difference + prior_worlds * prior_difference) / (worlds + prior_worlds)
        high, low = max(leader, which), min(leader, which)
        square = (
            race.products[pairs + leader * MAX_CARDS + leader]
            - 2.0 * race.products[pairs + high * MAX_CARDS + low]
            + race.products[pairs + which * MAX_CARDS + which]
        ) / worlds
        variance = max(square - mean * mean, 0.0) / (effective + prior_worlds)
        dropped |= 1 << which if lead >= margin * np.sqrt(variance) else 0
    race.running[lane] &= ~dropped


@scalar
def count_stages(worlds: int, first_worlds: int) -> int:
    """Return the number of stages: each doubles the worlds, the first has up to `first_worlds`."""
    stages = 1
    while -(-worlds >> (stages - 1)) > first_worlds:
        stages += 1
    return stages


@scalar
def place_marks(key: t.Key, stages: int, stage: int) -> tuple[int, int]:
    """Return step and offset of the marks of a stage among those of a systematic sample.

    Each stage has evenly spaced marks, and so have all stages up to it together: every one of them
    is a systematic sample of its own.
    """
    step = 1 << (stages - 1)
    offset = rng.scale_below(rng.draw(key, rng.CARD + 1), step)
    if stage > 0:
        half = step >> stage
        step = 2 * half
        offset = (offset + half) % step
    return step, offset


@scalar
def count_marks(end: int, step: int, offset: int) -> int:
    """Return the number of marks before mark number `end` that belong to a stage."""
    return (end - offset - 1) // step + 1


ROLLOUT_POLICIES = ("random", "greedy", "standard", "network")

_FROM: dict[str, Any] = {
    "from": whole(5, "first trick in which cards are tried; before, the prior plays", 1, 7)
}
"""A parameter whose name is a keyword of Python."""

pimc = policy(
    "pimc",
    "tries every card of the last tricks in many possible deals; slow",
    worlds=whole(192, "most possible deals in which each card is tried", 1, 10_000),
    **_FROM,
    rollout=named("network", ROLLOUT_POLICIES, "policy that plays these deals on"),
    prior=named("network", (NO_POLICY, "network"), "policy whose estimates of cards are added"),
    prior_worlds=number(10, "number of deals that these estimates count as", 0, 10_000),
    merge=flag(True, "try only one of several equivalent cards"),
    weigh=flag(True, "weight deals by how likely they make the observed calls and cards"),
    patience=number(
        0.5,
        "with weigh: a card that network rates lower by this many points is a quarter as likely",
        0.01,
        1000,
    ),
    drawn=whole(1, "with weigh, before trick 6: deals drawn for each that is kept", 1, 100),
    first_worlds=whole(
        32, "deals tried first; while the best card is in doubt, twice as many follow", 1, 10_000
    ),
    margin=number(
        2.5, "standard errors by which the best card must lead; cards behind are dropped", 0, 100
    ),
)

pimc.seated = ("network",)
_PARAMETERS_OFFSET = parameter_offset(LEAD, 0)


@scalar
def _select_candidates(state: t.Block, lane: int, position: t.Position, legal: t.CardSet) -> int:
    """Return the lowest card of each run of equivalent cards.

    Equivalent cards have the same points, and no card that another player may still hold, or that
    lies on the table, is between them.
    """
    own = state[b.cell_index(b.HAND + position * b.STRIDE, lane)]
    others = c.PACK & ~(own | state[b.PLAYED_CARDS + lane])
    candidates = 0
    previous, previous_points = 0, 0
    left = legal
    while left != 0:
        card = c.lowest_bit(left)
        left ^= card
        points = c.count_card_points(
            card,
            state[b.POINT_PLANES + lane],
            state[b.POINT_PLANES + b.STRIDE + lane],
            state[b.POINT_PLANES + 2 * b.STRIDE + lane],
            state[b.POINT_PLANES + 3 * b.STRIDE + lane],
            state[b.POINT_PLANES + 4 * b.STRIDE + lane],
        )
        same_suit = previous & (c.SUIT_MASK << (c.trailing_zeros(card) & 48)) != 0
        between = others & (card - previous)
        if not (same_suit and between == 0 and points == previous_points):
            candidates |= card
        previous, previous_points = card, points
    return candidates


@block_loop
def _play_out_waiting(
    state: t.Block, queue: PlayoutQueue, waiting: int, trick: int, position: t.Position, rules:
    t.Rules, rollouts: t.Seating, shares: t.Float64Array, utilities: t.Float64Array, race: Race,
) -> None:  # fmt: skip
    """Play the waiting lanes on and add their utilities to the race, world by world."""
    play_out_queue(state, queue, waiting, trick, position, rules, rollouts)
    for lane in range(waiting):
        team = b.team_of(state[b.PLAYERS_BY_POSITION + queue.sources[lane]], position)
        utilities[lane] = compute_utility(queue.state, lane, team, rules.teams)
    first = 0
    while first < waiting:
        i = queue.sources[first]
        add_world(race, i, utilities, first, shares[first])
        first += c.popcount(race.running[i])


@block_loop
def _play_like_prior(
    state: t.Block, lanes: int, trick: int, position: t.Position, teams: int, number: int,
    prior: t.Seating,
) -> None:  # fmt: skip
    """Play the card that the prior values most, in the lanes in which the policy sits."""
    values = stack_float32(MAX_CARDS)
    for i in range(lanes):
        if b.policy_of(state[b.PLAYERS_BY_POSITION + i], position) != number:
            continue
        legal = find_legal_cards(state, i, position)
        if c.popcount(legal) > 1:
            _write_prior_values(state, i, trick, position, teams, prior, values)
        put_card(state, i, position, best_card(legal, values))


@scalar
def _write_prior_values(
    state: t.Block, lane: int, trick: int, position: t.Position, teams: int, prior: t.Seating,
    values: Any,
) -> None:  # fmt: skip
    """Write the prior's value of each legal card, from the lowest bit on."""
    weights = prior.resources[LEAD * t.MAX_POLICIES]
    call_value_cards(
        prior.resume[CARD_VALUES], (state, lane, trick, position, teams, weights, values)
    )


@scalar
def _add_priors(
    state: t.Block, lane: int, trick: int, position: t.Position, teams: int, prior: t.Seating,
    legal: t.CardSet, candidates: t.CardSet, race: Race,
) -> None:  # fmt: skip
    values = stack_float32(MAX_CARDS)
    _write_prior_values(state, lane, trick, position, teams, prior, values)
    for which in range(c.popcount(candidates)):
        below = legal & (nth_card(candidates, which) - 1)
        race.priors[lane * MAX_CARDS + which] = values[c.popcount(below)]


class _Worlds(NamedTuple):
    """The worlds of a block's lanes: `most` layouts each, their weights, and what they go by."""

    layouts: t.Int64Array
    shares: t.Float64Array
    keys: t.Int64Array
    found: t.Int64Array
    """Layouts of each lane; negative if these are all that there are."""
    most: int
    stages: int


@block_loop
def _draw_worlds(
    state: t.Block, lanes: int, trick: int, position: t.Position, weigh: bool, model: OpponentModel,
    drawn: int, block: t.Block, race: Race, worlds: _Worlds,
) -> None:  # fmt: skip
    """Draw the worlds of the lanes in which a card is in doubt."""
    sampler = new_layout_sampler(worlds.most * drawn if weigh else 1)
    for i in range(lanes):
        if not in_doubt(race, i):
            continue
        key = rng.draw_for_card(state[b.KEY + i], trick, position)
        first = i * worlds.most
        if weigh:
            found = draw_likely_layouts(
                state, i, trick, position, key, model, block, sampler, worlds.most, worlds.layouts,
                first, worlds.shares,
            )  # fmt: skip
        else:
            hh.infer_knowledge(state, i, trick, position, sampler.known)
            written = worlds.layouts[first * b.SEATS :]
            found = hh.sample_layouts(sampler.known, worlds.most, key, written)
            found = -found if found < worlds.most else found
        worlds.keys[i], worlds.found[i] = key, found


@block_loop
def _run_stage(
    state: t.Block, lanes: int, trick: int, position: t.Position, stage: int, rules: t.Rules,
    rollouts: t.Seating, candidates: t.Int64Array, queue: PlayoutQueue, worlds: _Worlds, race: Race,
) -> None:  # fmt: skip
    """Try the cards in doubt in the worlds of a stage, side by side; the first has all, if few."""
    shares, utilities = np.empty(b.LANES), np.empty(b.LANES)
    waiting = 0
    for i in range(lanes):
        found = worlds.found[i]
        if not in_doubt(race, i) or (stage > 0 and found <= 0):
            continue
        step, offset = place_marks(worlds.keys[i], worlds.stages, stage)
        marks = 0
        for world in range(i * worlds.most, i * worlds.most + abs(found)):
            share = worlds.shares[world]
            if found > 0:
                before = count_marks(marks, step, offset)
                marks += int(share)
                share = count_marks(marks, step, offset) - before
            if share <= 0.0:
                continue
            if waiting + c.popcount(race.running[i]) > b.LANES:
                _play_out_waiting(
                    state, queue, waiting, trick, position, rules, rollouts, shares, utilities, race
                )
                waiting = 0
            for which in range(MAX_CARDS):
                if not is_running(race, i, which):
                    continue
                queue.sources[waiting] = i
                queue.cards[waiting] = nth_card(candidates[i], which)
                queue.keys[waiting] = rng.derive_deal_key(worlds.keys[i], world - i * worlds.most)
                shares[waiting] = share
                for place in range(b.SEATS):
                    hand = worlds.layouts[world * b.SEATS + place]
                    queue.hands[waiting * b.SEATS + place] = hand
                waiting += 1
    if waiting > 0:
        _play_out_waiting(
            state, queue, waiting, trick, position, rules, rollouts, shares, utilities, race
        )


def choose_card(
    block_pointer: Any, lanes: int, trick: int, position: t.Position, teams: int, unused: int,
    number: int, parameter_table: Any, resources: Any,
) -> None:  # fmt: skip
    """Choose in the lanes in which the policy sits at a position
    (`core.dispatch.ASK_SIGNATURE`)."""
    state = carray(block_pointer, b.ROW_COUNT * b.STRIDE)
    at = _PARAMETERS_OFFSET + number * t.MAX_PARAMETERS
    wanted, searched_from = int(parameter_table[at]), int(parameter_table[at + 1])
    prior_worlds, merge = parameter_table[at + 2], parameter_table[at + 3] != 0.0
    weigh, patience = parameter_table[at + 4] != 0.0, parameter_table[at + 5]
    drawn = int(parameter_table[at + 6])
    first_worlds, margin = int(parameter_table[at + 7]), parameter_table[at + 8]
    resource = int64_at(resources[LEAD * t.MAX_POLICIES + number])
    rules = unpack_rules(resource)
    rollouts, prior = unpack_seating(resource, 0), unpack_seating(resource, 1)
    if trick + 1 < searched_from and prior.distinct > 0:
        _play_like_prior(state, lanes, trick, position, teams, number, prior)
        return
    model = OpponentModel(unpack_seating(resource, 2), patience, rules, 0.0)
    queue, race = new_playout_queue(), new_race()
    candidates = np.zeros(b.LANES, np.int64)
    for i in range(lanes):
        if b.policy_of(state[b.PLAYERS_BY_POSITION + i], position) == number:
            legal = find_legal_cards(state, i, position)
            candidates[i] = _select_candidates(state, i, position, legal) if merge else legal
            race.running[i] = (1 << c.popcount(candidates[i])) - 1
            if prior.distinct > 0 and in_doubt(race, i):
                _add_priors(state, i, trick, position, teams, prior, legal, candidates[i], race)
    worlds = _Worlds(
        np.empty(lanes * wanted * b.SEATS, np.int64),
        np.ones(lanes * wanted),
        np.zeros(b.LANES, np.int64),
        np.zeros(b.LANES, np.int64),
        wanted,
        count_stages(wanted, first_worlds),
    )
    _draw_worlds(state, lanes, trick, position, weigh, model, drawn, queue.state, race, worlds)
    for stage in range(worlds.stages):
        _run_stage(
            state, lanes, trick, position, stage, rules, rollouts, candidates, queue, worlds, race
        )
        for i in range(lanes if stage < worlds.stages - 1 else 0):
            if in_doubt(race, i) and worlds.found[i] > 0:
                drop_beaten(race, i, prior_worlds, margin)
    for i in range(lanes):
        if b.policy_of(state[b.PLAYERS_BY_POSITION + i], position) == number:
            # Where fewer worlds are possible than wanted, each counts for more.
            share = -worlds.found[i] / wanted if worlds.found[i] < 0 else 1.0
            leader = find_leader(race, i, prior_worlds * share)
            put_card(state, i, position, nth_card(candidates[i], leader))


pimc.blocks["card"] = choose_card
