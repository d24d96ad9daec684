"""Random rounds of trick-taking games in OpenSpiel, which needs `pip install open_spiel`.

OpenSpiel (Lanctot et al., 2019) is a collection of games in C++; of its games with tricks, these
are the nearest to KQJ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from importlib.util import find_spec


def is_installed() -> bool:
    """Return True if the package can be imported."""
    return find_spec("pyspiel") is not None


def play_rounds(name: str, count: int) -> int:
    """Play rounds of a game with OpenSpiel's random players and return their number."""
    pyspiel = import_module("pyspiel")
    game = pyspiel.load_game(name)
    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(game.num_players())]
    for number in range(count):
        pyspiel.evaluate_bots(game.new_initial_state(), bots, number)
    return count


GAMES: Mapping[str, Callable[[int], int]] = {
    "OpenSpiel, Hearts": partial(play_rounds, "hearts"),
    "OpenSpiel, Spades": partial(play_rounds, "spades"),
}
"""Functions that play so many rounds, by name."""
