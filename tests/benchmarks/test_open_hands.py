"""Par of auctions, against the values of all contracts."""

from __future__ import annotations

import pytest

import kqj_sim as kqj
from benchmarks.open_hands import find_par
from kqj_sim.positions.reader import read_round
from kqj_sim.positions.solver import Solver
from kqj_sim.record import to_json
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.variants import AUCTION_2


@pytest.mark.slow
def test_par_is_that_of_all_contracts() -> None:
    solver, pars = Solver(), []
    for record in play_records(Experiment(AUCTION_2, "standard", deals=4, seed=9)):
        position = read_round(record)
        par, maker = find_par(position, solver)
        assert maker is not None
        is_openers = position.teams[maker.sender] == position.teams[position.opener]
        pars.append(par if is_openers else -par)
        assert pars[-1] == kqj.solve(to_json(record).encode(), contracts=True).par
    assert min(pars) < 0 < max(pars)
