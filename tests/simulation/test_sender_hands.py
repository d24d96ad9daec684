"""The Sender's cards: as records have them, and as often as they must occur."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb, sqrt
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import kqj_sim as kqj
from kqj_sim.cards import RANKS, SUITS, Card, parse_card, parse_cards
from kqj_sim.games import find_game
from kqj_sim.record import Record
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.run import iterate_row_chunks
from kqj_sim.stats.where import compile_expression
from tests.variants import LIVELY, OTHER_GAMES

EXPERIMENTS = {
    "taking": Experiment(players=(LIVELY,) * 6, deals=1500, seed=3),
    "auctions": Experiment(
        KqjRules(teams=3, bidding="auction"), (LIVELY,) * 6, deals=1000, seed=4, first=5
    ),
    "games": Experiment(KqjRules(partners="random"), (LIVELY,) * 6, games=20, seed=3),
    **{
        f"{name} {games}": Experiment(rules, ("random",) * rules.seats, deals=800, games=games)
        for name, rules in OTHER_GAMES.items()
        for games in (None, 20)
    },
}
HOLDINGS = ("9", "A", "KQ", "KQJ", "T 9", "Q, 10", "98", "A9")


def slow_hand(record: Record) -> list[Card] | None:
    """The Sender's cards by suit and rank; None where everybody passed."""
    if record.sender is None:
        return None
    assert record.hands is not None
    cards = [parse_card(text) for text in record.hands[record.sender]]
    return sorted(cards, key=lambda card: (SUITS.index(card.suit), RANKS.index(card.rank)))


def slow_holds(hand: Iterable[Card], contract: str | None, ranks: list[str]) -> bool:
    """Return whether cards hold these ranks of trumps: at All-Trumps of any one suit."""
    trumps = SUITS if contract == "AT" else [suit for suit in SUITS if suit == contract]
    return any(all(Card(rank, suit) in hand for rank in ranks) for suit in trumps)


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_hands_are_those_of_the_records(experiment: Experiment) -> None:
    game = experiment.rules.game
    names = frozenset({"sender_hand", "taken"})
    records = list(play_records(experiment))
    hands = [slow_hand(record) for record in records]
    chunks = list(iterate_row_chunks(experiment, 1, chunk=300, columns=names))
    shown = pd.concat([rows.frame(["deal", "sender_hand"]) for rows in chunks])
    assert shown["deal"].tolist() == [record.deal for record in records]
    assert shown["sender_hand"].dtype == "str"
    assert [None if pd.isna(text) else text for text in shown["sender_hand"]] == [
        None if hand is None else " ".join(map(str, hand)) for hand in hands
    ]
    seen = set()
    for holding in HOLDINGS:
        ranks = holding.replace("10", "T").replace(",", "").replace(" ", "")
        if not {*ranks} <= {*experiment.rules.ranks}:
            continue
        right = [
            None if hand is None else slow_holds(hand, record.contract, [*ranks])
            for hand, record in zip(hands, records, strict=True)
        ]
        text = f"sender_holds({holding!r})"
        for condition, truth in ((text, True), (f"not {text}", False)):
            expression = compile_expression(condition, game=game)
            mask = [bool(each) for rows in chunks for each in expression.mask(rows)]
            assert mask == [each is truth for each in right], condition
        seen |= {*right}
    assert seen >= {True, False}


def test_every_contract_occurs_in_the_records() -> None:
    contracts = {record.contract for record in play_records(EXPERIMENTS["taking"])}
    assert contracts == {*SUITS, "NT", "AT", None}


@pytest.mark.parametrize(("contract", "probability"), [
    ("h", comb(45, 5) / comb(48, 8)),
    # Eight cards hold the three of two suits at most.
    ("AT", (4 * comb(45, 5) - 6 * comb(42, 2)) / comb(48, 8)),
    ("NT", 0.0),
])  # fmt: skip
def test_imposed_hands_hold_kqj_as_often_as_random_cards(contract: str, probability: float) -> None:
    deals = 200_000
    result = kqj.simulate(
        deals=deals, policy="random", bidding="auction", impose=f"2nd:{contract}:120",
        where="sender_holds('KQJ')",
    )  # fmt: skip
    held = len(result.frame("deal"))
    assert abs(held - deals * probability) <= 4 * sqrt(deals * probability * (1 - probability))


def test_hands_are_read_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    call: dict[str, Any] = {"deals": 600, "policy": LIVELY, "where": "sender_holds('9')"}
    result = kqj.simulate(rows=path, columns=["sender_hand", "contract", "place"], **call)
    frame = pd.read_parquet(path)
    pd.testing.assert_frame_equal(frame, result.frame("sender_hand, contract, place"))
    assert result.to_json() == kqj.simulate(**call).to_json()
    assert [*frame] == ["sender_hand", "contract", "place"] and 0 < len(frame) < 300
    for hand, contract in zip(frame["sender_hand"], frame["contract"], strict=True):
        assert len(hand.split()) == 8 and slow_holds(parse_cards(hand), contract, ["9"])


@pytest.mark.parametrize("game", ["kqj", *{rules.game for rules in OTHER_GAMES.values()}])
def test_rows_have_hands_only_if_they_are_named(game: str) -> None:
    rules = find_game(game).rules()
    result = kqj.simulate(deals=20, rules=rules, policy="random")
    assert "sender_hand" not in result.frame()
    (rows,) = iterate_row_chunks(Experiment(rules, ("random",) * rules.seats, deals=20), 1)
    assert rows.sender_cards is None
    with pytest.raises(KeyError, match="sender_hand"):
        rows.frame(["sender_hand"])
