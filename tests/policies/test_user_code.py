"""Users' functions: what they may write, and how mistakes are told, with the line."""

from __future__ import annotations

import linecache
import pickle
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kqj_sim.cards import Card, parse_card
from kqj_sim.policies import parse_player
from kqj_sim.policies.user_code import find_use, parse_function
from kqj_sim.referee import check_record
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.run import simulate
from tests.command_line import read_error
from tests.policies.elsewhere import format_scores, simulate_elsewhere
from tests.policies.files import write_policy
from tests.policies.moments import moments
from tests.variants import AUCTION_2, TAKE_2, told

Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return what writes a policy file after the usual import and returns its path."""

    def write_file(text: str, name: str = "my_policy.py") -> str:
        return write_policy(tmp_path, text, name)

    return write_file


def _play_contracts(source: str, deals: int = 300) -> Experiment:
    """Return rounds that are played by a policy, at contracts of all kinds."""
    return Experiment(TAKE_2, (f"random:take=0.3+{source}",) * 6, deals)


def _assert_plays(source: str, key: Callable[[Card], int], deals: int = 300) -> None:
    """Assert that cards played at No-Trump are the least, by a key, of those that were legal."""
    cards = 0
    for record in play_records(_play_contracts(source, deals)):
        assert check_record(record) == [], told(record)
        for play in moments(record) if record.contract == "NT" else ():
            assert key(play.card) == min(map(key, play.legal)), told(record, play.card)
            cards += 1
    assert cards > 100


# What policies may do.


def test_cards_of_the_design_example_are_the_lowest(write: Write) -> None:
    path = write('@policy("cautious")\ndef choose_card(view):\n    return lowest(view.legal)\n')
    assert parse_player(path) == parse_player(f"{path}:cautious")
    assert parse_player(path).text.endswith(f"{path}:cautious")
    _assert_plays(path, lambda card: "456789JQKHTA".index(card.rank), 800)


def test_parameters_reach_the_policy_of_each_seat(write: Write) -> None:
    path = write(
        'own = policy("own", "takes from a lap on", lap=1, suit=0)\n@own\n'
        "def choose_take(view, parameters):\n"
        "    return int(parameters.suit) if view.lap == int(parameters.lap) else -1\n"
    )
    policies = tuple(f"{path}:own:suit={seat % 4},lap=2" for seat in range(6))
    experiment = Experiment(players=policies, deals=60)
    assert experiment.players[1].calling.text == f"{path}:own:lap=2,suit=1"
    rows = simulate(experiment)
    assert (rows.column("contract") == rows.column("sender") % 4).all()
    assert set(rows.column("lap")) == {2}
    rows = simulate(Experiment(players=(f"{path}:suit=3,lap=9",) * 6, deals=20))
    assert not rows.column("taken").any()


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
    _assert_plays(write(WITH_HELPERS), lambda card: "sdch".index(card.suit))


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
    low = write("@policy\ndef low(view):\n    return lowest(view.legal)\n")
    plain = simulate(_play_contracts(low)).frame()
    path = write(METHODS)
    assert simulate(_play_contracts(path)).frame().equals(plain)
    assert not simulate(_play_contracts(f"{path}:least=0")).frame().equals(plain)


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
    assert len(simulate(_play_contracts(path, deals=50))) == 50


def test_one_name_for_several_functions_is_one_policy(write: Write) -> None:
    path = write(
        '@policy("own", suit=3)\ndef choose_take(view, parameters):\n'
        "    return int(parameters.suit) if view.lap == 2 else -1\n"
        '@policy("own")\ndef choose_card(view):\n    return lowest(view.legal)\n'
    )
    player = parse_player(f"{path}:suit=2")
    assert player.calling == player.playing
    assert player.calling.policy.calls() and player.calling.policy.plays


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


def test_a_file_does_not_change_how_deep_the_compiler_may_go(write: Write) -> None:
    limit = sys.getrecursionlimit()
    path = write(f"import sys\nsys.setrecursionlimit(sys.getrecursionlimit() - 1)\n{LOW}")
    assert len(simulate(_play_contracts(path)).frame()) > 0
    assert sys.getrecursionlimit() == limit


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


# Mistakes that are found before a deal is played.

LOW = "@policy\ndef choose_card(view):\n    return lowest(view.legal)\n"
CARD = '@policy("own")\ndef choose_card(view):\n    '
TAKE = '@policy("own")\ndef choose_take(view):\n    '
HALF = "def half():\n    return {} < 0.5\n" + TAKE + "return 0 if half() else -1\n"
FOREIGN = (
    "policy 'own', choose_take() uses {}, which answers differently each time: use view.random"
)
IN_LIST = '@policy("own")\ndef choose_card(view):\n    cards = view.legal\n    '

MISTAKES: list[tuple[str, int | str, str]] = [
    # Names and fields.
    (f"{CARD}return view.leagl\n", 4, "no field of the view 'leagl'; did you mean 'legal'?"),
    (f"{TAKE}return view.legal\n", 4, "no field of the view 'legal'; did you mean 'lap'?"),
    (f"{CARD}return lowst(view.legal)\n", 4, "nothing is called 'lowst'; did you mean 'lowest'?"),
    ('@policy("own", depth=2)\ndef choose_card(view, own):\n    return own.dpeth\n', 4,
     "no parameter 'dpeth'; did you mean 'depth'?"),
    (f"def f(v):\n    return 2 * v.legl\n{CARD}return f(view)\n", 3, "did you mean 'legal'?"),
    (f"def f(v):\n    return best\n{CARD}return f(view)\n", 3, "nothing is called 'best'"),
    ("@policy\nclass Own:\n    least = 2\n    def pick(self, view):\n        return self.laest\n"
     "    def choose_card(self, view):\n        return self.pick(view)\n", 6,
     "no parameter 'laest'; did you mean 'least'?"),
    (f"import numpy as np\n{CARD}return np.lowest(1)\n", 5, "'numpy' has no attribute 'lowest'"),
    (f"{CARD}view.legal = 2\n    return 0\n", 4, "view.legal is set: a view and parameters cannot"),
    (f"def f(v):\n    v.legal ^= 1\n    return 0\n{CARD}return f(view)\n", 3, "v.legal is set"),
    # Values that compiled functions cannot use.
    (f"W = [1]\n{CARD}return W[0]\n", 5, "'W' is a list; compiled functions use numbers, tuples"),
    (f"W = {{1: 2}}\n{CARD}return W[1]\n", 5, "'W' is a dict; "),
    (f"from decimal import Decimal\nHALF = Decimal('0.5')\n{CARD}return HALF\n", 6, "is a Decimal"),
    ("def make():\n    worth = {1, 2}\n    def choose_card(view):\n        return len(worth)\n"
     '    return choose_card\npolicy("own")(make())\n', 5, "'worth' is a set"),
    # Sets of cards used as lists.
    (f"{IN_LIST}for card in view.legal: pass\n", 5, "for card in view.legal: a set of cards is a"),
    (f"{IN_LIST}for card in cards & view.winning: pass\n", 5, "for card in cards & view.winning:"),
    (f"from kqj_sim import suit\n{IN_LIST}for card in suit(view, 1): pass\n", 6,
     "for card in suit(view, 1):"),
    (f"{IN_LIST}if len(view.legal) == 1: pass\n", 5, "write count(view.legal)"),
    (f"{IN_LIST}if len(cards) == 1: pass\n", 5, "write count(cards)"),
    (f"{IN_LIST}if '9h' in view.hand: pass\n", 5, "write has(view, '9h')"),
    (f"{IN_LIST}if '9h' not in view.hand: pass\n", 5, "write not has(view, '9h')"),
    (f"{IN_LIST}if '9h' in cards: pass\n", 5, "write cards & in_view(view, hand('9h')) != 0"),
    (f"{IN_LIST}if lowest(cards) in view.winning: pass\n", 5,
     "write view.winning & lowest(cards) != 0"),
    (f"def f(v):\n    for c in v.legal: pass\n    return 1\n{CARD}return f(view)\n", 3, "for c in"),
    ("@policy\nclass Own:\n    def choose_card(self, view):\n"
     "        return 1 if '9h' in view.hand else 2\n", 5, "write has(view, '9h')"),
    ("@policy\nclass Own:\n    def pick(self, view):\n        return len(view.legal)\n"
     "    def choose_card(self, view):\n        return self.pick(view)\n", 5,
     "write count(view.legal)"),
    # Sets in another coding.
    (f"from kqj_sim import NINES\n{CARD}return lowest(view.legal & NINES)\n", 5,
     "write in_view(view, NINES)"),
    (f"from kqj_sim import has\n{CARD}return has(view.hand, '9h')\n", 5,
     "choose_card(), has(): cards are coded by strength here, so it needs the view instead of"),
    (f"from kqj_sim import suit\ndef f(c):\n    return suit(c, 1)\n{CARD}return f(view.legal)\n", 4,
     "needs the view instead of a set: suit(view, ...)"),
    (f"from kqj_sim import has\n{CARD}return has(view, '9x')\n", 5, "has(): '9x' is not a card"),
    # Randomness that is not the view's, and functions that call themselves.
    (f"import random\n{HALF.format('random.random()')}", 4, FOREIGN.format("random")),
    (f"from random import random\n{HALF.format('random()')}", 4, FOREIGN.format("random")),
    (f"import numpy as np\n{HALF.format('np.random.rand()')}", 4, FOREIGN.format("np")),
    (f"from numpy import random as r\n{HALF.format('r.rand()')}", 4, FOREIGN.format("r")),
    (f"import time\n{HALF.format('time.time()')}", 4, FOREIGN.format("time")),
    (f"def f(cards):\n    return f(cards + 1)\n{CARD}return f(view.legal)\n", 5,
     "calls itself (f -> f): write a loop instead"),
    ("def f(cards):\n    return g(cards + 1)\ndef g(cards):\n    return f(cards)\n"
     f"{CARD}return f(view.legal)\n", 7, "calls itself (f -> g -> f): write a loop instead"),
    (f"import numba\n@numba.njit\ndef f(cards):\n    return f(cards + 1)\n{CARD}return f(1)\n", 7,
     "calls itself (f -> f): write a loop instead"),
    ("@policy\nclass Own:\n    def f(self, c):\n        return self.f(c) if c > 0 else c\n"
     "    def choose_card(self, view):\n        return self.f(view.legal)\n", 6,
     "calls itself (f -> f): write a loop instead"),
    # Values of a wrong type.
    (f"{CARD}return view.legal * 0.5\n", 3, "must return a card on every path; it returns a float"),
    (f"{CARD}return 'As'\n", 3, "must return a card on every path; it returns a string"),
    (f"{CARD}return None\n", 3, "it returns nothing"),
    (f"{CARD}return (view.legal, 1)\n", 3, "it returns a tuple"),
    (f"{CARD}return view.legal if view.position else None\n", 3, "one path returns nothing"),
    # The rest is numba's first sentence, with the innermost line.
    (f'{CARD}return view.legal + "a"\n', 4,
     "choose_card() does not compile: No implementation of function Function(<built-in function "
     "add>) found for signature: >>> add(int64, Literal[str](a))"),
    (f'def f(x):\n    return -x["a"]\n{CARD}return f(view.legal)\n', 3, "does not compile: No "),
    (f"{CARD}return lowest('a')\n", 4, "signature: >>> lshift(unicode_type, int64)"),
    (f"{CARD}return lowest(view.legal, 2)\n", 4, "too many positional arguments"),
    (f"{CARD}with view:\n        return 0\n", 2, "does not compile: Illegal use of context"),
    (f"{CARD}import os\n    return 0\n", 3, "does not compile: Use of unsupported opcode"),
    # Files that define no policy, or one that cannot be.
    ("def choose_card(view:\n", 2, "SyntaxError: '(' was never closed"),
    ("import no_such_module\n", 2, "ModuleNotFoundError"),
    ("import sys\nsys.exit(1)\n", 3, "SystemExit"),
    ("class W(Exception):\n    def __str__(self):\n        raise ValueError\n\nraise W\n", 6,
     ": W"),
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
]  # fmt: skip
"""What a user may write behind the import, with the line and the text of the error."""


@pytest.mark.parametrize(("text", "line", "words"), MISTAKES, ids=range(len(MISTAKES)))
def test_wrong_policy_file_raises_with_the_users_line(
    write: Write, text: str, line: int | str, words: str
) -> None:
    message = read_error(parse_player, write(text))
    assert f"my_policy.py:{line}".rstrip(":") + ": " in message
    assert words in message


def test_unknown_policy_of_a_file_raises(write: Write) -> None:
    assert "did you mean 'choose_card'?" in read_error(parse_player, f"{write(LOW)}:choose_crad")


@pytest.mark.parametrize(
    "now", ["", "call(\n", "'''\n", "def other(view):\n    return 1\n", "x = 1\n"]
)
def test_a_function_whose_file_has_changed_has_no_known_mistake(now: str, tmp_path: Path) -> None:
    source = "def choose_card(view):\n    return lowest(view.legal)\n"
    file = tmp_path / "policy.py"
    names: dict[str, Any] = {"lowest": min}
    file.write_text(source)
    exec(compile(source, str(file), "exec"), names)
    function = names["choose_card"]
    assert find_use(function, "lowest") == 2
    file.write_text(now)
    linecache.checkcache(str(file))
    assert parse_function(function.__code__) is None
    assert find_use(function, "lowest") == 0
