"""A notebook-like script: which of two policies scores more, on the same deals?

Run it from anywhere: python examples/compare_policies.py
"""

# %% The question: two policies, seats 0 2 4 against seats 1 3 5.
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kqj_sim import Experiment, KqjRules, simulate
from kqj_sim.rows import Rows

OWN = f"{Path(__file__).parent / 'ace_counter.py'}"
OTHER = "greedy"
DEALS = 20_000
rules = KqjRules(teams=2, all_no_trump="never")

# %% The same deals twice, so that each policy holds each side's cards once.
there = simulate(Experiment(rules, (OWN, OTHER) * 3, deals=DEALS, seed=1))
back = simulate(Experiment(rules, (OTHER, OWN) * 3, deals=DEALS, seed=1))


def lead(rows: Rows, team: int) -> NDArray[np.int64]:
    """By how much a team scores more than the other, in each deal."""
    return rows.column(f"score_{team}").astype(np.int64) - rows.column(f"score_{1 - team}")


# %% The unit is the deal: the error is that of the paired difference.
difference = (lead(there, 0) + lead(back, 1)) / 2
mean = difference.mean()
error = 1.96 * difference.std(ddof=1) / np.sqrt(DEALS)
print(f"{DEALS} deals, each played twice, cards exchanged")
print(f"ace_counter scores {mean:+.1f} points a round more than {OTHER} (95%: +-{error:.1f})")

# %% Where does it come from?  The rows as a pandas table: who takes, and how often it is made.
frame = there.frame()
taken = frame[frame["taken"] == 1].assign(
    side=lambda rows: rows["contracting_team"].map({0: "ace_counter", 1: OTHER})
)
print(
    taken.groupby("side")
    .agg(
        rounds=("deal", "size"),
        made=("result", lambda result: (result == "made").mean()),
        total=("contracting_total", "mean"),
        trumps=("sender_trumps", "mean"),
    )
    .round(3)
)
