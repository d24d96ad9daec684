"""Players in the notation: names of people, and policies between quotation marks."""

from __future__ import annotations

import re

from kqj_sim.notation.header import Player
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.spec import parse_player

_BUILT_IN_PATTERN = re.compile(r"[a-z_]+(?::[\w=.,-]*)?(?:\+[a-z_]+(?::[\w=.,-]*)?)?")
"""Policies whose parameters can be written out without reading a file."""


def expand_player(player: Player, game: str) -> str:
    """Return a player of a record: a quoted policy with all its parameters, a name as it is."""
    if not player.is_quoted or not _BUILT_IN_PATTERN.fullmatch(player.text):
        return player.text
    try:
        return parse_player(player.text, game).text
    except PolicyError:
        return player.text


def shorten_policy(text: str, game: str) -> str:
    """Return the shortest text of a policy that `expand_player` expands to this one."""
    if _BUILT_IN_PATTERN.fullmatch(text):
        try:
            short = parse_player(text, game).short_text
        except PolicyError:
            return text
        if expand_player(Player(short, True), game) == text:
            return short
    return text
