"""The games that the package knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from kqj_sim.columns import Column
from kqj_sim.errors import InputError
from kqj_sim.games.game import Game
from kqj_sim.games.kqj import Kqj
from kqj_sim.games.kwajongen import Kwajongen
from kqj_sim.messages import quote
from kqj_sim.rules import GameRules, suggest_value

KQJ = Kqj()
"""The game of the package, which is played unless another is named."""

GAMES: Mapping[str, Game] = {game.name: game for game in (KQJ, Kwajongen())}


def find_game(name: str) -> Game:
    """Return a game by its name."""
    return GAMES[name]


def list_game_options(name: str) -> Sequence[str]:
    """Return the option that names a game, as words of a command line; none for the default."""
    return () if name == KQJ.name else ("--game", name)


def format_rule_options(rules: GameRules) -> list[str]:
    """Return the game and the rules that differ from its default, as words of a command line."""
    words = [*list_game_options(rules.game)]
    default = type(rules)().to_dict()
    for name, value in rules.to_dict().items():
        if value != default[name]:
            option = f"--{name.replace('_', '-')}"
            words += [option] if value is True else [option, str(value)]
    return words


def make_rules(game: str, values: Mapping[str, Any]) -> GameRules:
    """Return the rules of a game, other fields at their defaults; or raise InputError."""
    if game not in GAMES:
        raise InputError(f"{quote(game)} is not a game: {suggest_value(game, list(GAMES))}")
    return find_game(game).rules.from_dict(values)


def get_columns(game: str) -> tuple[Column, ...]:
    """Return the columns of a game's rows, in their order."""
    return find_game(game).columns


@cache
def get_column_numbers(game: str) -> Mapping[str, int]:
    """Return the number of each column of a game's rows, by its name."""
    return {column.name: number for number, column in enumerate(get_columns(game))}


def find_column(name: str, game: str) -> Column | None:
    """Return a column of a game's rows, or None."""
    number = get_column_numbers(game).get(name)
    return None if number is None else get_columns(game)[number]


def describe_listing(game: str) -> str:
    """Return the command that lists the columns of a game, as the end of an error message."""
    return f"`{' '.join(('kqj-sim', 'columns', *list_game_options(game)))}` lists them"


def describe_rules(rules: GameRules) -> str:
    """Describe the variant of the game, then the other rules that differ from the default."""
    words = [find_game(rules.game).title, *rules.describe_variant()]
    default = type(rules)().to_dict()
    words += [
        f"{name} {str(value).lower()}"
        for name, value in rules.to_dict().items()
        if name not in rules.variant_fields and value != default[name]
    ]
    return ", ".join(words)
