"""Policies defined in cells: by name, redefined, in other processes, errors of their lines."""

from __future__ import annotations

import linecache
import pickle
import threading
from typing import Any

import pytest

from kqj_sim.errors import InputError
from kqj_sim.policies import lowest, parse_player, policy
from kqj_sim.policies.registry import find_given_policy
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate
from tests.policies.elsewhere import format_scores, simulate_elsewhere
from tests.variants import TAKE_2

HEAD = "import kqj_sim as kqj\nfrom kqj_sim import policy, lowest, highest, PASS\n"


class Notebook:
    """A notebook: cells that run in one namespace, with their sources as IPython keeps them."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.count = 0
        self.run(HEAD)

    def run(self, text: str, source: bool = True) -> Any:
        self.count += 1
        name = f"<ipython-input-{self.count}-abc>" if source else "<string>"
        if source:
            linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        exec(compile(text, name, "exec"), self.names)
        return self.names


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


def _means(player: Any, threads: int = 1) -> list[float]:
    """Play it against `greedy` and return the mean scores."""
    rows = simulate(Experiment(TAKE_2, (player, "greedy") * 3, deals=300), threads=threads)
    frame = rows.frame()
    return [float(frame[name].mean()) for name in ("score_0", "score_1")]


LOW = "@policy\ndef careful(view):\n    'Play low.'\n    return lowest(view.legal)\n"
HIGH = LOW.replace("lowest", "highest")


def test_a_function_is_a_policy_by_name_and_as_an_object(notebook: Notebook) -> None:
    careful = notebook.run(LOW)["careful"]
    assert repr(careful) == "<Policy careful: chooses cards>"
    assert careful.summary == "Play low."
    expected = _means(careful)
    assert _means("careful") == _means("careful+careful") == _means(careful, 2) == expected


def test_a_name_of_no_constant_does_not_make_another_policy(notebook: Notebook) -> None:
    """Attributes of the view have names, too, and a list of the notebook may have one of them."""
    careful = notebook.run("legal = ['9h']\n" + LOW)["careful"]
    assert careful.copy() is careful.copy()


def test_a_cell_that_runs_again_replaces_the_policy_of_the_name(notebook: Notebook) -> None:
    old = notebook.run(LOW)["careful"]
    player, experiment = parse_player("careful"), Experiment(TAKE_2, old, deals=300)
    low, frame = _means(old), simulate(experiment).frame()
    new = notebook.run(HIGH)["careful"]
    assert _means("careful") == _means(new) != low
    assert parse_player(new) == parse_player("careful") != parse_player(old) == player
    # Policies, players and experiments keep the definition that they were made with.
    assert _means(old) == _means(player) == low
    assert simulate(experiment).frame().equals(frame)
    assert low == _means(notebook.run(LOW)["careful"])


def test_changed_helpers_and_constants_are_never_missed(notebook: Notebook) -> None:
    notebook.run(
        "HIGH = 0\ndef choose(cards):\n    return highest(cards) if HIGH else lowest(cards)"
    )
    notebook.run("@policy\ndef careful(view):\n    return choose(view.legal)")
    low = _means("careful")
    notebook.run("HIGH = 1")
    high = _means("careful")
    assert high != low
    notebook.run("def choose(cards):\n    return lowest(cards)")
    assert _means("careful") == low


def test_nothing_is_compiled_again_for_the_same_cell(notebook: Notebook) -> None:
    first = Experiment(TAKE_2, notebook.run(LOW)["careful"], deals=1)
    again = Experiment(TAKE_2, notebook.run(LOW)["careful"], deals=1)
    assert again.players[0].playing.policy is first.players[0].playing.policy


CLASS = """
@policy
class Counter:
    "Count the cards of a suit."
    least = kqj.whole(4, "cards to take with", 1, 6)

    def choose_take(self, view):
        for number in range(4):
            cards = kqj.suit(view.hand | view.turned, number)
            allowed = view.lap == 2 or kqj.suit(view.turned, number) != 0
            if allowed and kqj.count(cards) >= self.least:
                return number
        return PASS

    def choose_card(self, view):
        return lowest(view.legal)
"""
BY_NAME = """
counter = policy("plain_counter", least=4)

@counter
def choose_take(view, parameters):
    for number in range(4):
        cards = kqj.suit(view.hand | view.turned, number)
        allowed = view.lap == 2 or kqj.suit(view.turned, number) != 0
        if allowed and kqj.count(cards) >= parameters.least:
            return number
    return PASS

@counter
def choose_card(view):
    return lowest(view.legal)
"""


def test_a_class_is_a_policy_with_its_attributes_as_parameters(notebook: Notebook) -> None:
    counter = notebook.run(CLASS)["Counter"]
    plain = notebook.run(BY_NAME)["counter"]
    assert counter.parameters["least"].meaning == "cards to take with"
    assert _means(counter) == _means(plain) == _means("Counter:least=4")
    assert _means("Counter:least=6") == _means("plain_counter:least=6") != _means(counter)
    # A function of the policy stands for it.
    assert find_given_policy(notebook.names["choose_card"]).name == "plain_counter"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("wrong = policy('wrong')", "wrong: it has no function choose_take, ... or choose_card"),
        ("@policy\ndef wrong(view):\n    return view.leagl",
         "cell 2, line 3 (return view.leagl): policy 'wrong', wrong(): no field of the view "
         "'leagl'; did you mean 'legal'?"),
        ("@policy\ndef wrong(view):\n    return view.legal / 2",
         "cell 2, line 2 (def wrong(view):): policy 'wrong', wrong() must return a card on "
         "every path; it returns a float"),
    ],
)  # fmt: skip
def test_a_wrong_policy_is_refused_before_a_run_with_the_line_of_its_cell(
    notebook: Notebook, text: str, words: str
) -> None:
    for given in ("wrong", notebook.run(text)["wrong"]):
        with pytest.raises(InputError) as error:
            parse_player(given)
        assert str(error.value) == words


def test_an_illegal_choice_quotes_the_line_of_its_cell(notebook: Notebook) -> None:
    wrong = notebook.run("@policy\ndef wrong(view):\n    return highest(view.hand)")["wrong"]
    with pytest.raises(InputError, match=r"^cell 2, line 2 \(def .*: .. is not legal; legal: "):
        _means(wrong)


def test_errors_without_source_name_function_and_line(notebook: Notebook) -> None:
    wrong = notebook.run("@policy\ndef wrong(view):\n    return view.hnad", source=False)["wrong"]
    with pytest.raises(InputError, match=r"^line 3: policy 'wrong', wrong\(\) does not compile"):
        _means(wrong)


def test_a_function_that_was_not_decorated_is_a_policy_too(notebook: Notebook) -> None:
    low = _means(notebook.run(LOW)["careful"])
    plain = notebook.run("def choose_card(view):\n    return lowest(view.legal)")["choose_card"]
    assert _means(plain) == low


@pytest.mark.slow
def test_other_processes_play_the_same(notebook: Notebook) -> None:
    notebook.run("LIMIT = 3\ndef keep(cards):\n    return lowest(cards)")
    text = "return keep(view.legal) if view.trick_number > LIMIT else highest(view.legal)"
    careful = notebook.run(f"@policy\ndef careful(view):\n    {text}")["careful"]
    experiment = Experiment(TAKE_2, (careful, "greedy") * 3, deals=200)
    expected, pickled = format_scores(experiment), pickle.dumps(experiment)
    notebook.run("LIMIT = 8")
    assert simulate_elsewhere(pickled) == expected
    changed = Experiment(TAKE_2, (careful, "greedy") * 3, deals=200)
    assert simulate_elsewhere(pickle.dumps(changed)) == format_scores(changed) != expected


def test_a_pickled_policy_is_the_same_object_here(notebook: Notebook) -> None:
    old = parse_player(notebook.run(LOW)["careful"])
    new = parse_player(notebook.run(HIGH)["careful"])
    loaded = pickle.loads(pickle.dumps((old, new, old)))
    assert loaded == (old, new, old)
    assert loaded[0].playing.policy is old.playing.policy


def test_a_policy_of_an_imported_module_is_pickled_whole() -> None:
    """It may be defined in a function, which other processes do not call."""

    @policy
    def low(view: Any) -> Any:
        return lowest(view.legal)

    player = parse_player(low)
    loaded = pickle.loads(pickle.dumps(player))
    assert loaded.playing.policy is player.playing.policy


def test_a_policy_that_cannot_be_sent_is_told(notebook: Notebook) -> None:
    function = notebook.run("def locked(view):\n    return lowest(view.legal)")["locked"]
    function.lock = threading.Lock()
    player = parse_player(function)
    with pytest.raises(InputError, match=r"^policy 'locked' cannot be sent to other processes: "):
        pickle.dumps(player)


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["0", "lowest(view.legal) // view.position"])
def test_errors_in_other_processes_quote_the_line(notebook: Notebook, answer: str) -> None:
    wrong = notebook.run(f"@policy\ndef wrong(view):\n    return {answer}")["wrong"]
    experiment = Experiment(TAKE_2, wrong, deals=50)
    with pytest.raises(InputError) as told:
        simulate(experiment)
    assert str(told.value).startswith("cell 2, line ")
    assert simulate_elsewhere(pickle.dumps(experiment)) == str(told.value)


def test_a_name_of_a_built_in_policy_is_refused(notebook: Notebook) -> None:
    mine = notebook.run("@policy\ndef greedy(view):\n    return lowest(view.legal)")["greedy"]
    with pytest.raises(InputError, match=r"name of a built-in policy"):
        parse_player(mine)
    assert Experiment(TAKE_2, ("greedy",) * 6, deals=1).players[0].playing.policy is not mine


@pytest.mark.slow
def test_helper_methods_are_sent_along_and_changes_are_noticed(notebook: Notebook) -> None:
    text = (
        "@policy\nclass Mine:\n    def pick(self, cards):\n        return lowest(cards)\n\n"
        "    def choose_card(self, view):\n        return self.pick(view.legal)\n"
    )
    low = _means(notebook.run(text)["Mine"])
    experiment = Experiment(TAKE_2, (notebook.names["Mine"], "greedy") * 3, deals=300)
    sent = pickle.loads(pickle.dumps(experiment))
    frame = simulate(sent).frame()
    assert [float(frame[name].mean()) for name in ("score_0", "score_1")] == low
    assert _means(notebook.run(text.replace("lowest(", "highest("))["Mine"]) != low


def test_a_namespace_needs_no_name() -> None:
    """Functions that `exec` defines in a bare namespace have no module."""
    for names in ({}, {"__name__": None}, {"__name__": "__main__"}):
        cell = "def low(view):\n    return lowest(view.legal)\n"
        cell += "@policy\ndef mine(view):\n    return low(view)\n"
        cell += "other = policy('other')\n@other\ndef choose_card(view):\n    return low(view)\n"
        exec(HEAD + cell, names)
        assert _means(names["mine"]) == _means(names["other"])
