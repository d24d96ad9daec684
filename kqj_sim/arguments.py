"""Arguments of the public functions: what users pass becomes rules, players, cards and numbers.

The commands parse their options by the same functions, so that wrong values have the same messages.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, TypeVar

from kqj_sim.cards import Card
from kqj_sim.errors import InputError, locate_errors
from kqj_sim.games import GAMES, KQJ, make_rules
from kqj_sim.messages import (
    explain_two_readings,
    quote,
    represent,
    shorten,
    suggest,
    use_own_decimals,
)
from kqj_sim.places import parse_place
from kqj_sim.rules import GameRules

if TYPE_CHECKING:
    from kqj_sim.imposed import ImposedContract
    from kqj_sim.policies.players import Player, PlayerLike

MAX_INTEGER = 2**63 - 1
MAX_CANDIDATES = 10_000
"""Most candidates of a generation of `tune`, which are held in memory."""

MAX_PATH = 4096
"""Most bytes of a path."""

CONFIDENCE_RANGE = (0.01, 0.999999)

Count: TypeAlias = int | float | str
"""A whole number: 1000000, 1e6, "1M" or "1,000,000"."""

PolicyLike: TypeAlias = "PlayerLike"
"""A policy: a specification, a file, a player, or a policy of this session."""

PoliciesLike: TypeAlias = "PolicyLike | Sequence[PolicyLike] | Mapping[str, PolicyLike]"
"""Policies of a table: one for all seats, one for each seat, or by "all", "team0", "seat3"."""

VaryLike: TypeAlias = str | Sequence[str] | Mapping[str, str | float | Iterable[str | float]]
"""Parameters and their values: "take=30:70:5", "take=30,40", a list of such texts, or
{"take": [30, 40]}."""

CardsLike: TypeAlias = str | Iterable[str | Card]
"""Cards: "9h 8h Ah", or a list of cards."""

T = TypeVar("T")


class RuleArguments(TypedDict, total=False):
    """The rules of the table, by the names of their fields; those left out are the default."""

    game: str
    teams: Literal[2, 3]
    partners: Literal["fixed", "random"]
    bidding: Literal["take", "auction"]
    all_no_trump: Literal["second_lap", "both_laps", "never"]
    max_amount: int
    counter_timing: Literal["any", "turn"]
    amount_uses: Literal["total", "rounded"]
    must_outscore: bool
    target: int
    void_rule: Literal["must_trump", "free"]


_UNITS = {"k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
_MOST_BARE_PRECISION = 0.05
"""A precision above this is useless, so that 0.5 may well be meant as 0.5%."""


def _reject_two_readings(value: object, *, is_whole: bool) -> None:
    """Raise InputError for a text that can mean two numbers, such as `1.000`."""
    message = explain_two_readings(value, is_whole=is_whole) if isinstance(value, str) else None
    if message is not None:
        raise InputError(message)


def _parse_decimal(text: str) -> Decimal:
    """Return a number that may have a unit or thousands; raise ArithmeticError if it is none."""
    number = text.strip()
    unit = _UNITS.get(number[-1:].lower(), 1)
    if unit > 1:
        number = number[:-1].rstrip()
    if _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    return Decimal(number) * unit


@use_own_decimals()
def parse_whole_number(value: object, lowest: int, example: str, highest: int = MAX_INTEGER) -> int:
    """Return a whole number, also 1e6, 1M or 1,000,000; raise InputError, with `example`."""
    _reject_two_readings(value, is_whole=True)
    try:
        number = _parse_decimal(represent(value, str))
        whole = int(number) if abs(number) <= MAX_INTEGER and number == int(number) else None
    except (ArithmeticError, ValueError):
        whole = None
    if whole is None or not lowest <= whole <= highest or isinstance(value, bool):
        range = f"from {lowest} to {highest:,}" if highest < MAX_INTEGER else f"of {lowest} or more"
        raise InputError(f"{quote(value)} is not a whole number {range}, such as {example}")
    return whole


def parse_game_count(value: object) -> int | Literal["auto"]:
    """Return a number of games, or "auto"; raise InputError if it is neither."""
    is_auto = isinstance(value, str) and value == "auto"
    return "auto" if is_auto else parse_whole_number(value, 1, "1000, or auto")


def parse_scores(value: object) -> tuple[int, ...]:
    """Return scores, a list or a text such as 640:880; raise InputError."""
    parts = represent(value, str).split(":") if isinstance(value, str | int) else list_items(value)
    return tuple(parse_whole_number(part, 0, "640 in 640:880") for part in parts)


def parse_share(
    value: object, lowest: float = 0.0, highest: float = 1.0, example: str = "0.95 or 95%",
    or_zero: bool = False,
) -> float:  # fmt: skip
    """Return a number of 0 to 1 within these limits, also written 95%; or raise InputError.

    Only with `or_zero` it may be 0.
    """
    text = represent(value, str).strip()
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    is_inside = 0 < share < 1 or (or_zero and share == 0)
    if not (is_inside and lowest <= share <= highest):
        raise InputError(
            f"{quote(value)} is not between {lowest:g} and {highest:g}, such as {example}"
        )
    return share


def parse_share_width(value: object) -> float:
    """Return a precision, 0.005 or 0.5%; raise InputError for 0.5, which can mean 0.5%."""
    share = parse_share(value)
    if isinstance(value, str) and "%" not in value and share > _MOST_BARE_PRECISION:
        raise InputError(
            f"{shorten(value)} can mean {100 * share:g}% or {share:g}%: write one of these"
        )
    return share


def parse_positive_number(value: object) -> float:
    """Return a number above 0, also written ±0.5; or raise InputError."""
    _reject_two_readings(value, is_whole=False)
    try:
        width = float(represent(value, str).strip().lstrip("±"))
    except ValueError:
        width = 0.0
    if not 0 < width < float("inf"):
        raise InputError(f"{quote(value)} is not a number above 0, such as 0.5")
    return width


def parse_turn(value: object) -> tuple[int, int] | str:
    """Return trick and card of `3.2`, or `c.4` and `c.4.2` as they are; or raise InputError."""
    parts = value if isinstance(value, tuple | list) else [value]
    text = ".".join(represent(each, str) for each in parts).strip()
    if re.fullmatch(r"c\.[1-9]\d{0,2}(?:\.[1-5])?", text):
        return text
    match = re.fullmatch(r"([1-8])\.([1-6])", text)
    if match is None:
        raise InputError(
            f"{quote(value)} is neither a trick, 1 to 8, and a card of it, 1 to 6, such as 3.2, "
            "nor a call, such as c.4"
        )
    return int(match[1]), int(match[2])


def parse_argument(name: str, parse: Callable[..., T], value: object, *arguments: Any) -> T:
    """Return `parse(value, *arguments)`; its error names the argument."""
    with locate_errors(f"`{name}`"):
        return parse(value, *arguments)


def parse_count(
    name: str, value: Count | None, lowest: int, example: str, highest: int = MAX_INTEGER
) -> int | None:
    """Return the whole number of an argument, or None."""
    if value is None:
        return None
    return parse_argument(name, parse_whole_number, value, lowest, example, highest)


def reject_both(**arguments: object) -> None:
    """Raise InputError if two or more of these arguments were given (are not None or False)."""
    names = [
        f"`{name}`" for name, value in arguments.items() if value is not None and value is not False
    ]
    if len(names) > 1:
        raise InputError(f"{names[0]} and {names[1]}: give one of them")


def explain_foreign_rule(name: str, game: str) -> str:
    """Return the message on a rule of another game than the one played."""
    return f"`{name}` is a rule of {game}: leave it out, or write `game='{game}'`"


def collect_rules(
    rules: GameRules | None, values: Mapping[str, Any], caller: str, arguments: Iterable[str] = ()
) -> GameRules:
    """Return the rules that are given whole, or by the values of their fields.

    Args:
        values: `RuleArguments`.
        caller, arguments: name of the function that was called, and its arguments, for errors.

    Raises:
        TypeError: there is no such field.
        InputError: there are both, or a rule is of another game; a value is not allowed.
    """
    names = {"game", *(rule.name for each in GAMES.values() for rule in fields(each.rules))}
    for name in values:
        if name not in names:
            hint = suggest(name, [*arguments, *sorted(names)])
            if name in ("threads", "cluster", "progress"):
                hint = f"write runner=kqj_sim.Runner({name}=...)"
            raise TypeError(
                f"{caller}() got an unexpected keyword argument {quote(name)}"
                f"{': ' if hint else ''}{hint}"
            )
    if rules is not None:
        kinds = [each.rules for each in GAMES.values()]
        if not isinstance(rules, tuple(kinds)):
            allowed = " or ".join(f"{kind.__name__}(...)" for kind in kinds)
            raise InputError(f"rules: it is {allowed}, not {type(rules).__name__}")
        for name in values:
            raise InputError(f"rules and {name}: give one of them")
        return _warn_without_effect(rules)
    chosen = parse_argument("game", parse_text, values.get("game", KQJ.name))
    for game, described in GAMES.items():
        kind = described.rules
        if game != chosen and chosen in GAMES:
            for rule in fields(kind):
                if rule.name in values:
                    raise InputError(explain_foreign_rule(rule.name, game))
    return _warn_without_effect(
        make_rules(chosen, {name: value for name, value in values.items() if name != "game"})
    )


def _warn_without_effect(rules: GameRules) -> GameRules:
    for name in rules.without_effect:
        warnings.warn(explain_without_effect(name), UserWarning, stacklevel=4)
    return rules


def explain_without_effect(name: str) -> str:
    """Return the warning of a rule that this bidding ignores."""
    return f"`{name}` has no effect with `bidding='take'`"


def name_policy(policy: PolicyLike) -> str:
    """Return a policy as it is written in a call: its specification, file or name."""
    if isinstance(policy, str | os.PathLike):
        return os.fspath(policy)
    names = (getattr(policy, attribute, "") for attribute in ("given", "name", "__name__"))
    named = (name for name in names if isinstance(name, str) and name)
    return next(named, represent(policy, str))


def parse_players(policy: PoliciesLike | None, rules: GameRules) -> tuple[Player, ...]:
    """Return each seat's player, (seats,).

    Args:
        policy: one for all seats; one for each seat; SPEC, team0=SPEC and seat3=SPEC, or by "all",
            "team0" and "seat3", of which a later one overrides; None for the default player.

    Raises:
        InputError: a seat or team does not exist, or a value is no policy.
    """
    from kqj_sim.policies.players import get_default_player, parse_player

    if policy is None:
        seated: list[tuple[str, PolicyLike]] = []
    elif isinstance(policy, Mapping):
        named = ((represent(seats, str), each) for seats, each in policy.items())
        seated = [("" if seats == "all" else seats, each) for seats, each in named]
    elif isinstance(policy, list | tuple):
        seated = [_split_seats(each) for each in policy]
        is_named = any(seats for seats, _ in seated)
        if len(seated) == rules.seats and not is_named:
            seated = [(f"seat{seat}", each) for seat, (_, each) in enumerate(seated)]
        elif len(seated) != 1 and not is_named:
            raise InputError(
                f"{len(seated)} policies: give one, one for each seat ({rules.seats}), or name the "
                "seats, such as {'all': 'standard', 'seat0': 'greedy'}"
            )
    else:
        seated = [_split_seats(policy)]  # type: ignore[arg-type]
    chosen = [-1] * rules.seats
    for number, (name, player) in enumerate(seated):
        if isinstance(player, str) and not player.strip():
            before = f"{name}={player}" if name else player
            raise InputError(
                f"`policy` {quote(before)} names no policy: write "
                f"{shorten(before)}{get_default_player(rules.game).given}"
            )
        for seat in _list_seats(name, player, rules):
            chosen[seat] = number
    players = {
        number: parse_player(seated[number][1], rules.game)
        if number >= 0
        else get_default_player(rules.game)
        for number in dict.fromkeys(chosen)
    }
    return tuple(players[number] for number in chosen)


_NAMED_SEATS = re.compile(r"(?:seat|team)\d*=")


def drop_overridden(specifications: Sequence[str]) -> Sequence[str]:
    """Return the specifications of `policy` without those before the last one for all seats."""
    whole = [at for at, each in enumerate(specifications) if not _NAMED_SEATS.match(each)]
    return specifications[whole[-1] if whole else 0 :]


def _split_seats(policy: PolicyLike) -> tuple[str, PolicyLike]:
    """Return the seats that a policy names, empty for all, and the policy: `seat3=greedy`."""
    from kqj_sim.policies.players import split_file

    text = policy if isinstance(policy, str) else ""
    match = re.fullmatch(r"([A-Za-z]+\d*)=(.*)", text, re.DOTALL)
    if match and os.path.isfile((split_file(text) or [""])[0]):
        match = None  # A folder may have such a name.
    return ("", policy) if match is None else (match[1], match[2])


def _list_seats(name: str, policy: PolicyLike, rules: GameRules) -> Sequence[int]:
    """Return the seats of seatN or teamN, or all; raise InputError if there are none."""
    if not name:
        return range(rules.seats)
    match = re.fullmatch(r"([A-Za-z]*)(\d*)", name)
    whose, digits = match.groups() if match else (name, "")
    wanted = shorten(name_policy(policy))
    number = int(digits[:4] or -1)
    with locate_errors(f"`policy` {shorten(name)}={wanted}"):
        if whose == "seat":
            if 0 <= number < rules.seats:
                return [number]
            raise InputError(f"the seats are seat0 to seat{rules.seats - 1}")
        if whose != "team":
            raise InputError(f"that is not a seat or team; write seat0={wanted} or team0={wanted}")
        if rules.partners == "random":
            raise InputError(
                f"with `partners='random'` teams change; name seats, such as seat0={wanted}"
            )
        if not 0 <= number < rules.team_count:
            raise InputError(f"the teams are team0 to team{rules.team_count - 1}")
    return [seat for seat in range(rules.seats) if rules.fixed_team_of(seat) == number]


def parse_imposed(
    contract: str | ImposedContract | None, rules: GameRules
) -> ImposedContract | None:
    """Return the contract of `impose`; raise InputError if the rules forbid it."""
    if contract is None:
        return None
    from kqj_sim.imposed import ImposedContract

    with locate_errors(f"`impose` {shorten(contract)}"):
        imposed = ImposedContract.from_text(represent(contract, str))
        imposed.check(rules)
    return imposed


def parse_path(value: object) -> str:
    """Return the path of a file; raise InputError if it is none, or no file can have it."""
    if not isinstance(value, str | os.PathLike):
        raise InputError(f"it is the path of a file, not {type(value).__name__}")
    path = os.fsdecode(value)
    try:
        length = len(os.fsencode(path))
    except UnicodeEncodeError:
        length = 0
    if not 0 < length <= MAX_PATH or "\0" in path:
        raise InputError(f"it is the path of a file, and {quote(path)} cannot be one")
    return path


def parse_paths(value: object) -> list[str]:
    """Return the paths of several files, or of one; raise InputError if there are none."""
    if isinstance(value, os.PathLike):
        value = [value]
    return [parse_path(each) for each in list_items(value)]


def parse_text(value: object) -> str:
    """Return a text; raise InputError if it is none."""
    if not isinstance(value, str):
        raise InputError(f"it is a text, not {type(value).__name__}")
    return value


def list_items(items: object) -> list[object]:
    """Return a text, or the items of a list, as a list; raise InputError if it is neither."""
    if isinstance(items, str):
        return [items]
    if isinstance(items, Mapping | bytes) or not isinstance(items, Iterable):
        raise InputError(f"it is a text or a list, not {type(items).__name__}")
    return list(items)


def join_items(name: str, items: object, separator: str = " ") -> str | None:
    """Return cards or calls, a text or a list, as one text; an InputError names the argument."""
    if items is None:
        return None
    with locate_errors(f"`{name}`"):
        return separator.join(represent(each, str) for each in list_items(items))


def split_items(items: object) -> list[str]:
    """Return names that are a list, or a text with commas or blanks between, or a list of these."""
    texts = (represent(each, str) for each in list_items(items))
    return [name for text in texts for name in re.split(r"[,\s]+", text) if name]


def read_place(option: str, place: str | int | None, rules: GameRules) -> int | None:
    """Return the place of a name, or of an int from 0; raise InputError for a number as text."""
    if place is None:
        return None
    if isinstance(place, int) and not isinstance(place, bool):
        if 0 <= place < rules.seats:
            return place
        raise InputError(
            f"`{option}`: {shorten(place)} is not a place: it is 0 (the opener) to "
            f"{rules.seats - 1} (the dealer)"
        )
    with locate_errors(f"`{option}`"):
        return parse_place(parse_text(place), rules.seats)


def read_places(
    option: str, places: str | Iterable[str | int] | None, rules: GameRules
) -> tuple[int, ...] | None:
    """Return the places that an option names; raise InputError if one does not exist."""
    if places is None:
        return None
    # An empty text is no place.
    names: list[str | int] = [""] if isinstance(places, str) and not places else []
    for each in parse_argument(option, list_items, places):
        names += [each] if isinstance(each, int) else parse_argument(option, split_items, each)
    read = (read_place(option, name, rules) for name in names)
    return tuple(place for place in read if place is not None)
