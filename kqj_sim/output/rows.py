"""Files of rows, in Parquet or CSV, written as the rows are played, in constant memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.columns import SENDER_HAND
from kqj_sim.output.files import OutputFile, make_sidecar_path
from kqj_sim.output.formats import RUN_KEY, format_run
from kqj_sim.output.screen import Run
from kqj_sim.simulation.rows import Rows, format_sender_hands, map_rows, slice_rows
from kqj_sim.suffixes import ROW_SUFFIXES, choose_by_suffix

if TYPE_CHECKING:
    import pyarrow as pa

ROW_GROUP_SIZE = 1 << 17
"""Rows that are written together; they take some 30 MB before."""


class RowsFile:
    """A file of rows, which appears when `finish` was called.

    A context manager; raises InputError for a suffix that is not in ROW_SUFFIXES, and OSError
    on entering if the file cannot be written.  Parquet has the types of `Rows.frame`: categories
    are dictionaries of text, flags booleans, the others int32, wide enough for sums and products
    in programs that calculate in the type they read.  CSV has text, `true` or `false`, numbers,
    those of places too, and nothing for null.  The run is in the metadata (Parquet), or in a file
    beside it, `NAME.run.json` (CSV).
    """

    def __init__(self, path: str | Path, columns: Sequence[str]) -> None:
        self.format = choose_by_suffix(path, ROW_SUFFIXES)
        self._columns = columns
        self._output = OutputFile(path)
        self.sidecar = make_sidecar_path(path) if self.format == "csv" else None
        """The path of the file with the run; None if there is none."""
        self._gathered: list[Rows] = []
        self._waiting = 0
        self._writer: Any = None
        self._writing: Future[None] | None = None
        self._run: Run | None = None
        self.count = 0
        """Rows written so far."""

    def __enter__(self) -> RowsFile:
        with ExitStack() as stack:
            self._stream = stack.enter_context(self._output)
            if self.sidecar is not None:
                self._run_stream = stack.enter_context(OutputFile(self.sidecar))
            self._thread = stack.enter_context(ThreadPoolExecutor(1))
            self._stack = stack.pop_all()
        return self

    def write(self, rows: Rows, mask: NDArray[np.bool_] | None = None) -> None:
        """Add a chunk of rows for which `mask` is true, sorted by deal."""
        # With `taken` rows know their nulls.
        written = replace(rows, filled_columns=frozenset(self._columns) | {"taken"})
        chosen = _choose_rows(written, mask)
        self.count += len(chosen)
        self._gathered.append(chosen)
        self._waiting += len(chosen)
        while self._waiting > ROW_GROUP_SIZE:
            self._flush(ROW_GROUP_SIZE)

    def finish(self, run: Run) -> None:
        """Write the remaining rows and the run; afterwards the file is complete."""
        self._run = run
        if self._gathered:
            self._flush(self._waiting)
        self._await_writing()
        if self.format == "parquet" and self._writer is not None:
            self._writer.add_key_value_metadata({RUN_KEY: format_run(run)})
        if self._writer is not None:
            self._writer.close()
        if self.sidecar is not None:
            self._run_stream.write(format_run(run, indent=1).encode() + b"\n")

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        if kind is None and self._run is None:
            raise RuntimeError("RowsFile.finish was not called")
        self._stack.__exit__(kind, *error)

    def _flush(self, count: int) -> None:
        """Write the first `count` of the waiting rows, while the next ones are played."""
        gathered = map_rows(lambda *arrays: np.concatenate(arrays), *self._gathered)
        self._gathered = [slice_rows(gathered, slice(count, None))]
        self._waiting -= count
        self._await_writing()
        group = slice_rows(gathered, slice(count))
        self._writing = self._thread.submit(self._write_group, group)

    def _await_writing(self) -> None:
        """Wait until the rows before are written; raise the OSError of that."""
        if self._writing is not None:
            self._writing.result()

    def _write_group(self, rows: Rows) -> None:
        table = _convert_rows(rows, self._columns, is_typed=self.format == "parquet")
        if self._writer is None:
            self._writer = self._open(table.schema)
        self._writer.write_table(table)

    def _open(self, schema: pa.Schema) -> Any:
        if self.format == "csv":
            import pyarrow.csv

            return pyarrow.csv.CSVWriter(self._stream, schema)
        import pyarrow.parquet

        return pyarrow.parquet.ParquetWriter(self._stream, schema, **_choose_encoding(schema))


def _choose_encoding(schema: pa.Schema) -> dict[str, Any]:
    """Return the options of a Parquet file with these columns."""
    import pyarrow as pa

    numbers = [field.name for field in schema if pa.types.is_integer(field.type)]
    ordered = [name for name in numbers if pa.types.is_int64(schema.field(name).type)]
    return {
        # 17 bytes a deal; lz4 takes a seventh less time, and 28 bytes.
        "compression": "zstd",
        "use_dictionary": [field.name for field in schema if pa.types.is_dictionary(field.type)],
        # Dictionaries of numbers take three times as long, for files no smaller: the upper bytes of
        # small numbers, kept apart, compress to nothing.
        "column_encoding": dict.fromkeys(numbers, "BYTE_STREAM_SPLIT")
        | dict.fromkeys(ordered, "DELTA_BINARY_PACKED"),
        # Others have the same least and largest value in nearly every group of rows.
        "write_statistics": ordered,
        "write_batch_size": 1 << 14,
    }


def _choose_rows(rows: Rows, mask: NDArray[np.bool_] | None) -> Rows:
    if mask is None and (rows.deal[1:] > rows.deal[:-1]).all():
        return rows
    order = np.argsort(rows.deal)
    chosen = order if mask is None else order[mask[order]]
    return map_rows(lambda array: array[chosen], rows)


def _convert_rows(rows: Rows, names: Sequence[str], is_typed: bool) -> pa.Table:
    """Return columns of rows; without types labels are text, and places numbers."""
    import pyarrow as pa

    columns = {column.name: column for column in rows.columns}
    nullable = {SENDER_HAND, *(name for name, column in columns.items() if column.has_null)}
    arrays = {}
    for name in names:
        if name in rows.array_names:
            arrays[name] = _make_array(getattr(rows, name))
        elif name == SENDER_HAND:
            hands = format_sender_hands(rows.get_sender_cards(), rows.game_name)
            arrays[name] = _make_texts(hands.tolist())
        else:
            column, values = columns[name], rows.column(name)
            nulls = rows.find_nulls(column)
            texts = column.categories if is_typed else column.labels
            if texts:
                codes, known = _make_array(values.astype(np.int8), nulls), _make_texts(texts)
                categories = pa.DictionaryArray.from_arrays(codes, known, ordered=column.is_ordered)
                arrays[name] = categories if is_typed else categories.cast(pa.string())
            else:
                arrays[name] = _make_array(values, nulls)
    # Columns without missing values are written faster if the schema says so.
    fields = [pa.field(name, array.type, name in nullable) for name, array in arrays.items()]
    integers = [field.name for field in fields if field.nullable and pa.types.is_int32(field.type)]
    return pa.table(arrays, pa.schema(fields, {"pandas": _describe_nulls(integers)}))


def _describe_nulls(names: Iterable[str]) -> str:
    """Return the metadata by which pandas reads columns with nulls as integers, as in the frame."""
    numbers = [
        {
            "name": name, "field_name": name, "pandas_type": "int32", "numpy_type": "Int32",
            "metadata": None,
        }
        for name in names
    ]  # fmt: skip
    return json.dumps({"index_columns": [], "column_indexes": [], "columns": numbers})


def _make_array(values: NDArray[Any], nulls: NDArray[np.bool_] | None = None) -> pa.Array:
    """Return a column for Arrow; `pyarrow.array` would import pandas, which takes 0.3 s."""
    import pyarrow as pa

    if values.dtype.kind == "U":
        return _make_texts(values.tolist())
    is_flag = values.dtype == np.bool_
    buffer = pa.py_buffer(np.packbits(values, bitorder="little") if is_flag else values)
    known = None if nulls is None else pa.py_buffer(np.packbits(~nulls, bitorder="little"))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [known, buffer])


def _make_texts(texts: Sequence[str | None]) -> pa.Array:
    import pyarrow as pa

    encoded = [b"" if text is None else text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    known = np.packbits([text is not None for text in texts], bitorder="little")
    buffers = [pa.py_buffer(known), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)
