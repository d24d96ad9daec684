"""A round of Kwajongen as a person reads it."""

from __future__ import annotations

import re

import msgspec
import pytest

from kqj_sim.errors import RecordError
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.places import name_places
from kqj_sim.questions.records.rounds import render_round
from kqj_sim.record import Record
from tests.questions.records.printed_rounds import find_section, print_round, with_symbol
from tests.referee.random_rounds import random_game, random_record

RULES = KwajongenRules()


def test_every_card_call_and_score_is_shown() -> None:
    for seed in range(30):
        record = random_record(RULES, seed)
        text = print_round(record)
        why = f"seed={seed} {record}"
        calls = re.findall(r"\b(pass|play)\b", find_section(text, "Calls"))
        assert calls == [call.call for call in record.calls], why
        assert f"Dealer's card: {with_symbol(record.turned or '')}" in text, why
        if record.tricks:
            tricks = find_section(text, "Tricks")
            for trick in record.tricks:
                assert all(tricks.count(with_symbol(card)) == 1 for card in trick.cards), why
            points = [int(line.split()[-2]) for line in tricks.splitlines() if line[:1].isdigit()]
            assert sum(points) == sum(record.card_points), why
        words = {"made": "won", "failed": "lost", "tie": "tied", "passed_out": "Everybody passed"}
        assert words[record.result] in find_section(text, "Result"), why
        for team, score in enumerate(record.scores):
            (line,) = re.findall(rf"^{team}  .*$", find_section(text, "Result"), re.MULTILINE)
            numbers = line.split()[-3:]
            assert numbers == [
                str(record.trick_counts[team]), str(record.card_points[team]), str(score),
            ], why  # fmt: skip


def find(**wanted: object) -> Record:
    """A round of a game of which all this is so."""
    rounds = (record for seed in range(50) for record in random_game(RULES, seed))
    return next(
        record
        for record in rounds
        if all(getattr(record, key) == value for key, value in wanted.items())
    )


def test_raised_rounds_are_named_before_and_after() -> None:
    passed_out = print_round(find(result="passed_out", pending_before=0))
    assert "The next round is raised" in passed_out and "Nobody called play" in passed_out
    assert "The round is raised" not in passed_out
    tied = print_round(find(result="tie", pending_before=1))
    assert "The round is raised" in tied and "The next round is raised" not in tied
    assert "tied, which counts as lost" in tied and "caller" in find_section(tied, "Hands")


def test_hands_stand_by_suit_from_the_ace_down() -> None:
    record = find(result="made")
    hands = find_section(print_round(record), "Hands")
    for place, name in enumerate(name_places(4)):
        seat = (record.dealer + 1 + place) % 4
        (line,) = re.findall(rf"^{name}  .*$", hands, re.MULTILINE)
        held = [
            card[0]
            for suit in "shdc"
            for card in sorted(record.dealt[seat], key=lambda card: "AKQJT9".index(card[0]))
            if card[1] == suit
        ]
        assert line.split()[-4:] == held


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"dealer": 4}, "seats are 0 to 3"),
        ({"turned": "8h"}, "'8h' is not a card: write a rank of A K Q J T 9"),
        ({"scores": [0, 0, 0]}, "scores: 3 values; one per team makes 2"),
        ({"players": ["random"] * 6}, "players: 6 values; one per seat makes 4"),
    ],
)
def test_impossible_record_raises(changes: dict[str, object], told: str) -> None:
    with pytest.raises(RecordError, match=told):
        render_round(msgspec.structs.replace(find(result="made"), **changes))
