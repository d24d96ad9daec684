"""How bold to be in auctions: parameters of `points` that are found by playing against oneself.

One parameter is changed at a time; a change is kept if who makes it scores more against who does
not, on deals with sides exchanged, and again on others.  What bids tell changes with how one bids,
so it is fitted again between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from kqj_sim.duplicate import duplicate
from kqj_sim.policies.points import PARAMETERS
from kqj_sim.rules import KqjRules
from kqj_sim.training.auctions import Hearing, hear

STEPS = {
    "opening": 12.0,
    "outbid": 12.0,
    "support": 15.0,
    "risk": 0.4,
    "jump": 15.0,
    "counter": 0.04,
    "overcounter": 0.04,
}
"""The parameters, each with the first change that is tried."""

LIMITS = {"risk": (0.0, 10.0), "counter": (0.0, 1.0), "overcounter": (0.0, 1.0)}
SHRINK = 0.85
"""Changes become smaller by so much from round to round."""

DAMPING = 0.5
"""What is fitted anew is taken over by so much: in full it would swing to and fro."""

HEARINGS = 2
SURE, SURE_AGAIN = 1.5, 1.0
"""Standard errors by which a change must be better, and again on other deals."""


def specification(values: dict[str, float], plays: str) -> str:
    """Who calls by `points` with parameters and plays like another policy."""
    return "points:" + ",".join(f"{name}={value:g}" for name, value in values.items()) + f"+{plays}"


@dataclass
class Margins:
    """A search for the bidding parameters of `points`.

    Attributes:
        teams: 2 or 3.
        plays: who plays the cards.
        deals: deals of each comparison, and of each fit.
        seed: the first seed; each comparison and fit has its own.
        values: all parameters of `points`; changed by `improve`.
        tell: is told what is changed, a line at a time.
        hearing: the last fit of what bids tell.
    """

    teams: int
    plays: str
    deals: int
    seed: int
    values: dict[str, float]
    tell: Callable[[str], None]
    hearing: Hearing | None = None
    steps: dict[str, float] = field(default_factory=lambda: dict(STEPS))

    @property
    def rules(self) -> KqjRules:
        """Auctions."""
        return KqjRules.from_dict({"teams": self.teams, "bidding": "auction"})

    def _name(self, parameter: str) -> str:
        return parameter if self.teams == 2 else f"three_{parameter}"

    def listen(self) -> None:
        """Fit anew what cards and bids tell."""
        self.seed += 1
        calls = specification(self.values, self.plays)
        deals = np.arange(self.deals)
        self.hearing = hear(self.rules, calls, self.plays, self.seed, deals)
        for parameter, value in self.hearing.parameters.items():
            name = self._name(parameter)
            value = self.values[name] + DAMPING * (value - self.values[name])
            self.values[name] = float(np.clip(value, PARAMETERS[name].low, PARAMETERS[name].high))

    def _lead(self, changed: dict[str, float]) -> tuple[float, float]:
        self.seed += 1
        one, other = (specification(values, self.plays) for values in (changed, self.values))
        return duplicate(self.rules, one, other, self.deals, self.seed, alone=True)

    def _try(self, parameter: str) -> None:
        """Change a parameter up or down, if that is better."""
        name = self._name(parameter)
        low, high = LIMITS.get(parameter, (-np.inf, np.inf))
        best, found = 0.0, None
        for step in (self.steps[parameter], -self.steps[parameter]):
            value = min(max(self.values[name] + step, low), high)
            if value == self.values[name]:
                continue
            changed = {**self.values, name: value}
            lead, error = self._lead(changed)
            if lead > SURE * error and lead > best:
                best, found = lead, changed
        if found is None:
            return
        lead, error = self._lead(found)
        if lead > SURE_AGAIN * error:
            self.tell(f"{name} {self.values[name]:.3g} -> {found[name]:.3g}: {lead:+.2f}")
            self.values = found

    def improve(self, rounds: int) -> None:
        """Fit and change in turn."""
        for _ in range(rounds):
            for _ in range(HEARINGS):
                self.listen()
            for parameter in STEPS:
                self._try(parameter)
            self.steps = {name: step * SHRINK for name, step in self.steps.items()}
