"""Opponents who err when they take: how well does a policy do against them?

    kqj-sim compare points:take=20 points --opponents examples/erring.py:erring:share=0.3
    kqj-sim sweep points --vary take=20,30 --opponents examples/erring.py:erring:share=0,spread=60

Without an error they take like `points`, and the default player does the rest.
"""

from typing import Any

import kqj_sim as kqj
from kqj_sim.policies.points import count_to_take, get_fitted, threshold_to_take


@kqj.policy
class erring:  # specifications are lower case
    """takes like points, but errs"""

    share: Any = kqj.number(0.1, "share of turns in which it does the opposite", 0, 1)
    spread: Any = kqj.number(0, "points by which it may misjudge the count of its hand", 0, 200)

    def choose_take(self, view: Any) -> Any:
        """Take by a count that may be wrong, and in some turns do the opposite."""
        fitted = get_fitted(view.team_count)
        best, most = kqj.PASS, -1000.0
        for contract in range(6):
            is_own = contract < 4 and kqj.suit(view.turned, contract) != 0
            is_allowed = view.lap == 2 if contract < 4 else view.all_no_trump != 0
            worth = count_to_take(view, contract, fitted)
            if (is_own or is_allowed) and worth > most:
                best, most = contract, worth
        error = self.spread * ((view.random >> 16) / 32768 - 1)
        takes = most + error >= threshold_to_take(view, fitted)
        is_opposite = (view.random & 65535) < 65536 * self.share
        return best if takes != is_opposite else kqj.PASS
