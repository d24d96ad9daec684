"""Simulations: `simulate` and its result."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from kqj_sim.analysis.tally import Tally
from kqj_sim.arguments import (
    CONFIDENCE_RANGE,
    ArgumentError,
    Count,
    PoliciesLike,
    RuleArguments,
    collect_rules,
    convert_policies,
    parse_argument,
    parse_count,
    parse_imposed,
    parse_share,
    reject_both,
    split_items,
)
from kqj_sim.columns import describe_listing
from kqj_sim.experiment import Experiment
from kqj_sim.messages import quote, suggest
from kqj_sim.progress import ProgressLike, open_progress, open_workers
from kqj_sim.reporting.plots import make_simulation_drawing
from kqj_sim.reporting.run import Run
from kqj_sim.reporting.simulation import make_simulation_report
from kqj_sim.results import Result
from kqj_sim.run_scope import run_scope
from kqj_sim.simulation import iterate_row_chunks, reduce_rows

if TYPE_CHECKING:
    import pandas as pd

    from kqj_sim.dask_cluster import DaskCluster
    from kqj_sim.imposed import ImposedContract
    from kqj_sim.reporting.figures import Drawing
    from kqj_sim.rules import GameRules

DEFAULT_DEALS = 100_000


class SimulationResult(Result):
    """The result of `simulate`: tables of counts with intervals, and the rows on request.

    Example:
        >>> import kqj_sim as kqj
        >>> result = kqj.simulate(deals=300, policy="standard")
        >>> result.deals, len(result.frame(["contract"]))
        (300, 300)
    """

    kind: ClassVar[str] = "simulate"

    def __init__(
        self, tally: Tally, run: Run, threads: Count | None, cluster: str | DaskCluster | None
    ) -> None:
        super().__init__(make_simulation_report(run, tally.tables(run.confidence or 0.95)))
        self._tally = tally
        # By its address, as a connection can be neither pickled nor copied.
        self._workers = threads, getattr(cluster, "address", cluster)

    def frame(self, columns: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return one row per deal for which `where` holds.

        The deals are played again, with the same seed and so with the same results; memory is that
        of the rows and columns asked for.  Numbers are int32 (`deal`, `game` and `round` int64),
        flags bool, labels categories.

        Args:
            columns: names of columns, "deal,contract" or a list, as `kqj-sim columns` lists them;
                None for all.

        Raises:
            ArgumentError: there is no such column.
        """
        import pandas as pd

        experiment, expression = self._tally.experiment, self._tally.expression
        columns = None if columns is None else split_items(columns)
        parts: list[pd.DataFrame] = []
        with open_workers(*self._workers) as workers, run_scope():
            for rows in iterate_row_chunks(experiment, workers):
                known = rows.list_frame_columns()
                for name in columns or ():
                    if name not in known:
                        raise ArgumentError(
                            f"there is no column {quote(name)}: "
                            f"{suggest(name, known) or describe_listing(experiment.rules.game)}"
                        )
                part = rows.frame(columns)
                parts.append(part if expression is None else part[expression.mask(rows)])
        return pd.concat(parts, ignore_index=True)

    def make_drawing(self) -> Drawing:
        """Return the picture; raise NothingToDrawError if there is none."""
        return make_simulation_drawing(self._tally, self._report.run)


@run_scope()
def simulate(
    *,
    deals: Count | None = None,
    games: Count | None = None,
    policy: PoliciesLike | None = None,
    by: str | Sequence[str] = (),
    where: str | None = None,
    impose: str | ImposedContract | None = None,
    seed: Count = 1,
    first: Count = 0,
    confidence: float | str = 0.95,
    threads: Count | None = None,
    cluster: str | DaskCluster | None = None,
    progress: ProgressLike | None = None,
    rules: GameRules | None = None,
    **fields: Unpack[RuleArguments],
) -> SimulationResult:
    """Play deals and summarise the results in tables, as `kqj-sim simulate`.

    Args:
        deals: number of deals, by default 100,000.
        games: number of whole games to the target score, in place of deals.
        policy: the players: one specification, file or policy for all seats, one for each seat, or
            a dictionary with the keys "all", "team0", "seat3"; by default points+network
            (standard in Kwajongen).
        by: columns that group every table, "lap,place" or a list.
        where: an expression of columns; only deals for which it holds are counted.
        impose: a Sender's place and contract that are played without calls, "opener:h".
        seed: seed of the deals; the same seed gives the same results.
        first: number of the first deal, or game.
        confidence: confidence level of the intervals.
        threads: number of threads; None for all processors.
        cluster: address of a Dask scheduler, or a `DaskCluster`.
        progress: True for a line on stderr, or a function of the finished and of all deals.
        rules: the rules, in place of their fields.
        fields: fields of the rules, such as `teams=3, bidding="auction"`.

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.

    >>> import kqj_sim as kqj
    >>> result = kqj.simulate(deals=2000, policy="standard", teams=3)
    >>> result.estimate("taken_share").observations
    2000
    >>> list(result.tables)[:2]
    ['taking', 'taking_by_lap']
    >>> result.frame(["contract", "result"]).shape
    (2000, 2)
    """
    reject_both(deals=deals, games=games)
    number = parse_count("games", games, 1, "1000")
    experiment = make_experiment(
        collect_rules(rules, fields, "simulate"), policy, impose, seed, first,
        deals=parse_count("deals", deals, 1, "1e6") or DEFAULT_DEALS, games=number,
    )  # fmt: skip
    level = parse_argument("confidence", parse_share, confidence, *CONFIDENCE_RANGE)
    columns = tuple(split_items(by))
    start = partial(Tally, experiment, columns, where)
    start()  # Raises errors before anything is played.
    total = experiment.games or experiment.deals
    with (
        open_workers(threads, cluster) as workers,
        open_progress(progress, "deals" if number is None else "games", total) as line,
    ):
        reduced = reduce_rows(experiment, start, workers, progress=line.advance)
    run = Run(
        command="simulate",
        rules=experiment.rules,
        policies=tuple(player.name for player in experiment.players),
        players=tuple(player.text for player in experiment.players),
        seed=experiment.seed,
        first=experiment.first,
        deals=reduced.result.deals,
        confidence=level,
        games=number,
        imposed=experiment.imposed_text,
        by=columns,
        where=where,
        interrupted=reduced.interrupted,
    )
    return SimulationResult(reduced.result, run, threads, cluster)


def make_experiment(
    rules: GameRules,
    policy: PoliciesLike | None,
    impose: str | ImposedContract | None,
    seed: Count,
    first: Count,
    **counts: Any,
) -> Experiment:
    """Return the experiment that arguments of public functions describe; raise ValueError."""
    return Experiment(
        rules=rules,
        policies=convert_policies(policy, rules),
        seed=parse_count("seed", seed, 0, "1") or 0,
        first=parse_count("first", first, 0, "0") or 0,
        imposed=parse_imposed(impose, rules),
        **counts,
    )
