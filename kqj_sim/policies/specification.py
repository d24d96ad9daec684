"""Players as they are written.

A specification names a policy, `standard`, `standard:take=45,lap2=38`, `my_policy.py:cautious`
(`chosen`), or a file of a player, `bold.toml`, `bold.toml:take=30` (`player_files`).  `A+B` calls
like A and plays like B.  What is left out the default player does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from kqj_sim.messages import quote
from kqj_sim.policies.chosen import Chosen, read_chosen, split_file
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.player_files import Parts, of_one, read_parts

DEFAULT_PLAYER = "points+network"
"""Who sits at a table of KQJ where nobody is named; he answers what other policies leave out."""
DEFAULT_PLAYERS = {"kqj": DEFAULT_PLAYER, "kwajongen": "standard"}
"""The same for each game."""


@dataclass(frozen=True)
class Player:
    """Who calls and who plays at a seat."""

    calling: Chosen
    playing: Chosen
    name: str = field(default="", compare=False)
    """What to call him: the name in his file, or the specification as it was given."""

    @property
    def text(self) -> str:
        """The specification, parameters included: reading it gives the same player."""
        if self.calling == self.playing:
            return self.calling.text
        return f"{self.calling.text}+{self.playing.text}"

    def answering(self, question: str) -> Chosen:
        """Who answers a question; what a policy leaves out the default player answers."""
        chosen = self.playing if question == "card" else self.calling
        if chosen.policy.answers(question):
            return chosen
        return default_player(chosen.game).answering(question)


@cache
def default_player(game: str = "kqj") -> Player:
    """The player of `DEFAULT_PLAYERS`."""
    return player(DEFAULT_PLAYERS[game], game)


def read_specification(specification: str, game: str = "kqj") -> Parts:
    """Who calls and who plays, as far as a specification says it; raises as `player`."""
    if any("\ud800" <= character <= "\udfff" for character in specification):
        # Results name their policies, and they are UTF-8.
        raise PolicyError(f"policy {quote(specification)}: the name is not UTF-8: rename the file")
    first, plus, second = specification.strip().partition("+")
    calling = _parts(first, game)
    if not plus:
        return calling
    playing = _parts(second, game)
    return Parts(f"{calling.name}+{playing.name}", calling.calling, playing.playing)


def _parts(specification: str, game: str) -> Parts:
    of_file = split_file(specification, ".toml")
    if of_file is not None:
        return read_parts(Path(of_file[0]), of_file[1], specification, game)
    return of_one(read_chosen(specification, game=game), specification)


def player(specification: str, game: str = "kqj") -> Player:
    """Read a specification of a player of a game.

    Raises:
        PolicyError: one line that says what is wrong and what would be right.
    """
    parts = read_specification(specification, game)
    return Player(
        parts.calling or default_player(game).calling,
        parts.playing or default_player(game).playing,
        parts.name,
    )
