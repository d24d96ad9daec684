"""The help: it fits a screen, lists every option, and gives each name one meaning."""

from __future__ import annotations

from collections import defaultdict

import click
import pytest

from kqj_sim.games import GAMES, KQJ
from kqj_sim.options import FLAGS, speak_shell
from kqj_sim.paired.leads import DEFAULT_MAX_DEALS
from kqj_sim.positions.sampling import DEFAULT_DEALS as ODDS_DEALS
from kqj_sim.questions.compare import DEFAULT_DEALS as SWEEP_DEALS
from kqj_sim.questions.simulate import DEFAULT_DEALS as SIMULATE_DEALS
from tests.command_line import find_commands, run
from tests.games.every import SHARED

MOST_LINES, WIDTH = 60, 80

SEVERAL_TYPES = {
    "--format": "a page is for odds alone; lists have three formats",
    "--games": "only compare can find the number by itself",
    "--precision": "a chance in odds, points a round in compare and sweep",
    "--deals": "the least number and the example differ",
    "--seed": "its example differs",
    "--line": "its example differs",
}
"""Options whose values are not checked alike in all commands, and why."""

SEVERAL_METAVARS = {
    "--games": "compare also takes auto",
    "--precision": "a share in odds, points elsewhere",
    "--out": "a report is a folder",
}
"""Options whose values are named differently, and why."""


COMMANDS = find_commands()
HELPS = [
    *((*words.split(), "--help") for words in COMMANDS),
    *(
        (*words.split(), "--game", game, "--help")
        for game in GAMES
        if game != KQJ.name
        for words, command in COMMANDS.items()
        if any(each.name == "game" for each in command.params)
    ),
    ("--help",),
]


def show(*arguments: str) -> str:
    """The help that a command line prints on a terminal of 80 columns."""
    done = run(*arguments, env={"COLUMNS": str(WIDTH)})
    assert done.exit_code == 0, done.output
    return done.stdout


def list_options(command: click.Command) -> list[click.Option]:
    return [each for each in command.params if isinstance(each, click.Option)]


@pytest.mark.parametrize("arguments", HELPS, ids=" ".join)
def test_help_fits_a_screen(arguments: tuple[str, ...]) -> None:
    lines = show(*arguments).splitlines()
    assert len(lines) <= MOST_LINES, len(lines)
    assert [line for line in lines if len(line) > WIDTH] == []


@pytest.mark.parametrize("words", COMMANDS)
def test_help_all_lists_every_option(words: str) -> None:
    options = [FLAGS[str(each.name)] for each in list_options(COMMANDS[words])]
    is_rare = (each.rare if isinstance(each.rare, bool) else words in each.rare for each in options)
    if not any(is_rare) and all(each.game in (None, KQJ.name) for each in options):
        shown = show(*words.split(), "--help")
        assert "--help-all" not in shown
    else:
        shown = show(*words.split(), "--help-all")
    listed = {line.split()[0].rstrip(",") for line in shown.splitlines() if "  -" in line}
    for option in list_options(COMMANDS[words]):
        assert option.opts[0] in listed, option.opts


@pytest.mark.parametrize("words", ["simulate", "odds", "report", "records", "show"])
def test_help_lists_the_options_of_one_game(words: str) -> None:
    flags = {
        name: [f"  --{rule.replace('_', '-')} " for rule in game.rules().to_dict()]
        for name, game in GAMES.items()
    }
    for game in GAMES:
        shown = show(words, "--help", f"--game={game}")
        assert {name for name in flags if any(flag in shown for flag in flags[name])} == {game}
    assert show(words, "--help", "--game", "chess") == show(words, "--help")


VALUES = {
    "partners_at": "2nd 3rd",
    "contract": "h",
    "pending": "120",
    "lap": "1",
    "impose": "opener:h",
    "scores": "640:880",
}


@pytest.mark.parametrize("game", GAMES)
def test_options_of_other_games_are_refused(game: str) -> None:
    options = {each.name: each for each in find_commands()["odds"].params}
    for name, described in FLAGS.items():
        option = options.get(name)
        if described.game in (None, game) or not isinstance(option, click.Option):
            continue
        value = VALUES.get(name, option.default)
        words = [option.opts[0]] if option.is_flag else [option.opts[0], str(value)]
        stderr = run("odds", *SHARED[game].HAND, "--game", game, *words).stderr
        assert option.opts[0] in stderr and "leave it out" in stderr, stderr


def test_every_option_is_described_and_used() -> None:
    used = {str(option.name) for command in COMMANDS.values() for option in list_options(command)}
    assert used == FLAGS.keys()


def test_a_name_has_one_meaning() -> None:
    """The same metavar, kind of value and repetition in all commands."""
    found: defaultdict[str, set[tuple[object, ...]]] = defaultdict(set)
    for command in COMMANDS.values():
        for option in list_options(command):
            kind = None if option.opts[0] in SEVERAL_TYPES else repr(vars(option.type))
            found[option.opts[0]].add(
                (option.metavar, option.multiple, option.is_flag, kind)
                if option.opts[0] not in SEVERAL_METAVARS
                else (option.multiple,)
            )
    assert {name: kinds for name, kinds in found.items() if len(kinds) > 1} == {}


@pytest.mark.parametrize("words", COMMANDS)
def test_help_of_options_is_one_sentence(words: str) -> None:
    for option in list_options(COMMANDS[words]):
        text, _, default = str(option.help).partition("  [")
        assert text.endswith(".") and ". " not in text, text
        assert text[0].isupper() or text.startswith(("During", "With")), text
        assert not default or (default.startswith("default: ") and default.endswith("]"))


def test_defaults_that_the_help_names_are_right() -> None:
    assert f"[default: {SIMULATE_DEALS}]" in show("simulate", "--help")
    assert f"[default: {ODDS_DEALS}]" in show("odds", "--help")
    assert f"[default: {SWEEP_DEALS}]" in " ".join(show("sweep", "--help").split())
    most = f"[default: {DEFAULT_MAX_DEALS:.0e} deals, {DEFAULT_MAX_DEALS / 10:.0e} games]"
    shown = " ".join(show("compare", "--help").split())
    assert most.replace("e+0", "e") in shown


def test_marks_of_python_become_words_of_the_shell() -> None:
    for text, shown in {
        "`place`: '9'": "--place: '9'",
        "`return_card='Jh'` or `heard='pass take'`": "--return Jh or --heard 'pass take'",
        "`hand` or `records`, `ignore_calls`": "CARDS or FILE, --ignore-calls",
        "`kqj.show()` and `kqj-sim columns`": "`kqj-sim show` and `kqj-sim columns`",
    }.items():
        assert speak_shell(text) == shown
