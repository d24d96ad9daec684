"""Random questions of auctions, slow and packed."""

from __future__ import annotations

import random
from collections.abc import Iterator

from kqj_sim.columns import CONTRACT_LABELS
from kqj_sim.core.block import PLAYER_BITS
from kqj_sim.core.views import replace_last_bid
from kqj_sim.policies.call_features import CallTurn
from kqj_sim.referee.kqj import PACK
from tests.core.coding import bits
from tests.policies.slow_calls import SUITS, Question

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
            other: (amount, draw.choice(CONTRACT_LABELS))
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
            number = CONTRACT_LABELS.index(contract)
            packed = replace_last_bid(packed, other, amount // 10, number)
        amount, contract = bids[bidder] if bidder is not None else (0, "")
        hand = {suit: "".join(c.rank for c in cards if c.suit == suit) for suit in SUITS}
        yield (
            Question(hand, place, turn, kind, bids, bidder, capot, teams),
            CallTurn(
                bits(cards), place, turn, kind, -1 if bidder is None else bidder, amount,
                CONTRACT_LABELS.index(contract) if contract else -1, int(capot), packed,
                sum(team << PLAYER_BITS * at for at, team in enumerate(teams)), max(teams) + 1,
            ),
        )  # fmt: skip
