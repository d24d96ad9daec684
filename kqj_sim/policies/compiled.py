"""Policies compiled into the loops that ask them.

The templates of `core.asking` are copied with the policy's function in place of theirs.  A copy has
a name of its own, so that numba keeps it on disk; built-in policies are covered by the hash of the
package's sources in the cache folder's name, a user's policies are compiled anew in each process.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import carray, types

from kqj_sim.core import asking, valuing, views
from kqj_sim.core.asking import ACCEPT, BID, COUNTER, FOLLOW, LEAD, OVERCOUNTER, TAKE
from kqj_sim.core.compile import compiled_for, float32_at, kernel, pointer, reading, scalar, variant
from kqj_sim.core.kwajongen import asking as kwajongen_asking
from kqj_sim.core.kwajongen.views import AcceptView
from kqj_sim.core.rules import MAX_PARAMETERS
from kqj_sim.core.state import SEATS

VIEW = {
    "take": views.TakeView,
    "bid": views.BidView,
    "counter": views.CounterView,
    "overcounter": views.CounterView,
    "card": views.CardView,
    "accept": AcceptView,
}
"""The questions a policy answers, and what it sees."""

LOOPS: dict[str, dict[int, tuple[str, Callable[..., None]]]] = {
    "kqj": {
        TAKE: ("take", asking.ask_take),
        BID: ("bid", asking.ask_bid),
        COUNTER: ("counter", asking.ask_counter),
        OVERCOUNTER: ("overcounter", asking.ask_counter),
        LEAD: ("lead", asking.ask_lead),
        FOLLOW: ("follow", asking.ask_follow),
    },
    "kwajongen": {
        ACCEPT: ("kwajongen_accept", kwajongen_asking.ask_accept),
        LEAD: ("kwajongen_lead", kwajongen_asking.ask_lead),
        FOLLOW: ("kwajongen_follow", kwajongen_asking.ask_follow),
    },
}
"""Name and template of each member of a `core.rules.Table` that a game asks."""

QUESTION = ("take", "bid", "counter", "overcounter", "card", "card", "accept")
"""The question that each member (`core.asking.TAKE` to `ACCEPT`) asks."""

QUESTIONS = {
    game: tuple(dict.fromkeys(QUESTION[member] for member in loops))
    for game, loops in LOOPS.items()
}
"""The questions that each game asks."""

CALLS = {
    game: tuple(each for each in questions if each != "card")
    for game, questions in QUESTIONS.items()
}
"""Those of the calling."""


def parameters_type(names: tuple[str, ...]) -> Any:
    """A named tuple of parameters."""
    return namedtuple("Parameters", names)


def compile_choice(choice: Any, question: str, parameters: Any, arguments: int) -> Any:
    """Compile a policy's function against what it will be called with; the type it answers.

    `arguments` is how many it takes: the view, the parameters, the weights.

    Raises:
        numba.core.errors.NumbaError: it does not compile; the text names the user's own line.
    """
    view: Any = VIEW[question]
    signature = [types.NamedUniTuple(types.int64, len(view._fields), view)]
    if arguments > 1:
        signature.append(types.NamedUniTuple(types.float64, len(parameters._fields), parameters))
    if arguments > 2:
        signature.append(types.float32[::1])
    return compiled_for(choice, tuple(signature)).signature.return_type


def answering(choice: Any, arguments: int) -> Any:
    """A policy's function as one of (view, parameters, weights), of which it takes the first."""
    if arguments == 1:
        return scalar(lambda view, values, weights: choice(view))
    if arguments == 2:
        return scalar(lambda view, values, weights: choice(view, values))
    return choice


def guarded(answer: Any) -> Any:
    """A function of (view, parameters, weights) with an int64 as its answer.

    That is `core.views.RAISED` where the function raises an exception: a loop could not pass it
    on.  Nor do unsigned and signed numbers mix in a loop.
    """
    raised = views.RAISED

    def guard(view: Any, values: Any, weights: Any) -> Any:
        try:
            return np.int64(answer(view, values, weights))
        except Exception:
            return raised

    return scalar(guard)


def parameter_offset(member: int, number: int) -> int:
    """Where the parameters of the policy `number` for a loop begin in `Table.parameters`."""
    return (member * SEATS + number) * MAX_PARAMETERS


def parameters_reader(member: int, parameters: Any) -> Any:
    """A scalar function that reads a policy's parameters from the table of all of them."""
    start = parameter_offset(member, 0)
    names = parameters._fields
    if not names:
        return scalar(lambda table, number: 0.0)
    parameters_at = reading(types.NamedUniTuple(types.float64, len(names), parameters))
    return scalar(lambda table, number: parameters_at(table, number * MAX_PARAMETERS + start))


def _weights_reader(member: int, size: int) -> Any:
    """A scalar function that finds a policy's weights (`size` of them) among the resources."""
    if size == 0:
        return scalar(lambda resources, number: 0.0)
    start = member * SEATS

    def read(resources: Any, number: int) -> Any:
        return carray(float32_at(resources[start + number]), size)

    return scalar(read)


def bind(
    member: int, choice: Any, parameters: Any, arguments: int, weights: int, name: str | None,
    everybody: bool, checked: bool, game: str = "kqj",
) -> Any:  # fmt: skip
    """A loop with a policy compiled into it.

    Args:
        member: which loop (`core.asking.TAKE` to `ACCEPT`).
        choice: the policy's compiled function.
        parameters: its named tuple of parameters.
        arguments: how many of view, parameters and weights it takes.
        weights: how many weights it has.
        name: the policy's name if the result may be kept on disk, else None.
        everybody: one policy sits at all seats.
        checked: what it answers is checked against the rules.
        game: the game that asks.
    """
    answer = answering(choice, arguments)
    if checked:
        answer = guarded(answer)
    return bind_answer(
        member, answer, parameters_reader(member, parameters), _weights_reader(member, weights),
        name, everybody, checked, game,
    )  # fmt: skip


def bind_answer(
    member: int, answer: Any, parameters: Any, weights: Any, name: str | None, everybody: bool,
    checked: bool, game: str = "kqj",
) -> Any:  # fmt: skip
    """A loop with a function compiled into it that answers (view, parameters, weights).

    `parameters` and `weights` are functions that find them in the arrays which the loop gets.
    """
    loop, template = LOOPS[game][member]
    label = f"{loop}_{name}_{'everybody' if everybody else 'some'}{'_checked' if checked else ''}"
    copy = variant(
        label,
        template,
        _choose=answer,
        _parameters=parameters,
        _weights=weights,
        _EVERYBODY=everybody,
        _CHECKED=checked,
    )
    return pointer(asking.ASKING, copy, cache=name is not None)


def bind_values(values: Any, size: int, name: str) -> Any:
    """A copy of `core.valuing.value_cards` with a policy's values compiled into it.

    Args:
        values: the policy's function (`registry.Policy.valuing`).
        size: how many weights it has.
        name: the policy's name; the result is kept on disk.
    """
    return kernel(variant(f"values_{name}", valuing.value_cards, _values=values, _SIZE=size))
