"""Calls and cards that are not allowed, and exceptions: told with line, deal, seat and cards."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from kqj_sim.errors import InputError
from kqj_sim.policies import parse_player
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.run import simulate
from tests.command_line import read_error
from tests.policies.files import write_policy
from tests.variants import AUCTION_2, TAKE_2

MISTAKEN = """\
import numpy as np
from kqj_sim import bid_code, lowest, policy

TABLE = np.zeros(5)
TAKES = (-1, 4, 5, 6, -2, 3, 7)
BIDS = (-1, bid_code(110, 0, 0), bid_code(125, 0, 0), bid_code(610, 0, 0), bid_code(120, 1, 0),
        bid_code(120, 6, 0), -2, 0, bid_code(120, 5, 0))
mistaken = policy("mistaken", take=0, bid=0, counter=0, card=0)

def look_up(k):
    return TABLE[k]

@mistaken
def choose_take(view, parameters):
    which = int(parameters.take)
    wrong = which > 0 and (which != 2 or view.lap == 2) and (which != 5 or view.turned < 1 << 48)
    if wrong and (which != 6 or (view.hand & 0xFFF == 7 and view.lap == 1)):
        return TAKES[which]
    return 0 if view.lap == 2 and view.hand & 7 == 1 else -1

@mistaken
def choose_bid(view, parameters):
    which = int(parameters.bid)
    if which > 0:
        return BIDS[which] if which != 4 or view.turn == 1 else bid_code(120, 0, 0)
    return bid_code(view.lowest_amount, 0, 0) if view.turn == 2 else -1

@mistaken
def choose_counter(view, parameters):
    return 3 if parameters.counter == 1 else 0

@mistaken
def choose_card(view, parameters):
    which = int(parameters.card)
    if which == 1:
        return 0
    if which == 2:
        return view.legal | view.legal << 1
    if which == 3:
        return view.hand & -view.hand
    if which == 4:
        return ~view.hand & -~view.hand
    if which == 5:
        return -1
    if which == 6 and view.trick_number == 3:
        raise ValueError("of trick 3")
    if which == 7:
        assert view.position < 4
    if which == 8:
        return lowest(view.legal) // (view.position // 2)
    if which == 9:
        return 1 if look_up(view.position) > 0 else lowest(view.legal)
    return lowest(view.legal)
"""


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a policy that makes the mistakes which its parameters name."""
    path = tmp_path_factory.mktemp("policies") / "mistaken.py"
    path.write_text(MISTAKEN, encoding="utf-8")
    return str(path)


def _assert_fault(experiment: Experiment, place: str, question: str, fault: str) -> str:
    """Hold the message against line, policy, deal and fault; this deal alone has the same."""
    message = read_error(simulate, experiment)
    line = next(n for n, text in enumerate(MISTAKEN.splitlines(), 1) if place in text)
    match = re.fullmatch(
        rf".*mistaken\.py:{line}: policy 'mistaken', choose_{question}\(\), "
        rf"deal (\d+) of seed {experiment.seed}, seat [0-5]: {fault}",
        message,
    )
    assert match is not None, message
    deal = int(match[1])
    assert experiment.first <= deal < experiment.first + experiment.deals
    assert read_error(simulate, replace(experiment, first=deal, deals=1)) == message
    return message


def _play_cards(mistaken: str, which: int) -> Experiment:
    """Return rounds in which a wrong card is chosen."""
    policy = f"random:take=0.3+{mistaken}:card={which}"
    return Experiment(TAKE_2, (policy,) * 6, deals=300, seed=5, first=40)


CARD = "[4-9JQKHTA][shdc]"
LEGAL = rf"legal: {CARD}( {CARD})*"
NEVER, BOTH = (replace(TAKE_2, all_no_trump=naming) for naming in ("never", "both_laps"))
NO_AUCTION = replace(AUCTION_2, all_no_trump="never")
BARRED = "may not be taken in lap 1; allowed: PASS"
NO_BID = "may not be bid; allowed: PASS, amounts 1"

MISTAKES: list[tuple[KqjRules, str, str, str]] = [
    (TAKE_2, "card=1", "", f"0 is no card; {LEGAL}"),
    (TAKE_2, "card=2", "", rf"(\d+ cards \({CARD}( {CARD})+\)|\d+ is no card); {LEGAL}"),
    (TAKE_2, "card=3", "", f"{CARD} is not legal; {LEGAL}"),
    (TAKE_2, "card=4", "", rf"({CARD} is not legal|\d+ is no card); {LEGAL}"),
    (TAKE_2, "card=5", "", f"-1 is no card; {LEGAL}"),
    (TAKE_2, "card=6", "raise ValueError", "ValueError: of trick 3"),
    (TAKE_2, "card=7", "assert view.position", "AssertionError"),
    (TAKE_2, "card=8", "view.position // 2", "ZeroDivisionError: .*"),
    (TAKE_2, "card=9", "return TABLE[k]", "IndexError: index 5 is out of bounds.*"),
    (TAKE_2, "take=1", "", rf"4 \(NT\) {BARRED}, [0-3] \([shdc]\)"),
    (NEVER, "take=2", "", r"5 \(AT\) .* lap 2; .*: PASS, 0 \(s\), 1 \(h\), 2 \(d\), 3 \(c\)"),
    (BOTH, "take=3", "", rf"6 {BARRED}, .*, 4 \(NT\), 5 \(AT\)"),
    (BOTH, "take=4", "", f"-2 {BARRED}, .*"),
    (TAKE_2, "take=5", "", rf"3 \(c\) {BARRED}, [0-2] \([shd]\)"),
    (AUCTION_2, "bid=1", "", rf"bid_code\(110, 0, 0\) {NO_BID}.*"),
    (AUCTION_2, "bid=2", "", rf"bid_code\(125, 0, 0\) {NO_BID}.*"),
    (AUCTION_2, "bid=3", "", rf"bid_code\(610, 0, 0\) {NO_BID}20 to 600 by tens, contracts 0 to 5"),
    (AUCTION_2, "bid=4", "", rf"bid_code\(120, 1, 0\) {NO_BID}30 to 600 by tens, contracts 0 to 5"),
    (AUCTION_2, "bid=5", "", rf"bid_code\(120, 6, 0\) {NO_BID}.*"),
    (AUCTION_2, "bid=6", "", f"-2 {NO_BID}.*"),
    (AUCTION_2, "bid=7", "", rf"bid_code\(0, 0, 0\) {NO_BID}.*"),
    (NO_AUCTION, "bid=8", "", r"bid_code\(120, 5, 0\) .*, contracts 0 to 3"),
    (AUCTION_2, "counter=1", "", "3 is not an answer; allowed: True or False"),
]
"""Rules, the mistake, the text of its line unless that is the `def`, and how it is told."""


@pytest.mark.parametrize(("rules", "mistake", "place", "fault"), MISTAKES)
def test_wrong_choices_and_exceptions_name_the_line(
    mistaken: str, rules: KqjRules, mistake: str, place: str, fault: str
) -> None:
    question, _, which = mistake.partition("=")
    experiment = Experiment(rules, (f"{mistaken}:{mistake}",) * 6, 50, seed=6)
    if question == "card":
        experiment = _play_cards(mistaken, int(which))
    _assert_fault(experiment, place or f"def choose_{question}", question, fault)


def test_an_illegal_take_names_the_deal_it_was_made_in(mistaken: str) -> None:
    """Lanes are exchanged when some deals are passed out: the flag moves with them."""
    for seed in range(1, 6):
        experiment = Experiment(TAKE_2, (f"{mistaken}:take=6",) * 6, 5000, seed=seed)
        _assert_fault(experiment, "def choose_take", "take", "7 may not be taken in lap 1; .*")


def test_cards_of_an_error_were_held(mistaken: str) -> None:
    for seed in range(5):
        experiment = replace(_play_cards(mistaken, 3), seed=seed)
        match = re.search(
            r"deal (\d+) .*, seat (\d): (\w\w) is not legal; legal: (.*)",
            read_error(simulate, experiment),
        )
        assert match is not None
        others = (parse_player("random:take=0.3"),) * 6
        alone = replace(experiment, first=int(match[1]), deals=1, players=others)
        (record,) = play_records(alone)
        assert record.hands is not None
        assert {match[3], *match[4].split()} <= {*record.hands[int(match[2])]}
        assert match[3] not in match[4].split()


def test_records_and_games_raise_the_same(mistaken: str) -> None:
    experiment = _play_cards(mistaken, 3)
    with pytest.raises(InputError, match=re.escape(read_error(simulate, experiment))):
        list(play_records(experiment))
    games = replace(experiment, games=3)
    message = read_error(simulate, games)
    assert re.search(r"deal \d+ of seed 5, seat \d: \w\w is not legal", message)
    with pytest.raises(InputError, match=re.escape(message)):
        list(play_records(games))


def test_a_wrong_policy_among_others(mistaken: str) -> None:
    """At a mixed table too, whatever its number there."""
    wrong = f"random:take=0.3+{mistaken}:card=3"
    right = f"random:take=0.3+{mistaken}"
    experiment = Experiment(TAKE_2, ("random:take=0.3", right, "greedy", right, wrong, right), 300)
    fault = rf"{CARD} is not legal; {LEGAL}"
    assert ", seat 4: " in _assert_fault(experiment, "def choose_card", "card", fault)


def test_error_shows_the_path_as_given(mistaken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_error(simulate, _play_cards(mistaken, 1)).startswith(f"{mistaken}:")
    monkeypatch.chdir(Path(mistaken).parent)
    assert read_error(simulate, _play_cards(mistaken, 1)).startswith("mistaken.py:")


def test_nobody_is_asked_when_the_calling_is_over(tmp_path: Path) -> None:
    """The opener takes at once, and what the others would say then is never asked."""
    path = write_policy(
        tmp_path,
        "from kqj_sim.core.cards import trailing_zeros\n"
        '@policy("eager")\n'
        "def choose_take(view):\n"
        "    return trailing_zeros(view.turned) >> 4 if view.place == 0 else 99\n",
    )
    rows = simulate(Experiment(KqjRules(), (f"{path}:eager+random",) * 6, 50))
    assert (rows.column("place") == 0).all()


IN_A_METHOD = """
@policy
class Own:
    def divide(self, number):
        return 1 // number

    def choose_card(self, view):
        return view.legal * self.divide(view.position * 0)
"""
WORDLESS = """
class Wordless(Exception):
    def __str__(self):
        raise ValueError

@policy
def own(view):
    if view.trick:
        raise Wordless
    return lowest(view.legal)
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            IN_A_METHOD,
            r"6: policy 'Own', choose_card\(\), .*: ZeroDivisionError: integer division.*",
        ),
        (WORDLESS, r"10: policy 'own', own\(\), deal 0 of seed 1, seat \d: Wordless"),
    ],
)
def test_exceptions_in_methods_and_without_words_are_told(
    tmp_path: Path, text: str, words: str
) -> None:
    path = write_policy(tmp_path, text)
    message = read_error(simulate, Experiment(TAKE_2, (f"random:take=1+{path}",) * 6, 50))
    assert re.fullmatch(rf".*own\.py:{words}", message)
