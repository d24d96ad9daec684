"""The kernels of the page give the bytes of native kernels."""

from __future__ import annotations

import copy
import itertools
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kqj_sim.columns import MAX_TOTAL
from kqj_sim.core import auction, call_odds, card_odds
from kqj_sim.core import block as b
from kqj_sim.games.kqj import call_sampler, card_sampler
from kqj_sim.games.kqj.card_sampler import KqjCardSampler, choose_least_weight
from kqj_sim.policies.players import seat_players
from kqj_sim.positions import hidden_cards, sampling
from kqj_sim.positions.measures import ENDINGS, get_kqj_call_measures, get_kqj_card_measures
from kqj_sim.positions.reader import read_position
from kqj_sim.positions.sampling import CERTAIN, EstimatePlan
from kqj_sim.record import partial_record_from_json
from kqj_sim.rules import KqjRules
from kqj_sim.stats import moments as stats_moments
from kqj_sim.stats.moments import NO_LISTS, Objective, WeightedMoments
from kqj_sim.web.make import TABLES
from tests.command_line import run
from tests.imports import ROOT
from tools.page import kernels
from tools.page.module import play_round

pytestmark = pytest.mark.slow
pytest.importorskip("wasmtime", reason="the extra `web` is not installed")

KERNELS = (
    (auction, ("replay_calls", "list_calls", "write_contract_option")),
    (call_odds, ("begin_deals", "draw_callers", "deal_remaining", "play_out_calls")),
    (card_odds, ("draw_hidden_hands", "list_layouts", "play_out_cards", "replay_plays")),
    (card_sampler, ("thin_draws",)),
    (stats_moments, ("add_weighted",)),
    (hidden_cards, ("add_holdings",)),
    (sampling, ("fill_keys",)),
)
CALLS = {"replay_calls", "list_calls", "begin_deals", "draw_callers", "deal_remaining"}
CALLS |= {"play_out_calls", "add_weighted", "add_holdings"}
CARDS = {"replay_plays", "list_layouts", "draw_hidden_hands", "thin_draws", "play_out_cards"}
CARDS |= {"add_weighted", "add_holdings"}
EXACT = {"list_layouts", "fill_keys", "play_out_cards"}
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
    f"--record {ROOT}/tests/golden/capot.jsonl --line 1 --at 7.6 --policy learned+network": EXACT,
}
"""Commands, and the kernels that they call."""

RECORDED = 3
"""Calls of each kernel that are recorded of a command."""


@pytest.fixture(scope="module")
def engine(engine_folder: Path) -> Any:
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
        assert [*map(drop_scratch, arrays)] == [*map(drop_scratch, list_arrays(after))], name


def drop_scratch(content: bytes) -> bytes:
    """Return an array without the scratch rows of a block, which differ by processor."""
    if len(content) != 8 * b.ROW_COUNT * b.STRIDE:
        return content
    return content[: 8 * b.SCRATCH] + content[8 * (b.SCRATCH + 12 * b.STRIDE) :]


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


def read_floats(content: bytes) -> Any:
    """Return numbers that match those of the package but for rounding errors."""
    return pytest.approx(np.frombuffer(content), rel=1e-11, abs=1e-11, nan_ok=True)


def draw_moments(power: int) -> WeightedMoments:
    """Return moments of two shares, one of them rare, and of points; great powers leave few.

    With a power of 1 deals share lists.
    """
    generator, deals = np.random.default_rng(power), 1500
    shares = (generator.random((2, 4, deals)) < [[[0.4]], [[0.004]]]).astype(float)
    points = generator.normal(20, 50, (1, 4, deals)) + np.array([0, 30, 0, 0])[:, np.newaxis]
    moments = WeightedMoments.zeros(3, 4)
    lists = np.arange(deals) // 4 if power == 1 else NO_LISTS
    moments.add(deals, generator.random(deals) ** power, np.concatenate([shares, points]), lists)
    return moments


@pytest.mark.parametrize("power", [0, 1, 50, 300, 2000])
def test_estimates_are_those_of_the_package(engine: Any, power: int) -> None:
    moments = draw_moments(power)
    for measure, option, baseline in itertools.product(range(3), range(4), (-1, 1)):
        is_share = measure < 2 and baseline < 0
        asked = (moments, measure, option, baseline, int(is_share), np.zeros(3))
        _, arrays = engine.call("estimate_measure", asked)
        other = None if baseline < 0 else baseline
        expected = moments.estimate_mean(measure, option, 0.95, other, is_share=is_share)
        assert list(expected[:3]) == read_floats(arrays[-1]), (measure, option, baseline)
    objective = Objective(2, 0, 4, 600.0)
    _, arrays = engine.call("rank_options", (moments, 2, np.zeros(4, dtype=np.int64)))
    assert arrays[-1] == moments.ranking(objective).tobytes()
    certain, _ = engine.call("is_certain", (moments, 2, 0, 600, 4))
    assert certain == moments.is_conclusive(1, objective, 0.0, CERTAIN) == (power < 2)


def test_measures_and_totals_are_those_of_the_package(engine: Any) -> None:
    generator = np.random.default_rng(1)
    outcomes = generator.integers(-1, 9, (3, 500, call_odds.OUTCOME_SIZE)).astype(np.int16)
    outcomes[..., call_odds.OWN_TOTAL] = generator.integers(60, 401, (3, 500))
    weights = generator.random(500)
    rules = KqjRules(bidding="auction")
    for table in (get_kqj_call_measures(rules), get_kqj_card_measures(rules)):
        for name, expected in zip(table.indices, table.compute(outcomes), strict=True):
            _, arrays = engine.call(f"measure_{name}", (outcomes, np.zeros((3, 500))))
            assert arrays[-1] == expected.tobytes(), name
    totals, squares = np.zeros((3, ENDINGS, MAX_TOTAL + 1)), np.zeros((3, 3, MAX_TOTAL + 1))
    lists = np.arange(500) // 8
    asked = (outcomes, weights, lists, totals.sum(axis=1), squares)
    _, arrays = engine.call("add_totals", asked)
    call_sampler.add_totals(outcomes, weights, lists, totals, squares)
    assert totals.sum(axis=1).ravel() == read_floats(arrays[-2])
    assert squares.ravel() == read_floats(arrays[-1])
    moments = WeightedMoments.zeros(1, 3)
    moments.add(500, weights, np.zeros((1, 3, 500)), lists)
    given = (moments, totals[0], squares[0])
    for amount in (0, 90, 250, 401):
        _, arrays = engine.call("estimate_reach", (*given, amount, np.zeros(3)))
        assert list(call_sampler.estimate_reach(*given, amount, 0.95)[:3]) == read_floats(
            arrays[-1]
        )
    for lowest in (80, 230, 250, 400):
        amounts = call_sampler.choose_amounts(*given, lowest, 600)
        count, arrays = engine.call(
            "choose_amounts", (*given, lowest, 600, np.zeros(60, dtype=np.int64))
        )
        assert np.frombuffer(arrays[-1], np.int64)[:count].tolist() == amounts.tolist()


def test_weights_of_layouts_are_those_of_the_package(engine: Any) -> None:
    records = Path(ROOT, "tests/golden/capot.jsonl").read_text(encoding="utf-8")
    at = read_position(partial_record_from_json(records.splitlines()[0]), (7, 6))
    sampler = KqjCardSampler(at, seat_players(None, at.rules), EstimatePlan(), 20_000)
    assert sampler.layout_count > 1 and sampler.play_model is not None
    count = sampler.layout_count
    asked = (sampler.turn, sampler.layouts, sampler.play_model.model, np.zeros(count))
    _, arrays = engine.call("weigh_layouts", asked)
    weights = sampler.weigh_listed_by_plays()
    assert arrays[-1] == weights.tobytes() and len(set(weights)) > 1
    sums = np.zeros(len(at.plays))
    _, arrays = engine.call("weigh_errors", (*asked[:2], weights, asked[2], sums))
    errors = card_sampler.weigh_errors(sampler.turn, sampler.layouts, weights, asked[2])
    assert arrays[-1] == errors.tobytes() and errors.any()
    _, arrays = engine.call("choose_least_weight", (weights, np.array([2.0])))
    assert [choose_least_weight(weights, 2.0)] == read_floats(arrays[-1])
    packed = (sampler.turn, sampler.layouts, 1, sampler._rules, sampler._seating)
    _, arrays = engine.call("count_ways", (*packed, np.zeros(count, dtype=np.int64)))
    assert arrays[-1] == sampler.count_ways(1).tobytes()
