"""Parameters that vary: their values as people write them, and the players with these values."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kqj_sim.arguments import VaryLike, list_items, parse_argument
from kqj_sim.errors import InputError, locate_errors
from kqj_sim.messages import (
    explain_two_readings,
    quote,
    represent,
    shorten,
    use_own_decimals,
)
from kqj_sim.output.sentences import say
from kqj_sim.policies.parameters import Parameter, ParameterValue, format_parameter_number
from kqj_sim.policies.players import Player
from kqj_sim.rules import GameRules

MAX_SETTINGS = 400
"""Largest number of sets of values of a sweep."""


class ParameterValues(NamedTuple):
    """A parameter and its values, as they are written."""

    name: str
    values: tuple[str, ...]


def find_parameter(player: Player, name: str, rules: GameRules) -> tuple[Parameter, str]:
    """Return a parameter and its value as it is written; `calling.NAME` names the part, too.

    Raises:
        InputError: there is none of that name, or both parts have one.
    """
    part, own = player.find_addressed(name)[0]
    chosen = player.under(rules).parts[part]
    parameter, value = chosen.parameter(own), chosen.values_by_name[own]
    assert value is not None
    return parameter, parameter.write(value)


def check_effect(player: Player, names: Sequence[str], rules: GameRules) -> None:
    """Raise InputError for a parameter without effect under the rules."""
    for name in names:
        part, own = player.find_addressed(name)[0]
        message = player.parts[part].without_effect(own, rules)
        if message:
            raise InputError(message)


def read_parameter(player: Player, name: str, given: str | float) -> ParameterValue:
    """Return the value of a parameter; raise InputError if it is not allowed."""
    part, own = player.find_addressed(name)[0]
    with locate_errors(f"policy {quote(player.given)}: {name}={shorten(given)}"):
        return player.parts[part].parameter(own).read(given)


def describe_edge(name: str, value: float, low: float, high: float, parameter: Parameter) -> str:
    """Return a sentence if the best value is at the edge of the range searched; else ""."""
    if low < value < high:
        return ""
    side, bound = ("lower", parameter.low) if value <= low else ("higher", parameter.high)
    shown = format_parameter_number(value)
    return say(__name__, "edge", name, shown, side, bound == value)


def parse_parameter_values(text: str, player: Player, rules: GameRules) -> ParameterValues:
    """Parse a parameter and its values: `take=30:70:5` (70 included) or `take=30,40,45`.

    Raises:
        InputError: it is malformed, or has no values or too many; an unknown parameter, or a value
            that is not allowed.
    """
    name, equals, given = (piece.strip() for piece in text.partition("="))
    if not name or not equals or not given:
        raise InputError(
            f"{quote(text)}: write parameter=from:to:step or parameter=value,value,..."
        )
    find_parameter(player, name, rules)
    values: Sequence[str | float] = (
        _expand_range(text, given) if ":" in given else _split_list(text, given)
    )
    return _read_values(text, name, values, player, rules)


def list_parameter_values(
    vary: VaryLike, player: Player, rules: GameRules
) -> tuple[ParameterValues, ...]:
    """Return the parameters of `sweep` and their values; raise as `parse_parameter_values`."""
    if not isinstance(vary, Mapping):
        texts = parse_argument("vary", list_items, vary)
        return tuple(parse_parameter_values(represent(text, str), player, rules) for text in texts)
    varied = []
    for name, given in vary.items():
        if isinstance(given, str):
            text = f"{represent(name, str)}={given}"
            varied.append(parse_parameter_values(text, player, rules))
        else:
            values = list(given) if isinstance(given, Iterable) else [given]
            text = f"{represent(name, str)}={represent(values)}"
            varied.append(_read_values(text, represent(name, str), values, player, rules))
    return tuple(varied)


def _read_values(
    text: str, name: str, values: Sequence[str | float], player: Player, rules: GameRules
) -> ParameterValues:
    """Return a parameter with these values, which `text` gives."""
    parameter, _ = find_parameter(player, name, rules)
    if not values:
        raise InputError(f"{quote(text)}: {name} has no values")
    if len(values) > MAX_SETTINGS:
        raise InputError(
            f"{name} has {len(values):,} values: at most {MAX_SETTINGS}; take a larger step"
        )
    written = [parameter.write(read_parameter(player, name, value)) for value in values]
    for number, value in enumerate(written):
        if value in written[:number]:
            raise InputError(f"{quote(text)}: the value {value} is there twice")
    return ParameterValues(name, tuple(written))


def _split_list(text: str, given: str) -> list[str]:
    """Return the values of a list; raise InputError for `1,000`, which may be a thousand."""
    for match in _LONE_THOUSANDS.finditer(given):
        number, values = match[0].replace(",", ""), match[0].split(",")
        if any(value.startswith("0") for value in values):
            plain = [str(int(value)) for value in values]
            raise InputError(
                f"{quote(text)}: {match[0]} can mean {number}, or the values "
                f"{', '.join(plain[:-1])} and {plain[-1]}: write {number} or {','.join(plain)}"
            )
    return [each.strip() for each in given.split(",")]


_LONE_THOUSANDS = re.compile(r"(?<![\d.])[1-9]\d{0,2}(?:,\d{3})+(?![\d.])")
"""Values of a list that may be one number with commas between thousands."""


@use_own_decimals()
def _expand_range(text: str, given: str) -> list[float]:
    """Return the values of `from:to:step`, by decimal arithmetic."""
    from decimal import Decimal, InvalidOperation

    form = "write from:to:step with a step above 0, such as 30:70:5"
    pieces = given.split(":")
    for piece in pieces:
        message = explain_two_readings(piece, is_whole=False)
        if message is not None:
            raise InputError(f"{quote(text)}: {message}")
    try:
        low, high, step = (Decimal(piece.strip()) for piece in pieces)
    except (ValueError, InvalidOperation):
        raise InputError(f"{quote(text)}: {shorten(given)} is no range; {form}") from None
    if not all(number.is_finite() for number in (low, high, step)) or step <= 0:
        raise InputError(f"{quote(text)}: {shorten(given)} is no range; {form}")
    if high < low:
        raise InputError(
            f"{quote(text)}: the range is empty, as {shorten(pieces[1])} is below "
            f"{shorten(pieces[0])}"
        )
    try:
        steps = (high - low) // step
    except ArithmeticError:  # The quotient has more digits than decimals have.
        steps = Decimal("inf")
    if steps >= MAX_SETTINGS:
        many = f"{int(steps) + 1:,}" if steps.is_finite() else "far too many"
        raise InputError(
            f"{quote(text)}: {many} values: at most {MAX_SETTINGS}; take a larger step"
        )
    return [float(low + step * number) for number in range(int(steps) + 1)]


def list_combinations(varied: Sequence[ParameterValues]) -> list[tuple[str, ...]]:
    """Return every set of values, the last parameter changing fastest.

    Raises:
        InputError: no parameter, one that occurs twice, or too many sets of values.
    """
    if not varied:
        raise InputError("nothing varies: give a parameter and its values, such as take=30:70:5")
    names = [each.name for each in varied]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{name} varies twice: give all its values at once")
    count = math.prod(len(each.values) for each in varied)
    if count > MAX_SETTINGS:
        counts = " x ".join(str(len(each.values)) for each in varied)
        raise InputError(f"{counts} are {count:,} sets of values: at most {MAX_SETTINGS}")
    return list(itertools.product(*(each.values for each in varied)))
