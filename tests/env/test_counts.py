"""Counts of legal sequences from fixed deals, by the engine and by the referee."""

from __future__ import annotations

import re
from copy import deepcopy
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
from kqj_sim.rules import GameRules
from tests.games.every import DEFAULTS
from tests.variants import TAKE_2, TAKE_3

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


def play_with(rules: GameRules, deal: int, calls: list[Call]) -> Record:
    """Return a round that begins with these calls, for the hands of its play."""
    env = BatchEnvironment(rules, seed=1)
    env.reset([deal])
    pass_action = get_engine(rules).pack.bit_count()
    for call in calls:
        named = 1 + (CONTRACTS.index(call.contract) if call.contract else 0)
        env.step(np.array([pass_action + (0 if call.call == "pass" else named)]))
    while len(env.open):
        env.step(env.masks.argmax(axis=1))
    return env.record(0)


class RefereeCount:
    """A count by the rules in plain Python; the cards are those of the engine's records."""

    def __init__(self, rules: GameRules, deal: int, depth: int) -> None:
        self.rules, self.deal, self.counts = rules, deal, [0] * depth
        self.referee: Referee = get_referee(rules)
        first = play_with(rules, deal, [])
        self.dealer, self.teams = first.dealer, first.teams
        upcard = None if first.turned is None else self.referee.card_by_text[first.turned]
        self.call(self.referee.start_calling(self.dealer, self.teams, upcard), [], 0)

    def call(self, calling: Any, calls: list[Call], depth: int) -> None:
        if calling.is_closed:
            final = calling.final_contract()
            if final is not None:
                hands = play_with(self.rules, self.deal, calls).hands or []
                held = [{self.referee.card_by_text[c] for c in hand} for hand in hands]
                leader = (self.dealer + 1) % self.rules.seats
                self.play(held, [], leader, final.contract, depth)
            return
        seat = calling.turn
        names = [Call(seat, "pass"), Call(seat, "play")]
        names += [Call(seat, "take", contract=contract) for contract in CONTRACTS]
        allowed = {"take": ("pass", "take"), "accept": ("pass", "play")}[self.referee.question]
        for call in names:
            if call.call in allowed and calling.explain_illegal_call(call) is None:
                if depth < len(self.counts):
                    self.counts[depth] += 1
                if depth + 1 < len(self.counts):
                    following = deepcopy(calling)
                    following.add(call)
                    self.call(following, [*calls, call], depth + 1)

    def play(
        self, held: list[set[Card]], trick: list[Card], leader: int, contract: str, depth: int
    ) -> None:
        if depth >= len(self.counts) or len(held[leader]) <= 1:
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
    **{find_game(rules.game).title: rules for rules in DEFAULTS[1:]},
}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_the_counts_of_the_page(row: list[str]) -> None:
    rules, deal = NAMES[row[0]], int(row[1].split()[1])
    counts = [int(cell.replace(",", "")) for cell in row[2:] if cell]
    assert count_by_engine(rules, deal, len(counts)) == counts
    few = [count for count in counts if count < 30_000]
    assert RefereeCount(rules, deal, len(few)).counts == few
