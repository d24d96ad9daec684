"""Counts of legal sequences from fixed deals, by the engine and by the referee."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kqj_sim.cards import CONTRACTS, Card
from kqj_sim.engines import get_engine
from kqj_sim.env import BatchEnvironment
from kqj_sim.games import find_game
from kqj_sim.record import Call, Record
from kqj_sim.referee.base import Referee, get_referee
from kqj_sim.rules import GameRules, KqjRules
from tests.games.every import DEFAULTS
from tests.slow import slow_after
from tests.variants import AUCTION_2, TAKE_2, TAKE_3

PAGE = Path(__file__).resolve().parents[2] / "docs" / "environment.md"
TABLE = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in re.findall(r"^\| \w[^|]*\| deal \d.*$", PAGE.read_text(encoding="utf-8"), re.M)
]


def count_by_engine(rules: GameRules, deal: int, depth: int) -> list[int]:
    env = BatchEnvironment(rules, seed=1)
    env.reset([deal])
    counts = []
    for _ in range(depth):
        counts.append(int(env.masks.sum()))
        rows, actions = np.nonzero(env.masks)
        env.select(env.open[rows])
        env.step(actions)
        env.select(env.open)
    return counts


class RefereeCount:
    """A count by the rules in plain Python; the cards are those of the engine's records."""

    def __init__(self, rules: GameRules, deal: int, depth: int) -> None:
        self.rules, self.deal, self.counts = rules, deal, [0] * depth
        self.env = BatchEnvironment(rules, seed=1)
        self.referee: Referee = get_referee(rules)
        self.pass_action = get_engine(rules).pack.bit_count()
        first = self.play_with([])
        self.dealer, self.teams = first.dealer, first.teams
        upcard = None if first.turned is None else self.referee.card_by_text[first.turned]
        self.call(self.referee.start_calling(self.dealer, self.teams, upcard), [], 0)

    def play_with(self, actions: list[int]) -> Record:
        """Return a round that begins with these calls, for the hands of its play."""
        self.env.reset([self.deal])
        for action in actions:
            self.env.step(np.array([action]))
        while len(self.env.open):
            self.env.step(self.env.masks.argmax(axis=1))
        return self.env.record(0)

    def list_calls(self, seat: int) -> Iterator[tuple[int, Call]]:
        """Yield what a player in turn may call, and more, each with its action."""
        yield self.pass_action, Call(seat, "pass")
        if self.referee.question == "accept":
            yield self.pass_action + 1, Call(seat, "play")
        elif self.referee.question == "take":
            for action, contract in enumerate(CONTRACTS, self.pass_action + 1):
                yield action, Call(seat, "take", contract=contract)
        elif isinstance(self.rules, KqjRules):
            amounts = range(self.rules.minimum_bid, self.rules.max_amount + 1, 10)
            bids = product(amounts, CONTRACTS, (False, True))
            for action, bid in enumerate(bids, self.pass_action + 2):
                yield action, Call(seat, "bid", *bid)

    def call(self, calling: Any, actions: list[int], depth: int, declined: int = 0) -> None:
        """Count from some calls on; so many players have declined to counter, or to overcounter."""
        if depth == len(self.counts):
            return
        repliers = calling.list_repliers()[declined:]
        if not repliers and calling.is_closed:
            final = calling.final_contract()
            if final is not None:
                hands = self.play_with(actions).hands or []
                held = [{self.referee.card_by_text[c] for c in hand} for hand in hands]
                leader = (self.dealer + 1) % self.rules.seats
                self.play(held, [], leader, final.contract, depth)
            return
        if repliers:
            self.counts[depth] += 1
            self.call(calling, [*actions, self.pass_action], depth + 1, declined + 1)
            counter, overcounter = Call(repliers[0], "counter"), Call(repliers[0], "overcounter")
            reply = overcounter if calling.calls[-1].call == "counter" else counter
            calls = iter([(self.pass_action + 1, reply)])
        else:
            calls = self.list_calls(calling.turn)
        for action, call in calls:
            if calling.explain_illegal_call(call) is None:
                self.counts[depth] += 1
                calling.calls.append(call)
                self.call(calling, [*actions, action], depth + 1)
                calling.calls.pop()

    def play(
        self, held: list[set[Card]], trick: list[Card], leader: int, contract: str, depth: int
    ) -> None:
        if depth == len(self.counts) or len(held[leader]) <= 1:
            return
        seat = (leader + len(trick)) % self.rules.seats
        for card in self.referee.list_legal_cards(held[seat], trick, leader, self.teams, contract):
            self.counts[depth] += 1
            held[seat].remove(card)
            cards = [*trick, card]
            if len(cards) == self.rules.seats:
                winner = self.referee.find_trick_winner(leader, cards, contract)
                self.play(held, [], winner, contract, depth + 1)
            else:
                self.play(held, cards, leader, contract, depth + 1)
            held[seat].add(card)


NAMES = {
    "KQJ, two teams": TAKE_2,
    "KQJ, three teams": TAKE_3,
    "KQJ, auctions": AUCTION_2,
    "KQJ, auctions up to 120": KqjRules(bidding="auction", max_amount=120),
    **{find_game(rules.game).title: rules for rules in DEFAULTS[1:]},
}


@pytest.mark.parametrize("row", slow_after(6, TABLE), ids=lambda row: row[0])
def test_the_counts_of_the_page(row: list[str]) -> None:
    rules, deal = NAMES[row[0]], int(row[1].split()[1])
    counts = [int(cell.replace(",", "")) for cell in row[2:] if cell]
    assert count_by_engine(rules, deal, len(counts)) == counts
    assert RefereeCount(rules, deal, len(counts)).counts == counts
