"""No kernel of Kwajongen uses a number or a function that is KQJ's."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from itertools import pairwise
from types import FunctionType, ModuleType
from typing import Any

import pytest

from kqj_sim.core import block, cards, play, round, trick
from kqj_sim.core.dispatch import Asking
from kqj_sim.core.jit import InlineFunction, scalar
from kqj_sim.core.kwajongen import cards as kwajongen_cards
from kqj_sim.core.kwajongen import games as kwajongen_games
from kqj_sim.core.kwajongen import odds as kwajongen_odds
from kqj_sim.core.kwajongen import round as kwajongen_round
from kqj_sim.core.kwajongen import scoring as kwajongen_scoring
from kqj_sim.core.kwajongen import trick as kwajongen_trick
from kqj_sim.games import GAMES
from kqj_sim.policies.binding import LOOPS

KQJ_MODULES = (block, cards, trick, play, round)
KWAJONGEN_MODULES = (
    kwajongen_cards,
    kwajongen_trick,
    kwajongen_scoring,
    kwajongen_round,
    kwajongen_games,
    kwajongen_odds,
)
GAME = GAMES["kwajongen"]
KERNELS = {
    "start_deals": GAME.start_deals,
    "play_block": GAME.play_block,
    "play_deals": GAME.play_deals,
    "start_game": GAME.start_game,
    "assign_rounds": GAME.assign_rounds,
    "advance_games": GAME.advance_games,
    "play_games": GAME.play_games,
    "begin_rounds": kwajongen_round.begin_rounds,
    "call_by_accepting": kwajongen_round.call_by_accepting,
    "finish_rounds": kwajongen_round.finish_rounds,
    "sample_deals": kwajongen_odds.sample_deals,
    "play_out_calls": kwajongen_odds.play_out_calls,
    "replay_calls": kwajongen_odds.replay_calls,
    "play_out_cards": kwajongen_odds.play_out_cards,
    "list_hidden_hands": kwajongen_odds.list_hidden_hands,
    "draw_hidden_hands": kwajongen_odds.draw_hidden_hands,
}


def _plain(value: Any) -> FunctionType | None:
    function = getattr(value, "py_func", value)
    return function if isinstance(function, FunctionType) else None


def _names_used(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the names that a function finds outside itself, with their values."""
    yield from zip(
        function.__code__.co_freevars,
        (cell.cell_contents for cell in function.__closure__ or ()),
        strict=True,
    )
    code = list(dis.get_instructions(function))
    for instruction, following in pairwise(code):
        name = instruction.argval
        if instruction.opname != "LOAD_GLOBAL" or name not in function.__globals__:
            continue
        value = function.__globals__[name]
        if isinstance(value, ModuleType) and following.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            name, value = following.argval, getattr(value, following.argval, None)
        yield name, value


def _twins() -> list[tuple[str, Any]]:
    """Names with values that KQJ and Kwajongen define differently; the values are KQJ's."""
    found = []
    for module in KQJ_MODULES:
        for name, value in vars(module).items():
            for other in KWAJONGEN_MODULES:
                twin = vars(other).get(name, value)
                is_own = isinstance(value, int) or _plain(value) is not None
                if is_own and not name.startswith("__") and twin is not value and twin != value:
                    found.append((name, value))
    return found


TWINS = _twins()


def _find_kqj_names(kernel: Any) -> set[str]:
    """The names of KQJ that a kernel, or a function that it calls, uses."""
    found, seen, waiting = set(), set(), [_plain(kernel)]
    while waiting:
        function = waiting.pop()
        if function is None or id(function) in seen:
            continue
        seen.add(id(function))
        for name, value in _names_used(function):
            for twin, own in TWINS:
                same = value == own if isinstance(own, int) else value is own
                if name.upper() == twin.upper() and same:
                    found.add(f"{function.__name__}: {name}")
            if getattr(value, "__module__", "").startswith("kqj_sim"):
                waiting.append(_plain(value))
    return found


def test_the_games_differ_in_what_the_test_looks_for() -> None:
    assert {("SEATS", 6), ("TRICKS", 8), ("SUIT_MASK", 0x0FFF), ("PACK", cards.PACK)} <= {
        twin for twin in TWINS if isinstance(twin[1], int)
    }
    functions = {name for name, value in TWINS if not isinstance(value, int)}
    assert {"rotate_players", "follow_view", "finish_trick", "play_tricks"} <= functions


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_of_kwajongen_use_nothing_of_kqj(name: str) -> None:
    assert _find_kqj_names(KERNELS[name]) == set()


@pytest.mark.parametrize("loop", LOOPS["kwajongen"])
def test_loops_of_kwajongen_use_nothing_of_kqj(loop: int) -> None:
    nothing = scalar(lambda view, values, weights: 0)
    asking = Asking(nothing, nothing, nothing, sole_policy=True, checked=True)
    assert _find_kqj_names(LOOPS["kwajongen"][loop][1](asking)) == set()


def test_a_kernel_of_kwajongen_with_six_seats_is_found() -> None:
    wrong = play.make_play_tricks(
        seats=block.SEATS,
        tricks=kwajongen_cards.TRICKS,
        record_trick=kwajongen_round.record_trick,
        finish_trick=trick.finish_trick,
        play_last_trick=kwajongen_trick.play_last_trick,
    )
    assert isinstance(wrong, InlineFunction)
    found = _find_kqj_names(wrong)
    assert any("play_tricks: seats" in name for name in found)
    assert any("play_tricks: finish_trick" in name for name in found)
    assert any("finish_trick: rotate_players" in name for name in found)
