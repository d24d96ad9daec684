"""Stages of Kwajongen's engine, callable from Python."""

from __future__ import annotations

from kqj_sim.core import dispatch
from kqj_sim.core.jit import kernel
from kqj_sim.core.kwajongen.round import record_trick


@kernel(cache=False)
def ask(table, member, state, lanes, first, second, rule):  # type: ignore[no-untyped-def]
    """Ask the players of a table for one decision."""
    dispatch.ask(table, member, state, lanes, first, second, 2, rule)


@kernel(cache=False)
def remember_trick(state, lanes, table, trick):  # type: ignore[no-untyped-def]
    """Record a trick before it is cleared."""
    record_trick(state, lanes, table, trick)
