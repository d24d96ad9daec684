"""Options that commands share, and what they come to: rules, policies, an experiment.

Who plays: threads of this process, or the workers of a cluster.

Options of the commands that set a policy against a field.

Where results go: the options for it that commands share, files, and the screen.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import Field, fields
from decimal import Decimal
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from kqj_sim.cards import NotationError, parse_contract
from kqj_sim.commands.config import read_config
from kqj_sim.messages import quote, shorten
from kqj_sim.reporting.formats import FORMATS
from kqj_sim.rules import RULES_BY_GAME, GameRules, KqjRules, make_rules

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment
    from kqj_sim.reporting.run import Report
    from kqj_sim.workers import Workers


Command = TypeVar("Command", bound=Callable[..., Any])

MAX_INTEGER = 2**63 - 1


class WholeNumberType(click.ParamType[int]):
    """A whole number from `lowest`, also written 1e6 or 100_000."""

    name = "number"

    def __init__(self, lowest: int, example: str) -> None:
        self.lowest = lowest
        self.example = example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number, or a usage error."""
        try:
            number = Decimal(str(value))
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
    """A number between 0 and 1, or from `lowest` to `highest`, also written 95%."""

    name = "share"

    def __init__(self, lowest: float = 0.0, highest: float = 1.0) -> None:
        self.lowest = lowest
        self.highest = highest

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number, or a usage error."""
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


def combine_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """One decorator for several options, shown in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _make_rule_option(rule: Field[Any], game: str = "kqj") -> Callable[[Command], Command]:
    name = f"--{rule.name.replace('_', '-')}"
    note = " (auctions only)" if rule.metadata["only"] == "auction" else ""
    note = note if game == "kqj" else f" ({game} only)"
    choices = rule.metadata["choices"]
    settings: dict[str, Any] = {"default": rule.default, "show_default": True}
    if choices is None:
        settings["type"] = int
    elif isinstance(rule.default, bool):
        name = f"{name}/--no-{name.removeprefix('--')}"
    else:
        settings["type"] = click.Choice(choices)
    return click.option(name, help=rule.metadata["help"] + note, **settings)


game_option = click.option(
    "--game",
    type=click.Choice(list(RULES_BY_GAME)),
    default="kqj",
    show_default=True,
    help="Which game is played.",
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
"""Options for the rules by which learned policies are told apart."""

config_option = click.option(
    "--config",
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=read_config,
    help="TOML file with options: `teams = 3`; under [simulate] those of one command.",
)

seed_option = click.option(
    "--seed", type=WholeNumberType(0, "1"), default=1, show_default=True, help="Seed of the deals."
)
first_option = click.option(
    "--first",
    type=WholeNumberType(0, "0"),
    default=0,
    show_default=True,
    help="Number of the first deal.",
)
threads_option = click.option(
    "--threads", type=WholeNumberType(1, "2"), help="Threads to use.  [default: all processors]"
)

experiment_options = combine_options(
    config_option,
    rule_options,
    click.option(
        "--policy",
        multiple=True,
        metavar="SPEC",
        help="Who plays: SPEC for all, team0=SPEC or seat3=SPEC; a later one overrides. "
        "`kqj-sim policies` lists them and says who is the default.",
    ),
    click.option(
        "--impose",
        metavar="PLACE:CONTRACT[:AMOUNT]",
        help="What if: the player at this place (0 the opener, 5 the dealer) plays this contract "
        "(s h d c NT AT), and nobody calls.  Auctions need the amount.  (kqj only)",
    ),
    seed_option,
)
"""What an experiment is made of, except how many deals."""

count_options = combine_options(
    first_option,
    click.option(
        "--games",
        type=WholeNumberType(1, "1000"),
        help="Play whole games to the target, this many, instead of single deals.",
    ),
)

color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Colours; auto: on a terminal, unless NO_COLOR is set.",
)

quiet_option = click.option(
    "--quiet", is_flag=True, help="Nothing on stderr but errors and what was interrupted."
)


def pop_rules(options: dict[str, Any]) -> GameRules:
    """The rules, whose options are taken out of `options`.

    Raises RulesError, and UsageError for a rule of another game.
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
            if value != rule.default or source is not click.core.ParameterSource.DEFAULT:
                name = rule.name.replace("_", "-")
                raise click.UsageError(
                    f"--{name} is a rule of {game}: leave it out, or write --game {game}"
                )
    return make_rules(chosen, values)


def print_rule_notes(rules: GameRules, quiet: bool) -> None:
    """Say on stderr, unless `quiet`, what one should know before anything is played.

    Which rules were set that this way of bidding does not look at, and that the engine has to be
    compiled first.
    """
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
    default: str | None = None,
) -> tuple[str, ...]:
    """The policy of each seat; raises UsageError for a seat or team that does not exist.

    `option` is the option's name, `default` who sits where it names nobody, the default player
    unless given.
    """
    from kqj_sim.policies.spec import DEFAULT_PLAYERS

    default = default or DEFAULT_PLAYERS[rules.game]
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


def parse_imposed(text: str, rules: GameRules) -> tuple[int, str, int | None]:
    """Place, contract and amount that `--impose` gives; raises UsageError."""
    if not isinstance(rules, KqjRules):
        raise click.UsageError(f"--impose {shorten(text)}: a contract can be imposed in kqj only")
    form = "0:h:150" if rules.bidding == "auction" else "0:h"
    place, *rest = text.split(":")
    text = shorten(text)
    if len(rest) not in (1, 2):
        raise click.UsageError(f"--impose {text}: write place and contract, such as {form}")
    if place not in [str(number) for number in range(rules.seats)]:
        raise click.UsageError(
            f"--impose {text}: {quote(place)} is no place; it is 0 (the opener) to 5 (the dealer)"
        )
    try:
        contract = parse_contract(rest[0])
    except NotationError as error:
        raise click.UsageError(f"--impose {text}: {error}") from None
    if contract not in rules.contracts:
        raise click.UsageError(
            f"--impose {text}: with --all-no-trump never the contracts are "
            f"{' '.join(rules.contracts)}"
        )
    if rules.bidding == "take":
        if len(rest) == 2:
            raise click.UsageError(
                f"--impose {text}: an amount is for --bidding auction; write {place}:{contract}"
            )
        return int(place), contract, None
    amount = rest[1] if len(rest) == 2 else ""
    if not (
        amount.isascii()
        and amount.isdecimal()
        and int(amount[:9]) % 10 == 0
        and rules.minimum_bid <= int(amount[:9]) <= rules.max_amount
    ):
        raise click.UsageError(
            f"--impose {text}: auctions need an amount, a multiple of 10 from "
            f"{rules.minimum_bid} to {rules.max_amount}, such as {place}:{contract}:"
            f"{rules.minimum_bid}"
        )
    return int(place), contract, int(amount)


def pop_experiment(options: dict[str, Any], quiet: bool, **counts: Any) -> Experiment:
    """The experiment that the options ask for, which are taken out of `options`.

    `counts` are further fields, such as `deals`.  Unless `quiet`, stderr is told of rules
    without effect, and that the engine has to be compiled first.  Raises what is wrong with
    the options.
    """
    rules = pop_rules(options)
    imposed: str | None = options.pop("impose")
    policies = assign_policies(options.pop("policy"), rules)
    seed: int = options.pop("seed")
    if imposed is not None:
        what_if = parse_imposed(imposed, rules)
    print_rule_notes(rules, quiet)
    from kqj_sim.encode import ImposedContract
    from kqj_sim.experiment import Experiment

    if imposed is not None:
        counts["imposed"] = ImposedContract(*what_if)
    return Experiment(rules=rules, policies=policies, seed=seed, **counts)


def wants_color(choice: str) -> bool:
    """Whether to write colours to stdout, by the choice of --color."""
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def screen_width() -> int | None:
    """Characters in a line of the terminal on stdout; None if it is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def announce_compiling() -> None:
    """Say on stderr that the engine is compiled first, if no earlier run has left it."""
    from kqj_sim.core.jit import has_cached_kernels

    if not has_cached_kernels():
        click.echo("Compiling the engine for the first time: some seconds, once", err=True)


worker_options = combine_options(
    threads_option,
    click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on the Dask cluster whose scheduler is at this address, such as "
        "tcp://192.168.1.5:8786; the results are the same.  `dask scheduler` starts one, "
        "`dask worker ADDRESS` adds a machine.",
    ),
)
"""Threads, or a cluster."""


@contextmanager
def open_workers(threads: int | None, cluster: str | None, quiet: bool) -> Iterator[Workers]:
    """Who plays, by the options; a cluster is left at the end.

    Raises UsageError for threads of a cluster, and ClusterError.
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

    # What matters of what Dask logs comes as an error.
    logging.disable(logging.CRITICAL)
    try:
        with DaskCluster(
            cluster, None if quiet else lambda line: click.echo(line, err=True)
        ) as found:
            yield found
    finally:
        logging.disable(logging.NOTSET)


field_options = combine_options(
    click.option(
        "--field",
        metavar="SPEC",
        help="Who plays against the policy.  [default: the default player]",
    ),
    first_option,
    config_option,
    rule_options,
)
"""A field, where the deals begin, the rules."""

format_option = click.option(
    "--format",
    type=click.Choice(FORMATS),
    help="Format of the tables.  [default: by the suffix of --out, else table]",
)
out_option = click.option(
    "--out", metavar="FILE", help="Write the tables to this file instead of stdout."
)
confidence_option = click.option(
    "--confidence",
    type=ShareType(0.01, 0.999999),
    default=0.95,
    show_default=True,
    help="Of the intervals.",
)
plot_option = click.option("--plot", metavar="FILE", help="Draw a picture: .png, .svg or .pdf.")


def check_terminal_format(format: str, out: str | None) -> None:
    """Raise UsageError for a format that a terminal cannot show."""
    if format == "parquet" and out is None and sys.stdout.isatty():
        raise click.UsageError("--format parquet is nothing for a terminal: give --out FILE")


_OPTIONS_WITHOUT_EFFECT = {"color", "format", "out", "plot", "quiet", "threads"}


def list_command_words(ctx: click.Context) -> list[str]:
    """The command line that gives the same results: what was set, wherever it came from."""
    words = ctx.command_path.split()
    for parameter in ctx.command.params:
        name = parameter.name or ""
        given = ctx.get_parameter_source(name)
        if (
            name not in ctx.params
            or name in _OPTIONS_WITHOUT_EFFECT
            or given is ParameterSource.DEFAULT
        ):
            continue
        value = ctx.params[name]
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(parameter, click.Argument):
                words.append(str(each))
            elif isinstance(each, bool):
                words.append((parameter.opts if each else parameter.secondary_opts)[0])
            else:
                words += [parameter.opts[0], str(each)]
    return words


def open_output(stack: ExitStack, path: str | None) -> IO[bytes] | None:
    """A file to be written, opened before the run: nothing is lost to one that cannot be."""
    if path is None:
        return None
    from kqj_sim.reporting.files import OutputFile

    return stack.enter_context(OutputFile(path))


def write_report(report: Report, format: str, stream: IO[bytes] | None, color: str) -> None:
    """Tables to a file, or to stdout with colours and a width that suit it."""
    from kqj_sim.reporting.formats import render

    if stream is not None:
        stream.write(render(report, format))
        return
    colored = format == "table" and wants_color(color)
    text = render(report, format, color=colored, width=screen_width())
    click.echo(text, nl=False, color=colored)
