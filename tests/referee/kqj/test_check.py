"""Records that obey the rules pass; every forgery is told."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice, product
from typing import Any

import pytest

from kqj_sim.record import Record, to_json
from kqj_sim.referee import check_record, check_records
from kqj_sim.referee.kqj import FinalContract, list_legal_cards
from kqj_sim.rules import KqjRules
from tests.referee.forgery import (
    CARDS,
    Json,
    as_json,
    assert_forgeries_are_discrepancies,
    assert_odd_values_raise_nothing,
    count_illegal_cards,
    discrepancies,
)
from tests.referee.kqj.random_rounds import random_game, random_record
from tests.slow import slow_after

VARIANTS = [
    KqjRules.from_dict({"teams": teams, "partners": partners, "bidding": bidding})
    for teams, partners, bidding in product((2, 3), ("fixed", "random"), ("take", "auction"))
]
RULINGS = [
    KqjRules(all_no_trump="both_laps"),
    KqjRules(all_no_trump="never"),
    KqjRules(teams=3, bidding="auction", all_no_trump="never", max_amount=150),
    KqjRules(bidding="auction", counter_timing="turn"),
    KqjRules(teams=3, bidding="auction", counter_timing="turn", amount_uses="rounded"),
    KqjRules(bidding="auction", must_outscore=True),
    KqjRules(teams=3, bidding="auction", must_outscore=True, amount_uses="rounded"),
]


def name(rules: KqjRules) -> str:
    changed = {k: v for k, v in rules.to_dict().items() if v != getattr(KqjRules(), k)}
    return ",".join(f"{key}={value}" for key, value in changed.items()) or "default"


def played(rules: KqjRules, number: int = 0) -> Record:
    """The `number`th random round that was not passed out."""
    rounds = (random_record(rules, seed) for seed in range(10_000))
    return next(islice((r for r in rounds if r.sender is not None), number, None))


def passed_out_seed(rules: KqjRules | None = None) -> int:
    """A seed with which all pass."""
    return next(n for n in range(10_000) if random_record(rules or KqjRules(), n).sender is None)


# Records that obey the rules


@pytest.mark.parametrize("rules", VARIANTS + RULINGS, ids=name)
def test_random_rounds_have_no_discrepancy(rules: KqjRules) -> None:
    for seed in range(60):
        record = random_record(rules, seed, pending=10 * (seed % 3))
        assert check_record(record) == [], f"seed={seed} {to_json(record)}"


@pytest.mark.parametrize("rules", VARIANTS + RULINGS, ids=name)
def test_random_games_have_no_discrepancy(rules: KqjRules) -> None:
    lines = list(enumerate((r for seed in range(3) for r in random_game(rules, seed)), start=1))
    assert list(check_records(lines)) == []


@pytest.mark.parametrize("rules", VARIANTS, ids=name)
def test_imposed_rounds_have_no_discrepancy(rules: KqjRules) -> None:
    for seed in range(20):
        amount = 150 if rules.bidding == "auction" else None
        contract = random.Random(seed).choice(rules.contracts)
        record = random_record(rules, seed, impose=FinalContract(seed % 6, contract, amount))
        assert record.imposed and record.calls == []
        assert check_record(record) == [], f"seed={seed} {to_json(record)}"


def test_the_order_of_dealt_cards_hands_and_bonuses_is_free() -> None:
    values = as_json(played(KqjRules()))
    for key in ("dealt", "hands"):
        values[key] = [hand[::-1] for hand in values[key]]
    values["bonuses"] = values["bonuses"][::-1]
    assert discrepancies(values) == []


# Forgeries of every key

# From these nothing else in the record follows, so that another right value is no discrepancy.
FREE = {"seed", "deal", "players", "game_id", "round", "rules"}


def is_free(record: Record, path: tuple[Any, ...], new: Any) -> bool:
    """Return True if a record with this new value may obey the rules."""
    key, *rest = path
    if key in FREE:
        return True
    if key == "pending_before":
        return record.result == "litigation" and new in range(0, 10_000, 10)
    if record.hands is None or record.sender is None:
        # Of a round passed out nobody sees the cards.
        return new in CARDS and (key == "turned" or (key == "dealt" and len(rest) == 2))
    if key == "dealt" and len(rest) == 2:
        return new in record.hands[rest[0]]  # another of the cards that the player went on to play
    if key == "turned":
        return new in record.hands[record.sender]
    if key == "sender":
        # Partners may have been imposed the same amount; taking: the Sender has the Return.
        return bool(record.imposed and record.amount) and new in range(6) and same_team(record, new)
    if key == "calls" and len(rest) == 2:
        call = record.calls[rest[0]]
        if call.call in ("counter", "overcounter") and rest[1] == "seat":
            return new in range(6) and same_team(record, new) == (call.call == "overcounter")
        # A bid that was outbid may have been another.
        outbid = call.call == "bid" and call.amount != record.amount
        return outbid and path[-1] in ("amount", "contract", "capot")
    return False


def same_team(record: Record, seat: int) -> bool:
    assert record.sender is not None
    return record.teams[seat] == record.teams[record.sender]


@pytest.mark.parametrize("rules", slow_after(3, VARIANTS + RULINGS), ids=name)
@pytest.mark.parametrize("kind", ["played", "passed_out", "imposed", "game"])
def test_every_forged_value_is_a_discrepancy(rules: KqjRules, kind: str) -> None:
    if kind == "played":
        record = played(rules, 3)
    elif kind == "passed_out":
        record = random_record(rules, passed_out_seed(rules))
    elif kind == "imposed":
        called = FinalContract(4, "c", 120 if rules.bidding == "auction" else None)
        record = random_record(rules, 5, impose=called)
    else:
        record = random_game(rules, 2)[1]
    assert_forgeries_are_discrepancies(record, is_free)


@pytest.mark.parametrize("kind", ["take", "auction"])
def test_every_missing_key_is_a_discrepancy(kind: str) -> None:
    values = as_json(played(KqjRules.from_dict({"bidding": kind})))
    for key in values:
        assert discrepancies({k: v for k, v in values.items() if k != key}) == [
            f"not a record: the key {key} is missing"
        ]
    for key in values["rules"]:
        rules = {k: v for k, v in values["rules"].items() if k != key}
        assert discrepancies({**values, "rules": rules}) == [f"rules: the key {key} is missing"]


@pytest.mark.parametrize("rules", VARIANTS + RULINGS, ids=name)
def test_illegal_card_is_a_discrepancy_with_the_legal_ones(rules: KqjRules) -> None:
    record = played(rules, 1)
    count = count_illegal_cards(
        record,
        lambda hand, trick, leader: list_legal_cards(
            hand, trick, leader, record.teams, record.contract or ""
        ),
    )
    assert count > 10


Forge = Callable[[Json], None]


def forge(rules: KqjRules, change: Forge) -> list[str]:
    values = as_json(played(rules))
    change(values)
    return discrepancies(values)


def test_card_dealt_twice_is_a_discrepancy() -> None:
    def change(values: Json) -> None:
        values["dealt"][0][0] = values["dealt"][1][0]

    card = as_json(played(KqjRules()))["dealt"][1][0]
    assert forge(KqjRules(), change) == [f"dealt: {card} is dealt twice"]


def test_the_return_must_be_in_the_senders_hand() -> None:
    def change(values: Json) -> None:
        sender = values["sender"]
        other = (sender + 1) % 6
        mine, theirs = values["hands"][sender], values["hands"][other]
        at_mine = mine.index(values["turned"])
        at_theirs = next(i for i, c in enumerate(theirs) if c not in values["dealt"][other])
        mine[at_mine], theirs[at_theirs] = theirs[at_theirs], mine[at_mine]

    (line,) = forge(KqjRules(), change)
    assert line.startswith("hands: seat") and "lacks what it was given" in line


def test_card_not_held_is_a_discrepancy() -> None:
    def change(values: Json) -> None:
        values["tricks"][2]["cards"][3] = values["tricks"][0]["cards"][0]

    (line,) = forge(KqjRules(), change)
    assert line.startswith("tricks[2].cards: seat") and "does not hold" in line


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda v: v["calls"].pop(), "calls: not closed, seat"),
        (lambda v: v["calls"].append({"seat": 0, "call": "pass"}), "the calling was closed before"),
        (lambda v: v["calls"].append({"seat": 0, "call": "counter"}), "there is no counter"),
        (lambda v: v["calls"].clear(), "calls: not closed, seat"),
    ],
)
def test_calling_closed_early_or_late_is_a_discrepancy(change: Forge, line: str) -> None:
    assert any(line in found for found in forge(KqjRules(), change))


def test_wrong_sum_is_one_discrepancy_with_the_right_sum() -> None:
    values = as_json(played(KqjRules()))
    right = list(values["card_points"])
    values["card_points"] = [right[0] + 1, right[1] - 1]
    wrong = values["card_points"]
    assert discrepancies(values) == [f"card_points: {wrong}, by the rules {right}"]


def test_missing_bonus_is_a_discrepancy() -> None:
    def change(values: Json) -> None:
        values["bonuses"].pop()

    (line,) = forge(KqjRules(), change)
    assert line.startswith("bonuses: ")


@pytest.mark.parametrize(
    "teams", [[0] * 6, [0, 1, 2, 0, 1, 2], [0, 0, 1, 1], [0, 0, 0, 1, 1, 2], [1, 1, 1, 1, 0, 0], []]
)
def test_random_partners_must_be_an_equal_split(teams: list[int]) -> None:
    def change(values: Json) -> None:
        values["teams"] = teams

    (line,) = forge(KqjRules(partners="random"), change)
    assert line.endswith("does not split the six seats into 2 equal teams")


@pytest.mark.parametrize("pending", [-10, 5])
def test_a_pending_gratuity_is_a_multiple_of_ten(pending: int) -> None:
    record = random_record(KqjRules(), passed_out_seed(), pending=pending)
    (line,) = check_record(record)
    assert line == f"pending_before: {pending} is not a multiple of 10, 0 or more"


def test_return_dealt_to_a_player_is_a_discrepancy() -> None:
    values = as_json(random_record(KqjRules(), passed_out_seed()))
    values["turned"] = values["dealt"][4][2]
    assert discrepancies(values) == [f"turned: {values['turned']} is among the cards dealt"]


def test_a_round_passed_out_has_no_tricks() -> None:
    values = as_json(random_record(KqjRules(), passed_out_seed()))
    values["tricks"] = as_json(played(KqjRules()))["tricks"][:1]
    (line,) = discrepancies(values)
    assert line.startswith("tricks: ") and line.endswith("by a round passed out []")


def test_six_players_are_named() -> None:
    values = as_json(played(KqjRules()))
    values["players"] *= 2
    assert discrepancies(values) == ["players: their number: 12, by the rules 6"]


def test_imposed_does_not_excuse_calls() -> None:
    def change(values: Json) -> None:
        values["imposed"] = True

    assert any(line.startswith("calls: ") for line in forge(KqjRules(), change))


@pytest.mark.parametrize("bad", [None, 110, 125, 610])
def test_an_imposed_auction_contract_needs_an_amount(bad: int | None) -> None:
    rules = KqjRules(bidding="auction")
    values = as_json(random_record(rules, 1, impose=FinalContract(2, "h", 150)))
    values["amount"] = bad
    (line,) = discrepancies(values)
    assert line.startswith("amount: ") and "is not a multiple of 10 from 120 to 600" in line


def test_an_imposed_contract_must_be_one_of_the_rules() -> None:
    values = as_json(random_record(KqjRules(), 1, impose=FinalContract(2, "AT")))
    values["rules"]["all_no_trump"] = "never"
    assert discrepancies(values) == ["contract: 'AT' is not one of s h d c"]


# Nothing is raised


@pytest.mark.parametrize("rules", VARIANTS, ids=name)
def test_no_forged_record_raises_anything(rules: KqjRules) -> None:
    assert_odd_values_raise_nothing([played(rules), random_game(rules, 1)[1]])
