"""Hidden cards of reviews: the chances against `odds`, their holders against the record."""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any

import pytest

import kqj_sim as kqj

SETTINGS: dict[str, Any] = {"seed": 3, "error_rate": 0.03}
REFERENCE = "points+greedy"
PLACES = ("opener", "2nd", "3rd", "4th", "5th", "dealer")
RECORD = kqj.records(deals=1, first=3, policy="greedy")[0]


@pytest.fixture(scope="module")
def reviewed() -> Any:
    return kqj.review(RECORD, samples=60, hidden=True, reference=REFERENCE, **SETTINGS)


def read_table(result: Any, quantity: str = "held_share") -> dict[tuple[str, ...], Any]:
    """Return the numbers of the table `hidden`, each a row, by where, card and place."""
    table = result.tables["hidden"].astype({"card": str, "place": str})
    rows = table[table.quantity == quantity].itertuples()
    return {(getattr(row, "at", ""), row.card, row.place): row for row in rows}


def test_chances_are_those_of_odds(reviewed: Any) -> None:
    (played,) = json.loads(reviewed.to_json())["rounds"]
    chances = read_table(reviewed)
    exact = [decision["at"] for decision in played["decisions"] if decision["exact"]]
    sampled = [decision["at"] for decision in played["decisions"] if decision["trick"] == 3]
    for at in (*exact[:4], *sampled[:2]):
        odds = kqj.odds(record=RECORD, at=at, policy=REFERENCE, deals=500, **SETTINGS)
        for (_, card, place), right in read_table(odds).items():
            chance = chances[at, card, place]
            if at in exact:
                assert chance.value == pytest.approx(right.value, abs=1e-9)
            else:
                width = chance.high - chance.low + right.high - right.low
                assert abs(chance.value - right.value) <= 0.75 * width + 0.01, (at, card, place)
    assert exact
    assert sampled


def test_each_card_was_with_its_holder(reviewed: Any) -> None:
    chances, held = read_table(reviewed), read_table(reviewed, "held")
    assert {*held} == {*chances}
    for (at, card), groups in groupby(held, key=lambda group: group[:2]):
        if len(card) > 2:
            continue
        places = [*groups]
        holders = [PLACES.index(group[2]) for group in places if held[group].value]
        hands = (RECORD.dealt if at[0] == "c" else RECORD.hands) or []
        seats = [seat for seat, hand in enumerate(hands) if card in hand]
        assert [(RECORD.dealer + 1 + place) % 6 for place in holders] == seats
        if at[0] != "c":
            assert sum(chances[group].value for group in places) == pytest.approx(1)


def test_what_is_counted_changes_no_loss(reviewed: Any) -> None:
    without = kqj.review(RECORD, samples=60, reference=REFERENCE, **SETTINGS)
    assert without.frame().equals(reviewed.frame())
    (played,) = json.loads(without.to_json())["rounds"]
    assert {decision["hidden"] for decision in played["decisions"]} == {None}
    assert "hidden" not in without.tables
    assert " had it." in reviewed.render("table").decode()
