"""The result of a report: its folder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from kqj_sim.output.files import OutputFolder
from kqj_sim.output.grid import Grid
from kqj_sim.output.html import to_html_fragment
from kqj_sim.output.rows import RowsFile
from kqj_sim.questions.report.files import (
    iterate_files,
    make_key_figures,
    make_numbers,
    make_run,
    name_report,
)
from kqj_sim.questions.report.study import Study, StudyPlan, run_study
from kqj_sim.results import ShownResult, Tables
from kqj_sim.runner import Runner


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
        self.headline = f"{name_report(study, title)}: {study.deals:,} deals."
        self.files = tuple(files)
        self.path = next(file for file in files if file.name == "report.html")
        self.tables = Tables(list(study.tables.values()))
        self.interrupted = study.interrupted
        self._study = study

    def describe_interruption(self) -> str:
        """Say how much was finished."""
        wanted = self._study.plan.experiment.deals
        return f"the report holds {self._study.deals:,} of {wanted:,} deals"

    def _list_lines(self) -> Sequence[str]:
        (grid,) = self._list_html_grids()
        rows = [": ".join(map(str, row)) for row in grid.rows]
        return [f"Page: {self.path} ({len(self.files)} files)", *rows]

    def _list_html_grids(self) -> Sequence[Grid]:
        return [make_key_figures(make_numbers(self._study))]

    def _repr_html_(self) -> str:
        """Return the headline, the page's path and the key figures as HTML, for notebooks."""
        described = [f"Page: {self.path}", make_run(self._study).describe()]
        return to_html_fragment([self.headline], described, self._list_html_grids())

    def to_json(self) -> str:
        """Return all data of the report as JSON, as its file report.json."""
        return self.path.with_suffix(".json").read_text(encoding="utf-8")


def write_report(
    plan: StudyPlan, folder: OutputFolder, title: str, runner: Runner, save_rows: bool
) -> ReportResult:
    """Carry out a plan and write the report into a folder.

    Args:
        plan: the plan.
        folder: an open folder.
        title: the heading; empty for the result of the comparison, or else the rules.
        runner: carries out the run.
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
        study = run_study(plan, runner, rows_file.write if rows_file else None)
        if study.deals == 0:
            raise KeyboardInterrupt
        if rows_file is not None:
            rows_file.finish(make_run(study))
    made = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, in {time.monotonic() - began:.0f} s"
    for name, content in iterate_files(study, title, runner.made_by, made, runner.config):
        folder.write(name, content)
        names.append(name)
    return ReportResult(study, title, [folder.path / name for name in names])
