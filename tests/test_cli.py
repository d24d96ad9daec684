"""The commands as a whole: help, errors in a line, variables, configuration."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

import kqj_sim
from kqj_sim.arguments import parse_whole_number
from kqj_sim.cli import COMMANDS, QUESTIONS, main
from tests.command_line import expect_error, find_commands, run, run_in_shell, run_program

OTHER_NAMES = {"source": "from"}
"""Names in Python of options that have another one on the command line."""


def test_every_option_has_the_variable_and_the_parameter_of_its_name() -> None:
    """`--max-deals` is `max_deals` in Python and KQJ_SIM_COMPARE_MAX_DEALS in the environment."""
    for words, command in find_commands().items():
        for each in command.params:
            if isinstance(each, click.Option):
                # Others are keywords of Python, or say less there.
                name = OTHER_NAMES.get(str(each.name), each.name)
                assert f"--{name}".replace("_", "-") in each.opts, (words, each.opts)


def test_every_command_has_help_with_an_example() -> None:
    assert list(main.commands) == [
        "odds", "page", "review", "solve", "equity", "simulate", "report", "columns", "compare",
        "sweep", "tune", "policies", "records", "show", "check", "serve",
    ]  # fmt: skip
    for name in main.commands:
        shown = run(name, "--help")
        assert shown.exit_code == 0
        assert f"kqj-sim {name}" in shown.output.split("Example")[1] or name in (
            "columns",
            "policies",
        )
        assert "kqj-sim " in shown.output.split("Example")[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_table_of_commands_has_the_first_line_of_their_help(name: str) -> None:
    assert main.commands[name].get_short_help_str(200) == COMMANDS[name][1]


def test_nothing_to_run_shows_what_there_is() -> None:
    shown = run()
    assert shown.exit_code == 2
    assert shown.stderr == run("--help").output


def test_help_opens_with_questions_and_lists_each_command_below_one() -> None:
    text = run("--help").output
    starts = [text.index(f"\n{question}\n") for question in (*QUESTIONS, "Options:")]
    assert starts == sorted(starts)
    for commands, start, end in zip(QUESTIONS.values(), starts, starts[1:], strict=False):
        listed = re.findall(r"^  (\w+) +(.*)$", text[start:end], re.M)
        assert listed == [(name, summary) for name, (_, summary) in commands.items()]


def test_version_and_help_are_found_in_every_usual_way() -> None:
    assert run("-V").output == run("--version").output == f"kqj-sim {kqj_sim.__version__}\n"
    assert "kqj-sim simulate" in run("--help").output
    assert run_program("-V").stdout == run("-V").output
    assert run("help").output == run("--help").output
    assert run("help", "odds").output == run("odds", "--help").output
    assert run("help", "policies", "check").output == run("policies", "check", "--help").output


def test_examples_of_the_help_name_options_that_exist() -> None:
    commands = [*find_commands().values()]
    known = {
        option
        for command in commands
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    for command in (main, *commands):
        for word in (command.epilog or "").split():
            if word.startswith("--"):
                assert word.strip(",.;") in {*known, "--config"}, word


@pytest.mark.parametrize("text", ["1M", "1m", "1000k", "1e6", "1_000_000", "1,000,000", "1 M"])
def test_numbers_are_read_in_every_usual_way(text: str, tmp_path: Path) -> None:
    """On the command line, in a variable and in a file."""
    path = tmp_path / "kqj.toml"
    path.write_text(f'deals = "{text}"')
    wrong = ["--time", "none"]  # ends the command after its numbers were read
    assert parse_whole_number(text, 1, "1e6") == 1_000_000
    for arguments, variables in (
        (["--deals", text], {}),
        ([], {"KQJ_SIM_ODDS_DEALS": text}),
        (["--config", str(path)], {}),
    ):
        assert "--time" in expect_error(run("odds", *arguments, *wrong, env=variables))


def test_variable_sets_an_option() -> None:
    told = expect_error(run("simulate", env={"KQJ_SIM_SIMULATE_DEALS": "-7"}))
    assert "'-7' is not" in told


def test_broken_pipe_is_quiet() -> None:
    done = run_in_shell("PROGRAM columns --format markdown | head -c 10")
    assert (done.stderr, len(done.stdout)) == ("", 10)
