"""A user's own policies: what they may write, and how mistakes are told."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kqj_sim.notation import parse_card
from kqj_sim.policies import PolicyError
from kqj_sim.records import play_records
from kqj_sim.referee import check_record
from kqj_sim.rules import KqjRules
from kqj_sim.simulation import Experiment, simulate
from tests.policies.chosen import plays
from tests.variants import AUCTION_2, TAKE_2, told

CAUTIOUS = '''\
from kqj_sim import lowest, policy

@policy("cautious")
def choose_card(view):
    """Always the lowest legal card."""
    return lowest(view.legal)
'''
"""DESIGN.md section 3, word for word."""

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
    with pytest.raises(PolicyError) as told:
        simulate(Experiment(policies=(specification,) * 6, deals=50))
    message = str(told.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("name", ["", ":cautious"])
def test_the_example_of_the_design(tmp_path: Path, name: str) -> None:
    path = tmp_path / "my_policy.py"
    path.write_text(CAUTIOUS, encoding="utf-8")
    experiment = _own(f"{path}{name}", deals=800)
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
        play_records(replace(experiment, policies=("random:take=0.3",) * 6)),
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
        experiment = Experiment(policies=(f"{path}:own:suit={suit},lap=2",) * 6, deals=20)
        assert experiment.players[0].text == f"{path}:own:lap=2,suit={suit}"
        rows = simulate(experiment)
        assert set(rows.column("contract")) == {suit}
        assert set(rows.column("lap")) == {2}
    rows = simulate(Experiment(policies=(f"{path}:suit=3,lap=9",) * 6, deals=20))
    assert not rows.column("taken").any()


def test_each_seat_has_its_own_parameters(write: Write) -> None:
    path = write(
        'own = policy("own", suit=0)\n'
        "@own\n"
        "def choose_take(view, parameters):\n"
        "    return int(parameters.suit) if view.lap == 2 else -1\n"
    )
    policies = tuple(f"{path}:own:suit={seat % 4}" for seat in range(6))
    rows = simulate(Experiment(policies=policies, deals=60))
    assert (rows.column("contract") == rows.column("sender") % 4).all()


def test_the_view_holds_the_own_cards_and_the_turn(write: Write) -> None:
    """Each player bids 10 more than the last for the suit of his lowest card, in two laps."""
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
    for record in play_records(Experiment(AUCTION_2, (path,) * 6, 20)):
        bids = [call for call in record.calls if call.call == "bid"]
        assert [call.amount for call in bids] == list(range(120, 240, 10))
        for call in bids:
            suits = {parse_card(text).suit for text in record.dealt[call.seat]}
            assert call.contract == min(suits, key="shdc".index), told(record)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('@policy("own")\ndef choose_card(view):\n    x = 1\n    return view.leagl\n', 5, "leagl"),
        ('@policy("own")\ndef choose_card(view):\n    return view.legal + "a"\n', 4, ""),
        (
            'own = policy("own", depth=2)\n@own\n'
            "def choose_card(view, parameters):\n"
            "    if parameters.dpeth > 1:\n        return 0\n    return lowest(view.legal)\n",
            5,
            "dpeth",
        ),
        ('@policy("own")\ndef choose_take(view):\n    return view.legal\n', 4, "legal"),
    ],
)
def test_what_does_not_compile_names_the_users_line(
    write: Write, text: str, line: int, reason: str
) -> None:
    message = _error(write(text))
    assert "'own'" in message
    assert f"my_policy.py:{line}:" in message
    assert "does not compile" in message
    assert reason in message


def test_an_unknown_name_in_a_function_names_the_function(write: Write) -> None:
    text = '@policy("own")\ndef choose_card(view):\n    return lowst(view.legal)\n'
    message = _error(write(text))
    assert re.search(r"my_policy\.py:[234]: choose_card\(\) does not compile: .*lowst", message)


@pytest.mark.parametrize("answer", ["view.legal * 0.5", "'As'", "None", "(view.legal, 1)"])
def test_an_answer_of_a_wrong_type_is_told(write: Write, answer: str) -> None:
    text = f'@policy("own")\ndef choose_card(view):\n    return {answer}\n'
    message = _error(f"random:take=1+{write(text)}")
    assert "'own'" in message
    assert "choose_card" in message


def test_an_answer_that_is_missing_on_some_paths_is_told(write: Write) -> None:
    text = (
        '@policy("own")\ndef choose_card(view):\n'
        "    if view.position < 5:\n        return lowest(view.legal)\n"
    )
    message = _error(f"random:take=1+{write(text)}")
    assert "own" in message or "deal" in message


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_policy_that_raises_is_told(write: Write) -> None:
    """The compiled loop cannot pass the exception on: Python prints it, and goes on."""
    text = (
        '@policy("own")\ndef choose_card(view):\n'
        "    if view.trick_number == 3:\n        raise ValueError\n    return lowest(view.legal)\n"
    )
    assert "deal" in _error(f"random:take=1+{write(text)}")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("def choose_card(view:\n", ["my_policy.py", "SyntaxError"]),
        ("import no_such_module_anywhere\n", ["my_policy.py", "no_such_module_anywhere"]),
        ("x = 1\n", ["my_policy.py", "@policy"]),
        ('@policy("own")\ndef choose_crad(view):\n    return 0\n', ["choose_crad", "choose_card"]),
        ('@policy("own")\ndef card(view):\n    return 0\n', ["card()", "choose_card"]),
        ('@policy("own")\ndef choose_card(a, b, c):\n    return 0\n', ["(view, parameters)"]),
        ('@policy("own")\ndef choose_card():\n    return 0\n', ["(view, parameters)"]),
        ('policy("one")\npolicy("two")\n', ["one", "two"]),
    ],
)
def test_mistakes_in_a_policy_file(write: Write, text: str, parts: list[str]) -> None:
    message = _error(write(text))
    for part in parts:
        assert part in message


def test_a_name_that_the_file_has_not(write: Write) -> None:
    path = write(CAUTIOUS.partition("\n")[2])
    assert "did you mean 'cautious'?" in _error(f"{path}:cautios")


ILLEGAL_CARDS = {
    "no card": "0",
    "all legal cards": "view.legal | view.legal << 1",
    "the lowest bit, legal or not": "view.hand & -view.hand",
    "a card of somebody else": "~view.hand & -~view.hand",
    "a negative number": "-1",
}


@pytest.mark.parametrize("answer", ILLEGAL_CARDS.values(), ids=ILLEGAL_CARDS)
def test_an_illegal_card_is_told_with_seed_and_deal(write: Write, answer: str) -> None:
    source = write(f'@policy("own")\ndef choose_card(view):\n    return {answer}\n')
    _assert_told(replace(_own(source), seed=5, first=40))


def _assert_told(experiment: Experiment) -> None:
    """Rows, records and games tell the deal, and this deal alone tells itself."""
    with pytest.raises(PolicyError) as error:
        simulate(experiment)
    found = re.search(r"deal (\d+) of seed (\d+)", str(error.value))
    assert found is not None, error.value
    assert int(found[2]) == experiment.seed
    deal = int(found[1])
    assert experiment.first <= deal < experiment.first + experiment.deals
    for alone in (simulate, lambda one: list(play_records(one))):
        with pytest.raises(PolicyError, match=f"deal {deal} of seed {experiment.seed}"):
            alone(replace(experiment, first=deal, deals=1))
    with pytest.raises(PolicyError, match=r"deal \d+ of seed"):
        simulate(replace(experiment, games=3))
    with pytest.raises(PolicyError, match=r"deal \d+ of seed"):
        list(play_records(replace(experiment, games=3)))


@pytest.mark.parametrize(
    ("naming", "call"),
    [
        ("second_lap", "4 if view.lap == 1 else -1"),
        ("never", "5 if view.lap == 2 else -1"),
        ("both_laps", "6"),
        ("both_laps", "-2"),
        ("second_lap", "3 if view.turned < 1 << 48 else -1"),
    ],
)
def test_an_illegal_take_is_told_with_seed_and_deal(write: Write, naming: str, call: str) -> None:
    source = write(f'@policy("own")\ndef choose_take(view):\n    return {call}\n')
    rules = KqjRules.from_dict({"all_no_trump": naming})
    _assert_told(Experiment(rules, (source,) * 6, 50, seed=6))


ILLEGAL_BIDS = {
    "below the first bid": "bid_code(110, 0, 0)",
    "not a multiple of ten": "bid_code(125, 0, 0)",
    "above the highest": "bid_code(610, 0, 0)",
    "no higher than the last": "bid_code(120, view.turn % 4, 0)",
    "an unknown contract": "bid_code(120, 6, 0)",
    "a negative number": "-2",
    "nothing": "0",
}


@pytest.mark.parametrize("bid", ILLEGAL_BIDS.values(), ids=ILLEGAL_BIDS)
def test_an_illegal_bid_is_told_with_seed_and_deal(write: Write, bid: str) -> None:
    source = write(
        "from kqj_sim.policies import bid_code\n"
        f'@policy("own")\ndef choose_bid(view):\n    return {bid}\n'
    )
    _assert_told(Experiment(AUCTION_2, (source,) * 6, 50, seed=7))


def test_all_trumps_that_are_barred_cannot_be_bid(write: Write) -> None:
    source = write(
        "from kqj_sim.policies import bid_code\n"
        '@policy("own")\ndef choose_bid(view):\n    return bid_code(120, 5, 0)\n'
    )
    rules = replace(AUCTION_2, all_no_trump="never")
    _assert_told(Experiment(rules, (source,) * 6, 50, seed=8))
