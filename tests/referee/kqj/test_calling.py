"""docs/rules.md, sections 3 and 4: taking and auctions.

In the short scripts here the dealer is seat 5, so that seat 0 opens, and teams are seat
modulo their number; "-" is a pass, "150s" a bid, "150s!" one with Capot, "x" a counter, "xx"
an overcounter, each of them said in turn unless a seat stands before it ("3:x").
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from itertools import product

import pytest

from kqj_sim.cards import parse_card
from kqj_sim.record import Call
from kqj_sim.referee import get_referee
from kqj_sim.referee.base import FinalContract
from kqj_sim.referee.kqj import KqjCalling
from kqj_sim.rules import KqjRules
from tests.referee.kqj.legal_calls import list_legal_calls
from tests.referee.random_rounds import random_calling

TAKING = KqjRules()
AUCTION = KqjRules(bidding="auction")
AUCTION_3 = KqjRules(bidding="auction", teams=3)
AT_MOST_300 = KqjRules(bidding="auction", max_amount=300)
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


def test_the_opener_speaks_first_and_the_others_clockwise() -> None:
    for dealer in range(6):
        calling = KqjCalling(TAKING, dealer, [0, 1] * 3, parse_card("Kd"))
        spoken = []
        while not calling.is_closed:
            spoken.append(calling.turn)
            calling.add(Call(calling.turn, "pass"))
        assert spoken == [(dealer + place) % 6 for place in (1, 2, 3, 4, 5, 6)] * 2


EVERY, SUITS = ["s", "h", "d", "c", "NT", "AT"], ["s", "h", "d", "c"]
LEGAL: list[tuple[str, KqjRules, list[str], str, Iterable[object]]] = [
    ("with taking nobody bids or counters", TAKING, ["- -"], "call", ["pass", "take"]),
    ("in the first lap the suit of the Return may be taken", TAKING,
     ["- " * passes for passes in range(6)], "take contract", "d"),
    ("in the second lap any contract may be taken", TAKING,
     ["- " * passes for passes in range(6, 12)], "take contract", EVERY),
    ("all_no_trump=both_laps", KqjRules(all_no_trump="both_laps"), [""], "take contract",
     ["d", "NT", "AT"]),
    ("all_no_trump=both_laps", KqjRules(all_no_trump="both_laps"), ["- " * 6], "take contract",
     EVERY),
    ("all_no_trump=never", KqjRules(all_no_trump="never"), [""], "take contract", "d"),
    ("all_no_trump=never", KqjRules(all_no_trump="never"), ["- " * 6], "take contract", SUITS),
    ("all_no_trump=never", KqjRules(bidding="auction", all_no_trump="never"), [""],
     "bid contract", SUITS),
    ("the first bid is at least 120, or 80", AUCTION, [""], "bid amount", range(120, 601, 10)),
    ("the first bid is at least 120, or 80", AUCTION_3, ["- -"], "bid amount", range(80, 601, 10)),
    ("each further bid is higher in amount", AUCTION, ["- 150s"], "bid amount",
     range(160, 601, 10)),
    ("amounts end at max_amount", AT_MOST_300, [""], "bid amount", range(120, 301, 10)),
    ("amounts end at max_amount", AT_MOST_300, ["300s"], "bid amount", ()),
    ("amounts end at max_amount", AT_MOST_300, ["300s"], "pass seat", [1]),
    ("a Capot bid may be countered by any opponent, and by nobody else", AUCTION, ["- 200h!"],
     "counter seat", [0, 2, 4]),
    ("any player of the bidder's team may overcounter", AUCTION, ["- 200h! 4:x", "- 150s 2:x"],
     "overcounter seat", [1, 3, 5]),
    ("any player of the bidder's team may overcounter", IN_TURN, ["- 200h! 4:x", "- 150s - - x"],
     "overcounter seat", [1, 3, 5]),
    ("a counter comes from any opponent right after the bid", AUCTION,
     ["- 150s", "- 150s - 160h", "- 200h!"], "counter seat", [0, 2, 4]),
    ("a counter comes from any opponent right after the bid", AUCTION, ["- 150s"], "pass seat",
     [2]),
    ("a counter comes from any opponent right after the bid", AUCTION_3, ["- 150s"],
     "counter seat", [0, 2, 3, 5]),
    ("a counter comes only right after the bid", AUCTION, ["- 150s -", ""], "counter seat", ()),
    *(("counter_timing=turn: a counter is the whole turn of an opponent", IN_TURN, [script],
       "counter seat", right)
      for script, right in (("- 150s", [2]), ("- 150s -", ()), ("- 150s - -", [4]),
                            ("- 150s - - - -", [0]), ("- 150s - - - - -", ()), ("- -", ()))),
    ("counter_timing=turn: a Capot bid may be countered at once", IN_TURN, ["- 200h!"],
     "counter seat", [0, 2, 4]),
]  # fmt: skip
"""A rule; the calls so far; a kind of call with one of its details; all legal ones."""


@pytest.mark.parametrize(
    ("rules", "scripts", "detail", "right"), [row[1:] for row in LEGAL], ids=[r[0] for r in LEGAL]
)
def test_legal_calls(
    rules: KqjRules, scripts: list[str], detail: str, right: Iterable[object]
) -> None:
    kind, _, name = detail.rpartition(" ")
    for script in scripts:
        calls = next_calls(rules, script)
        assert {getattr(call, name) for call in calls if kind in ("", call.call)} == {*right}


def test_a_bid_may_name_every_contract_and_capot() -> None:
    said = {(c.contract, c.capot) for c in next_calls(AUCTION, "120s") if c.call == "bid"}
    assert said == {*product(EVERY, (True, False))}


CLOSED: list[tuple[str, KqjRules, str, FinalContract | None]] = [
    ("a take closes the calling", TAKING, "- - d", FinalContract(2, "d")),
    ("twelve passes close the round", TAKING, "- " * 12, None),
    ("one may bid again after having passed", AUCTION, "- 120s - - - - 130h - - - - -",
     FinalContract(0, "h", 130)),
    ("six passes in the first lap close the round", AUCTION, "- " * 6, None),
    *(("five passes after a bid close the bidding", rules, "- - 150AT - - - - -",
       FinalContract(2, "AT", 150)) for rules in (AUCTION, IN_TURN)),
    *(("a Capot bid is overcountered", rules, "- 200h! 4:x 5:xx",
       FinalContract(1, "h", 200, True, 4)) for rules in (AUCTION, IN_TURN)),
    *(("any player of the bidder's team may overcounter once", AUCTION, f"- 150s 2:x {seat}:xx",
       FinalContract(1, "s", 150, False, 4)) for seat in (1, 3, 5)),
]  # fmt: skip
"""A rule; calls of which the last one closes the calling; the contract."""


@pytest.mark.parametrize(
    ("rules", "script", "right"), [row[1:] for row in CLOSED], ids=[row[0] for row in CLOSED]
)
def test_calls_that_close(rules: KqjRules, script: str, right: FinalContract | None) -> None:
    calling = replay(rules, script)
    assert calling.is_closed and calling.final_contract() == right
    assert next_calls(rules, script) == set()
    before = " ".join(script.split()[:-1])
    assert next_calls(rules, before) != set()


REPLIES = [
    (AUCTION, "- 200h!", FinalContract(1, "h", 200, True)),
    (IN_TURN, "- 200h!", FinalContract(1, "h", 200, True)),
    (AUCTION, "- 150s 2:x", FinalContract(1, "s", 150, False, 2)),
    (IN_TURN, "- 150s - - x", FinalContract(1, "s", 150, False, 2)),
    # The last bidder is Sender, whoever countered.
    (AUCTION_3, "- 150s 5:x", FinalContract(1, "s", 150, False, 2)),
]
"""Calls that close the bidding, but may be countered or overcountered."""


@pytest.mark.parametrize(("rules", "script", "right"), REPLIES)
def test_a_capot_bid_and_a_counter_close_the_bidding(
    rules: KqjRules, script: str, right: FinalContract
) -> None:
    calling = replay(rules, script)
    assert calling.is_closed and calling.final_contract() == right
    reply = "overcounter" if "x" in script else "counter"
    assert {call.call for call in next_calls(rules, script)} == {reply}


def test_only_the_team_of_the_round_counts_with_random_partners() -> None:
    rules = KqjRules(bidding="auction", partners="random")
    teams = [0, 0, 0, 1, 1, 1]
    calls = list_legal_calls(rules, 5, teams, None, [Call(0, "bid", 120, "s", False)])
    assert {call.seat for call in calls if call.call == "counter"} == {3, 4, 5}


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
        (TAKING, "d", Call(1, "pass"), "the calling is already closed"),
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
        (AUCTION, "120s 1:x", Call(3, "counter"), "the bid is already countered"),
        (AUCTION, "120s", Call(2, "overcounter"), "an overcounter comes right after a counter"),
        (AUCTION, "120s 1:x", Call(3, "overcounter"), "seat 3 is not of the team of the bidder, "
                                                      "seat 0"),
        (AUCTION, "120s!", Call(1, "pass"), "the calling is already closed"),
        (IN_TURN, "120s", Call(3, "counter"), "it is the turn of seat 1, not of 3, to counter"),
        (IN_TURN, "120s - - - - -", Call(1, "counter"), "the calling is already closed"),
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
    assert replay(IN_TURN, "- 150s").list_repliers() == []
    assert replay(IN_TURN, "- 200h!").list_repliers() == [2, 4, 0]
