"""KQ and KQJ under uniformly random play, against exact probabilities.

K, Q and J of trump stand next to each other, so that whenever one of them in a hand may be played,
all may: each order is equally likely.  Of the 7/47 rounds in which somebody has K and Q of trump
the player leads K first in half, 7/94; with all three, 21/1081, one order in six is K Q J, 7/2162.
The difference, 77/1081, are the rounds with a KQ that is no KQJ.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.cards import CONTRACTS
from kqj_sim.imposed import ImposedContract
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import iterate_row_chunks
from tests.slow import slow_after
from tests.variants import AUCTION_2, AUCTION_3, TAKE_2, TAKE_3

KQ, KQJ = 77 / 1081, 7 / 2162
PER_CONTRACT = 400_000
Z = 4.0


def _assert_mean(found: NDArray[np.int32], exact: float, what: str) -> None:
    z = (found.mean() - exact) / (found.std() / sqrt(len(found)))
    assert abs(z) < Z, f"{what}: {found.mean():.6f}, exactly {exact:.6f}, z = {z:.1f}"


COLUMNS = ("contract", "kq_contracting", "kq_defending", "kqj_contracting", "kqj_defending")


def _play(experiment: Experiment) -> dict[str, NDArray[np.int32]]:
    """Return `COLUMNS` of an experiment: all columns of a million rows are 250 MB."""
    chunks = [
        [rows.column(name).copy() for name in COLUMNS] for rows in iterate_row_chunks(experiment)
    ]
    return {
        name: np.concatenate(parts)
        for name, parts in zip(COLUMNS, zip(*chunks, strict=True), strict=True)
    }


def _bonuses(columns: dict[str, NDArray[np.int32]], name: str) -> NDArray[np.int32]:
    both: NDArray[np.int32] = columns[f"{name}_contracting"] + columns[f"{name}_defending"]
    return both


def _assert_bonuses(columns: dict[str, NDArray[np.int32]], suits: int, what: str) -> None:
    """KQ and KQJ, each of `suits` trump suits alike."""
    _assert_mean(_bonuses(columns, "kq"), suits * KQ, f"{what}: KQ")
    _assert_mean(_bonuses(columns, "kqj"), suits * KQJ, f"{what}: KQJ")


@pytest.mark.parametrize("rules", slow_after(1, [AUCTION_3, TAKE_2, TAKE_3, AUCTION_2]))
@pytest.mark.parametrize("contract", CONTRACTS)
def test_bonuses_of_a_contract_that_nobody_chose(rules: KqjRules, contract: str) -> None:
    amount = rules.minimum_bid if rules.bidding == "auction" else None
    imposed = ImposedContract(CONTRACTS.index(contract), contract, amount)
    experiment = Experiment(rules, ("random",) * 6, PER_CONTRACT, seed=9, imposed=imposed)
    columns = _play(experiment)
    if contract == "NT":
        assert not _bonuses(columns, "kq").any()
        assert not _bonuses(columns, "kqj").any()
    else:
        _assert_bonuses(columns, 4 if contract == "AT" else 1, contract)


def test_bonuses_of_a_million_auctions_in_which_nobody_looks() -> None:
    for rules in (AUCTION_2, AUCTION_3):
        columns = _play(Experiment(rules, ("random",) * 6, 1_000_000, seed=10))
        contract = columns["contract"]
        for number, suit in enumerate("shdc"):
            chosen = {name: values[contract == number] for name, values in columns.items()}
            assert len(chosen["contract"]) > 50_000
            _assert_bonuses(chosen, 1, suit)
        _assert_mean(_bonuses(columns, "kq")[contract == 5], 4 * KQ, "AT")


def test_the_bonus_is_any_seats_alike() -> None:
    """Three of six seats are the contracting team with two teams, two with three."""
    for rules, share in ((AUCTION_2, 1 / 2), (AUCTION_3, 1 / 3)):
        imposed = ImposedContract(1, "d", 200)
        experiment = Experiment(rules, ("random",) * 6, PER_CONTRACT, seed=12, imposed=imposed)
        columns = _play(experiment)
        _assert_mean(columns["kq_contracting"], share * KQ, "KQ of the contracting team")
        _assert_mean(columns["kqj_contracting"], share * KQJ, "KQJ of the contracting team")
