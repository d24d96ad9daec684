"""Rounds that are not over: what is read of them, and how mistakes are told."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from kqj_sim.cards import parse_cards
from kqj_sim.errors import InputError
from kqj_sim.notation.typed import read_typed_position
from kqj_sim.positions.position import Position, PositionError
from kqj_sim.positions.reader import read_position
from kqj_sim.record import partial_record_from_json, to_json
from kqj_sim.referee.base import FinalContract
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.recording import play_records
from tests.slow import slow_between
from tests.variants import VARIANTS, lively, told

OWN = "7h Ks 4d Qd 9s 8c Tc Jc"
"""The eight cards of place 2."""


def typed(hand: str, played: str, sender: int = 0) -> Position:
    """A round at hearts with the Return 9h, as it is typed in."""
    return read_typed_position(
        hand, KqjRules(), played=played, return_card="9h", contract="h", sender=sender
    )


def test_typed_cards_are_a_position() -> None:
    so_far = typed(OWN, "As 4s")
    assert so_far.seat == 2
    assert so_far.tricks == ((0, parse_cards("As 4s")),)
    assert set(so_far.legal_cards) == {*parse_cards("Ks 9s")}
    later = typed(OWN, "As 4s Ks 5s 6s 7s, 4c 5c")
    assert [leader for leader, _ in later.tricks] == [0, 0]
    assert set(later.legal_cards) == {*parse_cards("8c Tc Jc")}
    assert parse_cards("Ks")[0] not in later.hand


@pytest.mark.parametrize("left", [OWN, OWN.replace("Ks ", "")])
def test_hand_is_all_cards_or_those_left(left: str) -> None:
    assert len(typed(left, "As 4s Ks 5s 6s 7s, 4c 5c").hand) == 7


AUCTION = KqjRules(bidding="auction")


def test_calls_that_were_heard_say_what_is_played() -> None:
    read = partial(read_typed_position, OWN, played="As 4s")
    taken = read(KqjRules(), return_card="9h", heard="pass, take h")
    assert taken.final_contract == FinalContract(1, "h")
    heard = "pass, 120 s, 130 h, counter, overcounter"
    bid = read(AUCTION, heard=heard)
    assert bid.final_contract == FinalContract(2, "h", 130, False, 4)
    assert bid.calls is not None and [call.seat for call in bid.calls] == [0, 1, 2, 3, 2]
    typed_in = read(AUCTION, contract="400 NT capot", sender=3)
    assert typed_in.final_contract == FinalContract(3, "NT", 400, True)


@pytest.mark.parametrize("name", slow_between(5, VARIANTS))
def test_every_turn_of_a_record_is_read(name: str) -> None:
    """With the hands of the others or without; the player is the one who played next."""
    for record in play_records(lively(VARIANTS[name], deals=5, seed=2)):
        if not record.tricks:
            continue
        whole = json.loads(to_json(record))
        for trick, played in enumerate(record.tricks, 1):
            for card in range(1, SEATS + 1):
                seat = (played.leader + card - 1) % SEATS
                so_far = read_position(partial_record_from_json(json.dumps(whole)), (trick, card))
                assert so_far.seat == seat, told(record, trick, card)
                assert played.cards[card - 1] in map(str, so_far.legal_cards), told(
                    record, trick, card
                )
                so_far_only = _cut(whole, trick, card, seat)
                assert read_position(partial_record_from_json(json.dumps(so_far_only))) == so_far


def _cut(whole: dict[str, Any], trick: int, card: int, seat: int) -> dict[str, Any]:
    """Return what a player could write down of a round before playing a card."""
    keys = ("game", "rules", "dealer", "players", "teams", "turned", "calls", "pending_before")
    tricks = [{"cards": each["cards"]} for each in whole["tricks"][:trick]]
    tricks[-1]["cards"] = tricks[-1]["cards"][: card - 1]
    hands = [cards if each == seat else None for each, cards in enumerate(whole["hands"])]
    return {key: whole[key] for key in keys} | {"tricks": tricks, "hands": hands}


def _whole() -> dict[str, Any]:
    record = next(r for r in play_records(lively(KqjRules(), deals=9)) if r.tricks)
    whole: dict[str, Any] = json.loads(to_json(record))
    return whole


@pytest.mark.parametrize(("change", "parts"), [
    ({}, "the record's round is over"),
    ({"tricks": [], "hands": None}, "hands: it is the turn of seat"),
    ({"tricks": [], "turned": None}, "turned: null"),
    ({"tricks": [], "dealer": 6}, "dealer: 6"),
    ({"tricks": [], "calls": []}, "the calls are not over"),
    ({"tricks": [], "teams": [0, 0, 0, 1, 1, 1]}, "teams:"),
    ({"tricks": [], "rules": {"teams": 4}}, "rules: teams cannot be 4"),
    ({"tricks": [{"cards": ["4s"]}, {"cards": []}]}, "tricks[0].cards: 1 cards"),
    ({"tricks": [{"cards": ["1s"]}]}, "tricks[0].cards: '1s' is not a card"),
    ({"tricks": [{"leader": 9, "cards": []}]}, "tricks[0].leader: 9 is not a seat from 0 to 5"),
    ({"tricks": [], "calls": None, "sender": None}, "sender and contract are needed"),
])  # fmt: skip
def test_impossible_record_raises(change: dict[str, Any], parts: str) -> None:
    with pytest.raises(InputError) as error:
        read_position(partial_record_from_json(json.dumps(_whole() | change)))
    assert parts in str(error.value)


def test_leader_who_does_not_lead_raises() -> None:
    whole = _whole()
    first, second = whole["tricks"][:2]
    second["leader"] = (first["winner"] + 1) % SEATS
    with pytest.raises(PositionError, match=r"tricks\[1\].leader: seat \d leads, not seat"):
        read_position(partial_record_from_json(json.dumps(whole)), (2, 3))


def test_wrong_play_names_its_trick() -> None:
    with pytest.raises(PositionError, match="trick 2: As was played in trick 1") as found:
        position = typed(OWN, "As 4s Ks 5s 6s 7s, 4c 5c")
        replace(position, plays=(*position.plays[:7], parse_cards("As")[0]))
    assert found.value.key == "tricks[1]"


@pytest.mark.parametrize("name", slow_between(3, VARIANTS))
def test_places_have_the_calls_tricks_and_legal_cards_of_their_seats(name: str) -> None:
    for record in play_records(lively(VARIANTS[name], deals=5, seed=3)):
        if record.tricks:
            position = read_position(record, (3, 2))
            places = position.rotate_to_places()
            assert places.seat == position.place == places.place
            assert places.legal_cards == position.legal_cards
            assert [cards for _, cards in places.tricks] == [cards for _, cards in position.tricks]
            assert places.rotate_to_places() is places
