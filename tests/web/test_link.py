"""The page refuses links that cannot be, as the command refuses such a position."""

from __future__ import annotations

import re
import shlex
from typing import Any

import numpy as np
import pytest

from kqj_sim.cards import Card
from kqj_sim.places import name_places
from kqj_sim.positions.auction_state import format_call
from kqj_sim.record import Call
from kqj_sim.referee.kqj import KqjCalling
from kqj_sim.web.make import TABLES
from tests.command_line import expect_error, run, run_python
from tests.imports import ROOT
from tests.web.node import LANGUAGE, needs_node, read_scripts, run_in_node
from tools.page.build import write_constants

SCRIPTS = write_constants() + read_scripts(*LANGUAGE, "words.js", "link.js")
READ = "given.map((link) => readPosition(link))"

FIVE, EIGHT = "hand=9h8hAhKs4d&return=7h", "bidding=auction&hand=9h8hAhKhQh5d6cAc"
CARDS, AUCTION = "9h 8h Ah Ks 4d --return 7h", "9h 8h Ah Kh Qh 5d 6c Ac --bidding auction"
TAKEN = "hand=7hKs4dQd9s&return=9h&heard=take h"
PLAY = "7h Ks 4d Qd 9s 8c Tc --return 9h --heard 'take h' --played"

BAD: dict[str, tuple[str, str]] = {
    # The link: what the page says, and the command of the same position.
    "hand=9h9h9h9h9h&return=7h": ("9h is named twice", "9h 9h 9h 9h 9h --return 7h"),
    "hand=9h8hAhKs4d&return=9h": ("9h is in hand and in return", "9h 8h Ah Ks 4d --return 9h"),
    "hand=9h8hAhKs4x&return=7h": ("'4x' is not a card", "9h 8h Ah Ks 4x --return 7h"),
    "hand=9h8hAhKs4&return=7h": ("'4' is not a card", "9h 8h Ah Ks 4 --return 7h"),
    "hand=9h8hAhKs4d5d&return=7h": ("hand has 6 cards", "9h 8h Ah Ks 4d 5d --return 7h"),
    "hand=9h8hAhKs4d&return=7h5d": ("return has 2 cards", "9h 8h Ah Ks 4d --return 7h5d"),
    f"{EIGHT}5c": ("hand has 9 cards: with auctions", AUCTION.replace("Ac", "Ac 5c")),
    f"{EIGHT}&return=7h": ("with auctions there is no Return", f"{AUCTION} --return 7h"),
    f"{FIVE}&place=nobody": ("place is 'nobody': write opener, 2nd", f"{CARDS} --place nobody"),
    f"{FIVE}&teams=4": ("teams is '4': write 2 or 3", f"{CARDS} --teams 4"),
    f"{FIVE}&scores=640": ("scores has 1 number: write one for each of 2", f"{CARDS} --scores 640"),
    f"{FIVE}&scores=640:885": ("'885' is no multiple of 10 below", f"{CARDS} --scores 640:885"),
    f"{FIVE}&scores=640:1000": ("'1000' is no multiple", f"{CARDS} --scores 640:1000"),
    f"{FIVE}&target=505": ("target is '505': write a multiple of 10", f"{CARDS} --target 505"),
    f"{FIVE}&pending=130x": ("pending is '130x': write 0 to 600", f"{CARDS} --pending 130x"),
    f"{FIVE}&bidding=auctions": ("bidding is 'auctions': write", f"{CARDS} --bidding auctions"),
    # Calls, also of a hand that is not complete.
    f"{FIVE}&heard=foo": ("call 1, 'foo', is not a call", f"{CARDS} --heard foo"),
    "hand=9h8hAhKs&heard=foo": ("call 1, 'foo', is not a call", "9h 8h Ah Ks --heard foo"),
    f"{FIVE}&heard=pass,take d": ("in lap 1 only h can", f"{CARDS} --heard 'pass, take d'"),
    f"{FIVE}&heard=take h,take h": (
        "call 2, 'take h', is impossible: the calls were over",
        f"{CARDS} --heard 'take h, take h'",
    ),
    "hand=9h8hAhKs4d&heard=take h": ("the Return is given", "9h 8h Ah Ks 4d --heard 'take h'"),
    f"{FIVE}&heard=120 h": ("call 1, '120 h', is impossible", f"{CARDS} --heard '120 h'"),
    f"{FIVE}&heard={13 * 'pass,'}": ("call 13, 'pass', is", f"{CARDS} --heard '{13 * 'pass '}'"),
    f"{EIGHT}&heard=150 x": ("call 1, '150 x', is not a call", f"{AUCTION} --heard '150 x'"),
    f"{EIGHT}&heard=take h": ("call 1, 'take h', is impossible", f"{AUCTION} --heard 'take h'"),
    f"{EIGHT}&heard=110 h": ("a multiple of 10 from 120 to 600", f"{AUCTION} --heard '110 h'"),
    f"{EIGHT}&heard=125 h": ("a multiple of 10 from 120 to 600", f"{AUCTION} --heard '125 h'"),
    f"{EIGHT}&heard=610 h": ("a multiple of 10 from 120 to 600", f"{AUCTION} --heard '610 h'"),
    f"{EIGHT}&heard=130 h,130 s": ("from 140 to 600", f"{AUCTION} --heard '130 h 130 s'"),
    f"{EIGHT}&heard=130 h,counter 3rd": (
        "call 2, 'counter 3rd', is impossible", f"{AUCTION} --heard '130 h counter 3rd'",
    ),
    f"{EIGHT}&heard=130 h,overcounter opener": (
        "call 2, 'overcounter opener', is", f"{AUCTION} --heard '130 h overcounter opener'",
    ),
    f"{EIGHT}&heard=130 h,pass,counter 2nd": (
        "call 3, 'counter 2nd', is", f"{AUCTION} --heard '130 h pass counter 2nd'",
    ),
    f"{EIGHT}&heard=130 h,counter nobody": (
        "call 2, 'counter nobody', is not a call", f"{AUCTION} --heard '130 h counter nobody'",
    ),
    # Plays.
    f"{TAKEN}&more=8cTc8c": ("8c is named twice", f"{PLAY.replace('Tc', 'Tc 8c')} ''"),
    f"{TAKEN}&more=8c9h": ("9h is in return and in more", f"{PLAY.replace('Tc', '9h')} ''"),
    f"{TAKEN}&more=8c7h": ("7h is in hand and in more", f"{PLAY.replace('Tc', '7h')} ''"),
    f"{TAKEN}&more=8cTcJc": ("more has 3 cards: you get 2", f"{PLAY.replace('Tc', 'Tc Jc 5c')} ''"),
    f"{TAKEN}&more=8cTc&played=As4sAs": ("As is named twice", f"{PLAY} 'As 4s As'"),
    f"{TAKEN}&more=8c&played=As": ("yours are not complete", f"{PLAY.replace('Tc', '')} 'As'"),
    f"{FIVE}&heard=pass&played=As": ("come after the calls", f"{CARDS} --heard pass --played As"),
}  # fmt: skip

BAD_ALONE = {
    # What only a link can say, and `x`, which is a counter where calls are typed.
    f"{EIGHT}&heard=150 s x": "call 1, '150 s x', is not a call",
    f"{FIVE}&begun=yes": "begun is 'yes': write 1",
    f"{FIVE}&begun=1": "come after the calls",
    f"{FIVE}&more=8c": "come after the calls",
    f"{FIVE}&hnad=9h": "'hnad' is no part of it: its parts are teams, bidding, errors, "
    "scores, target, pending, hand",
    f"{FIVE}&place=2nd&place=3rd": "place is there twice",
    f"{EIGHT}&heard=130 h,counter": "'counter', is not a call",
    "quiz=1e20&subject=cards": "quiz is '1e20': write a number of at most 15 digits",
    "quiz=9007199254740993": "quiz is '9007199254740993'",
    "quiz=-6": "quiz is '-6'",
    "quiz=6&subject=hands": "subject is 'hands': write both, calls or cards",
    f"quiz=6&{FIVE}": "'hand' is no part of it: its parts are teams, bidding, errors, "
    "scores, target, pending, quiz, sub",
    "x" * 1000: f"'{39 * 'x'}…' is no part",
}

GOOD = (
    "teams=2&bidding=take&hand=9h8hAhKs4d&return=7h&place=opener",
    "teams=2&bidding=take&hand=9h8h&place=3rd&heard=pass%2C%20pass",
    "teams=3&bidding=auction&hand=9h8hAhKhQh5d6cAc&place=5th&heard=80%20s%2C%20counter%202nd%2C%20overcounter%204th",
    "teams=2&bidding=auction&hand=9h8hAhKhQh5d6cAc&place=2nd&heard=400%20AT%20capot&begun=1",
    "teams=2&bidding=take&hand=7hKs4dQd9s&return=9h&place=opener&heard=take%20h&more=8cTc&played=As4s",
    "teams=2&bidding=take&errors=10&hand=9h8h&place=opener",
    "teams=3&bidding=take&scores=640%3A-20%3A500&target=2000&pending=120&hand=9h8h&place=opener",
    "teams=3&bidding=auction&quiz=999999999999999&subject=cards",
)  # fmt: skip


@needs_node
def test_a_link_that_cannot_be_has_no_cards() -> None:
    bad = {link: said for link, (said, _) in BAD.items()} | BAD_ALONE
    read = run_in_node(SCRIPTS, READ, list(bad))
    for (link, said), found in zip(bad.items(), read, strict=True):
        round_ = found["round"]
        assert re.fullmatch(r"The link is wrong: [^\n]+[^.]\.", round_["wrong"]), link
        assert said in round_["wrong"], link
        assert not round_["hand"] and round_["link"] == link and "quiz" not in found


@pytest.mark.parametrize("command", [command for _, command in BAD.values()])
def test_the_command_refuses_the_same_positions(command: str) -> None:
    result = run("odds", *shlex.split(command), "--deals", "1")
    expect_error(result, result.exit_code or 1)


def test_a_run_that_needs_the_programs_fails_without_them() -> None:
    command = ("-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, "-k", "no_cards")
    for options, status in ((), 0), (("--installed",), 1):
        done = run_python(*command, *options, variables={"PATH": ""}, cwd=ROOT)
        assert done.returncode == status, done.stderr
        assert "1 skipped for want of a program" in done.stdout


@needs_node
def test_links_of_the_page_are_read_and_written() -> None:
    assert run_in_node(SCRIPTS, f"{READ}.map(writePosition)", GOOD) == list(GOOD)
    # Nothing is wrong with an address that ends with the page.
    assert run_in_node(SCRIPTS, READ, ["", "heard="]) == 2 * [
        {
            "rules": {"teams": 2, "bidding": "take", "errors": 3, "target": 1000, "pending": 0},
            "round": {
                "place": 0, "hand": [], "up": None, "calls": [], "more": [], "plays": [],
                "begun": False,
            },
        }
    ]  # fmt: skip


def draw_calls(rng: np.random.Generator, table: str) -> tuple[list[str], int | None]:
    """Return calls, and the number of the first that the package refuses."""
    rules, upcard = TABLES[table], Card("7", "h") if table.endswith("take") else None
    teams = tuple(rules.fixed_team_of(seat) for seat in range(6))
    calling, texts = KqjCalling(rules, 5, teams, upcard), []
    while rng.random() < 0.95:
        call = draw_call(rng, calling)
        tries = 50 if rng.random() < 0.85 else 1
        while calling.explain_illegal_call(call) is not None and (tries := tries - 1):
            call = draw_call(rng, calling)
        place = f" {name_places(6)[call.seat]}" if call.call in ("counter", "overcounter") else ""
        texts.append(format_call(call) + place)
        if calling.explain_illegal_call(call) is not None:
            return texts, len(texts)
        calling.add(call)
    return texts, None


def draw_call(rng: np.random.Generator, calling: KqjCalling) -> Call:
    """Return a call that is seldom legal."""
    kind: Any = str(rng.choice(["pass", "take", "bid", "counter", "overcounter"]))
    contract = str(rng.choice(["s", "h", "NT", "AT"]))
    if kind == "bid":
        lowest = calling.lowest_amount
        amount = int(rng.choice([lowest - 10, lowest, lowest + 5, lowest + 10, 600, 610]))
        return Call(calling.turn, "bid", amount, contract, bool(rng.integers(2)))
    if kind == "take":
        return Call(calling.turn, "take", contract=contract)
    return Call(calling.turn if kind == "pass" else int(rng.integers(6)), kind)


@needs_node
@pytest.mark.parametrize("table", TABLES)
def test_calls_are_refused_by_the_rules_of_the_package(table: str) -> None:
    rng = np.random.default_rng(4)
    teams, bidding = table.split("-")
    start = f"teams={teams}&bidding={bidding}" + ("&return=7h" if bidding == "take" else "")
    drawn: list[Any] = [draw_calls(rng, table) for _ in range(400)]
    links = [f"{start}&heard={','.join(texts)}" for texts, _ in drawn]
    wrong: list[int | None] = []
    for found in run_in_node(SCRIPTS, READ, links):
        number = re.search(r"wrong: call (\d+), .* is impossible", found["round"].get("wrong", ""))
        wrong.append(number and int(number[1]))
    assert wrong == [number for _, number in drawn]
    assert 40 < wrong.count(None) < 360


@needs_node
def test_links_are_refused_in_french() -> None:
    scripts = f'{SCRIPTS}\nspeak("fr");\n'
    for position in run_in_node(scripts, READ, list(BAD)):
        assert position["round"]["wrong"].startswith("Le lien est faux : ")
        assert not re.search(r"\b(is|the|write|once|leave)\b", position["round"]["wrong"])
