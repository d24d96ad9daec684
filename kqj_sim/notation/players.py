"""Policies in the notation: with all parameters in records, with few in texts."""

from __future__ import annotations

import re

from kqj_sim.errors import InputError
from kqj_sim.notation.header import NotedPlayer
from kqj_sim.rules import GameRules

_BUILT_IN_PATTERN = re.compile(r"[a-z_]+(?::[\w=.,-]*)?(?:\+[a-z_]+(?::[\w=.,-]*)?)?")
"""Policies whose parameters can be written out without reading a file."""


def expand_player(player: NotedPlayer, rules: GameRules) -> str:
    """Return a player of a record: a built-in policy with all its parameters, others as written."""
    if not player.is_policy or not _BUILT_IN_PATTERN.fullmatch(player.text):
        return player.text
    # Here, since numba takes half a second.
    from kqj_sim.policies.players import parse_recorded_player

    try:
        return parse_recorded_player(player.text, rules.game).under(rules).text
    except InputError:
        return player.text


def shorten_policy(text: str, rules: GameRules) -> str | None:
    """Return the shortest policy that `expand_player` expands to a text; None if there is none."""
    if not _BUILT_IN_PATTERN.fullmatch(text):
        return None
    from kqj_sim.policies.players import parse_recorded_player

    try:
        short = parse_recorded_player(text, rules.game).shorten(rules)
    except InputError:
        return None
    return short if expand_player(NotedPlayer(short, True), rules) == text else None
