"""A round as a person reads it."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from kqj_sim.cards import parse_card
from kqj_sim.errors import RecordError
from kqj_sim.games import find_game
from kqj_sim.output.grid import PIPED_WIDTH
from kqj_sim.places import name_places
from kqj_sim.questions.records.screen import check_record_shape, render_round
from kqj_sim.record import Trick
from kqj_sim.referee import get_referee
from kqj_sim.referee.base import FinalContract
from kqj_sim.rules import GameRules, KqjRules
from tests.command_line import read_error
from tests.games.every import DEFAULTS, VARIANTS, name_rules
from tests.questions.records.printed_rounds import find_section, print_round, with_symbol
from tests.referee.random_rounds import random_game, random_played, random_record


@pytest.mark.parametrize("rules", VARIANTS, ids=name_rules)
def test_every_card_call_and_score_is_shown(rules: GameRules) -> None:
    for seed in range(10):
        record = random_record(rules, seed)
        text = print_round(record)
        why = f"seed={seed} {record}"
        assert max(len(line) for line in text.splitlines()) <= PIPED_WIDTH, why
        calls = re.sub(r"\d{2,} (?=[♠♥♦♣NA])", "bid ", find_section(text, "Calls"))
        spoken = re.findall(r"\b(pass|take|bid|counter|overcounter|play)\b", calls)
        assert sorted(spoken) == sorted(call.call for call in record.calls), why
        if record.tricks:
            tricks = find_section(text, "Tricks")
            for trick in record.tricks:
                assert all(tricks.count(with_symbol(card)) == 1 for card in trick.cards), why
            assert len(re.findall(r">", tricks)) == rules.tricks + 1, why
            points = [int(line.split()[-2]) for line in tricks.splitlines() if line[:1].isdigit()]
            assert sum(points) == sum(record.card_points), why
        result = find_section(text, "Result")
        words = {"passed_out": "Everybody passed", **find_game(rules.game).result_names}
        assert words.get(record.result, record.result) in result, why
        for team, score in enumerate(record.scores):
            (line,) = re.findall(rf"^{team}  .*$", result, re.MULTILINE)
            assert line.split()[-1] == str(score), why
            gratuities = "gratuities" in result
            assert gratuities == any(record.gratuities), why
            assert line.split()[-2 - gratuities] == str(record.totals[team]), why
            assert line.split()[-2] == str(record.gratuities[team]) or not gratuities, why


@pytest.mark.parametrize("rules", DEFAULTS, ids=name_rules)
def test_hands_stand_by_suit_from_the_ace_down(rules: GameRules) -> None:
    record = random_played(rules)
    hands = find_section(print_round(record), "Hands")
    for place, name in enumerate(name_places(rules.seats)):
        seat = (record.dealer + 1 + place) % rules.seats
        (line,) = re.findall(rf"^{name}  .*$", hands, re.MULTILINE)
        assert record.hands is not None
        order = get_referee(rules).list_ranks("s", None)
        suits = [sorted(c[0] for c in record.hands[seat] if c[1] == suit) for suit in "shdc"]
        held = "".join("".join(sorted(suit, key=order.index)) for suit in suits)
        ranks = re.sub(rf"^{name}|{find_game(rules.game).sender}| ", "", line)
        assert ranks == f"{seat}{record.teams[seat]}{held}"


def test_leader_and_winner_are_marked() -> None:
    record = random_record(KqjRules(), 3)
    lines = re.findall(r"^[1-8] .*$", find_section(print_round(record), "Tricks"), re.MULTILINE)
    for line, trick in zip(lines, record.tricks, strict=True):
        assert f">{with_symbol(trick.cards[0])}" in line
        winning = trick.cards[(trick.winner - trick.leader) % 6]
        assert f"{with_symbol(winning)}*" in line
        assert (line.count(">"), line.count("*")) == (1, 1)


def test_counters_have_a_row_of_their_own() -> None:
    rules = KqjRules(bidding="auction")
    countered = next(
        record
        for record in (random_record(rules, seed) for seed in range(1000))
        if record.stake == 4
    )
    last = find_section(print_round(countered), "Calls").rstrip().splitlines()[-1]
    assert last.split() == [
        call.call
        for call in sorted(countered.calls[-2:], key=lambda c: (c.seat - countered.dealer - 1) % 6)
    ]
    assert last.startswith(" ")


def test_imposed_round_says_so() -> None:
    record = random_record(KqjRules(), 1, impose=FinalContract(2, "AT"))
    assert "None: the contract was imposed." in find_section(print_round(record), "Calls")
    assert "All-Trumps" in print_round(record)


def test_game_shows_scores_before_and_after() -> None:
    for rules in (KqjRules(), KqjRules(teams=3, partners="random")):
        record = random_game(rules, 4)[1]
        text = print_round(record)
        whose = "seat" if rules.partners == "random" else "team"
        assert f"scores before: {whose} 0 {record.score_before[0]:,}" in text  # type: ignore[index]
        assert f"Scores after the round: {whose} 0 {record.score_after[0]:,}" in text  # type: ignore[index]


def test_red_suits_are_red_on_a_terminal_only() -> None:
    record = random_record(KqjRules(), 3)
    assert "\x1b" not in print_round(record)
    lines = find_section(
        re.sub(r"\x1b\[1m(\w+)\x1b\[0m\n", r"\1\n", print_round(record, True)), "Tricks"
    )
    for trick in record.tricks:
        for card in trick.cards:
            red = re.search(rf"\x1b\[(1;)?31m>?{with_symbol(card)}", lines) is not None
            assert red == (parse_card(card).suit in "hd"), card


@pytest.mark.parametrize(("changes", "told"), [
    ({"players": ["random"]}, "players"), ({"totals": [1]}, "totals"),
    ({"dealer": 6}, "seat 6"), ({"sender": -1}, "seat -1"), ({"contract": "x"}, "contract"),
    ({"contract": None}, "contract"), ({"turned": "Zz"}, "Zz"), ({"dealt": [["Zz"]] * 6}, "Zz"),
    ({"tricks": [Trick(0, ["As"], 0)]}, r"tricks\[0\]"),
    ({"tricks": [Trick(9, ["As"] * 6, 0)]}, "seat 9"), ({"rules": {}}, "rules"),
])  # fmt: skip
def test_impossible_record_raises(changes: dict[str, Any], told: str) -> None:
    record = msgspec.structs.replace(random_record(KqjRules(), 3), **changes)
    assert re.search(told, read_error(render_round, record, kind=RecordError))


def test_round_against_the_rules_is_shown_all_the_same() -> None:
    record = random_record(KqjRules(), 3)
    wrong = msgspec.structs.replace(record, hands=[["As"] * 3] * 6, scores=[7, 9])
    check_record_shape(wrong)
    assert "9" in print_round(wrong)


def test_players_who_are_named_stand_for_the_seats() -> None:
    record = random_record(KqjRules(), 1)
    names = ["Ann", "Ben", "Cem", "Dora", "Eva", "Finn"]
    text = print_round(msgspec.structs.replace(record, players=names))
    assert record.sender is not None
    assert f"{names[record.sender]} plays" in text
    assert "to speak" not in text
    for heading in ("lap", "points   team"):
        line = next(line for line in text.splitlines() if heading in line)
        assert all(name in line for name in names)
