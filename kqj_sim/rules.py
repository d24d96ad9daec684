"""The rules objects of the games: the fields of the specification, with their defaults."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields
from typing import Any, ClassVar, Literal, Self, TypeAlias

from kqj_sim.cards import CONTRACTS, RANKS
from kqj_sim.messages import quote, shorten

SEATS = 6
"""Seats of a table of KQJ; `GameRules.seats` is that of any game."""

MAX_TOTAL = 600
"""No total of KQJ is larger: card points, last trick, Capot and four KQJ at All-Trumps."""


class RulesError(ValueError):
    """A rule that does not exist; its one line says what would be right."""


def _make_rule_field(
    default: Any, choices: tuple[Any, ...] | None, help: str, only: str = ""
) -> Any:
    """A field: `choices` is None where any number of a kind will do; `only` is the bidding
    without which the field has no effect."""
    return field(default=default, metadata={"choices": choices, "help": help, "only": only})


@dataclass(frozen=True)
class _BaseRules:
    """What the rules of every game have: facts of the game, and its fields as a dictionary.

    Each field's metadata has `choices` (the allowed values, default first, or None for a
    multiple of ten), a line of `help`, and `only`, which names the bidding of KQJ without which
    the field has no effect.
    """

    game: ClassVar[str]
    """Name of the game, as in records."""
    seats: ClassVar[int]
    """Number of players, seated 0 to seats - 1 clockwise."""
    tricks: ClassVar[int]
    """Number of tricks, and of the cards of a hand when play begins."""
    ranks: ClassVar[str]
    """The ranks of the pack, from the highest of a plain suit down."""
    start_score: ClassVar[int]
    """Score of each side when a game begins."""
    score_sign: ClassVar[int]
    """1 where a higher score is better, -1 where a lower one is."""

    def __post_init__(self) -> None:
        for rule in fields(self):
            _check_value(rule, getattr(self, rule.name))

    @property
    def without_effect(self) -> tuple[str, ...]:
        """Fields set to another value than the default that are not looked at."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        """Every field and its value, defaults written out."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The rules with these fields, the others at their defaults; raises RulesError."""
        names = [rule.name for rule in fields(cls)]
        for name in values:
            if name not in names:
                raise RulesError(f"{quote(name)} is not a rule: {_suggest(name, names)}")
        return cls(**values)


@dataclass(frozen=True)
class KqjRules(_BaseRules):
    """The rules of a table of KQJ; raises RulesError for a value that does not exist.

    Setting a field that is for auctions has no effect with bidding="take" and is no error;
    `without_effect` names them so that a caller can say so.
    """

    game: ClassVar[str] = "kqj"
    seats: ClassVar[int] = SEATS
    tricks: ClassVar[int] = 8
    ranks: ClassVar[str] = RANKS
    start_score: ClassVar[int] = 0
    score_sign: ClassVar[int] = 1

    teams: Literal[2, 3] = _make_rule_field(2, (2, 3), "Number of teams.")
    partners: Literal["fixed", "random"] = _make_rule_field(
        "fixed", ("fixed", "random"), "Partners for the whole game, or drawn anew each round."
    )
    bidding: Literal["take", "auction"] = _make_rule_field(
        "take", ("take", "auction"), "Taking the Return, or auctions."
    )
    all_no_trump: Literal["second_lap", "both_laps", "never"] = _make_rule_field(
        "second_lap",
        ("second_lap", "both_laps", "never"),
        "When All-Trumps and No-Trump may be named; never bars them from auctions too.",
    )
    max_amount: int = _make_rule_field(600, None, "Highest amount that may be bid.", "auction")
    counter_timing: Literal["any", "turn"] = _make_rule_field(
        "any", ("any", "turn"), "Counter right after a bid, or only in one's turn.", "auction"
    )
    amount_uses: Literal["total", "rounded"] = _make_rule_field(
        "total", ("total", "rounded"), "What is held against the amount.", "auction"
    )
    must_outscore: bool = _make_rule_field(
        False, (False, True), "The contract must also have the larger total.", "auction"
    )
    target: int = _make_rule_field(1000, None, "Score that ends a game, often 500, 1000 or 2000.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_amount < self.minimum_bid:
            raise RulesError(
                f"max_amount {self.max_amount} is below the first bid: with {self.teams} teams "
                f"it must be at least {self.minimum_bid}"
            )
        if self.max_amount > MAX_TOTAL:
            raise RulesError(
                f"max_amount {self.max_amount} is above {MAX_TOTAL}: no contract reaches more"
            )

    @property
    def team_count(self) -> int:
        """Number of teams, 2 or 3."""
        return self.teams

    @property
    def minimum_bid(self) -> int:
        """Lowest amount of a first bid: 120 with two teams, 80 with three."""
        return 120 if self.teams == 2 else 80

    @property
    def max_points(self) -> int:
        """The most that a round is worth to a side, gratuities apart: a total, or an amount."""
        return 4 * self.max_amount if self.bidding == "auction" else MAX_TOTAL

    @property
    def score_count(self) -> int:
        """Number of game scores: one a team, or one a seat with random partners."""
        return SEATS if self.partners == "random" else self.teams

    @property
    def contracts(self) -> tuple[str, ...]:
        """The contracts that can be played, in the order of CONTRACTS."""
        return CONTRACTS[:4] if self.all_no_trump == "never" else CONTRACTS

    @property
    def without_effect(self) -> tuple[str, ...]:
        """Fields set to another value than the default that this bidding does not look at."""
        return tuple(
            rule.name
            for rule in fields(self)
            if rule.metadata["only"] not in ("", self.bidding)
            and getattr(self, rule.name) != rule.default
        )

    def fixed_team_of(self, seat: int) -> int:
        """Team of a seat 0 to 5 with fixed partners."""
        return seat % self.teams


@dataclass(frozen=True)
class KwajongenRules(_BaseRules):
    """The rules of a table of Kwajongen; raises RulesError for a value that does not exist."""

    game: ClassVar[str] = "kwajongen"
    seats: ClassVar[int] = 4
    tricks: ClassVar[int] = 4
    ranks: ClassVar[str] = "AKQJT9"
    start_score: ClassVar[int] = 10
    score_sign: ClassVar[int] = -1
    team_count: ClassVar[int] = 2
    score_count: ClassVar[int] = 2
    partners: ClassVar[str] = "fixed"
    contracts: ClassVar[tuple[str, ...]] = CONTRACTS[:4]
    max_points: ClassVar[int] = 4
    """The most that a round is worth to a side: a raised one lost without a trick by its caller,
    3 down for the others and 1 up for him."""

    void_rule: Literal["must_trump", "free"] = _make_rule_field(
        "must_trump",
        ("must_trump", "free"),
        "Whether a player who is void in the suit led must play a trump.",
    )

    def fixed_team_of(self, seat: int) -> int:
        """Team of a seat 0 to 3."""
        return seat % 2


GameRules: TypeAlias = KqjRules | KwajongenRules
"""The rules of a game; its `game` says of which."""

RULES_BY_GAME: Mapping[str, type[KqjRules] | type[KwajongenRules]] = {
    rules.game: rules for rules in (KqjRules, KwajongenRules)
}
"""The class of each game's rules, by its name."""


def make_rules(game: str, values: Mapping[str, Any]) -> GameRules:
    """The rules of a game with these fields, the others at their defaults.

    Raises RulesError for a game, a field or a value that does not exist.
    """
    if game not in RULES_BY_GAME:
        raise RulesError(f"{quote(game)} is not a game: {_suggest(game, list(RULES_BY_GAME))}")
    return RULES_BY_GAME[game].from_dict(values)


def require_kqj_rules(rules: GameRules) -> KqjRules:
    """The rules as those of KQJ; raises RulesError if they are of another game."""
    if not isinstance(rules, KqjRules):
        raise RulesError(f"this is of KQJ only, not of {rules.game}")
    return rules


def _check_value(rule: Field[Any], value: Any) -> None:
    """Raise RulesError if `value` is not one of the field's."""
    choices = rule.metadata["choices"]
    if choices is None:
        if type(value) is not int or value <= 0 or value % 10:
            near = rule.default
            if type(value) is int and abs(value) < 1_000_000:
                near = max(10, (value + 5) // 10 * 10)
            raise RulesError(
                f"{rule.name} is a positive multiple of 10, such as {near}, not "
                f"{_format_value(value)}"
            )
    elif not any(type(value) is type(choice) and value == choice for choice in choices):
        raise RulesError(
            f"{rule.name} is not {_format_value(value)}: "
            f"{_suggest(value, [_format_value(c) for c in choices])}"
        )


def _suggest(wrong: Any, right: list[str]) -> str:
    """What to write instead: the nearest of `right`, and all of them."""
    near = difflib.get_close_matches(shorten(wrong), right, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{hint}It is one of {', '.join(right)}"


def _format_value(value: Any) -> str:
    """A value on one line; plain texts bare, as on the command line."""
    if isinstance(value, str) and not value.isidentifier():
        return quote(value)
    return shorten(value)
