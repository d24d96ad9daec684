"""The kernels of the page give the bytes of native kernels."""

from __future__ import annotations

import copy
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kqj_sim.core import auction, call_odds, card_odds
from kqj_sim.positions import kqj_cards, plays, sampling
from tests.command_line import run
from tests.imports import ROOT
from web import kernels
from web.module import TABLES, play_round

pytestmark = pytest.mark.slow
pytest.importorskip("wasmtime", reason="the extra `web` is not installed")

KERNELS = (
    (auction, ("replay_calls", "list_calls", "write_contract_option")),
    (call_odds, ("begin_deals", "draw_callers", "deal_remaining", "play_out_calls")),
    (card_odds, ("draw_hidden_hands", "thin_draws", "play_out_cards", "count_first_fives")),
    (kqj_cards, ("list_layouts", "replay_plays")),
    (plays, ("weigh_hands_by_cards",)),
    (sampling, ("fill_keys",)),
)
CALLS = {"replay_calls", "list_calls", "begin_deals", "draw_callers", "deal_remaining"}
CALLS |= {"play_out_calls"}
CARDS = {"replay_plays", "list_layouts", "draw_hidden_hands", "thin_draws", "play_out_cards"}
CARDS |= {"weigh_hands_by_cards"}
EXACT = {"count_first_fives", "list_layouts", "fill_keys", "play_out_cards"}
TAKEN = "7h Ks 4d Qd 9s 8c Tc Jc --return 9h --heard take --played"

COMMANDS = {
    "9h 8h Ah Ks 4d --return 7h --place 4th --lap 2": CALLS,
    "9h 8h Ah Ks 4d --return 7h --place 3rd --teams 3": CALLS,
    "9h 8h Ah Kh Qh 5d 6c Ac --bidding auction --heard 'pass 120s pass'": CALLS,
    "9h 8h Ah Kh Qh 5d 6c Ac --bidding auction --teams 3 --heard '80s pass'": CALLS,
    f"{TAKEN} As": CARDS,
    f"{TAKEN} As --teams 3": CARDS,
    "7h Ks 4d Qd 9s 8c Tc Jc --bidding auction --heard '120h pass pass pass pass pass' "
    "--played As": CARDS,
    f"--record {ROOT}/tests/golden/capot.jsonl --line 1 --at 7.6 --policy points+network": EXACT,
}
"""Commands, and the kernels that they call."""

RECORDED = 3
"""Calls of each kernel that are recorded of a command."""


@pytest.fixture(scope="module")
def engine(engine_folder: Path) -> Any:
    """Return the module in wasmtime."""
    from tests.web.wasm import Engine

    return Engine(engine_folder)


def record(kernel: Callable[..., Any], calls: list[Any]) -> Callable[..., Any]:
    """Return a kernel that keeps its first arguments, its result, and the arguments afterwards."""
    name = kernel.__name__

    def called(*arguments: Any) -> Any:
        if sum(each[0] == name for each in calls) >= RECORDED:
            return kernel(*arguments)
        before = copy.deepcopy(arguments)
        result = kernel(*arguments)
        calls.append((name, before, result, copy.deepcopy(arguments)))
        return result

    return called


def check_replay(engine: Any, calls: list[Any]) -> None:
    """Repeat recorded calls, and compare results and arrays."""
    from tests.web.wasm import list_arrays

    assert calls
    for name, before, result, after in calls:
        found, arrays = engine.call(name, before)
        assert found == int(result or 0), name
        assert arrays == list_arrays(after), name


@pytest.mark.parametrize("table", TABLES)
def test_a_round_of_the_quiz_gives_equal_bytes(
    engine: Any, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(kernels, "play_round", record(kernels.play_round, calls))
    for deal in range(RECORDED):
        play_round(TABLES[table], deal)
    check_replay(engine, calls)


@pytest.mark.parametrize("command", COMMANDS)
def test_replayed_kernel_calls_give_equal_bytes(
    engine: Any, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    calls: list[Any] = []
    for module, names in KERNELS:
        for name in names:
            kernel = getattr(module, name)
            monkeypatch.setattr(module, name, record(kernel, calls))
    result = run("odds", *shlex.split(command), "--deals", "1024", "--threads", "1")
    assert result.exit_code == 0, result.output
    assert {name for name, *_ in calls} >= COMMANDS[command]
    check_replay(engine, calls)
