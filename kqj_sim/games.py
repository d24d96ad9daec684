"""The games, and what of the engine belongs to each: where a game's parts are bound together.

What deals, calls, scores and describes a round is each game's own; everything above asks `game_of`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kqj_sim.columns import Column, column_numbers, columns_of
from kqj_sim.core import games as kqj_games
from kqj_sim.core import round as kqj_round
from kqj_sim.core.bits import PACK
from kqj_sim.core.kwajongen import bits as kwajongen_bits
from kqj_sim.core.kwajongen import games as kwajongen_games
from kqj_sim.core.kwajongen import round as kwajongen_round
from kqj_sim.core.state import RESULT, STRIDE
from kqj_sim.rules import GameRules, KqjRules

__all__ = ["GAMES", "Game", "game_of"]


@dataclass(frozen=True)
class Game:
    """A game in the engine.

    Attributes:
        name: as in records and `--game`.
        seats, tricks: of a round.
        pack: all its cards, natural coding.
        target: what the kernels of games take as the score that ends a game.
        start_deals, play_block, play_deals, play_again: kernels of single rounds (`core.round`).
        start_game, name_rounds, advance, play_games: kernels of games (`core.games`).
    """

    name: str
    seats: int
    tricks: int
    pack: int
    target: Callable[[Any], int]
    start_deals: Any
    play_block: Any
    play_deals: Any
    play_again: Any
    start_game: Any
    name_rounds: Any
    advance: Any
    play_games: Any

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of its rows."""
        return columns_of(self.name)

    def column(self, name: str) -> int:
        """The offset of a column's row in the block."""
        return RESULT + column_numbers(self.name)[name] * STRIDE


def _kqj_target(rules: KqjRules) -> int:
    return rules.target


GAMES = {
    "kqj": Game(
        name="kqj",
        seats=6,
        tricks=8,
        pack=PACK,
        target=_kqj_target,
        start_deals=kqj_round.start_deals,
        play_block=kqj_round.play_block,
        play_deals=kqj_round.play_deals,
        play_again=kqj_round.play_again,
        start_game=kqj_games.start_game,
        name_rounds=kqj_games.name_rounds,
        advance=kqj_games.advance,
        play_games=kqj_games.play_games,
    ),
    "kwajongen": Game(
        name="kwajongen",
        seats=4,
        tricks=4,
        pack=kwajongen_bits.PACK,
        target=lambda rules: 0,
        start_deals=kwajongen_round.start_deals,
        play_block=kwajongen_round.play_block,
        play_deals=kwajongen_round.play_deals,
        play_again=kwajongen_round.play_again,
        start_game=kwajongen_games.start_game,
        name_rounds=kwajongen_games.name_rounds,
        advance=kwajongen_games.advance,
        play_games=kwajongen_games.play_games,
    ),
}
"""The games by name."""


def game_of(rules: GameRules) -> Game:
    """The game that rules are of."""
    return GAMES[rules.game]
