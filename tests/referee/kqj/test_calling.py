"""docs/rules.md, sections 3 and 4: taking and auctions.

In the short scripts here the dealer is seat 5, so that seat 0 opens, and teams are seat
modulo their number; "-" is a pass, "150s" a bid, "150s!" one with Capot, "x" a counter, "xx"
an overcounter, each of them said in turn unless a seat stands before it ("3:x").
"""

from __future__ import annotations

import random
import re

import pytest

from kqj_sim.cards import parse_card
from kqj_sim.record import Call
from kqj_sim.referee import get_referee
from kqj_sim.referee.base import FinalContract
from kqj_sim.referee.kqj import KqjCalling, list_legal_calls
from kqj_sim.rules import KqjRules
from tests.referee.random_rounds import random_calling

TAKING = KqjRules()
AUCTION = KqjRules(bidding="auction")
IN_TURN = KqjRules(bidding="auction", counter_timing="turn")


def replay(rules: KqjRules, script: str) -> KqjCalling:
    teams = [rules.fixed_team_of(seat) for seat in range(6)]
    turned = parse_card("Kd") if rules.bidding == "take" else None
    calling = KqjCalling(rules, 5, teams, turned)
    for said in script.split():
        calling.add(read_call(said, calling.turn))
    return calling


def read_call(said: str, turn: int) -> Call:
    seat_text, _, word = said.rpartition(":")
    seat = int(seat_text) if seat_text else turn
    if word in ("-", "x", "xx"):
        return Call(seat, "pass" if word == "-" else "counter" if word == "x" else "overcounter")
    if bid := re.fullmatch(r"(-?\d+)(\w+)(!?)", word):
        return Call(seat, "bid", int(bid[1]), bid[2], bid[3] == "!")
    return Call(seat, "take", contract=word)


def next_calls(rules: KqjRules, script: str) -> set[Call]:
    calling = replay(rules, script)
    return list_legal_calls(rules, 5, calling.teams, calling.upcard, calling.calls)


def seats(calls: set[Call], kind: str) -> set[int]:
    return {call.seat for call in calls if call.call == kind}


def taken(calls: set[Call]) -> set[str | None]:
    return {call.contract for call in calls if call.call == "take"}


# Taking


def test_the_opener_speaks_first_and_the_others_clockwise() -> None:
    for dealer in range(6):
        calling = KqjCalling(TAKING, dealer, [0, 1] * 3, parse_card("Kd"))
        spoken = []
        while not calling.is_closed:
            spoken.append(calling.turn)
            calling.add(Call(calling.turn, "pass"))
        assert spoken == [(dealer + place) % 6 for place in (1, 2, 3, 4, 5, 6)] * 2


def test_in_the_first_lap_the_suit_of_the_return_may_be_taken() -> None:
    for passes in range(6):
        assert taken(next_calls(TAKING, "- " * passes)) == {"d"}


def test_in_the_second_lap_any_contract_may_be_taken() -> None:
    for passes in range(6, 12):
        assert taken(next_calls(TAKING, "- " * passes)) == {"s", "h", "d", "c", "NT", "AT"}


def test_all_no_trump_both_laps() -> None:
    rules = KqjRules(all_no_trump="both_laps")
    assert taken(next_calls(rules, "")) == {"d", "NT", "AT"}
    assert taken(next_calls(rules, "- " * 6)) == {"s", "h", "d", "c", "NT", "AT"}


def test_all_no_trump_never() -> None:
    rules = KqjRules(all_no_trump="never")
    assert taken(next_calls(rules, "")) == {"d"}
    assert taken(next_calls(rules, "- " * 6)) == {"s", "h", "d", "c"}
    auction = KqjRules(bidding="auction", all_no_trump="never")
    assert {call.contract for call in next_calls(auction, "") if call.call == "bid"} == set("shdc")


def test_a_take_closes_the_calling() -> None:
    calling = replay(TAKING, "- - d")
    assert calling.is_closed and calling.final_contract() == FinalContract(2, "d", None, False, 1)
    assert next_calls(TAKING, "- - d") == set()


def test_twelve_passes_close_the_round() -> None:
    assert not replay(TAKING, "- " * 11).is_closed
    calling = replay(TAKING, "- " * 12)
    assert calling.is_closed and calling.final_contract() is None
    assert next_calls(TAKING, "- " * 12) == set()


def test_with_taking_nobody_bids_or_counters() -> None:
    assert {call.call for call in next_calls(TAKING, "- -")} == {"pass", "take"}


# Auctions


def bids(rules: KqjRules, script: str) -> set[int | None]:
    return {call.amount for call in next_calls(rules, script) if call.call == "bid"}


def test_the_first_bid_is_at_least_120_or_80() -> None:
    assert bids(AUCTION, "") == set(range(120, 601, 10))
    assert bids(KqjRules(bidding="auction", teams=3), "- -") == set(range(80, 601, 10))


def test_each_further_bid_is_higher_in_amount() -> None:
    assert bids(AUCTION, "- 150s") == set(range(160, 601, 10))


def test_amounts_end_at_max_amount() -> None:
    rules = KqjRules(bidding="auction", max_amount=300)
    assert bids(rules, "") == set(range(120, 301, 10))
    assert bids(rules, "300s") == set()
    assert seats(next_calls(rules, "300s"), "pass") == {1}


def test_a_bid_may_name_every_contract_and_capot() -> None:
    said = {(c.contract, c.capot) for c in next_calls(AUCTION, "120s") if c.call == "bid"}
    assert said == {(c, x) for c in ("s", "h", "d", "c", "NT", "AT") for x in (True, False)}


def test_one_may_bid_again_after_having_passed() -> None:
    calling = replay(AUCTION, "- 120s - - - - 130h - - - - -")
    assert calling.final_contract() == FinalContract(0, "h", 130, False, 1)


def test_six_passes_in_the_first_lap_close_the_round() -> None:
    assert not replay(AUCTION, "- - - - -").is_closed
    assert (
        replay(AUCTION, "- " * 6).is_closed and replay(AUCTION, "- " * 6).final_contract() is None
    )
    assert next_calls(AUCTION, "- " * 6) == set()


@pytest.mark.parametrize("rules", [AUCTION, IN_TURN])
def test_five_passes_after_a_bid_close_the_bidding(rules: KqjRules) -> None:
    assert not replay(rules, "- - 150AT - - - -").is_closed
    calling = replay(rules, "- - 150AT - - - - -")
    assert calling.is_closed and calling.final_contract() == FinalContract(2, "AT", 150, False, 1)
    assert next_calls(rules, "- - 150AT - - - - -") == set()


@pytest.mark.parametrize("rules", [AUCTION, IN_TURN])
def test_a_capot_bid_closes_the_bidding_but_may_be_countered(rules: KqjRules) -> None:
    calling = replay(rules, "- 200h!")
    assert calling.is_closed and calling.final_contract() == FinalContract(1, "h", 200, True, 1)
    assert next_calls(rules, "- 200h!") == {Call(seat, "counter") for seat in (0, 2, 4)}
    assert next_calls(rules, "- 200h! 4:x") == {Call(seat, "overcounter") for seat in (1, 3, 5)}
    assert replay(rules, "- 200h! 4:x 5:xx").final_contract() == FinalContract(1, "h", 200, True, 4)


def test_counter_any_comes_from_any_opponent_right_after_the_bid() -> None:
    assert seats(next_calls(AUCTION, "- 150s"), "counter") == {0, 2, 4}
    assert seats(next_calls(AUCTION, "- 150s"), "pass") == {2}
    three = KqjRules(bidding="auction", teams=3)
    assert seats(next_calls(three, "- 150s"), "counter") == {0, 2, 3, 5}


def test_counter_any_comes_only_right_after_the_bid() -> None:
    assert seats(next_calls(AUCTION, "- 150s -"), "counter") == set()
    assert seats(next_calls(AUCTION, "- 150s - 160h"), "counter") == {0, 2, 4}
    assert seats(next_calls(AUCTION, ""), "counter") == set()


def test_counter_turn_is_the_whole_turn_of_an_opponent() -> None:
    assert seats(next_calls(IN_TURN, "- 150s"), "counter") == {2}
    assert seats(next_calls(IN_TURN, "- 150s -"), "counter") == set()
    assert seats(next_calls(IN_TURN, "- 150s - -"), "counter") == {4}
    assert seats(next_calls(IN_TURN, "- 150s - - - -"), "counter") == {0}
    assert seats(next_calls(IN_TURN, "- 150s - - - - -"), "counter") == set()
    assert seats(next_calls(IN_TURN, "- -"), "counter") == set()


@pytest.mark.parametrize("script", ["- 150s 2:x", "- 150s - - x"])
def test_a_counter_closes_the_bidding(script: str) -> None:
    rules = AUCTION if ":" in script else IN_TURN
    calling = replay(rules, script)
    assert calling.is_closed and calling.final_contract() == FinalContract(1, "s", 150, False, 2)
    assert next_calls(rules, script) == {Call(seat, "overcounter") for seat in (1, 3, 5)}


def test_any_player_of_the_bidders_team_may_overcounter_once() -> None:
    for seat in (1, 3, 5):
        calling = replay(AUCTION, f"- 150s 2:x {seat}:xx")
        assert calling.final_contract() == FinalContract(1, "s", 150, False, 4)
    assert next_calls(AUCTION, "- 150s 2:x 3:xx") == set()


def test_the_last_bidder_is_sender_whoever_countered() -> None:
    three = KqjRules(bidding="auction", teams=3)
    called = replay(three, "- 150s 5:x").final_contract()
    assert called is not None and called.sender == 1


def test_only_the_team_of_the_round_counts_with_random_partners() -> None:
    rules = KqjRules(bidding="auction", partners="random")
    teams = [0, 0, 0, 1, 1, 1]
    calls = list_legal_calls(rules, 5, teams, None, [Call(0, "bid", 120, "s", False)])
    assert seats(calls, "counter") == {3, 4, 5}


@pytest.mark.parametrize(
    ("rules", "script", "call", "reason"),
    [
        (TAKING, "", Call(1, "pass"), "it is the turn of seat 0, not of 1"),
        (TAKING, "", Call(-6, "pass"), "it is the turn of seat 0, not of -6"),
        (TAKING, "", Call(0, "take", contract="h"), "'h' cannot be taken in lap 1: d can"),
        (TAKING, "", Call(0, "take", contract="x\ny"), "'x\\ny' cannot be taken in lap 1: d can"),
        (TAKING, "", Call(0, "take"), "the call take has a contract and no more"),
        (TAKING, "", Call(0, "pass", contract="d"), "the call pass has no details"),
        (TAKING, "", Call(0, "play"), "with taking there is no play: pass or take"),
        (TAKING, "d", Call(1, "pass"), "the calling was closed before"),
        (AUCTION, "", Call(0, "bid", 115, "s", False), "the amount 115 is not a multiple of 10"),
        (AUCTION, "", Call(0, "bid", 110, "s", False), "the amount 110 is not from 120 to 600"),
        (AUCTION, "150s", Call(1, "bid", 150, "h", False), "the amount 150 is not from 160 to "
                                                          "600"),
        (AUCTION, "", Call(0, "bid", 120, "s"), "a bid has an amount, a contract and capot"),
        (AUCTION, "", Call(0, "bid", 120, "x", True), "'x' cannot be bid: s h d c NT AT can"),
        (AUCTION, "", Call(0, "take", contract="s"), "with auctions there is no take: pass, bid, "
                                                     "counter or overcounter"),
        (AUCTION, "", Call(0, "counter"), "there is no bid to counter"),
        (AUCTION, "120s", Call(2, "counter"), "seat 2 is no opponent of the bidder, seat 0"),
        (AUCTION, "120s", Call(9, "counter"), "seat 9 is no opponent of the bidder, seat 0"),
        (AUCTION, "120s -", Call(3, "counter"), "a counter comes right after the bid"),
        (AUCTION, "120s 1:x", Call(3, "counter"), "the bid was countered before"),
        (AUCTION, "120s", Call(2, "overcounter"), "an overcounter comes right after a counter"),
        (AUCTION, "120s 1:x", Call(3, "overcounter"), "seat 3 is not of the team of the bidder, "
                                                      "seat 0"),
        (AUCTION, "120s!", Call(1, "pass"), "the calling was closed before"),
        (IN_TURN, "120s", Call(3, "counter"), "it is the turn of seat 1, not of 3, to counter"),
        (IN_TURN, "120s - - - - -", Call(1, "counter"), "the calling was closed before"),
    ],
)  # fmt: skip
def test_why_a_call_is_illegal(rules: KqjRules, script: str, call: Call, reason: str) -> None:
    calling = replay(rules, script)
    assert calling.explain_illegal_call(call) == reason
    with pytest.raises(ValueError) as error:
        calling.add(call)
    assert str(error.value) == reason


@pytest.mark.parametrize("bidding", ["take", "auction"])
@pytest.mark.parametrize("counter_timing", ["any", "turn"])
def test_random_callings_are_made_of_legal_calls(bidding: str, counter_timing: str) -> None:
    rules = KqjRules.from_dict({"bidding": bidding, "counter_timing": counter_timing})
    turned = parse_card("Kd") if bidding == "take" else None
    for seed in range(10):
        calling = random_calling(random.Random(seed), get_referee(rules), 5, [0, 1] * 3, turned)
        for number, call in enumerate(calling.calls):
            legal = list_legal_calls(rules, 5, [0, 1] * 3, turned, calling.calls[:number])
            assert call in legal, f"seed={seed} {calling.calls}"


def test_opponents_are_asked_to_counter_and_the_team_to_overcounter() -> None:
    assert replay(AUCTION, "- 150s").list_repliers() == [2, 4, 0]
    assert replay(AUCTION, "- 150s -").list_repliers() == []
    assert replay(AUCTION, "- 150s 4:x").list_repliers() == [1, 3, 5]
    assert replay(AUCTION, "- 150s 4:x 3:xx").list_repliers() == []
    in_turn = KqjRules(bidding="auction", counter_timing="turn")
    assert replay(in_turn, "- 150s").list_repliers() == []
    assert replay(in_turn, "- 200h!").list_repliers() == [2, 4, 0]
