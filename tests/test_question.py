"""Public functions that are commands, too: one signature, one docstring, one table of options."""

from __future__ import annotations

import inspect
from typing import Any, Unpack

import click
import pytest

import kqj_sim
import kqj_sim as kqj
from kqj_sim.arguments import RuleArguments
from kqj_sim.cli import main
from kqj_sim.commands.from_function import make_command, write_tables
from kqj_sim.errors import InputError
from kqj_sim.games import GAMES
from kqj_sim.options import OPTIONS
from kqj_sim.question import CommandDescription, question, read_arguments_help
from kqj_sim.rules import DEFAULT_RULES, GameRules, KqjRules
from kqj_sim.runner import DEFAULT_RUNNER, Runner

QUESTIONS = [
    each
    for name in kqj_sim.__all__
    if isinstance(getattr(each := getattr(kqj_sim, name), "command", None), CommandDescription)
]


@question(examples="  kqj-sim ask one two", arguments={"words": "WORDS..."})
def ask(
    *words: str,
    deals: int | None = None,
    calling: bool = False,
    vary: str | list[str] = (),  # type: ignore[assignment]
    seed: int = 1,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner = DEFAULT_RUNNER,
    **fields: Unpack[RuleArguments],
) -> dict[str, Any]:
    """Ask something.

    It is a test.

    Args:
        words: some words.
        deals: play this many deals.

    Raises:
        ValueError: an argument is wrong.
    """
    return {
        "words": words, "deals": deals, "calling": calling, "vary": vary, "seed": seed,
        "rules": rules, "made_by": runner.made_by,
    }  # fmt: skip


def test_values_are_read_as_people_write_them() -> None:
    found = ask("a", "b", deals="1M", teams=3, seed=" 7 ")  # type: ignore[arg-type]
    assert found["words"] == ("a", "b") and found["deals"] == 1_000_000 and found["seed"] == 7
    assert found["rules"] == KqjRules(teams=3)
    assert ask(rules=KqjRules(teams=3))["rules"] == KqjRules(teams=3)


def test_call_is_known_that_gives_the_same() -> None:
    assert ask()["made_by"] == "kqj_sim.ask()"
    said = ask("a", deals=5, teams=3, seed=1, runner=Runner(threads=2))["made_by"]
    assert said == "kqj_sim.ask('a', deals=5, teams=3)"
    assert eval(said, {"kqj_sim": type("", (), {"ask": staticmethod(ask)})})["made_by"] == said
    assert ask(runner=Runner(made_by="kqj-sim ask"))["made_by"] == "kqj-sim ask"


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"deals": 1.5}, "`deals`: '1.5' is not a whole number"),
        ({"seed": -1}, "`seed`: '-1' is not a whole number"),
        ({"rules": KqjRules(), "teams": 3}, "rules and teams: give one of them"),
    ],
)
def test_wrong_value_names_its_argument(given: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError, match=named):
        ask(**given)
    with pytest.raises(TypeError, match="'team': did you mean teams"):
        ask(team=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="KqjRules has no 'team': did you mean teams"):
        KqjRules(team=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"odds\(\): write return_card='7h'"):
        kqj.odds("9h 8h Ah Ks 4d", "7h")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'ret': did you mean return_card"):
        kqj.odds("9h 8h Ah Ks 4d", ret="7h")  # type: ignore[call-arg]


def test_parameters_are_the_options_of_the_command() -> None:
    command = make_command(ask, write_tables)
    options = {each.name: each for each in command.params if isinstance(each, click.Option)}
    rules = {"game"} | {name for game in GAMES.values() for name in game.rules().to_dict()}
    assert {*options} == {"deals", "calling", "vary", "seed", "threads", "cluster"} | rules
    assert options["deals"].help == "Play this many deals."
    assert options["seed"].help == OPTIONS["seed"].help and options["seed"].default == 1
    assert options["calling"].is_flag and options["vary"].multiple
    (words,) = [each for each in command.params if isinstance(each, click.Argument)]
    assert (words.name, words.nargs) == ("words", -1)


def test_docstring_explains_parameters_that_questions_share() -> None:
    told = read_arguments_help(ask.__doc__ or "")
    assert list(told) == list(inspect.signature(ask).parameters)
    assert told["seed"].capitalize() == OPTIONS["seed"].help and told["words"] == "some words."
    assert "It is a test." in (ask.__doc__ or "") and "Raises:" in (ask.__doc__ or "")


@pytest.mark.parametrize("function", QUESTIONS, ids=lambda each: each.__name__)
def test_signatures_name_every_rule_with_its_default(function: Any) -> None:
    parameters = inspect.signature(function).parameters
    assert not [each for each in parameters.values() if each.kind is each.VAR_KEYWORD]
    if "rules" in parameters:
        assert parameters["game"].default == "kqj"
        for game in GAMES.values():
            defaults = game.rules().to_dict()
            assert {name: parameters[name].default for name in defaults} == defaults
            assert all(parameters[name].kind is parameters[name].KEYWORD_ONLY for name in defaults)


@pytest.mark.parametrize("function", QUESTIONS, ids=lambda each: each.__name__)
def test_every_parameter_of_a_question_is_explained(function: Any) -> None:
    told = read_arguments_help(function.__doc__)
    assert all(told[name] for name in inspect.signature(function).parameters)


def test_functions_and_commands_have_the_same_names() -> None:
    functions = {function.__name__ for function in QUESTIONS} - {"choose", "check_policy"}
    assert functions == {*main.commands} - {"columns", "policies", "serve"}
