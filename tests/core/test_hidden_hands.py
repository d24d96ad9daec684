"""Knowledge of other hands against the true ones; layouts against all found by plain Python."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare

from kqj_sim.cards import parse_card
from kqj_sim.core import hidden_hands
from kqj_sim.core.block import (
    AMOUNT,
    CONTRACT,
    HAND,
    LEADER,
    PLAYED_CARDS,
    PLAYERS_BY_POSITION,
    SENDER,
    STRIDE,
    TRICK_CARDS,
    UPCARD,
    history_offset,
    voids_of,
)
from kqj_sim.core.cards import PACK, to_strength_order
from kqj_sim.core.hidden_hands import (
    EXCLUDED,
    HAND_SIZES,
    KNOWLEDGE_SIZE,
    UNSEEN,
    assign_to_holder,
    draw_first_layout,
    draw_next_hand,
    enumerate_layouts,
    exclude_by_trick,
    infer_knowledge,
    read_hidden_hand,
    sample_layouts,
)
from kqj_sim.core.jit import block_loop
from kqj_sim.record import Record
from kqj_sim.referee.kqj import PACK as CARDS
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.core.coding import strength_of
from tests.core.exclusions import exclusions
from tests.core.known import CASES, Known, World, has_several_worlds, slow_worlds
from tests.core.turns import stopped
from tests.slow import slow_after, slow_between
from tests.variants import AUCTION_3, LIVELY, TAKE_2, TAKE_3, VARIANTS, lively, tables, told

UNLIKELY = 1e-4


def _worlds(numbers: NDArray[np.int64], found: int) -> list[World]:
    return [tuple(world) for world in numbers[: SEATS * found].reshape(-1, SEATS).tolist()]


def _all(known: Known, limit: int) -> list[World] | None:
    """Return the layouts of `enumerate_layouts`; None if there are too many."""
    numbers = np.zeros(SEATS * limit, dtype=np.int64)
    found = enumerate_layouts(known.array(), limit, numbers)
    return None if found < 0 else _worlds(numbers, found)


def _sampled(known: Known, number: int, key: int) -> list[World]:
    numbers = np.zeros(SEATS * number, dtype=np.int64)
    return _worlds(numbers, sample_layouts(known.array(), number, key, numbers))


@block_loop
def _draw_in_turn(known: Any, player: int, key: int, hands: Any) -> bool:
    """Fill a list of hands of a player, each drawn after the one before."""
    if not draw_first_layout(known, key):
        return False
    hands[0] = read_hidden_hand(known, player)
    for which in range(1, hands.shape[0]):
        hands[which] = draw_next_hand(known, player, key + which)
    return True


def _hands_in_turn(known: Known, player: int, number: int, key: int) -> NDArray[np.int64]:
    hands = np.zeros(number, dtype=np.int64)
    possible = _draw_in_turn(known.array(), player, key << 32, hands)
    return hands[: number if possible else 0]


@pytest.mark.parametrize("case", CASES)
def test_all_worlds_are_those_of_plain_python(case: str) -> None:
    slow = slow_worlds(CASES[case])
    found = _all(CASES[case], len(slow) + 1)
    assert found is not None
    assert len(found) == len(slow)
    assert set(found) == slow
    assert _all(CASES[case], len(slow)) == found
    if slow:
        assert _all(CASES[case], len(slow) - 1) is None


def _random_known(draw: random.Random) -> Known:
    counts = [draw.randint(0, 2) for _ in range(SEATS)]
    cards = sum(counts)
    lacks = [sum(1 << c for c in range(cards) if draw.random() < 0.4) for _ in range(SEATS)]
    return Known(tuple(counts), tuple(lacks))


def test_all_worlds_of_random_cases() -> None:
    draw = random.Random(5)
    numbers = set()
    for case in range(300):
        known = _random_known(draw)
        slow = slow_worlds(known)
        found = _all(known, 2000)
        assert found is None or set(found) == slow, f"{case}: {known}"
        assert (found is None) == (len(slow) > 2000), f"{case}: {known}"
        assert found is None or len(found) == len(slow), f"{case}: {known}"
        numbers.add(min(len(slow), 3))
    assert numbers == {0, 1, 2, 3}


@pytest.mark.parametrize("case", CASES)
def test_no_more_worlds_than_wanted_are_all_written(case: str) -> None:
    slow = slow_worlds(CASES[case])
    if len(slow) < 1000:
        found = _sampled(CASES[case], 1000, key=1)
        assert len(found) == len(slow)
        assert set(found) == slow


@block_loop
def _after(known: Any, rounds: int, key: int, world: Any) -> None:
    """The world after many rounds of the chain."""
    hidden_hands.separate_forced_cards(known)
    hidden_hands.build_first_layout(known, key)
    hidden_hands.run_chain(known, rounds, key, 100)
    hidden_hands.write_layout(known, world, 0)


@pytest.mark.parametrize("case", [c for c in CASES if has_several_worlds(CASES[c])])
def test_the_chain_is_uniform(case: str) -> None:
    """Layouts that differ by a rare cycle of exchanges need many rounds."""
    slow = sorted(slow_worlds(CASES[case]))
    world = np.zeros(SEATS, dtype=np.int64)
    seen: Counter[World] = Counter()
    for key in range(max(30 * len(slow), 3000)):
        _after(CASES[case].array(), 500 if "circle" in case else 20, key, world)
        seen[_worlds(world, 1)[0]] += 1
    assert set(seen) <= set(slow)
    assert chisquare([seen[world] for world in slow]).pvalue > UNLIKELY, case


BOUND = slow_after(2, ["the last two bound", "two bound", "nothing", "one bound", "each bound"])


@pytest.mark.parametrize("case", BOUND)
@pytest.mark.parametrize("which", [0, 4])
def test_worlds_drawn_are_uniform(case: str, which: int) -> None:
    """The first of a few, and the last."""
    slow = sorted(slow_worlds(CASES[case]))
    seen = Counter(_sampled(CASES[case], 5, key)[which] for key in range(30 * len(slow)))
    assert set(seen) <= set(slow)
    assert chisquare([seen[world] for world in slow]).pvalue > UNLIKELY, case


@pytest.mark.parametrize("case", BOUND)
@pytest.mark.parametrize("which", [0, 1, 4])
def test_hands_drawn_in_turn_are_those_of_uniform_worlds(case: str, which: int) -> None:
    known, slow = CASES[case], slow_worlds(CASES[case])
    for player in range(SEATS):
        ways = Counter(world[player] for world in slow)
        runs = 30 * len(ways)
        seen = Counter(int(_hands_in_turn(known, player, 5, key)[which]) for key in range(runs))
        assert set(seen) <= set(ways)
        expected = [runs * number / len(slow) for number in ways.values()]
        if len(ways) > 1:
            assert chisquare([seen[hand] for hand in ways], expected).pvalue > UNLIKELY, player


def _wide(draw: random.Random, bound: int) -> Known:
    """Five players with six cards each, some of whom lack suits of eight cards."""
    lacks = [0] * SEATS
    for player in draw.sample(range(1, SEATS), bound):
        lacks[player] = 0xFF << 8 * draw.randrange(3)
    return Known((0, 6, 6, 6, 6, 6), tuple(lacks))


@pytest.mark.parametrize("bound", range(5))
def test_shares_of_large_worlds(bound: int) -> None:
    """Each player has each card equally often in the first, the tenth and the last layout.

    A chain that had not forgotten its start, or favoured some, would differ from fresh chains.
    """
    known = _wide(random.Random(bound), bound)
    places = (0, 9, 31)
    cards = np.arange(30)
    held = np.zeros((len(places), SEATS, 30))
    runs = 4000
    for key in range(runs):
        drawn = np.array(_sampled(known, 32, key))[list(places)]
        held += drawn[:, :, None] >> cards & 1
    mean = held.mean(axis=0)
    assert np.all(held.sum(axis=1) == runs)
    assert np.all(held.sum(axis=2) == runs * np.array(known.counts))
    lacks = np.array(known.lacks)[:, None] >> cards & 1
    assert np.all((mean == 0) == ((lacks == 1) | (np.array(known.counts) == 0)[:, None]))
    share = mean / runs
    z = (held - mean) / np.sqrt(runs * share * (1 - share) * 2 / 3 + 1e-9)
    assert np.abs(z).max() < 5.0
    assert z[:, share > 0].std() < 1.2
    kinds = {(known.lacks, int(group)) for group in cards // 8}
    for _, group in kinds:
        alike = held.mean(axis=0)[:, cards // 8 == group] / runs
        error = np.sqrt(alike * (1 - alike) / runs / len(places)) + 1e-9
        assert np.abs((alike - alike.mean(axis=1, keepdims=True)) / error).max() < 5.0


@pytest.mark.parametrize("bound", range(5))
def test_shares_of_hands_in_turn_are_those_of_worlds(bound: int) -> None:
    """Each player has each card as often in hands drawn in turn as in sampled layouts."""
    known = _wide(random.Random(bound), bound)
    cards, runs = np.arange(30), 3000
    worlds = np.array([_sampled(known, 1, key)[0] for key in range(runs)])
    for player in range(1, SEATS):
        hands = np.array([_hands_in_turn(known, player, 4, key)[3] for key in range(runs)])
        one, other = (
            (each[:, None] >> cards & 1).mean(axis=0) for each in (hands, worlds[:, player])
        )
        error = np.sqrt((one * (1 - one) + other * (1 - other)) / runs + 1e-9)
        assert np.abs((one - other) / error).max() < 5.0
        assert hands.tolist() != worlds[:, player].tolist()


def test_worlds_follow_each_other_nearly_independently() -> None:
    """A card's owners in neighbouring worlds agree hardly more often than by chance."""
    known = _wide(random.Random(3), 4)
    same = by_chance = 0.0
    for key in range(300):
        drawn = np.array(_sampled(known, 32, key))
        held = (drawn[:, :, None] >> np.arange(30) & 1).astype(float)
        same += (held[1:] * held[:-1]).sum() / 31
        by_chance += (held.mean(axis=0) ** 2).sum() - held.var(axis=0).sum() / 31
    assert same / by_chance < 1.1


@pytest.mark.parametrize("case", CASES)
def test_hands_in_turn_are_possible(case: str) -> None:
    slow = slow_worlds(CASES[case])
    for player in range(SEATS):
        drawn = _hands_in_turn(CASES[case], player, 20, key=1).tolist()
        assert {*drawn} <= {world[player] for world in slow}
        assert len(drawn) == (20 if slow else 0)
        assert drawn == _hands_in_turn(CASES[case], player, 20, key=1).tolist()


@pytest.mark.parametrize("bound", range(6))
def test_hands_in_turn_hardly_depend_on_each_other(bound: int) -> None:
    """The correlation of whether a player holds a card with the hand before is about 0.

    The correlation of one card varies with a standard error of 0.01.
    """
    known = _wide(random.Random(bound), bound)
    cards = np.arange(30)
    drawn = np.array(
        [[_hands_in_turn(known, p, 100, key) for p in range(SEATS)] for key in range(100)]
    ).swapaxes(1, 2)
    held = (drawn[..., None] >> cards & 1).astype(float)
    mean = held.mean(axis=(0, 1))
    open_cards = (mean > 0) & (mean < 1)
    products = ((held[:, 1:] - mean) * (held[:, :-1] - mean)).mean(axis=(0, 1))
    correlations = products[open_cards] / (mean * (1 - mean))[open_cards]
    assert abs(correlations.mean()) < 0.02
    assert np.abs(correlations).max() < 0.08


@pytest.mark.parametrize("case", CASES)
def test_the_same_key_draws_the_same_worlds(case: str) -> None:
    known = CASES[case]
    assert _sampled(known, 10, key=3) == _sampled(known, 10, key=3)
    if len(slow_worlds(known)) > 50:
        assert _sampled(known, 10, key=3) != _sampled(known, 10, key=4)


@block_loop
def _note_holder(known: Any, player: int, cards: int) -> None:
    assign_to_holder(known, player, cards)


def test_card_of_a_known_holder_stays() -> None:
    known = Known((0, 1, 1, 1, 1, 1), (0,) * 6).array()
    _note_holder(known, 2, 0b100)
    numbers = np.zeros(SEATS * 24, dtype=np.int64)
    assert enumerate_layouts(known, 24, numbers) == 24
    assert {world[2] for world in _worlds(numbers, 24)} == {0b100}


TURNS = [(0, 0), (0, 3), (1, 0), (2, 5), (4, 2), (6, 0), (6, 5)]


@pytest.mark.parametrize(("rules", "turn"), list(product((TAKE_2, AUCTION_3), TURNS[2:])))
def test_whoever_did_not_follow_is_noted_as_void(rules: KqjRules, turn: tuple[int, int]) -> None:
    """Policies see the voids shown in finished tricks, and nothing else."""
    trick, position = turn
    state, lanes = stopped(lively(rules, seed=4), trick, position)
    noted = 0
    for i in range(lanes):
        voids = [0] * SEATS
        for finished in range(trick):
            first, *cards = (int(state[history_offset(finished, k) + i]) for k in range(1 + SEATS))
            suits = [(card.bit_length() - 1) // 16 for card in cards]
            for k, suit in enumerate(suits):
                if suit != suits[0]:
                    voids[(first + k) % SEATS] |= 1 << suits[0]
        leader, players = int(state[LEADER + i]), int(state[PLAYERS_BY_POSITION + i])
        found = [voids_of(players, (place - leader) % SEATS) for place in range(SEATS)]
        assert found == voids, f"seed=4 lane={i} {turn}"
        noted += sum(map(bool, voids))
    assert noted > lanes / 4


@pytest.mark.parametrize(("rules", "turn"), list(product((TAKE_2, TAKE_3, AUCTION_3), TURNS)))
def test_the_true_hands_agree_with_what_is_known(rules: KqjRules, turn: tuple[int, int]) -> None:
    trick, position = turn
    state, lanes = stopped(lively(rules, seed=4), trick, position)
    known = np.zeros(KNOWLEDGE_SIZE, dtype=np.int64)
    assert lanes > 100
    lacking = returns = 0
    for i in range(lanes):
        infer_knowledge(state, i, trick, position, known)
        leader = int(state[LEADER + i])
        own = (leader + position) % SEATS
        hands = {(leader + p) % SEATS: int(state[HAND + p * STRIDE + i]) for p in range(SEATS)}
        if position:
            on_table = sum(int(state[TRICK_CARDS + p * STRIDE + i]) for p in range(position))
            hands = {place: hand & ~on_table for place, hand in hands.items()}
        others = {place: hand for place, hand in hands.items() if place != own}
        said = f"seed=4 lane={i} {turn}"
        assert known[UNSEEN] == sum(others.values()), said
        assert known[HAND_SIZES + own] == 0, said
        for place, hand in others.items():
            assert known[HAND_SIZES + place] == hand.bit_count(), said
            assert known[EXCLUDED + place] & hand == 0, said
            lacking += bool(known[EXCLUDED + place] & known[UNSEEN])
        sender = int(state[SENDER + i])
        returned = to_strength_order(int(state[UPCARD + i]), int(state[CONTRACT + i]))
        certain = state[AMOUNT + i] == 0 and sender != own and hands[sender] & returned
        for place in others:
            if certain and place != sender:
                assert known[EXCLUDED + place] & returned, said
                returns += 1
        assert state[PLAYED_CARDS + i].bit_count() == SEATS * trick, said
    assert lacking > 0 or trick == 0
    assert returns > 0 or rules is AUCTION_3


@block_loop
def _excluded(known: Any, cards: Any, leader: int, players: int, trumps: int, climb: int) -> None:
    exclude_by_trick(known, cards, 0, 1, cards.shape[0], leader, players, trumps, climb)


def _wrong(record: Record) -> str | None:
    """Return an error in the exclusions of a round, or an empty text."""
    assert record.contract is not None
    coded = strength_of(record.contract)
    climbing = PACK if record.contract == "AT" else 0
    trumps = 0
    if record.contract in "shdc":
        climbing = trumps = sum(coded[card] for card in CARDS if card.suit == record.contract)
    opener = (record.dealer + 1) % SEATS
    teams = [record.teams[(opener + place) % SEATS] for place in range(SEATS)]
    players = sum(team << 9 * place for place, team in enumerate(teams))
    slow = exclusions(record)
    finished = np.zeros(KNOWLEDGE_SIZE, dtype=np.int64)
    for trick in record.tricks:
        leader = (trick.leader - opener) % SEATS
        cards = [coded[parse_card(text)] for text in trick.cards]
        for count in range(1, SEATS + 1):
            known = finished.copy()
            on_table = np.array(cards[:count], dtype=np.int64)
            _excluded(known, on_table, leader, players, trumps, climbing)
            lacks, held = next(slow)
            for place in range(SEATS):
                seat = (opener + place) % SEATS
                fast = int(known[EXCLUDED + place])
                hand = sum(coded[card] for card in held[seat])
                if fast != sum(coded[card] for card in lacks[seat]):
                    return told(record, f"seat {seat}: not the slow exclusions")
                if fast & hand:
                    return told(record, f"seat {seat}: holds an excluded card")
        finished = known
    return None


@pytest.mark.parametrize("variant", slow_between(5, VARIANTS))
def test_exclusions_by_plays(variant: str) -> None:
    """They are those of a slow twin, and never those of a card held."""
    for policies in ((LIVELY,) * SEATS, tables()["lively_callers"]):
        rounds = 0
        for record in play_records(Experiment(VARIANTS[variant], policies, deals=20, seed=3)):
            if record.contract is not None:
                wrong = _wrong(record)
                assert wrong is None, wrong
                rounds += 1
        assert rounds > 5
