"""A user's own policies: what they may write, and how mistakes are told."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kqj_sim.cards import parse_card
from kqj_sim.errors import InputError
from kqj_sim.policies import parse_player
from kqj_sim.referee import check_record
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.run import simulate
from tests.policies.chosen import plays
from tests.policies.elsewhere import format_scores, simulate_elsewhere
from tests.variants import AUCTION_2, TAKE_2, told

CAUTIOUS = '''\
from kqj_sim import lowest, policy

@policy("cautious")
def choose_card(view):
    """Always the lowest legal card."""
    return lowest(view.legal)
'''
"""A policy file such as that of the README."""

Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a policy file after the usual import; its path."""

    def written(text: str) -> str:
        path = tmp_path / "my_policy.py"
        path.write_text(f"from kqj_sim import lowest, policy\n{text}", encoding="utf-8")
        return str(path)

    return written


def _own(source: str, deals: int = 300) -> Experiment:
    """Rounds that are played by a policy, at contracts of all kinds."""
    return Experiment(TAKE_2, (f"random:take=0.3+{source}",) * 6, deals)


def _error(specification: str) -> str:
    with pytest.raises(InputError) as told:
        simulate(Experiment(players=(specification,) * 6, deals=50))
    message = str(told.value)
    assert "\n" not in message
    return message


def test_the_example_of_the_design(tmp_path: Path) -> None:
    path = tmp_path / "my_policy.py"
    path.write_text(CAUTIOUS, encoding="utf-8")
    assert parse_player(str(path)) == parse_player(f"{path}:cautious")
    experiment = _own(str(path), deals=800)
    assert experiment.players[0].text.endswith(f"{path}:cautious")
    order = "ATHKQJ987654"
    cards = 0
    for record in play_records(experiment):
        assert check_record(record) == [], told(record)
        for play in plays(record) if record.contract == "NT" else ():
            lowest_rank = max(order.index(card.rank) for card in play.legal)
            assert order.index(play.card.rank) == lowest_rank, told(record, play)
            cards += 1
    assert cards > 100


def test_own_policies_beside_built_in_ones(write: Write) -> None:
    """At a mixed table each seat asks its own policy, and nobody else's."""
    path = write('@policy("low")\ndef choose_card(view):\n    return view.legal & -view.legal\n')
    policies = ["random:take=0.3"] * 6
    policies[2] = f"random:take=0.3+{path}"
    experiment = Experiment(TAKE_2, tuple(policies), 150)
    for mixed, same in zip(
        play_records(experiment),
        play_records(replace(experiment, players=(parse_player("random:take=0.3"),) * 6)),
        strict=True,
    ):
        assert check_record(mixed) == [], told(mixed)
        assert mixed.calls == same.calls
        if not mixed.tricks or mixed.contract != "NT":
            continue
        for play in plays(mixed):
            if play.seat == 2:
                first = min("shdc".index(card.suit) for card in play.legal)
                assert "shdc".index(play.card.suit) == first, told(mixed, play)


def test_parameters_reach_the_policy(write: Write) -> None:
    path = write(
        'own = policy("own", "takes from a lap on", lap=1, suit=0)\n'
        "@own\n"
        "def choose_take(view, parameters):\n"
        "    return int(parameters.suit) if view.lap == int(parameters.lap) else -1\n"
    )
    for suit in range(4):
        experiment = Experiment(players=(f"{path}:own:suit={suit},lap=2",) * 6, deals=20)
        assert experiment.players[0].calling.text == f"{path}:own:lap=2,suit={suit}"
        rows = simulate(experiment)
        assert set(rows.column("contract")) == {suit}
        assert set(rows.column("lap")) == {2}
    rows = simulate(Experiment(players=(f"{path}:suit=3,lap=9",) * 6, deals=20))
    assert not rows.column("taken").any()


def test_each_seat_has_its_own_parameters(write: Write) -> None:
    path = write(
        'own = policy("own", suit=0)\n'
        "@own\n"
        "def choose_take(view, parameters):\n"
        "    return int(parameters.suit) if view.lap == 2 else -1\n"
    )
    policies = tuple(f"{path}:own:suit={seat % 4}" for seat in range(6))
    rows = simulate(Experiment(players=policies, deals=60))
    assert (rows.column("contract") == rows.column("sender") % 4).all()


def test_the_view_holds_the_own_cards_and_the_turn(write: Write) -> None:
    """Each player bids 10 more than the last for the suit of its lowest card, in two laps."""
    path = write(
        "from kqj_sim.policies import bid_code\n"
        '@policy("own")\n'
        "def choose_bid(view):\n"
        "    suit = 0\n"
        "    while view.hand >> 16 * suit & 0xFFF == 0:\n"
        "        suit += 1\n"
        "    return bid_code(view.lowest_amount, suit, 0) if view.turn < 12 else -1\n"
        "def choose_no(view):\n"
        "    return 0\n"
        'own = policy("own")\n'
        'choose_no.__name__ = "choose_counter"\n'
        "own(choose_no)\n"
    )
    for record in play_records(Experiment(AUCTION_2, (f"{path}+greedy",) * 6, 20)):
        bids = [call for call in record.calls if call.call == "bid"]
        assert [call.amount for call in bids] == list(range(120, 240, 10))
        for call in bids:
            suits = {parse_card(text).suit for text in record.dealt[call.seat]}
            assert call.contract == min(suits, key="shdc".index), told(record)


WITH_HELPERS = """
import numpy as np

WORTH = np.array([5, 1, 4, 2])
FIRST, *OTHERS = (3, 0)

def worth(card):
    suit = 0
    for k in range(4):
        suit = k if card >> 16 * k & 0xFFF else suit
    return WORTH[suit]

def dearest(cards):
    best, choice = -1, 0
    left = cards
    while left:
        card = left & -left
        left ^= card
        if better(worth(card), best):
            best, choice = worth(card), card
    return choice

@policy("own")
def choose_card(view):
    return dearest(view.legal) if FIRST == 3 else 0

def better(one, other):
    return one > other
"""


def test_constants_loops_and_plain_functions_of_the_file_may_be_used(write: Write) -> None:
    """At No-Trump the suits are in the order s h d c: WORTH says which is played first."""
    experiment = _own(write(WITH_HELPERS))
    cards = 0
    for record in play_records(experiment):
        assert check_record(record) == [], told(record)
        for play in plays(record) if record.contract == "NT" else ():
            first = max((card.suit for card in play.legal), key="hcds".index)
            assert play.card.suit == first, told(record, play)
            cards += 1
    assert cards > 100


@pytest.mark.parametrize(
    ("helpers", "cycle"),
    [
        ("def f(cards):\n    return f(cards + 1)\n", "f -> f"),
        (
            "def f(cards):\n    return g(cards + 1)\ndef g(cards):\n    return f(cards)\n",
            "f -> g -> f",
        ),
        ("import numba\n@numba.njit\ndef f(cards):\n    return f(cards + 1)\n", "f -> f"),
    ],
)
def test_recursion_is_refused_before_it_can_overflow_the_stack(
    write: Write, helpers: str, cycle: str
) -> None:
    path = write(f'{helpers}@policy("own")\ndef choose_card(view):\n    return f(view.legal)\n')
    with pytest.raises(InputError, match=rf"calls itself \({cycle}\): write a loop instead"):
        simulate(_own(path, deals=50))


def test_a_file_that_was_changed_is_read_again(write: Write) -> None:
    text = '@policy("own")\ndef choose_take(view):\n    return {}\n'
    path = write(text.format("-1"))
    before = Experiment(players=path, deals=10)
    assert not simulate(before).column("taken").any()
    assert write(text.format("2 if view.lap == 2 else -1")) == path
    assert set(simulate(Experiment(players=path, deals=10)).column("contract")) == {2}
    # An experiment keeps the players that it was made with.
    assert not simulate(replace(before)).column("taken").any()
    assert parse_player(path) == parse_player(path) != before.players[0]


@pytest.mark.slow
def test_a_file_reaches_other_processes_with_its_constants_and_helpers(write: Write) -> None:
    path = write(
        "from kqj_sim import highest\n"
        "LIMIT = 3\n"
        "def pick(view):\n"
        "    return lowest(view.legal) if view.trick_number > LIMIT else highest(view.legal)\n"
        '@policy("own")\n'
        "def choose_card(view):\n"
        "    return pick(view)\n"
    )
    experiment = Experiment(TAKE_2, (path, "greedy") * 3, deals=200)
    expected, pickled = format_scores(experiment), pickle.dumps(experiment)
    assert pickle.loads(pickled) == experiment
    Path(path).unlink()
    assert simulate_elsewhere(pickled) == expected
    assert expected != format_scores(Experiment(TAKE_2, "greedy", deals=200))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "line"),
    [("0", 3), ("lowest(view.legal) // view.position", 4)],
)
def test_errors_in_other_processes_name_the_line_of_the_file(
    write: Write, answer: str, line: int
) -> None:
    path = write(f'@policy("own")\ndef choose_card(view):\n    return {answer}\n')
    experiment = Experiment(TAKE_2, path, deals=50)
    pickled = pickle.dumps(experiment)
    with pytest.raises(InputError) as told:
        simulate(experiment)
    assert str(told.value).startswith(f"{path}:{line}: policy 'own', choose_card()")
    Path(path).unlink()
    assert simulate_elsewhere(pickled) == str(told.value)


CARD = '@policy("own")\ndef choose_card(view):\n    '
TAKE = '@policy("own")\ndef choose_take(view):\n    '

WRONG = [
    (f"{CARD}return view.leagl\n", 4, "no field of the view 'leagl'; did you mean 'legal'?"),
    (
        f"{TAKE}return view.legal\n",
        4,
        "no field of the view 'legal'; known: all_no_trump, hand",
    ),
    (f"{CARD}return lowst(view.legal)\n", 4, "nothing is called 'lowst'; did you mean 'lowest'?"),
    (
        '@policy("own", depth=2)\ndef choose_card(view, own):\n    return own.dpeth\n',
        4,
        "no parameter 'dpeth'; did you mean 'depth'?",
    ),
    (f"def f(v):\n    return 2 * v.legl\n{CARD}return f(view)\n", 3, "did you mean 'legal'?"),
    (f"def f(v):\n    return best\n{CARD}return f(view)\n", 3, "nothing is called 'best'"),
    (f'{CARD}return view.legal + "a"\n', 4, "signature: >>> add(int64"),
    (f"{CARD}return lowest(view.legal, 2)\n", 4, "too many positional arguments"),
    (
        f"{CARD}with view:\n        return 0\n",
        2,
        "does not compile: Illegal use of context",
    ),
    (f"import numpy as np\n{CARD}return np.lowest(1)\n", 5, "'numpy' has no attribute 'lowest'"),
    (f"{CARD}view.legal = 2\n    return 0\n", 4, "view.legal is set: a view and parameters cannot"),
    (f"def f(v):\n    v.legal ^= 1\n    return 0\n{CARD}return f(view)\n", 3, "v.legal is set"),
    (f"W = [1]\n{CARD}return W[0]\n", 5, "'W' is a list; compiled functions use numbers, tuples"),
    (f"W = {{1: 2}}\n{CARD}return W[1]\n", 5, "'W' is a dict; "),
    (f"from decimal import Decimal\nHALF = Decimal('0.5')\n{CARD}return HALF\n", 6, "is a Decimal"),
    (
        "def make():\n    worth = {1, 2}\n    def choose_card(view):\n        return len(worth)\n"
        '    return choose_card\npolicy("own")(make())\n',
        5,
        "'worth' is a set",
    ),
    # Files that define no policy, or one that cannot be.
    ("def choose_card(view:\n", 2, "SyntaxError: '(' was never closed"),
    ("import no_such_module\n", 2, "ModuleNotFoundError"),
    ("import sys\nsys.exit(1)\n", 3, "SystemExit"),
    ("x = 1\n", "", "it defines no policy with @policy(...)"),
    (CARD.replace("card", "crad") + "return 0\n", 2, "did you mean 'choose_card'?"),
    ("@policy\ndef choose_crad(view):\n    return 0\n", 2, "did you mean 'choose_card'?"),
    (CARD.replace("view", "a, b, c") + "return 0\n", 2, "should take (view) or (view, parameters)"),
    (CARD.replace("view", "*views") + "return 0\n", 2, "should take (view) or (view, parameters)"),
    ("@policy(3)\ndef choose_card(view):\n    return 0\n", 2, 'write @policy, @policy("name")'),
    ('policy("one")\npolicy("two")\n', "", "name one of its policies: one, two"),
    ('policy("one")\n', "one", "it has no function choose_take"),
    (f"{CARD}return 0\n{TAKE.replace(')', ', k=2)', 1)}return 0\n", 5, "is defined twice"),
    ("from kqj_sim import number\nnumber(2, '', 0, 1)\n", 3, "it should be a number from 0 to 1"),
]
"""What a user may write behind the import, with the line and the text of the error."""


@pytest.mark.parametrize(("text", "line", "told"), WRONG, ids=range(len(WRONG)))
def test_wrong_policy_file_raises_with_the_users_line(
    write: Write, text: str, line: int | str, told: str
) -> None:
    message = _error(write(text))
    assert f"my_policy.py:{line}".rstrip(":") + ": " in message
    assert told in message


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("import random", "random.random()"),
        ("from random import random", "random()"),
        ("import numpy as np", "np.random.rand()"),
        ("from numpy import random as chance", "chance.rand()"),
        ("import time", "time.time()"),
    ],
)
def test_policy_with_foreign_randomness_raises(write: Write, imports: str, call: str) -> None:
    text = (
        f"{imports}\ndef half():\n    return {call} < 0.5\n"
        '@policy("own")\ndef choose_take(view):\n    return 0 if half() else -1\n'
    )
    message = _error(write(text))
    assert "my_policy.py:4: policy 'own', choose_take() uses" in message
    assert "view.random" in message


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("view.legal * 0.5", "a number with a fraction"),
        ("'As'", "a text"),
        ("None", "nothing"),
        ("(view.legal, 1)", "several values"),
        ("view.legal if view.position else None", "nothing on some path"),
    ],
)
def test_answer_of_a_wrong_type_raises(write: Write, answer: str, told: str) -> None:
    text = f'@policy("own")\ndef choose_card(view):\n    return {answer}\n'
    message = _error(f"random:take=1+{write(text)}")
    assert f"my_policy.py:3: policy 'own', choose_card() answers {told}:" in message
    assert "lowest(view.legal)" in message


def test_one_name_for_several_functions_is_one_policy(write: Write) -> None:
    path = write(
        '@policy("own", suit=3)\ndef choose_take(view, parameters):\n'
        "    return int(parameters.suit) if view.lap == 2 else -1\n"
        '@policy("own")\ndef choose_card(view):\n    return lowest(view.legal)\n'
    )
    found = parse_player(f"{path}:suit=2")
    assert found.calling == found.playing
    assert found.calling.policy.calls() and found.calling.policy.plays


def test_a_name_that_the_file_has_not(write: Write) -> None:
    path = write(CAUTIOUS.partition("\n")[2])
    assert "did you mean 'cautious'?" in _error(f"{path}:cautios")


AS_LISTS = {
    "for card in view.legal: pass": "for card in view.legal: a set of cards is a number",
    "for card in cards & view.winning: pass": "for card in cards & view.winning:",
    "for card in suit(view, 1): pass": "for card in suit(view, 1):",
    "if len(view.legal) == 1: pass": "write count(view.legal)",
    "if len(cards) == 1: pass": "write count(cards)",
    "if '9h' in view.hand: pass": "write has(view, '9h')",
    "if '9h' not in view.hand: pass": "write not has(view, '9h')",
    "if '9h' in cards: pass": "write cards & in_view(view, hand('9h')) != 0",
    "if lowest(cards) in view.winning: pass": "write view.winning & lowest(cards) != 0",
}
"""A set of cards used as a list, and what to write."""

IN_FORMS = {
    "function": "@policy\ndef choose_card(view):\n{body}",
    "helper": "def pick(view):\n{body}\n@policy\ndef choose_card(view):\n    return pick(view)\n",
    "class": "@policy\nclass Own:\n    def choose_card(self, view):\n{inner}",
    "method": "@policy\nclass Own:\n    def pick(self, view):\n{inner}\n"
    "    def choose_card(self, view):\n        return self.pick(view)\n",
}
"""Every place where a policy may have it."""


@pytest.mark.parametrize(
    ("line", "form"),
    [*((line, "function") for line in AS_LISTS), *((next(iter(AS_LISTS)), f) for f in IN_FORMS)],
)
def test_a_set_of_cards_used_as_a_list_raises_with_what_to_write(
    write: Write, line: str, form: str
) -> None:
    body = f"    cards = view.legal\n    {line}\n    return lowest(cards)\n"
    inner = "".join(f"    {each}\n" for each in body.splitlines())
    source = IN_FORMS[form].format(body=body, inner=inner)
    message = _error(write(f"from kqj_sim import suit\n{source}"))
    assert f"my_policy.py:{source.partition(line)[0].count(chr(10)) + 3}: policy " in message
    assert AS_LISTS[line] in message
    assert "compile" not in message and "int64" not in message


def test_suggested_code_compiles(write: Write) -> None:
    path = write(
        "from kqj_sim import count, hand, has, in_view\n"
        "@policy\ndef choose_card(view):\n"
        "    best, rest = 0, view.legal\n"
        "    while rest:\n        card = lowest(rest)\n        rest ^= card\n        best = card\n"
        "    if count(view.legal) == 1 or not has(view, '9h'):\n        return best\n"
        "    if view.legal & in_view(view, hand('9h')) != 0:\n        return best\n"
        "    return lowest(view.legal)\n"
    )
    assert len(simulate(_own(path, deals=50))) == 50


METHODS = """
@policy
class Own:
    "Plays what its helpers pick."
    least = 2

    def pick(self, cards, most=9):
        return self.lower(cards) if self.enough(cards) and most == 9 else cards & -cards

    def enough(self, cards):
        return cards != 0 and self.least > 0

    def lower(self, cards):
        return lowest(cards)

    def choose_card(self, view):
        return self.pick(view.legal)
"""


def test_methods_may_call_other_methods_and_read_parameters(write: Write) -> None:
    path = write(METHODS)
    low = write_as(path, "low.py", "@policy\ndef low(view):\n    return lowest(view.legal)\n")
    mine, plain = (simulate(_own(each)).frame() for each in (path, low))
    assert mine.equals(plain)
    other = simulate(_own(f"{path}:least=0")).frame()
    assert not other.equals(plain)


def write_as(beside: str, name: str, text: str) -> str:
    """Write a policy file beside another one; return its path."""
    path = Path(beside).with_name(name)
    path.write_text(f"from kqj_sim import lowest, policy\n{text}", encoding="utf-8")
    return str(path)


def test_an_exception_in_a_helper_method_names_its_policy(write: Write) -> None:
    path = write(
        "@policy\nclass Own:\n"
        "    def divide(self, number):\n        return 1 // number\n\n"
        "    def choose_card(self, view):\n"
        "        return view.legal * self.divide(view.position * 0)\n"
    )
    assert "ZeroDivisionError" in _error(f"random:take=1+{path}")


WORDLESS = """\
class Wordless(Exception):
    def __str__(self):
        raise ValueError

"""
CARD = "@policy\ndef choose_card(view):\n    return lowest(view.legal)\n"


def test_an_exception_whose_text_fails_is_named_by_its_class(write: Write) -> None:
    assert _error(f"random+{write(f'{WORDLESS}raise Wordless')}").endswith(":6: Wordless")
    raising = CARD.replace("    return", "    if view.trick:\n        raise Wordless\n    return")
    assert _error(f"random:take=1+{write(WORDLESS + raising)}").endswith(": Wordless")


def test_a_file_does_not_change_how_deep_the_compiler_may_go(write: Write) -> None:
    limit = sys.getrecursionlimit()
    path = write(f"import sys\nsys.setrecursionlimit(sys.getrecursionlimit() - 1)\n{CARD}")
    assert len(simulate(_own(path)).frame()) > 0
    assert sys.getrecursionlimit() == limit
