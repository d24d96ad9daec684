"""Typed cards and calls become a position, however they are written, or an error in one line."""

from __future__ import annotations

from functools import partial

import pytest

from kqj_sim.errors import InputError
from kqj_sim.notation.typed import read_typed_position, split_calls
from kqj_sim.positions.auction_state import list_call_options, replay_calls
from kqj_sim.positions.position import Position
from kqj_sim.rules import KqjRules

FIVE = "9h 8h Ah Ks 4d"
EIGHT = "9h 8h Ah Kh Qh 5d 6c Ac"
TAKE, AUCTION = KqjRules(), KqjRules(bidding="auction")
TURN = KqjRules(bidding="auction", counter_timing="turn")


def written(text: str, hand: str = EIGHT, return_card: str | None = None) -> list[str]:
    rules = AUCTION if return_card is None else KqjRules()
    situation = read_typed_position(hand, rules, return_card=return_card, heard=text)
    told = []
    for call in situation.calls or ():
        parts = (call.seat, call.call, call.amount, call.contract, "capot" if call.capot else None)
        told.append(" ".join(str(part) for part in parts if part is not None))
    return told


BIDS = ["0 pass", "1 pass", "2 bid 120 h", "3 pass"]
COUNTERED = ["0 bid 120 NT", "1 counter"]
CAPOT = ["0 bid 400 AT capot"]


@pytest.mark.parametrize(("text", "calls"), [
    ("pass, pass, 120 h, pass", BIDS), ("pass pass 120h pass", BIDS), ("p p 120 hearts p", BIDS),
    ("P,P,120♥,P", BIDS), ("passes; passes; 120 heart; passed", BIDS),
    ("pass pass h 120 pass", BIDS), ("pass / pass / hearts 120 / pass", BIDS),
    ("pass pass 120♥\ufe0f pass", BIDS),
    ("120 no trump x", COUNTERED), ("120NT, counter", COUNTERED),
    ("120 No-Trump counter 2nd", COUNTERED), ("120nt counter by 2nd", COUNTERED),
    ("je passe, passe, 120 cœur, je passe", BIDS), ("120 SA je contre", COUNTERED),
    ("120 sans-atout contre par 2nd", COUNTERED), ("400 TA capot", CAPOT),
    ("400 all trumps capot", CAPOT), ("400AT Capot", CAPOT),
])  # fmt: skip
def test_calls_may_be_written_in_many_ways(text: str, calls: list[str]) -> None:
    assert written(text) == calls


@pytest.mark.parametrize(
    "text", ["take", "pass take", "p hearts", "pass, take ♥", "p takes h", "je passe je prends"]
)
def test_taking_names_the_suit_or_not(text: str) -> None:
    """In the first lap only the Return's suit can be taken."""
    calls = split_calls(text, 6)
    assert calls[-1].word == "take"
    with pytest.raises(InputError, match="the bidding is over after these calls"):
        written(text, FIVE, "7h")


def taking(**known: object) -> Position:
    return read_typed_position(FIVE, TAKE, return_card="7h", **known)  # type: ignore[arg-type]


def auction(heard: str, rules: KqjRules = AUCTION, place: int | None = None) -> Position:
    return read_typed_position(EIGHT, rules, heard=heard, place=place)


def texts(situation: Position) -> list[str]:
    return [option.text for option in list_call_options(situation, replay_calls(situation)[1])]


@pytest.mark.parametrize(("known", "place", "lap"), [
    ({}, 0, 1), ({"place": 3}, 3, 1), ({"lap": 2}, 0, 2), ({"place": 5, "lap": 2}, 5, 2),
    ({"heard": ""}, 0, 1), ({"heard": "pass, p"}, 2, 1),
    ({"heard": "pass," * 6 + "pass"}, 1, 2),
])  # fmt: skip
def test_place_and_lap_follow_from_the_rest(known: dict[str, object], place: int, lap: int) -> None:
    found = taking(**known)
    assert (found.place, found.lap, found.question) == (place, lap, "take")


def test_calls_open_with_taking() -> None:
    assert texts(taking()) == ["pass", "take h"]
    suits = [f"take {suit}" for suit in "shdc"]
    assert texts(taking(lap=2)) == ["pass", *suits, "take NT", "take AT"]
    never = read_typed_position(FIVE, KqjRules(all_no_trump="never"), return_card="7h", lap=2)
    assert texts(never) == ["pass", *suits]


def test_calls_open_in_auctions() -> None:
    contracts = ("s", "h", "d", "c", "NT", "AT")
    assert texts(auction("")) == ["pass", *(f"120 {each}" for each in contracts)]
    assert texts(auction("120 s, pass")) == ["pass", *(f"130 {each}" for each in contracts)]
    assert texts(auction("120 s"))[:3] == ["pass", "counter", "130 s"]
    assert texts(auction("120 s, pass, pass", TURN))[:2] == ["pass", "counter"]
    assert "counter" not in texts(auction("120 s, pass, pass"))
    assert texts(auction("120 s", place=3)) == ["no counter", "counter"]
    assert texts(auction("400 s capot")) == ["no counter", "counter"]
    assert texts(auction("120 s, counter")) == ["no overcounter", "overcounter"]
    assert texts(auction("600 s, pass")) == ["pass"]


def test_place_asked_after_a_counter() -> None:
    assert auction("120 s, counter 4th").place == 0
    assert auction("120 s, counter 4th", place=4).place == 4
    assert [call.seat for call in auction("120 s, counter").calls or ()] == [0, 1]
    assert [call.seat for call in auction("120 s, counter dealer").calls or ()] == [0, 5]


def test_partners_that_are_drawn_can_be_named() -> None:
    read, rules = partial(read_typed_position, FIVE, return_card="7h"), KqjRules(partners="random")
    assert read(rules, place=1, partners_at=(2, 3)).teams == (1, 0, 0, 0, 1, 1)
    opener = read(rules, partners_at=(1, 2))
    assert (opener.place, opener.teams) == (0, (0, 0, 0, 1, 1, 1))


def heard_of(heard: str, rules: KqjRules = AUCTION, place: int | None = None) -> list[str]:
    """Place and answer of everything that others said, or did not."""
    asked, _ = replay_calls(auction(heard, rules, place))
    return [f"{each.place} {each.text}" for each in asked]


def test_not_to_counter_is_an_answer() -> None:
    declined = ["1 no counter", "3 no counter", "5 no counter"]
    assert heard_of("120 s, pass") == ["0 120 s", *declined, "1 pass"]
    assert heard_of("120 s", place=3) == ["0 120 s", declined[0], declined[2]]
    assert heard_of("120 s, pass, pass", TURN) == ["0 120 s", "1 no counter", "1 pass", "2 pass"]
    assert heard_of("120 s, counter 4th", place=0)[0] == "1 no counter"
    assert heard_of("120 s, counter 4th", place=0)[1:] == [
        "3 counter", "2 no overcounter", "4 no overcounter",
    ]  # fmt: skip


def test_state_after_bids() -> None:
    _, standing = replay_calls(auction("pass, 120 h, 150 NT, pass"))
    assert (standing.sender, standing.contract, standing.amount) == (2, 4, 150)
    assert (standing.bids, standing.opening, standing.passes, standing.lap) == (2, 120, 1, 1)
    assert standing.last_bids == (12 << 3 | 2) << 10 | (15 << 3 | 5) << 20
    assert standing.open == 1
