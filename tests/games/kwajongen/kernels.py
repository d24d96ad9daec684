"""Steps of Kwajongen's rounds, callable from Python for many lanes."""

from __future__ import annotations

from kqj_sim.core.jit import kernel
from kqj_sim.games.kwajongen import engine


@kernel(cache=False)
def prepare_play(state, lanes):  # type: ignore[no-untyped-def]
    for lane in range(lanes):
        engine.prepare_play(state, lane)


@kernel(cache=False)
def ask_calls(state, lanes, rules, table, place):  # type: ignore[no-untyped-def]
    for lane in range(lanes):
        engine.ask_call(state, lane, rules, table, place)


@kernel(cache=False)
def ask_cards(state, lanes, rules, table, trick, position):  # type: ignore[no-untyped-def]
    for lane in range(lanes):
        engine.ask_card(state, lane, rules, table, trick, position)


@kernel(cache=False)
def finish_tricks(state, lanes, rules, table, trick):  # type: ignore[no-untyped-def]
    for lane in range(lanes):
        engine.finish_trick(state, lane, rules, table, trick)
