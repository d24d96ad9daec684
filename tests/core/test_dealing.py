"""Dealing: exact probabilities over a million deals, and the same deals without `pdep`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import comb, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare, hypergeom

from kqj_sim.core import deal as dealing
from kqj_sim.core import rng
from kqj_sim.core.block import (
    DEALT,
    FIRST_FIVE,
    FURTHER_CARDS,
    KEY,
    LANES,
    SENDER,
    STRIDE,
    UPCARD,
    allocate_block,
)
from kqj_sim.core.cards import PACK
from kqj_sim.core.deal import (
    GROUP_SIZES,
    PAIRS,
    SUBSET_COUNTS,
    TRIPLES,
    deal_first_cards,
    deal_further_cards,
)
from kqj_sim.core.round import complete_hands
from kqj_sim.imposed import ImposedContract
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate
from tests.core.coding import NATURAL
from tests.variants import AUCTION_2, LIVELY, TAKE_2, lively

DEALS = 1 << 20
SEED = 20
SEATS = 6
UNLIKELY = 1e-4
Z = 4.0

Sets = NDArray[np.int64]


def _start(state: Any, first: int) -> None:
    """Give the lanes of a block the keys of deals."""
    for lane in range(LANES):
        state[KEY + lane] = rng.derive_deal_key(SEED, first + lane)


def _deal(state: Any) -> None:
    deal_first_cards(state, LANES)
    deal_further_cards(state, LANES)


def _read(state: Any, offset: int, count: int) -> Sets:
    rows = [state[offset + k * STRIDE : offset + k * STRIDE + LANES] for k in range(count)]
    return np.array(rows)


@cache
def _hands(bidding: str) -> Sets:
    """(6, DEALS): eight cards of each place; with taking the Sender is place deal mod 6."""
    state, hands = allocate_block(), np.empty((SEATS, DEALS), np.int64)
    for first in range(0, DEALS, LANES):
        _start(state, first)
        _deal(state)
        state[SENDER : SENDER + LANES] = np.arange(first, first + LANES) % SEATS
        complete_hands(state, LANES, 1 if bidding == "take" else 0)
        hands[:, first : first + LANES] = _read(state, DEALT, SEATS)
    return hands


@cache
def _first_cards() -> tuple[Sets, Sets]:
    """(6, DEALS): five cards of each place; (DEALS,): the Return."""
    state, five, turned = allocate_block(), np.empty((SEATS, DEALS), np.int64), np.empty(DEALS, int)
    for first in range(0, DEALS, LANES):
        _start(state, first)
        _deal(state)
        five[:, first : first + LANES] = _read(state, FIRST_FIVE, SEATS)
        turned[first : first + LANES] = _read(state, UPCARD, 1)[0]
    return five, turned


@pytest.fixture(scope="module", autouse=True)
def deals_forgotten_at_the_end() -> Iterator[None]:
    """Free a quarter of a gigabyte for the tests of other modules."""
    yield
    _hands.cache_clear()
    _first_cards.cache_clear()


def _assert_share(found: int, exact: float, what: str, deals: int = DEALS) -> None:
    z = (found - deals * exact) / sqrt(deals * exact * (1 - exact))
    assert abs(z) < Z, f"{what}: {found} of {deals}, exactly {exact:.6f}, z = {z:.1f}"


def _card(rank: int, suit: int) -> int:
    return 1 << (16 * suit + rank)


JACK, QUEEN, KING = 6, 7, 8


@pytest.mark.parametrize("bidding", ["take", "auction"])
def test_every_card_is_dealt_once(bidding: str) -> None:
    hands = _hands(bidding)
    assert all(np.all(np.bitwise_count(hand) == 8) for hand in hands)
    assert np.all(np.bitwise_or.reduce(hands, axis=0) == PACK)
    five, turned = _first_cards()
    assert np.all(np.bitwise_count(five) == 5)
    assert np.all(np.bitwise_count(np.bitwise_or.reduce(five, axis=0) | turned) == 31)


@pytest.mark.parametrize("bidding", ["take", "auction"])
@pytest.mark.parametrize("suit", range(4))
@pytest.mark.parametrize(
    ("ranks", "exact"), [((KING, QUEEN), 7 / 47), ((KING, QUEEN, JACK), 21 / 1081)]
)
def test_cards_of_a_suit_are_in_one_hand(
    bidding: str, suit: int, ranks: tuple[int, ...], exact: float
) -> None:
    cards = sum(_card(rank, suit) for rank in ranks)
    held = np.array([(hand & cards) == cards for hand in _hands(bidding)])
    for place in range(SEATS):
        _assert_share(int(held[place].sum()), exact / SEATS, f"{ranks} at place {place}")
    _assert_share(int(held.sum()), exact, f"{ranks} in somebody's hand")


@pytest.mark.parametrize("size", [5, 8])
def test_suit_lengths_are_hypergeometric(size: int) -> None:
    hands = _first_cards()[0] if size == 5 else _hands("auction")
    exact = hypergeom(48, 12, size).pmf(range(size + 1)) * DEALS
    for place in range(SEATS):
        for suit in range(4):
            lengths = np.bitwise_count(hands[place] & (0x0FFF << 16 * suit))
            counts = np.bincount(lengths, minlength=size + 1)
            assert chisquare(counts, exact).pvalue > UNLIKELY, (place, suit, counts)


def test_the_return_is_every_card_equally_often() -> None:
    _, turned = _first_cards()
    counts = [int(np.sum(turned == bit)) for bit in NATURAL.values()]
    assert sum(counts) == DEALS
    assert chisquare(counts).pvalue > UNLIKELY, counts


@pytest.mark.parametrize("bidding", ["take", "auction"])
def test_every_card_comes_to_every_place_equally_often(bidding: str) -> None:
    for card, bit in NATURAL.items():
        counts = [int(np.sum(hand & bit != 0)) for hand in _hands(bidding)]
        assert chisquare(counts).pvalue > UNLIKELY, f"{card}: {counts}"


@pytest.mark.parametrize("bidding", ["take", "auction"])
def test_every_pair_of_cards_is_together_equally_often(bidding: str) -> None:
    """1128 pairs with chance 7/47 each: z above 5 in one of them has chance 0.0007."""
    bits = np.array(list(NATURAL.values()))
    together = np.zeros((48, 48))
    for hand in _hands(bidding):
        for part in np.split(hand, 16):
            held = (part[:, None] & bits != 0).astype(np.float32)
            together += held.T @ held
    exact = 7 / 47
    pairs = np.array([together[a, b] for a, b in combinations(range(48), 2)])
    z = (pairs - DEALS * exact) / sqrt(DEALS * exact * (1 - exact))
    assert np.abs(z).max() < 5.0
    assert 0.8 < z.std() < 1.2


def _slow_subset(number: int, size: int) -> list[int]:
    """The subset of a size with a number in colexicographic order."""
    found = []
    for k in range(size, 0, -1):
        position = k - 1
        while comb(position + 1, k) <= number:
            position += 1
        number -= comb(position, k)
        found.append(position)
    return found


def _slow_deal(key: int) -> list[int]:
    """The groups of a deal as lists of cards would be drawn: sets of bits, in the order drawn."""
    left = [bit for bit in range(64) if PACK >> bit & 1]
    groups: list[int] = []
    # A draw of 64 bits serves two groups, the upper half the first; that of the Return serves one.
    halves = []
    for draw in range(10):
        bits = rng.draw(key, int(rng.DEAL) + draw) % 2**64
        halves += [bits >> 32] if draw == 6 else [bits >> 32, bits % 2**32]
    for number, (size, half) in enumerate(zip(GROUP_SIZES, halves, strict=False)):
        choices = comb(len(left), size)
        assert choices == SUBSET_COUNTS[number]
        chosen = [left[position] for position in _slow_subset(half * choices >> 32, size)]
        groups.append(sum(1 << bit for bit in chosen))
        left = [bit for bit in left if bit not in chosen]
    return [*groups, sum(1 << bit for bit in left)]


WAYS = (
    (dealing.deal_first_cards_by_instruction, dealing.deal_further_cards_by_instruction),
    (dealing.deal_first_cards_by_planes, dealing.deal_further_cards_by_planes),
)


def _read_deals(way: tuple[Any, Any], first: int) -> Sets:
    """Return the groups of a block's deals, (13, LANES); those of five count as one."""
    state = allocate_block()
    _start(state, first)
    for function in way:
        function(state, LANES)
    rows = ((FIRST_FIVE, SEATS), (UPCARD, 1), (FURTHER_CARDS, SEATS))
    return np.concatenate([_read(state, offset, count) for offset, count in rows])


@pytest.mark.parametrize("way", WAYS, ids=["by instruction", "by planes"])
def test_deals_are_those_of_a_slow_dealer(way: tuple[Any, Any]) -> None:
    deals = _read_deals(way, 0)
    for lane in range(LANES):
        groups = _slow_deal(rng.derive_deal_key(SEED, lane))
        five = [groups[2 * place] | groups[2 * place + 1] for place in range(SEATS)]
        assert deals[:, lane].tolist() == five + groups[12:], lane


def test_without_pdep_the_same_deals() -> None:
    for first in range(0, 40 * LANES, LANES):
        one, other = (_read_deals(way, first) for way in WAYS)
        assert np.array_equal(one, other), f"seed={SEED} deals from {first}"


def test_deposits_against_a_slow_one() -> None:
    draw = np.random.default_rng(3)
    for _ in range(500):
        mask = int(draw.integers(1 << 60)) & PACK
        places = [bit for bit in range(64) if mask >> bit & 1]
        bits = int(draw.integers(1 << 60)) & ((1 << len(places)) - 1)
        slow = sum(1 << place for number, place in enumerate(places) if bits >> number & 1)
        assert dealing.deposit_by_steps(bits, mask) == slow
        assert dealing.deposit_beside_by_loop(bits, ~mask) == slow


def _draw_slowly(left: list[int], size: int, key: int) -> int:
    """The bits of cards that are drawn three at a time."""
    drawn = 0
    for group, start in enumerate(range(0, size, 3)):
        wanted = min(3, size - start)
        bits = rng.draw(key, group) % 2**64
        number = (bits >> 16) * comb(len(left), wanted) >> 48
        chosen = [left[position] for position in _slow_subset(number, wanted)]
        drawn |= sum(1 << bit for bit in chosen)
        left = [bit for bit in left if bit not in chosen]
    return drawn


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 8])
def test_cards_are_drawn_as_by_a_slow_dealer(size: int) -> None:
    draw = np.random.default_rng(size)
    for key in range(20):
        bits = draw.permutation([bit for bit in range(64) if PACK >> bit & 1])[: size + key]
        cards = sum(1 << int(bit) for bit in bits)
        drawn = dealing.draw_cards(cards, size, key, 0)
        assert drawn == _draw_slowly(sorted(map(int, bits)), size, key)


def test_tables_of_subsets_are_whole() -> None:
    for table, size in ((PAIRS, 2), (TRIPLES, 3)):
        assert len(np.unique(table)) == comb(48, size)
        assert np.all(np.bitwise_count(table) == size)
        assert table[comb(30, size) - 1] < 1 << 30 <= table[comb(30, size)]


@pytest.mark.parametrize(("teams", "splits"), [(2, 20), (3, 90)])
def test_random_partners_are_uniform_splits(teams: int, splits: int) -> None:
    rules = TAKE_2.from_dict({"teams": teams, "partners": "random"})
    rows = simulate(lively(rules, deals=200_000, seed=SEED, imposed=ImposedContract(0, "s")))
    seats = [rows.column(f"team_of_seat_{seat}").astype(int) for seat in range(SEATS)]
    packed = sum(team * 3**seat for seat, team in enumerate(seats))
    found, counts = np.unique(packed, return_counts=True)
    assert len(found) == splits
    assert chisquare(counts).pvalue > UNLIKELY, counts
    for team in range(teams):
        assert np.all(sum(seat == team for seat in seats) == SEATS // teams)


def test_the_first_dealer_of_a_game_is_any_seat() -> None:
    rules = AUCTION_2.from_dict({"bidding": "auction", "target": 500})
    experiment = Experiment(rules, (LIVELY,) * SEATS, seed=SEED, games=6000)
    rows = simulate(experiment)
    assert rows.round is not None
    counts = np.bincount(rows.column("dealer")[rows.round == 0], minlength=SEATS)
    assert counts.sum() == 6000
    assert chisquare(counts).pvalue > UNLIKELY, counts
