"""Sentences: Jinja templates beside the questions that say them, with filters for what they name.

Each question has a template, `sentences.j2` in its folder.  A macro of it is what is said at one
place: a sentence, several, or a part of one.  Line ends are spaces like any others.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kqj_sim.cards import SUIT_SYMBOLS, add_suit_signs, format_card, format_contract
from kqj_sim.games import describe_rules
from kqj_sim.messages import capitalize, count_noun, inflect, join_words
from kqj_sim.output.grid import MIN_OBSERVATIONS, format_number, format_symmetric
from kqj_sim.output.page import read_templates
from kqj_sim.places import format_ordinal, name_places
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.quantities import find_quantity

if TYPE_CHECKING:
    from jinja2 import Environment

# Chances and points in sentences, with the digits that their intervals leave.

_FEW_POINTS = 100
"""Where a round is worth at most this, points have hundredths."""


def format_chance(estimate: Estimate) -> str:
    """Return a chance as precise as its interval: `99.8%`, `71%`, `more than 99.9%`."""
    value = 100 * estimate.value
    known = not math.isnan(estimate.low)
    digits = 0 if known and 50 * (estimate.high - estimate.low) >= 0.95 else 1
    step = 10.0**-digits
    if value < 100 and round(value, digits) == 100:
        return f"more than {100 - step:.{digits}f}%"
    if value > 0 and round(value, digits) == 0:
        return f"less than {step:.{digits}f}%"
    return f"{value:.{0 if value in (0, 100) else digits}f}%"


def format_points(estimate: Estimate, max_points: int) -> str:
    """Return points as precise as their interval: `218`, `2.7`; without one with a decimal."""
    half = (estimate.high - estimate.low) / 2
    digits = 0 if half >= 0.5 and abs(estimate.value) >= 10 else 1
    digits = 2 if max_points < _FEW_POINTS else digits
    if math.isnan(half) and float(estimate.value).is_integer():
        digits = 0
    # A zero has no sign.
    return f"{estimate.value:z,.{digits}f}"


def format_half(estimate: Estimate, max_points: int) -> str:
    """Return the half-width of an interval of points; empty if there is none."""
    half = (estimate.high - estimate.low) / 2
    if math.isnan(half) or half == 0:
        return ""
    if math.isinf(half):
        return "?"
    if max_points < _FEW_POINTS:
        return f"{half:.2f}" if half >= 0.005 else f"{half:.3f}"
    return f"{half:,.0f}" if half >= 9.5 else f"{max(half, 0.1):.1f}"


def format_with_half(estimate: Estimate, max_points: int) -> str:
    """Return points with their interval in brackets: `120 (±3.1)`."""
    half = format_half(estimate, max_points)
    return format_points(estimate, max_points) + (f" (±{half})" if half else "")


def format_gap(estimate: Estimate, max_points: int) -> str:
    """Return the size of a difference of points, with its interval: `0.8 ±1.9`."""
    half = format_half(estimate, max_points)
    size = f"{abs(estimate.value):,.{2 if max_points < _FEW_POINTS else 1}f}"
    return f"{size} ±{half}" if half else size


def say(module: str, sentence: str, *values: Any, **named: Any) -> str:
    """Return a sentence, or several in one paragraph, from the template beside a module.

    `module` is that module's `__name__`.
    """
    return " ".join(str(getattr(load_sentences(module), sentence)(*values, **named)).split())


@functools.cache
def load_sentences(module: str) -> Any:
    """Return the macros of a template as functions."""
    folder = module.split(".")[1:-1]
    return make_environment().get_template("/".join([*folder, "sentences.j2"])).module


@functools.cache
def make_environment() -> Environment:
    """Return where templates are compiled, and kept for the next process."""
    # Imported here, as it is slow and not every command says something.
    from jinja2 import DictLoader, Environment, MemcachedBytecodeCache, StrictUndefined

    environment = Environment(
        loader=DictLoader(read_templates()),
        undefined=StrictUndefined,
        # To compile the templates of a simulation takes 30 ms.
        bytecode_cache=MemcachedBytecodeCache(_KeptTemplates(), prefix=""),
        # Kept code must not hold what filters made of constants.
        optimized=False,
    )
    environment.filters.update(FILTERS)
    environment.globals["MIN_OBSERVATIONS"] = MIN_OBSERVATIONS
    return environment


class _KeptTemplates:
    """Compiled templates on disk, as Jinja asks for them; it takes an error for a missing one.

    The cache is imported here, as it imports numba.
    """

    def get(self, key: str) -> bytes:
        from kqj_sim.core.code_cache import read_kept

        return bytes(read_kept(f"{key}.template"))

    def set(self, key: str, code: bytes, timeout: int | None = None) -> None:
        from kqj_sim.core.code_cache import keep

        keep(f"{key}.template", code)


def take_absolute(estimate: Estimate) -> Estimate:
    """Return the size of a number, such as a lead, with its interval."""
    return estimate if estimate.value >= 0 else -estimate


def subtract_from(estimate: Estimate, total: float) -> Estimate:
    """Return what a number leaves of an exact total, with its interval."""
    return total - estimate


def _write_estimate(unit: str) -> Callable[[Estimate], str]:
    return lambda estimate: format_number(estimate, unit).words


def _write_brief_share(estimate: Estimate) -> str:
    return format_symmetric(estimate, "share").words


def _write_loss(estimate: Estimate) -> str:
    return "about 0" if estimate.value < 0 else format_symmetric(estimate, "points").words


def _write_points_per_round(estimate: Estimate, game: str) -> str:
    unit = find_quantity("lead_per_round", game).unit
    return f"{format_number(estimate, unit).words} points a round"


FILTERS: dict[str, Callable[..., Any]] = {
    "share": _write_estimate("share"),  # 67.1% ±0.1
    "brief_share": _write_brief_share,  # the same as first screens have it
    "points": _write_estimate("points"),  # 142.3 ±0.2
    "lost": _write_loss,  # 4.9 ±2, or about 0
    "change": _write_estimate("change"),  # 0.97 ±0.02
    "a_round": _write_points_per_round,  # 8.3 ±0.2 points a round
    "size": take_absolute,
    "rest": subtract_from,
    "chance": format_chance,  # more than 99.9%
    "rounded": format_points,  # 142
    "half": format_half,  # 3.1
    "mean": format_with_half,  # 142 (±3.1)
    "gap": format_gap,  # 0.8 ±1.9
    "count": count_noun,  # 13 takes
    "noun": inflect,  # takes
    "percent": lambda share: 100 * share,  # 31.4 of 0.314
    "tenths": "{:,.1f}".format,
    "thousands": "{:,}".format,
    "whole": "{:,.0f}".format,  # 1,234 of 1234.4
    "ordinal": format_ordinal,  # 2nd
    "place": lambda place, rules: name_places(rules.seats)[place],  # opener
    "listed": join_words,  # a, b and c
    "names": lambda things: [thing.name for thing in things],
    "capital": capitalize,
    "call": add_suit_signs,  # take ♥
    "card": format_card,  # K♠
    "sign": lambda card: SUIT_SYMBOLS[card.suit],  # ♠ of K♠
    "contract": format_contract,  # ♥
    "rules": describe_rules,  # KQJ, 2 teams, fixed, taking
}
"""The filters of templates, by name."""
