"""The slow twin of the solver, with two teams: a search that tries every play and keeps nothing."""

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
from kqj_sim.positions.position import Position
from kqj_sim.positions.reader import read_round
from kqj_sim.positions.solver import Solver, make_scale
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.variants import AUCTION_2, LIVELY, TAKE_2

_PLAYS = 48
_PENDING = 120


def play_endings(rules: KqjRules, cards_left: int, deals: int, seed: int = 1) -> Iterator[Position]:
    """Yield a round of each deal before the first of the last tricks, every third with a gratuity.

    Of the cards of that trick none to five are played already.
    """
    experiment = Experiment(rules, (LIVELY,) * SEATS, deals, seed)
    for number, record in enumerate(play_records(experiment)):
        if record.contract is not None:
            position = read_round(record)
            plays = SEATS * (8 - cards_left) + (number % SEATS if cards_left > 1 else 0)
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
    trumps: int
    must_beat: int


@numba.njit
def _find_best(  # type: ignore[no-untyped-def]
    r, plays, leader, led, winning, master, points, own, won
):
    """Return twice the lead that team 0 can force; `points` are those of the trick so far."""
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
        card = left & -left
        left ^= card
        index = c.trailing_zeros(card)
        suit = suit_mask_of(card) if position == 0 else led
        wins = position == 0 or card & winning != 0
        r.hands[seat] = hand ^ card
        r.played[index] = plays
        lead = _find_best(
            r, plays + 1, leader, suit, winning_cards(suit, r.trumps, card) if wins else winning,
            position if wins else master, points + r.points[index], own, won,
        )  # fmt: skip
        best = max(best, lead) if is_own else min(best, lead)
    r.hands[seat] = hand
    return best


def find_lead_by_trying_all(position: Position) -> float:
    """Return the lead that the contracting side can force."""
    rules, final = cast(KqjRules, position.rules), position.contract
    contract = CONTRACTS.index(final.contract)
    scoring = (
        final.amount or 0, final.stake, int(final.capot), position.pending,
        int(rules.bidding == "auction"), int(rules.amount_uses == "rounded"),
        int(rules.must_outscore),
    )  # fmt: skip
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
    leads = make_scale(2, scoring).leads
    points, holders, played = by_card
    whole = _Round(hands, teams, points, holders, played, forced, leads, trumps, must_beat)
    return float(_find_best(whole, 0, position.opener, 0, 0, 0, 0, 0, 0)) / 2


def main() -> None:
    """Compare rounds with the solver: `python -m tests.positions.plain_search DEALS CARDS...`."""
    solver = Solver()
    for cards in map(int, sys.argv[2:]):
        count = 0
        for rules in (TAKE_2, AUCTION_2):
            for position in play_endings(rules, cards, int(sys.argv[1]), seed=3):
                solver.load(position)
                assert find_lead_by_trying_all(position) == solver.find_lead(), position
                count += 1
        print(f"{cards} cards left: {count} rounds, none differs", flush=True)


if __name__ == "__main__":
    main()
