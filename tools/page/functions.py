"""Functions of the package that are plain Python there, and compiled into kernels here.

They are written in the part of Python that numba compiles.  numba is told here, and not where they
stand, since the package calls them from Python alone, for which nothing has to be compiled.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import overload, overload_attribute, overload_method

from kqj_sim.games.kqj import call_sampler, card_sampler
from kqj_sim.stats import intervals, moments, quantiles, sequences
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE

FUNCTIONS = (
    intervals.compute_reach, intervals.estimate_weighted_share, intervals.make_unbounded,
    intervals._compute_share_bounds, intervals._compute_wilson_bounds,
    intervals._compute_clopper_pearson_bounds, quantiles.student_quantile,
    quantiles.beta_quantile, quantiles._log_beta, quantiles._beta_series,
    sequences.estimate_ratio_sequentially, sequences._make_sequence_estimate,
    sequences.compute_sequence_width, sequences._optimize_boundary, call_sampler.add_totals,
    call_sampler._classify_endings, call_sampler.estimate_reach, call_sampler.choose_amounts,
    card_sampler.count_hand_ways, card_sampler.count_ways, card_sampler.find_different,
    card_sampler.weigh_hands, card_sampler.weigh_layouts, card_sampler.weigh_errors,
    card_sampler.choose_least_weight,
)  # fmt: skip
"""Functions that kernels of the page call."""


def register_functions() -> None:
    """Have numba compile the functions, and the methods of `WeightedMoments`, into kernels."""
    for function in FUNCTIONS:
        _register(function)
    _register_methods(moments.WeightedMoments)
    # The page has intervals of this confidence only.
    normal = quantiles.normal_quantile(DEFAULT_CONFIDENCE)
    overload(quantiles.normal_quantile)(lambda confidence: lambda confidence: normal)


def _register(function: Any) -> None:
    """Have numba compile a function, or one that keeps its results."""
    overload(function)(_offer(inspect.unwrap(function)))


def _register_methods(kind: Any) -> None:
    """Have numba compile the methods and the properties of a kind of named tuples.

    No other kind may have a field of the name of a method.
    """
    for name, member in vars(kind).items():
        if isinstance(member, property):
            overload_attribute(types.NamedTuple, name)(_offer(member.fget, kind))
        elif inspect.isfunction(member) and member.__module__ == kind.__module__:
            overload_method(types.NamedTuple, name)(_offer(member, kind))


def _offer(function: Any, kind: Any = None) -> Callable[..., Any]:
    """Return what numba asks for the function to compile for some types of its arguments."""

    def offer(*arguments: Any, **named: Any) -> Any:
        return function if kind is None or arguments[0].instance_class is kind else None

    offer.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return offer
