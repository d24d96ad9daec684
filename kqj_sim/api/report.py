"""Reports in a folder: `report` and its result."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from kqj_sim.analysis.compare import compose_players
from kqj_sim.analysis.study import ProgressFactory, Study, StudyPlan, run_study
from kqj_sim.api.arguments import (
    CONFIDENCE_RANGE,
    ArgumentError,
    Count,
    PoliciesLike,
    PolicyLike,
    RuleArguments,
    collect_rules,
    convert_policy,
    parse_argument,
    parse_count,
    parse_share,
)
from kqj_sim.api.progress import ProgressLike, ProgressLine, open_progress, open_workers
from kqj_sim.api.results import ShownResult, Tables
from kqj_sim.api.simulate import make_experiment
from kqj_sim.messages import visible
from kqj_sim.reporting.chapter import Findings
from kqj_sim.reporting.files import OutputFolder
from kqj_sim.reporting.grid import Grid
from kqj_sim.reporting.html import to_html_fragment
from kqj_sim.reporting.rows import RowsFile
from kqj_sim.reporting.run import describe_rules
from kqj_sim.reporting.study import iterate_files, make_key_figures, make_run
from kqj_sim.run_scope import run_scope

if TYPE_CHECKING:
    from kqj_sim.dask_cluster import DaskCluster
    from kqj_sim.imposed import ImposedContract
    from kqj_sim.rules import GameRules
    from kqj_sim.workers import Workers


class ReportResult(ShownResult):
    """The result of `report`: the folder written, and the tables in it.

    Attributes:
        path: the page, report.html in the folder.
        files: the files written.
        tables: all tables by name, as data frames.
        interrupted: True if Ctrl-C ended the run early.

    Example:
        >>> import tempfile
        >>> import kqj_sim as kqj
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found = kqj.report(folder, deals=200, games=0, chart_deals=0, policy="standard")
        ...     found.path.name, found.path.exists()
        ('report.html', True)
    """

    def __init__(self, study: Study, title: str, files: Sequence[Path]) -> None:
        self.headline = f"{title}: {study.deals:,} deals."
        self.files = tuple(files)
        self.path = next(file for file in files if file.name == "report.html")
        self.tables = Tables(list(study.tables.values()))
        self.interrupted = study.interrupted
        self._study = study

    def _list_lines(self) -> Sequence[str]:
        (grid,) = self._list_html_grids()
        rows = [": ".join(map(str, row)) for row in grid.rows]
        return [f"Page: {self.path} ({len(self.files)} files)", *rows]

    def _list_html_grids(self) -> Sequence[Grid]:
        return [make_key_figures(Findings(self._study))]

    def _repr_html_(self) -> str:
        """Return the headline, the page's path and the key figures as HTML, for notebooks."""
        described = [f"Page: {self.path}", make_run(self._study).describe()]
        return to_html_fragment([self.headline], described, self._list_html_grids())

    def to_json(self) -> str:
        """Return all data of the report as JSON, as its file report.json."""
        return self.path.with_suffix(".json").read_text(encoding="utf-8")


@run_scope()
def report(
    out: str | os.PathLike[str],
    *,
    title: str | None = None,
    deals: Count = 100_000,
    games: Count = 2_000,
    chart_deals: Count = 100_000,
    compare: PolicyLike | Sequence[PolicyLike] = (),
    compare_deals: Count = 20_000,
    policy: PoliciesLike | None = None,
    impose: str | ImposedContract | None = None,
    seed: Count = 1,
    first: Count = 0,
    confidence: float | str = 0.95,
    save_rows: bool = False,
    force: bool = False,
    threads: Count | None = None,
    cluster: str | DaskCluster | None = None,
    progress: ProgressLike | None = None,
    rules: GameRules | None = None,
    **fields: Unpack[RuleArguments],
) -> ReportResult:
    """Play deals and write a report with tables and plots to a folder, as `kqj-sim report`.

    Args:
        out: the folder.
        title: title of the report.
        deals: number of deals.
        games: number of whole games played as well; 0 for none.
        chart_deals: number of deals for the chart of when to take; 0 for no chart.
        compare: policies to compare with each other.
        compare_deals: number of deals for each pair of these.
        policy: the players, as for `simulate`.
        impose: a Sender's place and contract that are played without calls, "opener:h".
        seed: seed of the deals.
        first: number of the first deal.
        confidence: confidence level of the intervals.
        save_rows: True to write one row per deal to rows.parquet, too.
        force: True to replace files of the same names in the folder.
        threads: number of threads; None for all processors.
        cluster: address of a Dask scheduler, or a `DaskCluster`.
        progress: True for a line on stderr, or a function of the finished and of all deals.
        rules: the rules, in place of their fields.
        fields: fields of the rules, such as `teams=3, bidding="auction"`.

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.
        OSError: the folder cannot be written.

    >>> import kqj_sim as kqj, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> result = kqj.report(folder, deals=300, games=0, chart_deals=0, policy="standard")
    >>> result.path.name
    'report.html'
    """
    table = collect_rules(rules, fields, "report")
    experiment = make_experiment(
        table, policy, impose, seed, first, deals=parse_count("deals", deals, 1, "1e6")
    )
    # One policy alone is no list of names.
    several: Sequence[Any] = compare if isinstance(compare, (list, tuple)) else [compare]
    compared = tuple(convert_policy(each) for each in several)
    if len(compared) == 1:
        raise ArgumentError(f"--compare {compared[0]} alone: name two policies or more")
    if compared:
        compose_players(compared, table)  # Raises errors before anything is played.
    plan = StudyPlan(
        experiment, parse_count("games", games, 0, "1000") or 0,
        parse_count("chart_deals", chart_deals, 0, "1e5") or 0, compared,
        parse_count("compare_deals", compare_deals, 1, "1e5") or 1,
        parse_argument("confidence", parse_share, confidence, *CONFIDENCE_RANGE),
    )  # fmt: skip

    def show_progress(unit: str, total: int) -> ProgressLine:
        return open_progress(progress, unit, total)

    name = visible(title or describe_rules(table))
    with OutputFolder(str(out), force) as folder, open_workers(threads, cluster) as workers:
        study, names = write_report(
            plan, folder, name, "kqj_sim.report",
            save_rows=save_rows, workers=workers, progress=show_progress,
        )  # fmt: skip
    return ReportResult(study, name, [Path(out) / file for file in names])


def write_report(
    plan: StudyPlan, folder: OutputFolder, title: str, command: str,
    config: tuple[str, str] | None = None, *, save_rows: bool, workers: Workers,
    progress: ProgressFactory,
) -> tuple[Study, list[str]]:  # fmt: skip
    """Carry out a plan and write the report into a folder; return the study and the files' names.

    Args:
        plan, workers, progress: as for `run_study`, whose errors this raises.
        folder: an open folder.
        title, command, config: as for `iterate_files`.
        save_rows: write one row per deal, too.

    Raises:
        KeyboardInterrupt: nothing was played.
        OSError: a file cannot be written.
    """
    began = time.monotonic()
    names = []
    with ExitStack() as stack:
        rows_file = None
        if save_rows:
            names.append("rows.parquet")
            rows_file = stack.enter_context(RowsFile(folder.get_path("rows.parquet")))
        study = run_study(plan, progress, workers, rows_file.write if rows_file else None)
        if study.deals == 0:
            raise KeyboardInterrupt
        if rows_file is not None:
            rows_file.finish(make_run(study))
    made = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, in {time.monotonic() - began:.0f} s"
    for name, content in iterate_files(study, title, command, made, config):
        folder.write(name, content)
        names.append(name)
    return study, names
