"""Files of rows, in Parquet or CSV, written as the rows are played, in constant memory."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from kqj_sim.output.files import OutputFile, make_sidecar_path
from kqj_sim.output.formats import RUN_KEY, format_run
from kqj_sim.output.run import Run
from kqj_sim.suffixes import ROW_SUFFIXES, choose_by_suffix

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from kqj_sim.simulation.rows import Rows

ROW_GROUP_SIZE = 1 << 17
"""Rows that are written together, some 20 MB."""


class RowsFile:
    """A file of rows, which appears when `finish` was called.

    A context manager; raises InputError for a suffix that is not in ROW_SUFFIXES, and OSError
    on entering if the file cannot be written.  The columns are `deal`, with whole games
    `game` and `round`, and those of the game.  Parquet has the types of `Rows.frame`: labelled
    columns are dictionaries of text, flags booleans, the others int32, wide enough for sums and
    products in programs that calculate in the type they read.  CSV has text, `true` or `false`,
    and numbers.  The run is in the metadata (Parquet), or in a file beside it, `NAME.run.json`
    (CSV).
    """

    def __init__(self, path: str | Path) -> None:
        self.format = choose_by_suffix(path, ROW_SUFFIXES)
        self._output = OutputFile(path)
        self.sidecar = make_sidecar_path(path) if self.format == "csv" else None
        """The path of the file with the run; None if there is none."""
        self._gathered: list[pa.Table] = []
        self._waiting = 0
        self._writer: Any = None
        self._run: Run | None = None
        self.count = 0
        """Rows written so far."""

    def __enter__(self) -> RowsFile:
        self._stack = ExitStack()
        self._stream = self._stack.enter_context(self._output)
        if self.sidecar is not None:
            self._run_stream = self._stack.enter_context(OutputFile(self.sidecar))
        return self

    def write(self, rows: Rows, mask: NDArray[np.bool_] | None = None) -> None:
        """Add a chunk of rows for which `mask` is true, sorted by deal."""
        table = _convert_rows(rows, mask)
        self.count += table.num_rows
        self._gathered.append(table)
        self._waiting += table.num_rows
        while self._waiting > ROW_GROUP_SIZE:
            self._flush(ROW_GROUP_SIZE)

    def finish(self, run: Run) -> None:
        """Write the remaining rows and the run; afterwards the file is complete."""
        self._run = run
        if self._gathered:
            self._flush(self._waiting)
        if self.format == "parquet" and self._writer is not None:
            self._writer.add_key_value_metadata({RUN_KEY: format_run(run)})
        if self._writer is not None:
            self._writer.close()
        if self.sidecar is not None:
            self._run_stream.write(format_run(run, indent=1).encode() + b"\n")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and self._run is None:
            raise RuntimeError("RowsFile.finish was not called")
        self._stack.__exit__(kind, error, trace)

    def _flush(self, count: int) -> None:
        """Write the first `count` of the waiting rows."""
        import pyarrow as pa

        gathered = pa.concat_tables(self._gathered)
        self._gathered = [gathered.slice(count)]
        self._waiting -= count
        table = gathered.slice(0, count).combine_chunks()
        if self.format == "csv":
            table = _prepare_csv(table)
        if self._writer is None:
            self._writer = self._open(table.schema)
        self._writer.write_table(table)

    def _open(self, schema: pa.Schema) -> Any:
        if self.format == "csv":
            import pyarrow.csv

            return pyarrow.csv.CSVWriter(self._stream, schema)
        import pyarrow.parquet

        return pyarrow.parquet.ParquetWriter(self._stream, schema, compression="zstd")


def _convert_rows(rows: Rows, mask: NDArray[np.bool_] | None) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    chosen = np.argsort(rows.deal, kind="stable")
    if mask is not None:
        chosen = chosen[mask[chosen]]
    arrays = {"deal": pa.array(rows.deal[chosen])}
    if rows.game is not None and rows.round is not None:
        arrays["game"] = pa.array(rows.game[chosen])
        arrays["round"] = pa.array(rows.round[chosen])
    for column in rows.columns:
        values = rows.column(column.name)[chosen]
        arrays[column.name] = (
            pa.DictionaryArray.from_arrays(pa.array(values, pa.int8()), pa.array(column.labels))
            if column.labels
            else pa.array(values)
        )
    return pa.table(arrays)


def _prepare_csv(table: pa.Table) -> pa.Table:
    """Return the rows with labels as text."""
    import pyarrow as pa

    for number, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            text = table.column(number).cast(pa.string())
            table = table.set_column(number, field.name, text)
    return table
