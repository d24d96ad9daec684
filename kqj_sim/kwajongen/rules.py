"""The rules of Kwajongen: the options of the specification, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from kqj_sim.cards import CONTRACTS
from kqj_sim.rules import GameRules, make_rule_field


@dataclass(frozen=True)
class KwajongenRules(GameRules):
    """The rules of a table of Kwajongen; raises InputError for a value that does not exist.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.play(rules=kqj.KwajongenRules(void_rule="free")).record.game
        'kwajongen'
    """

    game: ClassVar[str] = "kwajongen"
    seats: ClassVar[int] = 4
    tricks: ClassVar[int] = 4
    ranks: ClassVar[str] = "AKQJT9"
    start_score: ClassVar[int] = 10
    score_sign: ClassVar[int] = -1

    bidding = "accept"
    partners = "fixed"
    target = 0
    team_count = score_count = 2
    contracts = CONTRACTS[:4]
    max_points = 4
    """A raised round that the caller loses without a trick brings the other team down by 3 and the
    caller's up by 1."""

    void_rule: Literal["must_trump", "free"] = make_rule_field(
        "must_trump",
        ("must_trump", "free"),
        "Make a player who cannot follow suit play a trump (must_trump) or not (free).",
    )

    def fixed_team_of(self, seat: int) -> int:
        """Return the team of a seat, 0 to 3."""
        return seat % 2
