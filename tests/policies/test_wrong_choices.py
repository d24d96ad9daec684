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
from tests.variants import AUCTION_2, TAKE_2

MISTAKEN = """\
import numpy as np
from kqj_sim import lowest, policy
from kqj_sim.policies import bid_code

TABLE = np.zeros(5)
mistaken = policy("mistaken", take=0, bid=0, counter=0, card=0)

def look_up(k):
    return TABLE[k]

@mistaken
def choose_take(view, parameters):
    which = int(parameters.take)
    if which == 1:
        return 4 if view.lap == 1 else -1
    if which == 2:
        return 5 if view.lap == 2 else -1
    if which == 3:
        return 6
    if which == 4:
        return -2
    if which == 5:
        return 3 if view.turned < 1 << 48 else -1
    if which == 6 and view.hand & 0xFFF == 7 and view.lap == 1:
        return 7
    return 0 if view.lap == 2 and view.hand & 7 == 1 else -1

@mistaken
def choose_bid(view, parameters):
    which = int(parameters.bid)
    if which == 1:
        return bid_code(110, 0, 0)
    if which == 2:
        return bid_code(125, 0, 0)
    if which == 3:
        return bid_code(610, 0, 0)
    if which == 4:
        return bid_code(120, view.turn % 4, 0)
    if which == 5:
        return bid_code(120, 6, 0)
    if which == 6:
        return -2
    if which == 7:
        return 0
    if which == 8:
        return bid_code(120, 5, 0)
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


def _line(text: str) -> int:
    """The first line of the file that holds a text."""
    return next(n for n, line in enumerate(MISTAKEN.splitlines(), 1) if text in line)


def _told(experiment: Experiment) -> str:
    with pytest.raises(InputError) as error:
        simulate(experiment)
    message = str(error.value)
    assert "\n" not in message
    return message


def _assert_told(experiment: Experiment, question: str, fault: str, line: int = 0) -> str:
    """The line, the policy, the deal and the fault are told; and the same by this deal alone."""
    message = _told(experiment)
    line = line or _line(f"def choose_{question}")
    found = re.fullmatch(
        rf".*mistaken\.py:{line}: policy 'mistaken', choose_{question}\(\), "
        rf"deal (\d+) of seed {experiment.seed}, seat [0-5]: {fault}",
        message,
    )
    assert found is not None, message
    deal = int(found[1])
    assert experiment.first <= deal < experiment.first + experiment.deals
    assert _told(replace(experiment, first=deal, deals=1)) == message
    return message


def _cards(mistaken: str, which: int) -> Experiment:
    """Rounds in which a wrong card is chosen."""
    policy = f"random:take=0.3+{mistaken}:card={which}"
    return Experiment(TAKE_2, (policy,) * 6, deals=300, seed=5, first=40)


CARD = "[4-9JQKHTA][shdc]"


@pytest.mark.parametrize(
    ("which", "fault"),
    [
        (1, rf"0 is no card; legal: {CARD}( {CARD})*"),
        (2, rf"(([2-9]|\d\d) cards \({CARD}( {CARD})+\)|\d+ is no card); legal: {CARD}( {CARD})*"),
        (3, rf"{CARD} is not legal; legal: {CARD}( {CARD})*"),
        (4, rf"({CARD} is not legal|\d+ is no card); legal: {CARD}( {CARD})*"),
        (5, rf"-1 is no card; legal: {CARD}( {CARD})*"),
    ],
)
def test_illegal_card_raises(mistaken: str, which: int, fault: str) -> None:
    _assert_told(_cards(mistaken, which), "card", fault)


@pytest.mark.parametrize(
    ("which", "fault", "line"),
    [
        (6, "ValueError: of trick 3", "raise ValueError"),
        (7, "AssertionError", "assert view.position"),
        (8, "ZeroDivisionError: .*", "view.position // 2"),
        (9, "IndexError: index 5 is out of bounds.*", "return TABLE[k]"),
    ],
)
def test_exception_names_the_line(mistaken: str, which: int, fault: str, line: str) -> None:
    _assert_told(_cards(mistaken, which), "card", fault, _line(line))


def test_cards_of_an_error_were_held(mistaken: str) -> None:
    for seed in range(5):
        experiment = replace(_cards(mistaken, 3), seed=seed)
        found = re.search(
            r"deal (\d+) .*, seat (\d): (\w\w) is not legal; legal: (.*)", _told(experiment)
        )
        assert found is not None
        others = (parse_player("random:take=0.3"),) * 6
        alone = replace(experiment, first=int(found[1]), deals=1, players=others)
        (record,) = play_records(alone)
        assert record.hands is not None
        assert {found[3], *found[4].split()} <= {*record.hands[int(found[2])]}
        assert found[3] not in found[4].split()


def test_records_and_games_raise_the_same(mistaken: str) -> None:
    experiment = _cards(mistaken, 3)
    with pytest.raises(InputError, match=re.escape(_told(experiment))):
        list(play_records(experiment))
    games = replace(experiment, games=3)
    message = _told(games)
    assert re.search(r"deal \d+ of seed 5, seat \d: \w\w is not legal", message)
    with pytest.raises(InputError, match=re.escape(message)):
        list(play_records(games))


def test_a_wrong_policy_among_others(mistaken: str) -> None:
    """At a mixed table too, whatever its number there."""
    wrong = f"random:take=0.3+{mistaken}:card=3"
    right = f"random:take=0.3+{mistaken}"
    experiment = Experiment(TAKE_2, ("random:take=0.3", right, "greedy", right, wrong, right), 300)
    message = _assert_told(experiment, "card", rf"{CARD} is not legal; legal: {CARD}( {CARD})*")
    assert ", seat 4: " in message


@pytest.mark.parametrize(
    ("naming", "which", "fault"),
    [
        ("second_lap", 1, r"4 \(NT\) may not be taken in lap 1; allowed: PASS, [0-3] \([shdc]\)"),
        ("never", 2, r"5 \(AT\) .* lap 2; allowed: PASS, 0 \(s\), 1 \(h\), 2 \(d\), 3 \(c\)"),
        ("both_laps", 3, r"6 may not be taken in lap 1; allowed: PASS, .*, 4 \(NT\), 5 \(AT\)"),
        ("both_laps", 4, "-2 may not be taken in lap 1; allowed: PASS, .*"),
        ("second_lap", 5, r"3 \(c\) may not be taken in lap 1; allowed: PASS, [0-2] \([shd]\)"),
    ],
)
def test_illegal_take_raises(mistaken: str, naming: str, which: int, fault: str) -> None:
    rules = KqjRules.from_dict({"all_no_trump": naming})
    experiment = Experiment(rules, (f"{mistaken}:take={which}",) * 6, 50, seed=6)
    _assert_told(experiment, "take", fault)


def test_an_illegal_take_names_the_deal_it_was_made_in(mistaken: str) -> None:
    """Lanes are exchanged when some deals are passed out: the flag moves with them."""
    for seed in range(1, 6):
        experiment = Experiment(TAKE_2, (f"{mistaken}:take=6",) * 6, 5000, seed=seed)
        _assert_told(experiment, "take", "7 may not be taken in lap 1; .*")


@pytest.mark.parametrize(
    ("which", "fault"),
    [
        (1, r"bid_code\(110, 0, 0\) .*"),
        (2, r"bid_code\(125, 0, 0\) .*"),
        (3, r"bid_code\(610, 0, 0\) .* amounts 120 to 600 by tens, contracts 0 to 5"),
        (4, r"bid_code\(120, 1, 0\) .* amounts 130 to 600 by tens, contracts 0 to 5"),
        (5, r"bid_code\(120, 6, 0\) .*"),
        (6, "-2 .*"),
        (7, r"bid_code\(0, 0, 0\) .*"),
    ],
)
def test_illegal_bid_raises(mistaken: str, which: int, fault: str) -> None:
    experiment = Experiment(AUCTION_2, (f"{mistaken}:bid={which}",) * 6, 50, seed=7)
    message = _assert_told(experiment, "bid", fault)
    assert "may not be bid; allowed: PASS, amounts 1" in message


def test_all_trumps_that_are_barred_cannot_be_bid(mistaken: str) -> None:
    rules = replace(AUCTION_2, all_no_trump="never")
    experiment = Experiment(rules, (f"{mistaken}:bid=8",) * 6, 50, seed=8)
    _assert_told(experiment, "bid", r"bid_code\(120, 5, 0\) .*, contracts 0 to 3")


def test_illegal_answer_to_a_counter_raises(mistaken: str) -> None:
    experiment = Experiment(AUCTION_2, (f"{mistaken}:counter=1",) * 6, 50, seed=9)
    _assert_told(experiment, "counter", "3 is no answer; allowed: True or False")


def test_legal_choices_raise_nothing(mistaken: str) -> None:
    for rules in (TAKE_2, AUCTION_2):
        experiment = Experiment(rules, (mistaken,) * 6, 1000)
        assert 0 < simulate(experiment).column("taken").mean() <= 1


def test_error_shows_the_path_as_given(mistaken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _told(_cards(mistaken, 1)).startswith(f"{mistaken}:")
    monkeypatch.chdir(Path(mistaken).parent)
    assert _told(_cards(mistaken, 1)).startswith("mistaken.py:")


def test_nobody_is_asked_when_the_calling_is_over(tmp_path: Path) -> None:
    """The opener takes at once, and what the others would say then is never asked."""
    path = tmp_path / "eager.py"
    path.write_text(
        "from kqj_sim import policy\n"
        "from kqj_sim.core.cards import trailing_zeros\n"
        '@policy("eager")\n'
        "def choose_take(view):\n"
        "    return trailing_zeros(view.turned) >> 4 if view.place == 0 else 99\n",
        encoding="utf-8",
    )
    rows = simulate(Experiment(KqjRules(), (f"{path}:eager+random",) * 6, 50))
    assert (rows.column("place") == 0).all()
