"""The rules of the games: the options of the specification, with their defaults."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields
from typing import Any, ClassVar, Literal, Self

from kqj_sim.cards import CONTRACTS, RANKS
from kqj_sim.columns import CARD_POINTS, MAX_TOTAL
from kqj_sim.errors import InputError
from kqj_sim.messages import quote, shorten
from kqj_sim.plain import to_plain

SEATS = 6
"""Seats in KQJ; `GameRules.seats` is the number in any game."""

HALF_OF_POINTS = (CARD_POINTS + 10) // 2
"""Half of the card points and the 10 for the last trick: more wins with two teams, unless KQ, KQJ
or Capot come in."""

MAX_TARGET = 1_000_000_000
"""The highest target of a game, which no game reaches."""


def make_rule_field(
    default: Any, choices: tuple[Any, ...] | None, help: str, only: str = ""
) -> Any:
    """Return a dataclass field for a rule.

    Args:
        choices: the allowed values, default first; None for any positive multiple of 10.
        only: the bidding without which the field has no effect; empty for none.
    """
    return field(default=default, metadata={"choices": choices, "help": help, "only": only})


@dataclass(frozen=True)
class GameRules(ABC):
    """The rules of a game: its facts, and a field for each option.

    Each field's metadata has `choices`, `help` and `only`, the arguments of `make_rule_field`.
    """

    game: ClassVar[str]
    """Name of the game, as in records."""
    seats: ClassVar[int]
    """Number of players, seated 0 to seats - 1 clockwise."""
    tricks: ClassVar[int]
    """Number of tricks, and of cards in a hand when play begins."""
    ranks: ClassVar[str]
    """The ranks of the pack, from the highest of a plain suit down."""
    start_score: ClassVar[int]
    """Score of each side when a game begins."""
    score_sign: ClassVar[int]
    """1 if a higher score is better, -1 if a lower one is."""
    scores_kq: ClassVar[bool] = False
    variant_fields: ClassVar[tuple[str, ...]] = ()
    """The options that make a variant of the game, which `describe_variant` tells."""

    def __new__(cls, *args: Any, **values: Any) -> Self:
        """Return the rules; raise TypeError for a field that does not exist, with the nearest."""
        names = [rule.name for rule in fields(cls)]
        for name in values:
            if name not in names:
                raise TypeError(
                    f"{cls.__name__} has no {quote(name)}: {suggest_value(name, names)}"
                )
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for rule in fields(self):
            object.__setattr__(self, rule.name, to_plain(getattr(self, rule.name)))
            _check_value(rule, getattr(self, rule.name))

    @property
    @abstractmethod
    def bidding(self) -> str:
        """The way in which somebody becomes the Sender."""

    @property
    @abstractmethod
    def partners(self) -> str:
        """The kind of partners, `fixed` or `random`."""

    @property
    @abstractmethod
    def target(self) -> int:
        """The score that ends a game."""

    @property
    @abstractmethod
    def team_count(self) -> int:
        """Number of teams."""

    @property
    @abstractmethod
    def score_count(self) -> int:
        """Number of game scores."""

    @property
    @abstractmethod
    def max_points(self) -> int:
        """Most points of a side in a round, gratuities aside, or its largest lead."""

    @property
    @abstractmethod
    def contracts(self) -> tuple[str, ...]:
        """The possible contracts, in the order of CONTRACTS."""

    @abstractmethod
    def fixed_team_of(self, seat: int) -> int:
        """Return the team of a seat with fixed partners."""

    @property
    def without_effect(self) -> tuple[str, ...]:
        """Names of fields that differ from the default but are ignored."""
        return ()

    def describe_variant(self) -> tuple[str, ...]:
        """Return the values of `variant_fields` in words."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        """Return every field and its value, defaults included."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return rules with these fields, the others at their defaults; raise InputError."""
        if not isinstance(values, Mapping):
            raise InputError(f"rules: a mapping of their fields, not {type(values).__name__}")
        names = [rule.name for rule in fields(cls)]
        for name in values:
            if name not in names:
                raise InputError(f"{quote(name)} is not a rule: {suggest_value(name, names)}")
        return cls(**values)


@dataclass(frozen=True)
class KqjRules(GameRules):
    """The rules of a table of KQJ.

    With bidding="take", fields for auctions have no effect; setting one is no error, and
    `without_effect` names it.

    Raises:
        InputError: a value does not exist.

    Example:
        >>> import kqj_sim as kqj
        >>> rules = kqj.KqjRules(teams=3, bidding="auction")
        >>> rules.partners, kqj.show(rules=rules, policy="standard").record.teams
        ('fixed', [0, 1, 2, 0, 1, 2])
    """

    game: ClassVar[str] = "kqj"
    seats: ClassVar[int] = SEATS
    tricks: ClassVar[int] = 8
    ranks: ClassVar[str] = RANKS
    start_score: ClassVar[int] = 0
    score_sign: ClassVar[int] = 1
    scores_kq: ClassVar[bool] = True
    variant_fields: ClassVar[tuple[str, ...]] = ("teams", "partners", "bidding")

    teams: Literal[2, 3] = make_rule_field(2, (2, 3), "Set the number of teams.")
    partners: Literal["fixed", "random"] = make_rule_field(
        "fixed",
        ("fixed", "random"),
        "Keep the partners for the game, or draw them anew each round.",
    )
    bidding: Literal["take", "auction"] = make_rule_field(
        "take", ("take", "auction"), "Take the Return, or bid."
    )
    all_no_trump: Literal["second_lap", "both_laps", "never"] = make_rule_field(
        "second_lap",
        ("second_lap", "both_laps", "never"),
        "Say when All-Trumps and No-Trump may be called; never bars them from auctions, too.",
    )
    max_amount: int = make_rule_field(
        600, None, "Set the highest amount that may be bid.", "auction"
    )
    counter_timing: Literal["any", "turn"] = make_rule_field(
        "any",
        ("any", "turn"),
        "Allow a counter at any time after a bid, or only in turn.",
        "auction",
    )
    amount_uses: Literal["total", "rounded"] = make_rule_field(
        "total",
        ("total", "rounded"),
        "Compare the unrounded or the rounded total with the amount.",
        "auction",
    )
    must_outscore: bool = make_rule_field(
        False,
        (False, True),
        "Require the larger total of a contract, besides its amount.",
        "auction",
    )
    target: int = make_rule_field(1000, None, "End a game at this score.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_amount < self.minimum_bid:
            raise InputError(
                f"max_amount {self.max_amount} is below the first bid: with {self.teams} teams "
                f"it must be at least {self.minimum_bid}"
            )
        if self.max_amount > MAX_TOTAL:
            raise InputError(
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
        """Most points of a side in a round, gratuities aside: a total, or four times an amount."""
        return 4 * self.max_amount if self.bidding == "auction" else MAX_TOTAL

    @property
    def score_count(self) -> int:
        """Number of game scores: one per team, or with random partners one per seat."""
        return SEATS if self.partners == "random" else self.teams

    @property
    def contracts(self) -> tuple[str, ...]:
        """The possible contracts, in the order of CONTRACTS."""
        return CONTRACTS[:4] if self.all_no_trump == "never" else CONTRACTS

    @property
    def without_effect(self) -> tuple[str, ...]:
        """Names of fields that differ from the default but are ignored with this bidding."""
        return tuple(
            rule.name
            for rule in fields(self)
            if rule.metadata["only"] not in ("", self.bidding)
            and getattr(self, rule.name) != rule.default
        )

    def describe_variant(self) -> tuple[str, ...]:
        """Return the number of teams, the partners and the bidding in words."""
        return (
            f"{'two' if self.teams == 2 else 'three'} teams",
            f"{self.partners} partners",
            "taking" if self.bidding == "take" else "auctions",
        )

    def fixed_team_of(self, seat: int) -> int:
        """Return the team of a seat, 0 to 5, with fixed partners."""
        return seat % self.teams


def require_kqj_rules(rules: GameRules) -> KqjRules:
    """Return the rules, which must be of KQJ; raise InputError for another game."""
    if not isinstance(rules, KqjRules):
        raise InputError(f"this is of KQJ only, not of {rules.game}")
    return rules


def _check_value(rule: Field[Any], value: Any) -> None:
    choices = rule.metadata["choices"]
    if choices is None:
        if type(value) is int and value > MAX_TARGET:
            raise InputError(f"{rule.name} is at most {MAX_TARGET:,}, not {_format_value(value)}")
        if type(value) is not int or value <= 0 or value % 10:
            near = rule.default
            if type(value) is int and abs(value) < 1_000_000:
                near = max(10, (value + 5) // 10 * 10)
            raise InputError(
                f"{rule.name} is a positive multiple of 10, such as {near}, not "
                f"{_format_value(value)}"
            )
    elif not any(type(value) is type(choice) and value == choice for choice in choices):
        raise InputError(
            f"{rule.name} cannot be {_format_value(value)}: "
            f"{suggest_value(value, [_format_value(c) for c in choices])}"
        )


def suggest_value(wrong: Any, right: list[str]) -> str:
    """Return a hint with the nearest of the right values, and all of them."""
    near = difflib.get_close_matches(shorten(wrong), right, n=1)
    hint = f"did you mean {near[0]}? Use " if near else "use "
    *others, last = right
    return f"{hint}{', '.join(others)}{' or ' if others else ''}{last}"


def _format_value(value: Any) -> str:
    """Return a value on one line; plain texts without quotes, as on the command line."""
    if isinstance(value, str) and not value.isidentifier():
        return quote(value)
    return shorten(value)


DEFAULT_RULES = KqjRules()
