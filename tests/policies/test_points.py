"""`points`: the count against its slow namesake, thresholds, and what is bid."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kqj_sim.cards import CONTRACTS, Card, parse_card, parse_cards
from kqj_sim.core.round import THREE_TEAMS, TWO_TEAMS
from kqj_sim.core.views import PASS, BidView, CounterView, bid_code, replace_last_bid
from kqj_sim.policies import parse_player, points
from kqj_sim.policies.points import count_points, wins_every_trick
from kqj_sim.policies.tools import normal_share
from kqj_sim.record import Record
from kqj_sim.referee.kqj import PACK
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.run import simulate
from tests.core.coding import bits
from tests.policies.chosen import calling_before
from tests.policies.slow_count import slow_count
from tests.variants import AUCTION_2, AUCTION_3, TAKE_2, TAKE_3, told

FITTED = points.DEFAULTS[2]
VALUES = points.FITTED_TWO
SEED = 19
RUN = "9h 8h 7h Ah Th Hh Kh Qh"
GOOD_HAND, POOR_HAND = "9h 8h 7h Ah Ks As Td 4c", "4h 5s 6s Js Qd 4d 5c 6c"
"""Hands on which every sensible player calls hearts, and passes."""


def hands(number: int, size: int) -> Iterator[list[Card]]:
    """Random hands, half of them of few ranks and suits, so that all holdings occur."""
    draws = random.Random(SEED)
    pack = sorted(PACK)
    for n in range(number):
        few = [card for card in pack if card.suit in "sh" or card.rank in "A9"]
        yield draws.sample(pack if n % 2 else few, size)


@pytest.mark.parametrize("size", [6, 8])
def test_the_count_is_its_slow_namesakes(size: int) -> None:
    seen: set[float] = set()
    for hand in hands(1500, size):
        for number, contract in enumerate(CONTRACTS):
            expected = slow_count(hand, contract, FITTED)
            assert count_points(bits(hand), number, VALUES) == expected, (hand, contract)
            seen.add(expected)
    assert len(seen) > 100


@pytest.mark.parametrize(
    ("hand", "contracts"),
    [
        (RUN, ["h", "AT"]), ("As Ts Hs Ks Ah Th Ad Ac", ["NT"]),
        ("9s 8s 7s As 9h 8h 9d 9c", ["AT"]), ("As Ts Hs Qs Ah Th Ad Ac", []),
    ],
)  # fmt: skip
def test_who_runs_alone_wins_every_trick(hand: str, contracts: list[str]) -> None:
    held = bits(parse_cards(hand))
    assert [c for number, c in enumerate(CONTRACTS) if wins_every_trick(held, number)] == contracts


def test_normal_share() -> None:
    for z in np.linspace(-6, 6, 241):
        assert normal_share(z) == pytest.approx((1 + math.erf(z / math.sqrt(2))) / 2, abs=2e-7)


def _slow_take(
    rules: KqjRules, lap: int, place: int, hand: list[Card], turned: Card, values: dict[str, float]
) -> str | None:
    """Return the contract that the count takes, or None; of equal counts the first in order."""
    best, choice = slow_count([*hand, turned], turned.suit, values), turned.suit
    for contract in rules.contracts:
        kind = {"NT": "no_trump", "AT": "all_trumps"}.get(contract, "other")
        late = kind == "other" or rules.all_no_trump == "second_lap"
        if contract != turned.suit and (lap == 2 or not late):
            value = slow_count([*hand, turned], contract, values) + values[kind]
            if value > best:
                best, choice = value, contract
    name = "take" if lap == 1 else "lap2"
    least = values[name] + (values[f"{name}_{place}"] if place else 0)
    return choice if best >= least else None


@pytest.mark.parametrize("naming", ["second_lap", "both_laps", "never"])
@pytest.mark.parametrize("teams", [2, 3])
def test_takes_by_count_and_threshold(teams: int, naming: str) -> None:
    rules = KqjRules.from_dict({"teams": teams, "all_no_trump": naming})
    given = {"take": 55, "take_3": 10, "lap2": 48, "lap2_2": -3, "lap2_5": 4, "other": 6}
    values = {**points.DEFAULTS[teams], **given}
    text = ",".join(f"{name}={value}" for name, value in given.items())
    laps = set()
    for record in play_records(Experiment(rules, (f"points:{text}+random",) * 6, 600, SEED)):
        assert record.turned is not None
        for calling, call in calling_before(record):
            hand = [parse_card(card) for card in record.dealt[call.seat]][:5]
            place = (call.seat - record.dealer - 1) % 6
            expected = _slow_take(
                rules, calling.lap, place, hand, parse_card(record.turned), values
            )
            assert call.contract == expected, told(record, call)
            laps.add((calling.lap, call.contract))
    assert len(laps) > 6


def bid_view(hand: str, **given: Any) -> BidView:
    """An opener's first turn, unless told otherwise."""
    teams = given.pop("team_count", 2)
    view = BidView(
        bits(parse_cards(hand)), 0, 0, 120 if teams == 2 else 80, 600, 1, -1, 0, -1, 0,
        TWO_TEAMS if teams == 2 else THREE_TEAMS, teams, 0,
    )  # fmt: skip
    return view._replace(**given)


def last_bid(place: int, amount: int, contract: int) -> int:
    return int(replace_last_bid(0, place, amount // 10, contract))


def test_opens_with_a_good_hand_and_passes_with_a_poor_one() -> None:
    for teams, values in ((2, points.FITTED_TWO), (3, points.FITTED_THREE)):
        call = points.choose_bid(bid_view(GOOD_HAND, team_count=teams), values)
        assert call & 1 == 0 and (call >> 1) & 7 == 1 and call >> 4 >= (120 if teams == 2 else 80)
        assert points.choose_bid(bid_view(POOR_HAND, team_count=teams), values) == PASS


def test_announces_capot_when_it_is_sure() -> None:
    assert points.choose_bid(bid_view(RUN), VALUES) == bid_code(400, 1, 1)
    assert points.choose_bid(bid_view(RUN, highest_amount=150), VALUES) == bid_code(150, 1, 1)
    # Who does not lead may lose the ace to a trump.
    hand = "9h 8h 7h Ah Th Hh Kh As"
    assert points.choose_bid(bid_view(hand, place=1), VALUES) & 1 == 0


def test_passes_where_no_amount_is_left() -> None:
    view = bid_view(GOOD_HAND, lowest_amount=610, amount=600, bidder=1, contract=0)
    assert points.choose_bid(view, VALUES) == PASS


def test_bids_tell_cards() -> None:
    view = bid_view(POOR_HAND)
    alone = points.expected_total(view, 1, VALUES)
    for place, contract, more in (
        (2, 1, FITTED["named"]),
        (3, 1, FITTED["their_named"]),
        (2, 0, 0),
    ):
        told_by = view._replace(last_bids=last_bid(place, 130, contract))
        assert points.expected_total(told_by, 1, VALUES) == alone + more


def counter_view(hand: str, **given: Any) -> CounterView:
    """Place 1 asked about place 0's bid of 120 in hearts."""
    view = CounterView(
        bits(parse_cards(hand)), 1, 0, 120, 1, 0, last_bid(0, 120, 1), TWO_TEAMS, 2, 0
    )
    return view._replace(**given)


COUNTERS: list[tuple[str, dict[str, int], bool]] = [
    (GOOD_HAND, {}, True), (POOR_HAND, {}, False),
    # Capot is countered with the highest trump.
    (GOOD_HAND, {"capot": 1}, True), (GOOD_HAND.replace("9h", "6h"), {"capot": 1}, False),
]  # fmt: skip
OVERCOUNTERS: list[tuple[str, dict[str, int], bool]] = [
    ("9h 8h 7h Ah Kh Qh Jh As", {}, True), (POOR_HAND, {}, False),
    (RUN, {"amount": 400, "capot": 1}, True),
]  # fmt: skip


def test_counters_with_their_trumps_and_overcounters_with_a_hand_that_makes_it() -> None:
    for hand, given, wanted in COUNTERS:
        assert points.choose_counter(counter_view(hand, **given), VALUES) == wanted, hand
    for hand, given, wanted in OVERCOUNTERS:
        view = counter_view(hand, place=0, **given)
        assert points.choose_overcounter(view, VALUES) == wanted, hand


def _auctions(rules: KqjRules, given: str) -> list[Record]:
    policy = f"points:{given}+random"
    return list(play_records(Experiment(rules, (policy,) * 6, 300, SEED)))


@pytest.mark.parametrize("rules", [AUCTION_2, AUCTION_3])
@pytest.mark.parametrize("timing", ["any", "turn"])
def test_counters_at_chances_0_and_1(rules: KqjRules, timing: str) -> None:
    rules = KqjRules.from_dict({**rules.to_dict(), "counter_timing": timing})
    for record in _auctions(rules, "counter=0"):
        assert record.stake == 1, told(record)
    always = _auctions(rules, "counter=1,overcounter=0")
    assert any(record.stake == 4 for record in always)
    for record in always:
        assert record.stake == 4 or record.result == "passed_out", told(record)


@pytest.mark.parametrize("rules", [AUCTION_2, AUCTION_3])
def test_who_wants_to_gain_more_bids_less(rules: KqjRules) -> None:
    bids = [
        sum(call.call == "bid" for record in _auctions(rules, given) for call in record.calls)
        for given in ("opening=-50,outbid=0", "opening=30,outbid=40", "opening=60,outbid=400")
    ]
    assert bids[0] > bids[1] > bids[2] > 0


def test_standard_calls_like_points() -> None:
    for rules in (TAKE_2, TAKE_3, AUCTION_2, AUCTION_3):
        one, other = (Experiment(rules, (f"{name}+random",) * 6, 60, SEED) for name in (
            "points:take=30", "standard:take=30"
        ))  # fmt: skip
        for record, same in zip(play_records(one), play_records(other), strict=True):
            assert record.calls == same.calls, told(record)


def test_default_waits_for_a_hand_and_bold_takes_at_once() -> None:
    for rules in (TAKE_2, TAKE_3):
        waits, takes = (
            simulate(Experiment(rules, (f"{name}+random",) * 6, 2000, SEED))
            for name in ("points", "bold")
        )
        assert (takes.column("place") == 0).all()
        openers = (waits.column("place") == 0).mean()
        assert 0.4 < openers < 0.8


def test_always_and_never() -> None:
    for rules in (TAKE_2, AUCTION_3):
        experiment = Experiment(rules, ("always+random",) * 6, 40, SEED)
        for record in play_records(experiment):
            first = record.calls[0]
            assert record.sender == first.seat == (record.dealer + 1) % 6
            assert first.contract == (record.turned[1] if record.turned else record.contract)
            assert first.amount == (rules.minimum_bid if rules.bidding == "auction" else None)
            assert record.stake == 1
        passing = (parse_player("never+random"),) * 6
        for record in play_records(replace(experiment, players=passing)):
            assert record.result == "passed_out"


def test_the_longest_suit_is_what_always_opens() -> None:
    for record in play_records(Experiment(AUCTION_2, ("always+random",) * 6, 100, SEED)):
        hand = record.dealt[(record.dealer + 1) % 6]
        lengths = {suit: sum(card[1] == suit for card in hand) for suit in "shdc"}
        assert record.contract is not None
        assert lengths[record.contract] == max(lengths.values()), told(record)


def test_the_shipped_parameters_are_whole_where_people_count() -> None:
    for defaults in points.DEFAULTS.values():
        for name, value in defaults.items():
            if name in points.make_count_parameters() or "take" in name or "lap2" in name:
                assert value == int(value), name
