"""The result of a report: its folder."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from kqj_sim.output.files import OutputFolder
from kqj_sim.output.grid import Grid
from kqj_sim.output.page import to_html_fragment
from kqj_sim.output.rows import RowsFile
from kqj_sim.questions.report.page import (
    INDEX,
    iterate_files,
    make_index,
    make_key_figures,
    make_numbers,
    make_run,
    name_report,
)
from kqj_sim.questions.report.play import Study, StudyPlan, run_study
from kqj_sim.results import ShownResult, Tables, UnwrittenFileError
from kqj_sim.runner import Runner
from kqj_sim.simulation.rows import Rows, list_row_columns


class ReportResult(ShownResult):
    """The result of `report`: the folder written, and the tables in it.

    Attributes:
        path: the page, report.html in the folder.
        files: the files written; none if that failed.
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

    def __init__(
        self, study: Study, title: str, folder: Path, contents: Mapping[str, bytes]
    ) -> None:
        self.headline = f"{name_report(study, title)}: {study.deals:,} deals."
        self.files: tuple[Path, ...] = ()
        self.path = folder / "report.html"
        self._contents = contents
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
        return self._contents["report.json"].decode()

    def to_markdown(self) -> str:
        """Return the report as text, as its file report.md."""
        return self._contents["report.md"].decode()


def write_report(
    plan: StudyPlan,
    path: str,
    force: bool,
    title: str,
    runner: Runner,
    save_rows: bool,
    index: bool,
) -> ReportResult:
    """Carry out a plan and write the report into a folder.

    Args:
        title: the heading; empty for the result of the comparison, or else the rules.
        index: write `INDEX` beside the folder, too.

    Raises:
        KeyboardInterrupt: nothing was played.
        OSError: the folder cannot be written; nothing was played.
        UnwrittenFileError: the folder, or the rows, could not be written; its result has the
            report.
    """
    began = time.monotonic()
    with ExitStack() as stack:
        folder = stack.enter_context(OutputFolder(path, force))
        stack.enter_context(runner)
        rows = (
            RowsFile(folder.get_path("rows.parquet"), list_row_columns(plan.experiment))
            if save_rows
            else None
        )
        study, failure = _play(plan, runner, rows)
        if study.deals == 0:
            raise KeyboardInterrupt
        made = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, in {time.monotonic() - began:.0f} s"
        contents: dict[str, bytes] = {}
        with runner.start("files", 3 + len(study.tables), polls=False):
            files = iterate_files(study, title, runner.made_by, made, runner.config, index)
            for name, content in files:
                contents[name] = content
                runner.advance(0 if name.startswith("pictures/") else 1, name)
        result = ReportResult(study, title, folder.path, contents)
        try:
            for name, content in contents.items():
                folder.write(name, content)
            stack.close()
            if index:
                (folder.path.parent / INDEX).write_bytes(make_index(folder.path.parent))
        except OSError as error:
            note = f"Nothing was written: the report holds {study.deals:,} deals"
            raise UnwrittenFileError(path, error, result, note) from None
    names = ["rows.parquet"] * (rows is not None and failure is None) + [*contents]
    result.files = tuple(folder.path / name for name in names)
    if failure is not None:
        rows_path = str(folder.path / "rows.parquet")
        note = "The rows were not written: the report has the other files"
        raise UnwrittenFileError(rows_path, failure, result, note)
    return result


def _play(plan: StudyPlan, runner: Runner, file: RowsFile | None) -> tuple[Study, OSError | None]:
    """Carry out a plan and write its rows; return their error, which does not end the run."""
    if file is None:
        return run_study(plan, runner), None
    failure: OSError | None = None

    def write(rows: Rows) -> None:
        nonlocal failure
        try:
            if failure is None:
                file.write(rows)
        except OSError as error:
            failure = error

    study = None
    try:
        with file:
            study = run_study(plan, runner, write)
            if failure is not None:
                raise failure
            file.finish(make_run(study))
    except OSError as error:
        if study is None:
            raise
        failure = error
    return study, failure
