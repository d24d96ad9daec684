"""`pimc`: its choices where the right one is known, its races of cards, the layouts it draws."""

from __future__ import annotations

from itertools import islice, permutations, product
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.cards import Card, parse_card
from kqj_sim.core.block import (
    DEAL_NUMBER,
    LEADER,
    PLAYER_BITS,
    PLAYERS_BY_POSITION,
    SEATS,
    STRIDE,
    allocate_block,
)
from kqj_sim.core.block import TRICK_CARDS as ON_TABLE
from kqj_sim.core.dispatch import FOLLOW, LEAD, ask
from kqj_sim.core.hidden_hands import (
    KNOWLEDGE_SIZE,
    infer_knowledge,
    redeal_among_last,
    sample_layouts,
)
from kqj_sim.core.jit import kernel
from kqj_sim.core.types import Rules, Seating
from kqj_sim.policies import pimc
from kqj_sim.policies.particles import OpponentModel, weigh_layouts
from kqj_sim.record import Record
from kqj_sim.referee.base import FinalContract, PlayedTrick, get_referee
from kqj_sim.referee.kqj import find_trick_winner, list_legal_cards
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.core.exclusions import exclusions
from tests.core.known import CASES, slow_worlds
from tests.core.turns import stopped
from tests.policies.slow_plays import opponent_model
from tests.slow import slow_after, slow_rows_after
from tests.variants import AUCTION_2, AUCTION_3, LIVELY, TAKE_2, TAKE_3, lively, rules_in, told

SEED = 23
EXHAUSTIVE = "pimc:worlds=1000,first_worlds=1000,weigh=false,rollout=random,prior=none"
"""Where at most 120 worlds are left it knows them all, and random players have no choice."""


class Turn(NamedTuple):
    """The last turn of the last trick but one: one card each is hidden, everything else known."""

    record: Record
    seat: int
    legal: list[Card]
    chosen: Card
    hands: list[dict[int, Card]]
    """The last cards of the others by seat, in every way that agrees with what is known."""


def _cards(texts: list[str]) -> list[Card]:
    return [parse_card(text) for text in texts]


def _turn(record: Record) -> Turn | None:
    """That turn of a round, if it left a choice."""
    assert record.hands is not None and record.contract is not None
    lead, last = record.tricks[6], record.tricks[7]
    seat = (lead.leader + 5) % SEATS
    final = {(last.leader + k) % SEATS: card for k, card in enumerate(_cards(last.cards))}
    trick = _cards(lead.cards)
    legal = list_legal_cards(
        [trick[5], final[seat]], trick[:5], lead.leader, record.teams, record.contract
    )
    if len(legal) < 2:
        return None
    excluded, _ = next(islice(exclusions(record), 6 * 6 + 4, None))
    lacks = [set(cards) for cards in excluded]
    if record.turned is not None and record.sender != seat:
        returned = parse_card(record.turned)
        for other in final:
            if other != record.sender and returned in final.values():
                lacks[other].add(returned)
    others = [other for other in final if other != seat]
    hidden = [final[other] for other in others]
    worlds = [dict(zip(others, order, strict=True)) for order in permutations(hidden)]
    hands = [world for world in worlds if all(world[o] not in lacks[o] for o in others)]
    assert {other: final[other] for other in others} in hands
    return Turn(record, seat, sorted(legal), trick[5], hands)


def _worth(turn: Turn, card: Card, world: dict[int, Card]) -> float:
    """Return a round's value to the player's team: half the difference of scores and totals."""
    record, seat = turn.record, turn.seat
    assert record.hands is not None and record.contract is not None and record.sender is not None
    contract = record.contract
    tricks = [PlayedTrick(t.leader, tuple(_cards(t.cards)), t.winner) for t in record.tricks[:6]]
    (kept,) = set(turn.legal) - {card}
    cards = [*_cards(record.tricks[6].cards)[:5], card]
    leader = record.tricks[6].leader
    winner = find_trick_winner(leader, cards, contract)
    tricks.append(PlayedTrick(leader, tuple(cards), winner))
    finals = {**world, seat: kept}
    last = [finals[(winner + k) % SEATS] for k in range(SEATS)]
    tricks.append(PlayedTrick(winner, tuple(last), find_trick_winner(winner, last, contract)))
    hands = [[trick.cards[(s - trick.leader) % SEATS] for trick in tricks] for s in range(SEATS)]
    called = FinalContract(record.sender, contract, record.amount, record.capot, record.stake)
    score = get_referee(rules_in(record)).score_round(record.teams, called, hands, tricks, 0)
    values = [score.scores[team] + score.totals[team] for team in range(len(score.scores))]
    own = values.pop(record.teams[seat])
    return (own - sum(values) / len(values)) / 2


@pytest.mark.parametrize(
    "rules", slow_after(1, [AUCTION_2, TAKE_2, TAKE_3]), ids=["auction-2", "take-2", "take-3"]
)
def test_in_the_last_choice_it_finds_the_best_card(rules: KqjRules) -> None:
    """By going through all worlds with the referee."""
    experiment = Experiment(rules, (f"{LIVELY}+{EXHAUSTIVE}",) * SEATS, deals=60, seed=SEED)
    choices = differing = 0
    for record in play_records(experiment):
        turn = _turn(record) if record.tricks else None
        if turn is None:
            continue
        worth = {
            card: sum(_worth(turn, card, world) for world in turn.hands) / len(turn.hands)
            for card in turn.legal
        }
        best = max(worth.values())
        assert worth[turn.chosen] == pytest.approx(best), told(record, turn.chosen, worth)
        choices += 1
        differing += min(worth.values()) < best - 1e-9
    assert choices > 15
    assert differing > 10


@kernel(cache=False)
def _ask(state: Any, lanes: int, rules: Rules, table: Seating, trick: int, position: int) -> None:
    ask(table, LEAD if position == 0 else FOLLOW, state, lanes, trick, position, rules.teams, 0)


def _choices_by_deal(
    player: str, rules: KqjRules, trick: int, position: int, lanes: int = 256
) -> dict[int, int]:
    """Return a player's choices in rounds of lively players, by deal."""
    experiment = Experiment(rules, (LIVELY,) * SEATS, 256, SEED)
    state, played = stopped(experiment, trick, position, lanes)
    _ask(state, played, *Experiment(rules, (player,) * SEATS).compile_seating(), trick, position)
    start = ON_TABLE + position * STRIDE
    deals = state[DEAL_NUMBER : DEAL_NUMBER + played].tolist()
    return dict(zip(deals, state[start : start + played].tolist(), strict=True))


PRIOR = "pimc:worlds=1,rollout=random,prior=network,prior_worlds=10000,merge=false"
LATE, EARLY = (f"pimc:worlds=8,rollout=greedy,prior=network,from={first}" for first in (7, 1))
PLAIN = "pimc:worlds={},rollout=greedy,prior=none,weigh=false,merge={}"
WEIGHED = "pimc:worlds=64,rollout=network,prior=network,from=6,weigh={}"
STAGED = "pimc:worlds=48,rollout=greedy,prior=network,from=1,drawn=1,first_worlds={},margin={}"
ALIKE: dict[str, tuple[str, str, list[KqjRules], list[tuple[int, int]], float, float]] = {
    "with an overwhelming prior it plays like it, but for values that differ by a trifle": (
        PRIOR, "network", [TAKE_2, TAKE_3], [(0, 0), (2, 3), (4, 5)], 0.96, 1,
    ),
    "before the first trick searched it plays the prior's card": (
        LATE, "network", [TAKE_2, AUCTION_2], [(0, 0), (4, 3)], 1, 1,
    ),
    "from the first trick searched it does not": (
        EARLY, LATE, [TAKE_2, AUCTION_2], [(0, 0), (4, 3)], 0, 0.95,
    ),
    "more worlds matter": (
        PLAIN.format(2, "true"), PLAIN.format(40, "true"), [TAKE_2], [(1, 0)], 0.1, 0.9,
    ),
    "equal cards are merged": (
        PLAIN.format(40, "false"), PLAIN.format(40, "true"), [TAKE_2], [(1, 0)], 0.6, 0.999,
    ),
    "all layouts weighed give other last choices than a sample; most are the same": (
        WEIGHED.format("true"), WEIGHED.format("false"), [TAKE_2], [(5, 1)], 0.7, 0.999,
    ),
    # But for cards that are behind by the same in every world of the first stage: no margin keeps
    # these, and later worlds might.
    "stages without end try the same worlds as one": (
        STAGED.format(48, 2.5), STAGED.format(12, 100), [TAKE_2], [(3, 2), (5, 0), (6, 1)], 0.98, 1,
    ),
    "a search that ends early chooses otherwise now and then": (
        STAGED.format(6, 100), STAGED.format(6, 0), [TAKE_2], [(3, 2)], 0.6, 0.99,
    ),
}  # fmt: skip
"""Two players, the rules and turns, and in which share of the lanes they play the same card."""


@pytest.mark.parametrize("case", ALIKE)
def test_settings_change_choices_as_far_as_they_should(case: str) -> None:
    one, other, tables, turns, least, most = ALIKE[case]
    for rules, turn in product(tables, turns):
        choices = (_choices_by_deal(player, rules, *turn) for player in (one, other))
        same = np.mean([a == b for a, b in zip(*(each.items() for each in choices), strict=True)])
        assert least <= same <= most, (rules, turn)


@pytest.mark.parametrize("turn", [(3, 4), (5, 0), (6, 2)])
def test_a_card_does_not_depend_on_the_other_lanes(turn: tuple[int, int]) -> None:
    for player in (STAGED.format(6, 1), "pimc:worlds=24,from=1,first_worlds=5"):
        many = _choices_by_deal(player, TAKE_2, *turn)
        for lanes in (3, 50):
            few = _choices_by_deal(player, TAKE_2, *turn, lanes)
            assert few and few == {deal: many[deal] for deal in few}


@pytest.mark.parametrize("rollout", ["standard", "network"])
def test_at_a_mixed_table_it_chooses_as_at_its_own(rollout: str) -> None:
    """The worlds are played on by one policy, whoever sits at the table."""
    player = f"pimc:worlds=8,rollout={rollout},prior=none,weigh=false"
    start = ON_TABLE + 2 * STRIDE
    seats = PLAYERS_BY_POSITION, PLAYERS_BY_POSITION + STRIDE
    chosen = []
    for table in ((player,) * SEATS, ("random", *[player] * (SEATS - 1))):
        state, lanes = stopped(Experiment(TAKE_2, (LIVELY,) * SEATS, 256, SEED), 3, 2)
        if len(set(table)) > 1:
            for seat in range(SEATS):
                state[slice(*seats)] |= 1 << (PLAYER_BITS * seat + 2)
        _ask(state, lanes, *Experiment(TAKE_2, table).compile_seating(), 3, 2)
        chosen.append(state[start : start + lanes].copy())
    np.testing.assert_array_equal(chosen[0], chosen[1])


# Races of candidate cards: against plain sums over all values, and what stages are made of.

LANE = 3


@kernel(cache=False)
def _race(values: Any, weights: Any, priors: Any, prior_worlds: float, margin: float) -> Any:
    """Run two stages, each half of the worlds; return who is left after each, and the leader."""
    race = pimc.new_race()
    worlds, cards = values.shape
    race.running[LANE] = (1 << cards) - 1
    race.priors[LANE * pimc.MAX_CARDS : LANE * pimc.MAX_CARDS + cards] = priors
    running = np.zeros(cards)
    left = np.zeros(3, np.int64)
    for world in range(worlds):
        if world == worlds // 2:
            pimc.drop_beaten(race, LANE, prior_worlds, margin)
            left[0] = race.running[LANE]
        at = 0
        for which in range(cards):
            if race.running[LANE] >> which & 1:
                running[at] = values[world, which]
                at += 1
        pimc.add_world(race, LANE, running, 0, weights[world])
    pimc.drop_beaten(race, LANE, prior_worlds, margin)
    left[1] = race.running[LANE]
    left[2] = pimc.find_leader(race, LANE, prior_worlds)
    return left


def slow_stage(
    running: set[int], values: NDArray[Any], weights: NDArray[Any], priors: NDArray[Any],
    prior_worlds: float, margin: float,
) -> tuple[set[int], int]:  # fmt: skip
    """Return who is left, and the leader, from all values of the worlds tried so far."""
    total = weights.sum()
    merged = (weights @ values + prior_worlds * priors) / (total + prior_worlds)
    leader = min(running, key=lambda which: (-merged[which], which))
    left = {leader}
    for which in running - left:
        differences = values[:, leader] - values[:, which]
        variance = np.cov(differences, aweights=weights, ddof=0)
        effective = total**2 / (weights**2).sum()
        error = sqrt(max(variance, 0) / (effective + prior_worlds))
        if merged[leader] - merged[which] < margin * error:
            left.add(which)
    return left, leader


@pytest.mark.parametrize("margin", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("prior_worlds", [0.0, 10.0])
def test_cards_are_dropped_as_a_slow_twin_drops_them(margin: float, prior_worlds: float) -> None:
    draw = np.random.default_rng(5)
    dropped = kept = 0
    for cards in (2, 3, 8):
        for _ in range(30):
            worlds = 40
            values = draw.normal(0, 20, (worlds, 1)) + draw.normal(0, 8, (worlds, cards))
            values += draw.normal(0, 3, cards)
            weights = draw.integers(1, 4, worlds).astype(float)
            priors = draw.normal(0, 3, cards)
            left = _race(values, weights, priors, prior_worlds, margin)
            half = worlds // 2
            running, _ = slow_stage(
                set(range(cards)), values[:half], weights[:half], priors, prior_worlds, margin
            )
            assert left[0] == sum(1 << which for which in running)
            running, leader = slow_stage(running, values, weights, priors, prior_worlds, margin)
            assert left[1] == sum(1 << which for which in running)
            assert left[2] == leader
            dropped += cards - len(running)
            kept += len(running) - 1
    assert dropped > 0
    assert (kept > 0) == (margin > 0)


def test_equal_cards_are_not_tried_further() -> None:
    values = np.repeat(np.random.default_rng(6).integers(-50, 50, (20, 1)), 3, axis=1)
    left = _race(values.astype(float), np.ones(20), np.zeros(3), 10.0, 2.5)
    assert left.tolist() == [1, 1, 0]


@pytest.mark.parametrize(("worlds", "first"), [(128, 32), (100, 30), (7, 2), (64, 64), (5, 1)])
def test_stages_share_the_worlds_and_are_evenly_spaced(worlds: int, first: int) -> None:
    stages = pimc.count_stages(worlds, first)
    for key in range(20):
        seen: set[int] = set()
        for stage in range(stages):
            step, offset = pimc.place_marks(key, stages, stage)
            marks = {
                mark
                for mark in range(worlds)
                if pimc.count_marks(mark + 1, step, offset) > pimc.count_marks(mark, step, offset)
            }
            assert not marks & seen
            seen |= marks
            spaces = np.diff(sorted(seen))
            assert len(set(spaces.tolist())) <= 1
            assert stage > 0 or len(marks) <= first
        assert seen == set(range(worlds))


def test_every_world_is_as_often_in_the_first_stage() -> None:
    stages = pimc.count_stages(32, 4)
    times = np.zeros(32)
    for key in range(4000):
        step, offset = pimc.place_marks(key, stages, 0)
        times[offset::step] += 1
    np.testing.assert_allclose(times / 4000, 1 / 8, atol=0.025)


# Layouts drawn for a turn by the chance of calls and cards: against the weights of all layouts.

ALL = 20_000
DRAWN_SEED = 37


@kernel(cache=False)
def _weigh_all(
    state: Any, lane: int, trick: int, position: int, model: OpponentModel, block: Any,
    layouts: Any, weights: Any,
) -> int:  # fmt: skip
    known = np.empty(KNOWLEDGE_SIZE, np.int64)
    infer_knowledge(state, lane, trick, position, known)
    count = sample_layouts(known, len(weights), 1, layouts)
    if count < len(weights):
        weigh_layouts(state, lane, trick, position, 1, model, block, layouts, count, weights)
    return int(count)


@kernel(cache=False)
def _draw_by_player(
    state: Any, lane: int, trick: int, position: int, key: int, model: OpponentModel, block: Any,
    layouts: Any, weights: Any,
) -> None:  # fmt: skip
    sampler = pimc.new_layout_sampler(len(weights))
    infer_knowledge(state, lane, trick, position, sampler.known)
    sample_layouts(sampler.known, len(weights), key, sampler.layouts)
    pimc.weigh_player_by_player(state, lane, trick, position, key, model, block, sampler)
    layouts[:] = sampler.layouts
    weights[:] = sampler.weights


@kernel(cache=False)
def _draw(
    state: Any, lane: int, trick: int, position: int, model: OpponentModel, block: Any, wanted: int,
    sampled: int, layouts: Any, weights: Any,
) -> int:  # fmt: skip
    sampler = pimc.new_layout_sampler(sampled)
    found = pimc.draw_likely_layouts(
        state, lane, trick, position, 5, model, block, sampler, wanted, layouts, 1, weights
    )
    return int(found)


def all_weights(
    rules: KqjRules, state: Any, lane: int, trick: int, position: int
) -> dict[tuple[int, ...], float]:
    """Return the weight of each layout, which sum to 1; none if there are too many."""
    layouts, weights = np.empty(SEATS * ALL, np.int64), np.ones(ALL)
    args = (opponent_model(rules), allocate_block(), layouts, weights)
    count = _weigh_all(state, lane, trick, position, *args)
    if count == ALL:
        return {}
    rows = layouts.reshape(-1, SEATS)[:count].tolist()
    shares = weights[:count] / weights[:count].sum()
    return {tuple(row): share for row, share in zip(rows, shares.tolist(), strict=True)}


def holding(layouts: NDArray[Any], weights: NDArray[Any]) -> NDArray[np.float64]:
    """Return the share of the weight in which each place holds each card."""
    bits = layouts[:, :, None] >> np.arange(64)[None, None, :] & 1
    found: NDArray[np.float64] = np.einsum("n,npc->pc", weights / weights.sum(), bits)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("rules", [AUCTION_2, AUCTION_3], ids=["auction-2", "auction-3"])
def test_player_by_player_cards_are_held_as_often_as_in_all_layouts(rules: KqjRules) -> None:
    """In the mean of some samples; in auctions the calls' chances need no draws."""
    trick, position, number = 5, 3, 500
    state, lanes = stopped(lively(rules, seed=DRAWN_SEED, deals=128), trick, position, 128)
    model, block = opponent_model(rules), allocate_block()
    checked = weighed = 0
    for lane in range(lanes):
        right = all_weights(rules, state, lane, trick, position)
        if len(right) < 200 or checked == 3:
            continue
        layouts, weights = np.empty(SEATS * number, np.int64), np.empty(number)
        total = np.zeros((SEATS, 64))
        repeats = 16
        for key in range(repeats):
            _draw_by_player(state, lane, trick, position, key, model, block, layouts, weights)
            assert {tuple(row) for row in layouts.reshape(-1, SEATS).tolist()} <= right.keys()
            total += holding(layouts.reshape(-1, SEATS), weights) / repeats
        keys = np.array(list(right))
        expected = holding(keys, np.array(list(right.values())))
        own = (int(state[LEADER + lane]) + position) % SEATS
        assert not total[own].any()
        np.testing.assert_allclose(total, expected, atol=0.04)
        weighed += np.abs(expected - holding(keys, np.ones(len(right)))).max() > 0.12
        checked += 1
    assert checked == 3
    assert weighed >= 1


@pytest.mark.parametrize(("trick", "position"), slow_rows_after(1, [(5, 1), (4, 0), (6, 4)]))
def test_draws_add_up_to_the_number_wanted_or_are_all_layouts(trick: int, position: int) -> None:
    state, lanes = stopped(lively(AUCTION_2, seed=DRAWN_SEED, deals=24), trick, position, 24)
    wanted, model, block = 40, opponent_model(AUCTION_2), allocate_block()
    for lane in range(lanes):
        layouts = np.full(SEATS * (wanted + 1), -1, np.int64)
        weights = np.full(wanted + 1, -1.0)
        args = (model, block, wanted, 2 * wanted, layouts, weights)
        found = _draw(state, lane, trick, position, *args)
        count = abs(found)
        assert 1 <= count <= wanted
        assert weights[0] == -1 and (weights[1 : 1 + count] > 0).all()
        if found > 0:
            assert weights[1 : 1 + count].sum() == wanted
            assert (weights[1 : 1 + count] == weights[1 : 1 + count].round()).all()
        else:
            right = all_weights(AUCTION_2, state, lane, trick, position)
            rows = layouts.reshape(-1, SEATS)[1 : 1 + count].tolist()
            assert {tuple(row) for row in rows} == right.keys()
            for row, weight in zip(rows, weights[1 : 1 + count], strict=True):
                assert weight == pytest.approx(count * right[tuple(row)])


@kernel(cache=False)
def _redeal(known: Any, layouts: Any, first: int, key: int) -> None:
    redeal_among_last(known, layouts, 0, first, 6, key)


@kernel(cache=False)
def _sample(known: Any, layouts: Any) -> int:
    return int(sample_layouts(known, len(layouts) // SEATS, 1, layouts))


@pytest.mark.parametrize("case", ["one bound", "two bound", "nothing"])
@pytest.mark.parametrize("first", [2, 3])
def test_redealing_keeps_first_hands_and_every_deal_of_the_rest_is_as_likely(
    case: str, first: int
) -> None:
    known = CASES[case].array()
    layouts = np.zeros(SEATS, np.int64)
    _sample(known, layouts)
    kept = tuple(layouts[:first].tolist())
    possible = {world for world in slow_worlds(CASES[case]) if world[:first] == kept}
    times = dict.fromkeys(possible, 0)
    repeats = 60 * len(possible)
    for key in range(repeats):
        _redeal(known, layouts, first, key)
        times[tuple(layouts.tolist())] += 1
    counts = np.array(list(times.values()))
    assert len(possible) > 1
    # Chi-squared over its degrees of freedom.
    assert ((counts - 60) ** 2 / 60).sum() / (len(possible) - 1) < 1 + 6 / np.sqrt(len(possible))
