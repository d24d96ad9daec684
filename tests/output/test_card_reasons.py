"""Reasons for cards: each is true of the position, by the referee."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import permutations

import pytest

from kqj_sim.cards import Card
from kqj_sim.output.card_reasons import compare_cards
from kqj_sim.positions.position import Position
from kqj_sim.referee.kqj import (
    PACK,
    beats_master,
    card_points,
    find_current_master,
    outranks,
)
from kqj_sim.rules import GameRules, KqjRules
from tests.positions.estimates import list_card_positions
from tests.variants import OTHER_GAMES

LETTERS = {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}


def is_trump(card: Card, contract: str) -> bool:
    return card.suit == contract


def is_ahead(position: Position, card: Card) -> bool:
    """True if a card would beat all cards of the trick."""
    _, cards = position.tricks[-1]
    contract = position.contract.contract
    return beats_master(card, cards[find_current_master(cards, contract)], contract)


def has_partner_ahead(position: Position) -> bool:
    leader, cards = position.tricks[-1]
    seat = (leader + find_current_master(cards, position.contract.contract)) % position.rules.seats
    return position.teams[seat] == position.teams[position.seat]


def out(position: Position) -> set[Card]:
    return {*PACK} - {*position.plays} - {*position.hand}


def is_highest(position: Position, card: Card) -> bool:
    suit = [other for other in out(position) if other.suit == card.suit]
    return all(outranks(card, other, position.contract.contract) for other in suit)


def points(position: Position, card: Card) -> int:
    return card_points(card, position.contract.contract)


def is_last(position: Position) -> bool:
    return len(position.tricks[-1][1]) == position.rules.seats - 1


def trumps_out(position: Position) -> bool:
    return any(is_trump(each, position.contract.contract) for each in out(position))


def check_keeps(position: Position, better: Card, other: Card, found: re.Match[str]) -> bool:
    kept = Card(found["rank"], LETTERS[found["suit"]])
    contract = position.contract.contract
    return (
        kept == other
        and (found["trump"] is None or (is_trump(kept, contract) and contract in LETTERS.values()))
        and (found["highest"] is None or (is_highest(position, kept), is_highest(position, better))
             == (True, False))
    )  # fmt: skip


Check = Callable[[Position, Card, Card, "re.Match[str]"], bool]
CHECKS: dict[str, Check] = {
    r"wins the trick": lambda at, better, other, _: (
        is_last(at) and is_ahead(at, better) and not is_ahead(at, other)
    ),
    r"beats the cards played so far": lambda at, better, other, _: (
        not is_last(at) and is_ahead(at, better) and not is_ahead(at, other)
    ),
    r"leaves the trick": lambda at, better, other, _: (
        is_ahead(at, other) and not is_ahead(at, better)
    ),
    r"leaves the trick to a partner": lambda at, better, other, _: (
        is_last(at) and has_partner_ahead(at) and not is_ahead(at, better)
    ),
    r"gives (?P<points>\d+) points more to a partner's trick": lambda at, better, other, found: (
        has_partner_ahead(at) and int(found["points"]) == points(at, better) - points(at, other)
    ),
    r"gives (?P<points>\d+) points less to the opponents' trick": (
        lambda at, better, other, found: (
            not has_partner_ahead(at)
            and int(found["points"]) == points(at, other) - points(at, better)
        )
    ),
    r"cannot be beaten": lambda at, better, other, _: (
        is_highest(at, better)
        and not is_highest(at, other)
        and (is_trump(better, at.contract.contract) or not trumps_out(at))
    ),
    r"is the highest (?P<suit>.) left": lambda at, better, other, found: (
        better.suit == LETTERS[found["suit"]]
        and is_highest(at, better)
        and not is_highest(at, other)
        and trumps_out(at)
    ),
    r"draws trumps": lambda at, better, other, _: (
        is_trump(better, at.contract.contract)
        and not is_trump(other, at.contract.contract)
        and trumps_out(at)
    ),
    r"keeps (?P<trump>the trump )?(?P<rank>.)(?P<suit>.)(?P<highest>, the highest . left)?": (
        check_keeps
    ),
    r"is the last (?P<suit>.) of the hand": lambda at, better, other, found: (
        better.suit == LETTERS[found["suit"]]
        and [each.suit for each in at.hand].count(better.suit) == 1
        and any(is_trump(each, at.contract.contract) for each in at.hand)
    ),
    r"is the first card of KQ": lambda at, better, other, _: (
        better.rank == "K" and Card("Q", better.suit) in at.hand and other != better
    ),
    r"keeps Q(?P<suit>.) for KQ": lambda at, better, other, found: (
        other == Card("Q", LETTERS[found["suit"]]) and Card("K", other.suit) in at.hand
    ),
}
"""Each reason, and whether it is true."""


@pytest.mark.parametrize(
    "rules", [KqjRules(), KqjRules(teams=3), KqjRules(bidding="auction")], ids=str
)
def test_every_reason_is_true_of_the_position(rules: KqjRules) -> None:
    said: Counter[str] = Counter()
    for position in list_card_positions(rules, 25):
        for better, other in permutations(position.legal_cards, 2):
            reason = compare_cards(position, better, other)
            for clause in reason.split(" and ") if reason else ():
                (found,) = [
                    (pattern, match)
                    for pattern in CHECKS
                    if (match := re.fullmatch(pattern, clause)) and "for KQ" in pattern
                ] or [
                    (pattern, match)
                    for pattern in CHECKS
                    if (match := re.fullmatch(pattern, clause))
                ]
                pattern, match = found
                assert CHECKS[pattern](position, better, other, match), (clause, position, better)
                said[pattern] += 1
    # Each is said of some position.
    assert set(said) >= set(CHECKS) - {"is the first card of KQ", r"keeps Q(?P<suit>.) for KQ"}


@pytest.mark.parametrize("rules", OTHER_GAMES.values(), ids=str)
def test_other_games_have_reasons_too(rules: GameRules) -> None:
    found = {
        compare_cards(position, better, other)
        for position in list_card_positions(rules, 40)
        for better, other in permutations(position.legal_cards, 2)
    }
    assert "wins the trick" in found and any(each.startswith("leaves the trick") for each in found)
