"""Searches over parameters: `sweep`, `tune` and their results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, Unpack

from kqj_sim.analysis.comparison_plan import DEFAULT_MAX_DEALS
from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.sweep import DEFAULT_DEALS, Setting, Sweep
from kqj_sim.analysis.sweep import sweep as sweep_parameters
from kqj_sim.analysis.tables import describe_estimate
from kqj_sim.analysis.tune import (
    DEFAULT_CONFIRMATION_DEALS,
    DEFAULT_GENERATIONS,
    Generation,
    Tuning,
)
from kqj_sim.analysis.tune import DEFAULT_DEALS as DEFAULT_CANDIDATE_DEALS
from kqj_sim.analysis.tune import tune as tune_parameters
from kqj_sim.analysis.vary import ParameterizedPolicy, list_combinations, parse_parameter_values
from kqj_sim.api.arguments import (
    CONFIDENCE_RANGE,
    MAX_CANDIDATES,
    ArgumentError,
    Count,
    PolicyLike,
    RuleArguments,
    collect_rules,
    convert_policy,
    parse_argument,
    parse_count,
    parse_positive_number,
    parse_share,
    reject_both,
    split_items,
    write_call,
)
from kqj_sim.api.progress import InterruptHandler, ProgressLike, open_progress, open_workers
from kqj_sim.api.results import Result, make_plain, save_file
from kqj_sim.reporting.sweep import make_sweep_drawing, make_sweep_report
from kqj_sim.reporting.tune import make_tuning_drawing, make_tuning_report, render_player_file

if TYPE_CHECKING:
    import pandas as pd

    from kqj_sim.dask_cluster import DaskCluster
    from kqj_sim.reporting.figures import Drawing
    from kqj_sim.rules import GameRules


@dataclass(frozen=True)
class SettingResult:
    """Values of the parameters and what they score.

    Attributes:
        values: the values by parameter, as they are written.
        name: the same as text, "take=35, lap2=30".
        policy: the specification of the player with them, for `policy=` of the other functions.
        points: points a round that they score more than the opponents.
        loss: points a round that they score less than the best, all intervals jointly.
        status: "best", "tied" (statistically tied with the best) or "worse".

    Example:
        >>> import kqj_sim as kqj
        >>> found = kqj.sweep("standard", "take=20,150", opponents="standard", deals=300)
        >>> [(setting.name, setting.status) for setting in found.settings]
        [('take=20', 'best'), ('take=150', 'worse')]
    """

    values: dict[str, str]
    name: str
    policy: str = field(repr=False)  # It names every parameter.
    points: Estimate
    loss: Estimate
    status: Literal["best", "tied", "worse"]


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
        super().__init__(make_sweep_report(sweep))
        self._sweep = sweep
        names = [each.name for each in sweep.varied_parameters]
        self.settings = tuple(_make_setting(names, each) for each in sweep.settings)
        self.best = next(each for each in self.settings if each.status == "best")
        self.tied = tuple(each for each in self.settings if each.status == "tied")

    def frame(self) -> pd.DataFrame:
        """Return one row per setting: its values, `points` and `loss` with bounds, `status`."""
        import pandas as pd

        rows = [
            {
                **each.values,
                **describe_estimate("points", each.points),
                **describe_estimate("loss", each.loss),
                "n": each.points.observations,
                "status": each.status,
            }
            for each in self.settings
        ]
        frame = pd.DataFrame(rows)
        for name in self.best.values:
            numbers = pd.to_numeric(frame[name], errors="coerce")
            frame[name] = frame[name].astype("category") if numbers.isna().any() else numbers
        return frame.astype({"status": pd.CategoricalDtype(["best", "tied", "worse"])})

    def _make_drawing(self) -> Drawing:
        return make_sweep_drawing(self._sweep, self._report.run)


def _make_setting(names: Sequence[str], setting: Setting) -> SettingResult:
    values = dict(zip(names, setting.values, strict=True))
    return SettingResult(
        values, ", ".join(f"{name}={value}" for name, value in values.items()), setting.player,
        make_plain(setting.points), make_plain(setting.loss_to_best), setting.status,
    )  # fmt: skip


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

    def __init__(self, tuning: Tuning, made_by: str) -> None:
        super().__init__(make_tuning_report(tuning))
        self._tuning = tuning
        self._made_by = made_by
        names = [each.name for each in tuning.search_parameters]
        self.best = {name: float(value) for name, value in zip(names, tuning.values, strict=True)}
        self.policy = tuning.player
        self.gain = make_plain(tuning.gain)

    def frame(self) -> pd.DataFrame:
        """Return one row per generation: the centre's values, `points` and `best_points`."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "generation": each.number,
                    **dict(zip(self.best, map(float, each.values), strict=True)),
                    "points": float(each.points),
                    "best_points": float(each.best),
                }
                for each in self._tuning.generations
            ]
        )

    def save(self, path: str | Path) -> None:
        """Write the policy found to a .toml file, or the tables, by the suffix.

        The policy's file begins with the call that found it.

        Raises:
            FormatError: the suffix stands for no format.
        """
        if Path(path).suffix.lower() == ".toml":
            save_file(path, render_player_file(self._tuning, str(path), self._made_by))
        else:
            super().save(path)

    def _make_drawing(self) -> Drawing:
        return make_tuning_drawing(self._tuning, self._report.run)


def sweep(
    policy: PolicyLike,
    vary: str | Sequence[str],
    *,
    opponents: PolicyLike | None = None,
    deals: Count | None = None,
    precision: float | str | None = None,
    seed: Count = 1,
    first: Count = 0,
    confidence: float | str = 0.95,
    threads: Count | None = None,
    cluster: str | DaskCluster | None = None,
    progress: ProgressLike | None = None,
    rules: GameRules | None = None,
    **fields: Unpack[RuleArguments],
) -> SweepResult:
    """Vary a policy's parameters and score every setting, as `kqj-sim sweep`.

    Args:
        policy: the policy whose parameters vary.
        vary: one or more parameters with values, "take=0:60:10" or "take=30,40".
        opponents: the policy on the other sides; by default points+network.
        deals: number of deals for each setting, by default 20,000.
        precision: stop when the interval of every setting is at most ± this: points a round.
        seed: seed of the deals.
        first: number of the first deal.
        confidence: confidence level of the intervals.
        threads: number of threads; None for all processors.
        cluster: address of a Dask scheduler, or a `DaskCluster`.
        progress: True for a line on stderr, or a function of the finished and of all deals.
        rules: the rules, in place of their fields.
        fields: fields of the rules, such as `teams=3, bidding="auction"`.

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.

    >>> import kqj_sim as kqj
    >>> result = kqj.sweep("standard", "take=20,150", opponents="standard", deals=200)
    >>> [setting.name for setting in result.settings]
    ['take=20', 'take=150']
    """
    reject_both(deals=deals, precision=precision)
    table = collect_rules(rules, fields, "sweep")
    subject, varied = convert_policy(policy), [vary] if isinstance(vary, str) else list(vary)
    if not varied:
        raise ArgumentError("vary is empty: write a parameter and its values, such as take=30,40")
    known = ParameterizedPolicy(subject, table)
    sets = len(list_combinations([parse_parameter_values(text, known) for text in varied]))
    count = parse_count("deals", deals, 2, "1e5")
    most = count or (DEFAULT_DEALS if precision is None else DEFAULT_MAX_DEALS)
    with (
        open_workers(threads, cluster) as workers,
        open_progress(progress, "deals", most * sets) as line,
        InterruptHandler() as interruption,
    ):
        found = sweep_parameters(
            subject,
            varied,
            rules=table,
            opponents=None if opponents is None else convert_policy(opponents),
            deals=count,
            precision=None
            if precision is None
            else parse_argument("precision", parse_positive_number, precision),
            confidence=parse_argument("confidence", parse_share, confidence, *CONFIDENCE_RANGE),
            seed=parse_count("seed", seed, 0, "1") or 0,
            first=parse_count("first", first, 0, "0") or 0,
            threads=workers,
            progress=line.advance,
            interrupted=lambda: interruption.stop_requested,
        )
    return SweepResult(found)


def tune(
    policy: PolicyLike,
    parameters: str | Sequence[str],
    *,
    opponents: PolicyLike | None = None,
    deals: Count = DEFAULT_CANDIDATE_DEALS,
    generations: Count = DEFAULT_GENERATIONS,
    candidates: Count | None = None,
    confirm: Count = DEFAULT_CONFIRMATION_DEALS,
    seed: Count = 1,
    first: Count = 0,
    confidence: float | str = 0.95,
    threads: Count | None = None,
    progress: ProgressLike | None = None,
    rules: GameRules | None = None,
    **fields: Unpack[RuleArguments],
) -> TuningResult:
    """Search a policy's parameters for more points a round, as `kqj-sim tune`.

    Args:
        policy: the policy to start from.
        parameters: names, or names with ranges: "take,lap2", ["take=0:80", "lap2"].
        opponents: the policy on the other sides; by default points+network.
        deals: number of deals for each candidate.
        generations: number of generations, at most.
        candidates: number of candidates in a generation; None: by the number of parameters.
        confirm: number of fresh deals on which the result is compared with the start.
        seed: seed of the deals.
        first: number of the first deal.
        confidence: confidence level of the intervals.
        threads: number of threads; None for all processors.
        progress: True for a line on stderr, or a function of the finished and of all generations.
        rules: the rules, in place of their fields.
        fields: fields of the rules, such as `teams=3, bidding="auction"`.

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.

    >>> import kqj_sim as kqj
    >>> result = kqj.tune(
    ...     "standard", "take", opponents="standard", deals=64, generations=2, confirm=256
    ... )
    >>> list(result.best), len(result.frame())
    (['take'], 2)
    """
    table = collect_rules(rules, fields, "tune")
    searched = {
        "deals": (deals, DEFAULT_CANDIDATE_DEALS),
        "generations": (generations, DEFAULT_GENERATIONS),
        "candidates": (candidates, None),
        "confirm": (confirm, DEFAULT_CONFIRMATION_DEALS),
        "seed": (seed, 1),
        "first": (first, 0),
        "confidence": (confidence, 0.95),
    }
    names = split_items(parameters)
    most = parse_count("generations", generations, 1, "30") or 1
    with (
        open_progress(progress, "generations", most) as line,
        InterruptHandler() as interruption,
    ):

        def report_generation(generation: Generation) -> None:
            line.advance(1)

        found = tune_parameters(
            convert_policy(policy),
            names,
            rules=table,
            opponents=None if opponents is None else convert_policy(opponents),
            deals=parse_count("deals", deals, 2, "1e4") or 2,
            generations=most,
            candidates=parse_count("candidates", candidates, 3, "16", MAX_CANDIDATES),
            confirm=parse_count("confirm", confirm, 2, "1e5") or 2,
            confidence=parse_argument("confidence", parse_share, confidence, *CONFIDENCE_RANGE),
            seed=parse_count("seed", seed, 0, "1") or 0,
            first=parse_count("first", first, 0, "0") or 0,
            threads=parse_count("threads", threads, 1, "2"),
            progress=report_generation,
            interrupted=lambda: interruption.stop_requested,
        )
    other = {} if opponents is None else {"opponents": convert_policy(opponents)}
    changed = {name: value for name, (value, default) in searched.items() if value != default}
    call = write_call("tune", (convert_policy(policy), parameters), {**other, **changed}, table)
    return TuningResult(found, call)
