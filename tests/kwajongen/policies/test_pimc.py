"""`pimc` of Kwajongen: each card that it chooses, against a plain twin in the same worlds.

The twin keeps its own account of the round, finds the worlds that agree with the calls by the
texts, and plays the trick out in every way; a round known from the lead of a trick on is solved by
`kwajongen.solve`, which has a slow twin of its own.
"""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.core import block as rows
from kqj_sim.core import rng
from kqj_sim.core.block import AUCTION_ROWS, LANES, STRIDE
from kqj_sim.core.hidden_hands import KNOWLEDGE_SIZE, sample_layouts
from kqj_sim.core.play import move_taken_first
from kqj_sim.kwajongen.cards import SEATS, TRICKS
from kqj_sim.kwajongen.game import KwajongenRules
from kqj_sim.kwajongen.odds import infer_during_play
from kqj_sim.kwajongen.policies.standard import COUNT_PARAMETERS
from kqj_sim.kwajongen.solve import MAX_VALUE, MIN_VALUE, search
from kqj_sim.policies.card_sets import split_cards
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import make_recording_block
from tests.kwajongen.coding import cards_of
from tests.kwajongen.kernels import ask_cards, finish_tricks, prepare_play
from tests.kwajongen.policies.slow_count import slow_count
from tests.slow import slow_after

SEED, WORLDS, DRAWN, ROUNDS = 5, 6, 8, 40
PLAYERS, TRUMP, SUIT = 6, 48, 0x3F
POINTS = (0, 0, 1, 2, 3, 4)
Hands = list[int]


def points(cards: int) -> int:
    """Of a set by strength."""
    return sum(POINTS[bit % 16] for bit in split_cards(cards))


def suit_of(card: int) -> int:
    """All cards of a card's suit."""
    return SUIT << (card.bit_length() - 1) // 16 * 16


class Account:
    """The cards of a round so far, by place, 0 being left of the dealer."""

    def __init__(self, state: NDArray[np.int64], lane: int, must_trump: bool) -> None:
        def row(offset: int) -> int:
            return int(state[offset + lane])

        self.must_trump = must_trump
        self.caller, self.raised = row(rows.SENDER), row(rows.PENDING)
        self.turned = 1 << (row(rows.UPCARD).bit_length() - 1) % 16 + TRUMP
        self.leader, self.trick = 0, 0
        self.table: list[int] = []
        self.before = [0] * SEATS
        self.points, self.tricks = [0, 0], [0, 0]

    @property
    def place(self) -> int:
        """Return the place to play."""
        return (self.leader + len(self.table)) % SEATS

    def legal(self, hand: int, table: list[int]) -> list[int]:
        """The cards that may be played next to some others, the weakest first."""
        may = hand
        if table:
            trumps = hand & SUIT << TRUMP if self.must_trump else 0
            may = hand & suit_of(table[0]) or trumps or hand
        return [1 << bit for bit in split_cards(may)]

    def winner(self, table: list[int]) -> int:
        """The place that wins a trick: the highest trump, else the highest of the suit led."""
        of_suit = [card for card in table if card >> TRUMP or card & suit_of(table[0])]
        return (self.leader + table.index(max(of_suit))) % SEATS

    def play(self, card: int) -> None:
        """Take in a card."""
        self.before[self.place] |= card
        self.table.append(card)
        if len(self.table) == SEATS:
            self.leader = self.winner(self.table)
            self.points[self.leader % 2] += points(sum(self.table))
            self.tricks[self.leader % 2] += 1
            self.trick, self.table = self.trick + 1, []

    def ranking_unit(self, hands: Hands, table: list[int]) -> int:
        """Return the value of the round for the team of place 0 with open cards."""
        if len(table) < SEATS:
            place = (self.leader + len(table)) % SEATS
            found = [
                self.ranking_unit([hand & ~card for hand in hands], [*table, card])
                for card in self.legal(hands[place], table)
            ]
            return max(found) if place % 2 == 0 else min(found)
        winner = self.winner(table)
        own = winner % 2
        won, tricks = list(self.points), list(self.tricks)
        won[own] += points(sum(table))
        tricks[own] += 1
        rule = (own == self.caller % 2) + 2 * self.raised + 4 * self.must_trump
        turn = [hands[(winner + k) % SEATS] for k in range(SEATS)]
        found = search(
            *turn, 0, 0, 0, 0, 0, sum(map(points, hands)), won[own], won[1 - own], tricks[own],
            self.trick + 1, rule, MIN_VALUE, MAX_VALUE,
        )  # fmt: skip
        return int(found) if own == 0 else -int(found)

    def said_so(self, hands: Hands, own: int) -> bool:
        """Return True if the others would have called so with these hands, by the count."""
        wanted = [
            float(COUNT_PARAMETERS[name].default) for name in ("first", "second", "third", "dealer")
        ]
        less = float(COUNT_PARAMETERS["raised"].default) * self.raised
        (turned,) = cards_of(self.turned, "s")
        for place in range(self.caller + 1):
            held = [str(card) for card in cards_of(hands[place] | self.before[place], "s")]
            count = slow_count(held, str(turned), place)
            if place != own and (count > wanted[place] - less - 1e-9) != (place == self.caller):
                return False
        return True

    def choice(self, drawn: list[Hands], heard: bool) -> int:
        """The card that is best on average over the worlds, the weakest of equal ones."""
        own = self.place
        agreeing = islice((each for each in drawn if not heard or self.said_so(each, own)), WORLDS)
        kept = [*agreeing] or drawn[:WORLDS]
        sign = 1 if own % 2 == 0 else -1
        legal = self.legal(drawn[0][own], self.table)
        values = [
            sum(
                sign * self.ranking_unit([hand & ~card for hand in hands], [*self.table, card])
                for hands in kept
            )
            for card in legal
        ]
        return legal[values.index(max(values))]


def drawn_worlds(state: NDArray[np.int64], lane: int, account: Account, number: int) -> list[Hands]:
    """Worlds that agree with the plays, as the policy draws them; hands by place."""
    position, leader = len(account.table), account.leader
    known = np.zeros(KNOWLEDGE_SIZE, np.int64)
    shown = int(infer_during_play(state, lane, account.trick, position, account.must_trump, known))
    key = rng.draw_for_card(state[rows.KEY + lane], account.trick, position)
    numbers = np.zeros(PLAYERS * number, np.int64)
    found = sample_layouts(known, number, key, numbers)
    worlds = []
    for world in numbers.reshape(-1, PLAYERS)[:found].tolist():
        hands = [world[(place - leader) % SEATS] for place in range(SEATS)]
        hands[SEATS - 1] |= shown
        hands[account.place] = int(state[rows.HAND + position * STRIDE + lane])
        worlds.append(hands)
    return worlds


@pytest.mark.parametrize("void_rule", ["must_trump", "free"])
@pytest.mark.parametrize("heard", slow_after(1, [True, False]), ids=["heard", "all"])
def test_cards_are_those_of_a_plain_twin(void_rule: str, heard: bool) -> None:
    rules = KwajongenRules.from_dict({"void_rule": void_rule})
    policy = f"pimc:worlds={WORLDS},drawn={DRAWN},heard={str(heard).lower()}"
    block = make_recording_block(Experiment(rules, (policy,) * SEATS, seed=SEED))
    state = block.state
    block.game.start_deals(state, 0, LANES)
    state[rows.PENDING : rows.PENDING + LANES] = np.arange(LANES) % 2
    block.play(LANES)
    lanes = min(ROUNDS, move_taken_first(state, LANES, AUCTION_ROWS))
    prepare_play(state, lanes)
    accounts = [Account(state, lane, void_rule == "must_trump") for lane in range(lanes)]
    choices = 0
    for trick in range(TRICKS - 1):
        for position in range(SEATS):
            ask_cards(state, lanes, block.core_rules, block.seating, trick, position)
            for lane, account in enumerate(accounts):
                card = int(state[rows.TRICK_CARDS + position * STRIDE + lane])
                hand = int(state[rows.HAND + position * STRIDE + lane])
                if len(account.legal(hand, account.table)) > 1:
                    worlds = drawn_worlds(state, lane, account, WORLDS * (DRAWN if heard else 1))
                    assert card == account.choice(worlds, heard), (lane, trick, position)
                    choices += 1
                account.play(card)
        finish_tricks(state, lanes, block.core_rules, block.seating, trick)
    assert choices > 4 * lanes
