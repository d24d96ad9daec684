"""An experiment simulated in another process, which gets nothing but the pickled experiment."""

from __future__ import annotations

import pickle
from typing import Any

from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate
from tests.command_line import run_python

_SCRIPT = """
import pickle, sys
from kqj_sim import InputError
from kqj_sim.simulation.run import simulate

try:
    frame = simulate(pickle.load(sys.stdin.buffer)).frame()
except InputError as error:
    print(error)
else:
    print(frame.score_0.sum(), frame.score_1.sum())
"""


def format_scores(experiment: Experiment) -> str:
    """Return the sums of both teams' scores, simulated here."""
    frame = simulate(experiment).frame()
    return f"{frame.score_0.sum()} {frame.score_1.sum()}"


def simulate_elsewhere(pickled: bytes) -> str:
    """Return the sums of both teams' scores, or the error, of a process that unpickles it."""
    assert isinstance(pickle.loads(pickled), Experiment)
    done: Any = run_python("-c", _SCRIPT, input=pickled, text=False, check=True)
    return str(done.stdout.decode().strip())
