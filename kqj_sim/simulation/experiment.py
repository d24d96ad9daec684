"""Experiments: the rules, the player of each seat and the deals, checked before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from threading import RLock
from typing import TYPE_CHECKING, Any

from kqj_sim.core import round as core_games
from kqj_sim.core.types import Seating
from kqj_sim.errors import InputError, RunError
from kqj_sim.imposed import ImposedContract, ImposedFirstCall
from kqj_sim.messages import represent, shorten
from kqj_sim.plain import to_plain
from kqj_sim.policies.players import Player, PlayerLike, seat_players
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.simulation.encode import encode_rules, encode_seating
from kqj_sim.simulation.policy_errors import FailedRound, explain_failure

MAX_DEAL = 1 << 60
"""Largest number of a deal, and of deals."""

_COMPILE_LOCK = RLock()
"""Policies are compiled by one thread at a time, since kernels find them by their address."""


def make_endless_game_error(seed: int, deal: int) -> RunError:
    """Return the error for the game to which a deal belongs."""
    return RunError(
        f"game {deal // core_games.MAX_ROUNDS} of seed {seed} is not over after "
        f"{core_games.MAX_ROUNDS} rounds; let the policies take more often, or lower the target"
    )


@dataclass(frozen=True)
class Experiment:
    """A simulation to run; equal experiments give equal rows.

    Attributes:
        rules: the rules of the table.
        players: the player of each seat, (seats,), or one for all seats, as a `Player`, a
            specification, a policy or a function; empty for the game's default player.
        deals: number of single rounds; ignored with `games`.
        seed: 0 to 2**63 - 1; seed and number determine a deal.
        first: number of the first deal, or of the first game.
        games: number of games to the target score; None for single rounds.
        imposed: a Sender and contract, or the opener's first call, in place of the bidding (KQJ).

    Raises:
        InputError: a number is out of range, or the rules do not allow `imposed`; a specification
            names no policy.

    Example:
        >>> import kqj_sim as kqj
        >>> experiment = kqj.Experiment(players="standard", deals=1_000)
        >>> experiment.rules.teams, len(experiment.players)
        (2, 6)
    """

    rules: GameRules = field(default_factory=KqjRules)
    players: tuple[Player, ...] = ()
    deals: int = 100_000
    seed: int = 1
    first: int = 0
    games: int | None = None
    imposed: ImposedContract | ImposedFirstCall | None = None

    if TYPE_CHECKING:  # The field holds what the constructor makes of what it is given.

        def __init__(
            self,
            rules: GameRules = ...,
            players: PlayerLike | Sequence[PlayerLike] = ...,
            deals: int = ...,
            seed: int = ...,
            first: int = ...,
            games: int | None = ...,
            imposed: ImposedContract | ImposedFirstCall | None = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        for attribute in fields(self):
            object.__setattr__(self, attribute.name, to_plain(getattr(self, attribute.name)))
        for name, value, kinds in (
            ("rules", self.rules, GameRules),
            ("imposed", self.imposed, ImposedContract | ImposedFirstCall | None),
        ):
            if not isinstance(value, kinds):
                raise InputError(f"{name} cannot be {shorten(represent(value))}")
        object.__setattr__(self, "players", seat_players(self.players, self.rules))
        number: Any
        last_game = MAX_DEAL // core_games.MAX_ROUNDS
        for name, number, least, most in (
            ("deals", self.deals, 1, MAX_DEAL),
            ("seed", self.seed, 0, 2**63 - 1),
            ("first", self.first, 0, MAX_DEAL if self.games is None else last_game),
            ("games", 1 if self.games is None else self.games, 1, last_game),
        ):
            if not isinstance(number, int) or isinstance(number, bool):
                raise InputError(f"{name} is {shorten(number)}: it should be a whole number")
            if not least <= number <= most:
                raise InputError(f"{name} is {shorten(number)}: it should be {least} to {most}")
        if self.imposed is not None:
            try:
                self.imposed.check(self.rules)
            except InputError as error:
                raise InputError(f"imposed {error}") from None

    @property
    def imposed_text(self) -> str | None:
        """The imposed contract as in `impose`, such as opener:h:150; None if there is none."""
        return str(self.imposed) if isinstance(self.imposed, ImposedContract) else None

    def compile_seating(self) -> tuple[Any, Seating]:
        """Return the rules and seating for the kernels; compile policies if needed."""
        with _COMPILE_LOCK:
            return encode_rules(self.rules), encode_seating(self.rules, self.players, self.imposed)

    def explain_illegal_choice(self, failed_round: FailedRound) -> InputError:
        """Return the error that names the illegal choice of a policy in a round."""
        return explain_failure(self.rules, self.players, self.imposed, self.seed, failed_round)
