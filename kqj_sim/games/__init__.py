"""The games that the package knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from kqj_sim.columns import KQJ_COLUMNS, Column
from kqj_sim.errors import InputError
from kqj_sim.games.game import Game, Preset
from kqj_sim.games.kwajongen.game import KWAJONGEN
from kqj_sim.messages import quote
from kqj_sim.rules import GameRules, KqjRules, suggest_value

KQJ = Game(
    name="kqj",
    title="KQJ",
    rules=KqjRules,
    columns=KQJ_COLUMNS,
    decisions=("take", "bid", "counter", "overcounter", "card"),
    sender="Sender",
    raises=False,
    upcard_key="return",
    default_player="learned+network",
    lively_player="random:take=0.3,bid=0.3,capot=0.05,counter=0.1",
    policies_package="kqj_sim.policies",
    built_ins=(
        "random",
        "greedy",
        "standard",
        "network",
        "pimc",
        "points",
        "learned",
        "always",
        "never",
    ),
    presets={
        "bold": Preset(
            "points:take=0,lap2=0",
            "calls like points, but takes at once with any hand",
        )
    },
    parts={
        "variants": "kqj_sim.questions.policies.checks:KQJ_VARIANTS",
        "analysis": "kqj_sim.games.kqj.analysis:ANALYSIS",
        "quantities": "kqj_sim.games.kqj.quantities:QUANTITIES",
        "score_unit": "kqj_sim.games.kqj.quantities:SCORE_UNIT",
        "engine": "kqj_sim.engines:KQJ_ENGINE",
        "figures": "kqj_sim.games.kqj.screen:FIGURES",
        "pictures": "kqj_sim.games.kqj.plots:PICTURES",
        "report": "kqj_sim.games.kqj.report:REPORT",
        "recording": "kqj_sim.simulation.recording:KqjRecordingBlock",
        "referee": "kqj_sim.referee.kqj.referee:KqjReferee",
        "round_terms": "kqj_sim.questions.records.rounds:KQJ_TERMS",
        "samplers": "kqj_sim.games.kqj.card_sampler:SAMPLERS",
        "answers": "kqj_sim.games.kqj.answers:ANSWERS",
    },
)
"""The game of the package, which is played unless another is named."""

GAMES: Mapping[str, Game] = {game.name: game for game in (KQJ, KWAJONGEN)}


def find_game(name: str) -> Game:
    """Return a game by its name."""
    return GAMES[name]


def list_game_options(name: str) -> Sequence[str]:
    """Return the option that names a game, as words of a command line; none for the default."""
    return () if name == KQJ.name else ("--game", name)


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
