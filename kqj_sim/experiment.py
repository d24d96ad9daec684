"""What is played: the rules, who sits at each seat, which deals; checked before anything runs."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from threading import RLock
from typing import Any

from kqj_sim.cards import NUMBER_WORDS
from kqj_sim.core import games as core_games
from kqj_sim.core.rules import Seating
from kqj_sim.encode import ImposedContract, ImposedFirstCall, encode_rules, encode_seating
from kqj_sim.messages import quote
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.spec import DEFAULT_PLAYERS, Player, parse_player
from kqj_sim.policy_errors import FailedRound, explain_failure
from kqj_sim.rules import GameRules, KqjRules

MAX_DEAL = 1 << 60

_COMPILE_LOCK = RLock()
"""What is compiled is kept by its address: once, by one thread."""


class ExperimentError(ValueError):
    """An experiment that cannot be run; one line that says what would be right."""


class EndlessGameError(RuntimeError):
    """A game that does not end."""


def make_endless_game_error(seed: int, deal: int) -> EndlessGameError:
    """The error for a game that is not over after the greatest number of rounds."""
    return EndlessGameError(
        f"game {deal // core_games.MAX_ROUNDS} of seed {seed} is not over after "
        f"{core_games.MAX_ROUNDS} "
        "rounds; let the policies take more often, or lower the target"
    )


@dataclass(frozen=True)
class Experiment:
    """What is simulated.

    Attributes:
        rules: the rules of the table.
        policies: a specification for each seat (`kqj_sim.policies`); without any the game's
            default player sits at all of them.
        deals: number of single rounds; not looked at with `games`.
        seed: 0 to 2**63 - 1; a deal is found again from (seed, deal).
        first: number of the first deal, or of the first game.
        games: number of games to the target; None for single rounds.
        imposed: a Sender and contract, or the opener's first call, that are given (KQJ).

    Raises:
        ExperimentError: a number out of range, an imposed contract that the rules do not know.
        PolicyError: a specification that names no policy.
    """

    rules: GameRules = field(default_factory=KqjRules)
    policies: tuple[str, ...] = ()
    deals: int = 100_000
    seed: int = 1
    first: int = 0
    games: int | None = None
    imposed: ImposedContract | ImposedFirstCall | None = None

    def __post_init__(self) -> None:
        seats = self.rules.seats
        if not self.policies:
            default = DEFAULT_PLAYERS[self.rules.game]
            object.__setattr__(self, "policies", (default,) * seats)
        if len(self.policies) != seats:
            raise ExperimentError(
                f"{len(self.policies)} policies: there should be one a seat, {NUMBER_WORDS[seats]}"
            )
        last_game = MAX_DEAL // core_games.MAX_ROUNDS
        for name, value, least, most in (
            ("deals", self.deals, 1, MAX_DEAL),
            ("seed", self.seed, 0, 2**63 - 1),
            ("first", self.first, 0, MAX_DEAL if self.games is None else last_game),
            ("games", 1 if self.games is None else self.games, 1, last_game),
        ):
            if not least <= value <= most:
                raise ExperimentError(f"{name} is {value}: it should be {least} to {most}")
        if self.imposed is not None:
            if not isinstance(self.rules, KqjRules):
                raise ExperimentError("a contract can be imposed in kqj only")
            self._check_imposed(self.rules, self.imposed)
        assert self.players

    @staticmethod
    def _check_imposed(rules: KqjRules, imposed: ImposedContract | ImposedFirstCall) -> None:
        if not isinstance(imposed, ImposedContract):
            if rules.bidding != "take":
                raise ExperimentError("with auctions nobody takes: leave the first call free")
            return
        if not 0 <= imposed.place < rules.seats:
            raise ExperimentError(
                f"imposed place {imposed.place}: it should be 0 (the opener) to 5 (the dealer)"
            )
        if imposed.contract not in rules.contracts:
            raise ExperimentError(
                f"imposed contract {quote(imposed.contract)}: it should be one of "
                f"{', '.join(rules.contracts)}"
            )
        if rules.bidding == "take":
            if imposed.amount is not None:
                raise ExperimentError("an imposed amount belongs to auctions: leave it out")
            return
        low, high = rules.minimum_bid, rules.max_amount
        if imposed.amount is None or not low <= imposed.amount <= high or imposed.amount % 10:
            raise ExperimentError(
                f"imposed amount {imposed.amount}: with auctions it should be a multiple of ten "
                f"from {low} to {high}"
            )

    def __getstate__(self) -> dict[str, Any]:
        """The fields: elsewhere the players are read again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def players(self) -> tuple[Player, ...]:
        """The player of each seat; each different specification is parsed once."""
        game = self.rules.game
        parsed = {text: parse_player(text, game) for text in dict.fromkeys(self.policies)}
        return tuple(parsed[text] for text in self.policies)

    def table(self) -> tuple[Any, Seating]:
        """The experiment as the kernels take it; policies are compiled if need be."""
        with _COMPILE_LOCK:
            return encode_rules(self.rules), encode_seating(self.rules, self.players, self.imposed)

    def explain_illegal_choice(self, failed_round: FailedRound) -> PolicyError:
        """The error for a round in which a policy chose what is not allowed."""
        return explain_failure(self.rules, self.players, self.imposed, failed_round)
