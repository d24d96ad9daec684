"""Policies defined in cells: by name, redefined, in other processes, errors of their lines."""

from __future__ import annotations

import linecache
import subprocess
import sys
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

from kqj_sim.errors import InputError
from kqj_sim.policies.session import as_spec
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate
from tests.variants import TAKE_2

HEAD = "import kqj_sim as kqj\nfrom kqj_sim import policy, lowest, highest, PASS\n"


class Notebook:
    """A notebook: cells that run in one namespace, with their sources as IPython keeps them."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.count = 0
        self.run(HEAD)

    def run(self, text: str, source: bool = True) -> Any:
        """Run a cell and return the namespace."""
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


def test_a_cell_that_runs_again_replaces_the_policy(notebook: Notebook) -> None:
    old = notebook.run(LOW)["careful"]
    low = _means(old)
    new = notebook.run(HIGH)["careful"]
    assert _means("careful") == _means(new) != low
    assert _means(old) == low
    assert as_spec(new) == "careful" != as_spec(old)
    assert low == _means(notebook.run(LOW)["careful"])


def test_an_experiment_keeps_the_policy_it_was_made_with(notebook: Notebook) -> None:
    experiment = Experiment(TAKE_2, notebook.run(LOW)["careful"], deals=300)
    low = simulate(experiment).frame()
    notebook.run(HIGH)
    assert simulate(experiment).frame().equals(low)


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
    assert as_spec(notebook.names["choose_card"]) == "plain_counter"


def test_a_function_that_was_not_decorated_is_a_policy_too(notebook: Notebook) -> None:
    low = _means(notebook.run(LOW)["careful"])
    plain = notebook.run("def choose_card(view):\n    return lowest(view.legal)")["choose_card"]
    assert _means(plain) == low


@pytest.mark.slow
def test_other_processes_play_the_same(notebook: Notebook, tmp_path: Path) -> None:
    notebook.run("LIMIT = 3\ndef keep(cards):\n    return lowest(cards)")
    text = "return keep(view.legal) if view.trick_number > LIMIT else highest(view.legal)"
    careful = notebook.run(f"@policy\ndef careful(view):\n    {text}")["careful"]
    experiment = Experiment(TAKE_2, (careful, "greedy") * 3, deals=200)
    path = tmp_path / "experiment.pkl"
    path.write_bytes(cloudpickle.dumps(experiment))
    script = (
        "import pickle, sys\nfrom kqj_sim.simulation.run import simulate\n"
        "played = simulate(pickle.load(open(sys.argv[1], 'rb'))).frame()\n"
        "print(played.score_0.sum(), played.score_1.sum())"
    )
    printed = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
    ).stdout
    frame = simulate(experiment).frame()
    assert printed.split() == [str(frame.score_0.sum()), str(frame.score_1.sum())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "@policy\ndef wrong(view):\n    return lowest(view.leagl)",
            "cell 2, line 3 (return lowest(view.leagl)): policy 'wrong', wrong(): no field of the "
            "view 'leagl'; did you mean 'legal'?",
        ),
        (
            "@policy\ndef wrong(view):\n    return view.legal / 2",
            "cell 2, line 2 (def wrong(view):): policy 'wrong', wrong() answers a number with a "
            "fraction",
        ),
        ("@policy\ndef wrong(view):\n    return highest(view.hand)", "is not legal; legal: "),
    ],
)
def test_errors_quote_the_line_of_the_cell(notebook: Notebook, text: str, expected: str) -> None:
    with pytest.raises(InputError) as told:
        _means(notebook.run(text)["wrong"])
    assert expected in str(told.value)
    assert str(told.value).startswith("cell 2, line ")
    assert "\n" not in str(told.value)


def test_errors_without_source_name_function_and_line(notebook: Notebook) -> None:
    wrong = notebook.run("@policy\ndef wrong(view):\n    return view.leagl", source=False)["wrong"]
    with pytest.raises(InputError, match=r"^line 3: policy 'wrong', wrong\(\): no field"):
        _means(wrong)


def test_a_name_of_a_built_in_policy_is_refused(notebook: Notebook) -> None:
    mine = notebook.run("@policy\ndef greedy(view):\n    return lowest(view.legal)")["greedy"]
    with pytest.raises(InputError, match=r"name of a built-in policy"):
        as_spec(mine)
    assert Experiment(TAKE_2, ("greedy",) * 6, deals=1).players[0].playing.policy is not mine


@pytest.mark.slow
def test_helper_methods_are_sent_along_and_changes_are_noticed(notebook: Notebook) -> None:
    text = (
        "@policy\nclass Mine:\n    def pick(self, cards):\n        return lowest(cards)\n\n"
        "    def choose_card(self, view):\n        return self.pick(view.legal)\n"
    )
    low = _means(notebook.run(text)["Mine"])
    experiment = Experiment(TAKE_2, (notebook.names["Mine"], "greedy") * 3, deals=300)
    sent = cloudpickle.loads(cloudpickle.dumps(experiment))
    frame = simulate(sent).frame()
    assert [float(frame[name].mean()) for name in ("score_0", "score_1")] == low
    assert _means(notebook.run(text.replace("lowest(", "highest("))["Mine"]) != low
