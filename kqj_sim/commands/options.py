"""Options that several commands share, their types, and the values parsed from them."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import Field, fields
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from kqj_sim.cards import NotationError
from kqj_sim.commands.config import read_config
from kqj_sim.imposed import ImposedContract, ImposedContractError
from kqj_sim.messages import quote, shorten
from kqj_sim.places import PlaceError
from kqj_sim.rules import RULES_BY_GAME, GameRules, KqjRules, make_rules

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment
    from kqj_sim.workers import Workers


Function = TypeVar("Function", bound=Callable[..., Any])

MAX_INTEGER = 2**63 - 1


_UNITS = {"k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+")


def _parse_decimal(text: str) -> Decimal:
    """Return a number that may have a unit or thousands; raise ArithmeticError if it is none."""
    number = text.strip()
    unit = _UNITS.get(number[-1:].lower(), 1)
    if unit > 1:
        number = number[:-1].rstrip()
    if _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    return Decimal(number) * unit


class WholeNumberType(click.ParamType[int]):
    """A whole number of at least `lowest`, also written 1e6, 1M, 250k, 1_000_000 or 1,000,000."""

    name = "number"

    def __init__(self, lowest: int, example: str) -> None:
        self.lowest = lowest
        self.example = example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; raise BadParameter if it is none."""
        try:
            number = _parse_decimal(str(value))
            whole = int(number) if abs(number) <= MAX_INTEGER and number == int(number) else None
        except (ArithmeticError, ValueError):
            whole = None
        if whole is None or not self.lowest <= whole <= MAX_INTEGER or isinstance(value, bool):
            self.fail(
                f"it is a whole number from {self.lowest}, such as {self.example}, not "
                f"{shorten(value)}",
                param,
                ctx,
            )
        return whole


class ShareType(click.ParamType[float]):
    """A number from `lowest` to `highest`, both between 0 and 1; also written 95%."""

    name = "share"

    def __init__(self, lowest: float = 0.0, highest: float = 1.0) -> None:
        self.lowest = lowest
        self.highest = highest

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; raise BadParameter if it is none."""
        text = str(value).strip()
        try:
            share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            share = 0.0
        if not (0 < share < 1 and self.lowest <= share <= self.highest):
            self.fail(
                f"it lies between {self.lowest:g} and {self.highest:g}, such as 0.95 or 95%, not "
                f"{shorten(value)}",
                param,
                ctx,
            )
        return share


class PositiveNumberType(click.ParamType[float]):
    """A number above 0, also written ±0.5."""

    name = "points"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; raise BadParameter if it is none."""
        try:
            width = float(str(value).strip().lstrip("±"))
        except ValueError:
            width = 0.0
        if not 0 < width < float("inf"):
            self.fail(f"it is a number above 0, such as 0.5, not {value}", param, ctx)
        return width


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
        settings["type"], settings["metavar"] = int, "POINTS"
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

teams_and_bidding = combine_options(
    *(_make_rule_option(rule) for rule in fields(KqjRules) if rule.name in ("teams", "bidding"))
)
"""Options for the rules for which policies are trained."""

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
                name = rule.name.replace("_", "-")
                raise click.UsageError(
                    f"--{name} is a rule of {game}: leave it out, or write --game {game}"
                )
    return make_rules(chosen, values)


def print_rule_notes(rules: GameRules, quiet: bool) -> None:
    """Warn on stderr of rules without effect and of the first compilation, unless `quiet`."""
    if quiet:
        return
    announce_compiling()
    for name in rules.without_effect:
        option = name.replace("_", "-")
        click.echo(f"Warning: --{option} has no effect with --bidding take", err=True)


def assign_policies(
    specifications: Sequence[str],
    rules: GameRules,
    option: str = "--policy",
) -> tuple[str, ...]:
    """Return the policy specification of each seat, (seats,).

    Args:
        specifications: SPEC for all seats, team0=SPEC or seat3=SPEC; a later one overrides.
        rules: the rules, which give seats and teams.
        option: the option's name, for errors.

    Raises:
        UsageError: a seat or team does not exist, or a specification is empty.
    """
    from kqj_sim.policies.spec import DEFAULT_PLAYERS

    default = DEFAULT_PLAYERS[rules.game]
    seats = [default] * rules.seats
    for given in specifications:
        match = re.fullmatch(r"([A-Za-z]+)(\d*)=(.*)", given, re.DOTALL)
        chosen = (
            list(range(rules.seats)) if match is None else _list_named_seats(match, rules, option)
        )
        policy = given if match is None else match[3]
        if not policy.strip():
            raise click.UsageError(
                f"{option} {quote(given)} names no policy: write {shorten(given)}{default}"
            )
        for seat in chosen:
            seats[seat] = policy
    return tuple(seats)


def _list_named_seats(match: re.Match[str], rules: GameRules, option: str) -> list[int]:
    """Return the seats that seatN=SPEC or teamN=SPEC names; raise UsageError if there are none."""
    whose, digits, policy = match[1], match[2], shorten(match[3])
    given = f"{option} {shorten(whose + digits)}={policy}"
    number = int(digits[:4] or -1)
    if whose == "seat":
        if 0 <= number < rules.seats:
            return [number]
        raise click.UsageError(f"{given}: the seats are seat0 to seat{rules.seats - 1}")
    if whose == "team":
        if rules.partners == "random":
            raise click.UsageError(
                f"{given}: with --partners random teams change; name seats, such as seat0={policy}"
            )
        if 0 <= number < rules.team_count:
            return [seat for seat in range(rules.seats) if rules.fixed_team_of(seat) == number]
        raise click.UsageError(f"{given}: the teams are team0 to team{rules.team_count - 1}")
    raise click.UsageError(
        f"{given}: that is no seat or team; write seat0={policy} or team0={policy}"
    )


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
    imposed = _parse_imposed(options.pop("impose"), rules)
    policies = assign_policies(options.pop("policy"), rules)
    seed: int = options.pop("seed")
    print_rule_notes(rules, quiet)
    from kqj_sim.experiment import Experiment

    return Experiment(rules=rules, policies=policies, seed=seed, imposed=imposed, **counts)


def _parse_imposed(text: str | None, rules: GameRules) -> ImposedContract | None:
    """Return the contract that `--impose` names; raise UsageError if the rules forbid it."""
    if text is None:
        return None
    try:
        imposed = ImposedContract.from_text(text)
        imposed.check(rules)
    except (NotationError, PlaceError, ImposedContractError) as error:
        raise click.UsageError(f"--impose {shorten(text)}: {error}") from None
    return imposed


def announce_compiling() -> None:
    """Print a note on stderr if no earlier run has compiled the engine."""
    from kqj_sim.core.jit import has_cached_kernels

    if not has_cached_kernels():
        click.echo("Compiling the engine for the first time: some seconds, once", err=True)


worker_options = combine_options(
    threads_option,
    click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on the Dask cluster with the scheduler at this address, such as "
        "tcp://192.168.1.5:8786, with the same results.",
    ),
)
"""Options for the workers: threads, or a cluster."""


@contextmanager
def open_workers(threads: int | None, cluster: str | None, quiet: bool) -> Iterator[Workers]:
    """Yield the number of threads, or the cluster, which is left at the end.

    Raises:
        UsageError: both are given.
        ClusterError: the cluster cannot be used.
    """
    if cluster is None:
        yield threads
        return
    if threads is not None:
        raise click.UsageError(
            "--threads and --cluster: the workers of a cluster have threads of their own "
            "(dask worker --nthreads)"
        )
    from kqj_sim.dask_cluster import DaskCluster

    # Failures of Dask come as exceptions; its log would only repeat them.
    logging.disable(logging.CRITICAL)
    try:
        with DaskCluster(
            cluster, None if quiet else lambda line: click.echo(line, err=True)
        ) as found:
            yield found
    finally:
        logging.disable(logging.NOTSET)


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
