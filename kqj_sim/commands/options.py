"""Options that several commands share, their types, and the values parsed from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, fields
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from kqj_sim.arguments import (
    MAX_INTEGER,
    ArgumentError,
    assign_policies,
    explain_foreign_rule,
    explain_without_effect,
    parse_imposed,
    parse_positive_number,
    parse_whole_number,
)
from kqj_sim.commands.config import read_config
from kqj_sim.commands.say import say
from kqj_sim.rules import RULES_BY_GAME, GameRules, make_rules

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment


Function = TypeVar("Function", bound=Callable[..., Any])


class WholeNumberType(click.ParamType[int]):
    """A whole number from `lowest` to `highest`, also written 1e6, 1M, 1_000_000 or 1,000,000."""

    name = "number"

    def __init__(self, lowest: int, example: str, highest: int = MAX_INTEGER) -> None:
        self.lowest = lowest
        self.example = example
        self.highest = highest

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; raise BadParameter if it is none."""
        try:
            return parse_whole_number(value, self.lowest, self.example, self.highest)
        except ArgumentError as error:
            self.fail(str(error), param, ctx)


class NumberType(click.ParamType[float]):
    """A number as `parse` reads it: a share, a precision, points, seconds."""

    def __init__(self, name: str, parse: Callable[[object], float]) -> None:
        self.name = name
        self.parse = parse

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; raise BadParameter if it is none."""
        try:
            return self.parse(value)
        except ArgumentError as error:
            self.fail(str(error), param, ctx)


POINTS_TYPE = NumberType("points", parse_positive_number)
SECONDS_TYPE = NumberType("seconds", parse_positive_number)


def combine_options(*options: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Return one decorator that adds several options, which help shows in this order."""

    def add(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return add


_LONG_CHOICES = {"--all-no-trump": "WHEN", "--void-rule": "RULE"}
"""Names for values of options whose choices would not fit the first column of the help."""


def _make_rule_option(rule: Field[Any], game: str = "kqj") -> Callable[[Function], Function]:
    name = f"--{rule.name.replace('_', '-')}"
    note = " (auctions only)." if rule.metadata["only"] == "auction" else ""
    note = note if game == "kqj" else f" ({game.title()} only)."
    choices = rule.metadata["choices"]
    settings: dict[str, Any] = {"default": rule.default, "show_default": True}
    if choices is None:
        settings["type"], settings["metavar"] = WholeNumberType(0, str(rule.default)), "POINTS"
    elif isinstance(rule.default, bool):
        name = f"{name}/--no-{name.removeprefix('--')}"
    else:
        settings["type"] = click.Choice(choices)
        if name in _LONG_CHOICES:
            settings["metavar"] = _LONG_CHOICES[name]
    return click.option(
        name, help=rule.metadata["help"].removesuffix(".") + (note or "."), **settings
    )


game_option = click.option(
    "--game",
    type=click.Choice(list(RULES_BY_GAME)),
    default="kqj",
    show_default=True,
    help="Choose the game.",
)

rule_options = combine_options(
    game_option,
    *(
        _make_rule_option(rule, game)
        for game, rules in RULES_BY_GAME.items()
        for rule in fields(rules)
    ),
)
"""The game, and an option for every field of its rules."""

config_option = click.option(
    "--config",
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=read_config,
    help="Read options from this TOML file: `teams = 3`, under [simulate] for that command only.",
)

seed_option = click.option(
    "--seed",
    type=WholeNumberType(0, "1"),
    default=1,
    show_default=True,
    help="Choose the deals by this seed.",
)
first_option = click.option(
    "--first",
    type=WholeNumberType(0, "0"),
    default=0,
    show_default=True,
    help="Begin with the deal (or game) of this number.",
)
threads_option = click.option(
    "--threads",
    type=WholeNumberType(1, "2"),
    help="Use this many threads.  [default: all processors]",
)

experiment_options = combine_options(
    config_option,
    rule_options,
    click.option(
        "--policy",
        multiple=True,
        metavar="SPEC",
        help="Seat this policy everywhere, or by team0=SPEC or seat3=SPEC (repeatable).  "
        "[default: points+network; standard in Kwajongen]",
    ),
    click.option(
        "--impose",
        metavar="CONTRACT",
        help="Let one place play a contract without calls: opener:h, or 2nd:NT:150 in auctions.",
    ),
    seed_option,
)
"""Options of an experiment, except its number of deals."""

count_options = combine_options(
    first_option,
    click.option(
        "--games",
        type=WholeNumberType(1, "1000"),
        help="Play this many whole games to the target instead of single deals.",
    ),
)

quiet_option = click.option(
    "--quiet", is_flag=True, help="Show errors only, no progress and no warnings."
)


def pop_rules(options: dict[str, Any]) -> GameRules:
    """Return the rules and remove their options from `options`.

    Raises:
        RulesError: a value is not allowed.
        UsageError: an option is a rule of another game.
    """
    chosen: str = options.pop("game")
    context = click.get_current_context()
    values = {}
    for game, rules in RULES_BY_GAME.items():
        for rule in fields(rules):
            value = options.pop(rule.name)
            if game == chosen:
                values[rule.name] = value
                continue
            source = context.get_parameter_source(rule.name)
            if value != rule.default or source is not ParameterSource.DEFAULT:
                raise click.UsageError(explain_foreign_rule(rule.name, game))
    return make_rules(chosen, values)


def print_rule_notes(rules: GameRules, quiet: bool) -> None:
    """Warn on stderr of rules without effect and of the first compilation, unless `quiet`."""
    if quiet:
        return
    announce_compiling()
    for name in rules.without_effect:
        say(f"Warning: {explain_without_effect(name)}", err=True)


def pop_experiment(options: dict[str, Any], quiet: bool, **counts: Any) -> Experiment:
    """Return the experiment that the options describe and remove these from `options`.

    Unless `quiet`, print warnings and notes on stderr.

    Args:
        options: values of `experiment_options`, by name.
        quiet: print nothing.
        counts: further fields of the experiment, such as `deals`.

    Raises:
        UsageError, RulesError, ExperimentError, PolicyError: an option is wrong.
    """
    rules = pop_rules(options)
    imposed = parse_imposed(options.pop("impose"), rules)
    policies = assign_policies(options.pop("policy"), rules)
    seed: int = options.pop("seed")
    print_rule_notes(rules, quiet)
    from kqj_sim.experiment import Experiment

    return Experiment(rules=rules, policies=policies, seed=seed, imposed=imposed, **counts)


def announce_compiling() -> None:
    """Print a note on stderr if no earlier run has compiled the engine."""
    from kqj_sim.core.code_cache import has_cached_kernels

    if not has_cached_kernels():
        say("Compiling the engine for the first time: some seconds, once", err=True)


opponents_options = combine_options(
    click.option(
        "--opponents",
        metavar="SPEC",
        help="Seat this policy on the other sides.  [default: points+network; standard in "
        "Kwajongen]",
    ),
    first_option,
    config_option,
    rule_options,
)
"""Options of commands in which a policy plays against opponents."""
