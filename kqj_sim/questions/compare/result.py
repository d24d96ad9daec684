"""The results of the questions about policies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from kqj_sim.arguments import parse_argument, parse_path
from kqj_sim.messages import represent, shorten
from kqj_sim.paired.comparison import Comparison
from kqj_sim.paired.leads import Verdict
from kqj_sim.questions.compare import screen
from kqj_sim.questions.compare.play import Sweep, Tuning
from kqj_sim.results import Result, save_file
from kqj_sim.stats.intervals import Estimate, make_plain
from kqj_sim.stats.tables import describe_estimate

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class PairResult:
    """Two of the policies compared.

    Attributes:
        one, other: their names.
        lead: points a round (percentage points of games won) by which `one` leads.
        verdict: "better", "worse", "equal" (within the indifference) or "open", said of `one`.

    Example:
        >>> import kqj_sim as kqj
        >>> (pair,) = kqj.compare("standard", "random", deals=500).pairs
        >>> pair.one, pair.other, pair.verdict
        ('standard', 'random', 'better')
    """

    one: str
    other: str
    lead: Estimate
    verdict: Verdict


class ComparisonResult(Result):
    """The result of `compare`: the ranking of the policies, and the lead of each pair.

    Attributes:
        names: the policies, in the order given.
        ranking: the policies, the best first.
        best: the first of these.
        pairs: the pairs of policies.

    Example:
        >>> import kqj_sim as kqj
        >>> result = kqj.compare("random", "greedy", "standard", deals=500)
        >>> result.ranking
        ('standard', 'greedy', 'random')
        >>> result.find_lead("standard", "random").low > 0
        True
    """

    kind: ClassVar[str] = "compare"

    def __init__(self, comparison: Comparison) -> None:
        draw = partial(screen.make_comparison_drawing, comparison)
        super().__init__(screen.make_comparison_screen(comparison), draw)
        self._comparison = comparison
        names = self.names = comparison.names
        self.pairs = tuple(
            PairResult(names[one], names[other], make_plain(leads.lead), leads.verdict)
            for (one, other), leads in comparison.pairs.items()
        )
        # Without all pairs there is no ranking.
        is_whole = len(self.pairs) == math.comb(len(names), 2)
        self.ranking = tuple(names[policy] for policy in comparison.ranking) if is_whole else names
        self.best = self.ranking[0]

    @property
    def lead(self) -> Estimate:
        """The lead of the first policy given over the second."""
        return self.pairs[0].lead

    def find_lead(self, one: str, other: str) -> Estimate:
        """Return the lead of one policy over another, by name; raise KeyError for others."""
        for name in (one, other):
            if represent(name, str) not in self.names:
                known = ", ".join(self.names)
                raise KeyError(f"{shorten(represent(name))}: the policies are {known}")
        return make_plain(self._comparison.lead(*map(self.names.index, (one, other))))

    def frame(self) -> pd.DataFrame:
        """Return one row per pair: `one`, `other`, `lead`, `low`, `high`, `n` and `verdict`."""
        import pandas as pd

        rows = [
            (pair.one, pair.other, pair.lead.value, *pair.lead.finite_bounds,
             pair.lead.observations, pair.verdict)
            for pair in self.pairs
        ]  # fmt: skip
        columns = ["one", "other", "lead", "low", "high", "n", "verdict"]
        verdicts = pd.CategoricalDtype(["better", "worse", "equal", "open"])
        return pd.DataFrame(rows, columns=columns).astype({"verdict": verdicts})

    def describe_interruption(self) -> str:
        """Say how much was finished."""
        count, unit = math.comb(len(self.names), 2), self._comparison.unit
        last = [*self._comparison.pairs.values()][-1]
        return (
            f"{len(self.pairs)} of {count} pairs, {last.deals:,} {unit}s of the last pair; "
            f"the intervals hold for the {unit}s played"
        )


class SweepResult(Result):
    """The result of `sweep`: every setting of the parameters with its points.

    Attributes:
        settings: the settings in their order.
        best: the one that scored most.
        tied: the others that are statistically tied with it.

    Example:
        >>> import kqj_sim as kqj
        >>> found = kqj.sweep("standard", "take=20,150", opponents="standard", deals=300)
        >>> found.best.name, found.tied
        ('take=20', ())
    """

    kind: ClassVar[str] = "sweep"

    def __init__(self, sweep: Sweep) -> None:
        draw = partial(screen.make_sweep_drawing, sweep)
        super().__init__(screen.make_sweep_screen(sweep), draw)
        self.settings = sweep.settings
        self.best = sweep.best
        self.tied = sweep.tied_with_best

    def frame(self) -> pd.DataFrame:
        """Return one row per setting: its values, `points` and `loss` with bounds, `status`."""
        import pandas as pd

        rows = [
            {
                **setting.values,
                **describe_estimate("points", setting.points),
                **describe_estimate("loss", setting.loss),
                "n": setting.points.observations,
                "status": setting.status,
            }
            for setting in self.settings
        ]
        frame = pd.DataFrame(rows)
        for name in self.best.values:
            numbers = pd.to_numeric(frame[name], errors="coerce")
            frame[name] = frame[name].astype("category") if numbers.isna().any() else numbers
        return frame.astype({"status": pd.CategoricalDtype(["best", "tied", "worse"])})

    def describe_interruption(self) -> str:
        """Say how much was finished."""
        return f"the tables hold {self.deals:,} deals of each"


class TuningResult(Result):
    """The result of `tune`: the parameters found, and their gain on fresh deals.

    Attributes:
        best: the values found, by parameter.
        policy: the specification of the player found, for `policy=` of the other functions.
        gain: points a round that it scores more than the start, on fresh deals; NaN if it was not
            confirmed.

    Example:
        >>> import kqj_sim as kqj
        >>> found = kqj.tune(
        ...     "standard", "take=0:150", opponents="standard", deals=64, generations=2, confirm=64
        ... )
        >>> 0 <= found.best["take"] <= 150
        True
    """

    kind: ClassVar[str] = "tune"

    def __init__(self, tuning: Tuning, made_by: str = "", path: str | None = None) -> None:
        draw = partial(screen.make_tuning_drawing, tuning)
        super().__init__(screen.make_tuning_screen(tuning, path), draw)
        self._tuning = tuning
        self._made_by = made_by
        self.best = {
            parameter.name: float(value)
            for parameter, value in zip(tuning.search_parameters, tuning.values, strict=True)
        }
        self.policy = tuning.player.under(tuning.rules).text
        self.gain = make_plain(tuning.gain)

    def frame(self) -> pd.DataFrame:
        """Return one row per generation: the centre's values, `points` and `best_points`."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "generation": generation.number,
                    **dict(zip(self.best, map(float, generation.values), strict=True)),
                    "points": float(generation.points),
                    "best_points": float(generation.best),
                }
                for generation in self._tuning.generations
            ]
        )

    def save(self, path: str | Path) -> None:
        """Write the policy found to a .toml file, or the tables, by the suffix.

        The policy's file begins with the call that found it.

        Raises:
            InputError: the suffix stands for no format.
        """
        path = parse_argument("path", parse_path, path)
        if path.lower().endswith(".toml"):
            save_file(path, self.render_player(path))
        else:
            super().save(path)

    def render_player(self, path: str) -> bytes:
        """Return the policy found as the content of a player's file at this path."""
        return screen.render_player_file(self._tuning, path, self._made_by)

    def describe_interruption(self) -> str:
        """Say how much was finished."""
        done, plan = self._tuning, self._tuning.plan
        return (
            f"{len(done.generations)} of {plan.generations} generations, confirmed on "
            f"{done.leads.deals:,} of {plan.confirm:,} deals"
        )
