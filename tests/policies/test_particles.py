"""Likelihoods of layouts, given calls and cards of the others, against a slow twin."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.cards import CONTRACTS, Card, parse_card
from kqj_sim.core import rng
from kqj_sim.core.block import (
    DEAL_NUMBER,
    HAND,
    KEY,
    LEADER,
    PLAYERS,
    SEATS,
    allocate_block,
    history_offset,
    team_of,
)
from kqj_sim.core.cards import TOP_SUIT
from kqj_sim.core.hidden_hands import KNOWLEDGE_SIZE, draw_subset, infer_knowledge, sample_layouts
from kqj_sim.core.jit import kernel
from kqj_sim.core.trick import suit_mask_of
from kqj_sim.core.weighted_layouts import list_hands, new_hand_lists
from kqj_sim.policies import particles, points
from kqj_sim.policies.particles import OpponentModel
from kqj_sim.record import Record
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.recording import play_records
from tests.core.coding import NATURAL, strength_of
from tests.core.turns import stopped
from tests.policies.slow_count import slow_count
from tests.policies.slow_plays import chance, opponent_model, slow_cards
from tests.slow import slow_after
from tests.variants import AUCTION_2, AUCTION_3, TAKE_2, TAKE_3, lively, rules_in, told

SEED = 31
SOFT = 20.0
RULES = {"take-2": TAKE_2, "take-3": TAKE_3, "auction-2": AUCTION_2, "auction-3": AUCTION_3}


class Weighed(NamedTuple):
    """Worlds of a lane, int64 (n, 6), and how likely the calls and the cards are in each."""

    worlds: NDArray[np.int64]
    calls: NDArray[np.float64]
    cards: NDArray[np.float64]


@kernel(cache=False)  # type: ignore[untyped-decorator]
def _weigh(
    state: Any, i: int, trick: int, position: int, model: OpponentModel, block: Any, worlds: Any,
    calls: Any, cards: Any,
) -> int:  # fmt: skip
    known = np.empty(KNOWLEDGE_SIZE, np.int64)
    infer_knowledge(state, i, trick, position, known)
    count = sample_layouts(known, len(calls), state[KEY + i], worlds)
    by_calls = particles.arrange_layouts(worlds, count, calls)
    particles.weigh_by_calls(state, i, trick, position, state[KEY + i], model, by_calls)
    by_cards = particles.arrange_layouts(worlds, count, cards)
    particles.weigh_by_cards(state, i, trick, position, model, block, by_cards)
    return int(count)


def weighed(
    rules: KqjRules, state: Any, lane: int, trick: int, position: int, number: int
) -> Weighed:
    worlds, calls, cards = np.empty(SEATS * number, np.int64), np.ones(number), np.ones(number)
    model = opponent_model(rules)
    count = _weigh(state, lane, trick, position, model, allocate_block(), worlds, calls, cards)
    return Weighed(worlds.reshape(-1, SEATS)[:count], calls[:count], cards[:count])


def slow_take(record: Record, seat: int, hand: set[Card], key: int) -> float:
    """Return the likelihood of a seat's passes and take, from its hand of eight cards."""
    assert record.turned is not None and record.contract is not None
    fitted = points.DEFAULTS[len(set(record.teams))]
    kinds = {"NT": "no_trump", "AT": "all_trumps"}
    turned, place = parse_card(record.turned), (seat - record.dealer - 1) % SEATS
    natural = sum(NATURAL[card] for card in hand - {turned})
    first = draw_subset(natural, 5, key, 8 * place)
    five = [card for card in hand if NATURAL[card] & first]
    product, spoken = 1.0, 0
    for call in record.calls:
        if call.seat != seat:
            continue
        spoken += 1
        at = "take" if spoken == 1 else "lap2"
        least = fitted[at]
        least += fitted[f"{at}_{place}"] if place else 0.0
        may = CONTRACTS if spoken == 2 else (turned.suit,)
        values = [
            slow_count([*five, turned], contract, fitted)
            + (fitted[kinds.get(contract, "other")] if contract != turned.suit else 0.0)
            for contract in may
        ]
        chosen = 1 + may.index(call.contract) if call.contract is not None else 0
        product *= chance([least, *values], chosen, SOFT)
    return product


def slow_bid(record: Record, seat: int, hand: set[Card]) -> float:
    """Return the likelihood of a seat's last bid, from its hand."""
    last = {c.seat: c for c in record.calls if c.amount is not None}
    if seat not in last:
        return 1.0
    call = last[seat]
    assert call.contract is not None and call.amount is not None
    fitted = points.DEFAULTS[len(set(record.teams))]
    base = {"NT": "base_nt", "AT": "base_at"}.get(call.contract, "base_suit")
    partners = sum(
        record.teams[other] == record.teams[seat] and said.contract == call.contract
        for other, said in last.items()
        if other != seat
    )
    first = call.amount <= rules_in(record).minimum_bid
    needed = call.amount + (0.5 if first else 0.2) * fitted["spread"]
    needed -= fitted[base] + fitted["named"] * partners
    needed /= fitted["per_count"]
    share = NormalDist(0, 10).cdf(slow_count(hand, call.contract, fitted) - needed)
    return 0.05 + 0.95 * share


@kernel(cache=False)  # type: ignore[untyped-decorator]
def _weigh_lists(
    state: Any, i: int, trick: int, position: int, model: OpponentModel, block: Any, worlds: Any,
    weights: Any,
) -> None:  # fmt: skip
    known = np.empty(KNOWLEDGE_SIZE, np.int64)
    infer_knowledge(state, i, trick, position, known)
    lists = new_hand_lists()
    list_hands(known, lists)
    particles.weigh_lists(state, i, trick, position, state[KEY + i], model, block, lists)
    for number in range(len(weights)):
        for place in range(SEATS):
            k = lists.starts[place]
            while lists.hands[k] != worlds[number, place]:
                k += 1
            weights[number] *= lists.factors[k]


@pytest.mark.slow
@pytest.mark.parametrize("rules", [AUCTION_2, AUCTION_3], ids=["auction-2", "auction-3"])
@pytest.mark.parametrize(("trick", "position"), [(5, 0), (5, 4), (6, 2)])
def test_hands_weighed_one_by_one_give_the_weights_of_layouts(
    rules: KqjRules, trick: int, position: int
) -> None:
    """But for the square root that counts; in auctions the calls' chances need no draws."""
    state, lanes = stopped(lively(rules, seed=SEED, deals=24), trick, position, 24)
    model = opponent_model(rules)
    differ = 0
    for lane in range(min(lanes, 6)):
        found = weighed(rules, state, lane, trick, position, 40)
        weights = np.ones(len(found.worlds))
        args = (model, allocate_block(), found.worlds, weights)
        _weigh_lists(state, lane, trick, position, *args)
        np.testing.assert_allclose(weights, np.sqrt(found.calls * found.cards), rtol=1e-9)
        differ += np.ptp(weights) > 1e-3 * weights.max()
    assert differ > 3


@pytest.mark.parametrize("rules", slow_after(0, RULES.values()), ids=RULES)
def test_likelihoods_agree_with_a_slow_twin(rules: KqjRules) -> None:
    experiment = lively(rules, seed=SEED, deals=48)
    records = {record.deal: record for record in play_records(experiment)}
    seen = calls_differ = cards_differ = 0
    for trick, position in ((0, 3), (3, 4)):
        state, lanes = stopped(experiment, trick, position, experiment.deals)
        for lane in range(min(lanes, 20)):
            record = records[int(state[DEAL_NUMBER + lane])]
            assert record.contract is not None
            cards = {bit: card for card, bit in strength_of(record.contract).items()}
            opener = (record.dealer + 1) % SEATS
            seat = (opener + int(state[LEADER + lane]) + position) % SEATS
            turns = [(t, p) for t in range(trick + 1) for p in range(SEATS)]
            played: dict[int, set[Card]] = {s: set() for s in range(SEATS)}
            for t, p in turns[: SEATS * trick + position]:
                of = record.tricks[t]
                played[(of.leader + p) % SEATS].add(parse_card(of.cards[p]))
            found = weighed(rules, state, lane, trick, position, 5)
            for number, world in enumerate(found.worlds.tolist()):
                hands = {
                    s: played[s]
                    | {c for bit, c in cards.items() if world[(s - opener) % SEATS] & bit}
                    for s in range(SEATS)
                }
                others = [s for s in range(SEATS) if s != seat]
                key = rng.derive_deal_key(state[KEY + lane], number)
                called = np.prod(
                    [
                        slow_bid(record, s, hands[s])
                        if rules.bidding == "auction"
                        else slow_take(record, s, hands[s], key)
                        for s in others
                    ]
                )
                slow = slow_cards(record, seat, hands, trick, position)
                assert found.calls[number] == pytest.approx(called, rel=1e-5), told(record)
                assert found.cards[number] == pytest.approx(slow, rel=1e-3), told(record)
                seen += 1
            calls_differ += np.ptp(found.calls) > 1e-3 * found.calls.max()
            cards_differ += np.ptp(found.cards) > 1e-3 * found.cards.max()
    assert seen > 40
    assert cards_differ > 8
    assert calls_differ > 1


def test_letting_a_trick_go_makes_winners_unlikely() -> None:
    """Of who played last to the first trick, followed suit and left it to an opponent."""
    state, lanes = stopped(lively(TAKE_2, seed=SEED), 1, 0)
    last = SEATS - 1
    before, after = [], []
    for lane in range(lanes):
        trick = [int(state[history_offset(0, 1 + turn) + lane]) for turn in range(SEATS)]
        suit = int(suit_mask_of(trick[0]))
        winner, players = int(state[LEADER + lane]), int(state[PLAYERS + lane])
        lost_to_opponent = (winner - last) % 2 != 0
        higher = suit & -2 * trick[winner] & ~int(state[HAND + lane])
        if not (trick[last] & suit & ~TOP_SUIT and trick[winner] & suit and lost_to_opponent):
            continue
        assert team_of(players, winner) != team_of(players, last)
        worlds, _, cards = weighed(TAKE_2, state, lane, 1, 0, 64)
        holds = worlds[:, last] & higher != 0
        if holds.any() and not holds.all():
            before.append(holds.mean())
            after.append(cards[holds].sum() / cards.sum())
    assert len(before) > 5
    assert np.mean(after) < 0.7 * np.mean(before)
    assert np.mean(np.array(after) < before) > 0.8


def test_worlds_are_drawn_again_in_even_steps() -> None:
    draw = np.random.default_rng(3)
    for count, wanted in ((8, 8), (5, 9), (40, 9), (100, 1), (9, 8)):
        chances = draw.random(count) ** 8
        shares = chances.copy()
        fraction = draw.random()
        particles.resample_layouts(shares, count, wanted, fraction)
        exact = chances / chances.sum() * wanted
        assert shares.sum() == wanted
        assert (shares == shares.round()).all()
        assert (np.abs(shares - exact) < 1).all()
        particles.scale_weights(chances, count)
        np.testing.assert_allclose(chances, exact * count / wanted)


def test_each_world_is_drawn_again_as_often_as_it_should() -> None:
    chances = np.array([0.2, 3.0, 0.7, 0.1, 2.0])
    total = np.zeros(5)
    for step in range(1000):
        shares = chances.copy()
        particles.resample_layouts(shares, 5, 3, step / 1000)
        total += shares
    np.testing.assert_allclose(total / 1000, chances / 2, atol=0.003)
