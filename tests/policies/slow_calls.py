"""Features and values of calls once more, slowly, from cards by name and bids by place."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.cards import CONTRACTS
from kqj_sim.core.block import PLAYER_BITS
from kqj_sim.core.views import replace_last_bid
from kqj_sim.policies.call_features import LAYOUT, PARTS, CallTurn
from kqj_sim.referee.kqj import PACK
from tests.core.coding import bits
from tests.policies.slow_network import values_in_whole_numbers

SUITS, HALVES = "shdc", ("456789", "JQKHTA")
RANKS = "".join(HALVES)


class Question(NamedTuple):
    """A question of an auction: the hand as {suit: ranks}, bids as {place: (amount, contract)}."""

    hand: dict[str, str]
    place: int
    turn: int
    kind: int
    bids: dict[int, tuple[int, str]]
    bidder: int | None
    capot: bool
    teams: tuple[int, ...]


def strength(suit: str, hand: dict[str, str]) -> tuple[int, list[int], int]:
    """Return the length, the ranks and the number of a suit: the key of the order."""
    ranks = sorted((RANKS.index(rank) for rank in hand[suit]), reverse=True)
    return len(ranks), ranks, SUITS.index(suit)


def list_features(question: Question, contract: str) -> list[int]:
    """The rows of a question in the view of a contract, in no order."""
    hand, place = question.hand, question.place
    ordered = sorted(SUITS, key=lambda suit: strength(suit, hand), reverse=True)
    suits = [contract] * (contract in SUITS) + [suit for suit in ordered if suit != contract]
    names = [contract, *(suit for suit in suits if suit != contract)]
    names += [other for other in CONTRACTS[4:] if other != contract]
    minimum = 120 if max(question.teams) == 1 else 80

    def say(player: int) -> int:
        if player not in question.bids:
            return int(player < question.turn)
        amount, bid = question.bids[player]
        tens = min(max((amount - minimum) // 10, 0), 15)
        return 2 + 16 * names.index(bid) + tens

    rows: list[tuple[str, int]] = []
    for slot, suit in enumerate(suits):
        for half, ranks in enumerate(HALVES):
            held = sum(1 << at for at, rank in enumerate(ranks) if rank in hand[suit])
            rows.append((f"half_{2 * slot + half}", held))
        if slot < 3:
            rows.append((f"length_{slot}", len(hand[suit])))
    for step in range(1, 6):
        other = (place + step) % 6
        partner = question.teams[other] == question.teams[place]
        rows.append((f"call_{step}", 98 * partner + say(other)))
    rows.append(("own_call", say(place)))
    bidder, relation, named, tens = 0, 0, 0, 0
    if question.bidder is not None:
        partner = question.teams[question.bidder] == question.teams[place]
        relation = 1 + partner
        bidder = 1 + 2 * ((question.bidder - place) % 6) + partner
        named = names.index(question.bids[question.bidder][1])
        tens = (question.bids[question.bidder][0] - minimum) // 10 + 1
        tens = min(max(tens, 0), 31)
    rows += [("bidder", 6 * bidder + named), ("lowest", 32 * relation + tens)]
    lap = min(question.turn // 6, 2)
    rows.append(("question", (6 * lap + place) * 6 + 2 * question.kind + question.capot))
    sizes = [size for size, _ in PARTS.values()]
    starts = dict(zip(PARTS, np.cumsum([0, *sizes]), strict=False))
    assert all(row < PARTS[part][0] for part, row in rows)
    return [int(starts[part]) + row for part, row in rows]


def list_values(fixed: NDArray[np.int16], rows: list[int], contract: str) -> list[np.float32]:
    """The sixteen values of a contract, one number at a time, from weights in fixed point."""
    kind = {"NT": 1, "AT": 2}.get(contract, 0)
    numbers = fixed.reshape(-1, LAYOUT.fixed_size)[kind]
    return values_in_whole_numbers(numbers, LAYOUT, rows, list(range(16)))


# Random questions of auctions, slow and packed.

SPLITS = {2: [(0, 1, 0, 1, 0, 1), (0, 0, 1, 1, 0, 1)], 3: [(0, 1, 2, 0, 1, 2), (0, 0, 2, 1, 1, 2)]}


def questions(count: int, seed: int = 5) -> Iterator[tuple[Question, CallTurn]]:
    """Random questions, slow and packed; some with amounts and calls beyond the usual."""
    draw = random.Random(seed)
    for _ in range(count):
        few = [card for card in sorted(PACK) if card.suit in "sh"]
        cards = draw.sample(draw.choice([sorted(PACK), few]), 8)
        teams = draw.choice(SPLITS[draw.choice([2, 3])])
        kind = draw.choice([0, 0, 1, 2])
        turn = draw.choice([0, 1, 3, 5, 6, 9, 14, 25])
        place = turn % 6
        spoken = [other for other in range(6) if other < turn]
        bidders = [other for other in spoken if draw.random() < 0.6]
        if kind > 0:
            bidders = bidders or [draw.randrange(6)]
        amounts = draw.sample(range(70, draw.choice([200, 500]), 10), len(bidders))
        bids = {
            other: (amount, draw.choice(CONTRACTS))
            for other, amount in zip(bidders, amounts, strict=True)
        }
        bidder = max(bids, key=lambda other: bids[other][0]) if bids else None
        capot = kind > 0 and draw.random() < 0.3
        if kind > 0:
            place = draw.randrange(6)
            assert bidder is not None
            turn = bidder + 1
        packed = 0
        for other, (amount, contract) in bids.items():
            number = CONTRACTS.index(contract)
            packed = replace_last_bid(packed, other, amount // 10, number)
        amount, contract = bids[bidder] if bidder is not None else (0, "")
        hand = {suit: "".join(c.rank for c in cards if c.suit == suit) for suit in SUITS}
        yield (
            Question(hand, place, turn, kind, bids, bidder, capot, teams),
            CallTurn(
                bits(cards), place, turn, kind, -1 if bidder is None else bidder, amount,
                CONTRACTS.index(contract) if contract else -1, int(capot), packed,
                sum(team << PLAYER_BITS * at for at, team in enumerate(teams)), max(teams) + 1,
            ),
        )  # fmt: skip
