"""Load what the end of a run needs before anything is played: an upgrade replaces its files."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from pkgutil import walk_packages

from kqj_sim.games import KQJ, find_game
from kqj_sim.games.game import Game
from kqj_sim.output.figures import Drawing, make_message
from kqj_sim.output.formats import render
from kqj_sim.output.screen import Run, Screen
from kqj_sim.output.sentences import make_environment
from kqj_sim.stats.intervals import make_count
from kqj_sim.stats.tables import Table


@functools.cache
def load_ending(question: str, game: str) -> None:
    """Import the modules that make and show the results of a question, and read the templates."""
    for module in walk_packages(import_module(question).__path__, f"{question}."):
        import_module(module.name)
    described = find_game(game)
    described.quantities()
    for part in _list_parts(described).get(question.rpartition(".")[2], ()):
        part()
    make_environment()


def _list_parts(game: Game) -> dict[str, tuple[Callable[[], object], ...]]:
    """Return what of a game shows the results of a question."""
    return {
        "odds": (game.answers,),
        "report": (game.report,),
        "review": (game.answers,),
        "simulate": (game.screen, game.report),
    }


@functools.cache
def load_writers(format: str, picture: str | None = None) -> None:
    """Import the libraries that write tables in a format, and pictures, by writing nothing."""
    if format == "html":
        format, picture = "json", "svg"
    table = Table("empty", "", (), [((), "games_count", make_count(0))], game=KQJ.name)
    run = Run("", KQJ.rules(), (), 0, 0, 0, description="♥")
    render(Screen(run, [table]), format)
    if picture is not None:
        Drawing((), [make_message("")]).render(picture)
