"""The engine against the referee: every variant, ruling and kind of player."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor

import pytest

from kqj_sim.core.block import LANES
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.workers import count_processors
from tests.core.agreement import (
    ALL_VARIANTS,
    Agreement,
    Amounts,
    games_agree,
    list_runs,
    variant_agrees,
)
from tests.games.every import SHARED
from tests.variants import AUCTION_2, TAKE_2, tables

Submitted = dict[tuple[Callable[[str, Amounts], Agreement], str], Future[Agreement]]

FEW, MANY = Amounts(rounds=60, imposed=4, games=2), Amounts(rounds=300, imposed=12, games=6)


@pytest.fixture(
    scope="module", params=[FEW, pytest.param(MANY, marks=pytest.mark.slow)], ids=["few", "many"]
)
def amounts(request: pytest.FixtureRequest) -> Amounts:
    """The extent of the checks of each variant."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def agreements(amounts: Amounts) -> Iterator[Submitted]:
    """All checks under way, variants side by side on the processors."""
    for policies in tables().values():
        for rules in (TAKE_2, AUCTION_2):
            # Compiled once here, for all the processes.
            assert list(play_records(Experiment(rules, policies, deals=1)))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(4, count_processors()), context) as pool:
        yield {
            (check, variant): pool.submit(check, variant, amounts)
            for check in (variant_agrees, games_agree)
            for variant in ALL_VARIANTS
        }


@pytest.mark.parametrize("variant", ALL_VARIANTS)
def test_rounds_agree_with_the_referee(
    agreements: Submitted, amounts: Amounts, variant: str
) -> None:
    agreement = agreements[variant_agrees, variant].result()
    assert agreement.failure is None, agreement.failure
    runs = list_runs(ALL_VARIANTS[variant], amounts)
    assert agreement.rounds == sum(run.deals for run in runs) + LANES


@pytest.mark.parametrize("variant", ALL_VARIANTS)
def test_games_agree_with_the_referee(agreements: Submitted, variant: str) -> None:
    agreement = agreements[games_agree, variant].result()
    assert agreement.failure is None, agreement.failure


def test_everything_occurred_in_the_rounds_checked(agreements: Submitted) -> None:
    seen = sum((future.result().seen for future in agreements.values()), Counter[str]())
    wanted = set().union(*(shared.list_events() for shared in SHARED.values()))
    assert wanted <= set(seen), f"never occurred: {sorted(wanted - set(seen))}"
