"""The commands `columns` and `policies`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from kqj_sim.columns import SENDER_HAND, Column
from kqj_sim.commands.command import Command, Group
from kqj_sim.commands.from_function import ask, make_command, make_option, prepare
from kqj_sim.commands.output import print_screen, screen_width
from kqj_sim.commands.stdout import write_line
from kqj_sim.errors import InputError
from kqj_sim.games import KQJ, find_game, get_columns, list_game_options
from kqj_sim.messages import format_json
from kqj_sim.options import OPTIONS
from kqj_sim.question import CommandDescription
from kqj_sim.questions.policies import check_policy

if TYPE_CHECKING:
    from kqj_sim.policies.parameters import Parameter, ParameterValue
    from kqj_sim.policies.players import ConfiguredPolicy, Player


def _list_options(*formats: str, color: bool = True) -> list[click.Parameter]:
    """Return the options of a list: the game, its format, the first by default, and colours."""
    described = f"Write the list as {', '.join(formats[:-1])} or {formats[-1]}."
    format = OPTIONS["format"]._replace(choices=formats, default=formats[0], help=described)
    options: list[click.Parameter] = [
        make_option("game", OPTIONS["game"], KQJ.name),
        make_option("format", format),
    ]
    return options + [make_option("color", OPTIONS["color"])] * color


@click.command(
    cls=Command,
    params=_list_options("table", "markdown", "json"),
    epilog="""\b
Example:
  kqj-sim simulate --by lap --where "sender_trumps >= 4 and contract == 'h'"
""",
)
def columns(game: str, format: str, color: str) -> None:
    """List the columns of the rows, for --by and --where.

    A row is a deal.  Columns hold whole numbers, flags (false or true), or the texts listed here.
    What did not happen is null, such as the contract if everybody passed: neither a condition on
    it nor the opposite holds.
    sender_holds('KQJ') is a condition, too: it holds if the Sender has these trumps.
    A condition compares numbers with numbers and texts with texts in quotes, and joins comparisons
    by and, or, not; a flag is a condition by itself, and counts as 0 or 1.
    """
    rows = list_columns(game)
    if format == "json":
        _write_json([dict(zip(("column", "values", "meaning"), row, strict=True)) for row in rows])
        return
    _print_table("", ("column", "values", "meaning"), rows, format, color)


def list_columns(game: str) -> list[tuple[str, str, str]]:
    """Return name, values and meaning of each column of a game's rows."""
    rows = [(column.name, _describe_values(column), column.meaning) for column in get_columns(game)]
    sender = find_game(game).sender
    meaning = f"cards of the {sender}, if rows name it; for --where see sender_holds('KQJ')"
    return [*rows, (SENDER_HAND, "cards, null", meaning)]


def _describe_values(column: Column) -> str:
    if column.is_flag:
        return "false, true"
    low = column.low if column.null is None else column.low + 1
    values = ", ".join(column.categories) or f"{low} to {column.high}"
    return f"{values}, null" if column.has_null else values


@click.group(
    cls=Group,
    params=_list_options("table", "markdown", "json"),
    invoke_without_command=True,
    epilog="""\b
Examples:
  kqj-sim policies
  kqj-sim policies show standard
  kqj-sim policies check my_policy.py
  kqj-sim simulate --policy standard:take=45 --policy seat0=random+greedy
  kqj-sim simulate --policy careful.toml --policy team1=my_policy.py:cautious
""",
)
@click.pass_context
def policies(ctx: click.Context, game: str, format: str, color: str) -> None:
    """List the policies and explain their parameters.

    A specification, for --policy, is a name with the parameters to change,
    NAME:PARAMETER=VALUE,...  A+B calls like A and plays like B.  FILE.py:NAME is a policy of your
    own, FILE.toml a file with policies and parameters.  `show` explains the parameters of a policy,
    `check` plays with it and reports its mistakes.
    """
    if ctx.invoked_subcommand is not None:
        return
    from kqj_sim.policies.players import parse_policy
    from kqj_sim.policies.registry import list_names

    listed = []
    for name in list_names(game):
        try:
            configured = parse_policy(name, game=game)
            preset = find_game(game).presets.get(name, configured.policy)
            listed.append((name, preset.summary, configured))
        except InputError as error:
            write_line(f"Warning: {error}", err=True)
    if format == "json":
        described = [
            {
                "name": name,
                "summary": summary,
                "calls": configured.policy.calls(game),
                "plays": configured.policy.plays,
                "parameters": {
                    key: _convert_value(configured.parameter(key), value)
                    for key, value in configured.values_by_name.items()
                },
            }
            for name, summary, configured in listed
        ]
        _write_json({"default": find_game(game).default_player, "policies": described})
        return
    rows = [
        (
            name,
            "yes" if configured.policy.calls(game) else "-",
            "yes" if configured.policy.plays else "-",
            str(len(configured.values) or "-"),
            summary,
        )
        for name, summary, configured in listed
    ]
    options = "".join(f"{word} " for word in list_game_options(game))
    note = (
        f"Default player: {find_game(game).default_player}.  It plays the seats that you do not "
        "name and takes the decisions that a policy leaves open.\n"
        f"Parameters of a policy: kqj-sim policies show {options}NAME"
    )
    headings = ("policy", "calls", "plays", "parameters", "summary")
    _print_table("", headings, rows, format, color, keys=4, note=note)


@policies.command(
    cls=Command,
    params=[
        click.Argument(["specification"], metavar="NAME"),
        *_list_options("toml", "markdown", "json", color=False),
    ],
    epilog="""\b
Examples:
  kqj-sim policies show standard > careful.toml
  kqj-sim policies show random:take=0.3+greedy
  kqj-sim policies show careful.toml --format markdown
""",
)
@click.pass_context
def show(ctx: click.Context, specification: str, game: str, format: str) -> None:
    """Show the parameters of a policy as a TOML file to edit: meaning, range, default.

    NAME is a name or any other specification.  Used as a policy, the file is the same player.
    """
    from kqj_sim.policies.players import format_player_file, parse_player

    if ctx.get_parameter_source("game") is click.core.ParameterSource.DEFAULT and ctx.parent:
        game = ctx.parent.params["game"]
    player = parse_player(specification, game)
    if format == "toml":
        write_line(format_player_file(player, screen_width() or 100), nl=False)
    elif format == "json":
        _write_json(
            {
                "name": player.name,
                **{
                    part: None if part in player.open_parts else _describe_policy(policy)
                    for part, policy in player.parts.items()
                },
            }
        )
    else:
        _show_markdown(player)


def _check(question: CommandDescription, values: dict[str, Any]) -> None:
    """Print what a policy does wrong; exit with status 1 if there is anything."""
    _, runner = prepare(question, values)
    check = ask(question, values, runner)
    write_line("\n".join(check.list_lines(len(check.problems))))
    if not check.ok:
        click.get_current_context().exit(1)


policies.add_command(make_command(check_policy, _check), "check")


def _convert_value(parameter: Parameter, value: ParameterValue | None) -> Any:
    """Return a value for JSON: whole numbers without a point, flags as true and false; both
    defaults where the rules decide."""
    if value is None:
        assert parameter.three_teams is not None
        both = {"two_teams": parameter.default, "three_teams": parameter.three_teams}
        return {teams: _convert_value(parameter, default) for teams, default in both.items()}
    return value if isinstance(value, str) else json.loads(parameter.write(value))


def _describe_policy(policy: ConfiguredPolicy) -> dict[str, Any]:
    parameters = policy.policy.parameters
    return {
        "policy": policy.source,
        "summary": policy.policy.summary,
        "parameters": [
            {
                "name": name,
                "value": _convert_value(parameters[name], value),
                "default": _convert_value(parameters[name], parameters[name].unset),
                "kind": parameters[name].kind,
                "low": parameters[name].low,
                "high": parameters[name].high,
                "choices": list(parameters[name].choices),
                "meaning": parameters[name].meaning,
            }
            for name, value in policy.values_by_name.items()
        ],
    }


def _show_markdown(player: Player) -> None:
    """Print a table of parameters for calling and one for playing, or one for both."""
    verbs = {"calling": "calls", "playing": "plays"}
    titled = [
        (verbs[part], policy) for part, policy in player.parts.items()
        if part not in player.open_parts
    ]  # fmt: skip
    if player.is_single_policy:
        titled = [("calls and plays", player.calling)]
    headings = ("parameter", "value", "default", "allowed", "meaning")
    for title, chosen in titled:
        parameters = chosen.policy.parameters
        rows = [
            (
                name,
                "default" if value is None else parameters[name].write(value),
                parameters[name].default_text,
                parameters[name].allowed,
                parameters[name].meaning,
            )
            for name, value in chosen.values_by_name.items()
        ]
        _print_table(f"{chosen.source}: {title}", headings, rows, "markdown", "never", keys=5)
        write_line(f"\n{chosen.policy.summary}" if not rows else "", nl=False)


def _write_json(value: Any) -> None:
    write_line(format_json(value, 1))


def _print_table(
    title: str,
    headings: tuple[str, ...],
    rows: Sequence[Sequence[str]],
    format: str,
    color: str,
    keys: int = 1,
    note: str = "",
) -> None:
    """Print a table of texts, whose first `keys` columns are left-aligned."""
    from kqj_sim.output.grid import Cell, Grid, to_markdown, to_rich

    cells = tuple(tuple(Cell(text) for text in row) for row in rows)
    grid: Grid = Grid(title, headings, cells, keys, note)
    if format == "markdown":
        write_line(to_markdown(grid), nl=False)
    else:
        print_screen([to_rich(grid, numbers=False)], color)
