"""Policies compiled into the loops that ask them.

The factories of `core.dispatch` compile a policy's function into each loop.  The loops of built-in
policies are kept on disk by name, as the cache folder's name has a hash of the package's sources;
those of user policies are compiled anew in each process.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numba import types

from kqj_sim.core import dispatch, views
from kqj_sim.core.jit import compile_cfunc, kernel, make_tuple_reader, scalar
from kqj_sim.core.types import MAX_PARAMETERS, MAX_POLICIES, Kernel

VIEW_OF_DECISION = {
    "take": views.TakeView,
    "bid": views.BidView,
    "counter": views.CounterView,
    "overcounter": views.CounterView,
    "card": views.CardView,
    "accept": views.AcceptView,
}

Arguments: TypeAlias = tuple[str, ...]
"""The arguments of a policy's function, in its order: "view", "parameters" or both; or
`OUTSIDE`."""

OUTSIDE: Arguments = ("view", "resource", "lane")
"""The arguments of a decision that is made outside the engine (`policies.outside`)."""

Loops: TypeAlias = Mapping[int, tuple[str, Callable[[dispatch.Asking], dispatch.AskLoop]]]
"""Name and factory of each loop that a game asks, by its number (`core.dispatch`)."""

LOOPS: Loops = {
    dispatch.TAKE: ("take", dispatch.make_ask_take),
    dispatch.BID: ("bid", dispatch.make_ask_bid),
    dispatch.COUNTER: ("counter", dispatch.make_ask_counter),
    dispatch.OVERCOUNTER: ("overcounter", dispatch.make_ask_counter),
    dispatch.LEAD: ("lead", dispatch.make_ask_lead),
    dispatch.FOLLOW: ("follow", dispatch.make_ask_follow),
    dispatch.RULE_OUT_BID: ("rule_out_bid", dispatch.make_rule_out_bid),
}
"""The loops of KQJ."""

DECISION_OF_LOOP = ("take", "bid", "counter", "overcounter", "card", "card", "accept", "bid")
"""The decision that each loop (`core.dispatch.TAKE` to `RULE_OUT_BID`) asks for."""


def make_parameters_type(names: tuple[str, ...]) -> Any:
    """Return a named tuple class for parameters."""
    return namedtuple("Parameters", names, rename=True)


def adapt_arguments(choice: Any, arguments: Arguments) -> Any:
    """Wrap a policy's function as one of (view, parameters, resource, lane)."""
    if arguments == ("view",):
        return scalar(lambda view, values, resource, lane: choice(view))
    if arguments == ("parameters", "view"):
        return scalar(lambda view, values, resource, lane: choice(values, view))
    if arguments == OUTSIDE:
        return scalar(lambda view, values, resource, lane: choice(view, resource, lane))
    return scalar(lambda view, values, resource, lane: choice(view, values))


def guard_exceptions(decide: Any) -> Any:
    """Wrap a policy's function, of four arguments, so that it returns an int64 and never raises.

    It returns `core.views.EXCEPTION_RAISED` for an exception, which a loop could not pass on.  The
    int64 is needed since unsigned and signed numbers do not mix in a loop.
    """
    raised = views.EXCEPTION_RAISED

    def guard(view: Any, values: Any, resource: Any, lane: Any) -> Any:
        try:
            return np.int64(decide(view, values, resource, lane))
        except Exception:
            return raised

    return scalar(guard)


def parameter_offset(loop: int, number: int) -> int:
    """Return the index in `Seating.parameters` where those of a policy begin for a loop."""
    return (loop * MAX_POLICIES + number) * MAX_PARAMETERS


def make_parameters_reader(loop: int, parameters: Any) -> Any:
    """Return a scalar function that reads a policy's parameters from the table of all of them."""
    start = parameter_offset(loop, 0)
    names = parameters._fields
    if not names:
        return scalar(lambda table, number: 0.0)
    parameters_at = make_tuple_reader(types.NamedUniTuple(types.float64, len(names), parameters))
    return scalar(lambda table, number: parameters_at(table, number * MAX_PARAMETERS + start))


def bind_policy(
    loop: int, choice: Any, parameters: Any, arguments: Arguments, name: str | None,
    sole_policy: bool, checked: bool, loops: Loops = LOOPS,
) -> Any:  # fmt: skip
    """Compile a loop with a policy in it.

    Args:
        loop: which loop (`core.dispatch.TAKE` to `ACCEPT`).
        parameters: the policy's named tuple of parameters.
        name: the policy's name if the result may be cached on disk, else None.
    """
    answer = adapt_arguments(choice, arguments)
    if checked and arguments != OUTSIDE:
        answer = guard_exceptions(answer)
    return bind_function(
        loop, answer, make_parameters_reader(loop, parameters),
        scalar(lambda resources, number: resources[loop * MAX_POLICIES + number]), name,
        sole_policy, checked, loops,
    )  # fmt: skip


def bind_function(
    loop: int, choose: Kernel, read_parameters: Kernel, read_resource: Kernel, name: str | None,
    sole_policy: bool, checked: bool, loops: Loops = LOOPS,
) -> Kernel:  # fmt: skip
    """Return a loop with a function (view, parameters, resource, lane) compiled into it.

    `read_parameters` and `read_resource` find them (`core.dispatch.Asking`); the other arguments
    are those of `bind_policy`.
    """
    label, make_loop = loops[loop]
    label += f"_{name}_{'everybody' if sole_policy else 'some'}{'_checked' if checked else ''}"
    asking = dispatch.Asking(choose, read_parameters, read_resource, sole_policy, checked)
    return compile_cfunc(
        dispatch.ASK_SIGNATURE,
        make_loop(asking),
        cache=name is not None,
        name=None if name is None else label,
    )


def bind_bid_filter(
    may_bid: Kernel, parameters: Any, name: str, sole_policy: bool, loops: Loops
) -> Kernel:
    """Compile the loop that rules out bids, with `registry.Policy.bid_filter`.

    `parameters` is its named tuple of parameters; the other arguments are those of `bind_policy`.
    """
    resource_at = scalar(
        lambda resources, number: resources[dispatch.RULE_OUT_BID * MAX_POLICIES + number]
    )
    return bind_function(
        dispatch.RULE_OUT_BID, may_bid, make_parameters_reader(dispatch.RULE_OUT_BID, parameters),
        resource_at, name, sole_policy, False, loops,
    )  # fmt: skip


def bind_card_values(write_values: Kernel, name: str) -> Kernel:
    """Return a `core.dispatch.VALUE_SIGNATURE` function with a policy's values compiled into it.

    `write_values` is `registry.Policy.value_function`; its compiled code is kept by `name`.
    """
    return kernel(name=f"values_{name}")(dispatch.make_value_cards(write_values))
