"""The games in the engine: one frozen value for each, with its pack, columns and kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kqj_sim.columns import Column, get_column_numbers, get_columns
from kqj_sim.core import games as kqj_games
from kqj_sim.core import round as kqj_round
from kqj_sim.core.block import COLUMN_ROWS, STRIDE
from kqj_sim.core.cards import PACK
from kqj_sim.core.kwajongen import cards as kwajongen_bits
from kqj_sim.core.kwajongen import games as kwajongen_games
from kqj_sim.core.kwajongen import round as kwajongen_round
from kqj_sim.rules import RULES_BY_GAME, GameRules

__all__ = ["GAMES", "Game", "get_game"]


@dataclass(frozen=True)
class Game:
    """A game in the engine.

    Attributes:
        name: as in records and `--game`.
        seats, tricks: numbers of a round.
        pack: all cards, a set in natural coding.
        find_target: returns the score that ends a game under its rules, for `play_games`.
        start_deals, play_block, play_deals: kernels of single rounds (`core.round`).
        start_game, assign_rounds, advance_games, play_games: kernels of games (`core.games`).
    """

    name: str
    seats: int
    tricks: int
    pack: int
    find_target: Callable[[Any], int]
    start_deals: Any
    play_block: Any
    play_deals: Any
    start_game: Any
    assign_rounds: Any
    advance_games: Any
    play_games: Any

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the game's rows, in their order."""
        return get_columns(self.name)

    def column_offset(self, name: str) -> int:
        """Return the offset of a column's row in the block."""
        return COLUMN_ROWS + get_column_numbers(self.name)[name] * STRIDE


def _make_game(
    name: str, pack: int, find_target: Callable[[Any], int], rounds: Any, games: Any
) -> Game:
    """Return a game with the kernels of two modules, for single rounds and for games."""
    rules = RULES_BY_GAME[name]
    return Game(
        name=name,
        seats=rules.seats,
        tricks=rules.tricks,
        pack=pack,
        find_target=find_target,
        start_deals=rounds.start_deals,
        play_block=rounds.play_block,
        play_deals=rounds.play_deals,
        start_game=games.start_game,
        assign_rounds=games.assign_rounds,
        advance_games=games.advance,
        play_games=games.play_games,
    )


GAMES = {
    game.name: game
    for game in (
        _make_game("kqj", PACK, lambda rules: rules.target, kqj_round, kqj_games),
        _make_game(
            "kwajongen", kwajongen_bits.PACK, lambda rules: 0, kwajongen_round, kwajongen_games
        ),
    )
}
"""The games by name."""


def get_game(rules: GameRules) -> Game:
    """Return the game to which the rules belong."""
    return GAMES[rules.game]
