"""All games as the shared tests see them: for each the module `shared` of its tests."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from kqj_sim.games import GAMES, KQJ
from kqj_sim.rules import GameRules

SHARED: dict[str, Any] = {name: import_module(f"tests.games.{name}.shared") for name in GAMES}

DEFAULTS: list[GameRules] = [game.rules() for game in GAMES.values()]
VARIANTS: list[GameRules] = [rules for shared in SHARED.values() for rules in shared.VARIANTS]
RULES: list[GameRules] = [
    rules for shared in SHARED.values() for rules in (*shared.VARIANTS, *shared.RULINGS)
]
"""Those of VARIANTS, and further ones, by game."""


def name_rules(rules: GameRules) -> str:
    """Return the name of a test's rules: the game, and what is not the default."""
    default = type(rules)().to_dict()
    changed = (f"{key}={value}" for key, value in rules.to_dict().items() if value != default[key])
    return ",".join([rules.game, *changed])


OTHER_VARIANTS = {name_rules(rules): rules for rules in VARIANTS if rules.game != KQJ.name}
"""Those of the games besides KQJ, whose variants are many (`tests.variants`)."""
