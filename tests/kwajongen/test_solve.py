"""Rounds with all cards known, against plain minimax by the referee."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from kqj_sim.cards import Card
from kqj_sim.kwajongen.cards import count_card_points
from kqj_sim.kwajongen.game import KwajongenRules
from kqj_sim.kwajongen.rules_of_play import PACK, card_points, find_trick_winner, list_legal_cards
from kqj_sim.kwajongen.solve import MAX_VALUE, MIN_VALUE, search
from tests.kwajongen.coding import strength

TRUMP = "d"


def change(
    points: Sequence[int], tricks: Sequence[int], team: int, caller: int, raised: int
) -> int:
    """Return the change of a team's score (docs/kwajongen_rules.md)."""
    if points[team] > points[1 - team]:
        return -1 - (tricks[team] == 4) - raised
    return 1 if team == caller else 0


class Slow:
    """The value of a round to team 0 with open cards, by trying every line of play."""

    def __init__(self, rules: KwajongenRules, caller: int, raised: int) -> None:
        self.rules, self.caller, self.raised = rules, caller, raised

    def ranking_unit(
        self, hands: list[set[Card]], leader: int, trick: list[Card], points: list[int],
        tricks: list[int],
    ) -> int:  # fmt: skip
        if len(trick) == 4:
            winner = find_trick_winner(leader, trick, TRUMP)
            points, tricks = list(points), list(tricks)
            points[winner % 2] += sum(map(card_points, trick))
            tricks[winner % 2] += 1
            return self.ranking_unit(hands, winner, [], points, tricks)
        seat = (leader + len(trick)) % 4
        if not hands[seat]:
            one, two = (change(points, tricks, t, self.caller, self.raised) for t in range(2))
            return two - one
        found = []
        for card in list_legal_cards(self.rules, hands[seat], trick, TRUMP):
            left = [hand - {card} for hand in hands]
            found.append(self.ranking_unit(left, leader, [*trick, card], points, tricks))
        return max(found) if seat % 2 == 0 else min(found)


@pytest.mark.parametrize("void_rule", ["must_trump", "free"])
@pytest.mark.parametrize(("size", "number"), [(1, 40), (2, 80), (3, 60), (4, 3)])
def test_search_agrees_with_minimax(size: int, number: int, void_rule: str) -> None:
    draw = random.Random(f"{size} {void_rule}")
    rules = KwajongenRules.from_dict({"void_rule": void_rule})
    for _ in range(number):
        cards = draw.sample(PACK, 16)
        hands = [set(cards[4 * seat : 4 * seat + size]) for seat in range(4)]
        points, tricks = [0, 0], [0, 0]
        for done in range(4 - size):
            team = draw.randrange(2)
            tricks[team] += 1
            played = [cards[4 * seat + size + done] for seat in range(4)]
            points[team] += sum(map(card_points, played))
        leader, caller, raised = draw.randrange(4), draw.randrange(2), draw.randrange(2)
        expected = Slow(rules, caller, raised).ranking_unit(hands, leader, [], points, tricks)
        own = leader % 2
        bits = [strength(hands[(leader + k) % 4], TRUMP) for k in range(4)]
        rule = (own == caller) + 2 * raised + 4 * (void_rule == "must_trump")
        left = count_card_points(sum(bits))
        assert left == sum(card_points(card) for hand in hands for card in hand)
        found = search(
            *bits, 0, 0, 0, 0, 0, left, points[own], points[1 - own], tricks[own], 4 - size, rule,
            MIN_VALUE, MAX_VALUE,
        )  # fmt: skip
        assert (found if own == 0 else -found) == expected, (hands, leader, caller, raised)
