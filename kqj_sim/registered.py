"""The games that the package knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kqj_sim.game import Game, Preset
from kqj_sim.kwajongen.game import KWAJONGEN

KQJ = Game(
    name="kqj",
    title="KQJ",
    sender="Sender",
    raises=False,
    upcard_key="return",
    default_player="points+network",
    lively_player="random:take=0.3,bid=0.3,capot=0.05,counter=0.1",
    policies_package="kqj_sim.policies",
    built_ins=("random", "greedy", "standard", "network", "pimc", "points", "always", "never"),
    presets={
        "bold": Preset(
            "points:take=0,lap2=0",
            "calls like points, but takes at once with any hand",
        )
    },
    parts={
        "variants": "kqj_sim.questions.policies.checks:KQJ_VARIANTS",
        "analysis": "kqj_sim.stats.kqj.analysis:ANALYSIS",
        "figures": "kqj_sim.output.kqj.key_figures:FIGURES",
        "pictures": "kqj_sim.output.kqj.plots:PICTURES",
        "chapters": "kqj_sim.questions.report.kqj.chapters:REPORT",
        "referee": "kqj_sim.referee.kqj.referee:KqjReferee",
        "round_terms": "kqj_sim.questions.records.terms:KQJ_TERMS",
        "samplers": "kqj_sim.positions.kqj_cards:SAMPLERS",
        "answers": "kqj_sim.questions.odds.kqj:ANSWERS",
    },
)
"""The game of the package, which is played unless another is named."""

GAMES: Mapping[str, Game] = {game.name: game for game in (KQJ, KWAJONGEN)}
"""The games by name."""


def find_game(name: str) -> Game:
    """Return a game by its name."""
    return GAMES[name]


def list_game_options(name: str) -> Sequence[str]:
    """Return the option that names a game, as words of a command line; none for the default."""
    return () if name == KQJ.name else ("--game", name)
