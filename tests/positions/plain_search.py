"""Slow twins of the solver, with two teams.

One search tries every play and keeps nothing.  It can leave out what alpha-beta may, and keep in a
table which totals are enough, which whole deals need.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numba
import numpy as np

from kqj_sim.cards import CONTRACTS
from kqj_sim.core import cards as c
from kqj_sim.core.trick import legal_cards, suit_mask_of, winning_cards
from kqj_sim.policies.card_sets import encode_cards
from kqj_sim.positions.open_hands import ALL_POINTS
from kqj_sim.positions.position import Position
from kqj_sim.positions.reader import read_round
from kqj_sim.positions.solver import Solver, make_scale
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.variants import AUCTION_2, LIVELY, TAKE_2

_PLAYS = 48
_PENDING = 120
_MOST_TRIED, _MOST_WITHOUT_TABLE = 4, 5
_NODES = range(1000, 400_001)
"""Tricks that the solver begins in the whole deals that are compared."""


def play_endings(rules: KqjRules, cards_left: int, deals: int, seed: int = 1) -> Iterator[Position]:
    """Yield a round of each deal before the first of the last tricks, every third with a gratuity.

    Of the cards of that trick none to five are played already, but none of a whole deal.
    """
    experiment = Experiment(rules, (LIVELY,) * SEATS, deals, seed)
    for number, record in enumerate(play_records(experiment)):
        if record.contract is not None:
            position = read_round(record)
            plays = SEATS * (8 - cards_left) + (number % SEATS if 1 < cards_left < 8 else 0)
            pending = _PENDING if number % 3 == 2 else 0
            yield replace(position, plays=position.plays[:plays], pending=pending)


class _Round(NamedTuple):
    """Arrays of int64: by seat, by card, by card, by card, and by play (0 for a free one)."""

    hands: Any
    teams: Any
    points: Any
    holders: Any
    played: Any
    forced: Any
    leads: Any
    table: Any
    prunes: bool
    trumps: int
    must_beat: int


@numba.njit
def _describe(r, remaining, leader, won):  # type: ignore[no-untyped-def]
    """Return in one number the leader, who won a trick and the order of Kings, Queens, Jacks."""
    order = 0
    for suit in range(4):
        jack, queen = 16 * suit + c.TRUMP_JACK, 16 * suit + c.TRUMP_QUEEN
        for low, high in ((queen, queen + 1), (jack, queen)):
            was_first = remaining >> low & 1 != 0 or r.played[high] < r.played[low]
            order = 2 * order + (remaining >> high & 1 == 0 and was_first)
    return 32 * order + 4 * leader + won


@numba.njit
def _find_best(  # type: ignore[no-untyped-def]
    r, plays, leader, led, winning, master, points, own, won, low, high
):
    """Return twice the lead that team 0 can force; `points` are those of the trick so far.

    If it prunes, a lead up to `low` or from `high` on is only told to be so.  A table, which is for
    one `low` and `high` next to each other, has rows of cards left, what else counts, and the
    greatest total known not to be enough and the least known to be.
    """
    position = plays % 6
    if plays > 0 and position == 0:
        leader = (leader + master) % 6
        won |= 1 << r.teams[leader]
        if r.teams[leader] == 0:
            own += points + (10 if plays == _PLAYS else 0)
        points = 0
    if plays == _PLAYS:
        bonuses = 0
        for suit in range(4):
            jack, queen = 16 * suit + c.TRUMP_JACK, 16 * suit + c.TRUMP_QUEEN
            king, holder, played = queen + 1, r.holders[queen], r.played
            is_kq = holder == r.holders[king] and played[king] < played[queen]
            if r.must_beat >> queen & 1 and is_kq:
                is_kqj = holder == r.holders[jack] and played[queen] < played[jack]
                bonuses += 50 if is_kqj else 20
                own += (50 if is_kqj else 20) * (r.teams[holder] == 0)
        return r.leads[0 if won == 3 else won, bonuses // 10, own]
    entry, remaining, rest = 0, 0, 0
    looks_up = r.table.shape[0] > 0 and position == 0
    if looks_up:
        for seat in range(6):
            remaining |= r.hands[seat]
        rest = _describe(r, remaining, leader, won)
        entry = hash((remaining, rest)) % r.table.shape[0]
        if r.table[entry, 0] == remaining and r.table[entry, 1] == rest:
            if own <= r.table[entry, 2]:
                return low
            if own >= r.table[entry, 3]:
                return high
    seat = (leader + position) % 6
    hand, is_own = r.hands[seat], r.teams[seat] == 0
    left = hand
    if position > 0:
        partner = r.teams[seat] == r.teams[(leader + master) % 6]
        left = legal_cards(hand, led, led & r.must_beat, winning, partner)
    if r.forced[plays] != 0:
        left = r.forced[plays]
    best = -(1 << 40) if is_own else 1 << 40
    while left != 0:
        # Cards that win first, from the highest on.
        better = left & winning if position > 0 else left
        card = c.highest_bit(better) if better != 0 else left & -left
        left ^= card
        index = c.trailing_zeros(card)
        suit = suit_mask_of(card) if position == 0 else led
        wins = position == 0 or card & winning != 0
        r.hands[seat] = hand ^ card
        r.played[index] = plays
        lead = _find_best(
            r, plays + 1, leader, suit, winning_cards(suit, r.trumps, card) if wins else winning,
            position if wins else master, points + r.points[index], own, won,
            max(low, best) if is_own else low, high if is_own else min(high, best),
        )  # fmt: skip
        best = max(best, lead) if is_own else min(best, lead)
        if r.prunes and (best >= high if is_own else best <= low):
            break
    r.hands[seat] = hand
    if looks_up:
        row = r.table[entry]
        if row[0] != remaining or row[1] != rest:
            row[0], row[1], row[2], row[3] = remaining, rest, -1, 1 << 20
        if best >= high:
            row[3] = min(row[3], own)
        else:
            row[2] = max(row[2], own)
    return best


_BEYOND = 1 << 40
_NO_TABLE = np.zeros((0, 4), np.int64)


def find_lead_by_trying_all(position: Position) -> float:
    """Return the lead that the contracting side can force."""
    return _search(position, False, _NO_TABLE, -_BEYOND, _BEYOND)


def find_lead_by_alpha_beta(position: Position) -> float:
    """Return the lead by alpha-beta without a table."""
    return _search(position, True, _NO_TABLE, -_BEYOND, _BEYOND)


def is_lead_of(position: Position, lead: float, table_bits: int) -> bool:
    """Return True if the lead can be forced and no greater one, by alpha-beta with a table."""
    leads = make_leads(position)
    for tens in range(leads.shape[1]):
        steps = np.diff(leads[:, tens, : ALL_POINTS + 10 * tens + 1])
        assert np.all(steps >= 0), "a higher total may be worse"
    for goal, expected in ((int(2 * lead), True), (int(2 * lead) + 1, False)):
        table = np.zeros((1 << table_bits, 4), np.int64)
        if (2 * _search(position, True, table, goal - 1, goal) >= goal) != expected:
            return False
    return True


def make_leads(position: Position) -> Any:
    """Return twice the leads by Capot, tens of bonuses and the contracting side's total."""
    rules, final = cast(KqjRules, position.rules), position.contract
    scoring = (
        final.amount or 0, final.stake, int(final.capot), position.pending,
        int(rules.bidding == "auction"), int(rules.amount_uses == "rounded"),
        int(rules.must_outscore),
    )  # fmt: skip
    return make_scale(2, scoring).leads


def _search(position: Position, prunes: bool, table: Any, low: int, high: int) -> float:
    final = position.contract
    contract = CONTRACTS.index(final.contract)
    planes = {c.NO_TRUMP: c.NO_TRUMP_PLANES, c.ALL_TRUMPS: c.ALL_TRUMPS_PLANES}
    trumps = c.TOP_SUIT if contract < c.NO_TRUMP else 0
    own = position.teams[final.sender]
    by_card = np.zeros((3, 64), np.int64)
    forced = np.zeros(_PLAYS, np.int64)
    hands = np.array(
        [c.to_strength_order(encode_cards(hand), contract) for hand in position.known_hands]
    )
    for index in range(64 - 4):
        card = 1 << index
        by_card[0, index] = c.count_card_points(card, *planes.get(contract, c.SUIT_PLANES))
        by_card[1, index] = max(range(SEATS), key=lambda seat: int(hands[seat]) & card)
    for number, once in enumerate(position.plays):
        forced[number] = c.to_strength_order(encode_cards([once]), contract)
    teams = np.array([int(team != own) for team in position.teams])
    must_beat = c.PACK if contract == c.ALL_TRUMPS else trumps
    points, holders, played = by_card
    whole = _Round(
        hands, teams, points, holders, played, forced, make_leads(position), table, prunes, trumps,
        must_beat,
    )  # fmt: skip
    return float(_find_best(whole, 0, position.opener, 0, 0, 0, 0, 0, 0, low, high)) / 2


def main() -> None:
    """Compare rounds with the solver: `python -m tests.positions.plain_search SEED DEALS CARDS...`.

    Up to four cards left every play is tried, with five alpha-beta cuts, and from six on with a
    table.  With all eight a line says the rules, the number of the round and its lead; rounds that
    the solver knows at once are left out, and those that take it long.
    """
    solver = Solver()
    seed, deals, *numbers = map(int, sys.argv[1:])
    for cards in numbers:
        count = 0
        for rules in (TAKE_2, AUCTION_2):
            for number, position in enumerate(play_endings(rules, cards, deals, seed)):
                solver.load(position)
                lead = solver.find_lead()
                if cards > _MOST_WITHOUT_TABLE:
                    if cards == KqjRules.tricks and solver.nodes not in _NODES:
                        continue
                    assert is_lead_of(position, lead, 3 * cards - 2), position
                    if cards == KqjRules.tricks:
                        print(f"{rules.bidding},{number},{lead:.0f}", flush=True)
                elif cards > _MOST_TRIED:
                    assert find_lead_by_alpha_beta(position) == lead, position
                else:
                    assert find_lead_by_trying_all(position) == lead, position
                count += 1
        print(f"{cards} cards left: {count} rounds", file=sys.stderr)


if __name__ == "__main__":
    main()
