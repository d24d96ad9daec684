"""Specifications of players.

A specification names a policy, `standard`, `standard:take=45,lap2=38`, `my_policy.py:cautious`
(`configured`), or a player's file, `bold.toml`, `bold.toml:take=30` (`player_files`).  `A+B` calls
like A and plays like B.  Decisions that are left open are made by the game's default player.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from kqj_sim.messages import quote
from kqj_sim.policies.configured import ConfiguredPolicy, parse_policy, split_file_suffix
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.player_files import PlayerSpec, make_player_spec, read_player_file
from kqj_sim.run_scope import once_per_run

DEFAULT_PLAYER = "points+network"
"""Player of seats that are not named in KQJ; also makes the decisions that policies leave out."""
DEFAULT_PLAYERS = {"kqj": DEFAULT_PLAYER, "kwajongen": "standard"}
"""The default player of each game."""


@dataclass(frozen=True)
class Player:
    """A player: the policy that makes their calls and the one that chooses their cards."""

    calling: ConfiguredPolicy
    playing: ConfiguredPolicy
    name: str = field(default="", compare=False)
    """Name to show: the one in the player's file, or the specification as it was given."""

    @property
    def text(self) -> str:
        """The specification with all parameters; parsing it gives the same player."""
        if self.calling == self.playing:
            return self.calling.text
        return f"{self.calling.text}+{self.playing.text}"

    def policy_for(self, decision: str) -> ConfiguredPolicy:
        """Return the policy that makes a decision: the default player's if the player's leaves it
        out."""
        chosen = self.playing if decision == "card" else self.calling
        if chosen.policy.answers(decision):
            return chosen
        return get_default_player(chosen.game).policy_for(decision)


@cache
def get_default_player(game: str = "kqj") -> Player:
    """Return the player of `DEFAULT_PLAYERS` for a game."""
    return parse_player(DEFAULT_PLAYERS[game], game)


@once_per_run
def parse_player_spec(spec: str, game: str = "kqj") -> PlayerSpec:
    """Parse a specification, leaving decisions it does not name open; raises as `parse_player`."""
    if any("\ud800" <= character <= "\udfff" for character in spec):
        # Results name their policies, and they are UTF-8.
        raise PolicyError(f"policy {quote(spec)}: the name is not UTF-8: rename the file")
    first, plus, second = spec.strip().partition("+")
    calling = _parse_part(first, game)
    if not plus:
        return calling
    playing = _parse_part(second, game)
    return PlayerSpec(f"{calling.name}+{playing.name}", calling.calling, playing.playing)


def _parse_part(spec: str, game: str) -> PlayerSpec:
    of_file = split_file_suffix(spec, ".toml")
    if of_file is not None:
        return read_player_file(Path(of_file[0]), of_file[1], spec, game)
    return make_player_spec(parse_policy(spec, game=game), spec)


def parse_player(spec: str, game: str = "kqj") -> Player:
    """Parse the specification of a player of a game.

    Raises:
        PolicyError: one line that says what is wrong and what would be right.
    """
    parts = parse_player_spec(spec, game)
    return Player(
        parts.calling or get_default_player(game).calling,
        parts.playing or get_default_player(game).playing,
        parts.name,
    )
