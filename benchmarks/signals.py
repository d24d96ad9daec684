"""Information of discards and calls on hands (docs/signals.md): signals.py DEALS SEED."""

import random
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.strength import VARIANTS
from kqj_sim.cards import CONTRACTS, parse_card
from kqj_sim.record import Record
from kqj_sim.referee.kqj import card_points, find_current_master
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records

SUITS, RANKS = "shdc", "ATHKQJ987654"
TRUMP_POINTS = {r + s: card_points(parse_card(r + s), s) for s in SUITS for r in RANKS}
SHOWN = ("take-2", "auction-2", "take-3", "auction-3")
Rows = Iterator[tuple[int, ...]]


def list_discards(record: Record) -> Rows:
    """Yield twice, as chosen and at random, for each discard from one of two plain suits: random,
    partner is winning, trick, suit and kind (low, middle, high), whose best cards are still held,
    longer suit, and whether the best card of its suit, and of the other, is still held."""
    trump, hands, out = record.contract, [{*hand} for hand in record.hands or ()], {*TRUMP_POINTS}
    for number, trick in enumerate(record.tricks if trump in CONTRACTS[:4] else ()):
        led, cards = trick.cards[0][1], [parse_card(card) for card in trick.cards]
        for position, card in enumerate(trick.cards):
            seat = (trick.leader + position) % 6
            hand, suits = hands[seat], {each[1] for each in hands[seat]}
            sides = [suit for suit in SUITS if suit not in (led, trump)]
            if led not in (trump, *suits) and card[1] != trump and {*sides} <= suits:
                winner = (trick.leader + find_current_master(cards[:position], str(trump))) % 6
                partner = record.teams[winner] == record.teams[seat]
                choices = sorted(each for each in hand if each[1] in sides)
                other = random.Random(8 * record.deal + number).choice(choices)
                for is_random, chosen in enumerate((card, other)):
                    left, at, rank = out - {chosen}, sides.index(chosen[1]), RANKS.index(chosen[0])
                    tops = [next((r + s for r in RANKS if r + s in left), "") for s in sides]
                    best = [top in hand for top in tops]
                    lengths = [sum(c[1] == s and c != chosen for c in hand) for s in sides]
                    longer = 1 + (lengths[1] > lengths[0]) - (lengths[1] < lengths[0])
                    message = 3 * at + (rank < 6) + (rank < 2)
                    yield (is_random, partner, number, message, best[0] + 2 * best[1], longer,
                           best[at], best[1 - at])  # fmt: skip
            hand.remove(card)
            out.remove(card)


def list_calls(record: Record) -> Rows:
    """Yield for each call up to the first bid: it is one, lap and Return's suit, contract, suit of
    most points as trump, and whether it is the contract."""
    turned = [record.turned] if record.turned else []
    for number, call in enumerate(record.calls):
        cards, bids = record.dealt[call.seat] + turned, call.contract is not None
        points = [sum(TRUMP_POINTS[card] for card in cards if card[1] == s) for s in SUITS]
        strongest, named = int(np.argmax(points)), CONTRACTS.index(call.contract or "s")
        lap = 4 * (number // 6) + SUITS.index(turned[0][1]) if turned else 0
        yield bids, lap, bids * (1 + named), strongest, strongest == named
        if bids:
            return


def count_bits(stratum: Any, message: Any, hand: Any, weights: Any = None) -> tuple[float, float]:
    """Return the mutual information of message and hand, and the hand's entropy, in strata."""
    sizes = [each.max() + 1 for each in (stratum, message, hand)]
    cells = np.ravel_multi_index((stratum, message, hand), sizes)
    table = np.bincount(cells, weights, int(np.prod(sizes))).reshape(sizes)
    whole, told, held, both = (
        float((each * np.log2(np.maximum(each, 1))).sum() / table.sum())
        for each in (table.sum((1, 2)), table.sum(2), table.sum(1), table)
    )
    return whole - told - held + both, whole - held


def measure(rows: Any, column: int, numbers: Any) -> str:
    """Return what messages tell of a column, less what they tell of shuffled hands."""
    rows = rows[np.argsort(rows[:, 2])]
    deals, stratum, message, hand = rows[:, [0, 2, 3, column]].T
    (bits, entropy), nothing, again = count_bits(stratum, message, hand), [], []
    count = deals.max() + 1
    for _ in range(200):
        shuffled = hand[np.lexsort((numbers.random(len(rows)), stratum))]
        nothing.append(count_bits(stratum, message, shuffled)[0])
        drawn = np.bincount(numbers.integers(count, size=count), minlength=count)
        again.append(count_bits(stratum, message, hand, drawn[deals])[0])
    return f"{bits - np.mean(nothing):.3f} ±{1.96 * np.std(again):.3f} of {entropy:.2f}"


def share(rows: Any, column: int) -> str:
    """Return a share in percent, with the errors of deals, not rows."""
    mean = rows[:, column].mean()
    errors = np.bincount(rows[:, 0], rows[:, column] - mean)
    return f"{100 * mean:.1f}% ±{196 * np.sqrt((errors**2).sum()) / len(rows):.1f}"


def main(deals: int, seed: int) -> None:
    """Print lines for each variant: discards (while an opponent, a partner wins), then calls."""
    numbers = np.random.default_rng(seed)

    def collect(variant: str, read: Callable[[Record], Rows]) -> Any:
        played = play_records(Experiment(VARIANTS[variant][1], "learned+network", deals, seed))
        return np.array([(deal, *row) for deal, each in enumerate(played) for row in read(each)])

    def write(variant: str, rows: Any, *cells: str) -> None:
        print("|", " | ".join([VARIANTS[variant][0], f"{len(rows):,}", *cells]), "|", flush=True)

    for variant in SHOWN:
        rows = collect(variant, list_discards)
        for partner, is_random in product((0, 1), (0, 1)):
            of = rows[(rows[:, 1] == is_random) & (rows[:, 2] == partner)][:, [0, *range(2, 9)]]
            bits = (measure(of, at, numbers) for at in (4, 5))
            write(variant, of, *bits, share(of, 6), share(of, 7))
    for variant in SHOWN:
        rows = collect(variant, list_calls)
        bids = rows[rows[:, 1] == 1]
        told = (measure(of, 4, numbers) for of in (rows, bids))
        write(variant, rows, *told, share(bids, 5))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
