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
from tests.core.agreement import Agreement, Amounts, games_agree, variant_agrees
from tests.variants import AUCTION_2, TAKE_2, VARIANTS, impositions, tables

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
            for variant in VARIANTS
        }


@pytest.mark.parametrize("variant", VARIANTS)
def test_rounds_agree_with_the_referee(
    agreements: Submitted, amounts: Amounts, variant: str
) -> None:
    agreement = agreements[variant_agrees, variant].result()
    assert agreement.failure is None, agreement.failure
    rules = VARIANTS[variant]
    players = len(tables()) + (rules.bidding == "auction")
    imposed = len(impositions(rules)) * amounts.imposed
    expected = players * amounts.rounds + imposed + LANES
    assert agreement.rounds == expected


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_agree_with_the_referee(agreements: Submitted, variant: str) -> None:
    agreement = agreements[games_agree, variant].result()
    assert agreement.failure is None, agreement.failure


def test_everything_occurred_in_the_rounds_checked(agreements: Submitted) -> None:
    seen = sum((future.result().seen for future in agreements.values()), Counter[str]())
    contracts = ("s", "h", "d", "c", "NT", "AT", None)
    results = ("made", "failed", "litigation", "passed_out")
    wanted = {
        *(f"{bidding}: {result}" for bidding in ("take", "auction") for result in results),
        *(f"{bidding}: contract {c}" for bidding in ("take", "auction") for c in contracts),
        *(f"auction: stake {stake}" for stake in (1, 2, 4)),
        *(f"auction: {call}" for call in ("pass", "bid", "counter", "overcounter")),
        *(f"take: {call}" for call in ("pass", "take")),
        *(f"bonus {bonus}" for bonus in ("last_trick", "capot", "kq", "kqj")),
        *(f"pending: {result}" for result in results),
        "capot announced: made",
        "capot announced: failed",
        "three-team gratuity",
    }
    assert wanted <= set(seen), f"never occurred: {sorted(wanted - set(seen))}"
