"""Rounds of KQJ with all cards open, solved: the lead in score that the contracting side can force.

With three teams both defending teams play together, and the lead is that over their mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import NamedTuple, cast

import numpy as np

from kqj_sim.cards import CONTRACTS, Card
from kqj_sim.core import block as b
from kqj_sim.core import cards as c
from kqj_sim.core.types import Int64Array
from kqj_sim.policies.card_sets import encode_cards
from kqj_sim.positions import open_hands as kernels
from kqj_sim.positions.position import Position
from kqj_sim.rules import KqjRules

TABLE_BITS = 18
"""The table has 2 ** 18 entries, 8 MB.  A larger one leaves the cache, and is slower."""

LEAST_MADE = {2: 0.5, 3: 40.0}
"""By the number of teams the least lead with which a contract is made.

With three teams gratuities may give the Sender's team a lead of 30 in a litigation.  (Who makes 80
by bonuses alone, without a trick, leads by 20.)
"""

_STAKES = (b.AMOUNT, b.STAKE, b.CAPOT, b.PENDING)

_CACHE_LINE = 8
"""Numbers of eight bytes."""

MOST_TAKEN, MOST_GRATUITIES = 800, 240


class Scale(NamedTuple):
    """The leads in which a round may end, doubled, as a mean of two scores may have a half.

    Attributes:
        levels: int64 (n,), ascending.
        leads: int64 (3, BONUS_STEPS, TOTALS), with two teams, see `positions.open_hands`.
    """

    levels: Int64Array
    leads: Int64Array


@cache
def make_scale(teams: int, scoring: tuple[int, ...]) -> Scale:
    """Return the scale of a contract; `scoring` is that of `open_hands.fill_leads`."""
    leads = np.zeros((3, kernels.BONUS_STEPS, kernels.TOTALS), np.int64)
    if teams == 3:
        amount, stake, _, pending, *_ = scoring
        most = 2 * (max(amount * stake, MOST_TAKEN) + pending + MOST_GRATUITIES)
        return Scale(np.arange(-most, most + 1, 10), leads)
    kernels.fill_leads(b.allocate_block(), leads, np.array(scoring))
    return Scale(np.unique(leads), leads)


class Solver:
    """The memory of searches, and a round that is loaded at one of its turns."""

    def __init__(self, table_bits: int = TABLE_BITS) -> None:
        memory = np.zeros((kernels.ENTRY << table_bits) + _CACHE_LINE, np.int64)
        # No entry lies across two lines of the cache.
        self._table = memory[-memory.ctypes.data % (8 * _CACHE_LINE) // 8 :]
        self._block = b.allocate_block()
        self._workspace = np.zeros(kernels.WORKSPACE, np.int64)
        self._workspace[kernels.TABLE] = self._table.ctypes.data
        self._workspace[kernels.TABLE_SIZE] = 1 << table_bits
        self._workspace[kernels.BLOCK] = self._block.ctypes.data
        self._address = self._workspace.ctypes.data

    def load(self, position: Position) -> None:
        """Load a round of KQJ before a card; every hand is known, and so is the contract."""
        rules, final = cast(KqjRules, position.rules), position.contract
        number, own = CONTRACTS.index(final.contract), position.teams[final.sender]
        stakes = final.amount or 0, final.stake, int(final.capot), position.pending
        self._position = position
        kernels.load_deal(
            self._workspace,
            np.array([encode_cards(hand) for hand in position.known_hands]),
            np.array([(team - own) % rules.team_count for team in position.teams]),
            number,
            self._set_scoring(rules, stakes),
        )
        self._turn = np.array([0, position.opener, c.PACK, *[0] * 6])
        self._before: list[tuple[Position, Int64Array, Int64Array]] = []
        for card in position.plays:
            self._move(card)

    def _set_scoring(self, rules: KqjRules, stakes: tuple[int, int, int, int]) -> Int64Array:
        """Set the scoring, whose first numbers are given; return it as `fill_leads` has it."""
        scoring = (
            *stakes, int(rules.bidding == "auction"), int(rules.amount_uses == "rounded"),
            int(rules.must_outscore),
        )  # fmt: skip
        self._scale, w = make_scale(rules.team_count, scoring), self._workspace
        self._block[[b.SENDER_TEAM, *_STAKES]] = 0, *stakes
        w[kernels.THREE] = rules.team_count == 3
        # A higher total may make a tie of defenders who then both get the gratuity.
        w[kernels.EXACT] = rules.team_count == 3 and stakes[3] > 0
        w[kernels.LEADS] = self._scale.leads.ctypes.data
        return np.array(scoring)

    def value_endings(
        self, state: Int64Array, lanes: int, rules: KqjRules, cards: int
    ) -> Int64Array:
        """Return twice the lead that the contracting side can force, who leads, and the number of
        the bit of their first best card, natural coding, (3, LANES).

        `state` is a block with its history, of which the first `lanes` rounds have a contract, and
        `cards`, 1 to 8, are left of each player.
        """
        w, auction = self._workspace, rules.bidding == "auction"
        values = np.zeros((3, b.LANES), np.int64)
        if w[kernels.STAMP] >> 26:
            # Entries of the table have 28 bits for it.
            w[kernels.STAMP] = self._table[:] = 0
        by_stakes: dict[tuple[int, int, int, int], list[int]] = {}
        rows = (state[row : row + lanes].tolist() for row in _STAKES)
        for lane, stakes in enumerate(zip(*rows, strict=True)):
            by_stakes.setdefault(stakes if auction else (0, 1, 0, stakes[3]), []).append(lane)
        for stakes, group in by_stakes.items():
            chosen, scoring = np.array(group), self._set_scoring(rules, stakes)
            levels = self._scale.levels
            kernels.value_endings(self._address, state, chosen, cards, scoring, levels, values)
        return values

    def _move(self, card: Card) -> None:
        kernels.play(self._address, self._turn, encode_cards([card]))

    def play(self, card: Card) -> None:
        """Play a card; what is known of the round so far serves the turns after it, too."""
        hands = self._workspace[: kernels.SIDES].copy()
        self._before.append((self._position, hands, self._turn.copy()))
        self._position = replace(self._position, plays=(*self._position.plays, card))
        self._move(card)

    def take_back(self) -> None:
        """Take the card back that was played last."""
        self._position, hands, self._turn = self._before.pop()
        self._workspace[: kernels.SIDES] = hands

    @property
    def position(self) -> Position:
        """The round as it stands."""
        return self._position

    @property
    def is_contracting(self) -> bool:
        """True if the player to play belongs to the contracting team."""
        teams = self._position.teams
        return teams[self._position.seat] == teams[self._position.contract.sender]

    @property
    def nodes(self) -> int:
        """The number of tricks begun in searches since the round was loaded."""
        return int(self._workspace[kernels.NODES])

    def find_lead(self) -> float:
        """Return the lead that the contracting side can force, and the others can hold it to."""
        levels = self._scale.levels
        return float(levels[self._search(0, len(levels) - 1)]) / 2

    def reaches(self, lead: float) -> bool:
        """Return True if the contracting side can force this lead, or a greater one."""
        index = int(np.searchsorted(self._scale.levels, 2 * lead))
        return index == 0 or (
            index < len(self._scale.levels) and self._search(index - 1, index) == index
        )

    def _search(self, lowest: int, highest: int) -> int:
        found = kernels.find_lead(self._address, self._turn, self._scale.levels, lowest, highest)
        return int(found)

    def rate_cards(self) -> Iterator[tuple[Card, float]]:
        """Yield each legal card and the lead after it, with the best play from then on."""
        for card in self._position.legal_cards:
            with self._try(card):
                lead = self.find_lead()
            yield card, lead

    def find_best_card(self, lead: float) -> Card:
        """Return the first legal card that keeps the lead, which is that of the position."""
        step = float(np.diff(self._scale.levels).min()) / 2
        for card in self._position.legal_cards:
            with self._try(card):
                if self.is_contracting and self.reaches(lead):
                    return card
                if not self.is_contracting and not self.reaches(lead + step):
                    return card
        raise AssertionError(f"no card keeps the lead of {lead}")

    @contextmanager
    def _try(self, card: Card) -> Iterator[None]:
        """Play a card, and take it back."""
        hands, turn = self._workspace[: kernels.SIDES].copy(), self._turn.copy()
        self._move(card)
        try:
            yield
        finally:
            self._workspace[: kernels.SIDES], self._turn = hands, turn
