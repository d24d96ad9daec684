"""Random rows that hang together as far as the tables look at them, without playing a card."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kqj_sim.columns import KQJ_COLUMN_NUMBERS, KQJ_COLUMNS
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.rows import GameRows, Rows

KIND_NONE = 5


def synthetic_rows(rules: KqjRules, deals: int, seed: int, taken: float = 0.67) -> Rows:
    """Rows under these rules; a share `taken` of the deals is taken."""
    random = np.random.default_rng(seed)
    values = np.zeros((len(KQJ_COLUMNS), deals), np.int16)
    is_taken = random.random(deals) < taken

    def put(name: str, chosen: NDArray[np.integer], passed_out: int = 0) -> NDArray[np.integer]:
        row: NDArray[np.integer] = values[KQJ_COLUMN_NUMBERS[name]]
        row[:] = np.where(is_taken, chosen, passed_out)
        return row

    def up_to(high: int, low: int = 0) -> NDArray[np.integer]:
        return random.integers(low, high + 1, deals)

    def flags(chance: float) -> NDArray[np.integer]:
        return (random.random(deals) < chance).astype(np.int16)

    values[KQJ_COLUMN_NUMBERS["dealer"]] = up_to(5)
    put("taken", np.ones(deals, np.int16))
    put("lap", up_to(2 if rules.bidding == "take" else 5, 1))
    put("place", up_to(5), -1)
    put("sender", up_to(5), -1)
    contract = put("contract", random.choice(6, deals, p=[0.3, 0.2, 0.2, 0.2, 0.07, 0.03]), 6)
    suit = up_to(1) if rules.bidding == "take" else np.full(deals, 2)
    put("kind", np.where(contract < 4, suit, contract - 1), KIND_NONE)
    put("return_suit", up_to(3), 4)
    tie = rules.bidding == "take" or rules.must_outscore
    result = put("result", random.choice(3, deals, p=[0.5, 0.4, 0.1] if tie else [0.6, 0.4, 0]), 3)
    total = put("contracting_total", np.clip(random.normal(125, 40, deals), 0, 400).astype(int))
    put("contracting_score", np.where(result == 0, (total + 5) // 10 * 10, 0))
    put("defending_score", np.where(result == 1, up_to(30) * 10, 0))
    for name, chance in (
        ("last_trick_contracting", 0.6), ("capot_contracting", 0.02), ("capot_defending", 0.01),
    ):  # fmt: skip
        put(name, flags(chance))
    for side in ("contracting", "defending"):
        put(f"kq_{side}", flags(0.08) + flags(0.01))
        put(f"kqj_{side}", flags(0.01))
    put("sender_trumps", up_to(8), -1)
    put("sender_voids", up_to(2))
    put("sender_points", up_to(236))
    put("sender_trump_points", up_to(100))
    for team in range(rules.teams):
        put(f"score_{team}", up_to(20) * 10)
    for seat in range(6):
        values[KQJ_COLUMN_NUMBERS[f"team_of_seat_{seat}"]] = up_to(rules.teams - 1)
    if rules.teams == 3:
        low = put("low_teams", random.choice(3, deals, p=[0.8, 0.15, 0.05]))
        put("trickless_teams", np.where(low == 0, random.choice(3, deals, p=[0.9, 0.08, 0.02]), 0))
    put("stake", np.ones(deals, np.int16), 1)
    if rules.bidding == "auction":
        bids = put("bids", up_to(4, 1))
        opening = put("opening_amount", up_to(20, 12) * 10)
        put("amount", opening + (bids - 1) * 10)
        put("stake", random.choice([1, 2, 4], deals, p=[0.8, 0.15, 0.05]), 1)
        put("capot_announced", flags(0.05))
    if tie:
        put("pending_before", flags(0.1) * up_to(14, 11) * 10)
        put(
            "gratuity_received",
            np.where(result != 2, values[KQJ_COLUMN_NUMBERS["pending_before"]], 0),
        )
        put("pending_after", np.where(result == 2, 120, 0))
    return Rows(np.arange(deals, dtype=np.int64), values)


def synthetic_games(rules: KqjRules, games: int, seed: int) -> GameRows:
    random = np.random.default_rng(seed)
    rounds = random.integers(10, 60, games)
    return GameRows(
        game=np.arange(games),
        rounds=rounds,
        played_rounds=rounds - random.integers(0, 9, games),
        first_dealer=random.integers(0, 6, games),
        winner=random.integers(0, rules.score_count, games),
        first_dealer_side_won=random.integers(0, 2, games),
        score=random.integers(0, 110, (games, rules.score_count)) * 10,
    )


def part(rows: Rows, which: slice) -> Rows:
    """Some of the rows, their matrix no longer contiguous."""
    return Rows(rows.deal[which], rows.values[:, which])
