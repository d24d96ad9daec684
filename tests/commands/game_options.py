"""Options that belong to one game."""

from __future__ import annotations

import click

from kqj_sim.options import FLAGS
from tests.command_line import find_commands, run

VALUES = {
    "partners_at": "2nd 3rd",
    "contract": "h",
    "pending": "120",
    "lap": "1",
    "impose": "opener:h",
}


def check_options_of_other_games(game: str, *hand: str) -> None:
    """Check that `odds` about a hand of a game refuses every option of another game."""
    options = {each.name: each for each in find_commands()["odds"].params}
    for name, described in FLAGS.items():
        option = options.get(name)
        if described.game in (None, game) or not isinstance(option, click.Option):
            continue
        value = VALUES.get(name, option.default)
        words = [option.opts[0]] if option.is_flag else [option.opts[0], str(value)]
        stderr = run("odds", *hand, "--game", game, *words).stderr
        assert option.opts[0] in stderr and "leave it out" in stderr, stderr
