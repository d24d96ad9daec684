"""`random`: every legal call and card is reached, each equally likely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest
from scipy.stats import binomtest, chisquare

from kqj_sim.imposed import ImposedContract
from kqj_sim.record import Call, Record
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.policies.chosen import calling_before, counter_questions
from tests.policies.moments import moments
from tests.referee.kqj.legal_calls import list_legal_calls
from tests.variants import AUCTION_2, AUCTION_3, TAKE_2, TAKE_3

UNLIKELY = 1e-4
"""Seeds are fixed: a p-value below this would tell of a bias, not of bad luck."""


def _assert_uniform(counts: Counter[int], values: Iterable[int], what: str) -> None:
    values = list(values)
    assert set(counts) <= set(values), what
    found = [counts[value] for value in values]
    assert sum(found) > 100, what
    assert len(found) == 1 or chisquare(found).pvalue > UNLIKELY, f"{what}: {found}"


def _assert_share(yes: int, of: int, share: float, what: str) -> None:
    assert of > 400, what
    assert binomtest(yes, of, share).pvalue > UNLIKELY, f"{what}: {yes} of {of}, not {share}"


def _records(
    rules: KqjRules, policy: str, deals: int, imposed: ImposedContract | None = None
) -> list[Record]:
    return list(play_records(Experiment(rules, (policy,) * 6, deals, seed=11, imposed=imposed)))


@pytest.mark.parametrize(
    ("rules", "imposed"),
    [
        (TAKE_2, ImposedContract(2, "h")),
        (TAKE_3, ImposedContract(0, "AT")),
        (TAKE_3, ImposedContract(5, "NT")),
        (AUCTION_3, ImposedContract(3, "c", 80)),
    ],
)
def test_every_legal_card_is_equally_likely(rules: KqjRules, imposed: ImposedContract) -> None:
    chosen: dict[int, Counter[int]] = {size: Counter() for size in range(2, 9)}
    at_position: dict[int, Counter[int]] = {position: Counter() for position in range(6)}
    for record in _records(rules, "random", 700, imposed):
        for moment in moments(record):
            number = sorted(moment.legal).index(moment.card)
            if len(moment.legal) > 1:
                chosen[len(moment.legal)][number] += 1
            if len(moment.legal) == 3:
                at_position[moment.position][number] += 1
    for size, counts in chosen.items():
        _assert_uniform(counts, range(size), f"{size} legal cards")
    for position, counts in at_position.items():
        _assert_uniform(counts, range(3), f"three legal cards at position {position}")


@pytest.mark.slow
def test_takes_with_its_chance_and_names_every_contract() -> None:
    for naming, first_lap in (("second_lap", 1), ("both_laps", 3), ("never", 1)):
        rules = KqjRules.from_dict({"all_no_trump": naming})
        takes: dict[int, Counter[int]] = {1: Counter(), 2: Counter()}
        asked: Counter[int] = Counter()
        for record in _records(rules, "random:take=0.15", 3000):
            for calling, call in calling_before(record):
                asked[calling.lap] += 1
                if call.call == "take":
                    assert call.contract is not None
                    possible = list_legal_calls(
                        rules, record.dealer, record.teams, calling.upcard, calling.calls
                    )
                    named = sorted(each.contract for each in possible if each.contract)
                    takes[calling.lap][named.index(call.contract)] += 1
        for lap, counts in takes.items():
            _assert_share(counts.total(), asked[lap], 0.15, f"{naming}: takes in lap {lap}")
        _assert_uniform(takes[1], range(first_lap), f"{naming}: contracts in lap 1")
        second_lap = range(4 if naming == "never" else 6)
        _assert_uniform(takes[2], second_lap, f"{naming}: contracts in lap 2")


@pytest.mark.slow
@pytest.mark.parametrize("naming", ["second_lap", "never"])
def test_every_legal_bid_is_equally_likely(naming: str) -> None:
    rules = replace(KqjRules.from_dict({"all_no_trump": naming}), bidding="auction", max_amount=160)
    contracts, amounts, raises = Counter[int](), Counter[int](), Counter[int]()
    bids = capots = turns = 0
    opening: set[Call] = set()
    for record in _records(rules, "random:bid=0.2,capot=0.5,counter=0", 4000):
        for calling, call in calling_before(record):
            if not calling.calls:
                opening.add(replace_seat(call))
            if calling.lowest_amount > rules.max_amount:
                assert call.call == "pass"
                continue
            turns += 1
            if call.call == "bid":
                assert call.amount is not None and call.contract is not None
                bids += 1
                capots += call.capot is True
                contracts[rules.contracts.index(call.contract)] += 1
                if calling.last_bid is None:
                    amounts[call.amount] += 1
                elif calling.last_bid.amount == 120:
                    raises[call.amount] += 1
    _assert_share(bids, turns, 0.2, "bids")
    _assert_share(capots, bids, 0.5, "Capot")
    _assert_uniform(contracts, range(len(rules.contracts)), "contracts")
    _assert_uniform(amounts, range(120, 170, 10), "opening amounts")
    _assert_uniform(raises, range(130, 170, 10), "amounts after 120")
    assert opening == set(map(replace_seat, list_legal_calls(rules, 5, [0, 1] * 3, None)))


def replace_seat(call: Call) -> Call:
    return Call(0, call.call, call.amount, call.contract, call.capot)


@pytest.mark.slow
@pytest.mark.parametrize("timing", ["any", "turn"])
@pytest.mark.parametrize("rules", [AUCTION_2, AUCTION_3])
def test_counters_with_its_chance_whenever_it_is_asked(rules: KqjRules, timing: str) -> None:
    rules = KqjRules.from_dict({**rules.to_dict(), "counter_timing": timing})
    asked: Counter[tuple[str, int]] = Counter()
    said: Counter[tuple[str, int]] = Counter()
    for record in _records(rules, "random:bid=0.3,capot=0.2,counter=0.2", 3000):
        for question, seat, yes in counter_questions(record):
            asked[question, seat] += 1
            said[question, seat] += yes
    for question in ("counter", "overcounter"):
        for seat in range(6):
            what = f"{question} by seat {seat}"
            _assert_share(said[question, seat], asked[question, seat], 0.2, what)


def test_the_chances_0_and_1_are_never_and_always() -> None:
    for record in _records(TAKE_2, "random:take=0", 300):
        assert record.result == "passed_out"
    for record in _records(TAKE_2, "random:take=1", 300):
        assert [call.call for call in record.calls] == ["take"]
    for record in _records(AUCTION_2, "random:bid=1,capot=1,counter=1", 300):
        assert [call.call for call in record.calls] == ["bid", "counter", "overcounter"]
        assert record.stake == 4
